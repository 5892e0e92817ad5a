//! Incremental energy of a fluid, a function of the volume ratio alone.
//!
//! Ĵ = J det A, A = I + M, as the state follows the flow. ψ(Ĵ) has the gradient −pĴ A⁻ᵀ with
//! respect to M. With L = δM A⁻¹ its second variation is
//!
//! Ĵ ((ρc² − p) (tr L)² + p tr L²), tr L² = ‖sym L‖² − ‖skew L‖²,
//!
//! of which the projected Hessian keeps the positive parts of the volume, of the deviator of sym L
//! and of skew L. A fluid that does not resist being pulled apart has neither energy nor stress
//! above Ĵ = 1, where both begin with zero.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use super::weakly_compressible::{PressureLaw, Tension};
use crate::VolumeRatio;
use crate::potential::{
    Definiteness, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy,
    add_shear_viscosity, add_shear_viscosity_hessian,
};

/// The potential of a pressure law. Parameters: bulk modulus K \[Pa\], J − 1 \[–\],
/// ηJ/Δt \[Pa\].
#[derive(Clone, Copy, Debug)]
pub struct PressurePotential {
    pub(super) law: PressureLaw,
    pub(super) tension: Tension,
}

/// Energy of a step of a fluid.
#[derive(Clone, Copy, Debug)]
pub struct PressureEnergy<R> {
    bulk_modulus: R,
    volume: VolumeRatio<R>,
    viscosity: R,
    potential: PressurePotential,
}

impl Potential for PressurePotential {
    type Energy<R: Real> = PressureEnergy<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> PressureEnergy<R> {
        let [bulk_modulus, growth, viscosity, ..] = *parameters;
        PressureEnergy {
            bulk_modulus,
            volume: VolumeRatio { growth },
            viscosity,
            potential: *self,
        }
    }
}

/// Trial state of an increment.
struct Trial<R: Real, const D: usize> {
    /// Ĵ, kept positive.
    volume: VolumeRatio<R>,
    /// A⁻¹.
    inverse: Matrix<R, D>,
    /// det A > 0.
    is_possible: R::Mask,
    /// True where pressure acts.
    bears: R::Mask,
}

impl<R: Real> PressureEnergy<R> {
    #[inline(always)]
    fn trial<const D: usize>(&self, increment: &Matrix<R, D>) -> Trial<R, D> {
        let mut volume = self.volume;
        volume.follow(increment);
        let is_possible = volume.ratio().gt(R::zero());
        let is_pressed = volume.growth.lt(R::zero());
        let bears = match self.potential.tension {
            Tension::Keep => is_pressed.or(is_pressed.not()),
            Tension::Release => is_pressed,
        };
        volume.growth = R::select(is_possible, volume.growth, R::zero());
        Trial {
            volume,
            inverse: (Matrix::identity() + *increment).inverse(),
            is_possible,
            bears,
        }
    }
}

impl<R: Real> StepEnergy<R> for PressureEnergy<R> {
    #[inline(always)]
    fn gradient<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D> {
        let at = self.trial(increment);
        let law = self.potential.law;
        let growth = at.volume.growth;
        let (p, _) = law.pressure(self.bulk_modulus, growth);
        let energy = R::select(at.bears, law.energy(self.bulk_modulus, growth), R::zero());
        let push = R::select(at.bears, -(p * at.volume.ratio()), R::zero());
        let mut psi = Gradient {
            energy: R::select(at.is_possible, energy, R::splat(f64::INFINITY)),
            gradient: at.inverse.transpose() * push,
        };
        add_shear_viscosity(self.viscosity, increment, &mut psi);
        psi
    }

    #[inline(always)]
    fn hessian<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Hessian<R> {
        let at = self.trial(increment);
        let (p, bulk) = self
            .potential
            .law
            .pressure(self.bulk_modulus, at.volume.growth);
        let (zero, half) = (R::zero(), R::splat(0.5));
        // Factors of (tr L)², tr L² and ‖L‖².
        let (volume, product, norm) = match definiteness {
            Definiteness::AsIs => (bulk - p, p, zero),
            Definiteness::Projected => {
                let share = R::splat(1.0 / D as f64);
                let whole = (bulk - p + p * share).max(zero);
                (whole - p.max(zero) * share, half * p, half * p.abs())
            }
        };
        let J = R::select(at.bears, at.volume.ratio(), zero);
        let (volume, product, norm) = (J * volume, J * product, J * norm);
        let inverse = &at.inverse;
        let metric = inverse.times_own_transpose();
        let mut H = [[zero; 9]; 9];
        for row in 0..D * D {
            for column in row..D * D {
                let (i, j, k, l) = (row / D, row % D, column / D, column % D);
                let mut sum = volume * inverse[j][i] * inverse[l][k];
                sum += product * inverse[j][k] * inverse[l][i];
                if i == k {
                    sum += norm * metric[j][l];
                }
                H[row][column] = sum;
            }
        }
        add_shear_viscosity_hessian::<R, D>(self.viscosity, &mut H);
        H
    }
}
