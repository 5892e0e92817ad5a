//! Meshes of files.

use std::path::Path;

use super::form::{Elements, Form};
use super::gmsh;
use crate::shape::mesh::Mesh;
use crate::shape::{AssetError, Checksum, read_bytes};

/// True if a name is that of a file of tetrahedra.
fn is_solid_mesh(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ending.eq_ignore_ascii_case("msh")
}

/// Reads a file: tetrahedra of a Gmsh file, or triangles as cloth. Corners of triangles at the same
/// place are one vertex, as STL files repeat them.
pub(super) fn read<const D: usize>(path: &Path) -> Result<(Form<D>, Checksum), AssetError> {
    if is_solid_mesh(path) {
        let bytes = read_bytes(path)?;
        let mesh = gmsh::parse(&bytes)?;
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
