//! The energy of a step of a viscoelastic fluid. \[Ram2015\] §4 and its appendix, for the step that
//! this project makes.
//!
//! With the strain h = b_OB − I and the volume ratio J at the beginning, A = I + M, and k, c₁, c₂
//! of the relaxation over the step, equation (11e):
//!
//! b̂ = I + g, g = k A h Aᵀ + c₁ (M + Mᵀ) + c₂ M Mᵀ, Ĵ = J det A.
//!
//! b̂ is positive definite for every increment, where the linear form of the paper is not
//! (errata E37): no state has to be kept out but those of det A ≤ 0. The stress at the end of a
//! step in which strain fades has no potential. The energy of b̂ has a gradient that is c₁ times
//! that stress to first order, since δb̂ = 2 sym(δM Yᵀ) with Y = c₁ I + c₂ M + k A h, so that the
//! part of the energy that fades is taken 1/c₁ times (errata E37). With B = b̂⁻¹, T = tr b̂,
//! s = (Ĵ²/det b̂)^{1/d} and s₀ = (J²/det b̂)^{1/d}, which has the volume of the beginning, the
//! volume-preserving form has
//!
//! ψ = μ/2 (sT − d − 2 ln Ĵ) + e μ/2 (s₀T − d − 2 ln J) + λ/2 (Ĵ − 1)², e = 1/c₁ − 1,
//! ∂ψ/∂M = μ w Q Y + φĴ A⁻ᵀ, w = 1 + e s₀/s,
//! Q = s (I − (T/d) B), φĴ = μ (sT/d − 1) + λ (Ĵ − 1) Ĵ:
//!
//! the mean stress φĴ is that of the end of the step, exactly; ψ is zero at rest up to a constant
//! of the step. The plain form, of which all but λ
//! fades, has ψ = μ/2c₁ (T − d − ln det b̂) + λ/2 (Ĵ − 1)², w = 1/c₁, Q = I − B, φ = λ (Ĵ − 1).
//! δĴ = Ĵ tr(A⁻¹δM), δ(ĴA⁻ᵀ) = A⁻ᵀδĴ − ĴA⁻ᵀδMᵀA⁻ᵀ, δY = δM (c₂ I + k h).
//!
//! In steady shear, with W = γ̇Wi, the gradient has the shear stress of the end of the step,
//! exactly in 2D and up to parts of W² in 3D and in the plain form. Its normal stress difference,
//! which is 2W times the shear stress, is (x/2) coth(x/2) times the right one: never more than
//! 2W + M times the shear stress, with the shear M = xW of a step.
//!
//! Y Aᵀ = b̂ − (1 − c₁) I − (c₁ − c₂) M gives a form whose terms are all small where strains are
//! and that keeps digits in flattened matter, with t = tr g/d and Q = s ((1 + t) gB − t I):
//!
//! Q Y Aᵀ = s (g − t I) − Q ((1 − c₁) I + (c₁ − c₂) M).
//!
//! It subtracts what is nearly equal where c₁ is small: there the product itself is taken. The
//! energy is that of the Finger strains s b̂ − I and s₀ b̂ − I, or of g, of second order as a
//! whole.
//!
//! In strongly flattened matter the eigenvalues of b̂ are many orders apart, and results from its
//! entries lose as many digits. They are kept by the form below, since A is near I and b is the
//! same for the whole step: with b⁻¹ = NᵀN, K = N A⁻¹, P = r I + a₁ (M + Mᵀ) + a₂ M Mᵀ and
//! W = I + K P Kᵀ/k,
//!
//! B = Kᵀ W⁻¹ K / k, det b̂ = kᵈ (det A)² det b det W, Ĵ²/det b̂ = J²/(kᵈ det b det W).

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use super::oldroyd_b::{OldroydForm, root_less_one};
use super::positive::inverse_root;
use super::relaxation::Relaxation;
use crate::finger_strain::{is_small, stretch_energy};
use crate::potential::{
    Definiteness, Flow, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy,
    add_shear_viscosity, add_shear_viscosity_hessian,
};
use crate::{Dilatation, VolumeRatio};

/// The potential of a viscoelastic fluid. Parameters: μ, λ, ηJ/Δt \[Pa\], J − 1, and r, a₁, a₂ of
/// the relaxation over the step \[–\].
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
    volume: VolumeRatio<R>,
    relaxation: Relaxation<R>,
    form: OldroydForm,
}

impl Potential for OldroydPotential {
    type Energy<R: Real> = OldroydEnergy<R>;
    const FLOW: Flow = Flow::Fading;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> OldroydEnergy<R> {
        let [
            mu,
            lambda,
            viscosity,
            growth,
            faded,
            first_moment,
            second_moment,
        ] = *parameters;
        OldroydEnergy {
            mu,
            lambda,
            viscosity,
            volume: VolumeRatio { growth },
            relaxation: Relaxation {
                faded,
                first_moment,
                second_moment,
            },
            form: self.form,
        }
    }
}

/// Least det A for which B and det b̂ are found from b and A. Below it, and for k below
/// [`MIN_DECAY_FACTOR`], the entries of b̂ are as accurate.
const MIN_VOLUME_FACTOR: f64 = 0.1;
/// Least k = e^{−Δt/Wi} for which they are, and for which Q Y Aᵀ is a difference.
const MIN_DECAY_FACTOR: f64 = 0.5;

/// Strain b̂ = I + g at the end of a step and the quantities derived from it.
struct UpdatedStrain<R: Real, const D: usize> {
    /// g.
    g: Matrix<R, D>,
    /// b̂⁻¹.
    B: Matrix<R, D>,
    /// det b̂ and det b̂ − 1.
    dilatation: Dilatation<R>,
    /// Ĵ²/det b̂ as it is and as a difference from one.
    quotient: (R, R),
    /// J²/det b̂ likewise.
    start_quotient: (R, R),
}

/// Trial state of an increment: the terms that gradient and Hessian share.
struct Trial<R: Real, const D: usize> {
    /// Ĵ, kept positive.
    volume: VolumeRatio<R>,
    is_possible: R::Mask,
    /// A⁻¹.
    A_inverse: Matrix<R, D>,
    updated: UpdatedStrain<R, D>,
    /// s − 1, or 0 in the plain form.
    s_less_one: R,
    /// s₀ − 1, or 0 in the plain form.
    s0_less_one: R,
    /// w.
    weight: R,
}

impl<R: Real> OldroydEnergy<R> {
    /// e = 1/c₁ − 1.
    #[inline(always)]
    fn excess_weight(&self) -> R {
        let Relaxation {
            faded,
            first_moment,
            ..
        } = self.relaxation;
        (faded - first_moment) / self.relaxation.linear()
    }

    /// b̂ and its inverse; `squared_less_one` is Ĵ² − 1.
    #[inline(always)]
    fn updated<const D: usize>(
        &self,
        h: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        end_squared_less_one: R,
    ) -> UpdatedStrain<R, D> {
        let (one, k) = (R::one(), self.relaxation.kept());
        let A = Matrix::identity() + *increment;
        let start_squared = self.volume.ratio().squared();
        let g = self.relaxation.strain(h, increment);
        let (root, det) = inverse_root(&(Matrix::identity() + g));
        let B = root.transpose().times_own_transpose();
        let by_entries = (B, det, (one + end_squared_less_one) / det);

        let (N, det_of_b) = inverse_root(&(Matrix::identity() + *h));
        let det_of_A = A.determinant();
        let K = N * A.inverse();
        let gained = (K * self.gained(increment) * K.transpose()).symmetric_part();
        let W = gained.mul_add(one / k, Matrix::identity());
        let (root, det_of_W) = inverse_root(&W);
        let B = (root * K).transpose().times_own_transpose() * (one / k);
        let mut rest = det_of_b * det_of_W;
        for _ in 0..D {
            rest *= k;
        }
        let det = det_of_A.squared() * rest;
        let quotient = start_squared / rest;

        let is_moderate = det_of_A
            .gt(R::splat(MIN_VOLUME_FACTOR))
            .and(k.gt(R::splat(MIN_DECAY_FACTOR)));
        let det = R::select(is_moderate, det, by_entries.1);
        let quotient = R::select(is_moderate, quotient, by_entries.2);
        // Small strains know their volume best by its difference from one.
        let is_small = is_small(&g);
        let excess = R::select(is_small, g.determinant_excess(), det - one);
        let difference = (end_squared_less_one - excess) / det;
        let start_quotient = start_squared / det;
        let start_difference = (squared_less_one(self.volume) - excess) / det;
        UpdatedStrain {
            g,
            B: Matrix::select(is_moderate, B, by_entries.0),
            dilatation: Dilatation::new(det, excess),
            quotient: (quotient, R::select(is_small, difference, quotient - one)),
            start_quotient: (
                start_quotient,
                R::select(is_small, start_difference, start_quotient - one),
            ),
        }
    }

    /// P = r I + a₁ (M + Mᵀ) + a₂ M Mᵀ.
    #[inline(always)]
    fn gained<const D: usize>(&self, increment: &Matrix<R, D>) -> Matrix<R, D> {
        let Relaxation {
            faded,
            first_moment,
            second_moment,
        } = self.relaxation;
        let linear = increment.symmetric_part() * (first_moment + first_moment);
        let quadratic = increment.times_own_transpose() * second_moment;
        Matrix::from_scalar(faded) + linear + quadratic
    }

    #[inline(always)]
    fn trial<const D: usize>(&self, h: &Matrix<R, D>, increment: &Matrix<R, D>) -> Trial<R, D> {
        let one = R::one();
        let mut volume = self.volume;
        volume.follow(increment);
        let is_possible = volume.ratio().gt(R::zero());
        volume.growth = R::select(is_possible, volume.growth, R::zero());
        let updated = self.updated(h, increment, squared_less_one(volume));
        let (s_less_one, s0_less_one, weight) = match self.form {
            OldroydForm::VolumePreserving => {
                let (quotient, difference) = updated.quotient;
                let s = root_less_one::<R, D>(quotient, difference);
                let (quotient, difference) = updated.start_quotient;
                let s0 = root_less_one::<R, D>(quotient, difference);
                (s, s0, one + self.excess_weight() * (one + s0) / (one + s))
            }
            OldroydForm::Plain => (R::zero(), R::zero(), one + self.excess_weight()),
        };
        Trial {
            volume,
            is_possible,
            A_inverse: (Matrix::identity() + *increment).inverse(),
            updated,
            s_less_one,
            s0_less_one,
            weight,
        }
    }

    /// Y = c₁ I + c₂ M + k A h.
    #[inline(always)]
    fn arm<const D: usize>(&self, h: &Matrix<R, D>, increment: &Matrix<R, D>) -> Matrix<R, D> {
        let advected = *h + *increment * *h;
        let flow = increment.mul_add(
            self.relaxation.quadratic(),
            Matrix::from_scalar(self.relaxation.linear()),
        );
        advected.mul_add(self.relaxation.kept(), flow)
    }

    /// ψ without its viscous part \[J/m³\].
    #[inline(always)]
    fn elastic_energy<const D: usize>(&self, at: &Trial<R, D>) -> R {
        let half = R::splat(0.5);
        let UpdatedStrain { g, dilatation, .. } = &at.updated;
        let shape = match self.form {
            OldroydForm::VolumePreserving => {
                let at_start = shape_energy(g, at.s0_less_one, self.volume);
                let at_end = shape_energy(g, at.s_less_one, at.volume);
                self.excess_weight().mul_add(at_start, at_end)
            }
            OldroydForm::Plain => at.weight * stretch_energy(g, dilatation),
        };
        half * (self.mu * shape + self.lambda * at.volume.growth.squared())
    }

    /// Q.
    #[inline(always)]
    fn direction<const D: usize>(&self, at: &Trial<R, D>) -> Matrix<R, D> {
        let UpdatedStrain { g, B, .. } = at.updated;
        let gB = (g * B).symmetric_part();
        match self.form {
            OldroydForm::VolumePreserving => {
                let s = R::one() + at.s_less_one;
                let t = g.trace() * R::splat(1.0 / D as f64);
                gB.mul_add(s * (R::one() + t), Matrix::from_scalar(-(s * t)))
            }
            OldroydForm::Plain => gB,
        }
    }

    /// ∂ψ/∂M Aᵀ without its viscous part \[Pa\].
    #[inline(always)]
    fn kirchhoff<const D: usize>(
        &self,
        h: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        at: &Trial<R, D>,
    ) -> Matrix<R, D> {
        let g = at.updated.g;
        let Relaxation {
            faded,
            first_moment,
            second_moment,
        } = self.relaxation;
        let Q = self.direction(at);
        let spherical = self.lambda * at.volume.growth * at.volume.ratio();
        let (fading, mean) = match self.form {
            OldroydForm::VolumePreserving => {
                let s = R::one() + at.s_less_one;
                let st = s * g.trace() * R::splat(1.0 / D as f64);
                let deviator = g.mul_add(s, Matrix::from_scalar(-st));
                (deviator, self.mu.mul_add(at.s_less_one + st, spherical))
            }
            OldroydForm::Plain => (g, spherical),
        };
        let lost = increment.mul_add(
            first_moment - second_moment,
            Matrix::from_scalar(faded - first_moment),
        );
        let mut QYA = fading - Q * lost;
        let is_long = self.relaxation.kept().le(R::splat(MIN_DECAY_FACTOR));
        if is_long.any() {
            let A = Matrix::identity() + *increment;
            let product = Q * self.arm(h, increment) * A.transpose();
            QYA = Matrix::select(is_long, product, QYA);
        }
        QYA.mul_add(self.mu * at.weight, Matrix::from_scalar(mean))
    }

    /// Change of the gradient for a change dM of the increment. `Y` is the [arm](Self::arm), `Z`
    /// its change over dM, c₂ I + k h.
    #[inline(always)]
    fn gradient_change<const D: usize>(
        &self,
        Y: &Matrix<R, D>,
        Z: &Matrix<R, D>,
        at: &Trial<R, D>,
        dM: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let (one, two) = (R::one(), R::splat(2.0));
        let share = R::splat(1.0 / D as f64);
        let UpdatedStrain { g, B, .. } = at.updated;
        let J = at.volume.ratio();
        let db = (*dM * Y.transpose()).symmetric_part() * two;
        // δ(b̂⁻¹) = −B δb̂ B.
        let BdbB = B * db * B;
        // δĴ/Ĵ.
        let growth = (at.A_inverse * *dM).trace();
        // φĴ, and its change.
        let volumetric = self.lambda * at.volume.growth * J;
        let dvolumetric = self.lambda * (J + at.volume.growth) * J * growth;
        // w Q, and its change.
        let (wQ, dwQ, push, dpush) = match self.form {
            OldroydForm::VolumePreserving => {
                let s = one + at.s_less_one;
                let T = R::splat(D as f64) + g.trace();
                let dT = db.trace();
                // s₀ does not know of the growth: δs/s − 2δĴ/dĴ = δs₀/s₀.
                let ds0_over_s0 = -(share * B.contract(db));
                let ds_over_s = (two * share).mul_add(growth, ds0_over_s0);
                let dws = s * (ds_over_s + (at.weight - one) * ds0_over_s0);
                let ws = at.weight * s;
                let shape = Matrix::identity() - B * (T * share);
                let dshape = (BdbB * T - B * dT) * share;
                let dsT = s * (T * ds_over_s + dT);
                let push = self.mu * (s * T * share - one);
                let dwQ = shape.mul_add(dws, dshape * ws);
                (shape * ws, dwQ, push, self.mu * dsT * share)
            }
            OldroydForm::Plain => {
                let wQ = (Matrix::identity() - B) * at.weight;
                (wQ, BdbB * at.weight, R::zero(), R::zero())
            }
        };
        let shape = (dwQ * *Y + wQ * (*dM * *Z)) * self.mu;
        let turned = at.A_inverse.transpose();
        let change = turned * (dvolumetric + dpush);
        let back = turned * dM.transpose() * turned;
        shape + change - back * (volumetric + push)
    }
}

/// tr b − d − 2 ln J of b = s (I + g), whose volume is J.
#[inline(always)]
fn shape_energy<R: Real, const D: usize>(
    g: &Matrix<R, D>,
    s_less_one: R,
    volume: VolumeRatio<R>,
) -> R {
    let strain = g.mul_add(R::one() + s_less_one, Matrix::from_scalar(s_less_one));
    let squared = volume.ratio().squared();
    stretch_energy(&strain, &Dilatation::new(squared, squared_less_one(volume)))
}

/// J² − 1 of J − 1.
#[inline(always)]
fn squared_less_one<R: Real>(volume: VolumeRatio<R>) -> R {
    let j = volume.growth;
    j.mul_add(j, j + j)
}

impl<R: Real> StepEnergy<R> for OldroydEnergy<R> {
    #[inline(always)]
    fn gradient<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D> {
        let at = self.trial(strain, increment);
        let energy = self.elastic_energy(&at);
        let mut psi = Gradient {
            energy: R::select(at.is_possible, energy, R::splat(f64::INFINITY)),
            gradient: self.kirchhoff(strain, increment, &at) * at.A_inverse.transpose(),
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
        let Y = self.arm(strain, increment);
        let Z = strain.mul_add(
            self.relaxation.kept(),
            Matrix::from_scalar(self.relaxation.quadratic()),
        );
        let mut H = [[R::zero(); 9]; 9];
        for column in 0..D * D {
            let mut dM = Matrix::zero();
            dM[column / D][column % D] = R::one();
            let change = self.gradient_change(&Y, &Z, &at, &dM);
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
mod tests;
