//! Readers of single files, for the fuzz targets.

use std::path::Path;

use crate::particle_file;
use crate::shape::{AssetError, Picture, mesh_parser};

/// Endings of the mesh formats.
pub const MESH_FORMATS: [&str; 3] = ["obj", "stl", "ply"];

/// Reads the bytes of a mesh in the format of an ending; returns its number of triangles.
pub fn read_mesh(bytes: &[u8], ending: &str) -> Result<usize, AssetError> {
    Ok(mesh_parser(ending)?(bytes)?.triangles.len())
}

/// Names of files of the particle formats.
pub const PARTICLE_FILES: [&str; 3] = ["p.ply", "p.npz", "p.csv"];

/// Reads the bytes of a particle file of a name; returns its number of particles.
pub fn read_particles(bytes: &[u8], name: &str) -> Result<usize, AssetError> {
    Ok(particle_file::parser(Path::new(name))?(bytes)?.rows())
}

/// Reads the bytes of a PNG image; returns its number of pixels.
pub fn read_image(bytes: &[u8]) -> Result<usize, AssetError> {
    Ok(Picture::parse(bytes)?.pixels.len())
}
