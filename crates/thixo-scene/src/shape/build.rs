//! From a shape of a scene file to a region of space. Everything that can be refused is refused
//! with its key.

use std::sync::Arc;

use thixo::collide::shape::{Capsule, Cone, Cylinder};

use super::Shape;
use super::combine::{self, SharedRegion};
use super::extent::Extent;
use super::moved::place;
use crate::error::SceneError;
use crate::scene::Scene;

impl Scene {
    /// The region of a shape. `key` is the path of the shape in the scene file.
    pub(crate) fn region<const D: usize>(
        &self,
        key: &str,
        shape: &Shape,
    ) -> Result<SharedRegion<D>, SceneError> {
        let path = format!("{key}.{}", shape.name());
        let region: SharedRegion<D> = match shape {
            Shape::LevelSet(level_set) => self.level_set(&path, level_set)?,
            Shape::Mesh(mesh) => self.mesh(&path, mesh)?,
            Shape::MeshSequence(sequence) => self.mesh_sequence(&path, sequence)?,
            Shape::Bitmap(bitmap) => self.bitmap(&path, bitmap)?,
            Shape::Moved(moved) => {
                let part = self.region::<D>(&format!("{path}.shape"), &moved.shape)?;
                let placed = place(part, self.placement(&path, moved)?);
                Arc::new(placed.map_err(|error| self.refused_within(&path, error))?)
            }
            Shape::Complement(shape) => {
                Arc::new(combine::complement(self.region::<D>(&path, shape)?))
            }
            Shape::Union(shapes) => {
                let parts = self.parts::<D>(&path, shapes)?;
                Arc::new(combine::union(&parts, shape.deforms()))
            }
            Shape::Intersection(shapes) => {
                Arc::new(combine::intersection(&self.parts::<D>(&path, shapes)?))
            }
            Shape::Difference { from, taken } => {
                let from = self.region::<D>(&format!("{path}.from"), from)?;
                let taken = self.region::<D>(&format!("{path}.taken"), taken)?;
                Arc::new(combine::difference(from, taken))
            }
            Shape::Plane { point, normal } | Shape::HalfSpace { point, normal } => {
                self.half_space(&path, point, normal)?
            }
            Shape::Box { min, max } => self.cuboid(&path, min, max)?,
            Shape::Sphere { center, radius } => self.sphere(&path, center, *radius)?,
            Shape::Ellipsoid { center, radii } => self.ellipsoid(&path, center, radii)?,
            Shape::Capsule { start, end, radius } => {
                let ends = [("start", &start[..]), ("end", end)];
                self.revolved(&path, ends, *radius, Capsule::new, Extent::capsule)?
            }
            Shape::Cylinder { start, end, radius } => {
                let ends = [("start", &start[..]), ("end", end)];
                self.revolved(&path, ends, *radius, Cylinder::new, Extent::cylinder)?
            }
            Shape::Cone { base, tip, radius } => {
                let ends = [("base", &base[..]), ("tip", tip)];
                self.revolved(&path, ends, *radius, Cone::new, Extent::cone)?
            }
            Shape::Torus {
                center,
                axis,
                ring,
                tube,
            } => self.torus(&path, center, axis, *ring, *tube)?,
        };
        Ok(region)
    }

    /// The parts of a combination, at least one.
    fn parts<const D: usize>(
        &self,
        key: &str,
        shapes: &[Shape],
    ) -> Result<Vec<SharedRegion<D>>, SceneError> {
        if shapes.is_empty() {
            return Err(self.out_of_range(key, "[]", "a list of at least one shape"));
        }
        let parts = shapes.iter().enumerate();
        parts
            .map(|(k, shape)| self.region::<D>(&format!("{key}[{k}]"), shape))
            .collect()
    }
}
