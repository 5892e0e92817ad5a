//! Multiplicative elastoplasticity with a flow rate and hardening: dough, wax, frozen yogurt;
//! matter that creeps under load and hardens, or softens, with plastic strain.
//!
//! F = F_E F_P. In the principal axes of the elastic stretches F̂, a step moves the share γ
//! of the volume-preserving part F* = (det F̂)^{−1/d} F̂ into the plastic deformation,
//! F_P ← (F*)^γ F_P, with
//!
//! γ = ν (‖P‖ − P_Y − K α)/‖P‖, kept in \[0, 1\],
//!
//! P_Y the yield point, ν the flow rate, α the hardening variable and K its strength.
//! \[Bargteil2007\] as used in \[Jiang2015thesis\] §3.3 for frozen yogurt; the thesis
//! gives neither the equations nor parameters. In terms of the Hencky strain the step reads
//! dev ε ← (1 − γ) dev ε: volume is kept, det F_P = 1. The following was chosen here:
//!
//! - ‖P‖ is ‖dev τ‖: the flow relieves shear only, and matter under pressure keeps its strength.
//!   P_Y = √(2/3) σ_Y with the yield stress in tension σ_Y, as in the other laws. Stress is that
//!   of the Hencky strain.
//! - ν is a rate \[1/s\], and α grows by the plastic strain γ ‖dev ε‖, so that K is in Pa.
//!   At fixed total strain the excess X = ‖dev τ‖ − P_Y − K α then decays as e^{−νkt},
//!   k = 1 + K/(2μ), which the step takes exactly: γ ‖dev ε‖ = X (1 − e^{−νkΔt})/(2μk). For small
//!   Δt this is the formula with νΔt in the place of ν; for large Δt it stops at the yield surface.
//!   Results do not depend on how time is divided.
//! - K < 0 softens, down to no strength at all.
//!
//! Of an excess X a step leaves X (1 − r) as a Bingham fluid does, and so flow is part
//! of implicit steps as it is there; hardening is that at the beginning of the step. The strain
//! increment of a step relaxes for the whole of Δt, so that steps should be shorter than 1/ν:
//! in longer ones the stress of steady flow is too low.
//!
//! Range: E > 0, −1 < ν_Poisson < ½, σ_Y ≥ 0, ν ≥ 0 (0 is elastic), K > −2μ. J = det F is that
//! of the whole motion. History: α.

#![allow(non_snake_case)]

use thixo_math::{Matrix, Real};

use super::flow_rule::log_viscosity;
use super::hencky_strain::{HenckyModuli, HenckyStrain, yield_norm};
use super::herschel_bulkley::ViscoplasticPotential;
use crate::description::{Appearance, Description, Key, LongSteps, Preset, Values};
use crate::elastic::moduli;
use crate::law::LawResult;
use crate::parameters::{
    HARDENING_MODULUS, POISSON_RATIO, ParameterError, YIELD_RATE, YIELD_STRESS, YOUNG_MODULUS,
};
use crate::potential::Reference;
use crate::{Constitutive, FingerStrain, MAX_PARAMETERS, Model, WithHistory};

/// Least relaxed share of an excess; the material is elastic below it \[–\].
const MIN_RELAXED_SHARE: f64 = 1e-20;

/// Elastoplastic solid that flows at a finite rate and hardens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiplicativePlasticity<R = f64> {
    elastic: HenckyModuli<R>,
    /// Yield stress in tension σ_Y ≥ 0 \[Pa\].
    yield_stress: R,
    /// Flow rate ν ≥ 0 \[1/s\].
    yield_rate: R,
    /// Hardening modulus K \[Pa\].
    hardening: R,
}

impl MultiplicativePlasticity {
    /// From Young's modulus E > 0 \[Pa\], Poisson's ratio −1 < ν < ½, the yield stress in tension
    /// σ_Y ≥ 0 \[Pa\] and the rate ≥ 0 \[1/s\] at which stress above it relaxes; without hardening.
    pub fn new(
        young_modulus: f64,
        poisson_ratio: f64,
        yield_stress: f64,
        yield_rate: f64,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            elastic: HenckyModuli::from_young_poisson(young_modulus, poisson_ratio)?,
            yield_stress: YIELD_STRESS.check(yield_stress)?,
            yield_rate: YIELD_RATE.check(yield_rate)?,
            hardening: HARDENING_MODULUS.default_value(),
        })
    }
    /// The same solid with the hardening modulus K \[Pa\], above −2μ; negative values soften.
    pub fn with_hardening(self, hardening_modulus: f64) -> Result<Self, ParameterError> {
        HARDENING_MODULUS.check(hardening_modulus)?;
        if hardening_modulus <= -2.0 * self.elastic.mu {
            return Err(HARDENING_MODULUS.refusal(hardening_modulus));
        }
        Ok(Self {
            hardening: hardening_modulus,
            ..self
        })
    }
}

impl Constitutive for MultiplicativePlasticity {
    type Model<R: Real> = MultiplicativePlasticity<R>;
    type Potential = ViscoplasticPotential;
    const NAME: &'static str = "multiplicative_plasticity";
    const PARAMETERS: &'static [&'static str] =
        &["mu", "lambda", "yield_stress", "yield_rate", "hardening"];
    const HISTORY: &'static [&'static str] = &["plastic_strain"];

    fn parameters(&self) -> Vec<f64> {
        vec![
            self.elastic.mu,
            self.elastic.lambda,
            self.yield_stress,
            self.yield_rate,
            self.hardening,
        ]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> MultiplicativePlasticity<R> {
        let [mu, lambda, yield_stress, yield_rate, hardening, ..] = *parameters;
        MultiplicativePlasticity {
            elastic: HenckyModuli { mu, lambda },
            yield_stress,
            yield_rate,
            hardening,
        }
    }
    fn potential(&self) -> ViscoplasticPotential {
        ViscoplasticPotential
    }
}

impl<R: Real> MultiplicativePlasticity<R> {
    /// Hardened yield stress P_Y + Kα ≥ 0 \[Pa\].
    #[inline(always)]
    fn hardened_yield_norm(&self, alpha: R) -> R {
        let P_Y = yield_norm(self.yield_stress);
        self.hardening.mul_add(alpha, P_Y).max(R::zero())
    }
    /// The share r of an excess of stress that flow takes in Δt: (1 − e^{−νkΔt})/k.
    #[inline(always)]
    fn relaxed_share(&self, dt: R) -> R {
        let two_mu = self.elastic.mu * R::splat(2.0);
        let k = R::one() + self.hardening / two_mu;
        // Slow flow in short steps must not be rounded away.
        -(-(self.yield_rate * k * dt)).exp_m1() / k
    }
}

impl<R: Real> Model<R> for MultiplicativePlasticity<R> {
    type State<const D: usize> = WithHistory<FingerStrain<R, D>, R, 1>;

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
        dt: R,
    ) -> Matrix<R, D> {
        let (zero, one) = (R::zero(), R::one());
        let two_mu = self.elastic.mu * R::splat(2.0);
        let [alpha] = state.history;
        let trial = HenckyStrain::of(&state.elastic.0);
        let excess = two_mu.mul_add(trial.deviator_norm, -self.hardened_yield_norm(alpha));
        let yields = excess.gt(zero);
        // The plastic strain is at most the whole deviator.
        let flow = (excess * self.relaxed_share(dt) / two_mu).min(trial.deviator_norm);
        let strains = trial.with_deviator_times(one - flow / trial.deviator_norm, yields);
        state.elastic.0 = trial.rebuild(&strains, yields, &state.elastic.0);
        state.history = [alpha + R::select(yields, flow, zero)];
        trial.principal.compose(&self.elastic.stresses(&strains))
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &Self::State<D>) -> R {
        self.elastic.stiffness(&state.elastic.0)
    }

    #[inline(always)]
    fn reference<const D: usize>(&self, state: &Self::State<D>, dt: R) -> Reference<R, D> {
        let one = R::one();
        let two_mu = self.elastic.mu * R::splat(2.0);
        // A Bingham fluid leaves X/(1 + 2μΔt/η) of an excess X, this one X (1 − r).
        // Nothing is left of it if the material softens faster than it is strained.
        let r = self
            .relaxed_share(dt)
            .min(one)
            .max(R::splat(MIN_RELAXED_SHARE));
        let viscosity = two_mu * (one - r) / r;
        ViscoplasticPotential::reference(
            &state.elastic.0,
            &self.elastic,
            self.hardened_yield_norm(state.history[0]),
            [log_viscosity(viscosity), one],
        )
    }
}

compiled!(MultiplicativePlasticity);

/// `model = "multiplicative_plasticity"`.
pub static DESCRIPTION: Description = Description {
    name: "multiplicative_plasticity",
    about: "dough, wax, frozen yogurt: it flows at a finite rate, and hardens or softens",
    reference: "[Bargteil2007]; [Jiang2015thesis] section 3.3",
    keys: &[
        Key::Number(&YOUNG_MODULUS),
        Key::Number(&POISSON_RATIO),
        Key::Number(&YIELD_STRESS),
        Key::Number(&YIELD_RATE),
        Key::Number(&HARDENING_MODULUS),
    ],
    rules: &[],
    presets: &PRESETS,
    long_steps: LongSteps::Unproven,
    appearance: Appearance::Clay,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let dough = MultiplicativePlasticity::new(
        young_modulus,
        poisson_ratio,
        values.number(&YIELD_STRESS),
        values.number(&YIELD_RATE),
    )?;
    let dough = dough.with_hardening(values.number(&HARDENING_MODULUS))?;
    Ok(Box::new(dough))
}

static PRESETS: [Preset; 1] = [Preset {
    name: "frozen_yogurt",
    about: "soft ice cream or frozen yogurt that flows slowly when pressed",
    law: &DESCRIPTION,
    density: 700.0,
    values: &[
        (&YOUNG_MODULUS, 2.0e5),
        (&POISSON_RATIO, 0.4),
        (&YIELD_STRESS, 4330.0),
        (&YIELD_RATE, 20.0),
    ],
    choices: &[],
    source: "law of [Jiang2015thesis] section 3.3 after [Bargteil2007], which print no numbers; √3 times 2.5 kPa, the softest ice cream of [Briggs1996]; the rest are choices",
}];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::point::{Motion, Record, Stage, drive};

    fn dough(rate: f64, hardening: f64) -> MultiplicativePlasticity {
        MultiplicativePlasticity::new(1.0e4, 0.35, 200.0, rate)
            .and_then(|law| law.with_hardening(hardening))
            .unwrap()
    }

    #[test]
    fn multiplicative_plasticity_conforms() {
        for (rate, hardening) in [(0.0, 0.0), (100.0, 0.0), (1e5, 1e3), (10.0, -2e3)] {
            conformance::check(&dough(rate, hardening));
        }
        for (rate, hardening) in [(0.0, 0.0), (100.0, 0.0), (10.0, 1e3)] {
            conformance::check_flow_within_steps(&dough(rate, hardening));
        }
    }

    fn shape_norm<const D: usize>(record: &Record<D>) -> f64 {
        record.kirchhoff_stress.deviator().norm_squared().sqrt()
    }

    #[test]
    fn stress_above_the_yield_point_relaxes_exponentially() {
        let (nu, hardening) = (3.0, 500.0);
        let law = dough(nu, hardening);
        // A sudden shear, then rest, in coarse and in fine steps.
        for steps in [10, 1000] {
            let stages = [
                Stage::new(Motion::shear(1.0e6), 1.0e-7, 1),
                Stage::new(Motion::Rest, 1.0, steps),
            ];
            let records = drive::<_, 3>(&law, &stages).unwrap();
            let (first, last) = (&records[1], records.last().unwrap());
            let s_y = (2.0f64 / 3.0).sqrt() * 200.0;
            let k = 1.0 + hardening / (2.0 * law.elastic.mu);
            let excess =
                |record: &Record<3>| shape_norm(record) - s_y - hardening * record.state[6];
            let expected = excess(first) * (-nu * k).exp();
            assert!((excess(last) / expected - 1.0).abs() < 1e-10);
            assert!((last.volume_ratio - 1.0).abs() < 1e-11);
        }
    }

    #[test]
    fn fast_flow_is_von_mises_and_hardening_raises_the_yield_point() {
        let shear = [Stage::new(Motion::shear(1.0), 0.5, 2000)];
        let s_y = (2.0f64 / 3.0).sqrt() * 200.0;
        let soft = drive::<_, 3>(&dough(1.0e6, 0.0), &shear).unwrap();
        assert!((shape_norm(soft.last().unwrap()) / s_y - 1.0).abs() < 1e-6);
        let hard = drive::<_, 3>(&dough(1.0e6, 300.0), &shear).unwrap();
        let last = hard.last().unwrap();
        let alpha = last.state[6];
        assert!(alpha > 0.3, "{alpha}");
        assert!((shape_norm(last) / (s_y + 300.0 * alpha) - 1.0).abs() < 1e-6);
        // Softening ends at no strength, not below.
        let weak = drive::<_, 3>(&dough(1.0e6, -1000.0), &shear).unwrap();
        assert!(shape_norm(weak.last().unwrap()) < 1e-3);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for (yield_stress, rate) in [(-1.0, 1.0), (1.0, -1.0), (1.0, f64::NAN)] {
            assert!(MultiplicativePlasticity::new(1e4, 0.3, yield_stress, rate).is_err());
        }
        let law = dough(1.0, 0.0);
        for hardening in [f64::NAN, -2.0 * law.elastic.mu, f64::INFINITY] {
            assert!(law.with_hardening(hardening).is_err());
        }
    }
}
