//! Meshes of files.

use std::path::Path;

use super::form::{Elements, Form};
use super::solid_mesh::SolidMesh;
use super::{gmsh, vtu};
use crate::shape::mesh::Mesh;
use crate::shape::{AssetError, Checksum, read_bytes};

/// Reads tetrahedra from the bytes of a file.
type SolidReader = fn(&[u8]) -> Result<SolidMesh, AssetError>;

/// The reader of the tetrahedra in a file; none for files of triangles.
fn reader_of_solids(path: &Path) -> Option<SolidReader> {
    let ending = path.extension()?.to_ascii_lowercase();
    match ending.to_str()? {
        "msh" => Some(gmsh::parse),
        "vtu" => Some(vtu::parse),
        _ => None,
    }
}

/// Reads a file: tetrahedra of a Gmsh or VTK file, or triangles as cloth. Corners of triangles at
/// the same place are one vertex, as STL files repeat them.
pub(super) fn read<const D: usize>(path: &Path) -> Result<(Form<D>, Checksum), AssetError> {
    if let Some(parse) = reader_of_solids(path) {
        let bytes = read_bytes(path)?;
        let mesh = parse(&bytes)?;
        let form = Form {
            positions: mesh.points.into_iter().map(cut).collect(),
            elements: Elements::Tetrahedra(mesh.tetrahedra),
        };
        return Ok((form, Checksum::of(&bytes)));
    }
    let (mesh, sum) = Mesh::read(path)?;
    let mut numbers = std::collections::HashMap::new();
    let mut positions = Vec::new();
    let triangles = mesh.triangles.into_iter().map(|corners| {
        corners.map(|corner| {
            let point = mesh.points[corner as usize];
            *numbers.entry(point.map(f64::to_bits)).or_insert_with(|| {
                positions.push(cut(point));
                positions.len() as u32 - 1
            })
        })
    });
    let triangles = triangles.collect();
    let form = Form {
        positions,
        elements: Elements::Cloth(triangles),
    };
    Ok((form, sum))
}

/// The first D coordinates.
fn cut<const D: usize>(point: [f64; 3]) -> [f64; D] {
    core::array::from_fn(|a| point[a])
}
