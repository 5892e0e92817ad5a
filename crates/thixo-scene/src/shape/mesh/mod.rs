//! Meshes as solids: files, their triangles, which side is inside, and distances on a grid.

mod bake;
mod cap;
mod closest;
mod defects;
mod disc;
mod field;
mod obj;
mod ply;
pub(crate) mod ply_header;
pub(crate) mod ply_values;
mod read;
#[cfg(test)]
pub(crate) mod samples;
mod solid;
mod stl;
mod text_line;
mod tree;
mod triangulate;
mod winding;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::combine::SharedRegion;
use crate::error::SceneError;
use crate::scene::Scene;

pub(crate) use read::{Mesh, parser};
pub(crate) use solid::{InSpace, MeshSolid};
pub(crate) use triangulate::Point;

/// The inside of a triangle mesh; only in 3D.
///
/// Inside is where the mesh's winding number is above one half, so that meshes with holes and
/// meshes that cut through themselves have an inside, too; a [`Warning`](crate::Warning) says what
/// was found. Distances are stored every `resolution`: exact near the surface at those places, and
/// interpolated in between. Parts of the mesh that are thinner may be lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MeshShape {
    /// An OBJ, STL or PLY file, relative to the folder of the scene file. Its lengths are metres;
    /// `moved` with a `scale` changes that. Required.
    pub file: String,
    /// Distance of the places where distances to the surface are stored \[m\], above 0. Default:
    /// half the grid spacing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resolution: Option<f64>,
}

impl Scene {
    /// The solid of a mesh.
    pub(super) fn mesh<const D: usize>(
        &self,
        path: &str,
        mesh: &MeshShape,
    ) -> Result<SharedRegion<D>, SceneError> {
        let key = format!("{path}.file");
        self.only_in_space::<D>(path, "a mesh")?;
        let resolution = self.resolution(path, mesh.resolution)?;
        let file = self.asset_path(&mesh.file);
        let name = (file.clone(), resolution.to_bits());
        // The lock is not held while the mesh is read, which takes a while.
        let known = self.assets.lock().solids.get(&name).cloned();
        if let Some(solid) = known {
            return Ok(Arc::new(InSpace(solid)));
        }
        let refused = |cause| self.refused_asset(&key, &mesh.file, cause);
        let (triangles, sum) = Mesh::read(&file).map_err(refused)?;
        let (solid, warnings) =
            MeshSolid::new(&triangles, resolution, &mesh.file).map_err(refused)?;
        let solid = Arc::new(solid);
        let mut made = self.assets.lock();
        made.sums.insert(file, sum);
        made.solids.insert(name.clone(), solid.clone());
        made.warnings.insert(name, warnings);
        Ok(Arc::new(InSpace(solid)))
    }

    /// Refuses what exists in 3D only.
    pub(super) fn only_in_space<const D: usize>(
        &self,
        path: &str,
        what: &str,
    ) -> Result<(), SceneError> {
        if D == 3 {
            return Ok(());
        }
        let range = "a shape of dimension 2; a bitmap can have any outline";
        Err(self.out_of_range(path, what, range))
    }

    /// The distance at which distances are stored \[m\].
    pub(super) fn resolution(&self, path: &str, given: Option<f64>) -> Result<f64, SceneError> {
        let resolution = given.unwrap_or(0.5 * self.grid.spacing);
        if (1e-12..=1e12).contains(&resolution) {
            return Ok(resolution);
        }
        let range = "between 1e-12 and 1e12 m";
        Err(self.number_out_of_range(&format!("{path}.resolution"), resolution, range))
    }
}
