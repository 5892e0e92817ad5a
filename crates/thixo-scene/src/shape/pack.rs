//! The files of a scene gathered in one folder, so that a run can be repeated wherever its
//! directory goes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;
use serde::{Deserialize, Serialize, Serializer};

use super::asset::{AssetError, read_bytes};
use super::{SequenceShape, Shape};
use crate::elastic_mesh::MeshForm;
use crate::error::SceneError;
use crate::scene::Scene;

/// A checksum that tells whether a file is still the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// Its length \[B\].
    pub bytes: u64,
    /// CRC-32 of its content.
    pub crc32: u32,
}

impl Checksum {
    /// Of bytes in memory.
    pub(crate) fn of(content: &[u8]) -> Self {
        Self {
            bytes: content.len() as u64,
            crc32: crc32fast::hash(content),
        }
    }

    /// Of everything that a reader gives; `take` sees it in passing.
    pub(crate) fn of_stream(
        mut input: impl Read,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut buffer = vec![0; 1 << 18];
        let (mut bytes, mut sum) = (0, Hasher::new());
        loop {
            match input.read(&mut buffer)? {
                0 => break,
                count => {
                    sum.update(&buffer[..count]);
                    take(&buffer[..count])?;
                    bytes += count as u64;
                }
            }
        }
        let crc32 = sum.finalize();
        Ok(Self { bytes, crc32 })
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes with checksum {:08x}", self.bytes, self.crc32)
    }
}

/// A file that a scene needs, and what the scene as run calls it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PackedAsset {
    /// Its name in the scene as run: `assets/NAME`.
    pub file: String,
    /// Path it was read from.
    #[serde(serialize_with = "lossy")]
    pub source: PathBuf,
    /// As it was read.
    #[serde(flatten)]
    pub sum: Checksum,
}

/// A path as text; what is no text in it is lost.
fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

impl Scene {
    /// The same scene with all its files in one folder, and what must be copied there. Files keep
    /// their names; where two of different folders have the same, the later one gets a number.
    /// Packing a packed scene changes no name.
    pub fn packed(&self, folder: &str) -> Result<(Self, Vec<PackedAsset>), SceneError> {
        let mut packed = self.clone();
        let mut packing = Packing {
            folder,
            scene: self,
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            assets: Vec::new(),
        };
        for (key, shape) in packed.shapes_mut() {
            packing
                .pack(shape)
                .map_err(|(file, cause)| self.refused_asset(&key, &file, cause))?;
        }
        for (k, object) in packed.objects.iter_mut().enumerate() {
            if let Some(source) = &mut object.particles {
                let key = format!("objects[{k}].particles.file");
                source.file = packing
                    .renamed(&source.file)
                    .map_err(|(file, cause)| self.refused_asset(&key, &file, cause))?;
            }
        }
        for (k, mesh) in packed.meshes.iter_mut().enumerate() {
            if let MeshForm::File { file, .. } = &mut mesh.shape {
                let key = format!("meshes[{k}].shape.file.file");
                *file = packing
                    .renamed(file)
                    .map_err(|(file, cause)| self.refused_asset(&key, &file, cause))?;
            }
        }
        Ok((packed, packing.assets))
    }

    /// All shapes that are not parts of others, with their keys.
    fn shapes_mut(&mut self) -> Vec<(String, &mut Shape)> {
        let mut shapes = Vec::new();
        for (k, object) in self.objects.iter_mut().enumerate() {
            if let Some(shape) = &mut object.shape {
                shapes.push((format!("objects[{k}].shape"), shape));
            }
        }
        for (k, mesh) in self.meshes.iter_mut().enumerate() {
            match &mut mesh.shape {
                MeshForm::Body { shape, .. } => {
                    shapes.push((format!("meshes[{k}].shape.body.shape"), shape));
                }
                MeshForm::Skin { shape, .. } => {
                    shapes.push((format!("meshes[{k}].shape.skin.shape"), shape));
                }
                _ => {}
            }
            for (j, hold) in mesh.hold.iter_mut().enumerate() {
                shapes.push((format!("meshes[{k}].hold[{j}].region"), &mut hold.region));
            }
        }
        for (k, emitter) in self.emitters.iter_mut().enumerate() {
            shapes.push((format!("emitters[{k}].shape"), &mut emitter.shape));
        }
        for (k, sink) in self.sinks.iter_mut().enumerate() {
            shapes.push((format!("sinks[{k}].shape"), &mut sink.shape));
        }
        for (k, load) in self.loads.iter_mut().enumerate() {
            if let Some(region) = &mut load.region {
                shapes.push((format!("loads[{k}].region"), region));
            }
        }
        for (k, collider) in self.colliders.iter_mut().enumerate() {
            shapes.push((format!("colliders[{k}].shape"), &mut collider.shape));
        }
        shapes
    }
}

/// Names given so far.
struct Packing<'a> {
    folder: &'a str,
    scene: &'a Scene,
    /// The new name of every file, by its place.
    names: BTreeMap<PathBuf, String>,
    /// New names without regard to upper and lower case, which some systems do not tell apart.
    taken: BTreeSet<String>,
    assets: Vec<PackedAsset>,
}

impl Packing<'_> {
    /// Gives new names to the files of a shape and its parts. A failure comes with the name of the
    /// file.
    fn pack(&mut self, shape: &mut Shape) -> Result<(), (String, AssetError)> {
        match shape {
            Shape::Mesh(mesh) => mesh.file = self.renamed(&mesh.file)?,
            Shape::MeshSequence(sequence) => self.pack_sequence(sequence)?,
            Shape::Bitmap(bitmap) => {
                bitmap.file = self.renamed(&bitmap.file)?;
                if let Some(colors) = &mut bitmap.colors {
                    *colors = self.renamed(colors)?;
                }
            }
            Shape::Moved(moved) => self.pack(&mut moved.shape)?,
            Shape::Complement(shape) => self.pack(shape)?,
            Shape::Union(shapes) | Shape::Intersection(shapes) => {
                shapes.iter_mut().try_for_each(|shape| self.pack(shape))?;
            }
            Shape::Difference { from, taken } => {
                self.pack(from)?;
                self.pack(taken)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// A pattern stays one if all its files keep their names, else it becomes a list.
    fn pack_sequence(&mut self, sequence: &mut SequenceShape) -> Result<(), (String, AssetError)> {
        let names = sequence.names();
        let renamed = names.iter().map(|name| self.renamed(name));
        let renamed = renamed.collect::<Result<Vec<_>, _>>()?;
        if let Some(pattern) = &mut sequence.pattern {
            let kept = format!("{}/{}", self.folder, base(pattern));
            let mut as_pattern = sequence.clone();
            as_pattern.pattern = Some(kept);
            if as_pattern.names() == renamed {
                *sequence = as_pattern;
                return Ok(());
            }
            (sequence.pattern, sequence.count) = (None, None);
            sequence.first = 0;
        }
        sequence.files = renamed;
        Ok(())
    }

    /// The new name of a file.
    fn renamed(&mut self, file: &str) -> Result<String, (String, AssetError)> {
        let path = self.scene.asset_path(file);
        // Two ways to write the same place are one file.
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        if let Some(name) = self.names.get(&place) {
            return Ok(name.clone());
        }
        let known = self.scene.assets.lock().sums.get(&path).copied();
        let sum = match known {
            Some(sum) => sum,
            None => {
                let content = read_bytes(&path).map_err(|cause| (file.to_owned(), cause))?;
                Checksum::of(&content)
            }
        };
        let free = self.free_name(base(file));
        let name = format!("{}/{free}", self.folder);
        self.names.insert(place, name.clone());
        self.assets.push(PackedAsset {
            file: name.clone(),
            source: path,
            sum,
        });
        Ok(name)
    }

    /// A name that no other file has.
    fn free_name(&mut self, name: &str) -> String {
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) => (stem, format!(".{ending}")),
            None => (name, String::new()),
        };
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(free.to_lowercase()) {
            free = format!("{stem}-{number}{ending}");
            number += 1;
        }
        free
    }
}

/// A name without its folders.
fn base(file: &str) -> &str {
    let name = Path::new(file).file_name().and_then(|name| name.to_str());
    name.unwrap_or(file)
}
