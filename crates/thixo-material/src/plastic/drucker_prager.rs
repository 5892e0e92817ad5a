//! Drucker-Prager plasticity: sand and soil, dry or wet; shear strength that grows with pressure,
//! free separation.
//!
//! Stress is that of the Hencky strain, τ = 2μ ε + λ tr ε I, and obeys α tr τ + ‖dev τ‖ ≤ J
//! c_C with the friction coefficient α and the cohesion c_C: a cone in the space of principal
//! stresses. \[Nilles2020\] eq. (89)–(98) after \[Klar2016\] and \[Tampubolon2017\],
//! with errata E8 (J c_C, not c_C/J, and a missing 2μ), E9 (tip of the cohesive cone)
//! and E10 (sign of the volume correction). With the trial strain ln Σ, v_c = ln J_P so far,
//! and dev with 1/d:
//!
//! ```text
//! e  = ln Σ + (v_c/d) I               corrected trial strain
//! J  = exp(tr ln Σ + v_c)             total volume ratio, which the projection does not change
//! a  = α (dλ + 2μ),  t = J c_C/a      tip of the cone in tr e; 0 without cohesion
//! δγ = ‖dev e‖ + (a tr e − J c_C)/(2μ)
//! I    δγ ≤ 0 and tr e ≤ t            H = e                          grains hold
//! II   tr e ≥ t or dev e = 0          H = (t/d) I                    grains part
//! III  otherwise                      H = e − δγ dev e/‖dev e‖       grains slide
//! ε ← H,  v_c ← v_c + tr ln Σ − tr H
//! ```
//!
//! Sand that was pulled apart thus bears no pressure until it is closed again
//! ([`VolumeCorrection::Applied`]); without the correction e = ln Σ, and every parting leaves
//! its volume behind.
//!
//! Hardening, eq. (94): φ = h₀ + (h₁ q − h₃) e^{−h₂ q}, kept in \[0°, 90°), where q sums the
//! plastic strain: δγ in case III, ‖ln Σ − H‖ in case II. That is the strain of the step alone:
//! with e in its place loose grains would harden in every step although nothing moves. α follows
//! from φ by a choice of experiment to match, [`FrictionMatch`], and is that of the q before the
//! step: where cohesion holds grains together in tension, hardening lowers the tip from one step
//! to the next.
//!
//! In plane shear at constant normal stress the steady ratio τ/σ_n is sin φ_e = √2 α in 2D,
//! 3α/√2 in 3D plane strain (errata E36).
//!
//! Implicit steps solve with grains that part and slide: with the pressure p(T) = κ min(T, t),
//! T = tr e, κ = λ + 2μ/d, and ‖dev τ‖ limited by the cone at the beginning of the step,
//! which makes the stress the gradient of an energy. The return map after the step has the
//! cone at its end.
//!
//! Range: E > 0, −1 < ν < ½, c_C ≥ 0, 0° ≤ h₃ ≤ h₀ < 90°, h₁, h₂ ≥ 0. History: v_c and q.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real, Vector};

use super::flow_energy::{FlowEnergy, FlowLaw, Part, elastic_volume, perfectly_plastic};
use super::hencky_strain::{HenckyModuli, HenckyStrain, shifted};
use crate::description::{Appearance, Choice, Description, Key, LongSteps, Preset, Rule, Values};
use crate::elastic::moduli;
use crate::law::LawResult;
use crate::parameters::{
    COHESION, FRICTION_ANGLE, H0, H1, H2, H3, POISSON_RATIO, ParameterError, YOUNG_MODULUS,
};
use crate::potential::{Flow, MAX_POTENTIAL_PARAMETERS, Potential, Reference};
use crate::{Constitutive, Dilatation, FingerStrain, MAX_PARAMETERS, Model, State, WithHistory};

/// Largest ln J_P that is stored: matter a million times as loose as at rest is spray, and noise in
/// its velocity must not let it grow without bound.
const MAX_LOG_PLASTIC_VOLUME_RATIO: f64 = 13.8;

/// Experiment to which the friction angle is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FrictionMatch {
    /// Plane strain, α = sin φ/√2 in 2D and √2 sin φ/3 in 3D: φ is the angle of Mohr-Coulomb in
    /// the plane of shear. Sand that flows shears so, in heaps, chutes and collapsing columns, and
    /// so its run-out in 3D is that of experiments (`docs/validation.md`).
    #[default]
    PlaneStrain,
    /// Triaxial compression in 3D, α = √(2/3) 2 sin φ/(3 − sin φ): \[Nilles2020\] eq. (95).
    /// In plane strain the material then has another friction angle (30° acts as 27.5° in 2D and as
    /// 43.9° in 3D plane strain).
    Triaxial,
}

/// Treatment of the volume that sand gains when its grains part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum VolumeCorrection {
    /// It must be closed again before grains press on each other.
    #[default]
    Applied,
    /// It is forgotten: sand swells when it is poured. \[Nilles2020\] Fig. 6.
    Omitted,
}

/// φ(q) = h₀ + (h₁ q − h₃) e^{−h₂ q}: from h₀ − h₃ at first to h₀ in the end, over a
/// peak if h₁ > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionHardening<R = f64> {
    /// Final friction angle h₀ \[°\].
    pub h0: R,
    /// Height of the peak h₁ \[°\].
    pub h1: R,
    /// Rate of hardening h₂ \[–\].
    pub h2: R,
    /// Deficit h₃ of the initial friction angle h₀ − h₃ \[°\].
    pub h3: R,
}

/// Largest friction angle \[°\].
const LARGEST_ANGLE: f64 = 89.99;

impl FrictionHardening {
    /// A constant friction angle \[°\].
    pub fn constant(friction_angle: f64) -> Self {
        Self {
            h0: friction_angle,
            h1: 0.0,
            h2: 0.0,
            h3: 0.0,
        }
    }
    fn checked(self) -> Result<Self, ParameterError> {
        let Self { h0, h1, h2, h3 } = self;
        H0.check(h0)?;
        H1.check(h1)?;
        H2.check(h2)?;
        H3.check(h3)?;
        if h3 > h0 {
            return Err(H3.refusal(h3));
        }
        Ok(self)
    }
}

impl<R: Real> FrictionHardening<R> {
    /// sin φ after the plastic strain q.
    #[inline(always)]
    fn sine(&self, q: R) -> R {
        let change = self.h1.mul_add(q, -self.h3) * (-(self.h2 * q)).exp();
        let largest = R::splat(LARGEST_ANGLE);
        let degrees = R::zero().max(largest.min(self.h0 + change));
        sine_of_acute(degrees * R::splat(core::f64::consts::PI / 180.0))
    }
}

/// sin x for 0 ≤ x ≤ π/2 by its series, to 1e-16.
#[inline(always)]
fn sine_of_acute<R: Real>(x: R) -> R {
    let squared = x * x;
    let mut sum = R::one();
    // x (1 − x²/(2·3) (1 − x²/(4·5) (1 − …)))
    for k in [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] {
        let factor = f64::from(2 * k * (2 * k + 1));
        sum = (squared * sum).mul_add(R::splat(-1.0 / factor), R::one());
    }
    x * sum
}

/// Sand with friction, cohesion and hardening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DruckerPrager<R = f64> {
    elastic: HenckyModuli<R>,
    /// Cohesion c_C ≥ 0 \[Pa\].
    cohesion: R,
    friction: FrictionHardening<R>,
    friction_match: FrictionMatch,
    volume_correction: VolumeCorrection,
}

impl DruckerPrager {
    /// Dry sand from Young's modulus E > 0 \[Pa\], Poisson's ratio −1 < ν < ½ and its friction,
    /// angles in degrees.
    pub fn new(
        young_modulus: f64,
        poisson_ratio: f64,
        friction: FrictionHardening,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            elastic: HenckyModuli::from_young_poisson(young_modulus, poisson_ratio)?,
            cohesion: COHESION.default_value(),
            friction: friction.checked()?,
            friction_match: FrictionMatch::default(),
            volume_correction: VolumeCorrection::default(),
        })
    }
    /// The same sand with the cohesion c_C ≥ 0 \[Pa\]. Values that are strains, as in
    /// \[Nilles2020\] §10, are to be multiplied by 2μ.
    pub fn with_cohesion(self, cohesion: f64) -> Result<Self, ParameterError> {
        COHESION.check(cohesion)?;
        Ok(Self { cohesion, ..self })
    }
    /// The same sand, its friction angle matched to another experiment.
    pub fn with_friction_match(self, friction_match: FrictionMatch) -> Self {
        Self {
            friction_match,
            ..self
        }
    }
    /// The same sand with or without the volume correction.
    pub fn with_volume_correction(self, volume_correction: VolumeCorrection) -> Self {
        Self {
            volume_correction,
            ..self
        }
    }
}

impl Constitutive for DruckerPrager {
    type Model<R: Real> = DruckerPrager<R>;
    type Potential = GranularPotential;
    const NAME: &'static str = "drucker_prager";
    const PARAMETERS: &'static [&'static str] =
        &["mu", "lambda", "cohesion", "h0", "h1", "h2", "h3"];
    const HISTORY: &'static [&'static str] = &["log_plastic_volume_ratio", "plastic_strain"];

    fn parameters(&self) -> Vec<f64> {
        let FrictionHardening { h0, h1, h2, h3 } = self.friction;
        vec![
            self.elastic.mu,
            self.elastic.lambda,
            self.cohesion,
            h0,
            h1,
            h2,
            h3,
        ]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> DruckerPrager<R> {
        let [mu, lambda, cohesion, h0, h1, h2, h3, ..] = *parameters;
        DruckerPrager {
            elastic: HenckyModuli { mu, lambda },
            cohesion,
            friction: FrictionHardening { h0, h1, h2, h3 },
            friction_match: self.friction_match,
            volume_correction: self.volume_correction,
        }
    }
    fn potential(&self) -> GranularPotential {
        GranularPotential
    }
}

impl<R: Real> DruckerPrager<R> {
    /// Friction coefficient α after the plastic strain q \[–\].
    #[inline(always)]
    fn friction_coefficient<const D: usize>(&self, q: R) -> R {
        let sine = self.friction.sine(q);
        match self.friction_match {
            FrictionMatch::Triaxial => {
                sine * R::splat(2.0 * (2.0_f64 / 3.0).sqrt()) / (R::splat(3.0) - sine)
            }
            FrictionMatch::PlaneStrain => {
                let root_2 = core::f64::consts::SQRT_2;
                sine * R::splat(if D == 2 { 1.0 / root_2 } else { root_2 / 3.0 })
            }
        }
    }

    /// Yield cone after the plastic strain q, at the volume ratio J given as ln J.
    #[inline(always)]
    fn cone<const D: usize>(&self, q: R, log_J: R) -> Cone<R> {
        let a = self.friction_coefficient::<D>(q) * self.elastic.trace_modulus::<D>();
        let Jc = log_J.exp() * self.cohesion;
        let tip = R::select(self.cohesion.gt(R::zero()), Jc / a, R::zero());
        Cone { a, Jc, tip }
    }

    /// Part of v_c that must be closed before grains press on each other \[–\].
    #[inline(always)]
    fn correction(&self, v_c: R) -> R {
        match self.volume_correction {
            VolumeCorrection::Applied => v_c,
            VolumeCorrection::Omitted => R::zero(),
        }
    }
}

/// Yield cone ‖dev τ‖ ≤ J c_C − a tr e.
struct Cone<R> {
    a: R,
    Jc: R,
    /// tr e at the tip.
    tip: R,
}

impl<R: Real> Model<R> for DruckerPrager<R> {
    type State<const D: usize> = WithHistory<FingerStrain<R, D>, R, 2>;

    /// J = J_E e^{v_c}.
    #[inline(always)]
    fn volume_ratio<const D: usize>(&self, state: &Self::State<D>) -> R {
        State::<R, D>::volume_ratio(&state.elastic) * state.history[0].exp()
    }

    #[inline(always)]
    fn energy_density<const D: usize>(&self, state: &Self::State<D>) -> Option<R> {
        Some(self.elastic.energy(&state.elastic.0))
    }

    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &Self::State<D>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        self.elastic.kirchhoff(&state.elastic.0)
    }

    #[inline(always)]
    fn return_map<const D: usize>(&self, state: &mut Self::State<D>, dt: R) {
        self.respond(state, &Matrix::zero(), dt);
    }

    #[inline(always)]
    fn respond<const D: usize>(
        &self,
        state: &mut Self::State<D>,
        _velocity_gradient: &Matrix<R, D>,
        _dt: R,
    ) -> Matrix<R, D> {
        let zero = R::zero();
        let inv_d = R::splat(1.0 / D as f64);
        let two_mu = self.elastic.mu * R::splat(2.0);
        let [v_c, q] = state.history;

        let trial = HenckyStrain::of(&state.elastic.0);
        let correction = self.correction(v_c);
        let e = HenckyStrain::split(trial.principal, shifted(&trial.values, correction * inv_d));

        let Cone { a, Jc, tip } = self.cone::<D>(q, trial.trace + v_c);
        let slip = e.deviator_norm + (a.mul_add(e.trace, -Jc)) / two_mu;

        // The second condition matters without friction and cohesion, where the cone is a line
        // through the tip.
        let holds = slip.le(zero).and(e.trace.le(tip));
        let parts = holds
            .not()
            .and(e.trace.ge(tip).or(e.deviator_norm.eq(zero)));
        let slides = holds.or(parts).not();

        let slid_strain = e.deviator.mul_add(-(slip / e.deviator_norm), e.values);
        let mut tip_strain = Vector::zero();
        for i in 0..D {
            tip_strain[i] = tip * inv_d;
        }
        let H = Vector::select(
            holds,
            e.values,
            Vector::select(parts, tip_strain, slid_strain),
        );

        // Only separation changes the plastic volume; elsewhere the elastic strain absorbs what
        // was to be closed.
        let kept = v_c - correction;
        let v_c_next = kept + R::select(parts, e.trace - tip, zero);
        // NaN stays NaN: `min` keeps its second operand then.
        let v_c_next = R::splat(MAX_LOG_PLASTIC_VOLUME_RATIO).min(v_c_next);
        let step = R::select(parts, (trial.values - H).norm(), zero);
        let dq = R::select(slides, slip, step);

        let changed = holds.and(correction.eq(zero)).not();
        state.elastic.0 = trial.rebuild(&H, changed, &state.elastic.0);
        state.history = [v_c_next, q + dq];
        trial.principal.compose(&self.elastic.stresses(&H))
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &Self::State<D>) -> R {
        self.elastic.stiffness(&state.elastic.0)
    }

    #[inline(always)]
    fn reference<const D: usize>(&self, state: &Self::State<D>, _dt: R) -> Reference<R, D> {
        let [v_c, q] = state.history;
        let h = state.elastic.0;
        let elastic_trace = Dilatation::of(&h).log_ratio();
        let correction = self.correction(v_c);
        let cone = self.cone::<D>(q, elastic_trace + v_c);
        let s_Y = (cone.Jc - cone.a * (elastic_trace + correction)).max(R::zero());
        let HenckyModuli { mu, lambda } = self.elastic;
        Reference::new(h, [mu, lambda, s_Y, correction, cone.tip])
    }
}

/// The potential of sand. Parameters: μ, λ, the largest ‖dev τ‖ \[Pa\], the volume still to be
/// closed, ln J_P, and the tip of the cone, tr e.
#[derive(Clone, Copy, Debug)]
pub struct GranularPotential;

/// Stress of sand after a step.
#[derive(Clone, Copy, Debug)]
pub struct Granular<R> {
    elastic: HenckyModuli<R>,
    /// ‖dev τ‖ at yield, s_Y \[Pa\].
    yield_norm: R,
    correction: R,
    tip: R,
}

impl Potential for GranularPotential {
    type Energy<R: Real> = FlowEnergy<Granular<R>>;
    const FLOW: Flow = Flow::WithinStep;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> Self::Energy<R> {
        let [mu, lambda, yield_norm, correction, tip, ..] = *parameters;
        FlowEnergy(Granular {
            elastic: HenckyModuli { mu, lambda },
            yield_norm,
            correction,
            tip,
        })
    }
}

impl<R: Real> FlowLaw<R> for Granular<R> {
    #[inline(always)]
    fn shear_modulus(&self) -> R {
        self.elastic.mu
    }
    #[inline(always)]
    fn volume<const D: usize>(&self, T: R) -> Part<R> {
        let HenckyModuli { mu, lambda } = self.elastic;
        let T = T + self.correction;
        let closed = elastic_volume::<R, D>(mu, lambda, T);
        let at_tip = elastic_volume::<R, D>(mu, lambda, self.tip);
        let opens = T.gt(self.tip);
        let beyond = at_tip.stress.mul_add(T - self.tip, at_tip.energy);
        Part {
            energy: R::select(opens, beyond, closed.energy),
            stress: R::select(opens, at_tip.stress, closed.stress),
            modulus: R::select(opens, R::zero(), closed.modulus),
        }
    }
    #[inline(always)]
    fn shape(&self, e: R) -> Part<R> {
        perfectly_plastic(self.elastic.mu, self.yield_norm, e)
    }
}

compiled!(DruckerPrager);

/// `model = "drucker_prager"`.
pub static DESCRIPTION: Description = Description {
    name: "drucker_prager",
    about: "sand, soil: shear strength that grows with pressure",
    reference: "[Klar2016]; [Nilles2020] section 5.2.2; errata E8 to E11, E36",
    keys: &[
        Key::Number(&YOUNG_MODULUS),
        Key::Number(&POISSON_RATIO),
        Key::Number(&FRICTION_ANGLE),
        Key::Number(&H0),
        Key::Number(&H1),
        Key::Number(&H2),
        Key::Number(&H3),
        Key::Number(&COHESION),
        Key::Word(&FRICTION_MATCH),
        Key::Word(&VOLUME_CORRECTION),
    ],
    rules: &[Rule::OneOf {
        parameter: &FRICTION_ANGLE,
        table: "friction_hardening",
        because: "friction_hardening gives the angle",
    }],
    presets: &PRESETS,
    long_steps: LongSteps::Laborious,
    appearance: Appearance::Sand,
    build,
};

const FRICTION_MATCH: Choice = Choice {
    key: "friction_match",
    about: "which experiment gives the friction angle",
    words: &[
        (
            "plane_strain",
            "shear in plane strain, the angle of Mohr and Coulomb: for sand that flows",
        ),
        (
            "triaxial",
            "triaxial compression: for samples pressed from all sides, and papers that match so",
        ),
    ],
};

const VOLUME_CORRECTION: Choice = Choice {
    key: "volume_correction",
    about: "whether parted grains must close again before they press on each other",
    words: &[
        ("on", "they must"),
        ("off", "sand swells when it is poured"),
    ],
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let friction = match values.given(FRICTION_ANGLE.key) {
        Some(angle) => FrictionHardening::constant(FRICTION_ANGLE.check(angle)?),
        None => FrictionHardening {
            h0: values.number(&H0),
            h1: values.number(&H1),
            h2: values.number(&H2),
            h3: values.number(&H3),
        },
    };
    let friction_match = match values.word(&FRICTION_MATCH) {
        "triaxial" => FrictionMatch::Triaxial,
        _ => FrictionMatch::PlaneStrain,
    };
    let volume_correction = match values.word(&VOLUME_CORRECTION) {
        "off" => VolumeCorrection::Omitted,
        _ => VolumeCorrection::Applied,
    };
    let (young_modulus, poisson_ratio) = moduli(values);
    let sand = DruckerPrager::new(young_modulus, poisson_ratio, friction)?
        .with_cohesion(values.number(&COHESION))?
        .with_friction_match(friction_match)
        .with_volume_correction(volume_correction);
    Ok(Box::new(sand))
}

/// Sand with a cohesion that is given as a strain, of 2μ = E/(1 + ν).
macro_rules! sand {
    ($name:literal, $about:literal, $cohesion_strain:literal, $source:literal) => {
        Preset {
            name: $name,
            about: $about,
            law: &DESCRIPTION,
            density: 2200.0,
            values: &[
                (&YOUNG_MODULUS, 3.4e5),
                (&POISSON_RATIO, 0.3),
                (&H0, 35.0),
                (&H1, 0.0),
                (&H2, 0.2),
                (&H3, 10.0),
                (&COHESION, $cohesion_strain * (3.4e5 / (1.0 + 0.3))),
            ],
            choices: &[],
            source: $source,
        }
    };
}

/// Sand, dry and with cohesion, after \[Nilles2020\] §10.
///
/// Its figure 25 gives cohesions 0, 0.004, 0.025 and 1 that are strains (errata E8):
/// here they are multiplied by 2μ = E/(1 + ν). The figure names no other parameter of its sand;
/// those of figure 26 are taken for all four. The friction angle starts at h₀ − h₃ = 25° and grows
/// to 35°; the paper takes it for that of triaxial compression, by which sand in 3D runs out too
/// short (errata E36), and here it is that of plane strain.
static PRESETS: [Preset; 4] = [
    sand! {
        "sand",
        "dry sand that pours and piles up",
        0.0,
        "[Nilles2020] section 10, regular sand of figure 26"
    },
    sand! {
        "sand_damp",
        "sand that crumbles in lumps",
        0.004,
        "[Nilles2020] figure 25, cohesion 0.004 times 2 mu, on the sand of figure 26"
    },
    sand! {
        "sand_wet",
        "sand that holds a castle",
        0.025,
        "[Nilles2020] figure 25, cohesion 0.025 times 2 mu, on the sand of figure 26"
    },
    sand! {
        "sand_solid",
        "so much cohesion that it is an elastic solid",
        1.0,
        "[Nilles2020] figure 25, cohesion 1 times 2 mu, on the sand of figure 26"
    },
];

#[cfg(test)]
mod tests;
