//! The primitives of a scene as the engine's solids; what the engine refuses is refused with its
//! key.

use std::sync::Arc;

use thixo::collide::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Plane, Sphere, Torus};
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

    pub(super) fn capsule<const D: usize>(
        &self,
        path: &str,
        start: &[f64],
        end: &[f64],
        radius: f64,
    ) -> Result<SharedRegion<D>, SceneError> {
        let start: [f64; D] = self.vector(&format!("{path}.start"), start)?;
        let end: [f64; D] = self.vector(&format!("{path}.end"), end)?;
        let capsule = Capsule::new(start, end, radius);
        self.known(path, capsule, Extent::capsule(start, end, radius))
    }

    pub(super) fn cylinder<const D: usize>(
        &self,
        path: &str,
        start: &[f64],
        end: &[f64],
        radius: f64,
    ) -> Result<SharedRegion<D>, SceneError> {
        let start: [f64; D] = self.vector(&format!("{path}.start"), start)?;
        let end: [f64; D] = self.vector(&format!("{path}.end"), end)?;
        let cylinder = Cylinder::new(start, end, radius);
        self.known(path, cylinder, Extent::cylinder(start, end, radius))
    }

    pub(super) fn cone<const D: usize>(
        &self,
        path: &str,
        base: &[f64],
        tip: &[f64],
        radius: f64,
    ) -> Result<SharedRegion<D>, SceneError> {
        let base: [f64; D] = self.vector(&format!("{path}.base"), base)?;
        let tip: [f64; D] = self.vector(&format!("{path}.tip"), tip)?;
        let cone = Cone::new(base, tip, radius);
        self.known(path, cone, Extent::cone(base, tip, radius))
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
