//! The shapes of objects as regions.

use std::sync::Arc;

use thixo::collide::shape::{Cuboid, Sphere, Surface};
use thixo::{BuildError, LevelSet};

use crate::error::SceneError;
use crate::object::Shape;
use crate::scene::Scene;
use crate::shape::{Bounds, Region};

/// A solid with its extent.
#[derive(Debug)]
struct Sized<S, const D: usize> {
    solid: S,
    bounds: Bounds<D>,
    volume: f64,
}

impl<S: LevelSet<D>, const D: usize> LevelSet<D> for Sized<S, D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        self.solid.surface(position, time)
    }
}

impl<S: LevelSet<D>, const D: usize> Region<D> for Sized<S, D> {
    fn bounds(&self) -> Option<Bounds<D>> {
        Some(self.bounds)
    }
    fn volume(&self) -> Option<f64> {
        Some(self.volume)
    }
}

impl Scene {
    /// The region of a shape.
    pub(crate) fn region<const D: usize>(
        &self,
        key: &str,
        shape: &Shape,
    ) -> Result<Arc<dyn Region<D>>, SceneError> {
        let [low, high] = shape.vectors();
        let low: [f64; D] = self.vector(&format!("{key}.{}", low.0), low.1)?;
        let high: [f64; D] = self.vector(&format!("{key}.{}", high.0), high.1)?;
        let refused = |error: BuildError| self.refused(key, error);
        match *shape {
            Shape::Box { .. } => {
                if let Some(axis) = (0..D).find(|&axis| low[axis] >= high[axis]) {
                    let range = format!("above {}, the same component of min", low[axis]);
                    let key = format!("{key}.box.max[{axis}]");
                    return Err(self.number_out_of_range(&key, high[axis], range));
                }
                Ok(Arc::new(Sized {
                    solid: Cuboid::new(low, high).map_err(refused)?,
                    bounds: Bounds {
                        min: low,
                        max: high,
                    },
                    volume: (0..D).map(|a| high[a] - low[a]).product(),
                }))
            }
            Shape::Sphere { radius, .. } => {
                if !(radius > 0.0 && radius.is_finite()) {
                    let key = format!("{key}.sphere.radius");
                    return Err(self.number_out_of_range(&key, radius, "positive and finite"));
                }
                let unit_ball = if D == 2 { 1.0 } else { 4.0 / 3.0 };
                Ok(Arc::new(Sized {
                    solid: Sphere::new(low, radius).map_err(refused)?,
                    bounds: Bounds {
                        min: low.map(|c| c - radius),
                        max: low.map(|c| c + radius),
                    },
                    volume: unit_ball * std::f64::consts::PI * radius.powi(D as i32),
                }))
            }
        }
    }
}

impl Shape {
    /// Vectors of the shape with their keys below `shape`.
    pub(crate) fn vectors(&self) -> [(&'static str, &[f64]); 2] {
        match self {
            Self::Box { min, max } => [("box.min", min), ("box.max", max)],
            Self::Sphere { center, .. } => [("sphere.center", center), ("sphere.center", center)],
        }
    }
}
