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
use crate::parameters::ParameterError;
use crate::parameters::{COHESION, H0, H1, H2, H3};
use crate::potential::{Flow, MAX_POTENTIAL_PARAMETERS, Potential, Reference};
use crate::{Constitutive, Dilatation, FingerStrain, MAX_PARAMETERS, Model, State, WithHistory};

/// Largest ln J_P that is stored: matter a million times as loose as at rest is spray, and noise in
/// its velocity must not let it grow without bound.
const MAX_LOG_PLASTIC_VOLUME_RATIO: f64 = 13.8;

/// Experiment to which the friction angle is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FrictionMatch {
    /// Triaxial compression in 3D, α = √(2/3) 2 sin φ/(3 − sin φ): \[Nilles2020\] eq. (95).
    /// In plane strain the material then has another friction angle (30° acts as 27.5° in 2D and as
    /// 43.9° in 3D plane strain).
    #[default]
    Triaxial,
    /// Plane strain, α = sin φ/√2 in 2D and √2 sin φ/3 in 3D: φ is the angle of Mohr-Coulomb in
    /// the plane of shear.
    PlaneStrain,
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
        let [mu, lambda, yield_norm, correction, tip] = *parameters;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::point::{MaterialPoint, Motion, Normal, Stage, drive};

    fn sand(angle: f64) -> DruckerPrager {
        DruckerPrager::new(1.0e6, 0.3, FrictionHardening::constant(angle)).unwrap()
    }

    /// Sand with the parameters of \[Nilles2020\] §10.
    fn hardening_sand() -> DruckerPrager {
        let friction = FrictionHardening {
            h0: 35.0,
            h1: 0.0,
            h2: 0.2,
            h3: 10.0,
        };
        DruckerPrager::new(3.4e5, 0.3, friction).unwrap()
    }

    #[test]
    fn spray_does_not_grow_without_end() {
        let sand = DruckerPrager::new(1.0e5, 0.3, FrictionHardening::constant(30.0)).unwrap();
        let model = sand.uniform_model::<f32>();
        let mut state = model.initial_state(&Matrix::<f32, 2>::identity());
        for _ in 0..1000 {
            State::<f32, 2>::advance(&mut state, &Matrix::from_scalar(0.4));
            model.return_map(&mut state, 1e-3);
        }
        let ratio = model.volume_ratio(&state);
        assert!((1e5..2e6).contains(&ratio), "{ratio}");
    }

    #[test]
    fn drucker_prager_conforms() {
        conformance::check(&sand(30.0));
        conformance::check(&sand(0.0));
        conformance::check(&sand(0.0).with_cohesion(1.0e4).unwrap());
        conformance::check(&sand(35.0).with_friction_match(FrictionMatch::PlaneStrain));
        conformance::check(&sand(30.0).with_cohesion(5.0e4).unwrap());
        conformance::check(&hardening_sand());
        // Cohesion and hardening together are left to the random states below: a larger friction
        // angle lowers the tip.
        conformance::check(
            &sand(30.0)
                .with_cohesion(1.0e3)
                .unwrap()
                .with_volume_correction(VolumeCorrection::Omitted),
        );
    }

    #[test]
    fn the_sine_is_right() {
        for k in 0..=900 {
            let x = f64::from(k) * 0.1f64.to_radians();
            assert!((sine_of_acute(x) - x.sin()).abs() < 3e-16);
        }
        // Peak and end of the hardening curve, and the clamp.
        let friction = FrictionHardening {
            h0: 35.0,
            h1: 9.0,
            h2: 0.3,
            h3: 10.0,
        };
        assert!((friction.sine(0.0) - 25f64.to_radians().sin()).abs() < 1e-15);
        assert!((friction.sine(1e3) - 35f64.to_radians().sin()).abs() < 1e-15);
        assert!(friction.sine(3.0) > friction.sine(1e3));
        let steep = FrictionHardening {
            h1: 1e4,
            ..friction
        };
        assert!(steep.sine(3.0) < 1.0);
    }

    #[test]
    fn friction_matches_are_those_of_the_experiments() {
        for (angle, alpha) in [
            (20.0, 0.2101),
            (30.0, 0.3266),
            (35.0, 0.3860),
            (40.0, 0.4453),
        ] {
            let found = sand(angle).friction_coefficient::<3>(0.0);
            assert!((found - alpha).abs() < 1e-4, "{angle}: {found}");
        }
    }

    /// A number in [−1, 1).
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Projects random states; returns how often each case was met and the largest yield function
    /// and change on repetition.
    fn random_states<const D: usize>(law: &DruckerPrager, count: usize) -> ([usize; 3], f64, f64) {
        let mut seed = 17;
        let mut cases = [0; 3];
        let (mut largest, mut repeated) = (0.0f64, 0.0f64);
        for _ in 0..count {
            let mut f = Matrix::<f64, D>::identity();
            let bias = 0.3 * noise(&mut seed);
            for i in 0..D {
                for j in 0..D {
                    f[i][j] += 0.2 * noise(&mut seed);
                }
                f[i][i] += bias;
            }
            let mut state = law.initial_state(&f);
            state.history = [
                0.1 * noise(&mut seed).max(0.0),
                0.5 + noise(&mut seed).abs(),
            ];
            let J = law.volume_ratio(&state);
            let alpha = law.friction_coefficient::<D>(state.history[1]);
            let before = state;
            let tau = law.respond(&mut state, &Matrix::zero(), 1e-3);
            let size = law.elastic.trace_modulus::<D>();
            let dev = tau.deviator().norm_squared().sqrt();
            let yielded = (alpha * tau.trace() + dev - J * law.cohesion) / size;
            let moved = state.history[1] > before.history[1];
            if !moved {
                cases[0] += 1;
                assert!(yielded <= 1e-12, "case I: {yielded:e}");
            } else {
                cases[if dev <= 1e-9 * size { 1 } else { 2 }] += 1;
                largest = largest.max(yielded.abs());
            }
            assert!((law.volume_ratio(&state) / J - 1.0).abs() < 1e-12);
            let mut again = state;
            // The friction coefficient of the first projection: hardening moves the cone.
            again.history[1] = before.history[1];
            let tau_again = law.respond(&mut again, &Matrix::zero(), 1e-3);
            let change = (tau_again - tau).norm_squared().sqrt() / size;
            repeated = repeated
                .max(change)
                .max((again.history[0] - state.history[0]).abs())
                .max((again.history[1] - before.history[1]).abs());
        }
        (cases, largest, repeated)
    }

    #[test]
    fn projected_states_are_on_the_cone_and_stay_there() {
        for law in [
            sand(30.0),
            sand(40.0).with_cohesion(2.0e4).unwrap(),
            hardening_sand().with_friction_match(FrictionMatch::PlaneStrain),
            hardening_sand().with_cohesion(1.0e4).unwrap(),
        ] {
            let (plane_cases, plane, plane_again) = random_states::<2>(&law, 20_000);
            let (solid_cases, solid, solid_again) = random_states::<3>(&law, 20_000);
            println!(
                "cases {plane_cases:?} {solid_cases:?}: yield function {plane:.1e} {solid:.1e}, \
                 on repetition {plane_again:.1e} {solid_again:.1e}"
            );
            for count in plane_cases.into_iter().chain(solid_cases) {
                assert!(count > 200, "{plane_cases:?} {solid_cases:?}");
            }
            for error in [plane, solid, plane_again, solid_again] {
                assert!(error < 1e-12, "{error:e}");
            }
        }
    }

    fn isotropic<const D: usize>(strain: f64) -> Vec<Stage> {
        let rate = strain / D as f64;
        vec![
            Stage::new(Motion::Isotropic { rate }, 1.0, 200),
            Stage::new(Motion::Isotropic { rate: -rate }, 1.0, 200),
            Stage::new(Motion::Isotropic { rate: -rate }, 0.1, 20),
        ]
    }

    fn expand_and_close<const D: usize>() {
        let strain = 1.1f64.ln();
        let law = sand(30.0);
        let records = drive::<_, D>(&law, &isotropic::<D>(strain)).unwrap();
        let b_columns = D * (D + 1) / 2;
        for (k, record) in records.iter().enumerate().take(400) {
            let size = record.kirchhoff_stress.norm_squared().sqrt();
            assert!(size < 1e-7, "pressure {size} at {}", record.volume_ratio);
            let open = record.volume_ratio.ln();
            assert!((record.state[b_columns] - open).abs() < 1e-12, "record {k}");
        }
        let closed = &records[400];
        assert!((closed.volume_ratio - 1.0).abs() < 1e-12);
        assert!(closed.state[b_columns].abs() < 1e-12);
        // Compressed further, the pressure is that of the elastic law and v_c is zero.
        let last = records.last().unwrap();
        let expected = law.elastic.trace_modulus::<D>() * -0.1 * strain;
        assert!((last.kirchhoff_stress.trace() / expected - 1.0).abs() < 1e-9);
        assert_eq!(last.state[b_columns], 0.0);
        // Without the correction the same path presses as soon as it turns.
        let swelling = law.with_volume_correction(VolumeCorrection::Omitted);
        let records = drive::<_, D>(&swelling, &isotropic::<D>(strain)).unwrap();
        assert!(records[250].kirchhoff_stress.trace() < 0.2 * -law.elastic.mu * strain);
        assert!((records[400].volume_ratio - 1.0).abs() < 1e-12);
    }

    #[test]
    fn expanded_sand_bears_no_pressure_until_it_is_closed() {
        expand_and_close::<2>();
        expand_and_close::<3>();
    }

    /// Negative control: one isotropic path by the plain equations,
    /// with v_c += `sign` (tr ln Σ − tr H).
    fn plain_path(sign: f64) -> (f64, f64) {
        let d = 3.0;
        let (mut elastic, mut v_c, mut pressure) = (0.0, 0.0, 0.0f64);
        for k in 0..400 {
            let step = 1.1f64.ln() / 200.0 * if k < 200 { 1.0 } else { -1.0 };
            let trial = elastic + step;
            let e: f64 = trial + v_c / d * d;
            let h = e.min(0.0);
            v_c += sign * (trial - h);
            elastic = h;
            pressure = pressure.max(-h);
        }
        (v_c, pressure)
    }

    #[test]
    fn the_printed_sign_of_the_volume_correction_fails() {
        let (v_c, pressure) = plain_path(1.0);
        assert!(v_c.abs() < 1e-12 && pressure < 1e-12);
        let (v_c, pressure) = plain_path(-1.0);
        println!("printed sign: v_c = {v_c:.3e}, largest compressive strain {pressure:.3e}");
        assert!(!(v_c.abs() < 0.05 && pressure < 0.05));
    }

    #[test]
    fn loose_sand_at_rest_does_not_harden() {
        let law = hardening_sand();
        let mut stages = isotropic::<3>(0.1);
        stages.truncate(1);
        stages.push(Stage::new(Motion::Rest, 1.0, 1000));
        let records = drive::<_, 3>(&law, &stages).unwrap();
        let (opened, rested) = (&records[200], records.last().unwrap());
        assert!((opened.state[7] - 0.1 / 3f64.sqrt()).abs() < 1e-9);
        assert!((rested.state[7] - opened.state[7]).abs() < 1e-9);
    }

    fn sheared<const D: usize>(law: &DruckerPrager) -> f64 {
        let normal = Normal::Stress(-1.0e3);
        let stages = [
            Stage::new(Motion::Shear { rate: 0.0, normal }, 1.0, 10),
            Stage::new(Motion::Shear { rate: 1.0, normal }, 0.2, 2000),
        ];
        let records = drive::<_, D>(law, &stages).unwrap();
        let last = records.last().unwrap();
        assert!((last.cauchy_stress[1][1] / -1.0e3 - 1.0).abs() < 1e-6);
        -last.cauchy_stress[0][1] / last.cauchy_stress[1][1]
    }

    #[test]
    fn sheared_sand_has_the_friction_of_its_match() {
        for angle in [20.0, 30.0, 35.0] {
            let law = sand(angle);
            let alpha = law.friction_coefficient::<3>(0.0);
            let plane = sheared::<2>(&law) / (2f64.sqrt() * alpha) - 1.0;
            let solid = sheared::<3>(&law) / (3.0 / 2f64.sqrt() * alpha) - 1.0;
            let law = law.with_friction_match(FrictionMatch::PlaneStrain);
            let sine = f64::to_radians(angle).sin();
            let matched_plane = sheared::<2>(&law) / sine - 1.0;
            let matched_solid = sheared::<3>(&law) / sine - 1.0;
            println!(
                "{angle} degrees: off by {plane:.1e} {solid:.1e}, matched {matched_plane:.1e} {matched_solid:.1e}"
            );
            for error in [plane, solid, matched_plane, matched_solid] {
                assert!(error.abs() < 0.01, "{angle}: {error}");
            }
        }
    }

    #[test]
    fn sand_without_friction_and_cohesion_has_no_tension() {
        let law = sand(0.0);
        let mut point = MaterialPoint::<_, 2>::new(&law);
        point.step(&(Matrix::identity() * 0.1), 1.0);
        assert!(point.cauchy_stress().norm_squared().sqrt() < 1e-9);
        point.step(&(Matrix::identity() * -0.2), 1.0);
        assert!(point.cauchy_stress().trace() < -1e5);
    }

    #[test]
    fn cohesion_is_a_stress_and_holds_wet_sand_together() {
        let wet = sand(30.0).with_cohesion(2.0e3).unwrap();
        let mut point = MaterialPoint::<_, 3>::new(&wet);
        let pull = Matrix::identity() * 0.01;
        for _ in 0..100 {
            point.step(&pull, 0.1);
        }
        let record = point.record();
        let alpha = wet.friction_coefficient::<3>(0.0);
        // Tip of the cone in Cauchy stress: α tr σ = c_C.
        assert!((alpha * record.cauchy_stress.trace() / 2.0e3 - 1.0).abs() < 1e-10);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let good = FrictionHardening {
            h0: 35.0,
            h1: 1.0,
            h2: 0.2,
            h3: 10.0,
        };
        for bad in [
            FrictionHardening { h0: 90.0, ..good },
            FrictionHardening { h0: -1.0, ..good },
            FrictionHardening {
                h0: f64::NAN,
                ..good
            },
            FrictionHardening { h1: -1.0, ..good },
            FrictionHardening {
                h2: f64::INFINITY,
                ..good
            },
            FrictionHardening { h3: 36.0, ..good },
            FrictionHardening { h3: -1.0, ..good },
        ] {
            assert!(DruckerPrager::new(1e5, 0.3, bad).is_err(), "{bad:?}");
        }
        for cohesion in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(sand(30.0).with_cohesion(cohesion).is_err());
        }
        assert!(DruckerPrager::new(1e5, 0.5, good).is_err());
    }
}
