//! Neo-Hookean elasticity: rubber, jelly, soft tissue at any strain.
//!
//! ψ = μ/2 (tr b − d) − μ ln J + λ/2 (ln J)², with b = F Fᵀ and J = det F, gives the Kirchhoff stress
//! τ = μ (b − I) + λ ln J I. \[Jiang2016\] eq. (48)–(49); \[Jiang2015thesis\] §3.1.2 with errata E4.
//!
//! The stress increment for a velocity gradient L is λ tr L I + (μ − λ ln J) Lᵀ + μ L b, whose norm is at most
//! dλ + |μ − λ ln J| + μ |b|: the stiffness of the time-step limit, dλ + 2μ at rest.
//!
//! Defined for det F > 0; the energy grows without bound as J → 0.

#![allow(non_snake_case)]

use thixo_math::{Matrix, Real};

use super::lame;
use crate::error::BuildError;
use crate::material::{Constitutive, MAX_PARAMETERS, Model};

/// Neo-Hookean solid with Lamé's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean<R = f64> {
    /// Shear modulus μ > 0 \[Pa\].
    mu: R,
    /// Lamé's λ \[Pa\].
    lambda: R,
}

impl NeoHookean {
    /// From Young's modulus E > 0 \[Pa\] and Poisson's ratio −1 < ν < ½.
    pub fn from_young_poisson(young_modulus: f64, poisson_ratio: f64) -> Result<Self, BuildError> {
        let (mu, lambda) = lame(young_modulus, poisson_ratio)?;
        Ok(Self { mu, lambda })
    }
}

impl Constitutive for NeoHookean {
    type Model<R: Real> = NeoHookean<R>;
    const NAME: &'static str = "neo_hookean";
    const PARAMETERS: &'static [&'static str] = &["mu", "lambda"];

    fn parameters(&self) -> Vec<f64> {
        vec![self.mu, self.lambda]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> NeoHookean<R> {
        let [mu, lambda, ..] = *parameters;
        NeoHookean { mu, lambda }
    }
}

impl<R: Real> Model<R> for NeoHookean<R> {
    type State<const D: usize> = Matrix<R, D>;

    #[inline(always)]
    fn energy_density<const D: usize>(&self, F: &Matrix<R, D>) -> Option<R> {
        let log_J = F.determinant().ln();
        let half = R::splat(0.5);
        let shear = half * self.mu * (F.norm_squared() - R::splat(D as f64));
        Some(shear - self.mu * log_J + half * self.lambda * log_J * log_J)
    }

    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        F: &Matrix<R, D>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let b = F.times_own_transpose();
        let pressure_part = self.lambda.mul_add(F.determinant().ln(), -self.mu);
        b.mul_add(self.mu, Matrix::from_scalar(pressure_part))
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, F: &Matrix<R, D>) -> R {
        let b = F.times_own_transpose();
        // The largest eigenvalue of b is at most its largest row sum (Gershgorin).
        let mut stretch = R::zero();
        for i in 0..D {
            let mut row = b[i][i];
            for j in 0..D {
                if j != i {
                    row += b[i][j].abs();
                }
            }
            stretch = row.max(stretch);
        }
        let shear = (self.mu - self.lambda * F.determinant().ln()).abs();
        R::splat(D as f64) * self.lambda.max(R::zero()) + shear + self.mu * stretch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::conformance;

    #[test]
    fn neo_hookean_conforms() {
        let rubber = NeoHookean::from_young_poisson(1.0e4, 0.3).unwrap();
        conformance::check(&rubber);
    }

    #[test]
    fn the_modulus_at_rest_is_d_lambda_plus_two_mu() {
        let model = NeoHookean {
            mu: 3.0,
            lambda: 5.0,
        };
        assert_eq!(
            model.stiffness(&Matrix::<f64, 3>::identity()),
            3.0 * 5.0 + 2.0 * 3.0
        );
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for (e, nu) in [
            (0.0, 0.3),
            (-1.0, 0.3),
            (f64::NAN, 0.3),
            (1.0, 0.5),
            (1.0, -1.0),
            (1.0, f64::NAN),
        ] {
            assert!(NeoHookean::from_young_poisson(e, nu).is_err(), "{e} {nu}");
        }
    }
}
