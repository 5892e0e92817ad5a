//! The state to which a frame goes back when one of its steps is not accepted.

use thixo_par::Scalar;

use crate::force::LoadedSurface;
use crate::particles::{Order, Particles};
use crate::simulation::{Pace, Simulation};

/// Everything of a simulation that steps change.
#[derive(Clone, Debug)]
pub(super) struct Snapshot<T: Scalar, const D: usize> {
    particles: Particles<T, D>,
    order: Order<D>,
    loads: Vec<LoadedSurface<D>>,
    /// Simulated time \[s\].
    pub time: f64,
    pace: Pace<T>,
}

impl<T: Scalar, const D: usize> Snapshot<T, D> {
    /// Copies the state.
    pub fn of(sim: &Simulation<T, D>) -> Self {
        Self {
            particles: sim.particles.clone(),
            order: sim.order.clone(),
            loads: sim.loads.clone(),
            time: sim.time,
            pace: sim.pace,
        }
    }
    /// Puts the state back.
    pub fn restore(&self, sim: &mut Simulation<T, D>) {
        let copy = self.clone();
        sim.particles = copy.particles;
        sim.order = copy.order;
        sim.loads = copy.loads;
        sim.time = copy.time;
        sim.pace = copy.pace;
        sim.grid.resize(&sim.order);
    }
}
