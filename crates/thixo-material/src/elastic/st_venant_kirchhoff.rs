//! St. Venant-Kirchhoff elasticity: Hooke's law between Green strain and second
//! Piola-Kirchhoff stress.
//!
//! ψ = μ Σ e_i² + λ/2 (Σ e_i)² with the principal Green strains e_i = (σ_i² − 1)/2. The principal
//! Kirchhoff stresses are τ_i = σ_i² (2μ e_i + λ Σ e_k). \[Nilles2020\] eq. (70).
//!
//! With q_i = σ_i² and t = λ Σ e_k, d²ψ is at most λ Σ q² + max(q (3μq + t − μ), μq²) at
//! the largest q: the diagonal of G has q_i (3μq_i + t − μ) δ_ij + λ q_i q_j; pairs have
//! a = μ(q_i + q_j − 1) + t and a q_j − τ_j = μ q_i q_j.
//!
//! For large turns and small strains. Compressed beyond σ = 1/√3 it softens, and it has no strength
//! left to prevent inversion: use another law there.

#![allow(non_snake_case)]

use thixo_math::{Real, Vector};

use super::{MODULI, checked_lame, lame, moduli};
use crate::description::{Appearance, Description, LongSteps, Values};
use crate::law::LawResult;
use crate::parameters::ParameterError;
use crate::principal::{Moduli, PrincipalLaw, StretchBounds, squared_stretch, sum};

/// St. Venant-Kirchhoff solid with Lamé's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff<R = f64> {
    /// Shear modulus μ ≥ 0 \[Pa\].
    mu: R,
    /// Lamé's λ > −2μ/3 \[Pa\].
    lambda: R,
}

impl StVenantKirchhoff {
    /// From Young's modulus E > 0 \[Pa\] and Poisson's ratio −1 < ν < ½.
    pub fn from_young_poisson(
        young_modulus: f64,
        poisson_ratio: f64,
    ) -> Result<Self, ParameterError> {
        let (mu, lambda) = lame(young_modulus, poisson_ratio)?;
        Ok(Self { mu, lambda })
    }
    /// From Lamé's μ ≥ 0 and λ > −2μ/3 \[Pa\].
    pub fn from_lame(mu: f64, lambda: f64) -> Result<Self, ParameterError> {
        let (mu, lambda) = checked_lame(mu, lambda)?;
        Ok(Self { mu, lambda })
    }
}

isotropic!(StVenantKirchhoff, "st_venant_kirchhoff");
model_of_stretches!(StVenantKirchhoff);

impl<R: Real> PrincipalLaw<R> for StVenantKirchhoff<R> {
    #[inline(always)]
    fn energy<const D: usize>(&self, strains: &Vector<R, D>) -> R {
        let half = R::splat(0.5);
        let green = *strains * half;
        self.mu * green.norm_squared() + half * self.lambda * sum(&green).squared()
    }
    #[inline(always)]
    fn kirchhoff<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D> {
        let push = self.lambda * R::splat(0.5) * sum(strains);
        let mut tau = Vector::zero();
        for i in 0..D {
            tau[i] = squared_stretch(strains[i]) * self.mu.mul_add(strains[i], push);
        }
        tau
    }
    #[inline(always)]
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R {
        let q = bounds.highest.squared();
        let green = R::splat(0.5) * (bounds.sum_of_squares - R::splat(D as f64));
        let push = self.lambda * green;
        let along = q * (R::splat(3.0) * self.mu * q + push - self.mu);
        let across = self.mu * q * q;
        let volume = self.lambda.max(R::zero()) * q * bounds.sum_of_squares;
        volume + along.max(across)
    }
    #[inline(always)]
    fn moduli<const D: usize>(&self, strains: &Vector<R, D>) -> Moduli<R, D> {
        let q = |i: usize| squared_stretch(strains[i]);
        let push = self.lambda * R::splat(0.5) * sum(strains);
        Moduli::of(
            |i, j| {
                let both = self.lambda * q(i) * q(j);
                if i == j {
                    let own = self.mu.mul_add(q(i) + q(i) - R::one(), push);
                    (q(i) + q(i)).mul_add(own, both)
                } else {
                    both
                }
            },
            |i, j| self.mu.mul_add(q(i) + q(j) - R::one(), push),
        )
    }
    #[inline(always)]
    fn scaled(self, factor: R) -> Self {
        Self {
            mu: self.mu * factor,
            lambda: self.lambda * factor,
        }
    }
    #[inline(always)]
    fn parameters(&self) -> [R; 2] {
        [self.mu, self.lambda]
    }
}

compiled!(StVenantKirchhoff);

/// `model = "st_venant_kirchhoff"`.
pub static DESCRIPTION: Description = Description {
    name: "st_venant_kirchhoff",
    about: "large turns, small strains",
    reference: "[Nilles2020] eq. (70)",
    keys: MODULI,
    rules: &[],
    presets: &[],
    long_steps: LongSteps::Served,
    appearance: Appearance::Solid,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let solid = StVenantKirchhoff::from_young_poisson(young_modulus, poisson_ratio)?;
    Ok(Box::new(solid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::principal::finger_strains;

    #[test]
    fn st_venant_kirchhoff_conforms() {
        let law = StVenantKirchhoff::from_young_poisson(1.0e4, 0.3).unwrap();
        conformance::check(&law);
        conformance::check_small_strain::<_, 2>(&law, law.mu, law.lambda);
        conformance::check_small_strain::<_, 3>(&law, law.mu, law.lambda);
    }

    #[test]
    fn the_stiffness_is_a_bound() {
        for nu in [-0.3, 0.0, 0.3, 0.45] {
            let law = StVenantKirchhoff::from_young_poisson(1.0e4, nu).unwrap();
            conformance::check_stiffness(&law);
        }
    }

    #[test]
    fn uniaxial_stretch_by_hand() {
        let law = StVenantKirchhoff {
            mu: 3.0,
            lambda: 5.0,
        };
        // σ = (2, 1, 1), e = (3/2, 0, 0): τ_1 = 4 (9 + 7.5), τ_2 = 7.5, ψ = 3·9/4 + 5/2·9/4.
        let strains = finger_strains(&Vector([2.0, 1.0, 1.0]));
        assert_eq!(law.kirchhoff(&strains), Vector([66.0, 7.5, 7.5]));
        assert_eq!(law.energy(&strains), 12.375);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        assert!(StVenantKirchhoff::from_young_poisson(f64::NAN, 0.3).is_err());
        assert!(StVenantKirchhoff::from_lame(1.0, -1.0).is_err());
    }
}
