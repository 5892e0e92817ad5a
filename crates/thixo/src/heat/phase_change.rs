//! Heat back to the particles, their change of phase, and what it does to their mechanics:
//! equations (53)–(55).
//!
//! θ_p' = β (θ_p + Σ_c w_cp Δθ_c) + (1 − β) Σ_c w_cp θ_c' (errata E24: of the end of the step), and
//! m_p c_p (θ_p' − θ_p) goes into the enthalpy. Matter that changes phase gets the parameters of
//! the new one, and loses its shear strain: F = J^{1/d} I. Its energy of volume does not depend on
//! the phase, so that freezing stores no energy. Elastic liquids, which would remember how they
//! have flowed, lose it in every step.

use rayon::prelude::*;
use thixo_math::Matrix;
use thixo_par::Scalar;

use super::columns::HeatColumns;
use super::setup::Heat;
use super::thermal::{Phase, PhaseParameters};
use crate::material::{Material, Strain};
use crate::particles::{Layout, PADDING, Particles, Species};

/// Change and value of the temperature that a particle reads from the grid \[K\].
pub(super) type Read<T> = [T; 2];

/// Gives every particle what it has read; returns for each species whether some particle has
/// changed its phase.
pub(super) fn take_up<T: Scalar, const D: usize>(
    heat: &Heat<D>,
    flip: f64,
    particles: &mut Particles<T, D>,
    materials: &[Box<dyn Material<T, D>>],
    read: &[Vec<Read<T>>],
) -> Vec<bool> {
    let species = particles.species.iter_mut().zip(materials).zip(read);
    species
        .enumerate()
        .map(|(index, ((species, law), read))| {
            let update = Update {
                heat,
                material: index,
                flip,
                columns: HeatColumns::of_species(species),
                law: law.as_ref(),
            };
            update.species(species, read)
        })
        .collect()
}

/// Update of the particles of a material.
struct Update<'a, T: Scalar, const D: usize> {
    heat: &'a Heat<D>,
    material: usize,
    flip: f64,
    columns: HeatColumns,
    law: &'a dyn Material<T, D>,
}

impl<T: Scalar, const D: usize> Update<'_, T, D> {
    fn species(&self, species: &mut Species<T, D>, read: &[Read<T>]) -> bool {
        let stride = species.hot.stride();
        let ids = species.ids.par_chunks(T::LANES);
        let groups = species.hot.data_mut().par_chunks_mut(stride);
        groups
            .zip(ids)
            .zip(read.par_chunks(T::LANES))
            .map(|((group, ids), read)| {
                let mut changed = false;
                for (lane, _) in ids.iter().enumerate().filter(|(_, id)| **id != PADDING) {
                    changed |= self.particle(group, lane, read[lane]);
                }
                changed
            })
            .reduce(|| false, |a, b| a || b)
    }
    /// Updates a lane of a group; returns true if the phase has changed.
    fn particle(&self, group: &mut [T], lane: usize, [change, value]: Read<T>) -> bool {
        let thermal = &self.heat.materials[self.material];
        let (state, melting_point) = self.columns.read_lane(group, lane);
        let flip = self.flip;
        let warmer = flip * change.to_f64() + (1.0 - flip) * (value.to_f64() - state.temperature);
        let heat = thermal.of(state.phase).capacity * warmer;
        let after = thermal.heated(state, melting_point, heat);
        self.columns.write_lane(group, lane, after);
        let mechanics = thermal.melting.as_ref().and_then(|m| m.mechanics.as_ref());
        let changed = after.phase != state.phase;
        if let Some(mechanics) = mechanics {
            let flows = after.phase == Phase::Liquid
                && self.law.state_layout().strain == Strain::FingerAndRotation;
            if changed {
                self.change_phase(group, lane, (mechanics, after.phase));
            } else if flows {
                self.clear_shear(group, lane);
            }
        }
        changed
    }
    fn read_state(&self, group: &[T], lane: usize) -> Vec<f64> {
        let columns = Layout::<D>::STATE..Layout::<D>::STATE + self.law.state_columns();
        columns
            .map(|column| group[column * T::LANES + lane].to_f64())
            .collect()
    }
    fn write_state(&self, group: &mut [T], lane: usize, state: &[f64]) {
        for (k, &x) in state.iter().enumerate() {
            group[(Layout::<D>::STATE + k) * T::LANES + lane] = T::from_f64(x);
        }
    }
    /// The state of matter with the parameters of its new phase and no shear.
    fn change_phase(
        &self,
        group: &mut [T],
        lane: usize,
        (mechanics, phase): (&PhaseParameters, Phase),
    ) {
        let before = self.read_state(group, lane);
        let ratio = self.law.volume_ratio(&before);
        let f = Matrix::<f64, D>::identity() * ratio.powf(1.0 / D as f64);
        let state = self.law.state(&f, Some(mechanics.of(phase)));
        self.write_state(group, lane, &state);
    }
    /// The same without a change of parameters.
    fn clear_shear(&self, group: &mut [T], lane: usize) {
        let mut state = self.read_state(group, lane);
        let ratio = self.law.volume_ratio(&state);
        self.law.state_layout().clear_shear::<D>(&mut state, ratio);
        self.write_state(group, lane, &state);
    }
}
