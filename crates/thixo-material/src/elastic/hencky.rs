//! Hencky elasticity: Hooke's law between logarithmic strain and Kirchhoff stress.
//!
//! ψ = μ Σ (ln σ_i)² + λ/2 (Σ ln σ_i)² gives τ_i = 2μ ln σ_i + λ ln J.
//! \[Nilles2020\] eq. (71)–(73): the stress of eq. (71) is the Kirchhoff stress (errata E34).
//!
//! With l_i = ln σ_i, d²ψ is at most the larger of dλ + max(2μ − τ_i), from 2μ δ_ij + λ − τ_i δ_ij
//! for the diagonal of G, and, for a pair, A + √(μ²δ² + (A − T)²), with δ = l_i − l_j,
//! T = (τ_i + τ_j)/2 and A = μ δ coth δ ≤ μ √(1 + δ²).
//!
//! Defined for det F > 0. The stress grows only as a logarithm: matter that is compressed
//! to nothing costs the energy of a square of ln J, and strongly stretched matter softens.

#![allow(non_snake_case)]

use thixo_math::{Real, Vector};

use super::{MODULI, checked_lame, lame, moduli};
use crate::description::{Appearance, Description, LongSteps, Values};
use crate::law::LawResult;
use crate::parameters::ParameterError;
use crate::principal::{Moduli, PrincipalLaw, StretchBounds, log_stretch};

/// Hencky solid with Lamé's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hencky<R = f64> {
    /// Shear modulus μ ≥ 0 \[Pa\].
    mu: R,
    /// Lamé's λ > −2μ/3 \[Pa\].
    lambda: R,
}

impl Hencky {
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

isotropic!(Hencky, "hencky", {
    logarithmic_volume!();

    /// μ = 0, and the bulk modulus K = λ + 2μ/d in λ.
    fn molten<const D: usize>(&self) -> Option<Vec<f64>> {
        Some(vec![0.0, self.lambda + 2.0 * self.mu / D as f64])
    }
});
model_of_stretches!(Hencky);

impl<R: Real> PrincipalLaw<R> for Hencky<R> {
    #[inline(always)]
    fn energy<const D: usize>(&self, strains: &Vector<R, D>) -> R {
        let (mut squares, mut total) = (R::zero(), R::zero());
        for i in 0..D {
            let strain = log_stretch(strains[i]);
            squares += strain.squared();
            total += strain;
        }
        self.mu * squares + R::splat(0.5) * self.lambda * total.squared()
    }
    #[inline(always)]
    fn kirchhoff<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D> {
        let mut strain = *strains;
        let mut total = R::zero();
        for i in 0..D {
            strain[i] = log_stretch(strain[i]);
            total += strain[i];
        }
        let pressure_part = self.lambda * total;
        let two_mu = self.mu + self.mu;
        let mut tau = Vector::zero();
        for i in 0..D {
            tau[i] = two_mu.mul_add(strain[i], pressure_part);
        }
        tau
    }
    #[inline(always)]
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R {
        let (low, high) = (bounds.lowest.ln(), bounds.highest.ln());
        let log_j = bounds.log_volume_ratio;
        let two_mu = self.mu + self.mu;
        let push = self.lambda * log_j;
        let volume = R::splat(D as f64) * self.lambda.max(R::zero());
        let along = volume + two_mu - two_mu * low - push;
        let shear = self.mu * (high - low);
        let middle = self.mu * (R::one() + (high - low).squared()).sqrt();
        // l_i + l_j is ln J less the third of them, if there is one.
        let others = R::splat(D as f64 - 2.0);
        let least = middle - self.mu * (log_j - others * low) - push;
        let most = middle - self.mu * (log_j - others * high) - push;
        let off = least.abs().max(most.abs());
        let across = middle + (shear.squared() + off.squared()).sqrt();
        along.max(across)
    }
    #[inline(always)]
    fn moduli<const D: usize>(&self, strains: &Vector<R, D>) -> Moduli<R, D> {
        let two_mu = self.mu + self.mu;
        Moduli::of(
            |i, j| {
                if i == j {
                    self.lambda + two_mu
                } else {
                    self.lambda
                }
            },
            |i, j| self.mu * log_quotient(strains[i], strains[j]),
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

/// (ln(1 + a) − ln(1 + b))/(a − b), also where a and b are nearly equal: with
/// t = (a − b)/(2 + a + b) it is 2 artanh(t)/t/(2 + a + b).
#[inline(always)]
pub(crate) fn log_quotient<R: Real>(a: R, b: R) -> R {
    let (difference, total) = (a - b, R::splat(2.0) + (a + b));
    let near = difference.abs().lt(R::splat(0.05) * total);
    let t = (difference / total).squared();
    // artanh(t)/t = 1 + t²/3 + t⁴/5 + …; the rest is below 0.05¹⁴/15.
    let mut series = R::splat(1.0 / 13.0);
    for k in [11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series.mul_add(t, R::splat(1.0 / k));
    }
    let far = (a.ln_1p() - b.ln_1p()) / R::select(near, R::one(), difference);
    R::select(near, (series + series) / total, far)
}

compiled!(Hencky);

/// `model = "hencky"`.
pub static DESCRIPTION: Description = Description {
    name: "hencky",
    about: "Hooke's law of the logarithmic strain",
    reference: "[Nilles2020] eq. (71) to (73); errata E34",
    keys: MODULI,
    rules: &[],
    presets: &[],
    long_steps: LongSteps::Served,
    appearance: Appearance::Solid,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let solid = Hencky::from_young_poisson(young_modulus, poisson_ratio)?;
    Ok(Box::new(solid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::principal::finger_strains;

    #[test]
    fn hencky_conforms() {
        let law = Hencky::from_young_poisson(1.0e4, 0.3).unwrap();
        conformance::check(&law);
        conformance::check_small_strain::<_, 2>(&law, law.mu, law.lambda);
        conformance::check_small_strain::<_, 3>(&law, law.mu, law.lambda);
    }

    #[test]
    fn the_deviatoric_part_has_no_pressure_and_the_rest_is_pressure() {
        conformance::check_split(&Hencky::from_lame(3.0, 5.0).unwrap());
    }

    #[test]
    fn the_stiffness_is_a_bound() {
        for nu in [-0.3, 0.0, 0.3, 0.45] {
            let law = Hencky::from_young_poisson(1.0e4, nu).unwrap();
            conformance::check_stiffness(&law);
        }
    }

    #[test]
    fn uniaxial_stretch_by_hand() {
        let law = Hencky {
            mu: 3.0,
            lambda: 5.0,
        };
        // σ = (e², 1, 1): strains (2, 0, 0), τ_1 = 2·3·2 + 5·2, τ_2 = 10, ψ = 3·4 + 5/2·4.
        let strains = finger_strains(&Vector([2.0_f64.exp(), 1.0, 1.0]));
        let tau = law.kirchhoff(&strains);
        assert!((tau[0] - 22.0).abs() < 1e-13 && (tau[1] - 10.0).abs() < 1e-13);
        assert!((law.energy(&strains) - 22.0).abs() < 1e-13);
    }

    #[test]
    fn equal_and_opposite_strains_have_equal_and_opposite_stresses() {
        let law = Hencky {
            mu: 3.0,
            lambda: 5.0,
        };
        let pulled = law.kirchhoff(&finger_strains(&Vector([1.25, 0.8, 2.0])));
        let pushed = law.kirchhoff(&finger_strains(&Vector([0.8, 1.25, 0.5])));
        for i in 0..3 {
            assert!((pulled[i] + pushed[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        assert!(Hencky::from_young_poisson(1.0, f64::NAN).is_err());
        assert!(Hencky::from_lame(f64::INFINITY, 1.0).is_err());
    }
}
