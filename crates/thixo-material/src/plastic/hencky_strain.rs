//! Hencky strain in its principal axes, and the stress that follows from it linearly.
//!
//! ε = ½ ln(I + h) = Σ ln σ_i n_i n_iᵀ of the Finger strain h = b − I,
//! ψ = μ tr ε² + λ/2 (tr ε)², τ = 2μ ε + λ tr ε I.
//! \[Nilles2020\] eq. (71)–(72) with errata E34 (that is τ, not σ); \[Qu2023\] eq. (2).
//! Volume and shape are decoupled: tr τ = (dλ + 2μ) tr ε, dev τ = 2μ dev ε.
//!
//! Stiffness. In principal axes the increment of P Fᵀ for a velocity gradient L is
//! λ tr L + (2μ − τ_i) L_ii on the diagonal; beside it stand two shear moduli with the sum
//! 2μ x coth x ≤ 2μ (1 + |x|), x = ln(σ_i/σ_j), and once more the stress. Its norm is at most
//! dλ + 2μ (1 + max |x|) + max |τ_i|: dλ + 2μ at rest. The stretches of that bound need no
//! decomposition: eigenvalues of b are within √((d−1)/d) ‖dev b‖ of their mean (exact for d = 2),
//! and the smallest is at least det b over the largest to the power d − 1.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real, Vector};

use crate::Dilatation;
use crate::elastic::lame;
use crate::parameters::ParameterError;
use crate::principal::{Principal, sum};

/// Moduli of the elasticity that is linear in the Hencky strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HenckyModuli<R = f64> {
    /// Shear modulus μ > 0 \[Pa\].
    pub mu: R,
    /// Lamé's λ \[Pa\].
    pub lambda: R,
}

impl HenckyModuli {
    /// From Young's modulus E > 0 \[Pa\] and Poisson's ratio −1 < ν < ½.
    pub fn from_young_poisson(
        young_modulus: f64,
        poisson_ratio: f64,
    ) -> Result<Self, ParameterError> {
        let (mu, lambda) = lame(young_modulus, poisson_ratio)?;
        Ok(Self { mu, lambda })
    }
}

impl<R: Real> HenckyModuli<R> {
    /// dλ + 2μ, the modulus between tr ε and tr τ \[Pa\].
    #[inline(always)]
    pub fn trace_modulus<const D: usize>(&self) -> R {
        self.lambda
            .mul_add(R::splat(D as f64), self.mu * R::splat(2.0))
    }
    /// Principal Kirchhoff stresses \[Pa\] of principal Hencky strains.
    #[inline(always)]
    pub fn stresses<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D> {
        let pressure_part = self.lambda * sum(strains);
        let two_mu = self.mu * R::splat(2.0);
        let mut out = *strains;
        for i in 0..D {
            out[i] = strains[i].mul_add(two_mu, pressure_part);
        }
        out
    }
    /// Kirchhoff stress \[Pa\] of an elastic Finger strain.
    #[inline(always)]
    pub fn kirchhoff<const D: usize>(&self, h: &Matrix<R, D>) -> Matrix<R, D> {
        let principal = Principal::of_finger_strain(h);
        principal.compose(&self.stresses(&principal.hencky()))
    }
    /// Energy density per rest volume \[J/m³\] of an elastic Finger strain.
    #[inline(always)]
    pub fn energy<const D: usize>(&self, h: &Matrix<R, D>) -> R {
        let strains = Principal::of_finger_strain(h).hencky();
        let volumetric = R::splat(0.5) * self.lambda * sum(&strains).squared();
        self.mu.mul_add(strains.norm_squared(), volumetric)
    }
    /// An upper bound of the modulus of the stress increment \[Pa\], without a decomposition.
    #[inline(always)]
    pub fn stiffness<const D: usize>(&self, h: &Matrix<R, D>) -> R {
        let half = R::splat(0.5);
        let tiny = R::splat(R::MIN_POSITIVE);
        let mean = h.trace().mul_add(R::splat(1.0 / D as f64), R::one());
        let reach = ((D as f64 - 1.0) / D as f64).sqrt();
        let radius = h.deviator().norm_squared().sqrt() * R::splat(reach);
        let dilatation = Dilatation::of(h);
        let largest = (mean + radius).max(tiny);
        let mut from_det = dilatation.determinant();
        for _ in 1..D {
            from_det /= largest;
        }
        let smallest = (mean - radius).max(from_det).max(tiny);
        let high = half * largest.ln();
        let low = half * smallest.ln();
        let two_mu = self.mu * R::splat(2.0);
        let stress =
            two_mu * high.abs().max(low.abs()) + (self.lambda * dilatation.log_ratio()).abs();
        let rest = self.lambda.max(R::zero()) * R::splat(D as f64) + two_mu;
        rest + two_mu * (high - low) + stress
    }
}

/// A Hencky strain, split into volume and shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct HenckyStrain<R, const D: usize> {
    /// Axes, and the Finger strains it was taken from.
    pub principal: Principal<R, D>,
    /// Principal values.
    pub values: Vector<R, D>,
    /// tr ε.
    pub trace: R,
    /// dev ε, with 1/d.
    pub deviator: Vector<R, D>,
    /// ‖dev ε‖.
    pub deviator_norm: R,
}

impl<R: Real, const D: usize> HenckyStrain<R, D> {
    /// Of an elastic Finger strain.
    #[inline(always)]
    pub fn of(h: &Matrix<R, D>) -> Self {
        let principal = Principal::of_finger_strain(h);
        Self::split(principal, principal.hencky())
    }
    /// With other principal values in the same axes.
    #[inline(always)]
    pub fn split(principal: Principal<R, D>, values: Vector<R, D>) -> Self {
        let trace = sum(&values);
        let deviator = shifted(&values, trace * R::splat(-1.0 / D as f64));
        Self {
            principal,
            values,
            trace,
            deviator,
            deviator_norm: deviator.norm(),
        }
    }
    /// Principal values with the deviator times a factor where `yields`; unchanged elsewhere.
    #[inline(always)]
    pub fn with_deviator_times(&self, factor: R, yields: R::Mask) -> Vector<R, D> {
        let flowed = shifted(
            &(self.deviator * factor),
            self.trace * R::splat(1.0 / D as f64),
        );
        Vector::select(yields, flowed, self.values)
    }
    /// h = Σ (exp(2 values_i) − 1) n_i n_iᵀ where `changed`; the given h elsewhere, to the last
    /// digit.
    #[inline(always)]
    pub fn rebuild(
        &self,
        values: &Vector<R, D>,
        changed: R::Mask,
        h: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        if !changed.any() {
            return *h;
        }
        let mut strains = *values;
        for i in 0..D {
            strains[i] = (values[i] + values[i]).exp_m1();
        }
        Matrix::select(changed, self.principal.compose(&strains), *h)
    }
}

/// Every component plus the same number.
#[inline(always)]
pub(super) fn shifted<R: Real, const D: usize>(values: &Vector<R, D>, by: R) -> Vector<R, D> {
    let mut out = *values;
    for i in 0..D {
        out[i] = values[i] + by;
    }
    out
}

/// ‖dev τ‖ at yield, s_Y = √(2/3) σ_Y, for a yield stress σ_Y in tension. \[Qu2023\] eq. (3).
#[inline(always)]
pub(super) fn yield_norm<R: Real>(yield_stress: R) -> R {
    yield_stress * R::splat((2.0_f64 / 3.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finger<const D: usize>(f: &Matrix<f64, D>) -> Matrix<f64, D> {
        f.times_own_transpose() - Matrix::identity()
    }

    /// Largest ‖δ(P Fᵀ)‖/‖L‖ found by differences over many directions.
    fn largest_modulus<const D: usize>(moduli: &HenckyModuli, f: &Matrix<f64, D>) -> f64 {
        let mut seed = 7u64;
        let mut noise = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        // P Fᵀ with F frozen in the second factor: τ(F + δF) (F + δF)⁻ᵀ Fᵀ.
        let piola = |g: &Matrix<f64, D>| {
            moduli.kirchhoff(&finger(g)) * g.inverse().transpose() * f.transpose()
        };
        let mut largest = 0.0f64;
        for k in 0..300 {
            let mut l = Matrix::<f64, D>::zero();
            for i in 0..D {
                for j in 0..D {
                    l[i][j] = noise();
                }
            }
            if k == 0 {
                l = Matrix::identity();
            }
            if k == 1 {
                l = Matrix::zero();
                l[0][D - 1] = 1.0;
            }
            if k == 2 {
                l = Matrix::zero();
                l[D - 1][0] = 1.0;
            }
            let e = 1e-6;
            let change = piola(&(*f + l * *f * e)) - piola(&(*f - l * *f * e));
            let modulus = change.norm_squared().sqrt() / (2.0 * e) / l.norm_squared().sqrt();
            largest = largest.max(modulus);
        }
        largest
    }

    #[test]
    fn stiffness_is_an_upper_bound_and_tight_at_rest() {
        let moduli = HenckyModuli::from_young_poisson(1.0e4, 0.3).unwrap();
        let rest = moduli.stiffness(&Matrix::<f64, 3>::zero());
        assert!((rest / (3.0 * moduli.lambda + 2.0 * moduli.mu) - 1.0).abs() < 1e-12);
        let states = [
            [1.0, 1.0, 1.0],
            [1.5, 1.0, 0.6],
            [3.0, 1.0, 1.0],
            [0.3, 0.3, 0.3],
            [0.2, 1.0, 2.0],
        ];
        for [x, y, z] in states {
            let f = Matrix([[x, 0.2, 0.0], [0.1, y, -0.1], [0.0, 0.3, z]]);
            let modulus = largest_modulus(&moduli, &f);
            let bound = moduli.stiffness(&finger(&f));
            assert!(modulus <= bound * (1.0 + 1e-6), "{modulus} above {bound}");
            let plane = Matrix([[x, 0.2], [0.1, y]]);
            let modulus = largest_modulus(&moduli, &plane);
            let bound = moduli.stiffness(&finger(&plane));
            assert!(modulus <= bound * (1.0 + 1e-6), "{modulus} above {bound}");
        }
    }

    #[test]
    fn the_strain_of_a_stretch_is_its_logarithm() {
        let h = Matrix::from_diagonal(Vector([3.0, 0.0, -0.75]));
        let strain = HenckyStrain::of(&h);
        assert!(strain.trace.abs() < 1e-15);
        assert!((strain.deviator_norm - 2.0f64.ln() * 2.0f64.sqrt()).abs() < 1e-14);
        let rebuilt = strain.rebuild(&strain.values, true, &Matrix::zero());
        assert!((rebuilt - h).norm_squared().sqrt() < 1e-14);
    }
}
