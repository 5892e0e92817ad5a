//! The state of a simulation: everything that a resumed run needs, and nothing else.

mod insert;

pub(crate) use insert::InsertRules;
pub use insert::Insertion;

use thixo_par::Scalar;

use crate::force::LoadedSurface;
use crate::particles::Particles;
use crate::timestep::TimeStepState;

/// Matter, loads, time, and what the choice of time steps remembers.
///
/// A snapshot is a copy of it, a [checkpoint](crate::checkpoint) its bytes. Who adds a part is led by the compiler to every
/// place that must know of it.
#[derive(Debug)]
pub(crate) struct State<T, const D: usize> {
    /// Matter.
    pub particles: Particles<T, D>,
    /// Surfaces under load, which move with the matter.
    pub loads: Vec<LoadedSurface<D>>,
    /// Simulated time \[s\].
    pub time: f64,
    /// What the choice of the next time step remembers.
    pub time_step: TimeStepState<T>,
}

impl<T: Scalar, const D: usize> State<T, D> {
    /// At time 0.
    pub fn new(particles: Particles<T, D>, loads: Vec<LoadedSurface<D>>) -> Self {
        Self {
            particles,
            loads,
            time: 0.0,
            time_step: TimeStepState::default(),
        }
    }
    /// A copy but for the cold columns, which the fused path leaves to whoever keeps the copy.
    pub fn copied_without_cold(&self) -> Self {
        let Self {
            particles,
            loads,
            time,
            time_step,
        } = self;
        Self {
            particles: particles.copied_without_cold(),
            loads: loads.clone(),
            time: *time,
            time_step: *time_step,
        }
    }
    /// Becomes what a copy without cold columns was made of; cold columns stay as they are.
    pub fn restore_without_cold(&mut self, copy: &Self) {
        let Self {
            particles,
            loads,
            time,
            time_step,
        } = copy;
        self.particles.restore_without_cold(particles);
        self.loads.clone_from(loads);
        self.time = *time;
        self.time_step = *time_step;
    }
}
