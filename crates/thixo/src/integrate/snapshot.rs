//! The state to which a frame goes back when one of its steps is not accepted.

use thixo_par::Scalar;

use crate::force::LoadedSurface;
use crate::particles::{Columns, Order, Particles};
use crate::simulation::{Pace, Simulation};

/// Everything of a simulation that steps change.
#[derive(Debug)]
pub(super) struct Snapshot<T: Scalar, const D: usize> {
    /// Hot columns and identifiers of each material.
    hot: Vec<(Columns<T>, Vec<u32>)>,
    /// Cold columns, once they are known: copied, or left over by the fused path, which does without them.
    cold: Option<Vec<Columns<T>>>,
    order: Order<D>,
    loads: Vec<LoadedSurface<D>>,
    /// Simulated time \[s\].
    pub time: f64,
    pace: Pace<T>,
}

impl<T: Scalar, const D: usize> Snapshot<T, D> {
    /// Copies the state but for the cold columns.
    pub fn of(sim: &Simulation<T, D>) -> Self {
        let species = sim.particles.species.iter();
        Self {
            hot: species.map(|s| (s.hot.copied(), s.ids.clone())).collect(),
            cold: None,
            order: sim.order.clone(),
            loads: sim.loads.clone(),
            time: sim.time,
            pace: sim.pace,
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
    /// Puts the state back.
    pub fn restore(&self, sim: &mut Simulation<T, D>) {
        let kept = self.hot.iter().zip(&mut sim.particles.species);
        for ((hot, ids), species) in kept {
            species.hot.clone_from(hot);
            species.ids.clone_from(ids);
        }
        // Where they are not known, no step has touched them.
        if let Some(cold) = &self.cold {
            for (cold, species) in cold.iter().zip(&mut sim.particles.species) {
                species.cold.clone_from(cold);
            }
        }
        sim.order.clone_from(&self.order);
        sim.loads.clone_from(&self.loads);
        sim.time = self.time;
        sim.pace = self.pace;
        sim.grid.resize(&sim.order);
    }
}
