//! The state to which a frame, or an implicit step, goes back when it is not accepted.

use thixo_par::Scalar;

use crate::grid::BlockOrder;
use crate::particles::{Columns, Particles};
use crate::state::State;
use crate::workspace::Workspace;

/// A copy of the state, and of the order that its particles have.
#[derive(Debug)]
pub(super) struct Snapshot<T: Scalar, const D: usize> {
    /// Without cold columns.
    state: State<T, D>,
    /// Cold columns, once they are known: copied, or left over by the fused path, which does
    /// without them.
    cold: Option<Vec<Columns<T>>>,
    order: BlockOrder<D>,
    drift: f64,
}

impl<T: Scalar, const D: usize> Snapshot<T, D> {
    /// Copies the state but for the cold columns.
    pub fn of(state: &State<T, D>, work: &Workspace<T, D>) -> Self {
        Self {
            state: state.copied_without_cold(),
            cold: None,
            order: work.order.clone(),
            drift: work.drift,
        }
    }
    /// Copies the cold columns, if they are not there yet.
    pub fn copy_cold(&mut self, particles: &Particles<T, D>) {
        let species = particles.species.iter();
        self.cold
            .get_or_insert_with(|| species.map(|s| s.cold.copied()).collect());
    }
    /// Keeps the cold columns that the fused path does not need any more.
    pub fn keep_cold(&mut self, cold: Vec<Columns<T>>) {
        self.cold = Some(cold);
    }
    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }
    /// Puts the state back.
    pub fn restore(&self, state: &mut State<T, D>, work: &mut Workspace<T, D>) {
        state.restore_without_cold(&self.state);
        // Unknown columns have not been touched by any step.
        if let Some(cold) = &self.cold {
            for (cold, species) in cold.iter().zip(&mut state.particles.species) {
                species.cold.clone_from(cold);
            }
        }
        work.order.clone_from(&self.order);
        work.drift = self.drift;
        work.grid.resize(&work.order);
    }
}
