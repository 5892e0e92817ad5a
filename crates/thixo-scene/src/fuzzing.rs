//! Readers of single files, for the fuzz targets.

use crate::shape::{AssetError, Picture, mesh_parser};

/// Endings of the mesh formats.
pub const MESH_FORMATS: [&str; 3] = ["obj", "stl", "ply"];

/// Reads the bytes of a mesh in the format of an ending; returns its number of triangles.
pub fn read_mesh(bytes: &[u8], ending: &str) -> Result<usize, AssetError> {
    Ok(mesh_parser(ending)?(bytes)?.triangles.len())
}

/// Reads the bytes of a PNG image; returns its number of pixels.
pub fn read_image(bytes: &[u8]) -> Result<usize, AssetError> {
    Ok(Picture::parse(bytes)?.pixels.len())
}
