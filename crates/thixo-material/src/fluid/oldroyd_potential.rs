//! The energy of a step of a viscoelastic fluid. \[Ram2015\] §4 and its appendix, for the step that
//! this project makes.
//!
//! With the strain b = I + h = b_OB and the volume ratio J at the beginning, A = I + M, the
//! advected strain ĥ = A b Aᵀ − I, X = A b, k = e^{−Δt/Wi} and r = 1 − k:
//!
//! b̂ = I + g, g = k ĥ, Ĵ = J det A.
//!
//! b̂ is positive definite for every increment, where the linear form of the paper is not
//! (errata E37): no state has to be kept out but those of det A ≤ 0. With s = (Ĵ²/det b̂)^{1/d},
//! T = tr b̂ and B = b̂⁻¹, the volume-preserving form has
//!
//! ψ = μ/2 (sT − d) − μ ln Ĵ + λ/2 (Ĵ − 1)², ∂ψ/∂M = μk Q X + φĴ A⁻ᵀ,
//! Q = s (I − (T/d) B), φ = μ sT/(dĴ) − μ/Ĵ + λ (Ĵ − 1),
//!
//! and the plain one ψ = μ/2 (T − d − ln det b̂) + λ/2 (Ĵ − 1)², Q = I − B, φ = λ (Ĵ − 1).
//! δĴ = Ĵ tr(A⁻¹δM) and δ(ĴA⁻ᵀ) = A⁻ᵀδĴ − ĴA⁻ᵀδMᵀA⁻ᵀ.
//!
//! From k X Aᵀ = b̂ − r I and B = I − gB follows a form of the gradient whose terms are all small
//! where strains are, with t = tr g/d:
//!
//! ∂ψ/∂M = (μ (s g + (s − 1 + s t r) I − s (1 + t) r gB) + λ (Ĵ − 1) Ĵ I) A⁻ᵀ,
//!
//! and (μ (g − r gB) + λ (Ĵ − 1) Ĵ I) A⁻ᵀ for the plain form. The energy is that of the Finger
//! strain s b̂ − I or g, of second order as a whole.
//!
//! In strongly flattened matter the eigenvalues of b̂ are many orders apart, and results from its
//! entries lose as many digits. They are kept by the form below, since A is near I and b is the
//! same for the whole step: with b⁻¹ = NᵀN, K = N A⁻¹ and W = I + (r/k) K Kᵀ,
//!
//! B = Kᵀ W⁻¹ K / k, det b̂ = kᵈ (det A)² det b det W, Ĵ²/det b̂ = J²/(kᵈ det b det W).

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use super::oldroyd_b::{OldroydForm, root_less_one};
use super::positive::inverse_root;
use crate::finger_strain::{advected, is_small, stretch_energy};
use crate::potential::{
    Definiteness, Flow, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy,
    add_shear_viscosity, add_shear_viscosity_hessian,
};
use crate::{Dilatation, VolumeRatio};

/// The potential of a viscoelastic fluid. Parameters: μ, λ, ηJ/Δt \[Pa\], r = 1 − e^{−Δt/Wi},
/// J − 1 \[–\].
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
    /// r.
    relaxed: R,
    volume: VolumeRatio<R>,
    form: OldroydForm,
}

impl Potential for OldroydPotential {
    type Energy<R: Real> = OldroydEnergy<R>;
    const FLOW: Flow = Flow::WithinStep;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> OldroydEnergy<R> {
        let [mu, lambda, viscosity, relaxed, growth] = *parameters;
        OldroydEnergy {
            mu,
            lambda,
            viscosity,
            relaxed,
            volume: VolumeRatio { growth },
            form: self.form,
        }
    }
}

/// Least det A for which B and det b̂ are found from b and A. Below it, and for k below
/// [`MIN_DECAY_FACTOR`], the entries of b̂ are as accurate.
const MIN_VOLUME_FACTOR: f64 = 0.1;
/// Least k = e^{−Δt/Wi} for which they are.
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
}

impl<R: Real> OldroydEnergy<R> {
    /// k.
    #[inline(always)]
    fn decay(&self) -> R {
        R::one() - self.relaxed
    }

    /// b̂ and its inverse; `squared_less_one` is Ĵ² − 1.
    #[inline(always)]
    fn updated<const D: usize>(
        &self,
        h: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        squared_less_one: R,
    ) -> UpdatedStrain<R, D> {
        let (one, r, k) = (R::one(), self.relaxed, self.decay());
        let A = Matrix::identity() + *increment;
        let advected = advected(h, increment);
        let g = advected.mul_add(-r, advected);
        let (root, det) = inverse_root(&(Matrix::identity() + g));
        let B = root.transpose().times_own_transpose();
        let by_entries = (B, det, (one + squared_less_one) / det);

        let (N, det_of_b) = inverse_root(&(Matrix::identity() + *h));
        let det_of_A = A.determinant();
        let K = N * A.inverse();
        let gained = K.times_own_transpose();
        let W = gained.mul_add(r / k, Matrix::identity());
        let (root, det_of_W) = inverse_root(&W);
        let B = (root * K).transpose().times_own_transpose() * (one / k);
        let mut rest = det_of_b * det_of_W;
        for _ in 0..D {
            rest *= k;
        }
        let det = det_of_A.squared() * rest;
        let quotient = self.volume.ratio().squared() / rest;

        let is_moderate = det_of_A
            .gt(R::splat(MIN_VOLUME_FACTOR))
            .and(k.gt(R::splat(MIN_DECAY_FACTOR)));
        let det = R::select(is_moderate, det, by_entries.1);
        let quotient = R::select(is_moderate, quotient, by_entries.2);
        // Small strains know their volume best by its difference from one.
        let is_small = is_small(&g);
        let excess = R::select(is_small, g.determinant_excess(), det - one);
        let difference = (squared_less_one - excess) / det;
        UpdatedStrain {
            g,
            B: Matrix::select(is_moderate, B, by_entries.0),
            dilatation: Dilatation::new(det, excess),
            quotient: (quotient, R::select(is_small, difference, quotient - one)),
        }
    }

    #[inline(always)]
    fn trial<const D: usize>(&self, h: &Matrix<R, D>, increment: &Matrix<R, D>) -> Trial<R, D> {
        let mut volume = self.volume;
        volume.follow(increment);
        let is_possible = volume.ratio().gt(R::zero());
        volume.growth = R::select(is_possible, volume.growth, R::zero());
        let updated = self.updated(h, increment, squared_less_one(volume));
        let s_less_one = match self.form {
            OldroydForm::VolumePreserving => {
                let (quotient, difference) = updated.quotient;
                root_less_one::<R, D>(quotient, difference)
            }
            OldroydForm::Plain => R::zero(),
        };
        Trial {
            volume,
            is_possible,
            A_inverse: (Matrix::identity() + *increment).inverse(),
            updated,
            s_less_one,
        }
    }

    /// ψ without its viscous part \[J/m³\].
    #[inline(always)]
    fn elastic_energy<const D: usize>(&self, at: &Trial<R, D>) -> R {
        let half = R::splat(0.5);
        let UpdatedStrain { g, dilatation, .. } = &at.updated;
        let shape = match self.form {
            OldroydForm::VolumePreserving => {
                let s = R::one() + at.s_less_one;
                let elastic = g.mul_add(s, Matrix::from_scalar(at.s_less_one));
                let squared = at.volume.ratio().squared();
                let own = Dilatation::new(squared, squared_less_one(at.volume));
                stretch_energy(&elastic, &own)
            }
            OldroydForm::Plain => stretch_energy(g, dilatation),
        };
        half * (self.mu * shape + self.lambda * at.volume.growth.squared())
    }

    /// ∂ψ/∂M Aᵀ without its viscous part \[Pa\].
    #[inline(always)]
    fn kirchhoff<const D: usize>(&self, at: &Trial<R, D>) -> Matrix<R, D> {
        let UpdatedStrain { g, B, .. } = at.updated;
        let r = self.relaxed;
        let spherical = self.lambda * at.volume.growth * at.volume.ratio();
        let gB = (g * B).symmetric_part();
        let (s, t, own) = match self.form {
            OldroydForm::VolumePreserving => {
                let s = R::one() + at.s_less_one;
                let t = g.trace() * R::splat(1.0 / D as f64);
                (s, t, at.s_less_one + s * t * r)
            }
            OldroydForm::Plain => (R::one(), R::zero(), R::zero()),
        };
        let relaxing = gB * -(self.mu * s * (R::one() + t) * r);
        g.mul_add(
            self.mu * s,
            relaxing + Matrix::from_scalar(self.mu.mul_add(own, spherical)),
        )
    }

    /// Change of the gradient for a change dM of the increment.
    #[inline(always)]
    fn gradient_change<const D: usize>(
        &self,
        b: &Matrix<R, D>,
        X: &Matrix<R, D>,
        at: &Trial<R, D>,
        dM: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let (one, two) = (R::one(), R::splat(2.0));
        let share = R::splat(1.0 / D as f64);
        let UpdatedStrain { g, B, .. } = at.updated;
        let k = self.decay();
        let J = at.volume.ratio();
        let db = (*dM * X.transpose()).symmetric_part() * (two * k);
        // δ(b̂⁻¹) = −B δb̂ B.
        let BdbB = B * db * B;
        // δĴ/Ĵ.
        let growth = (at.A_inverse * *dM).trace();
        // φĴ, and its change.
        let volumetric = self.lambda * at.volume.growth * J;
        let dvolumetric = self.lambda * (J + at.volume.growth) * J * growth;
        let (Q, dQ, push, dpush) = match self.form {
            OldroydForm::VolumePreserving => {
                let s = one + at.s_less_one;
                let T = R::splat(D as f64) + g.trace();
                let dT = db.trace();
                let ds = s * share * (two * growth - B.contract(db));
                let shape = Matrix::identity() - B * (T * share);
                let dQ = shape * ds - (B * dT - BdbB * T) * (s * share);
                let dsT = T * ds + s * dT;
                let push = self.mu * (s * T * share - one);
                (shape * s, dQ, push, self.mu * dsT * share)
            }
            OldroydForm::Plain => (Matrix::identity() - B, BdbB, R::zero(), R::zero()),
        };
        let shape = (dQ * *X + Q * (*dM * *b)) * (self.mu * k);
        let turned = at.A_inverse.transpose();
        let change = turned * (dvolumetric + dpush);
        let back = turned * dM.transpose() * turned;
        shape + change - back * (volumetric + push)
    }
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
            gradient: self.kirchhoff(&at) * at.A_inverse.transpose(),
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
        let b = Matrix::identity() + *strain;
        let X = b + *increment * b;
        let mut H = [[R::zero(); 9]; 9];
        for column in 0..D * D {
            let mut dM = Matrix::zero();
            dM[column / D][column % D] = R::one();
            let change = self.gradient_change(&b, &X, &at, &dM);
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
            relaxed: R::splat(1.0 / 16384.0),
            volume: VolumeRatio::new(R::splat(STRETCH.iter().product())),
            form: OldroydForm::VolumePreserving,
        }
    }

    /// h of squeezed matter.
    fn squeezed() -> Matrix<f32, 3> {
        let mut h = Matrix::zero();
        for i in 0..3 {
            for j in 0..3 {
                let share = |k: usize| TURN[i][k] * (STRETCH[k].powi(2) - 1.0) * TURN[j][k];
                h[i][j] = (share(0) + share(1) + share(2)) as f32;
            }
        }
        h.symmetric_part()
    }

    fn wide(m: Matrix<f32, 3>) -> Matrix<f64, 3> {
        Matrix(m.0.map(|row| row.map(f64::from)))
    }

    /// Solvers need accurate differences of the stress between increments more than the stress
    /// itself, which has no more digits than the strain.
    #[test]
    fn slopes_of_squeezed_matter_change_smoothly_in_single_precision() {
        let h = squeezed();
        let by_entries = |M: &Matrix<f32, 3>| {
            let g = advected(&h, M) * sponge::<f32>().decay();
            (Matrix::identity() + g).inverse()
        };
        let mut worst = [0.0_f64; 2];
        for step in 0..100 {
            let part = 1e-4 * f64::from(step);
            let increment = Matrix(TURN.map(|row| row.map(|x| (part * x) as f32)));
            let next = increment + Matrix(TURN.map(|row| row.map(|x| 1e-5 * x as f32)));
            let [first, second] =
                [increment, next].map(|M| wide(sponge::<f32>().gradient(&h, &M).gradient));
            let exact =
                [increment, next].map(|M| sponge::<f64>().gradient(&wide(h), &wide(M)).gradient);
            let noise = (second - first - (exact[1] - exact[0]))
                .norm_squared()
                .sqrt();
            let size = exact[0].norm_squared().sqrt();
            worst[0] = worst[0].max(noise / size);
            let trial = sponge::<f64>().trial(&wide(h), &wide(increment));
            let lost = wide(by_entries(&increment)) - trial.updated.B;
            let size = trial.updated.B.norm_squared().sqrt();
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
        let h = wide(squeezed());
        let b = Matrix::identity() + h;
        for (decay, part) in [(0.999, 0.1), (0.51, -0.05), (0.49, 0.1)] {
            let energy = OldroydEnergy {
                relaxed: 1.0 - decay,
                ..sponge::<f64>()
            };
            let increment = Matrix(TURN) * part;
            let at = energy.trial(&h, &increment);
            let A = Matrix::identity() + increment;
            let advected = (A * b * A.transpose()).symmetric_part();
            let strain = advected.mul_add(decay, Matrix::from_scalar(1.0 - decay));
            let det = at.updated.dilatation.determinant();
            assert!((strain.determinant() / det - 1.0).abs() < 1e-9);
            let quotient = at.volume.ratio().powi(2) / strain.determinant();
            assert!((at.updated.quotient.0 / quotient - 1.0).abs() < 1e-9);
            let one = at.updated.B * strain;
            assert!((one - Matrix::identity()).norm_squared() < 1e-18, "{one:?}");
            // The stress as the gradient by Q and φ.
            let (mu, J) = (energy.mu, at.volume.ratio());
            let s = quotient.powf(1.0 / 3.0);
            let mean = s * strain.trace() / 3.0;
            let Q = (Matrix::identity() - at.updated.B * (strain.trace() / 3.0)) * s;
            let push = mu * (mean - 1.0) + energy.lambda * (J - 1.0) * J;
            let expected = Q * A * b * A.transpose() * (mu * decay) + Matrix::from_scalar(push);
            let error = energy.kirchhoff(&at) - expected;
            let size = expected.norm_squared();
            assert!(error.norm_squared() < 1e-18 * size, "{error:?}");
        }
    }
    /// With 1 + tr M in the place of det A, a turn that also grows by 3/(1 + 2 cos α) would cost
    /// nothing.
    #[test]
    fn a_turning_body_resists_growth() {
        let energy = OldroydEnergy {
            volume: VolumeRatio::new(1.0),
            relaxed: 0.0,
            ..sponge::<f64>()
        };
        let (s, c) = 0.3_f64.sin_cos();
        let turn = Matrix([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
        let psi = |scale: f64| {
            let increment = turn * scale - Matrix::identity();
            energy.gradient(&Matrix::zero(), &increment).energy
        };
        assert!(psi(1.0) < 1e-20 * energy.mu);
        let growing = 3.0 / (1.0 + 2.0 * c);
        let growth = growing.powi(3) - 1.0;
        assert!(psi(growing) > 0.49 * energy.lambda * growth * growth);
    }
}
