//! Neo-Hookean elasticity: rubber, jelly, soft tissue at any strain.
//!
//! ψ = μ/2 (tr h − ln det(I + h)) + λ/2 (ln J)², with h = b − I, b = F Fᵀ and J = det F, gives the
//! Kirchhoff stress τ = μ h + λ ln J I. \[Jiang2016\] eq. (48)–(49); \[Jiang2015thesis\] §3.1.2
//! with errata E4.
//!
//! The stress increment for a velocity gradient L is λ tr L I + (μ − λ ln J) Lᵀ + μ L b, whose norm
//! is at most dλ + |μ − λ ln J| + μ |b|: the stiffness of the time-step limit, dλ + 2μ at rest.
//!
//! Defined for det F > 0; the energy grows without bound as J → 0.

#![allow(non_snake_case)]

use thixo_math::elementary::ln_remainder;
use thixo_math::{Matrix, Real, Vector};

use super::{MODULI, checked_lame, lame, moduli, stiffness_at};
use crate::description::{Appearance, Description, LongSteps, Preset, Values};
use crate::finger_strain::stretch_energy;
use crate::law::LawResult;
use crate::parameters::{POISSON_RATIO, ParameterError, YOUNG_MODULUS};
use crate::potential::Reference;
use crate::principal::{Moduli, PrincipalLaw, StretchBounds, squared_stretch};
use crate::{Dilatation, Model, StrainAndRotation};

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

isotropic!(NeoHookean, "neo_hookean");

/// Written without decomposition.
impl<R: Real> Model<R> for NeoHookean<R> {
    type State<const D: usize> = StrainAndRotation<R, D>;

    #[inline(always)]
    fn energy_density<const D: usize>(&self, state: &StrainAndRotation<R, D>) -> Option<R> {
        let h = &state.strain.0;
        let dilatation = Dilatation::of(h);
        let log_J = dilatation.log_ratio();
        let half = R::splat(0.5);
        let shear = half * self.mu * stretch_energy(h, &dilatation);
        Some(shear + half * self.lambda * log_J * log_J)
    }

    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &StrainAndRotation<R, D>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let h = &state.strain.0;
        let pressure_part = self.lambda * Dilatation::of(h).log_ratio();
        h.mul_add(self.mu, Matrix::from_scalar(pressure_part))
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &StrainAndRotation<R, D>) -> R {
        stiffness_at(self, &state.strain.0)
    }

    #[inline(always)]
    fn reference<const D: usize>(
        &self,
        state: &StrainAndRotation<R, D>,
        _dt: R,
    ) -> Reference<R, D> {
        Reference::new(state.strain.0, [self.mu, self.lambda])
    }
}

impl<R: Real> PrincipalLaw<R> for NeoHookean<R> {
    #[inline(always)]
    fn energy<const D: usize>(&self, strains: &Vector<R, D>) -> R {
        let half = R::splat(0.5);
        let log_J = Dilatation::of_principal(strains).log_ratio();
        // Σ (e − ln(1 + e)), each term with all its digits: line searches compare energies of
        // small strains.
        let mut shear = R::zero();
        for i in 0..D {
            shear += ln_remainder(strains[i]);
        }
        half * (self.mu * shear + self.lambda * log_J * log_J)
    }
    #[inline(always)]
    fn kirchhoff<const D: usize>(&self, strains: &Vector<R, D>) -> Vector<R, D> {
        let pressure_part = self.lambda * Dilatation::of_principal(strains).log_ratio();
        let mut tau = Vector::zero();
        for i in 0..D {
            tau[i] = self.mu.mul_add(strains[i], pressure_part);
        }
        tau
    }
    #[inline(always)]
    fn stiffness_within<const D: usize>(&self, bounds: &StretchBounds<R>) -> R {
        let volume = R::splat(D as f64) * self.lambda.max(R::zero());
        let shear = (self.mu - self.lambda * bounds.log_volume_ratio).abs();
        volume + shear + self.mu * bounds.highest.squared()
    }
    #[inline(always)]
    fn moduli<const D: usize>(&self, strains: &Vector<R, D>) -> Moduli<R, D> {
        let own = |i: usize| (self.mu + self.mu) * squared_stretch(strains[i]);
        Moduli::of(
            |i, j| {
                if i == j {
                    self.lambda + own(i)
                } else {
                    self.lambda
                }
            },
            |_, _| self.mu,
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

compiled!(NeoHookean);

/// `model = "neo_hookean"`.
pub static DESCRIPTION: Description = Description {
    name: "neo_hookean",
    about: "rubber, jelly",
    reference: "[Jiang2016] eq. (48), (49); errata E4",
    keys: MODULI,
    rules: &[],
    presets: &PRESETS,
    long_steps: LongSteps::Served,
    appearance: Appearance::Solid,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let solid = NeoHookean::from_young_poisson(young_modulus, poisson_ratio)?;
    Ok(Box::new(solid))
}

static PRESETS: [Preset; 1] = [Preset {
    name: "rubber",
    about: "soft vulcanised rubber",
    law: &DESCRIPTION,
    density: 1100.0,
    values: &[(&YOUNG_MODULUS, 1.5e6), (&POISSON_RATIO, 0.45)],
    choices: &[],
    source: "within the ranges 0.7 to 4.1 MPa, 0.45 to 0.5 and 960 to 1280 kg/m³ of [Thomas2211]",
}];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::principal::finger_strains;

    #[test]
    fn neo_hookean_conforms() {
        let rubber = NeoHookean::from_young_poisson(1.0e4, 0.3).unwrap();
        conformance::check(&rubber);
        conformance::check_small_strain::<_, 2>(&rubber, rubber.mu, rubber.lambda);
        conformance::check_small_strain::<_, 3>(&rubber, rubber.mu, rubber.lambda);
    }

    #[test]
    fn the_stiffness_is_a_bound() {
        for nu in [-0.3, 0.0, 0.3, 0.45] {
            let law = NeoHookean::from_young_poisson(1.0e4, nu).unwrap();
            conformance::check_stiffness(&law);
        }
    }

    #[test]
    fn uniaxial_stretch_by_hand() {
        let law = NeoHookean {
            mu: 3.0,
            lambda: 5.0,
        };
        // σ = (e, 1, 1), ln J = 1: τ_1 = 3 (e² − 1) + 5, τ_2 = 5.
        let e = 1.0_f64.exp();
        let tau = law.kirchhoff(&finger_strains(&Vector([e, 1.0, 1.0])));
        assert!((tau[0] - (3.0 * (e * e - 1.0) + 5.0)).abs() < 1e-13);
        assert!((tau[1] - 5.0).abs() < 1e-13);
    }

    #[test]
    fn the_law_of_the_stretches_is_the_same() {
        let law = NeoHookean {
            mu: 3.0,
            lambda: 5.0,
        };
        let stretches = Vector([1.4, 0.9, 0.7]);
        let state = law.initial_state(&Matrix::from_diagonal(stretches));
        let strains = finger_strains(&stretches);
        let tau = law.kirchhoff_stress(&state, &Matrix::zero());
        let principal = law.kirchhoff(&strains);
        for i in 0..3 {
            assert!((tau[i][i] - principal[i]).abs() < 1e-13);
        }
        let psi = law.energy_density(&state).unwrap();
        assert!((psi - law.energy(&strains)).abs() < 1e-13);
    }

    #[test]
    fn the_modulus_at_rest_is_d_lambda_plus_two_mu() {
        let model = NeoHookean {
            mu: 3.0,
            lambda: 5.0,
        };
        let rest = model.initial_state(&Matrix::<f64, 3>::identity());
        assert_eq!(Model::stiffness(&model, &rest), 3.0 * 5.0 + 2.0 * 3.0);
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
