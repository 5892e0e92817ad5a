//! Damping that brings matter to rest, equation (5a): for states of equilibrium, not for motion.
//!
//! Local damping \[Cundall1987\] reduces the unbalanced force of every node and axis by a fraction
//! α against its velocity, f ← f − α |f| sign(v). It vanishes with the unbalanced force, so that
//! the state of rest is that without damping, and has no time scale: all modes are damped alike, by
//! the factor (1 − α)/(1 + α) of their energy per half
//! cycle.
//!
//! Kinetic damping \[Cundall1976\] lets matter move freely and sets all velocities to zero whenever
//! the kinetic energy has passed a peak: there the forces of a mode vanish. No parameter.
//!
//! Both act in explicit steps, between two times.

use rayon::prelude::*;
use thixo_par::Scalar;

use crate::error::BuildError;
use crate::grid::Grid;
use crate::particles::{Layout, Particles};

/// Damping of all matter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Damping {
    /// Fraction α of the unbalanced force that local damping takes \[–\], from 0 (none) to below 1;
    /// 0.7 to 0.8 is usual.
    pub local: f64,
    /// Velocities are set to zero at peaks of the kinetic energy.
    pub kinetic: bool,
    /// Time at which it begins \[s\].
    pub begin: f64,
    /// Time at which it ends \[s\]; infinite for never.
    pub end: f64,
}

impl Default for Damping {
    fn default() -> Self {
        Self {
            local: 0.0,
            kinetic: false,
            begin: 0.0,
            end: f64::INFINITY,
        }
    }
}

builder! {
    impl Damping {
        with_local(local: f64);
        with_kinetic(kinetic: bool);
        with_begin(begin: f64);
        with_end(end: f64);
    }
}

impl Damping {
    /// Refuses numbers outside their ranges.
    pub fn check(&self) -> Result<(), BuildError> {
        let refuse = |key, quantity, value, range| {
            Err(BuildError::OutOfRange {
                key,
                quantity,
                value,
                range,
            })
        };
        let Self {
            local, begin, end, ..
        } = *self;
        if !(0.0..1.0).contains(&local) {
            return refuse("local", "local damping", local, "at least 0 and below 1");
        }
        if !begin.is_finite() || begin < 0.0 {
            let range = "zero or positive, and finite";
            return refuse("begin", "beginning of the damping [s]", begin, range);
        }
        if end.is_nan() || end <= begin {
            return refuse("end", "end of the damping [s]", end, "after its beginning");
        }
        Ok(())
    }
    /// True if there is any.
    pub fn exists(&self) -> bool {
        self.local > 0.0 || self.kinetic
    }
    /// True if it acts at some time between two \[s\].
    pub(crate) fn acts_within(&self, from: f64, to: f64) -> bool {
        self.exists() && self.begin < to && from < self.end
    }
    /// The fraction α at a time \[s\], where it is above zero.
    pub(crate) fn local_at(&self, time: f64) -> Option<f64> {
        (self.local > 0.0 && self.acts_at(time)).then_some(self.local)
    }
    /// True if velocities are set to zero at peaks of the kinetic energy at a time \[s\].
    pub(crate) fn is_kinetic_at(&self, time: f64) -> bool {
        self.kinetic && self.acts_at(time)
    }
    fn acts_at(&self, time: f64) -> bool {
        self.begin <= time && time < self.end
    }
}

/// Takes the fraction α of the change of velocity in the step from every node, against the velocity
/// that it had before: v ← v − α |v − vⁿ| sign(vⁿ), axis by axis. Walls have acted, so that the
/// change is that of the unbalanced force with their reaction in it.
pub(crate) fn damp<T: Scalar, const D: usize>(fraction: f64, grid: &mut Grid<T, D>) {
    let alpha = T::from_f64(fraction);
    let Some(before) = &grid.before else {
        return;
    };
    let nodes = grid.nodes.values_mut().par_iter_mut().with_min_len(4096);
    nodes.zip(before.values()).for_each(|(after, before)| {
        for a in 0..D {
            let taken = alpha * (after[a] - before[a]).abs();
            if before[a] > T::zero() {
                after[a] -= taken;
            } else if before[a] < T::zero() {
                after[a] += taken;
            }
        }
    });
}

/// Watch for peaks of the kinetic energy, from the beginning of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KineticPeak {
    /// Kinetic energy after the step before \[J\].
    energy: f64,
}

impl KineticPeak {
    /// Sets all velocities to zero if the kinetic energy has fallen in the last step.
    pub fn stop_matter<T: Scalar, const D: usize>(&mut self, particles: &mut Particles<T, D>) {
        let energy = kinetic_energy(particles);
        if energy >= self.energy {
            self.energy = energy;
            return;
        }
        self.energy = 0.0;
        for species in &mut particles.species {
            for slot in 0..species.ids.len() {
                for column in 0..Layout::<D>::STRESS {
                    species.cold.set(slot, column, T::zero());
                }
            }
        }
    }
}

/// Particles whose energies are summed at a time: sums do not depend on the number of threads.
const CHUNK: usize = 4096;

/// Kinetic energy of the particles \[J\].
fn kinetic_energy<T: Scalar, const D: usize>(particles: &Particles<T, D>) -> f64 {
    let mut total = 0.0;
    for species in &particles.species {
        let slots = species.ids.len();
        let sums: Vec<f64> = (0..slots.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let slots = chunk * CHUNK..slots.min((chunk + 1) * CHUNK);
                let energy = |slot| {
                    let squared = species.velocity(slot).norm_squared().to_f64();
                    0.5 * species.mass(slot).to_f64() * squared
                };
                slots.map(energy).sum()
            })
            .collect();
        total += sums.iter().sum::<f64>();
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_their_ranges_are_refused_with_their_key() {
        let key = |damping: Damping| damping.check().unwrap_err().key().unwrap();
        assert_eq!(key(Damping::default().with_local(1.0)), "local");
        assert_eq!(key(Damping::default().with_local(f64::NAN)), "local");
        assert_eq!(key(Damping::default().with_begin(-1.0)), "begin");
        assert_eq!(key(Damping::default().with_end(0.0)), "end");
        assert_eq!(Damping::default().with_local(0.8).check(), Ok(()));
    }

    #[test]
    fn it_acts_between_its_times_only() {
        let damping = Damping::default()
            .with_local(0.5)
            .with_begin(1.0)
            .with_end(2.0);
        let at = [0.5, 1.0, 1.5, 2.0].map(|time| damping.local_at(time));
        assert_eq!(at, [None, Some(0.5), Some(0.5), None]);
        assert!(!damping.acts_within(0.0, 1.0) && damping.acts_within(0.0, 1.1));
        assert!(!damping.acts_within(2.0, 3.0) && damping.acts_within(1.9, 3.0));
        assert!(!damping.is_kinetic_at(1.5) && !Damping::default().exists());
    }
}
