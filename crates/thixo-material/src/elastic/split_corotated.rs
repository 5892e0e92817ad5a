//! Fixed corotated elasticity split into shape and volume: shear energy that volume
//! changes leave alone.
//!
//! ψ = μ Σ (s_i − 1)² + λ/2 (J − 1)² with the stretches at unit volume s_i = J^{−1/d} σ_i.
//! The principal Kirchhoff stresses are τ_i = 2μ (g_i − ḡ) + λ J (J − 1), g_i = s_i (s_i − 1),
//! ḡ their mean. \[Jiang2015thesis\] eq. (6.5)–(6.8) and appendix D, for matter that melts
//! and freezes: ψ stays the same when μ changes in a state without shear.
//!
//! λ alone resists volume change here: for small strain it is the bulk modulus, and the solid is
//! the linear elastic one of Lamé's λ − 2μ/d. [`SplitCorotated::from_young_poisson`] adds the 2μ/d.
//!
//! The part of d²ψ due to μ is at most 2μ (2 s_max² − s_max + ḡ − min g): for the diagonal of G it
//! is 2μ (P diag(2s² − s) P + ḡ I − diag(g)), P = I − 11ᵀ/d, and ḡ ≤ Σ s²/d − 1 since Σ s ≥ d.
//!
//! Defined for det F > 0.

#![allow(non_snake_case)]

use thixo_math::{Real, Vector};

use super::{checked_lame, dilational_stiffness, lame};
use crate::description::{Appearance, Description, Key, LongSteps, Values};
use crate::law::LawResult;
use crate::parameters::{POISSON_RATIO_TO_HALF, ParameterError, YOUNG_MODULUS};
use crate::principal::{Moduli, PrincipalLaw, StretchBounds, log_stretch, stretch_growth, sum};
use crate::{Dilatation, MAX_PARAMETERS, PressureResponse};

/// Split corotated solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitCorotated<R = f64> {
    /// Shear modulus μ ≥ 0 \[Pa\].
    mu: R,
    /// Modulus of volume change λ > 0 \[Pa\]; infinite for incompressible matter.
    lambda: R,
}

impl SplitCorotated {
    /// The solid whose small strains in `dimension` 2 (plane strain) or 3 are those of Young's
    /// modulus E > 0 \[Pa\] and Poisson's ratio −1 < ν ≤ ½. With ν = ½ it is incompressible, and
    /// its pressure known to a projection only.
    pub fn from_young_poisson(
        young_modulus: f64,
        poisson_ratio: f64,
        dimension: usize,
    ) -> Result<Self, ParameterError> {
        if !(dimension == 2 || dimension == 3) {
            return Err(ParameterError {
                key: "dimension",
                quantity: "dimension",
                value: dimension as f64,
                range: "2 or 3",
            });
        }
        POISSON_RATIO_TO_HALF.check(poisson_ratio)?;
        if poisson_ratio == 0.5 {
            return Ok(Self {
                mu: YOUNG_MODULUS.check(young_modulus)? / 3.0,
                lambda: f64::INFINITY,
            });
        }
        let (mu, lambda) = lame(young_modulus, poisson_ratio)?;
        Self::new(mu, lambda + 2.0 * mu / dimension as f64)
    }
    /// From the shear modulus μ ≥ 0 and the modulus of volume change λ > 0 \[Pa\] of
    /// the energy itself.
    pub fn new(mu: f64, lambda: f64) -> Result<Self, ParameterError> {
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(ParameterError {
                key: "lambda",
                quantity: "modulus of volume change lambda [Pa]",
                value: lambda,
                range: "positive and finite",
            });
        }
        let (mu, lambda) = checked_lame(mu, lambda)?;
        Ok(Self { mu, lambda })
    }
}

isotropic!(SplitCorotated, "split_corotated", {
    const HAS_SPLIT: bool = true;

    #[inline(always)]
    fn deviatoric<R: Real, const D: usize>(
        &self,
        mut parameters: [R; MAX_PARAMETERS],
    ) -> [R; MAX_PARAMETERS] {
        parameters[1] = R::zero();
        parameters
    }
    #[inline(always)]
    fn pressure_response<R: Real, const D: usize>(
        &self,
        parameters: &[R; MAX_PARAMETERS],
        growth: R,
    ) -> PressureResponse<R> {
        PressureResponse::linear(parameters[1], growth)
    }
    fn is_incompressible(&self) -> bool {
        self.lambda.is_infinite()
    }
    /// μ = 0.
    fn molten<const D: usize>(&self) -> Option<Vec<f64>> {
        Some(vec![0.0, self.lambda])
    }
});
model_of_stretches!(SplitCorotated);

/// J^{−1/d}.
#[inline(always)]
fn unit_volume_factor<R: Real, const D: usize>(j: R) -> R {
    if D == 2 {
        R::one() / j.sqrt()
    } else {
        j.powf(R::splat(-1.0 / D as f64))
    }
}

/// s_i − 1 of the stretches at unit volume, from the deviator of ln σ; in 2D s₁ = (σ₁²/σ₂²)^{1/4}
/// and s₂ = 1/s₁.
#[inline(always)]
fn shape_growths<R: Real, const D: usize>(strains: &Vector<R, D>) -> Vector<R, D> {
    let one = R::one();
    let mut out = *strains;
    if D == 2 {
        let quotient = (strains[0] - strains[1]) / (one + strains[1]);
        out[0] = stretch_growth(stretch_growth(quotient));
        out[1] = -(out[0] / (one + out[0]));
    } else {
        for i in 0..D {
            out[i] = log_stretch(strains[i]);
        }
        let mean = sum(&out) * R::splat(1.0 / D as f64);
        for i in 0..D {
            out[i] = (out[i] - mean).exp_m1();
        }
    }
    out
}

impl<R: Real> PrincipalLaw<R> for SplitCorotated<R> {
    #[inline(always)]
    fn energy<const D: usize>(&self, strains: &Vector<R, D>) -> R {
        let growth = Dilatation::of_principal(strains).growth();
        let shear = shape_growths(strains).norm_squared();
        self.mu * shear + R::splat(0.5) * self.lambda * growth.squared()
    }
    #[inline(always)]
    fn kirchhoff<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D> {
        let mut g = shape_growths(strains);
        for i in 0..D {
            g[i] = g[i].mul_add(g[i], g[i]);
        }
        let mean = sum(&g) * R::splat(1.0 / D as f64);
        let dilatation = Dilatation::of_principal(strains);
        let pressure_part = self.lambda * dilatation.ratio() * dilatation.growth();
        let two_mu = self.mu + self.mu;
        let mut tau = Vector::zero();
        for i in 0..D {
            tau[i] = two_mu.mul_add(g[i] - mean, pressure_part);
        }
        tau
    }
    #[inline(always)]
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R {
        let (one, half) = (R::one(), R::splat(0.5));
        let factor = unit_volume_factor::<R, D>(bounds.volume_ratio);
        let high = factor * bounds.highest;
        // s (s − 1) falls up to s = ½ and rises from there.
        let low = (factor * bounds.lowest).max(half).min(one);
        let mean_square = factor.squared() * bounds.sum_of_squares * R::splat(1.0 / D as f64);
        let mean = (mean_square - one).max(R::zero());
        let shear = high * (high + high - one) + mean + low * (one - low);
        (self.mu + self.mu) * shear + dilational_stiffness::<R, D>(self.lambda, bounds.volume_ratio)
    }
    #[inline(always)]
    fn moduli<const D: usize>(&self, strains: &Vector<R, D>) -> Moduli<R, D> {
        let stretch = |i: usize| R::one() + stretch_growth(strains[i]);
        let j = Dilatation::of_principal(strains).ratio();
        let factor = unit_volume_factor::<R, D>(j);
        let volume = self.lambda * j * (j + j - R::one());
        let two_mu = self.mu + self.mu;
        let share = R::splat(1.0 / D as f64);
        // k_i = ∂g_i/∂ln s_i; s_i changes with ln σ_j by s_i (δ_ij − 1/d).
        let mut k = Vector::<R, D>::zero();
        for i in 0..D {
            let s = factor * stretch(i);
            k[i] = s * (s + s - R::one());
        }
        let mean = sum(&k) * share;
        Moduli::of(
            |i, l| {
                let shape = share * (mean - k[i] - k[l]);
                let own = if i == l { k[i] } else { R::zero() };
                two_mu.mul_add(shape + own, volume)
            },
            |i, l| {
                let both = factor * (stretch(i) + stretch(l));
                two_mu * factor.squared() * (R::one() - R::one() / both)
            },
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

compiled!(SplitCorotated);

/// `model = "split_corotated"`.
pub static DESCRIPTION: Description = Description {
    name: "split_corotated",
    about: "the same, with shear that volume changes leave alone",
    reference: "[Jiang2015thesis] eq. (6.5) to (6.8)",
    keys: &[
        Key::Number(&YOUNG_MODULUS),
        Key::Number(&POISSON_RATIO_TO_HALF),
    ],
    rules: &[],
    presets: &[],
    long_steps: LongSteps::Served,
    appearance: Appearance::Solid,
    build,
};

fn build(values: &Values, dimension: usize) -> LawResult {
    let young_modulus = values.number(&YOUNG_MODULUS);
    let poisson_ratio = values.number(&POISSON_RATIO_TO_HALF);
    let solid = SplitCorotated::from_young_poisson(young_modulus, poisson_ratio, dimension)?;
    Ok(Box::new(solid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principal::finger_strains;
    use crate::{Constitutive, conformance};

    #[test]
    fn split_corotated_conforms() {
        let law = SplitCorotated::from_young_poisson(1.0e4, 0.3, 3).unwrap();
        conformance::check(&law);
    }

    #[test]
    fn the_stiffness_is_a_bound() {
        for nu in [-0.3, 0.0, 0.3, 0.45] {
            let law = SplitCorotated::from_young_poisson(1.0e4, nu, 3).unwrap();
            conformance::check_stiffness(&law);
        }
        conformance::check_stiffness(&SplitCorotated::new(1.0e4, 1.0).unwrap());
        conformance::check_stiffness(&SplitCorotated::new(0.0, 1.0).unwrap());
    }

    #[test]
    fn young_and_poisson_mean_what_they_say_in_both_dimensions() {
        let (mu, lambda) = lame(1.0e4, 0.3).unwrap();
        let plane = SplitCorotated::from_young_poisson(1.0e4, 0.3, 2).unwrap();
        conformance::check_small_strain::<_, 2>(&plane, mu, lambda);
        let solid = SplitCorotated::from_young_poisson(1.0e4, 0.3, 3).unwrap();
        conformance::check_small_strain::<_, 3>(&solid, mu, lambda);
    }

    #[test]
    fn the_energy_s_own_lambda_is_the_bulk_modulus() {
        let law = SplitCorotated::new(3.0, 5.0).unwrap();
        conformance::check_small_strain::<_, 2>(&law, 3.0, 5.0 - 3.0);
        conformance::check_small_strain::<_, 3>(&law, 3.0, 5.0 - 2.0);
    }

    #[test]
    fn uniaxial_stretch_by_hand() {
        let law = SplitCorotated {
            mu: 3.0,
            lambda: 5.0,
        };
        // 2D, σ = (4, 1), J = 4, s = (2, ½), g = (2, −¼), ḡ = 7/8:
        // τ_1 = 6·9/8 + 5·4·3, τ_2 = −6·9/8 + 60, ψ = 3·(1 + ¼) + 5/2·9.
        let strains = finger_strains(&Vector([4.0, 1.0]));
        let tau = law.kirchhoff(&strains);
        assert!((tau[0] - 66.75).abs() < 1e-12 && (tau[1] - 53.25).abs() < 1e-12);
        assert!((law.energy(&strains) - 26.25).abs() < 1e-12);
        // 3D, σ = (8, 1, 1), J = 8, s = (4, ½, ½), g = (12, −¼, −¼), ḡ = 23/6.
        let tau = law.kirchhoff(&finger_strains(&Vector([8.0, 1.0, 1.0])));
        assert!((tau[0] - (6.0 * (12.0 - 23.0 / 6.0) + 280.0)).abs() < 1e-11);
        assert!((tau[1] - (6.0 * (-0.25 - 23.0 / 6.0) + 280.0)).abs() < 1e-11);
    }

    #[test]
    fn a_change_of_volume_alone_is_not_sheared() {
        let law = SplitCorotated {
            mu: 3.0,
            lambda: 5.0,
        };
        let tau = law.kirchhoff(&finger_strains(&Vector([1.3, 1.3, 1.3])));
        let j = 1.3_f64.powi(3);
        for i in 0..3 {
            assert!((tau[i] - 5.0 * j * (j - 1.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_deviatoric_part_has_no_pressure_and_the_rest_is_pressure() {
        conformance::check_split(&SplitCorotated::new(3.0, 5.0).unwrap());
        let rubber = SplitCorotated::from_young_poisson(3.0, 0.5, 2).unwrap();
        assert!(rubber.is_incompressible() && rubber.mu == 1.0);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        assert!(SplitCorotated::from_young_poisson(0.0, 0.3, 3).is_err());
        assert!(SplitCorotated::from_young_poisson(1.0, 0.3, 4).is_err());
        assert!(SplitCorotated::new(1.0, 0.0).is_err());
        assert!(SplitCorotated::new(-1.0, 1.0).is_err());
        assert!(SplitCorotated::new(1.0, f64::NAN).is_err());
    }
}
