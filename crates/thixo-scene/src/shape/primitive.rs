//! The engine's solids with what is known of their extent.

use std::sync::Arc;

use thixo::LevelSet;
use thixo::collide::shape::Surface;

use super::region::{Bounds, Region};

/// A solid of the engine, its bounds and its volume.
#[derive(Clone, Debug)]
pub(crate) struct Primitive<const D: usize> {
    pub solid: Arc<dyn LevelSet<D>>,
    pub bounds: Option<Bounds<D>>,
    pub volume: Option<f64>,
}

impl<const D: usize> LevelSet<D> for Primitive<D> {
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D> {
        self.solid.surface(position, time)
    }
    fn velocity(&self, position: [f64; D], time: f64) -> [f64; D] {
        self.solid.velocity(position, time)
    }
    fn thickness(&self) -> f64 {
        self.solid.thickness()
    }
    fn clearance(&self) -> f64 {
        self.solid.clearance()
    }
}

impl<const D: usize> Region<D> for Primitive<D> {
    fn bounds(&self) -> Option<Bounds<D>> {
        self.bounds
    }
    fn volume(&self) -> Option<f64> {
        self.volume
    }
}
