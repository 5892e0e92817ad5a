//! The primitives of a scene as the engine's solids; what the engine refuses is refused with its
//! key.

use std::sync::Arc;

use thixo::collide::shape::{Cuboid, Ellipsoid, Plane, Sphere, Torus};
use thixo::{BuildError, LevelSet};

use super::combine::SharedRegion;
use super::extent::Extent;
use super::primitive::Primitive;
use crate::error::SceneError;
use crate::scene::Scene;

impl Scene {
    pub(super) fn half_space<const D: usize>(
        &self,
        path: &str,
        point: &[f64],
        normal: &[f64],
    ) -> Result<SharedRegion<D>, SceneError> {
        let point = self.vector(&format!("{path}.point"), point)?;
        let normal = self.vector(&format!("{path}.normal"), normal)?;
        let plane = Plane::<D>::new(point, normal);
        Ok(Arc::new(Primitive {
            solid: Arc::new(plane.map_err(|error| self.refused_within(path, error))?),
            bounds: None,
            volume: None,
        }))
    }

    pub(super) fn cuboid<const D: usize>(
        &self,
        path: &str,
        min: &[f64],
        max: &[f64],
    ) -> Result<SharedRegion<D>, SceneError> {
        let (min, max, cuboid) = self.corners(path, min, max)?;
        self.known(path, Ok(cuboid), Extent::cuboid(min, max))
    }

    /// A box by its keys `min` and `max`.
    pub(super) fn corners<const D: usize>(
        &self,
        path: &str,
        min: &[f64],
        max: &[f64],
    ) -> Result<([f64; D], [f64; D], Cuboid<D>), SceneError> {
        let min: [f64; D] = self.vector(&format!("{path}.min"), min)?;
        let max: [f64; D] = self.vector(&format!("{path}.max"), max)?;
        if let Some(axis) = (0..D).find(|&axis| min[axis] >= max[axis]) {
            let range = format!("above {}, the same component of min", min[axis]);
            let key = format!("{path}.max[{axis}]");
            return Err(self.number_out_of_range(&key, max[axis], range));
        }
        let cuboid = Cuboid::new(min, max);
        let cuboid = cuboid.map_err(|error| self.refused_within(path, error))?;
        Ok((min, max, cuboid))
    }

    pub(super) fn sphere<const D: usize>(
        &self,
        path: &str,
        center: &[f64],
        radius: f64,
    ) -> Result<SharedRegion<D>, SceneError> {
        let center: [f64; D] = self.vector(&format!("{path}.center"), center)?;
        let sphere = Sphere::new(center, radius);
        self.known(path, sphere, Extent::ellipsoid(center, [radius; D]))
    }

    pub(super) fn ellipsoid<const D: usize>(
        &self,
        path: &str,
        center: &[f64],
        radii: &[f64],
    ) -> Result<SharedRegion<D>, SceneError> {
        let center: [f64; D] = self.vector(&format!("{path}.center"), center)?;
        let radii: [f64; D] = self.vector(&format!("{path}.radii"), radii)?;
        let ellipsoid = Ellipsoid::new(center, radii);
        self.known(path, ellipsoid, Extent::ellipsoid(center, radii))
    }

    /// A solid by the ends of its axis, each with its key, and a radius.
    pub(super) fn revolved<S: LevelSet<D> + 'static, const D: usize>(
        &self,
        path: &str,
        [(first_key, first), (last_key, last)]: [(&str, &[f64]); 2],
        radius: f64,
        solid: fn([f64; D], [f64; D], f64) -> Result<S, BuildError>,
        extent: fn([f64; D], [f64; D], f64) -> Extent<D>,
    ) -> Result<SharedRegion<D>, SceneError> {
        let first = self.vector(&format!("{path}.{first_key}"), first)?;
        let last = self.vector(&format!("{path}.{last_key}"), last)?;
        self.known(
            path,
            solid(first, last, radius),
            extent(first, last, radius),
        )
    }

    pub(super) fn torus<const D: usize>(
        &self,
        path: &str,
        center: &[f64],
        axis: &[f64],
        ring: f64,
        tube: f64,
    ) -> Result<SharedRegion<D>, SceneError> {
        let center: [f64; D] = self.vector(&format!("{path}.center"), center)?;
        let axis: [f64; D] = self.vector(&format!("{path}.axis"), axis)?;
        let torus = Torus::new(center, axis, ring, tube);
        self.known(path, torus, Extent::torus(center, axis, ring, tube))
    }

    /// A solid of which everything is known.
    fn known<const D: usize>(
        &self,
        path: &str,
        solid: Result<impl LevelSet<D> + 'static, BuildError>,
        extent: Extent<D>,
    ) -> Result<SharedRegion<D>, SceneError> {
        let solid = solid.map_err(|error| self.refused_within(path, error))?;
        Ok(Arc::new(Primitive {
            solid: Arc::new(solid),
            bounds: Some(extent.bounds),
            volume: Some(extent.volume),
        }))
    }
}
