//! The energy of a step of a viscoelastic fluid. \[Ram2015\] §4 and its appendix, for the step that this project makes.
//!
//! With the strain b = b_OB and the volume ratio J at the beginning, A = I + M, X = A b and k = e^{−Δt/Wi}:
//!
//! b̂ = (1 − k) I + k A b Aᵀ, Ĵ = J (1 + tr M).
//!
//! b̂ is positive definite for every increment, where the linear form of the paper is not (errata E37): no state has to be kept
//! out but those of Ĵ ≤ 0. With s = (Ĵ²/det b̂)^{1/d}, T = tr b̂ and B = b̂⁻¹, the volume-preserving form has
//!
//! ψ = μ/2 (sT − d) − μ ln Ĵ + λ/2 (Ĵ − 1)², ∂ψ/∂M = μk Q X + φJ I,
//! Q = s (I − (T/d) B), φ = μ sT/(dĴ) − μ/Ĵ + λ (Ĵ − 1),
//!
//! and the plain one ψ = μ/2 (T − d − ln det b̂) + λ/2 (Ĵ − 1)², Q = I − B, φ = λ (Ĵ − 1).

#![allow(non_snake_case)]

use thixo_math::{Matrix, Real};

use super::oldroyd_b::{OldroydForm, positive_determinant};
use crate::material::potential::{
    Curvature, Definiteness, MAX_POTENTIAL_PARAMETERS, Potential, Slope, StepEnergy,
    add_shear_viscosity, shear_curvature,
};

/// The potential of a viscoelastic fluid. Parameters: μ, λ, ηJ/Δt \[Pa\], k = e^{−Δt/Wi}, J \[–\].
#[derive(Clone, Copy, Debug)]
pub struct OldroydPotential {
    pub(super) form: OldroydForm,
}

/// Energy of a step of a viscoelastic fluid.
#[derive(Clone, Copy, Debug)]
pub struct OldroydEnergy<R> {
    mu: R,
    lambda: R,
    viscosity: R,
    kept: R,
    volume_ratio: R,
    form: OldroydForm,
}

impl Potential for OldroydPotential {
    type Energy<R: Real> = OldroydEnergy<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> OldroydEnergy<R> {
        let [mu, lambda, viscosity, kept, volume_ratio] = *parameters;
        OldroydEnergy {
            mu,
            lambda,
            viscosity,
            kept,
            volume_ratio,
            form: self.form,
        }
    }
}

/// What slope and curvature share.
struct Trial<R: Real, const D: usize> {
    /// Ĵ, kept positive.
    J: R,
    is_possible: R::Mask,
    /// A b.
    X: Matrix<R, D>,
    /// b̂⁻¹.
    B: Matrix<R, D>,
    /// tr b̂.
    T: R,
    /// det b̂.
    det: R,
    /// s, or 1 in the plain form.
    s: R,
    Q: Matrix<R, D>,
    /// φ.
    phi: R,
}

impl<R: Real> OldroydEnergy<R> {
    #[inline(always)]
    fn trial<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Trial<R, D> {
        let one = R::one();
        let A = Matrix::identity() + *increment;
        let X = A * *strain;
        let carried = (X * A.transpose()).symmetric_part();
        let b = carried.mul_add(self.kept, Matrix::from_scalar(one - self.kept));
        let (B, T) = (b.inverse(), b.trace());
        let det = positive_determinant(&b);
        let J = self.volume_ratio * (one + increment.trace());
        let is_possible = J.gt(R::zero());
        let J = R::select(is_possible, J, one);
        let share = R::splat(1.0 / D as f64);
        let push = self.lambda * (J - one);
        let (s, Q, phi) = match self.form {
            OldroydForm::VolumePreserving => {
                let s = (J.squared() / det).powf(share);
                let Q = (Matrix::identity() - B * (T * share)) * s;
                (s, Q, push + self.mu * (s * T * share - one) / J)
            }
            OldroydForm::Plain => (one, Matrix::identity() - B, push),
        };
        Trial {
            J,
            is_possible,
            X,
            B,
            T,
            det,
            s,
            Q,
            phi,
        }
    }

    /// The change of the slope for a change of the increment.
    #[inline(always)]
    fn change<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        at: &Trial<R, D>,
        dM: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let share = R::splat(1.0 / D as f64);
        let two = R::splat(2.0);
        let db = (*dM * at.X.transpose()).symmetric_part() * (two * self.kept);
        // b̂⁻¹ changes by its negative.
        let BdbB = at.B * db * at.B;
        let dJ = self.volume_ratio * dM.trace();
        let (dQ, dphi) = match self.form {
            OldroydForm::VolumePreserving => {
                let dT = db.trace();
                let ds = at.s * share * (two * dJ / at.J - at.B.contract(db));
                let shape = Matrix::identity() - at.B * (at.T * share);
                let dQ = shape * ds - (at.B * dT - BdbB * at.T) * (at.s * share);
                let dsT = at.T * ds + at.s * dT;
                let sT = at.s * at.T * share;
                let mut dphi = self.mu * (dsT * share - (sT - R::one()) * dJ / at.J) / at.J;
                dphi += self.lambda * dJ;
                (dQ, dphi)
            }
            OldroydForm::Plain => (BdbB, self.lambda * dJ),
        };
        let shape = (dQ * at.X + at.Q * (*dM * *strain)) * (self.mu * self.kept);
        shape + Matrix::from_scalar(dphi * self.volume_ratio)
    }
}

impl<R: Real> StepEnergy<R> for OldroydEnergy<R> {
    #[inline(always)]
    fn slope<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Slope<R, D> {
        let at = self.trial(strain, increment);
        let half = R::splat(0.5);
        let log_det = match self.form {
            OldroydForm::VolumePreserving => at.J.squared().ln(),
            OldroydForm::Plain => at.det.ln(),
        };
        let shape = half * self.mu * (at.s * at.T - R::splat(D as f64) - log_det);
        let energy = shape + half * self.lambda * (at.J - R::one()).squared();
        let push = Matrix::from_scalar(at.phi * self.volume_ratio);
        let mut slope = Slope {
            energy: R::select(at.is_possible, energy, R::splat(f64::INFINITY)),
            gradient: (at.Q * at.X).mul_add(self.mu * self.kept, push),
        };
        add_shear_viscosity(self.viscosity, increment, &mut slope);
        slope
    }

    /// Column by column. There are no small blocks to project: where it is asked for, as much is added to the diagonal as outweighs what stands beside
    /// it.
    #[inline(always)]
    fn curvature<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Curvature<R> {
        let at = self.trial(strain, increment);
        let mut H = [[R::zero(); 9]; 9];
        for column in 0..D * D {
            let mut dM = Matrix::zero();
            dM[column / D][column % D] = R::one();
            let change = self.change(strain, &at, &dM);
            for row in 0..=column {
                H[row][column] = change[row / D][row % D];
            }
        }
        if definiteness == Definiteness::Projected {
            let mut lacking = R::zero();
            for k in 0..D * D {
                let mut beside = R::zero();
                for l in 0..D * D {
                    if l != k {
                        beside += H[k.min(l)][k.max(l)].abs();
                    }
                }
                lacking = (beside - H[k][k]).max(lacking);
            }
            for k in 0..D * D {
                H[k][k] += lacking;
            }
        }
        shear_curvature::<R, D>(self.viscosity, &mut H);
        H
    }
}
