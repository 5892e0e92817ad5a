//! The meshes of a scene as pictures and surfaces need them: which particles belong together.

use thixo::lagrangian::Cells;

use super::MeshForm;
use super::body::outer_faces;
use crate::error::SceneError;
use crate::scene::Scene;

/// Elements of a mesh between its particles, which keep their order in all frames.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshTopology {
    /// Index of its object in frames.
    pub object: usize,
    /// Number of its particles.
    pub vertices: usize,
    /// Lines, triangles and tetrahedra, by indices among its particles.
    pub cells: Cells,
    /// Radius of its rods, or half the thickness of its cloth \[m\]; none of other meshes.
    pub radius: Option<f64>,
}

impl Scene {
    /// The meshes of the scene, in their order.
    pub fn mesh_topologies(&self) -> Result<Vec<MeshTopology>, SceneError> {
        match self.dimension {
            2 => self.topologies::<2>(),
            _ => self.topologies::<3>(),
        }
    }

    fn topologies<const D: usize>(&self) -> Result<Vec<MeshTopology>, SceneError> {
        let made = self.checked_meshes::<D>()?.into_iter().zip(&self.meshes);
        let topologies = made.enumerate().map(|(k, (made, mesh))| MeshTopology {
            object: self.objects.len() + k,
            vertices: made.mesh.vertices(),
            cells: made.mesh.cells(),
            radius: match mesh.shape {
                MeshForm::Rod { .. } => mesh.radius,
                _ => mesh.thickness.map(|thickness| 0.5 * thickness),
            },
        });
        Ok(topologies.collect())
    }
}

impl MeshTopology {
    /// Triangles that are seen: those of cloth, and the faces of bodies that belong to one
    /// tetrahedron alone, which look outwards.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let mut triangles = self.cells.triangles.clone();
        triangles.extend(outer_faces(&self.cells.tetrahedra));
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_of_two_tetrahedra_has_six_triangles_that_look_outwards() {
        let topology = MeshTopology {
            object: 0,
            vertices: 5,
            cells: {
                let mut cells = Cells::default();
                cells.tetrahedra = vec![[0, 1, 2, 3], [1, 2, 3, 4]];
                cells
            },
            radius: None,
        };
        let surface = topology.surface();
        assert_eq!(surface.len(), 6);
        // Every edge is run through once in each direction.
        let mut edges: Vec<[u32; 2]> = surface
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges.len(), 18);
        assert!(edges.iter().all(|[a, b]| edges.contains(&[*b, *a])));
    }
}
