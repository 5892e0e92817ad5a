//! Particles from files, in place of a shape: `particles = { file = "points.ply" }`.
//!
//! Columns have the names of frames: x, y, z, vx, vy, vz, mass, volume, j, deformation_xx …,
//! left_cauchy_green_xx …, numbers of history, and what particles carry; SI units. A frame that a
//! run wrote can be read back, PLY or NPZ.

mod csv;
mod npz;
mod ply;
mod state;
mod table;

pub(crate) use state::FileParticles;
pub(crate) use table::ParticleTable;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::{Problem, SceneError};
use crate::scene::Scene;
use crate::shape::{AssetError, Checksum, read_bytes};

/// Particles of a file. Columns of the file that have no meaning here are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ParticleFile {
    /// The file: `.ply` (text or binary), `.npz` of NumPy, or `.csv` with names in its first line.
    /// Required.
    pub file: String,
    /// Names of columns in the file, where they are others than those of frames:
    /// `{ x = "px", mass = "m" }`. Default: as in frames.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// Rows that are taken: those whose columns have these numbers, such as `{ object = 0 }` of a
    /// frame. Default: all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, f64>,
    /// `"file"` takes strain and history from the file where it has them, `"rest"` does not.
    /// Default: `"file"`.
    #[serde(default)]
    pub state: StateSource,
}

/// Source of the strain and history of particles of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateSource {
    /// The file, as far as it has them.
    #[default]
    File,
    /// Neither: matter at rest.
    Rest,
}

/// The volume of each particle of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParticleVolume {
    /// `"sampling"`: the volume of the shape over the number of particles, or the column of a file.
    Sampling,
    /// `"grid"`: mass over density on the grid, \[Jiang2016\] eq. (152).
    Grid,
    /// The same for all, of a file without volumes \[m³\].
    Each(f64),
}

impl Serialize for ParticleVolume {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Sampling => serializer.serialize_str("sampling"),
            Self::Grid => serializer.serialize_str("grid"),
            Self::Each(volume) => serializer.serialize_f64(*volume),
        }
    }
}

impl<'de> Deserialize<'de> for ParticleVolume {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = ParticleVolume;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"sampling\", \"grid\" or a number")
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<ParticleVolume, E> {
                Ok(ParticleVolume::Each(value))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<ParticleVolume, E> {
                Ok(ParticleVolume::Each(value as f64))
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<ParticleVolume, E> {
                match word {
                    "sampling" => Ok(ParticleVolume::Sampling),
                    "grid" => Ok(ParticleVolume::Grid),
                    _ => Err(E::unknown_variant(word, &["sampling", "grid"])),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for ParticleVolume {
    fn schema_name() -> Cow<'static, str> {
        "ParticleVolume".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`\"sampling\"`: the volume of the shape over the number of particles, or the column of a file. `\"grid\"`: mass over the density on the grid, [Jiang2016] eq. (152), which is 1.6 times too large at a flat face. A number: the volume of each particle of a file that has none [m³].",
            "oneOf": [
                { "enum": ["sampling", "grid"] },
                { "type": "number", "exclusiveMinimum": 0 },
            ],
        })
    }
}

/// Reads the bytes of a file.
type Parser = fn(&[u8]) -> Result<ParticleTable, AssetError>;

/// The parser of files of an ending.
pub(crate) fn parser(path: &Path) -> Result<Parser, AssetError> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    match ending.to_lowercase().as_str() {
        "ply" => Ok(ply::parse),
        "npz" => Ok(npz::parse),
        "csv" => Ok(csv::parse),
        _ => Err(AssetError::UnknownFormat {
            known: ".ply, .npz, .csv",
        }),
    }
}

impl Scene {
    /// The columns of a particle file, with the names of frames, and the rows that are asked for.
    pub(crate) fn particle_table(
        &self,
        key: &str,
        source: &ParticleFile,
    ) -> Result<Arc<ParticleTable>, SceneError> {
        let file_key = format!("{key}.particles.file");
        let path = self.asset_path(&source.file);
        let known = self.assets.lock().tables.get(&path).cloned();
        let table = match known {
            Some(table) => table,
            None => {
                let read = || {
                    let parse = parser(&path)?;
                    let bytes = read_bytes(&path)?;
                    Ok((parse(&bytes)?, Checksum::of(&bytes)))
                };
                let (table, sum) =
                    read().map_err(|cause| self.refused_asset(&file_key, &source.file, cause))?;
                let table = Arc::new(table);
                let mut made = self.assets.lock();
                made.sums.insert(path.clone(), sum);
                made.tables.insert(path, Arc::clone(&table));
                table
            }
        };
        let mut own = (*table).clone();
        let unknown = |key: &str, name: &str| {
            let known = table.names().map(str::to_owned).collect();
            let problem = crate::read::unknown_choice(key, name, known);
            self.source.error_at_key(key, problem)
        };
        for (name, in_file) in &source.columns {
            if !own.rename(in_file, name) {
                let key = format!("{key}.particles.columns.{name}");
                return Err(unknown(&key, in_file));
            }
        }
        for (name, number) in &source.only {
            if !own.keep_where(name, *number) {
                let key = format!("{key}.particles.only");
                return Err(unknown(&key, name));
            }
        }
        if own.rows() == 0 {
            let cause = AssetError::Empty {
                message: match source.only.is_empty() {
                    true => "it has no particle",
                    false => "no particle of it has what `only` asks for",
                },
            };
            return Err(self.refused_asset(&file_key, &source.file, cause));
        }
        Ok(Arc::new(own))
    }

    /// A row of a particle file that cannot be used.
    pub(crate) fn refused_row(
        &self,
        key: &str,
        source: &ParticleFile,
        (place, message): (String, String),
    ) -> SceneError {
        let key = format!("{key}.particles.file");
        let problem = Problem::Other {
            key: key.clone(),
            message: format!("{}, {place}: {message}", source.file),
        };
        self.source.error_at_key(&key, problem)
    }
}
