//! Incremental energy of a fluid, a function of the volume ratio alone.
//!
//! Ĵ = J (1 + tr M), as the state follows the flow. ψ(Ĵ) has the gradient −pJ I with respect to M,
//! and the Hessian J² ρc²/Ĵ between any two diagonal entries, which is positive semi-definite
//! already. A fluid that does not resist being pulled apart has neither energy nor stress above
//! Ĵ = 1, where both begin with zero.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use super::weakly_compressible::{PressureLaw, Tension};
use crate::potential::{
    Definiteness, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy,
    add_shear_viscosity, add_shear_viscosity_hessian,
};

/// The potential of a pressure law. Parameters: bulk modulus K \[Pa\], J \[–\], ηJ/Δt \[Pa\].
#[derive(Clone, Copy, Debug)]
pub struct PressurePotential {
    pub(super) law: PressureLaw,
    pub(super) tension: Tension,
}

/// Energy of a step of a fluid.
#[derive(Clone, Copy, Debug)]
pub struct PressureEnergy<R> {
    bulk_modulus: R,
    volume_ratio: R,
    viscosity: R,
    potential: PressurePotential,
}

impl Potential for PressurePotential {
    type Energy<R: Real> = PressureEnergy<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> PressureEnergy<R> {
        let [bulk_modulus, volume_ratio, viscosity, ..] = *parameters;
        PressureEnergy {
            bulk_modulus,
            volume_ratio,
            viscosity,
            potential: *self,
        }
    }
}

impl<R: Real> PressureEnergy<R> {
    /// Ĵ, kept positive, whether it is possible, and whether pressure acts.
    #[inline(always)]
    fn trial<const D: usize>(&self, increment: &Matrix<R, D>) -> (R, R::Mask, R::Mask) {
        let J = self.volume_ratio * (R::one() + increment.trace());
        let is_possible = J.gt(R::zero());
        let is_pressed = J.lt(R::one());
        let bears = match self.potential.tension {
            Tension::Keep => is_pressed.or(is_pressed.not()),
            Tension::Release => is_pressed,
        };
        (R::select(is_possible, J, R::one()), is_possible, bears)
    }
}

impl<R: Real> StepEnergy<R> for PressureEnergy<R> {
    #[inline(always)]
    fn gradient<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D> {
        let (J, is_possible, bears) = self.trial(increment);
        let law = self.potential.law;
        let (p, _) = law.pressure(self.bulk_modulus, J);
        let energy = R::select(bears, law.energy(self.bulk_modulus, J), R::zero());
        let push = R::select(bears, -(p * self.volume_ratio), R::zero());
        let mut psi = Gradient {
            energy: R::select(is_possible, energy, R::splat(f64::INFINITY)),
            gradient: Matrix::from_scalar(push),
        };
        add_shear_viscosity(self.viscosity, increment, &mut psi);
        psi
    }

    #[inline(always)]
    fn hessian<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        _: Definiteness,
    ) -> Hessian<R> {
        let (J, _, bears) = self.trial(increment);
        let (_, bulk) = self.potential.law.pressure(self.bulk_modulus, J);
        let stiffness = self.volume_ratio.squared() * bulk / J;
        let stiffness = R::select(bears, stiffness, R::zero());
        let mut H = [[R::zero(); 9]; 9];
        for i in 0..D {
            for j in i..D {
                H[i * D + i][j * D + j] = stiffness;
            }
        }
        add_shear_viscosity_hessian::<R, D>(self.viscosity, &mut H);
        H
    }
}
