//! Herschel-Bulkley viscoplasticity: foam, cream, paint, mud; solid below a stress, a power-law
//! fluid above it.
//!
//! Stress is that of the Hencky strain, τ = 2μ ε + λ tr ε I. Where s = ‖dev τ‖ exceeds
//! s_Y = √(2/3) σ_Y the matter flows with the plastic rate g = ((s − s_Y)/η)^{1/h} along dev τ.
//! \[Qu2023\] eq. (3)–(4). h < 1 thins and h > 1 thickens with the rate of shear, h = 1 is
//! Bingham's fluid, η = 0 perfect plasticity. One implicit step of length Δt ends at the s with
//!
//! s + 2μ Δt ((s − s_Y)/η)^{1/h} = s_trial, s ≥ s_Y (errata E30, dev with 1/d),
//!
//! which [`FlowRule`] solves. Its potential, with X = s_trial − s_Y and x = s − s_Y,
//! is w(e) = s_Y (e − s_Y/4μ) + (x²/2 + x (X − x)/(1 + h))/2μ for e = s_trial/2μ,
//! and ds/de = 2μ h x/(h x + X − x): flow is part of implicit steps.
//!
//! Steady simple shear at the rate γ̇ carries τ_xy = σ_Y/√3 + η 2^{−(h+1)/2} γ̇^h while s/μ
//! is small. For h = 1 this η is **twice** the dynamic viscosity. The step is implicit in the
//! viscosity, which therefore does not limit Δt.
//!
//! Range: E > 0, −1 < ν < ½, σ_Y ≥ 0, η ≥ 0, 0.01 ≤ h ≤ 100. J = det F is that of the whole motion.

#![allow(non_snake_case)]

use thixo_math::{Mask, Matrix, Real};

use super::flow_energy::{FlowEnergy, FlowLaw, Part, elastic_volume, perfectly_plastic};
use super::flow_rule::{FlowRule, log_viscosity};
use super::hencky_strain::{HenckyModuli, HenckyStrain, yield_norm};
use crate::description::{Appearance, Description, Key, LongSteps, Preset, Values};
use crate::elastic::moduli;
use crate::law::LawResult;
use crate::parameters::{
    FLOW_EXPONENT, FLOW_VISCOSITY, POISSON_RATIO, ParameterError, YIELD_STRESS, YOUNG_MODULUS,
};
use crate::potential::{Flow, MAX_POTENTIAL_PARAMETERS, Potential, Reference};
use crate::{Constitutive, FingerStrain, MAX_PARAMETERS, Model};

/// Viscoplastic matter after Herschel and Bulkley.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HerschelBulkley<R = f64> {
    elastic: HenckyModuli<R>,
    /// Yield stress in tension σ_Y ≥ 0 \[Pa\].
    yield_stress: R,
    /// Viscosity η ≥ 0 \[Pa s^h\].
    viscosity: R,
    /// Exponent h > 0 \[–\].
    exponent: R,
}

impl HerschelBulkley {
    /// From Young's modulus E > 0 \[Pa\], Poisson's ratio −1 < ν < ½, the yield stress in tension
    /// σ_Y ≥ 0 \[Pa\], the viscosity η ≥ 0 \[Pa s^h\] and the exponent 0.01 ≤ h ≤ 100.
    pub fn new(
        young_modulus: f64,
        poisson_ratio: f64,
        yield_stress: f64,
        viscosity: f64,
        exponent: f64,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            elastic: HenckyModuli::from_young_poisson(young_modulus, poisson_ratio)?,
            yield_stress: YIELD_STRESS.check(yield_stress)?,
            viscosity: FLOW_VISCOSITY.check(viscosity)?,
            exponent: FLOW_EXPONENT.check(exponent)?,
        })
    }
}

impl Constitutive for HerschelBulkley {
    type Model<R: Real> = HerschelBulkley<R>;
    type Potential = ViscoplasticPotential;
    const NAME: &'static str = "herschel_bulkley";
    const PARAMETERS: &'static [&'static str] =
        &["mu", "lambda", "yield_stress", "viscosity", "exponent"];

    fn parameters(&self) -> Vec<f64> {
        vec![
            self.elastic.mu,
            self.elastic.lambda,
            self.yield_stress,
            self.viscosity,
            self.exponent,
        ]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> HerschelBulkley<R> {
        let [mu, lambda, yield_stress, viscosity, exponent, ..] = *parameters;
        HerschelBulkley {
            elastic: HenckyModuli { mu, lambda },
            yield_stress,
            viscosity,
            exponent,
        }
    }
    fn potential(&self) -> ViscoplasticPotential {
        ViscoplasticPotential
    }
    logarithmic_volume!();

    /// σ_Y = 0: matter that flows under any stress.
    fn molten<const D: usize>(&self) -> Option<Vec<f64>> {
        let mut parameters = self.parameters();
        parameters[2] = 0.0;
        Some(parameters)
    }
}

impl<R: Real> HerschelBulkley<R> {
    /// Flow rule for a step of Δt.
    #[inline(always)]
    fn rule(&self, dt: R) -> FlowRule<R> {
        FlowRule {
            log_rate: (self.elastic.mu * R::splat(2.0) * dt).ln(),
            log_viscosity: log_viscosity(self.viscosity),
            exponent: self.exponent,
        }
    }
}

/// The potential of matter with a yield stress and a viscosity. Parameters: μ, λ,
/// s_Y \[Pa\], ln(η/Δt^h), h.
#[derive(Clone, Copy, Debug)]
pub struct ViscoplasticPotential;

/// Stress of viscoplastic matter after a step.
#[derive(Clone, Copy, Debug)]
pub struct Viscoplastic<R> {
    elastic: HenckyModuli<R>,
    /// ‖dev τ‖ at yield, s_Y \[Pa\].
    yield_norm: R,
    rule: FlowRule<R>,
}

impl ViscoplasticPotential {
    /// Reference of a step: the Finger strain h, s_Y \[Pa\], ln(η/Δt^h) and h.
    #[inline(always)]
    pub(super) fn reference<R: Real, const D: usize>(
        h: &Matrix<R, D>,
        elastic: &HenckyModuli<R>,
        s_Y: R,
        [log_viscosity, exponent]: [R; 2],
    ) -> Reference<R, D> {
        let HenckyModuli { mu, lambda } = *elastic;
        Reference::new(*h, [mu, lambda, s_Y, log_viscosity, exponent])
    }
}

impl Potential for ViscoplasticPotential {
    type Energy<R: Real> = FlowEnergy<Viscoplastic<R>>;
    const FLOW: Flow = Flow::WithinStep;

    #[inline(always)]
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> Self::Energy<R> {
        let [mu, lambda, yield_norm, log_viscosity, exponent, ..] = *parameters;
        FlowEnergy(Viscoplastic {
            elastic: HenckyModuli { mu, lambda },
            yield_norm,
            rule: FlowRule {
                log_rate: (mu * R::splat(2.0)).ln(),
                log_viscosity,
                exponent,
            },
        })
    }
}

impl<R: Real> FlowLaw<R> for Viscoplastic<R> {
    #[inline(always)]
    fn shear_modulus(&self) -> R {
        self.elastic.mu
    }
    #[inline(always)]
    fn volume<const D: usize>(&self, T: R) -> Part<R> {
        elastic_volume::<R, D>(self.elastic.mu, self.elastic.lambda, T)
    }
    #[inline(always)]
    fn shape(&self, e: R) -> Part<R> {
        let (mu, s_Y, h) = (self.elastic.mu, self.yield_norm, self.rule.exponent);
        let plastic = perfectly_plastic(mu, s_Y, e);
        let two_mu = mu + mu;
        let X = two_mu * e - s_Y;
        let yields = X.gt(R::zero());
        if !yields.any() {
            return plastic;
        }
        let (half, zero, one) = (R::splat(0.5), R::zero(), R::one());
        let X = R::select(yields, X, one);
        let x = self.rule.remaining_excess(X);
        let viscous = (half * x.squared() + x * (X - x) / (one + h)) / two_mu;
        let modulus = two_mu * h * x / (h * x + X - x);
        Part {
            energy: plastic.energy + R::select(yields, viscous, zero),
            stress: plastic.stress + R::select(yields, x, zero),
            modulus: R::select(yields, modulus, plastic.modulus),
        }
    }
}

impl<R: Real> Model<R> for HerschelBulkley<R> {
    type State<const D: usize> = FingerStrain<R, D>;

    #[inline(always)]
    fn energy_density<const D: usize>(&self, state: &FingerStrain<R, D>) -> Option<R> {
        Some(self.elastic.energy(&state.0))
    }

    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &FingerStrain<R, D>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        self.elastic.kirchhoff(&state.0)
    }

    #[inline(always)]
    fn return_map<const D: usize>(&self, state: &mut FingerStrain<R, D>, dt: R) {
        self.respond(state, &Matrix::zero(), dt);
    }

    #[inline(always)]
    fn respond<const D: usize>(
        &self,
        state: &mut FingerStrain<R, D>,
        _velocity_gradient: &Matrix<R, D>,
        dt: R,
    ) -> Matrix<R, D> {
        let trial = HenckyStrain::of(&state.0);
        let s_trial = self.elastic.mu * R::splat(2.0) * trial.deviator_norm;
        let s_Y = yield_norm(self.yield_stress);
        let yields = s_trial.gt(s_Y);
        let mut strains = trial.values;
        if yields.any() {
            let s = s_Y + self.rule(dt).remaining_excess(s_trial - s_Y);
            strains = trial.with_deviator_times(s / s_trial, yields);
            state.0 = trial.rebuild(&strains, yields, &state.0);
        }
        trial.principal.compose(&self.elastic.stresses(&strains))
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &FingerStrain<R, D>) -> R {
        self.elastic.stiffness(&state.0)
    }

    #[inline(always)]
    fn reference<const D: usize>(&self, state: &FingerStrain<R, D>, dt: R) -> Reference<R, D> {
        let h = self.exponent;
        let flow = [log_viscosity(self.viscosity) - h * dt.ln(), h];
        let s_Y = yield_norm(self.yield_stress);
        ViscoplasticPotential::reference(&state.0, &self.elastic, s_Y, flow)
    }
}

compiled!(HerschelBulkley);

/// `model = "herschel_bulkley"`.
pub static DESCRIPTION: Description = Description {
    name: "herschel_bulkley",
    about: "foam, cream, paint, mud: solid below the yield stress, a fluid of power law above",
    reference: "[Qu2023] eq. (3), (4); errata E30",
    keys: &[
        Key::Number(&YOUNG_MODULUS),
        Key::Number(&POISSON_RATIO),
        Key::Number(&YIELD_STRESS),
        Key::Number(&FLOW_VISCOSITY),
        Key::Number(&FLOW_EXPONENT),
    ],
    rules: &[],
    presets: &PRESETS,
    long_steps: LongSteps::Served,
    appearance: Appearance::Foam,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let foam = HerschelBulkley::new(
        young_modulus,
        poisson_ratio,
        values.number(&YIELD_STRESS),
        values.number(&FLOW_VISCOSITY),
        values.number(&FLOW_EXPONENT),
    )?;
    Ok(Box::new(foam))
}

/// E, ν, σ_Y, η and h.
macro_rules! numbers {
    ($young_modulus:literal, $ratio:literal, $yield_stress:literal, $viscosity:literal, $h:literal) => {
        &[
            (&YOUNG_MODULUS, $young_modulus),
            (&POISSON_RATIO, $ratio),
            (&YIELD_STRESS, $yield_stress),
            (&FLOW_VISCOSITY, $viscosity),
            (&FLOW_EXPONENT, $h),
        ]
    };
}

/// Foams of \[Qu2023\] table 1, and mud: solid below a stress, fluid above.
///
/// The viscosities of the table are η of eq. (4), which is this library's: twice the dynamic
/// viscosity for h = 1. Figure 3 has foam in water and prints their ratios as 0.4/0.3 but their
/// densities as 77/1000; foam has 0.3 in all other rows and here as well. Figures 7 and 8 leave
/// viscosities and exponents out; only the perfectly plastic foam of figure 8 is complete without.
///
/// Mud is sample GS-1 with grains up to 2 mm of \[DebrisFlows2025\]: its fits
/// τ_y = 1.69e-2 exp(20.29 C_v) Pa and μ = 1.73e-2 exp(10.35 C_v) Pa s are evaluated at the volume
/// fraction of solids C_v = 0.45, and turned into this library's σ_Y = √3 τ_y and η = 2μ.
/// The density is that of grains of 2650 kg/m³ in water.
static PRESETS: [Preset; 4] = [
    Preset {
        name: "foam",
        about: "stiff bubble foam that keeps its heap",
        law: &DESCRIPTION,
        density: 77.0,
        values: numbers!(1.0e5, 0.3, 63.8, 54.0, 1.0),
        choices: &[],
        source: "[Qu2023] table 1, figure 2",
    },
    Preset {
        name: "foam_runny",
        about: "bubble foam that flows twice as easily",
        law: &DESCRIPTION,
        density: 77.0,
        values: numbers!(1.0e5, 0.3, 63.8, 27.0, 1.0),
        choices: &[],
        source: "[Qu2023] table 1, figure 3",
    },
    Preset {
        name: "foam_plastic",
        about: "soft foam without viscosity",
        law: &DESCRIPTION,
        density: 77.0,
        values: numbers!(1.0e5, 0.3, 31.9, 0.0, 1.0),
        choices: &[],
        source: "[Qu2023] table 1, figure 8, perfect plasticity",
    },
    Preset {
        name: "mud",
        about: "mud that creeps down a slope and stops",
        law: &DESCRIPTION,
        density: 1742.5,
        values: numbers!(1.0e5, 0.4, 270.2, 3.646, 1.0),
        choices: &[],
        source: "[DebrisFlows2025] sample GS-1 with grains up to 2 mm at 45 % solids; the moduli are choices, it yields at 0.3 % strain",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::point::{Motion, Stage, drive};

    /// A number in [0, 1).
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number between 10^low and 10^high.
    fn magnitude(seed: &mut u64, low: f64, high: f64) -> f64 {
        10f64.powf(low + (high - low) * noise(seed))
    }

    fn law(mu: f64, viscosity: f64, exponent: f64) -> HerschelBulkley {
        HerschelBulkley {
            elastic: HenckyModuli { mu, lambda: mu },
            yield_stress: 0.0,
            viscosity,
            exponent,
        }
    }

    #[test]
    fn the_deviatoric_part_has_no_pressure_and_the_rest_is_pressure() {
        crate::conformance::check_split(
            &HerschelBulkley::new(1.0e4, 0.3, 1.0e9, 1.0, 1.0).unwrap(),
        );
    }

    #[test]
    fn herschel_bulkley_conforms() {
        for (yield_stress, viscosity, exponent) in [
            (1.0e3, 10.0, 1.0),
            (1.0e3, 10.0, 0.5),
            (0.0, 100.0, 2.0),
            (1.0e3, 0.0, 0.7),
            (1.0e3, 0.0, 3.0),
        ] {
            let foam = HerschelBulkley::new(1.0e5, 0.3, yield_stress, viscosity, exponent).unwrap();
            conformance::check(&foam);
        }
    }

    #[test]
    fn the_step_solves_its_equation_over_ten_decades() {
        let mut seed = 3;
        let mut largest = 0.0f64;
        for case in 0..100_000 {
            let h = match case % 4 {
                0 => magnitude(&mut seed, -1.0, 0.0),
                1 => magnitude(&mut seed, 0.0, 1.0),
                2 => [0.5, 1.0, 2.0][case / 4 % 3],
                _ => magnitude(&mut seed, -0.5, 0.5),
            };
            let eta = magnitude(&mut seed, -5.0, 5.0);
            let a = magnitude(&mut seed, -5.0, 5.0);
            let X = magnitude(&mut seed, -5.0, 5.0);
            let x = law(0.5 * a, eta, h).rule(1.0).remaining_excess(X);
            assert!((0.0..=X).contains(&x), "{h} {eta} {a} {X}: {x}");
            let residual = (x + a * (x / eta).powf(1.0 / h) - X).abs() / X;
            largest = largest.max(residual);
        }
        println!("largest relative residual {largest:.1e}");
        assert!(largest < 1e-12, "{largest:e}");
    }

    #[test]
    fn extreme_exponents_converge_too() {
        let mut seed = 5;
        for h in [0.01, 0.03, 30.0, 100.0] {
            for _ in 0..2000 {
                let eta = magnitude(&mut seed, -3.0, 3.0);
                let a = magnitude(&mut seed, -3.0, 3.0);
                let X = magnitude(&mut seed, -3.0, 3.0);
                let x = law(0.5 * a, eta, h).rule(1.0).remaining_excess(X);
                // Each form of the equation loses digits where the other does not, and x itself may
                // fall below all numbers.
                let by_stress = (x + a * (x / eta).powf(1.0 / h) - X).abs() / X;
                let by_rate = (x - eta * ((X - x) / a).powf(h)).abs() / X;
                let residual = by_stress.min(by_rate);
                assert!(residual < 1e-11, "{h} {eta} {a} {X}: {residual:e}");
            }
        }
    }

    #[test]
    fn single_precision_follows_double() {
        let mut seed = 11;
        let mut largest = 0.0f64;
        for case in 0..20_000 {
            let h = [0.25, 0.5, 1.0, 2.0, 4.0][case % 5];
            let eta = magnitude(&mut seed, -5.0, 5.0);
            let a = magnitude(&mut seed, -5.0, 5.0);
            let X = magnitude(&mut seed, -5.0, 5.0);
            let double = law(0.5 * a, eta, h).rule(1.0).remaining_excess(X);
            let single = HerschelBulkley::<f32> {
                elastic: HenckyModuli {
                    mu: (0.5 * a) as f32,
                    lambda: 0.0,
                },
                yield_stress: 0.0,
                viscosity: eta as f32,
                exponent: h as f32,
            }
            .rule(1.0)
            .remaining_excess(X as f32);
            largest = largest.max((f64::from(single) - double).abs() / X);
        }
        println!("single precision is off by {largest:.1e} of the excess");
        assert!(largest < 3e-5, "{largest:e}");
    }

    #[test]
    fn linear_viscosity_has_the_closed_form_and_none_is_perfect_plasticity() {
        let x = law(50.0, 3.0, 1.0).rule(0.01).remaining_excess(7.0);
        assert!((x - 7.0 / (1.0 + 1.0 / 3.0)).abs() < 1e-14);
        for h in [0.5, 1.0, 2.0] {
            assert_eq!(law(50.0, 0.0, h).rule(0.01).remaining_excess(7.0), 0.0);
            assert_eq!(law(50.0, 0.0, h).rule(0.0).remaining_excess(7.0), 0.0);
            assert_eq!(law(50.0, 3.0, h).rule(0.0).remaining_excess(7.0), 7.0);
        }
        // h = ½: x + k x² = X with k = a/η².
        let (a, eta, X) = (2.0, 0.3, 5.0);
        let k: f64 = a / (eta * eta);
        let root = ((1.0 + 4.0 * k * X).sqrt() - 1.0) / (2.0 * k);
        let x = law(1.0, eta, 0.5).rule(1.0).remaining_excess(X);
        assert!((x / root - 1.0).abs() < 1e-13);
    }

    fn flow_curve<const D: usize>(h: f64) -> f64 {
        let (sigma_y, eta) = (100.0, 40.0);
        let foam = HerschelBulkley::new(1.0e5, 0.3, sigma_y, eta, h).unwrap();
        let mut largest = 0.0f64;
        for rate in [0.1, 1.0, 10.0] {
            let stage = Stage::new(Motion::shear(rate), 0.5 / rate, 4000);
            let records = drive::<_, D>(&foam, &[stage]).unwrap();
            let last = records.last().unwrap();
            let expected = sigma_y / 3f64.sqrt() + eta * 2f64.powf(-0.5 * (h + 1.0)) * rate.powf(h);
            let error = last.kirchhoff_stress[0][1] / expected - 1.0;
            largest = largest.max(error.abs());
        }
        largest
    }

    #[test]
    fn flow_is_part_of_implicit_steps() {
        for (yield_stress, viscosity, exponent) in [
            (500.0, 10.0, 1.0),
            (500.0, 30.0, 0.5),
            (0.0, 100.0, 2.0),
            (500.0, 0.0, 1.0),
        ] {
            let foam = HerschelBulkley::new(1.0e5, 0.3, yield_stress, viscosity, exponent).unwrap();
            conformance::check_flow_within_steps(&foam);
        }
    }

    #[test]
    fn steady_shear_follows_the_flow_curve() {
        for h in [0.5, 1.0, 2.0] {
            let (plane, solid) = (flow_curve::<2>(h), flow_curve::<3>(h));
            println!("flow curve, h = {h}: off by {plane:.1e} in 2D, {solid:.1e} in 3D");
            assert!(plane < 0.02 && solid < 0.02, "h = {h}: {plane} {solid}");
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for (yield_stress, viscosity, exponent) in [
            (-1.0, 1.0, 1.0),
            (1.0, -1.0, 1.0),
            (1.0, f64::NAN, 1.0),
            (1.0, 1.0, 0.0),
            (1.0, 1.0, -1.0),
            (1.0, 1.0, f64::INFINITY),
        ] {
            let law = HerschelBulkley::new(1.0e5, 0.3, yield_stress, viscosity, exponent);
            assert!(law.is_err(), "{yield_stress} {viscosity} {exponent}");
        }
    }
}
