//! Obstacles of a scene as the engine's signed distances.

use std::sync::Arc;

use thixo::collide::shape::{
    Capsule, Complement, Cone, Cuboid, Cylinder, Difference, Intersection, Moving, Plane, Running,
    Sphere, SteadyMotion, Surface, Torus, Union,
};
use thixo::{BuildError, LevelSet};

use crate::error::{Problem, SceneError};
use crate::obstacle::{Collider, ColliderShape};
use crate::scene::Scene;

/// Any of the engine's solids.
#[derive(Clone, Debug)]
pub(crate) struct Solid<const D: usize>(Arc<dyn LevelSet<D>>);

impl<const D: usize> Solid<D> {
    fn new(solid: impl LevelSet<D> + 'static) -> Self {
        Self(Arc::new(solid))
    }
}

impl<const D: usize> LevelSet<D> for Solid<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        self.0.surface(position, time)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        self.0.velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        self.0.thickness()
    }
    fn clearance(&self) -> f64 {
        self.0.clearance()
    }
}

impl Scene {
    /// The solid of a collider with its motion.
    pub(crate) fn solid<const D: usize>(&self, index: usize) -> Result<Solid<D>, SceneError> {
        let collider = &self.colliders[index];
        let key = format!("colliders[{index}]");
        let solid = self.shape(&format!("{key}.shape"), &collider.shape)?;
        let solid = self.running(&key, collider, solid)?;
        self.moving(&key, collider, solid)
    }

    /// With a surface that runs.
    fn running<const D: usize>(
        &self,
        key: &str,
        collider: &Collider,
        solid: Solid<D>,
    ) -> Result<Solid<D>, SceneError> {
        let key = format!("{key}.surface_velocity");
        let velocity = self.vector_or_zero::<D>(&key, &collider.surface_velocity)?;
        if velocity == [0.0; D] {
            return Ok(solid);
        }
        let running = Running::new(solid, velocity);
        Ok(Solid::new(
            running.map_err(|error| self.refused(&key, error))?,
        ))
    }

    /// With its rigid motion.
    fn moving<const D: usize>(
        &self,
        key: &str,
        collider: &Collider,
        solid: Solid<D>,
    ) -> Result<Solid<D>, SceneError> {
        let velocity_key = format!("{key}.velocity");
        let velocity = self.vector_or_zero::<D>(&velocity_key, &collider.velocity)?;
        let turn = self.turn::<D>(
            &format!("{key}.angular_velocity"),
            collider.angular_velocity.as_ref(),
        )?;
        let pivot_key = format!("{key}.pivot");
        let pivot = match (&collider.angular_velocity, &collider.pivot) {
            (None, None) => [0.0; D],
            (Some(_), Some(pivot)) => self.vector(&pivot_key, pivot)?,
            (Some(_), None) => {
                let problem = Problem::MissingKey {
                    key: "pivot".to_owned(),
                    table: format!("[{key}]"),
                };
                return Err(self.source.error_at_key(&pivot_key, problem));
            }
            (None, Some(pivot)) => {
                let range = "absent: only a collider with angular_velocity has a pivot";
                return Err(self.out_of_range(&pivot_key, format!("{pivot:?}"), range));
            }
        };
        if velocity == [0.0; D] && turn == [0.0; 3] {
            return Ok(solid);
        }
        let motion = SteadyMotion::new(pivot, velocity, turn);
        let motion = motion.map_err(|error| self.refused(&velocity_key, error))?;
        Ok(Solid::new(Moving::new(solid, motion)))
    }

    /// A shape where the scene puts it.
    fn shape<const D: usize>(
        &self,
        key: &str,
        shape: &ColliderShape,
    ) -> Result<Solid<D>, SceneError> {
        let name = shape.name();
        let path = |part: &str| format!("{key}.{name}.{part}");
        let place = |part: &str, components: &[f64]| self.vector::<D>(&path(part), components);
        let refused = |part: &'static str| move |error| (part, error);
        // An axis without length is shown at its end, everything else at the radius.
        let of_axis = |end: &'static str| {
            move |error: BuildError| match &error {
                BuildError::NotPositive { quantity, .. } if quantity.starts_with("length") => {
                    (end, error)
                }
                _ => ("radius", error),
            }
        };
        let built: Result<Solid<D>, (&str, BuildError)> = match shape {
            ColliderShape::Plane { point, normal } => {
                let (point, normal) = (place("point", point)?, place("normal", normal)?);
                let plane = Plane::new(point, normal);
                plane.map(Solid::new).map_err(refused("normal"))
            }
            ColliderShape::Box { min, max } => {
                let (min, max) = (place("min", min)?, place("max", max)?);
                if let Some(axis) = (0..D).find(|&axis| min[axis] >= max[axis]) {
                    let range = format!("above {}, the same component of min", min[axis]);
                    let key = path(&format!("max[{axis}]"));
                    return Err(self.number_out_of_range(&key, max[axis], range));
                }
                let cuboid = Cuboid::new(min, max);
                cuboid.map(Solid::new).map_err(refused("max"))
            }
            ColliderShape::Sphere { center, radius } => {
                let sphere = Sphere::new(place("center", center)?, *radius);
                sphere.map(Solid::new).map_err(refused("radius"))
            }
            ColliderShape::Capsule { start, end, radius } => {
                let capsule = Capsule::new(place("start", start)?, place("end", end)?, *radius);
                capsule.map(Solid::new).map_err(of_axis("end"))
            }
            ColliderShape::Cylinder { start, end, radius } => {
                let cylinder = Cylinder::new(place("start", start)?, place("end", end)?, *radius);
                cylinder.map(Solid::new).map_err(of_axis("end"))
            }
            ColliderShape::Cone { base, tip, radius } => {
                let cone = Cone::new(place("base", base)?, place("tip", tip)?, *radius);
                cone.map(Solid::new).map_err(of_axis("tip"))
            }
            ColliderShape::Torus {
                center,
                axis,
                ring,
                tube,
            } => {
                let (center, axis) = (place("center", center)?, place("axis", axis)?);
                let torus = Torus::new(center, axis, *ring, *tube);
                torus.map(Solid::new).map_err(|error| match &error {
                    BuildError::NotPositive { quantity, .. } if quantity.starts_with("length") => {
                        ("axis", error)
                    }
                    BuildError::NotPositive { quantity, .. }
                        if quantity.starts_with("radius of the torus") =>
                    {
                        ("ring", error)
                    }
                    _ => ("tube", error),
                })
            }
            ColliderShape::Complement(shape) => {
                let solid = self.shape::<D>(&format!("{key}.{name}"), shape)?;
                Ok(Solid::new(Complement(solid.0)))
            }
            ColliderShape::Union(shapes) => {
                let parts = self.parts(&format!("{key}.{name}"), shapes)?;
                Ok(Solid::new(Union(parts)))
            }
            ColliderShape::Intersection(shapes) => {
                let parts = self.parts(&format!("{key}.{name}"), shapes)?;
                Ok(Solid::new(Intersection(parts)))
            }
            ColliderShape::Difference { from, taken } => {
                let from = self.shape::<D>(&path("from"), from)?.0;
                let taken = self.shape::<D>(&path("taken"), taken)?.0;
                Ok(Solid::new(Difference { from, taken }))
            }
        };
        built.map_err(|(part, error)| self.refused(&path(part), error))
    }

    /// The parts of a combination, at least one.
    fn parts<const D: usize>(
        &self,
        key: &str,
        shapes: &[ColliderShape],
    ) -> Result<Vec<Arc<dyn LevelSet<D>>>, SceneError> {
        if shapes.is_empty() {
            return Err(self.out_of_range(key, "[]", "a list of at least one shape"));
        }
        let parts = shapes.iter().enumerate();
        parts
            .map(|(k, shape)| Ok(self.shape::<D>(&format!("{key}[{k}]"), shape)?.0))
            .collect()
    }
}
