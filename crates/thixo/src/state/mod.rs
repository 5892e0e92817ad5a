//! The state of a simulation: everything that a resumed run needs, and nothing else.

mod insert;

pub(crate) use insert::InsertRules;
pub use insert::Insertion;

use thixo_par::Scalar;

use crate::collide::ContactImpulses;
use crate::force::LoadedSurface;
use crate::heat::HeatState;
use crate::particles::Particles;
use crate::timestep::TimeStepState;

/// Matter, loads, time, and the state of the choice of time steps.
///
/// A snapshot is a copy of it, a [checkpoint](crate::checkpoint) its bytes. Functions over the
/// state destructure it exhaustively, so that the compiler points to each of them when a field is
/// added.
#[derive(Debug)]
pub(crate) struct State<T, const D: usize> {
    /// Particles of all materials.
    pub particles: Particles<T, D>,
    /// Surfaces under load, which move with the matter.
    pub loads: Vec<LoadedSurface<D>>,
    /// Impulses of walls and obstacles on the matter since the start.
    pub contact_impulses: ContactImpulses<D>,
    /// Heat that came in, and what the choice of its steps remembers.
    pub heat: HeatState,
    /// Simulated time \[s\].
    pub time: f64,
    /// State of the choice of the next time step.
    pub time_step: TimeStepState<T>,
}

impl<T: Scalar, const D: usize> State<T, D> {
    /// The state at time 0.
    pub fn new(
        particles: Particles<T, D>,
        loads: Vec<LoadedSurface<D>>,
        contact_impulses: ContactImpulses<D>,
    ) -> Self {
        Self {
            particles,
            loads,
            contact_impulses,
            heat: HeatState::default(),
            time: 0.0,
            time_step: TimeStepState::default(),
        }
    }
    /// A copy without the cold columns, which the fused path leaves to the owner of the copy.
    pub fn copied_without_cold(&self) -> Self {
        let Self {
            particles,
            loads,
            contact_impulses,
            heat,
            time,
            time_step,
        } = self;
        Self {
            particles: particles.copied_without_cold(),
            loads: loads.clone(),
            contact_impulses: contact_impulses.clone(),
            heat: *heat,
            time: *time,
            time_step: *time_step,
        }
    }
    /// Restores the state of a copy without cold columns; cold columns are unchanged.
    pub fn restore_without_cold(&mut self, copy: &Self) {
        let Self {
            particles,
            loads,
            contact_impulses,
            heat,
            time,
            time_step,
        } = copy;
        self.particles.restore_without_cold(particles);
        self.loads.clone_from(loads);
        self.contact_impulses.clone_from(contact_impulses);
        self.heat = *heat;
        self.time = *time;
        self.time_step = *time_step;
    }
}
