//! The thermal columns of particles.

use thixo_par::Scalar;

use super::enthalpy::ThermalState;
use super::thermal::Phase;
use crate::particles::{HEAT_COLUMNS, Owner, Particles, Species};

/// Places of the thermal columns in the hot table of a species.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeatColumns {
    first: usize,
}

impl HeatColumns {
    /// Those of all species.
    pub fn of<T: Scalar, const D: usize>(particles: &Particles<T, D>) -> Vec<Self> {
        particles.species.iter().map(Self::of_species).collect()
    }
    /// Those of a species.
    pub fn of_species<T: Scalar, const D: usize>(species: &Species<T, D>) -> Self {
        let first = species.schema.hot_columns(Owner::Heat).start;
        Self { first }
    }
    /// T − T_ref of a particle \[K\].
    #[inline]
    pub fn temperature<T: Scalar, const D: usize>(
        &self,
        species: &Species<T, D>,
        slot: usize,
    ) -> T {
        species.hot.get(slot, self.first)
    }
    /// Share of the latent heat that a particle stores \[–\].
    pub fn share<T: Scalar, const D: usize>(&self, species: &Species<T, D>, slot: usize) -> T {
        species.hot.get(slot, self.first + 1)
    }
    /// Phase of a particle.
    #[inline]
    pub fn phase<T: Scalar, const D: usize>(&self, species: &Species<T, D>, slot: usize) -> Phase {
        phase_of(species.hot.get(slot, self.first + 2))
    }
    /// Melting point above the reference \[K\].
    pub fn melting_point<T: Scalar, const D: usize>(
        &self,
        species: &Species<T, D>,
        slot: usize,
    ) -> T {
        species.hot.get(slot, self.first + 3)
    }
    /// State and melting point of a particle.
    pub fn read<T: Scalar, const D: usize>(
        &self,
        species: &Species<T, D>,
        slot: usize,
    ) -> (ThermalState, f64) {
        let state = ThermalState {
            temperature: self.temperature(species, slot).to_f64(),
            share: self.share(species, slot).to_f64(),
            phase: self.phase(species, slot),
        };
        (state, self.melting_point(species, slot).to_f64())
    }
    /// State and melting point of a lane of a group.
    pub fn read_lane<T: Scalar>(&self, group: &[T], lane: usize) -> (ThermalState, f64) {
        let at = |k: usize| group[(self.first + k) * T::LANES + lane];
        let state = ThermalState {
            temperature: at(0).to_f64(),
            share: at(1).to_f64(),
            phase: phase_of(at(2)),
        };
        (state, at(3).to_f64())
    }
    /// Writes the state of a lane of a group.
    pub fn write_lane<T: Scalar>(&self, group: &mut [T], lane: usize, state: ThermalState) {
        let row = row_of(state, 0.0);
        for (k, x) in row.into_iter().take(HEAT_COLUMNS - 1).enumerate() {
            group[(self.first + k) * T::LANES + lane] = T::from_f64(x);
        }
    }
}

/// The columns of a state, in their order.
pub(crate) fn row_of(state: ThermalState, melting_point: f64) -> [f64; HEAT_COLUMNS] {
    let phase = match state.phase {
        Phase::Solid => 0.0,
        Phase::Liquid => 1.0,
    };
    [state.temperature, state.share, phase, melting_point]
}

fn phase_of<T: Scalar>(number: T) -> Phase {
    match number > T::from_f64(0.5) {
        true => Phase::Liquid,
        false => Phase::Solid,
    }
}
