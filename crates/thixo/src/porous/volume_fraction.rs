//! Shares of space that phases fill, and how wet a solid is, equation (74).

use rayon::prelude::*;
use thixo_par::Scalar;

use super::drag::LEAST_POROSITY;
use super::phase::CheckedMixture;
use crate::collide;
use crate::grid::{Field, MASS, PhaseFields};
use crate::step_context::StepContext;

/// Measure φ of how wet a solid is, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wetness {
    /// Share of the pores that is filled, φ_f/(1 − φ_s): 0 in dry matter, 1 in saturated one.
    #[default]
    Saturation,
    /// Share of the volume of both, φ_f/(φ_f + φ_s), after \[Nilles2020\] below eq. (102).
    Density,
    /// 1 where there is matter of both phases, else 0, \[Nilles2020\] eq. (106).
    Presence,
}

/// The wetness of particles, kept as a carried quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct WetnessColumn {
    /// Name of the [carried](crate::Carried) quantity that holds it.
    pub name: String,
    /// Measure of it.
    pub measure: Wetness,
}

impl Wetness {
    /// φ at a node from the shares of space of fluids and solids.
    fn at(self, fluid: f64, solid: f64) -> f64 {
        match self {
            Self::Saturation => (fluid / (1.0 - solid).max(LEAST_POROSITY)).min(1.0),
            Self::Density if fluid > 0.0 => fluid / (fluid + solid),
            Self::Density => 0.0,
            Self::Presence => f64::from(fluid > 0.0 && solid > 0.0),
        }
    }
}

/// Shares of space of all phases at the nodes, m/(ρ̂ hᵈ), continued behind walls by their mirror
/// image.
pub(crate) fn fill_shares<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    phases: &mut [PhaseFields<T, D>],
    step: &StepContext<'_, D>,
) {
    let cell = step.geometry.spacing().powi(D as i32);
    for (index, fields) in phases.iter_mut().enumerate() {
        let uniform = mixture.mixture.phases[index].uniform_substance();
        let PhaseFields {
            grid,
            share,
            substance,
            ..
        } = fields;
        share.resize(step.order);
        let (nodes, substance) = (grid.nodes.values(), substance.values());
        share.blocks_mut().for_each(|(block, share)| {
            let first = block * share.len();
            for (k, share) in share.iter_mut().enumerate() {
                let mass = nodes[first + k][MASS];
                let density = uniform.unwrap_or_else(|| substance[first + k][0].to_f64());
                share[0] = match mass > T::zero() {
                    true => mass * T::from_f64(1.0 / (density * cell)),
                    false => T::zero(),
                };
            }
        });
        collide::mirror(&mixture.walls[index], share, step);
    }
}

/// Writes to the masses of `medium` the share of space that solids take, for the particles of a
/// fluid.
pub(crate) fn solid_share<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    phases: &[PhaseFields<T, D>],
    medium: &mut Field<T, 4>,
    step: &StepContext<'_, D>,
) {
    medium.resize(step.order);
    medium.blocks_mut().for_each(|(block, nodes)| {
        let first = block * nodes.len();
        for (k, node) in nodes.iter_mut().enumerate() {
            *node = [T::zero(); 4];
            for solid in mixture.solids() {
                node[MASS] += phases[solid].share.values()[first + k][0];
            }
        }
    });
}

/// Adds to `medium` the flux φ_s v_s of the solids, whose velocities are those at the end of the
/// step.
pub(crate) fn solid_flux<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    phases: &[PhaseFields<T, D>],
    medium: &mut Field<T, 4>,
) {
    medium.blocks_mut().for_each(|(block, nodes)| {
        let first = block * nodes.len();
        for (k, node) in nodes.iter_mut().enumerate() {
            for solid in mixture.solids() {
                let share = phases[solid].share.values()[first + k][0];
                let velocity = phases[solid].grid.nodes.values()[first + k];
                for a in 0..D {
                    node[a] += share * velocity[a];
                }
            }
        }
    });
}

/// Writes the wetness to the masses of `medium`; zero without a measure.
pub(crate) fn wetness<T: Scalar, const D: usize>(
    (mixture, measure): (&CheckedMixture<D>, Option<Wetness>),
    phases: &[PhaseFields<T, D>],
    medium: &mut Field<T, 4>,
    step: &StepContext<'_, D>,
) {
    medium.resize(step.order);
    medium.blocks_mut().for_each(|(block, nodes)| {
        let first = block * nodes.len();
        for (k, node) in nodes.iter_mut().enumerate() {
            let share = |phase: usize| phases[phase].share.values()[first + k][0].to_f64();
            let fluid: f64 = mixture.fluids().map(share).sum();
            let solid: f64 = mixture.solids().map(share).sum();
            *node = [T::zero(); 4];
            let wetness = measure.map_or(0.0, |measure| measure.at(fluid, solid));
            node[MASS] = T::from_f64(wetness);
        }
    });
}

/// The factor by which a fluid that shares the space of a solid stiffens the mixture at most:
/// 1 + φ_s ρ̂_f/(φ_f ρ̂_s).
pub(crate) fn stiffening<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    phases: &[PhaseFields<T, D>],
) -> f64 {
    let mut factor: f64 = 1.0;
    for coupling in &mixture.mixture.couplings {
        let [fluid, solid] = [coupling.fluid, coupling.solid].map(|k| &phases[k]);
        let masses = fluid.grid.nodes.values().par_iter();
        let nodes = masses
            .zip(solid.grid.nodes.values())
            .zip(solid.share.values());
        let most = nodes.map(|((f, s), share)| {
            if f[MASS] <= T::zero() || s[MASS] <= T::zero() {
                return 1.0;
            }
            let share = share[0].to_f64();
            let room = (1.0 - share).max(LEAST_POROSITY);
            1.0 + share / room * mixture.density_ratio(coupling)
        });
        factor = factor.max(most.reduce(|| 1.0, f64::max));
    }
    factor
}
