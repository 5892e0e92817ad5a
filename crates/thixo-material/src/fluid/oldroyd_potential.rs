//! The energy of a step of a viscoelastic fluid. \[Ram2015\] §4 and its appendix, for the step that
//! this project makes.
//!
//! With the strain b = b_OB and the volume ratio J at the beginning, A = I + M, X = A b and
//! k = e^{−Δt/Wi}:
//!
//! b̂ = (1 − k) I + k A b Aᵀ, Ĵ = J (1 + tr M).
//!
//! b̂ is positive definite for every increment, where the linear form of the paper is not
//! (errata E37): no state has to be kept out but those of Ĵ ≤ 0. With s = (Ĵ²/det b̂)^{1/d},
//! T = tr b̂ and B = b̂⁻¹, the volume-preserving form has
//!
//! ψ = μ/2 (sT − d) − μ ln Ĵ + λ/2 (Ĵ − 1)², ∂ψ/∂M = μk Q X + φJ I,
//! Q = s (I − (T/d) B), φ = μ sT/(dĴ) − μ/Ĵ + λ (Ĵ − 1),
//!
//! and the plain one ψ = μ/2 (T − d − ln det b̂) + λ/2 (Ĵ − 1)², Q = I − B, φ = λ (Ĵ − 1).
//!
//! In strongly flattened matter the eigenvalues of b̂ are many orders apart, and results from its
//! entries lose as many digits. They are kept by the form below, since A is near I and b is the
//! same for the whole step: with b⁻¹ = NᵀN, K = N A⁻¹ and W = I + (1/k − 1) K Kᵀ,
//!
//! B = Kᵀ W⁻¹ K / k, det b̂ = kᵈ (det A)² det b det W, kBX = (I − (1 − k) B) A⁻ᵀ.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use super::oldroyd_b::OldroydForm;
use super::positive::inverse_root;
use crate::potential::{
    Definiteness, Flow, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy,
    add_shear_viscosity, add_shear_viscosity_hessian,
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
    decay: R,
    volume_ratio: R,
    form: OldroydForm,
}

impl Potential for OldroydPotential {
    type Energy<R: Real> = OldroydEnergy<R>;
    const FLOW: Flow = Flow::WithinStep;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> OldroydEnergy<R> {
        let [mu, lambda, viscosity, decay, volume_ratio] = *parameters;
        OldroydEnergy {
            mu,
            lambda,
            viscosity,
            decay,
            volume_ratio,
            form: self.form,
        }
    }
}

/// Least det A for which B and det b̂ are found from b and A. Below it, and for k below
/// [`MIN_DECAY_FACTOR`], the entries of b̂ are as accurate.
const MIN_VOLUME_FACTOR: f64 = 0.1;
/// Least k = e^{−Δt/Wi} for which they are.
const MIN_DECAY_FACTOR: f64 = 0.5;

/// Strain b̂ at the end of a step and the quantities derived from it.
struct UpdatedStrain<R: Real, const D: usize> {
    /// A b.
    X: Matrix<R, D>,
    /// b̂⁻¹.
    B: Matrix<R, D>,
    /// k b̂⁻¹ A b.
    kBX: Matrix<R, D>,
    /// tr b̂.
    T: R,
    /// det b̂.
    det: R,
}

/// Trial state of an increment: the terms that gradient and Hessian share.
struct Trial<R: Real, const D: usize> {
    /// Ĵ, kept positive.
    J: R,
    is_possible: R::Mask,
    updated: UpdatedStrain<R, D>,
    /// s, or 1 in the plain form.
    s: R,
    Q: Matrix<R, D>,
    /// φ.
    phi: R,
}

impl<R: Real> OldroydEnergy<R> {
    #[inline(always)]
    fn updated<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> UpdatedStrain<R, D> {
        let (one, k) = (R::one(), self.decay);
        let A = Matrix::identity() + *increment;
        let X = A * *strain;
        let advected = (X * A.transpose()).symmetric_part();
        let b = advected.mul_add(k, Matrix::from_scalar(one - k));
        let (root, det) = inverse_root(&b);
        let B = root.transpose().times_own_transpose();
        let by_entries = (B, det, B * X * k);

        let (N, det_of_b) = inverse_root(strain);
        let (A_inverse, det_of_A) = (A.inverse(), A.determinant());
        let K = N * A_inverse;
        let gained = K.times_own_transpose();
        let W = gained.mul_add(one / k - one, Matrix::identity());
        let (root, det_of_W) = inverse_root(&W);
        let B = (root * K).transpose().times_own_transpose() * (one / k);
        let mut det = det_of_A.squared() * det_of_b * det_of_W;
        for _ in 0..D {
            det *= k;
        }
        let kBX = B.mul_add(k - one, Matrix::identity()) * A_inverse.transpose();

        let is_moderate = det_of_A
            .gt(R::splat(MIN_VOLUME_FACTOR))
            .and(k.gt(R::splat(MIN_DECAY_FACTOR)));
        UpdatedStrain {
            X,
            B: Matrix::select(is_moderate, B, by_entries.0),
            kBX: Matrix::select(is_moderate, kBX, by_entries.2),
            T: b.trace(),
            det: R::select(is_moderate, det, by_entries.1),
        }
    }

    #[inline(always)]
    fn trial<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Trial<R, D> {
        let one = R::one();
        let updated = self.updated(strain, increment);
        let UpdatedStrain { B, T, det, .. } = updated;
        let J = self.volume_ratio * (one + increment.trace());
        let is_possible = J.gt(R::zero());
        let J = R::select(is_possible, J, one);
        let share = R::splat(1.0 / D as f64);
        let volumetric = self.lambda * (J - one);
        let (s, Q, phi) = match self.form {
            OldroydForm::VolumePreserving => {
                let s = (J.squared() / det).powf(share);
                let Q = (Matrix::identity() - B * (T * share)) * s;
                (s, Q, volumetric + self.mu * (s * T * share - one) / J)
            }
            OldroydForm::Plain => (one, Matrix::identity() - B, volumetric),
        };
        Trial {
            J,
            is_possible,
            updated,
            s,
            Q,
            phi,
        }
    }

    /// k Q X, the gradient of the part due to b̂ over μ \[–\].
    #[inline(always)]
    fn strain_gradient<const D: usize>(&self, at: &Trial<R, D>) -> Matrix<R, D> {
        let UpdatedStrain { X, kBX, T, .. } = at.updated;
        match self.form {
            OldroydForm::VolumePreserving => {
                let weight = T * R::splat(1.0 / D as f64);
                (X * self.decay - kBX * weight) * at.s
            }
            OldroydForm::Plain => X * self.decay - kBX,
        }
    }

    /// Change of the gradient for a change dM of the increment.
    #[inline(always)]
    fn gradient_change<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        at: &Trial<R, D>,
        dM: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let share = R::splat(1.0 / D as f64);
        let two = R::splat(2.0);
        let UpdatedStrain { X, B, T, .. } = at.updated;
        let db = (*dM * X.transpose()).symmetric_part() * (two * self.decay);
        // δ(b̂⁻¹) = −B δb̂ B.
        let BdbB = B * db * B;
        let dJ = self.volume_ratio * dM.trace();
        let (dQ, dphi) = match self.form {
            OldroydForm::VolumePreserving => {
                let dT = db.trace();
                let ds = at.s * share * (two * dJ / at.J - B.contract(db));
                let shape = Matrix::identity() - B * (T * share);
                let dQ = shape * ds - (B * dT - BdbB * T) * (at.s * share);
                let dsT = T * ds + at.s * dT;
                let sT = at.s * T * share;
                let mut dphi = self.mu * (dsT * share - (sT - R::one()) * dJ / at.J) / at.J;
                dphi += self.lambda * dJ;
                (dQ, dphi)
            }
            OldroydForm::Plain => (BdbB, self.lambda * dJ),
        };
        let shape = (dQ * X + at.Q * (*dM * *strain)) * (self.mu * self.decay);
        shape + Matrix::from_scalar(dphi * self.volume_ratio)
    }
}

impl<R: Real> StepEnergy<R> for OldroydEnergy<R> {
    #[inline(always)]
    fn gradient<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D> {
        let at = self.trial(strain, increment);
        let half = R::splat(0.5);
        let log_det = match self.form {
            OldroydForm::VolumePreserving => at.J.squared().ln(),
            OldroydForm::Plain => at.updated.det.ln(),
        };
        let shape = half * self.mu * (at.s * at.updated.T - R::splat(D as f64) - log_det);
        let energy = shape + half * self.lambda * (at.J - R::one()).squared();
        let volumetric = Matrix::from_scalar(at.phi * self.volume_ratio);
        let mut psi = Gradient {
            energy: R::select(at.is_possible, energy, R::splat(f64::INFINITY)),
            gradient: self.strain_gradient(&at).mul_add(self.mu, volumetric),
        };
        add_shear_viscosity(self.viscosity, increment, &mut psi);
        psi
    }

    /// Column by column. There are no small blocks to project: where a definite Hessian is
    /// required, the diagonal is raised until it dominates the off-diagonal entries.
    #[inline(always)]
    fn hessian<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Hessian<R> {
        let at = self.trial(strain, increment);
        let mut H = [[R::zero(); 9]; 9];
        for column in 0..D * D {
            let mut dM = Matrix::zero();
            dM[column / D][column % D] = R::one();
            let change = self.gradient_change(strain, &at, &dM);
            for row in 0..=column {
                H[row][column] = change[row / D][row % D];
            }
        }
        if definiteness == Definiteness::Projected {
            let mut shift = R::zero();
            for k in 0..D * D {
                let mut off_diagonal = R::zero();
                for l in 0..D * D {
                    if l != k {
                        off_diagonal += H[k.min(l)][k.max(l)].abs();
                    }
                }
                shift = (off_diagonal - H[k][k]).max(shift);
            }
            for k in 0..D * D {
                H[k][k] += shift;
            }
        }
        add_shear_viscosity_hessian::<R, D>(self.viscosity, &mut H);
        H
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: [[f64; 3]; 3] = [[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8], [0.64, -0.48, 0.6]];
    const STRETCH: [f64; 3] = [2.0, 0.5, 0.05];

    fn sponge<R: Real>() -> OldroydEnergy<R> {
        OldroydEnergy {
            mu: R::splat(3.6e5),
            lambda: R::splat(1.4e6),
            viscosity: R::zero(),
            decay: R::splat(1.0 - 1.0 / 16384.0),
            volume_ratio: R::splat(STRETCH.iter().product()),
            form: OldroydForm::VolumePreserving,
        }
    }

    fn squeezed() -> Matrix<f32, 3> {
        let mut b = Matrix::zero();
        for i in 0..3 {
            for j in 0..3 {
                let share = |k: usize| TURN[i][k] * STRETCH[k].powi(2) * TURN[j][k];
                b[i][j] = (share(0) + share(1) + share(2)) as f32;
            }
        }
        b.symmetric_part()
    }

    fn wide(m: Matrix<f32, 3>) -> Matrix<f64, 3> {
        Matrix(m.0.map(|row| row.map(f64::from)))
    }

    /// Solvers need accurate differences of the stress between increments more than the stress
    /// itself, which has no more digits than the strain.
    #[test]
    fn slopes_of_squeezed_matter_change_smoothly_in_single_precision() {
        let b = squeezed();
        let by_entries = |M: &Matrix<f32, 3>| {
            let at = sponge::<f32>().trial(&b, M);
            let A = Matrix::identity() + *M;
            let advected = (A * b * A.transpose()).symmetric_part();
            let k = sponge::<f32>().decay;
            let strain = advected.mul_add(k, Matrix::from_scalar(1.0 - k));
            strain.inverse() * at.updated.X * k
        };
        let mut worst = [0.0_f64; 2];
        for step in 0..100 {
            let part = 1e-4 * f64::from(step);
            let increment = Matrix(TURN.map(|row| row.map(|x| (part * x) as f32)));
            let next = increment + Matrix(TURN.map(|row| row.map(|x| 1e-5 * x as f32)));
            let [first, second] =
                [increment, next].map(|M| wide(sponge::<f32>().gradient(&b, &M).gradient));
            let exact =
                [increment, next].map(|M| sponge::<f64>().gradient(&wide(b), &wide(M)).gradient);
            let noise = (second - first - (exact[1] - exact[0]))
                .norm_squared()
                .sqrt();
            let size = exact[0].norm_squared().sqrt();
            worst[0] = worst[0].max(noise / size);
            let trial = sponge::<f64>().trial(&wide(b), &wide(increment));
            let lost = wide(by_entries(&increment)) - trial.updated.kBX;
            let size = trial.updated.kBX.norm_squared().sqrt();
            worst[1] = worst[1].max(lost.norm_squared().sqrt() / size);
        }
        println!("noise {:.1e}, by entries {:.1e}", worst[0], worst[1]);
        assert!(worst[0] < 1e-6, "{worst:?}");
        // Control: there are digits to be lost.
        assert!(worst[1] > 1e-5, "{worst:?}");
    }

    /// From b and A, or from the entries of b̂: the same where both have all digits.
    #[test]
    fn both_ways_to_the_strain_agree() {
        let b = wide(squeezed());
        for (decay, part) in [(0.999, 0.1), (0.51, -0.05), (0.49, 0.1)] {
            let energy = OldroydEnergy {
                decay,
                ..sponge::<f64>()
            };
            let increment = Matrix(TURN) * part;
            let at = energy.updated(&b, &increment);
            let A = Matrix::identity() + increment;
            let advected = (A * b * A.transpose()).symmetric_part();
            let strain = advected.mul_add(decay, Matrix::from_scalar(1.0 - decay));
            assert!((strain.determinant() / at.det - 1.0).abs() < 1e-9);
            let one = at.B * strain;
            assert!((one - Matrix::identity()).norm_squared() < 1e-18, "{one:?}");
            let product = at.B * at.X * decay - at.kBX;
            assert!(product.norm_squared() < 1e-18, "{product:?}");
        }
    }
}
