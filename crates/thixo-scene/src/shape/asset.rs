//! Files that a scene needs besides itself: meshes and images. Each is read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::bitmap::Picture;
use super::mesh::MeshSolid;
use super::sequence::KeyFrames;
use super::{Checksum, Shape, Warning};
use crate::elastic_mesh::ElasticMesh;
use crate::error::{Problem, SceneError};
use crate::particle_file::{ParticleTable, ParticleVolume};
use crate::scene::Scene;

/// Errors of meshes and images that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AssetError {
    /// The file cannot be read at all.
    #[error("cannot be read: {message} (paths are relative to the folder of the scene file)")]
    Unreadable {
        /// Error of the system.
        message: String,
    },
    /// The name does not say what the file is.
    #[error("has no ending that is known; it must be one of {known}")]
    UnknownFormat {
        /// The endings that are known.
        known: &'static str,
    },
    /// The content is not what the format demands.
    #[error("is not a sound {format} file: {place}: {message}")]
    Malformed {
        /// The format.
        format: &'static str,
        /// Line or byte.
        place: String,
        /// The problem there.
        message: String,
    },
    /// A mesh without surface, an image without matter.
    #[error("is empty: {message}")]
    Empty {
        /// Thing that is missing.
        message: &'static str,
    },
    /// A mesh of a sequence that does not match the first.
    #[error(
        "has {vertices} vertices and {triangles} triangles, the first mesh of the sequence {first_vertices} and {first_triangles}; \
         all meshes of a sequence must have the same triangles"
    )]
    Mismatch {
        /// Its vertices.
        vertices: usize,
        /// Its triangles.
        triangles: usize,
        /// Vertices of the first mesh.
        first_vertices: usize,
        /// Triangles of the first mesh.
        first_triangles: usize,
    },
}

/// Meshes and images that have been made of the files so far. Clones share it; two always compare
/// equal, as they follow from the scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assets(Arc<Mutex<AssetCache>>);

/// Meshes and images that have been made, by file and spacing.
#[derive(Debug, Default)]
pub(crate) struct AssetCache {
    pub solids: BTreeMap<(PathBuf, u64), Arc<MeshSolid>>,
    pub sequences: BTreeMap<(Vec<PathBuf>, u64, u64), Arc<KeyFrames>>,
    pub pictures: BTreeMap<PathBuf, Arc<Picture>>,
    pub tables: BTreeMap<PathBuf, Arc<ParticleTable>>,
    /// Checksums of the files when they were read.
    pub sums: BTreeMap<PathBuf, Checksum>,
    pub warnings: BTreeMap<(PathBuf, u64), Vec<Warning>>,
}

impl PartialEq for Assets {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Assets {
    pub fn lock(&self) -> MutexGuard<'_, AssetCache> {
        // A poisoned lock holds finished work only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scene {
    /// The files that the scene needs besides itself, each once, in the order in which it names
    /// them.
    pub fn assets(&self) -> Vec<PathBuf> {
        let objects = self
            .objects
            .iter()
            .filter_map(|object| object.shape.as_ref());
        let emitters = self.emitters.iter().map(|emitter| &emitter.shape);
        let sinks = self.sinks.iter().map(|sink| &sink.shape);
        let loads = self.loads.iter().filter_map(|load| load.region.as_ref());
        let colliders = self.colliders.iter().map(|collider| &collider.shape);
        let meshes = self.meshes.iter().flat_map(ElasticMesh::shapes);
        let shapes = objects.chain(meshes).chain(emitters).chain(sinks);
        let mut found = Vec::new();
        for shape in shapes.chain(loads).chain(colliders) {
            self.assets_of(shape, &mut found);
        }
        let particles = self.objects.iter().filter_map(|o| o.particles.as_ref());
        let particles = particles.map(|source| &source.file);
        let meshes = self.meshes.iter().filter_map(ElasticMesh::file);
        for file in particles.chain(meshes) {
            let path = self.asset_path(file);
            if !found.contains(&path) {
                found.push(path);
            }
        }
        found
    }

    fn assets_of(&self, shape: &Shape, found: &mut Vec<PathBuf>) {
        let files = match shape {
            Shape::Mesh(mesh) => vec![mesh.file.clone()],
            Shape::MeshSequence(sequence) => sequence.names(),
            Shape::Bitmap(bitmap) => {
                let files = [Some(bitmap.file.clone()), bitmap.colors.clone()];
                files.into_iter().flatten().collect()
            }
            _ => Vec::new(),
        };
        for file in files {
            let path = self.asset_path(&file);
            if !found.contains(&path) {
                found.push(path);
            }
        }
        for part in shape.parts() {
            self.assets_of(part, found);
        }
    }

    /// Warnings about the scene and its meshes, as far as they have been read: all of them after
    /// [`Scene::parse`].
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        for warning in self.assets.lock().warnings.values().flatten() {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
        for (index, object) in self.objects.iter().enumerate() {
            if object.volume == Some(ParticleVolume::Grid) {
                let object = object.name_or_default(index);
                warnings.push(Warning::GridVolumes { object });
            }
        }
        warnings
    }

    /// Path of a file that the scene names.
    pub(crate) fn asset_path(&self, file: &str) -> PathBuf {
        self.source.directory().join(file)
    }

    /// An asset that cannot be used, with the key that names it.
    pub(crate) fn refused_asset(&self, key: &str, file: &str, cause: AssetError) -> SceneError {
        let problem = Problem::Asset {
            key: key.to_owned(),
            file: file.to_owned(),
            cause,
        };
        self.source.error_at_key(key, problem)
    }
}

/// The bytes of a file. Devices and pipes are refused: they may have no end.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, AssetError> {
    let unreadable = |message: String| AssetError::Unreadable { message };
    let about = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !about.is_file() {
        let message = "it is no file but a folder, a device or a pipe".to_owned();
        return Err(unreadable(message));
    }
    std::fs::read(path).map_err(|error| unreadable(error.to_string()))
}
