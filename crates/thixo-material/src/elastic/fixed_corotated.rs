//! Fixed corotated elasticity: a solid that resists compression with a finite force.
//!
//! ψ = μ Σ (σ_i − 1)² + λ/2 (J − 1)² with the stretches σ_i of F and J = det F.
//! The principal Kirchhoff stresses are τ_i = 2μ σ_i (σ_i − 1) + λ J (J − 1),
//! that is P = 2μ (F − R) + λ (J − 1) J F⁻ᵀ. \[Jiang2015thesis\] §3.1.3; \[Jiang2016\] §6.5;
//! \[Nilles2020\] eq. (76)–(78).
//!
//! Along F = (I + εG) F the shear part of d²ψ is at most 2μ σ_max²: its second derivative by F
//! is 2μ less the contribution of the rotation. The rest is that of λ/2 (J − 1)².
//!
//! Defined for det F > 0. The energy stays finite as J → 0: strong forces can flatten matter
//! completely.

#![allow(non_snake_case)]

use thixo_math::{Real, Vector};

use super::{MODULI, checked_lame, dilational_stiffness, lame, moduli};
use crate::Dilatation;
use crate::description::{Appearance, Description, LongSteps, Preset, Values};
use crate::law::LawResult;
use crate::parameters::{POISSON_RATIO, ParameterError, YOUNG_MODULUS};
use crate::principal::{Moduli, PrincipalLaw, StretchBounds, stretch_growth};

/// Fixed corotated solid with Lamé's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedCorotated<R = f64> {
    /// Shear modulus μ ≥ 0 \[Pa\].
    mu: R,
    /// Lamé's λ > −2μ/3 \[Pa\].
    lambda: R,
}

impl FixedCorotated {
    /// From Young's modulus E > 0 \[Pa\] and Poisson's ratio −1 < ν < ½.
    pub fn from_young_poisson(
        young_modulus: f64,
        poisson_ratio: f64,
    ) -> Result<Self, ParameterError> {
        let (mu, lambda) = lame(young_modulus, poisson_ratio)?;
        Ok(Self { mu, lambda })
    }
    /// From Lamé's μ ≥ 0 and λ > −2μ/3 \[Pa\]; without shear modulus it is a fluid.
    pub fn from_lame(mu: f64, lambda: f64) -> Result<Self, ParameterError> {
        let (mu, lambda) = checked_lame(mu, lambda)?;
        Ok(Self { mu, lambda })
    }
}

isotropic!(FixedCorotated, "fixed_corotated");
model_of_stretches!(FixedCorotated);

impl<R: Real> PrincipalLaw<R> for FixedCorotated<R> {
    #[inline(always)]
    fn energy<const D: usize>(&self, strains: &Vector<R, D>) -> R {
        let mut shear = R::zero();
        for i in 0..D {
            shear += stretch_growth(strains[i]).squared();
        }
        let growth = Dilatation::of_principal(strains).growth();
        self.mu * shear + R::splat(0.5) * self.lambda * growth.squared()
    }
    #[inline(always)]
    fn kirchhoff<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D> {
        let dilatation = Dilatation::of_principal(strains);
        let pressure_part = self.lambda * dilatation.ratio() * dilatation.growth();
        let two_mu = self.mu + self.mu;
        let mut tau = Vector::zero();
        for i in 0..D {
            let growth = stretch_growth(strains[i]);
            tau[i] = (two_mu * (R::one() + growth)).mul_add(growth, pressure_part);
        }
        tau
    }
    #[inline(always)]
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R {
        let shear = (self.mu + self.mu) * bounds.highest.squared();
        shear + dilational_stiffness::<R, D>(self.lambda, bounds.volume_ratio)
    }
    #[inline(always)]
    fn moduli<const D: usize>(&self, strains: &Vector<R, D>) -> Moduli<R, D> {
        let stretch = |i: usize| R::one() + stretch_growth(strains[i]);
        let j = Dilatation::of_principal(strains).ratio();
        let volume = self.lambda * j * (j + j - R::one());
        let two_mu = self.mu + self.mu;
        Moduli::of(
            |i, k| {
                let s = stretch(i);
                if i == k {
                    (two_mu * s).mul_add(s + s - R::one(), volume)
                } else {
                    volume
                }
            },
            |i, k| two_mu - two_mu / (stretch(i) + stretch(k)),
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

compiled!(FixedCorotated);

/// `model = "fixed_corotated"`.
pub static DESCRIPTION: Description = Description {
    name: "fixed_corotated",
    about: "a solid whose forces stay finite at any compression",
    reference: "[Jiang2015thesis] section 3.1.3; [Jiang2016] section 6.5",
    keys: MODULI,
    rules: &[],
    presets: &PRESETS,
    long_steps: LongSteps::Served,
    appearance: Appearance::Solid,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let solid = FixedCorotated::from_young_poisson(young_modulus, poisson_ratio)?;
    Ok(Box::new(solid))
}

static PRESETS: [Preset; 1] = [Preset {
    name: "jelly",
    about: "wobbling dessert",
    law: &DESCRIPTION,
    density: 1000.0,
    values: &[(&YOUNG_MODULUS, 4.34e3), (&POISSON_RATIO, 0.45)],
    choices: &[],
    source: "gelatine with 20 parts of water [Bonavia2025]; the ratio is a choice, the real one is nearer to 0.5",
}];

#[cfg(test)]
mod tests {
    use thixo_math::Matrix;

    use super::*;
    use crate::principal::finger_strains;
    use crate::{Model, conformance};

    fn solid() -> FixedCorotated {
        FixedCorotated::from_young_poisson(1.0e4, 0.3).unwrap()
    }

    #[test]
    fn fixed_corotated_conforms() {
        conformance::check(&solid());
        conformance::check_small_strain::<_, 2>(&solid(), solid().mu, solid().lambda);
        conformance::check_small_strain::<_, 3>(&solid(), solid().mu, solid().lambda);
    }

    #[test]
    fn the_stiffness_is_a_bound() {
        for nu in [-0.3, 0.0, 0.3, 0.45] {
            let law = FixedCorotated::from_young_poisson(1.0e4, nu).unwrap();
            conformance::check_stiffness(&law);
        }
        conformance::check_stiffness(&FixedCorotated::from_lame(0.0, 1.0e4).unwrap());
    }

    #[test]
    fn uniaxial_stretch_by_hand() {
        let law = FixedCorotated {
            mu: 3.0,
            lambda: 5.0,
        };
        // σ = (2, 1, 1), J = 2: τ_1 = 2·3·2·1 + 5·2·1, τ_2 = τ_3 = 5·2·1, ψ = 3 + 5/2.
        let strains = finger_strains(&Vector([2.0, 1.0, 1.0]));
        let tau = law.kirchhoff(&strains);
        assert_eq!(tau, Vector([22.0, 10.0, 10.0]));
        assert_eq!(law.energy(&strains), 5.5);
        let state = law.initial_state(&Matrix([[0.0, -1.0], [2.0, 0.0]]));
        let bent = law.kirchhoff_stress(&state, &Matrix::<f64, 2>::zero());
        // Stretched by 2, then turned by 90°: the large stress is along the second axis.
        assert!((bent[1][1] - 22.0).abs() < 1e-12 && (bent[0][0] - 10.0).abs() < 1e-12);
    }

    #[test]
    fn nearly_equal_stretches_are_no_special_case() {
        let law = solid();
        let (s, c) = 0.6_f64.sin_cos();
        let turn = Matrix([[c, -s], [s, c]]);
        let f = turn * Matrix::from_diagonal(Vector([1.1, 1.1 + 1e-7])) * turn;
        let tau = law.kirchhoff_stress(&law.initial_state(&f), &Matrix::zero());
        let expected = law.kirchhoff(&finger_strains(&Vector([1.1, 1.1])));
        for i in 0..2 {
            assert!((tau[i][i] / expected[i] - 1.0).abs() < 1e-5);
            assert!(tau[i][1 - i].abs() < 1e-5 * expected[i]);
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        assert!(FixedCorotated::from_young_poisson(-1.0, 0.3).is_err());
        assert!(FixedCorotated::from_young_poisson(1.0, 0.5).is_err());
        assert!(FixedCorotated::from_lame(-1.0, 1.0).is_err());
    }
}
