//! The heat budget, equation (56): Σ m h of the particles is what they had at the start and what
//! came in through surfaces and from sources.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::columns::HeatColumns;
use super::setup::Heat;
use super::thermal::Phase;
use crate::particles::{PADDING, Particles};

/// Heat that the matter has received since the start \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Received {
    /// From walls.
    pub walls: f64,
    /// From obstacles.
    pub colliders: f64,
    /// From the air.
    pub air: f64,
    /// From sources.
    pub sources: f64,
}

impl Received {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.walls + self.colliders + self.air + self.sources
    }
    pub(super) fn add(&mut self, other: &Self) {
        let Self {
            walls,
            colliders,
            air,
            sources,
        } = other;
        self.walls += walls;
        self.colliders += colliders;
        self.air += air;
        self.sources += sources;
    }
}

/// Heat of the matter. SI units; per metre of thickness in 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HeatBudget {
    /// Enthalpy Σ [m c (T − T_m) + U] above the solid at its melting point, or above the reference
    /// temperature for matter that does not melt \[J\].
    pub enthalpy: f64,
    /// Of that the stored latent heat Σ U \[J\].
    pub latent: f64,
    /// Mass of the liquid \[kg\].
    pub liquid_mass: f64,
    /// Least temperature \[K\]; the reference without particles.
    pub coldest: f64,
    /// Largest temperature \[K\]; the reference without particles.
    pub hottest: f64,
    /// Heat received since the start.
    pub received: Received,
}

/// Sums over particles.
#[derive(Clone, Copy)]
struct Sums {
    enthalpy: f64,
    latent: f64,
    liquid_mass: f64,
    extremes: [f64; 2],
}

/// Particles that are summed by one thread.
const CHUNK: usize = 4096;

/// The budget of particles that have received some heat.
pub(crate) fn budget<T: Scalar, const D: usize>(
    heat: &Heat<D>,
    particles: &Particles<T, D>,
    received: Received,
) -> HeatBudget {
    let mut total = Sums {
        enthalpy: 0.0,
        latent: 0.0,
        liquid_mass: 0.0,
        extremes: [f64::INFINITY, f64::NEG_INFINITY],
    };
    let none = total;
    for (species, thermal) in particles.species.iter().zip(&heat.materials) {
        let columns = HeatColumns::of_species(species);
        let latent = thermal.melting.as_ref().map_or(0.0, |m| m.latent_heat);
        let chunks: Vec<Sums> = species
            .ids
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, ids)| {
                let mut sums = none;
                for (lane, _) in ids.iter().enumerate().filter(|(_, id)| **id != PADDING) {
                    let slot = chunk * CHUNK + lane;
                    let (state, melting_point) = columns.read(species, slot);
                    let m = species.mass(slot).to_f64();
                    sums.enthalpy += m * thermal.enthalpy(state, melting_point);
                    sums.latent += m * latent * state.share;
                    if state.phase == Phase::Liquid {
                        sums.liquid_mass += m;
                    }
                    sums.extremes[0] = sums.extremes[0].min(state.temperature);
                    sums.extremes[1] = sums.extremes[1].max(state.temperature);
                }
                sums
            })
            .collect();
        for sums in chunks {
            total.enthalpy += sums.enthalpy;
            total.latent += sums.latent;
            total.liquid_mass += sums.liquid_mass;
            total.extremes[0] = total.extremes[0].min(sums.extremes[0]);
            total.extremes[1] = total.extremes[1].max(sums.extremes[1]);
        }
    }
    if particles.is_empty() {
        total.extremes = [0.0; 2];
    }
    HeatBudget {
        enthalpy: total.enthalpy,
        latent: total.latent,
        liquid_mass: total.liquid_mass,
        coldest: heat.reference + total.extremes[0],
        hottest: heat.reference + total.extremes[1],
        received,
    }
}
