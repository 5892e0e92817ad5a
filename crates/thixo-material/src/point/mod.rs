//! A single material point under prescribed deformation: the response of a law, without grid
//! and particles around it.
//!
//! A test is a list of [`Stage`]s, each a [`Motion`] for some time; [`drive`] runs it and returns
//! a [`Record`] of the beginning and of every step. Motions prescribe the velocity gradient;
//! where a normal stress is prescribed instead of a rate, that rate is found in every step so that
//! the stress has its value at the end of the step.
//!
//! ```
//! use thixo_material::plastic::VonMises;
//! use thixo_material::point::{Motion, Stage, drive, write_csv};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clay = VonMises::new(1.0e5, 0.3, 500.0)?;
//! // Sheared by 1 % in a second, then held for another.
//! let test = [
//!     Stage::new(Motion::shear(0.01), 1.0, 100),
//!     Stage::new(Motion::Rest, 1.0, 10),
//! ];
//! let records = drive::<_, 2>(&clay, &test)?;
//! assert_eq!(records.len(), 111);
//! let mut table = Vec::new();
//! write_csv(&records, &mut table)?;
//! # Ok(())
//! # }
//! ```

#![allow(non_snake_case)]

mod motion;
mod specimen;
mod table;

pub use motion::{Motion, Normal, Stage};
pub use specimen::{Specimen, Testable};
pub use table::write_csv;

use thiserror::Error;
use thixo_math::Matrix;

use super::{Constitutive, MAX_STATE, Model, State, positive_increment};

/// A test that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PointError {
    /// A stage without time, steps or a finite rate.
    #[error(
        "a stage lasts {duration} s in {steps} steps at the rate {rate} 1/s; its duration must be positive, its rate finite, and there must be a step"
    )]
    Stage {
        /// Its duration \[s\].
        duration: f64,
        /// Its steps.
        steps: usize,
        /// Its rate \[1/s\].
        rate: f64,
    },
    /// A stress that the material cannot bear.
    #[error(
        "at t = {time:.6e} s the material cannot bear the normal stress {target} Pa; the nearest found is {reached} Pa"
    )]
    Unreachable {
        /// Simulated time \[s\].
        time: f64,
        /// Prescribed stress \[Pa\].
        target: f64,
        /// Stress that was reached \[Pa\].
        reached: f64,
    },
    /// A stress that is infinite or not a number.
    #[error(
        "at t = {time:.6e} s the stress became infinite or not a number (volume ratio {volume_ratio:e}); \
         strain less, or in more steps"
    )]
    NonFinite {
        /// Simulated time \[s\].
        time: f64,
        /// Volume ratio J \[–\].
        volume_ratio: f64,
    },
}

/// Strain, stress and state of a material point at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<const D: usize> {
    /// Time \[s\].
    pub time: f64,
    /// Total deformation gradient F \[–\].
    pub deformation_gradient: Matrix<f64, D>,
    /// Velocity gradient of the step that led here \[1/s\].
    pub velocity_gradient: Matrix<f64, D>,
    /// Kirchhoff stress τ = Jσ \[Pa\].
    pub kirchhoff_stress: Matrix<f64, D>,
    /// Cauchy stress σ \[Pa\].
    pub cauchy_stress: Matrix<f64, D>,
    /// Volume ratio J = V/V⁰ with its plastic part, as the law defines it \[–\].
    pub volume_ratio: f64,
    /// Energy density ψ per rest volume \[J/m³\]; none where the law has no potential.
    pub energy_density: Option<f64>,
    /// Columns of the law's state, history variables last.
    pub state: Vec<f64>,
}

type StateOf<C, const D: usize> = <<C as Constitutive>::Model<f64> as Model<f64>>::State<D>;

/// One point of a material, deformed step by step.
#[derive(Clone)]
pub struct MaterialPoint<C: Constitutive, const D: usize> {
    model: C::Model<f64>,
    state: StateOf<C, D>,
    time: f64,
    deformation_gradient: Matrix<f64, D>,
    velocity_gradient: Matrix<f64, D>,
    kirchhoff_stress: Matrix<f64, D>,
}

impl<C: Constitutive, const D: usize> MaterialPoint<C, D> {
    /// A point at rest.
    pub fn new(law: &C) -> Self {
        Self::deformed(law, Matrix::identity())
    }
    /// A point that enters with a deformation gradient.
    pub fn deformed(law: &C, deformation_gradient: Matrix<f64, D>) -> Self {
        let model = law.uniform_model::<f64>();
        let state = model.initial_state(&deformation_gradient);
        Self {
            model,
            state,
            time: 0.0,
            deformation_gradient,
            velocity_gradient: Matrix::zero(),
            kirchhoff_stress: model.kirchhoff_stress(&state, &Matrix::zero()),
        }
    }
    /// One step of Δt \[s\] with a velocity gradient \[1/s\], as a particle takes it:
    /// equations (11)–(13).
    pub fn step(&mut self, velocity_gradient: &Matrix<f64, D>, dt: f64) {
        let increment = *velocity_gradient * dt;
        let before = self.deformation_gradient;
        self.deformation_gradient += positive_increment(&increment) * before;
        self.model.advance(&mut self.state, &increment, dt);
        self.kirchhoff_stress = self.model.respond(&mut self.state, velocity_gradient, dt);
        self.velocity_gradient = *velocity_gradient;
        self.time += dt;
    }
    /// Volume ratio J = V/V⁰ with its plastic part \[–\].
    pub fn volume_ratio(&self) -> f64 {
        self.model.volume_ratio(&self.state)
    }
    /// Cauchy stress τ/J \[Pa\].
    pub fn cauchy_stress(&self) -> Matrix<f64, D> {
        self.kirchhoff_stress * (1.0 / self.volume_ratio())
    }
    /// The modulus that limits the time step \[Pa\].
    pub fn stiffness(&self) -> f64 {
        self.model.stiffness(&self.state)
    }
    /// Record of the present state.
    pub fn record(&self) -> Record<D> {
        let mut columns = [0.0; MAX_STATE];
        self.state.store(&mut columns);
        Record {
            time: self.time,
            deformation_gradient: self.deformation_gradient,
            velocity_gradient: self.velocity_gradient,
            kirchhoff_stress: self.kirchhoff_stress,
            cauchy_stress: self.cauchy_stress(),
            volume_ratio: self.volume_ratio(),
            energy_density: self.model.energy_density(&self.state),
            state: columns[..StateOf::<C, D>::COLUMNS].to_vec(),
        }
    }
    /// The point after a step of a motion with a rate for its free axes.
    fn stepped(&self, motion: &Motion, free: f64, dt: f64) -> Self {
        let mut point = self.clone();
        point.step(&motion.velocity_gradient(free, dt), dt);
        point
    }
    /// One step of a motion; `free` is the rate of the axes with prescribed stress, a guess at
    /// first and the result after.
    fn step_motion(&mut self, motion: &Motion, free: &mut f64, dt: f64) -> Result<(), PointError> {
        if let Some(target) = motion.target() {
            *free = self.solve_free_rate(motion, target, *free, dt)?;
        }
        *self = self.stepped(motion, *free, dt);
        Ok(())
    }
    /// The rate at which the second axis bears the target stress after the step: bracketing,
    /// then the Illinois method.
    fn solve_free_rate(
        &self,
        motion: &Motion,
        target: f64,
        guess: f64,
        dt: f64,
    ) -> Result<f64, PointError> {
        let excess = |free: f64| self.stepped(motion, free, dt).cauchy_stress()[1][1] - target;
        let tolerance = 1e-12 * (self.stiffness() + target.abs());
        let mut width = 0.1 * motion.rate().abs() + 1e-6 / dt;
        let (mut low, mut high) = (guess - width, guess + width);
        let (mut at_low, mut at_high) = (excess(low), excess(high));
        // Stress grows with stretch: widen downwards while there is too much, upwards while
        // there is too little.
        while at_low > 0.0 || at_high < 0.0 || !(at_low - at_high).is_finite() {
            if width * dt >= 0.3 {
                let reached = target + if at_low > 0.0 { at_low } else { at_high };
                return Err(PointError::Unreachable {
                    time: self.time,
                    target,
                    reached,
                });
            }
            width *= 2.0;
            if at_low > 0.0 {
                (high, at_high) = (low, at_low);
                low -= width;
                at_low = excess(low);
            } else {
                (low, at_low) = (high, at_high);
                high += width;
                at_high = excess(high);
            }
        }
        for _ in 0..100 {
            let middle = if at_high > at_low {
                (low * at_high - high * at_low) / (at_high - at_low)
            } else {
                0.5 * (low + high)
            };
            let at_middle = excess(middle);
            if at_middle.abs() <= tolerance || (high - low).abs() * dt < 1e-15 {
                return Ok(middle);
            }
            if at_middle > 0.0 {
                (high, at_high) = (middle, at_middle);
                at_low *= 0.5;
            } else {
                (low, at_low) = (middle, at_middle);
                at_high *= 0.5;
            }
        }
        Ok(0.5 * (low + high))
    }
}

/// Runs a test on a point at rest: one record of the beginning and one of every step.
pub fn drive<C: Constitutive, const D: usize>(
    law: &C,
    stages: &[Stage],
) -> Result<Vec<Record<D>>, PointError> {
    let mut point = MaterialPoint::new(law);
    let mut records = vec![point.record()];
    for stage in stages {
        let Stage {
            motion,
            duration,
            steps,
        } = *stage;
        let rate = motion.rate();
        if !(duration > 0.0 && duration.is_finite() && steps > 0 && rate.is_finite()) {
            return Err(PointError::Stage {
                duration,
                steps,
                rate,
            });
        }
        let dt = duration / steps as f64;
        let mut free = 0.0;
        for _ in 0..steps {
            point.step_motion(&motion, &mut free, dt)?;
            let record = point.record();
            let stresses = record.cauchy_stress.0.iter().flatten();
            if !stresses.map(|s| s.abs()).sum::<f64>().is_finite() {
                let (time, volume_ratio) = (record.time, record.volume_ratio);
                return Err(PointError::NonFinite { time, volume_ratio });
            }
            records.push(record);
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::NeoHookean;
    use crate::fluid::{PressureLaw, WeaklyCompressible};

    fn rubber() -> NeoHookean {
        NeoHookean::from_young_poisson(1.0e4, 0.3).unwrap()
    }

    #[test]
    fn motions_have_the_strain_they_say() {
        for (motion, expected) in [
            (Motion::uniaxial(0.2), [0.2, 0.0, 0.0]),
            (Motion::uniaxial(-0.2), [-0.2, 0.0, 0.0]),
            (Motion::Planar { rate: 0.2 }, [0.2, -0.2, 0.0]),
            (Motion::Isotropic { rate: -0.1 }, [-0.1, -0.1, -0.1]),
            (Motion::Rest, [0.0; 3]),
        ] {
            let records = drive::<_, 3>(&rubber(), &[Stage::new(motion, 1.0, 7)]).unwrap();
            let F = records[7].deformation_gradient;
            for i in 0..3 {
                assert!((F[i][i].ln() - expected[i]).abs() < 1e-13, "{motion:?}");
            }
        }
        let records = drive::<_, 2>(&rubber(), &[Stage::new(Motion::shear(2.0), 1.0, 10)]).unwrap();
        assert!((records[10].deformation_gradient[0][1] - 2.0).abs() < 1e-13);
        // Simple shear of a neo-Hookean solid: τ_xy = μ γ.
        let mu = 1.0e4 / 2.6;
        assert!((records[10].kirchhoff_stress[0][1] / (2.0 * mu) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn prescribed_stress_is_met() {
        let pull = Motion::Uniaxial {
            rate: 1e-3,
            lateral: Normal::Stress(0.0),
        };
        let records = drive::<_, 3>(&rubber(), &[Stage::new(pull, 1.0, 10)]).unwrap();
        let last = &records[10];
        assert!(last.cauchy_stress[1][1].abs() < 1e-6 && last.cauchy_stress[2][2].abs() < 1e-6);
        // Small strain: Young's modulus and Poisson's ratio.
        assert!((last.cauchy_stress[0][0] / 10.0 - 1.0).abs() < 2e-3);
        assert!((last.deformation_gradient[1][1].ln() / -3e-4 - 1.0).abs() < 2e-3);
    }

    #[test]
    fn impossible_tests_are_refused() {
        let nothing = Stage::new(Motion::Rest, 1.0, 0);
        let backwards = Stage::new(Motion::Rest, -1.0, 1);
        let wild = Stage::new(Motion::shear(f64::NAN), 1.0, 1);
        for stage in [nothing, backwards, wild] {
            let error = drive::<_, 2>(&rubber(), &[stage]).unwrap_err();
            assert!(matches!(error, PointError::Stage { .. }));
        }
        // Squeezed to nothing: the pressure of water is beyond all numbers.
        let water =
            WeaklyCompressible::new(1.0e4, 0.0, PressureLaw::Tait { exponent: 100.0 }).unwrap();
        let squeeze = Stage::new(Motion::Isotropic { rate: -100.0 }, 1.0, 20);
        let error = drive::<_, 3>(&water, &[squeeze]).unwrap_err();
        assert!(matches!(error, PointError::NonFinite { .. }), "{error}");
        // A fluid with K = 10 kPa has no tension of 1 MPa to offer.
        let water =
            WeaklyCompressible::new(1.0e4, 0.0, PressureLaw::Tait { exponent: 7.0 }).unwrap();
        let pull = Motion::Shear {
            rate: 0.0,
            normal: Normal::Stress(1.0e6),
        };
        let error = drive::<_, 2>(&water, &[Stage::new(pull, 1.0, 1)]).unwrap_err();
        assert!(matches!(error, PointError::Unreachable { .. }), "{error}");
    }

    #[test]
    fn a_specimen_does_what_its_law_does() {
        let test = [Stage::new(Motion::shear(0.1), 1.0, 3)];
        let expected = drive::<_, 2>(&rubber(), &test).unwrap();
        assert_eq!(Specimen::<2>::from(rubber()).drive(&test), Ok(expected));
    }

    #[test]
    fn tables_have_a_column_for_every_name() {
        let records = drive::<_, 2>(&rubber(), &[Stage::new(Motion::shear(0.1), 1.0, 3)]).unwrap();
        let mut table = Vec::new();
        write_csv(&records, &mut table).unwrap();
        let text = String::from_utf8(table).unwrap();
        let counts: Vec<_> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [1 + 4 + 3 + 3 + 2 + 4; 5]);
        assert!(text.starts_with("time,F_11,F_12,F_21,F_22,tau_11,tau_12"));
    }
}
