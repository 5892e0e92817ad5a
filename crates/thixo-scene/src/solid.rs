//! Obstacles of a scene as the engine's signed distances.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::{Moving, Running, SteadyMotion, Surface};

use crate::error::SceneError;
use crate::obstacle::Collider;
use crate::scene::Scene;
use crate::shape::SharedRegion;

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

/// The solid of a collider with its motion.
#[derive(Clone, Debug)]
pub struct Obstacle<const D: usize> {
    /// Its signed distance at any time.
    pub level_set: Arc<dyn LevelSet<D>>,
    /// Corners of a box around it where it was drawn \[m\]; none where it has no end.
    pub bounds: Option<[[f64; D]; 2]>,
    /// True if it is elsewhere, or of another shape, at other times.
    pub moves: bool,
}

impl Collider {
    /// True if it is elsewhere, or of another shape, at other times.
    fn moves(&self) -> bool {
        self.motion.is_some()
            || self.angular_velocity.is_some()
            || self.velocity.iter().any(|v| *v != 0.0)
            || self.shape.deforms()
    }
    /// True if neither the solid nor its surface moves.
    pub(crate) fn is_at_rest(&self) -> bool {
        !self.moves() && self.surface_velocity.iter().all(|v| *v == 0.0)
    }
}

impl Scene {
    /// The solids of all colliders, in the order of the scene: what pictures show of them.
    pub fn obstacles<const D: usize>(&self) -> Result<Vec<Obstacle<D>>, SceneError> {
        let colliders = self.colliders.iter().enumerate();
        let obstacles = colliders.map(|(index, collider)| {
            let region = self.collider_region::<D>(index)?;
            let bounds = region.bounds();
            Ok(Obstacle {
                level_set: self.moving_solid(index, region)?.0,
                bounds: bounds.map(|bounds| [bounds.min, bounds.max]),
                moves: collider.moves(),
            })
        });
        obstacles.collect()
    }

    /// The solid of a collider with its motion.
    pub(crate) fn solid<const D: usize>(&self, index: usize) -> Result<Solid<D>, SceneError> {
        let region = self.collider_region(index)?;
        self.moving_solid(index, region)
    }

    /// The shape of a collider.
    fn collider_region<const D: usize>(&self, index: usize) -> Result<SharedRegion<D>, SceneError> {
        let key = format!("colliders[{index}].shape");
        self.region(&key, &self.colliders[index].shape)
    }

    /// The shape of a collider with its motion.
    fn moving_solid<const D: usize>(
        &self,
        index: usize,
        region: SharedRegion<D>,
    ) -> Result<Solid<D>, SceneError> {
        let collider = &self.colliders[index];
        let key = format!("colliders[{index}]");
        let solid = self.running(&key, collider, Solid(region))?;
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
        if let Some(motion) = &collider.motion {
            let motion = self.formula_motion(key, collider, motion)?;
            return Ok(Solid::new(Moving::new(solid, motion)));
        }
        let velocity = self.vector_or_zero::<D>(&format!("{key}.velocity"), &collider.velocity)?;
        let angular_velocity = self.angular_velocity::<D>(
            &format!("{key}.angular_velocity"),
            collider.angular_velocity.as_ref(),
        )?;
        let pivot_key = format!("{key}.pivot");
        let pivot = match (&collider.angular_velocity, &collider.pivot) {
            (None, None) => [0.0; D],
            (Some(_), Some(pivot)) => self.vector(&pivot_key, pivot)?,
            (Some(_), None) => return Err(self.missing(key, "pivot")),
            (None, Some(pivot)) => {
                let range = "absent: only a collider with angular_velocity has a pivot";
                return Err(self.out_of_range(&pivot_key, format!("{pivot:?}"), range));
            }
        };
        if velocity == [0.0; D] && angular_velocity == [0.0; 3] {
            return Ok(solid);
        }
        let motion = SteadyMotion::new(pivot, velocity, angular_velocity);
        let motion = motion.map_err(|error| self.refused_within(key, error))?;
        Ok(Solid::new(Moving::new(solid, motion)))
    }
}
