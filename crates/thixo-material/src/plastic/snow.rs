//! Snow: stretches beyond a limit stay for good, and packed snow is hard. On any
//! isotropic elastic law.
//!
//! Yield: the trial stretches σ̂_i of the elastic deformation are clamped to \[1 − θ_c, 1 + θ_s\],
//! σ_i, and the remainder is plastic: J_P ← J_P Π σ̂_i/σ_i. \[Jiang2015thesis\] §3.2.1;
//! \[Nilles2020\] eq. (84)–(88); \[Stomakhin2013\].
//!
//! Hardening: ψ = h(J_P) ψ_E(σ), h = exp(ξ (1 − J_P)) kept within a range, \[10⁻³, 10³\]
//! unless asked otherwise (\[Jiang2015thesis\] §3.2.2, \[Nilles2020\] eq. (86), errata E12).
//! Compaction hardens, extension softens.
//!
//! The volume ratio is J = J_E J_P (errata E34). J_P itself may be kept within a range,
//! which forgets volume. With [`PlasticVolume::Preserved`] the clamped stretches are
//! scaled by (Π σ̂_i/σ_i)^{1/d}, so that flow keeps det F_E and J_P stays what it was:
//! \[Jiang2015thesis\] §6.4.1, for nearly incompressible matter. There is no hardening then,
//! and a state that has changed its volume by more than the limits allow gives up its shear
//! within a few steps.
//!
//! Flow is not bound to lose energy: every stretch is cut by itself, whatever the stress along it.
//! Matter with little shear stiffness bears the pressure −λ (J_E − 1) J_E alone, and a stretch
//! that is cut at 1 + θ_s then makes J_E smaller: pressure appears from nothing (errata E47).
//! With the numbers of snow that is little; fluids made of snow need [`PlasticVolume::Preserved`].
//!
//! θ_s = 0 is the dry sand of \[Jiang2015thesis\] §3.2.2; θ_c = 1 never yields under compression.
//!
//! The stiffness is that of the hardened elastic law. Where the state yields under compression,
//! stress also grows by hardening, with the modulus d ξ J_P |τ_i| ≤ d ξ J_P θ_c M, M the larger
//! of the stiffness now and at rest: whichever is larger counts.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

#[cfg(not(test))]
use crate::elastic;
use crate::parameters::ParameterError;
use crate::parameters::{
    CRITICAL_COMPRESSION, CRITICAL_STRETCH, HARDENING, INITIAL_PLASTIC_VOLUME,
    LEAST_HARDENING_FACTOR, LEAST_PLASTIC_VOLUME, MOST_HARDENING_FACTOR, MOST_PLASTIC_VOLUME,
};
use crate::potential::{IsotropicPotential, Reference};
use crate::principal::{Isotropic, Principal, PrincipalLaw, StretchBounds, squared_stretch};
use crate::{Constitutive, FingerStrain, MAX_PARAMETERS, Model, State, WithHistory};

/// Effect of plastic flow on the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PlasticVolume {
    /// Volume that is cut off goes to J_P: snow packs, and spray takes room.
    #[default]
    Free,
    /// Flow keeps the elastic volume: nearly incompressible matter.
    Preserved,
}

/// Snow on the elastic law `E`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snow<E, R = f64> {
    elastic: E,
    critical_compression: R,
    critical_stretch: R,
    hardening: R,
    initial_plastic_volume: R,
    least_factor: R,
    most_factor: R,
    least_plastic_volume: R,
    most_plastic_volume: R,
    plastic_volume: PlasticVolume,
}

/// Names of snow's own parameters, which follow those of the elastic law.
const OWN: [&str; 8] = [
    "critical_compression",
    "critical_stretch",
    "hardening",
    "initial_plastic_volume",
    "least_hardening_factor",
    "most_hardening_factor",
    "least_plastic_volume",
    "most_plastic_volume",
];

/// Elastic Finger strain and J_P.
type SnowState<R, const D: usize> = WithHistory<FingerStrain<R, D>, R, 1>;

impl<E> Snow<E> {
    /// From an elastic law, the critical compression 0 ≤ θ_c ≤ 1 \[–\], the critical stretch
    /// θ_s ≥ 0 \[–\] and the hardening ξ ≥ 0 \[–\].
    pub fn new(
        elastic: E,
        critical_compression: f64,
        critical_stretch: f64,
        hardening: f64,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            elastic,
            critical_compression: CRITICAL_COMPRESSION.check(critical_compression)?,
            critical_stretch: CRITICAL_STRETCH.check(critical_stretch)?,
            hardening: HARDENING.check(hardening)?,
            initial_plastic_volume: INITIAL_PLASTIC_VOLUME.default_value(),
            least_factor: LEAST_HARDENING_FACTOR.default_value(),
            most_factor: MOST_HARDENING_FACTOR.default_value(),
            least_plastic_volume: LEAST_PLASTIC_VOLUME.default_value(),
            most_plastic_volume: MOST_PLASTIC_VOLUME.default_value(),
            plastic_volume: PlasticVolume::Free,
        })
    }
    /// Dry sand: as snow, but it comes apart freely, θ_s = 0.
    pub fn dry_sand(
        elastic: E,
        critical_compression: f64,
        hardening: f64,
    ) -> Result<Self, ParameterError> {
        Self::new(elastic, critical_compression, 0.0, hardening)
    }
    /// Particles enter with this J_P > 0 \[–\]; below 1 they are packed already. Their rest volume
    /// V⁰ is V/J_P then.
    pub fn with_initial_plastic_volume(self, value: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            initial_plastic_volume: INITIAL_PLASTIC_VOLUME.check(value)?,
            ..self
        })
    }
    /// Keeps the hardening factor between two positive numbers \[–\], the first at most 1 and the
    /// second at least 1.
    pub fn with_hardening_range(self, least: f64, most: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            least_factor: LEAST_HARDENING_FACTOR.check(least)?,
            most_factor: MOST_HARDENING_FACTOR.check(most)?,
            ..self
        })
    }
    /// Keeps J_P between two numbers \[–\], the first between 0 and 1 and the second at least 1,
    /// maybe infinite. Volume beyond them is forgotten.
    pub fn with_plastic_volume_range(self, least: f64, most: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            least_plastic_volume: LEAST_PLASTIC_VOLUME.check(least)?,
            most_plastic_volume: MOST_PLASTIC_VOLUME.check(most)?,
            ..self
        })
    }
    /// The same snow with another treatment of plastic volume change.
    pub fn with_plastic_volume(self, plastic_volume: PlasticVolume) -> Self {
        Self {
            plastic_volume,
            ..self
        }
    }
}

impl<E: Isotropic> Snow<E> {
    /// The elastic law's parameters and then snow's.
    const ALL: [&'static str; MAX_PARAMETERS] = {
        let mut names = [""; MAX_PARAMETERS];
        let first = E::PARAMETERS.len();
        let mut k = 0;
        while k < first {
            names[k] = E::PARAMETERS[k];
            k += 1;
        }
        k = 0;
        while k < OWN.len() {
            names[first + k] = OWN[k];
            k += 1;
        }
        names
    };
}

impl<E: Isotropic> Constitutive for Snow<E> {
    type Model<R: Real> = Snow<E::Law<R>, R>;
    type Potential = IsotropicPotential<E>;
    const NAME: &'static str = "snow";
    const PARAMETERS: &'static [&'static str] =
        Self::ALL.split_at(E::PARAMETERS.len() + OWN.len()).0;
    const HISTORY: &'static [&'static str] = &["plastic_volume_ratio"];

    fn parameters(&self) -> Vec<f64> {
        let mut values = self.elastic.parameters();
        values.extend([
            self.critical_compression,
            self.critical_stretch,
            self.hardening,
            self.initial_plastic_volume,
            self.least_factor,
            self.most_factor,
            self.least_plastic_volume,
            self.most_plastic_volume,
        ]);
        values
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> Snow<E::Law<R>, R> {
        let first = E::PARAMETERS.len();
        Snow {
            elastic: self.elastic.law(parameters),
            critical_compression: parameters[first],
            critical_stretch: parameters[first + 1],
            hardening: parameters[first + 2],
            initial_plastic_volume: parameters[first + 3],
            least_factor: parameters[first + 4],
            most_factor: parameters[first + 5],
            least_plastic_volume: parameters[first + 6],
            most_plastic_volume: parameters[first + 7],
            plastic_volume: self.plastic_volume,
        }
    }
    fn potential(&self) -> IsotropicPotential<E> {
        IsotropicPotential(self.elastic.clone())
    }
}

impl<E: PrincipalLaw<R>, R: Real> Snow<E, R> {
    /// The elastic law at J_P: moduli times exp(ξ (1 − J_P)), within their range.
    #[inline(always)]
    fn hardened(&self, J_P: R) -> E {
        let factor = (self.hardening * (R::one() - J_P)).exp();
        self.elastic
            .scaled(clamp(factor, self.least_factor, self.most_factor))
    }
    /// Clamps the stretches, and returns the Finger strains with their axes. States that do not
    /// yield stay untouched to the last bit.
    #[inline(always)]
    fn flow<const D: usize>(&self, state: &mut SnowState<R, D>) -> Principal<R, D> {
        let mut principal = Principal::of_finger_strain(&state.elastic.0);
        let two = R::splat(2.0);
        let (c, s) = (self.critical_compression, self.critical_stretch);
        // (1 − θ_c)² − 1 and (1 + θ_s)² − 1.
        let least = R::splat(R::EPSILON - 1.0).max(c * (c - two));
        let most = s * (s + two);
        let mut squared_ratio = R::one();
        let mut yields = R::one().lt(R::zero());
        for i in 0..D {
            let trial = principal.strains[i];
            let clamped = clamp(trial, least, most);
            squared_ratio *= squared_stretch(trial) / squared_stretch(clamped);
            yields = yields.or(trial.lt(least)).or(trial.gt(most));
            principal.strains[i] = clamped;
        }
        match self.plastic_volume {
            PlasticVolume::Free => {
                let [J_P] = state.history;
                state.history = [clamp(
                    J_P * squared_ratio.sqrt(),
                    self.least_plastic_volume,
                    self.most_plastic_volume,
                )];
            }
            PlasticVolume::Preserved => {
                let rescale = squared_ratio.powf(R::splat(1.0 / D as f64)) - R::one();
                let rescale = R::select(yields, rescale, R::zero());
                for i in 0..D {
                    let e = principal.strains[i];
                    principal.strains[i] = squared_stretch(e).mul_add(rescale, e);
                }
            }
        }
        let h = principal.compose(&principal.strains);
        state.elastic.0 = Matrix::select(yields, h, state.elastic.0);
        principal
    }
}

/// Clamps; NaN stays NaN, since `max` and `min` keep their second operand then.
#[inline(always)]
fn clamp<R: Real>(x: R, least: R, most: R) -> R {
    most.min(least.max(x))
}

impl<E: PrincipalLaw<R>, R: Real> Model<R> for Snow<E, R> {
    type State<const D: usize> = SnowState<R, D>;

    #[inline(always)]
    fn initial_state<const D: usize>(&self, f: &Matrix<R, D>) -> SnowState<R, D> {
        WithHistory {
            elastic: FingerStrain::from_deformation(f),
            history: [self.initial_plastic_volume],
        }
    }
    #[inline(always)]
    fn volume_ratio<const D: usize>(&self, state: &SnowState<R, D>) -> R {
        let [J_P] = state.history;
        state.elastic.volume_ratio() * J_P
    }
    #[inline(always)]
    fn energy_density<const D: usize>(&self, state: &SnowState<R, D>) -> Option<R> {
        let [J_P] = state.history;
        let principal = Principal::of_finger_strain(&state.elastic.0);
        Some(self.hardened(J_P).energy(&principal.strains))
    }
    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &SnowState<R, D>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let [J_P] = state.history;
        let principal = Principal::of_finger_strain(&state.elastic.0);
        principal.compose(&self.hardened(J_P).kirchhoff(&principal.strains))
    }
    #[inline(always)]
    fn return_map<const D: usize>(&self, state: &mut SnowState<R, D>, _dt: R) {
        self.flow(state);
    }
    /// One decomposition serves flow and stress.
    #[inline(always)]
    fn respond<const D: usize>(
        &self,
        state: &mut SnowState<R, D>,
        _velocity_gradient: &Matrix<R, D>,
        _dt: R,
    ) -> Matrix<R, D> {
        let principal = self.flow(state);
        let [J_P] = state.history;
        principal.compose(&self.hardened(J_P).kirchhoff(&principal.strains))
    }
    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &SnowState<R, D>) -> R {
        let [J_P] = state.history;
        let bounds = StretchBounds::of_finger_strain(&state.elastic.0);
        let law = self.hardened(J_P);
        let elastic = law.stiffness_within::<D>(&bounds);
        if self.plastic_volume == PlasticVolume::Preserved {
            return elastic;
        }
        let at_rest = law.stiffness_within::<D>(&StretchBounds::at_rest::<D>());
        let growth = R::splat(D as f64) * self.hardening * J_P * self.critical_compression;
        // After flow a yielding state is at the limit but for rounding.
        let limit = (R::one() - self.critical_compression) * R::splat(1.001);
        let yielding = (growth * elastic.max(at_rest)).max(elastic);
        R::select(bounds.lowest.le(limit), yielding, elastic)
    }
    #[inline(always)]
    fn reference<const D: usize>(&self, state: &SnowState<R, D>, _dt: R) -> Reference<R, D> {
        let [J_P] = state.history;
        Reference::new(state.elastic.0, self.hardened(J_P).parameters())
    }
}

compiled!(
    Snow<elastic::FixedCorotated>,
    Snow<elastic::Hencky>,
    Snow<elastic::NeoHookean>,
    Snow<elastic::SplitCorotated>,
    Snow<elastic::StVenantKirchhoff>
);

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;
    use crate::conformance;
    use crate::elastic::{FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff};
    use crate::principal::finger_strains;

    const THETA_C: f64 = 2.5e-2;
    const THETA_S: f64 = 7.5e-3;

    fn solid() -> FixedCorotated {
        FixedCorotated::from_young_poisson(1.4e5, 0.2).unwrap()
    }
    fn snow() -> Snow<FixedCorotated> {
        Snow::new(solid(), THETA_C, THETA_S, 10.0).unwrap()
    }
    /// After one step without motion.
    fn flowed<E: PrincipalLaw<f64>, const D: usize>(
        law: &Snow<E>,
        stretches: [f64; D],
    ) -> SnowState<f64, D> {
        let mut state = law.initial_state(&Matrix::from_diagonal(Vector(stretches)));
        law.respond(&mut state, &Matrix::zero(), 1e-3);
        state
    }

    #[test]
    fn snow_on_every_elastic_law_conforms() {
        fn check<E: Isotropic>(elastic: E) {
            let law = Snow::new(elastic, 2.5e-2, 7.5e-3, 10.0).unwrap();
            conformance::check(&law);
            conformance::check_stiffness(&law);
        }
        check(solid());
        check(NeoHookean::from_young_poisson(1.4e5, 0.2).unwrap());
        check(Hencky::from_young_poisson(1.4e5, 0.2).unwrap());
        check(StVenantKirchhoff::from_young_poisson(1.4e5, 0.2).unwrap());
        check(SplitCorotated::from_young_poisson(1.4e5, 0.2, 3).unwrap());
    }

    #[test]
    fn other_snows_conform() {
        conformance::check(&Snow::dry_sand(solid(), THETA_C, 10.0).unwrap());
        let packed = snow().with_initial_plastic_volume(2.0 / 3.0).unwrap();
        conformance::check(&packed);
        let never = Snow::new(solid(), 1.0, 100.0, 10.0).unwrap();
        conformance::check(&never);
        conformance::check_stiffness(&never);
    }

    #[test]
    fn small_strains_are_elastic() {
        let (mu, lambda) = crate::elastic::lame(1.4e5, 0.2).unwrap();
        conformance::check_small_strain::<_, 2>(&snow(), mu, lambda);
        conformance::check_small_strain::<_, 3>(&snow(), mu, lambda);
    }

    #[test]
    fn stretch_beyond_the_limit_stays_for_good() {
        let state = flowed(&snow(), [1.2, 1.0, 1.0]);
        let b = state.elastic.left_cauchy_green();
        assert!((b[0][0].sqrt() - 1.0075).abs() < 1e-15);
        assert!((b[1][1] - 1.0).abs() < 1e-15);
        assert!((state.history[0] - 1.2 / 1.0075).abs() < 1e-15);
        assert!((snow().volume_ratio(&state) - 1.2).abs() < 1e-14);

        let state = flowed(&snow(), [0.9, 0.99]);
        let b = state.elastic.left_cauchy_green();
        assert!((b[0][0].sqrt() - 0.975).abs() < 1e-15);
        assert!((b[1][1].sqrt() - 0.99).abs() < 1e-15);
        assert!((state.history[0] - 0.9 / 0.975).abs() < 1e-15);
        assert!((snow().volume_ratio(&state) - 0.891).abs() < 1e-14);
    }

    #[test]
    fn an_elastic_step_changes_no_bit() {
        let f = Matrix([
            [1.003, 0.002, -0.001],
            [0.004, 0.99, 0.003],
            [0.0, 0.001, 1.002],
        ]);
        let before = snow().initial_state(&f);
        let mut after = before;
        snow().return_map(&mut after, 1e-3);
        assert_eq!(before.elastic.0, after.elastic.0);
        assert_eq!(before.history, after.history);
    }

    #[test]
    fn compaction_hardens_and_extension_softens() {
        let rest = snow().stiffness(&flowed(&snow(), [1.0, 1.0, 1.0]));
        let packed = snow().stiffness(&flowed(&snow(), [0.9, 1.0, 1.0]));
        let pulled = snow().stiffness(&flowed(&snow(), [1.1, 1.0, 1.0]));
        // J_P is 0.9/0.975 and 1.1/1.0075.
        let expected = (10.0_f64 * (1.0 - 0.9 / 0.975)).exp();
        assert!((packed / rest / expected - 1.0).abs() < 0.1);
        let expected = (10.0_f64 * (1.0 - 1.1 / 1.0075)).exp();
        assert!((pulled / rest / expected - 1.0).abs() < 0.1);

        let law = snow();
        let mut state = law.initial_state(&Matrix::<f64, 2>::identity());
        state.elastic.0[0][0] = 0.99 * 0.99 - 1.0;
        let soft = law.kirchhoff_stress(&state, &Matrix::zero());
        state.history = [0.8];
        let hard = law.kirchhoff_stress(&state, &Matrix::zero());
        assert!((hard[0][0] / soft[0][0] / 2.0_f64.exp() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn hardening_stays_within_its_range() {
        let modulus = |law: &Snow<FixedCorotated>, J_P: f64| {
            let mut state = law.initial_state(&Matrix::<f64, 3>::identity());
            state.history = [J_P];
            law.stiffness(&state)
        };
        let law = Snow::new(solid(), THETA_C, THETA_S, 100.0).unwrap();
        let rest = modulus(&law, 1.0);
        assert!((modulus(&law, 0.5) / rest / 1e3 - 1.0).abs() < 1e-12);
        assert!((modulus(&law, 1.5) / rest / 1e-3 - 1.0).abs() < 1e-12);
        let tame = law.with_hardening_range(0.5, 4.0).unwrap();
        assert!((modulus(&tame, 0.5) / rest / 4.0 - 1.0).abs() < 1e-12);
        assert!((modulus(&tame, 1.5) / rest / 0.5 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn hardening_counts_in_the_stiffness_of_yielding_snow() {
        let tough = Snow::new(solid(), 0.1, THETA_S, 10.0).unwrap();
        let state = flowed(&tough, [0.85, 0.85, 0.85]);
        let bounds = StretchBounds::of_principal(&finger_strains(&Vector([0.9; 3])));
        let J_P = state.history[0];
        let elastic = tough.hardened(J_P).stiffness_within::<3>(&bounds);
        // Loading further by a relative ε in all directions changes the stress by this modulus.
        let e = 1e-6;
        let more = flowed(&tough, [0.85 * (1.0 - e); 3]);
        let tau = tough.kirchhoff_stress(&state, &Matrix::zero());
        let change = tough.kirchhoff_stress(&more, &Matrix::zero()) - tau;
        let tangent = -change.trace() / e / 3.0;
        assert!(tangent > elastic, "{tangent} {elastic}");
        assert!(tough.stiffness(&state) >= tangent);
    }

    #[test]
    fn plastic_volume_stays_within_its_range() {
        let law = snow().with_plastic_volume_range(0.6, 1.05).unwrap();
        assert_eq!(flowed(&law, [2.0, 1.0]).history, [1.05]);
        assert_eq!(flowed(&law, [0.3, 1.0]).history, [0.6]);
    }

    #[test]
    fn flow_that_preserves_volume_keeps_the_determinant() {
        let law = snow().with_plastic_volume(PlasticVolume::Preserved);
        for stretches in [[1.2, 1.0, 0.9], [0.8, 0.9, 1.0], [1.3, 1.1, 1.2]] {
            let before = law.initial_state(&Matrix::from_diagonal(Vector(stretches)));
            let after = flowed(&law, stretches);
            let ratio = after.elastic.volume_ratio() / before.elastic.volume_ratio();
            assert!((ratio - 1.0).abs() < 1e-14, "{ratio}");
            assert_eq!(after.history, [1.0]);
        }
        // By hand in 2D: (1.2, 0.9) is cut to (1.0075, 0.975) and grows by √(1.08/0.9823125).
        let b = flowed(&law, [1.2, 0.9]).elastic.left_cauchy_green();
        let back = (1.08_f64 / (1.0075 * 0.975)).sqrt();
        assert!((b[0][0].sqrt() - 1.0075 * back).abs() < 1e-14);
        assert!((b[1][1].sqrt() - 0.975 * back).abs() < 1e-14);
    }

    #[test]
    fn a_fluid_made_of_snow_keeps_its_energy_only_if_flow_keeps_its_volume() {
        // Sheared at constant volume; μ → 0, so that ψ is λ/2 (J_E − 1)² and there is none before
        // flow. Errata E47.
        let (lambda, sheared) = (2.0e5, [1.6, 1.0 / 1.6]);
        let fluid = FixedCorotated::from_lame(1.0e-9, lambda).unwrap();
        let snow = Snow::new(fluid, 0.4, 0.4, 5.0).unwrap();
        let before = snow.initial_state(&Matrix::from_diagonal(Vector(sheared)));
        assert!(snow.energy_density(&before).unwrap() < 1e-8);

        // 1.6 is cut to 1.4: J_E = 7/8 and J_P = 8/7.
        let energy = snow.energy_density(&flowed(&snow, sheared)).unwrap();
        let expected = (-5.0_f64 / 7.0).exp() * 0.5 * lambda / 64.0;
        assert!((energy / expected - 1.0).abs() < 1e-9, "{energy}");

        let preserved = snow.with_plastic_volume(PlasticVolume::Preserved);
        let energy = preserved.energy_density(&flowed(&preserved, sheared));
        assert!(energy.unwrap() < 1e-8, "{energy:?}");
    }

    #[test]
    fn dry_sand_bears_no_tension() {
        let sand = Snow::dry_sand(solid(), THETA_C, 10.0).unwrap();
        let state = flowed(&sand, [1.1, 1.05, 1.2]);
        let tau = sand.kirchhoff_stress(&state, &Matrix::zero());
        assert!(tau.norm_squared().sqrt() < 1e-9);
    }

    #[test]
    fn particles_may_enter_packed() {
        let packed = snow().with_initial_plastic_volume(2.0 / 3.0).unwrap();
        let state = packed.initial_state(&Matrix::<f64, 3>::identity());
        assert!((packed.volume_ratio(&state) - 2.0 / 3.0).abs() < 1e-15);
        let ratio = packed.stiffness(&state) / snow().stiffness(&flowed(&snow(), [1.0; 3]));
        assert!((ratio / (10.0_f64 / 3.0).exp() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_lost_state_stays_lost() {
        let mut state = snow().initial_state(&Matrix::<f64, 3>::identity());
        state.elastic.0[0][0] = f64::NAN;
        snow().return_map(&mut state, 1e-3);
        assert!(snow().volume_ratio(&state).is_nan());
    }

    #[test]
    fn parameters_are_named_and_in_order() {
        assert_eq!(<Snow<FixedCorotated>>::PARAMETERS.len(), 10);
        assert_eq!(
            <Snow<FixedCorotated>>::PARAMETERS[1..4],
            ["lambda", OWN[0], OWN[1]]
        );
        assert_eq!(snow().parameters()[2..5], [THETA_C, THETA_S, 10.0]);
        assert_eq!(snow().parameters().len(), 10);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for (c, s, xi) in [
            (-0.1, 0.0, 0.0),
            (1.1, 0.0, 0.0),
            (f64::NAN, 0.0, 0.0),
            (0.1, -0.1, 0.0),
            (0.1, f64::INFINITY, 0.0),
            (0.1, 0.1, -1.0),
            (0.1, 0.1, f64::NAN),
        ] {
            assert!(Snow::new(solid(), c, s, xi).is_err(), "{c} {s} {xi}");
        }
        assert!(snow().with_initial_plastic_volume(0.0).is_err());
        assert!(snow().with_hardening_range(0.0, 10.0).is_err());
        assert!(snow().with_hardening_range(0.1, 0.5).is_err());
        assert!(snow().with_plastic_volume_range(-0.1, 2.0).is_err());
        assert!(snow().with_plastic_volume_range(0.1, f64::NAN).is_err());
    }
}
