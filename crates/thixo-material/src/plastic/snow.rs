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

use crate::description::{Appearance, Choice, Description, Key, LongSteps, Preset, Rule, Values};
use crate::elastic;
use crate::law::{Law, LawResult};
use crate::parameters::{
    CRITICAL_COMPRESSION, CRITICAL_STRETCH, HARDENING, INITIAL_PLASTIC_VOLUME,
    LEAST_HARDENING_FACTOR, LEAST_PLASTIC_VOLUME, MOST_HARDENING_FACTOR, MOST_PLASTIC_VOLUME,
    POISSON_RATIO, ParameterError, YOUNG_MODULUS,
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

/// `model = "snow"`.
pub static DESCRIPTION: Description = Description {
    name: "snow",
    about: "snow: it packs, hardens and breaks",
    reference: "[Stomakhin2013]; [Jiang2015thesis] section 3.2; errata E12, E34",
    keys: &[
        Key::Number(&YOUNG_MODULUS),
        Key::Number(&POISSON_RATIO),
        Key::Number(&CRITICAL_COMPRESSION),
        Key::Number(&CRITICAL_STRETCH),
        Key::Number(&HARDENING),
        Key::Word(&ELASTIC),
        Key::Number(&INITIAL_PLASTIC_VOLUME),
        Key::Word(&PLASTIC_VOLUME),
        Key::Number(&LEAST_HARDENING_FACTOR),
        Key::Number(&MOST_HARDENING_FACTOR),
        Key::Number(&LEAST_PLASTIC_VOLUME),
        Key::Number(&MOST_PLASTIC_VOLUME),
    ],
    rules: &[
        Rule::InitialVolumeRatio(&INITIAL_PLASTIC_VOLUME),
        Rule::HardeningLimit {
            hardening: &HARDENING,
            volume_ratio: &INITIAL_PLASTIC_VOLUME,
            most: &MOST_HARDENING_FACTOR,
        },
    ],
    presets: &PRESETS,
    long_steps: LongSteps::YieldsAfter,
    appearance: Appearance::Snow,
    build,
};

const ELASTIC: Choice = Choice {
    key: "elastic",
    about: "the elastic law within",
    words: &[
        ("fixed_corotated", "it keeps its strength whatever happens"),
        ("split_corotated", "shear that volume changes leave alone"),
        ("neo_hookean", "rubber"),
        ("st_venant_kirchhoff", "large turns, small strains"),
        ("hencky", "Hooke's law of the logarithmic strain"),
    ],
};

const PLASTIC_VOLUME: Choice = Choice {
    key: "plastic_volume",
    about: "what plastic flow does to the volume",
    words: &[
        ("free", "snow packs, and spray takes room"),
        (
            "preserved",
            "flow keeps the volume: nearly incompressible, without hardening",
        ),
    ],
};

fn build(values: &Values, dimension: usize) -> LawResult {
    let (young, poisson) = elastic::moduli(values);
    match values.word(&ELASTIC) {
        "split_corotated" => on(
            elastic::SplitCorotated::from_young_poisson(young, poisson, dimension)?,
            values,
        ),
        "neo_hookean" => on(
            elastic::NeoHookean::from_young_poisson(young, poisson)?,
            values,
        ),
        "st_venant_kirchhoff" => on(
            elastic::StVenantKirchhoff::from_young_poisson(young, poisson)?,
            values,
        ),
        "hencky" => on(elastic::Hencky::from_young_poisson(young, poisson)?, values),
        _ => on(
            elastic::FixedCorotated::from_young_poisson(young, poisson)?,
            values,
        ),
    }
}

/// Snow on an elastic law.
fn on<E>(elastic: E, values: &Values) -> LawResult
where
    Snow<E>: Law + 'static,
{
    let volume = match values.word(&PLASTIC_VOLUME) {
        "preserved" => PlasticVolume::Preserved,
        _ => PlasticVolume::Free,
    };
    let number = |parameter| values.number(parameter);
    let (compression, stretch) = (number(&CRITICAL_COMPRESSION), number(&CRITICAL_STRETCH));
    let snow = Snow::new(elastic, compression, stretch, number(&HARDENING))?
        .with_initial_plastic_volume(number(&INITIAL_PLASTIC_VOLUME))?
        .with_hardening_range(
            number(&LEAST_HARDENING_FACTOR),
            number(&MOST_HARDENING_FACTOR),
        )?
        .with_plastic_volume_range(number(&LEAST_PLASTIC_VOLUME), number(&MOST_PLASTIC_VOLUME))?
        .with_plastic_volume(volume);
    Ok(Box::new(snow))
}

/// θ_c, θ_s, ξ and J_P at the start, of snow with the reference moduli; its flow of volume.
macro_rules! snow {
    (
        $name:literal, $about:literal,
        [$compression:literal, $stretch:literal, $hardening:literal, $volume:expr],
        $source:expr
    ) => {
        snow!(
            $name,
            $about,
            [$compression, $stretch, $hardening, $volume],
            $source,
            &[]
        )
    };
    (
        $name:literal, $about:literal,
        [$compression:literal, $stretch:literal, $hardening:literal, $volume:expr],
        $source:expr, $choices:expr
    ) => {
        Preset {
            name: $name,
            about: $about,
            law: &DESCRIPTION,
            density: 400.0,
            values: &[
                (&YOUNG_MODULUS, 1.4e5),
                (&POISSON_RATIO, 0.2),
                (&CRITICAL_COMPRESSION, $compression),
                (&CRITICAL_STRETCH, $stretch),
                (&HARDENING, $hardening),
                (&INITIAL_PLASTIC_VOLUME, $volume),
            ],
            choices: $choices,
            source: $source,
        }
    };
}

const VARIATION: &str = "variation in [Stomakhin2013] as its public implementations quote it";

/// Snow, after \[Stomakhin2013\], and other materials that its law describes.
///
/// The reference values are printed in \[Jiang2015thesis\] §3.2.2 and \[Nilles2020\] §8.
/// The lower hardening, critical compression and critical stretch are those that public
/// implementations of \[Stomakhin2013\] quote from it.
static PRESETS: [Preset; 10] = [
    snow! {
        "snow",
        "snow that packs and breaks in chunks",
        [2.5e-2, 7.5e-3, 10.0, 1.0],
        "[Jiang2015thesis] section 3.2.2; [Nilles2020] section 8; after [Stomakhin2013]"
    },
    snow! {
        "snow_lower_hardening",
        "snow that stays soft when packed",
        [2.5e-2, 7.5e-3, 5.0, 1.0],
        VARIATION
    },
    snow! {
        "snow_lower_critical_compression",
        "snow that yields early under pressure",
        [1.9e-2, 7.5e-3, 10.0, 1.0],
        VARIATION
    },
    snow! {
        "snow_lower_critical_stretch",
        "brittle snow that falls apart as powder",
        [2.5e-2, 5.0e-3, 10.0, 1.0],
        VARIATION
    },
    snow! {
        "snow_lower_critical_values",
        "snow that yields early under pressure and tension",
        [1.9e-2, 5.0e-3, 10.0, 1.0],
        VARIATION
    },
    snow! {
        "snow_packed",
        "dense, stiff parts of a snowball: 1.5 times the mass in the same volume",
        [2.5e-2, 7.5e-3, 10.0, 2.0 / 3.0],
        "[Nilles2020] figure 23"
    },
    snow! {
        "snow_little_hardening",
        "matter that is squeezed for good without becoming hard",
        [2.5e-2, 7.5e-3, 1.0, 1.0],
        "[Nilles2020] figure 25, green sphere"
    },
    snow! {
        "snow_elastic",
        "the elastic solid within snow: nothing yields",
        [1.0, 100.0, 10.0, 1.0],
        "[Nilles2020] figure 25, red sphere"
    },
    snow! {
        "snow_constant_volume",
        "the reference snow with flow that keeps the volume: dough rather than snow",
        [2.5e-2, 7.5e-3, 10.0, 1.0],
        "flow of [Jiang2015thesis] section 6.4.1 with the numbers of its section 3.2.2",
        &[(&PLASTIC_VOLUME, "preserved")]
    },
    snow! {
        "snow_dry_sand",
        "grains that separate freely; for real sand prefer the presets of sand",
        [2.5e-2, 0.0, 10.0, 1.0],
        "[Jiang2015thesis] section 3.2.2, upper limit 1; [Nilles2020] figure 25, orange sphere"
    },
];

#[cfg(test)]
mod tests;
