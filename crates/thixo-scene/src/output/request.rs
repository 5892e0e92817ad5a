//! Files that a run writes: `[output]`.

use std::borrow::Cow;
use std::io::{self, Write};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thixo::Scalar;
use thixo::quantity::{ON_REQUEST, POROUS, THERMAL};

use super::frame::{Frame, ID, PLASTIC};
use super::{npz, ply, vtk};
use crate::error::SceneError;
use crate::read::unknown_choice;
use crate::scene::Scene;

/// Files that a run writes besides scene, record and budgets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Output {
    /// Files of every frame; none for budgets only. Default: `["ply"]`.
    #[serde(default = "Output::default_formats")]
    pub formats: Vec<Format>,
    /// Columns of frames besides position, velocity, mass, volume, volume ratio, material, object
    /// and what particles carry. What the material of a particle does not have is NaN. Default:
    /// nothing.
    #[serde(default)]
    #[schemars(schema_with = "columns_schema")]
    pub columns: Vec<String>,
    /// Frames 0, `every`, 2 `every`, … are written, at least 1. Default: 1. Budgets are of every
    /// frame.
    #[serde(default = "Output::default_every")]
    #[schemars(range(min = 1))]
    pub every: u32,
    /// Frames between checkpoints, at least 1. Default: one about every 30 s of the run. There is
    /// always one at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub checkpoint_every: Option<u32>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            formats: Self::default_formats(),
            columns: Vec::new(),
            every: Self::default_every(),
            checkpoint_every: None,
        }
    }
}

impl Output {
    fn default_formats() -> Vec<Format> {
        vec![Format::Ply]
    }
    fn default_every() -> u32 {
        1
    }
    /// True if the particles of a frame are written.
    pub fn writes(&self, frame: u32) -> bool {
        !self.formats.is_empty() && frame.is_multiple_of(self.every.max(1))
    }
}

/// A format of particle files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Stanford polygon format, binary: see [`ply`].
    Ply,
    /// VTK XML poly data with a collection of all frames for ParaView, `particles/series_vtp.pvd`:
    /// see [`vtk`].
    Vtp,
    /// VTK XML unstructured grid, for meshio and ParaView, with `particles/series_vtu.pvd`: see
    /// [`vtk`].
    Vtu,
    /// Arrays of NumPy: see [`npz`].
    Npz,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ply, Self::Vtp, Self::Vtu, Self::Npz];

    /// Writes a frame.
    pub fn write<T: Scalar>(self, out: &mut impl Write, frame: &Frame<T>) -> io::Result<()> {
        match self {
            Self::Ply => ply::write(out, frame),
            Self::Vtp => vtk::write(out, frame, vtk::DatasetType::PolyData),
            Self::Vtu => vtk::write(out, frame, vtk::DatasetType::UnstructuredGrid),
            Self::Npz => npz::write(out, frame),
        }
    }

    /// True if a collection of its files with their times goes with them, see
    /// [`pvd`](super::pvd).
    pub fn has_series(self) -> bool {
        matches!(self, Self::Vtp | Self::Vtu)
    }

    /// Extension of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Vtp => "vtp",
            Self::Vtu => "vtu",
            Self::Npz => "npz",
        }
    }
}

/// Names that `output.columns` may have: quantities of the engine, the identifier, and all numbers
/// of history at once.
fn columns_on_request() -> impl Iterator<Item = (&'static str, String)> {
    let quantities = ON_REQUEST
        .into_iter()
        .chain(POROUS)
        .chain(THERMAL)
        .map(|quantity| {
            let about = format!("{} [{}]", quantity.about, quantity.unit);
            // All names of the list are literals.
            let name = match quantity.name {
                Cow::Borrowed(name) => name,
                Cow::Owned(_) => "",
            };
            (name, about)
        });
    let id = "Identifier of the particle, the same in all frames.";
    let plastic = "The numbers of history of the materials in the scene, a column each, such as `plastic_strain`. NaN for other materials.";
    let rest = [(ID, id.to_owned()), (PLASTIC, plastic.to_owned())];
    quantities.chain(rest)
}

/// The schema of `output.columns`, from the engine's list of quantities.
fn columns_schema(_: &mut SchemaGenerator) -> Schema {
    let choices: Vec<serde_json::Value> = columns_on_request()
        .map(|(name, about)| serde_json::json!({ "const": name, "description": about, "type": "string" }))
        .collect();
    json_schema!({ "type": "array", "items": { "oneOf": choices } })
}

impl Scene {
    /// Refuses requests that cannot be met.
    pub(crate) fn check_output(&self) -> Result<(), SceneError> {
        let output = &self.output;
        if output.every == 0 {
            return Err(self.out_of_range("output.every", 0, "at least 1"));
        }
        if output.checkpoint_every == Some(0) {
            return Err(self.out_of_range("output.checkpoint_every", 0, "at least 1"));
        }
        self.check_once("output.formats", &output.formats)?;
        self.check_once("output.columns", &output.columns)?;
        for (index, name) in output.columns.iter().enumerate() {
            self.check_column(&format!("output.columns[{index}]"), name)?;
        }
        let is_thermal = |column: &String| THERMAL.iter().any(|q| q.name == column.as_str());
        if self.heat.is_none()
            && let Some(index) = output.columns.iter().position(is_thermal)
        {
            return Err(self.needs_heat(&format!("output.columns[{index}]")));
        }
        let is_porous = |column: &String| POROUS.iter().any(|q| q.name == column.as_str());
        if !self.mixture.has_pore_pressure()
            && let Some(index) = output.columns.iter().position(is_porous)
        {
            let key = format!("output.columns[{index}]");
            let range = "left out without a pressure in pores, mixture.pore_pressure";
            return Err(self.out_of_range(&key, format!("{:?}", output.columns[index]), range));
        }
        let kernel = self.physics.kernel.into();
        let keeps_gradient = self.engine_transfer().0.keeps_velocity_gradient(kernel);
        let gradient = |column: &String| column == "velocity_gradient";
        match output.columns.iter().position(gradient) {
            Some(index) if !keeps_gradient => {
                let range = "left out, or physics.transfer \"mls\" or \"apic\" and physics.kernel \"quadratic\" or \"cubic\": \
                             others do not keep it";
                let key = format!("output.columns[{index}]");
                Err(self.out_of_range(&key, "\"velocity_gradient\"", range))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a column that nobody knows.
    fn check_column(&self, key: &str, name: &str) -> Result<(), SceneError> {
        let mut known = columns_on_request().map(|(name, _)| name);
        if known.any(|known| known == name) {
            return Ok(());
        }
        let known = columns_on_request().map(|(name, _)| name.to_owned());
        let problem = unknown_choice(key, name, known.collect());
        Err(self.source.error_at_key(key, problem))
    }

    /// Refuses a list in which something stands twice.
    fn check_once<W: PartialEq + Serialize>(
        &self,
        key: &str,
        words: &[W],
    ) -> Result<(), SceneError> {
        for (index, word) in words.iter().enumerate() {
            if words[..index].contains(word) {
                let value = serde_json::to_string(word).unwrap_or_default();
                let key = format!("{key}[{index}]");
                return Err(self.out_of_range(&key, value, "listed once"));
            }
        }
        Ok(())
    }
}
