//! Von Mises plasticity: metal, clay, plasticine; plastic flow at constant volume above
//! one shear stress.
//!
//! Stress is that of the Hencky strain, τ = 2μ ε + λ tr ε I, and yields where
//! ‖dev τ‖ > s_Y = √(2/3) σ_Y, σ_Y the yield stress in uniaxial tension. \[Qu2023\] eq. (3),
//! with dev x = x − (tr x/d) I (errata E30). The return map shortens the deviator:
//! dev ε ← dev ε · s_Y/(2μ ‖dev ε‖). Volume is not touched, so that J = det F is that of the whole
//! motion. Plasticity is perfect: no hardening, no history. Flow is part of implicit steps.
//!
//! In 2D the deviator is that of the plane, and the stress across it does not take part:
//! simple shear yields at τ_xy = σ_Y/√3 in 2D and 3D alike, tension in the plane does not.
//!
//! Range: E > 0, −1 < ν < ½, σ_Y ≥ 0 (σ_Y = 0 is an inviscid fluid).

#![allow(non_snake_case)]

use thixo_math::{Matrix, Real};

use super::flow_rule::log_viscosity;
use super::hencky_strain::{HenckyModuli, HenckyStrain, yield_norm};
use super::herschel_bulkley::ViscoplasticPotential;
use crate::description::{Appearance, Description, Key, LongSteps, Preset, Values};
use crate::elastic::moduli;
use crate::law::LawResult;
use crate::parameters::{POISSON_RATIO, ParameterError, YIELD_STRESS, YOUNG_MODULUS};
use crate::potential::Reference;
use crate::{Constitutive, FingerStrain, MAX_PARAMETERS, Model};

/// Perfectly plastic solid with the yield condition of von Mises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VonMises<R = f64> {
    elastic: HenckyModuli<R>,
    /// Yield stress in tension σ_Y ≥ 0 \[Pa\].
    yield_stress: R,
}

impl VonMises {
    /// From Young's modulus E > 0 \[Pa\], Poisson's ratio −1 < ν < ½ and the yield stress in
    /// tension σ_Y ≥ 0 \[Pa\].
    pub fn new(
        young_modulus: f64,
        poisson_ratio: f64,
        yield_stress: f64,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            elastic: HenckyModuli::from_young_poisson(young_modulus, poisson_ratio)?,
            yield_stress: YIELD_STRESS.check(yield_stress)?,
        })
    }
}

impl Constitutive for VonMises {
    type Model<R: Real> = VonMises<R>;
    type Potential = ViscoplasticPotential;
    const NAME: &'static str = "von_mises";
    const PARAMETERS: &'static [&'static str] = &["mu", "lambda", "yield_stress"];

    fn parameters(&self) -> Vec<f64> {
        vec![self.elastic.mu, self.elastic.lambda, self.yield_stress]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> VonMises<R> {
        let [mu, lambda, yield_stress, ..] = *parameters;
        VonMises {
            elastic: HenckyModuli { mu, lambda },
            yield_stress,
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

impl<R: Real> Model<R> for VonMises<R> {
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
        _dt: R,
    ) -> Matrix<R, D> {
        let trial = HenckyStrain::of(&state.0);
        let allowed = yield_norm(self.yield_stress) / (self.elastic.mu * R::splat(2.0));
        let yields = trial.deviator_norm.gt(allowed);
        let strains = trial.with_deviator_times(allowed / trial.deviator_norm, yields);
        state.0 = trial.rebuild(&strains, yields, &state.0);
        trial.principal.compose(&self.elastic.stresses(&strains))
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &FingerStrain<R, D>) -> R {
        self.elastic.stiffness(&state.0)
    }

    #[inline(always)]
    fn reference<const D: usize>(&self, state: &FingerStrain<R, D>, _dt: R) -> Reference<R, D> {
        let no_viscosity = [log_viscosity(R::zero()), R::one()];
        let s_Y = yield_norm(self.yield_stress);
        ViscoplasticPotential::reference(&state.0, &self.elastic, s_Y, no_viscosity)
    }
}

compiled!(VonMises);

/// `model = "von_mises"`.
pub static DESCRIPTION: Description = Description {
    name: "von_mises",
    about: "metal, clay, plasticine: perfect plasticity",
    reference: "[Qu2023] eq. (3)",
    keys: &[
        Key::Number(&YOUNG_MODULUS),
        Key::Number(&POISSON_RATIO),
        Key::Number(&YIELD_STRESS),
    ],
    rules: &[],
    presets: &PRESETS,
    long_steps: LongSteps::Served,
    appearance: Appearance::Clay,
    build,
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let (young_modulus, poisson_ratio) = moduli(values);
    let metal = VonMises::new(young_modulus, poisson_ratio, values.number(&YIELD_STRESS))?;
    Ok(Box::new(metal))
}

static PRESETS: [Preset; 2] = [
    Preset {
        name: "aluminium",
        about: "soft annealed aluminium: it dents and stays dented; time steps are very short",
        law: &DESCRIPTION,
        density: 2700.0,
        values: &[
            (&YOUNG_MODULUS, 7.0e10),
            (&POISSON_RATIO, 0.33),
            (&YIELD_STRESS, 3.5e7),
        ],
        choices: &[],
        source: "within the ranges 69 to 79 GPa, 0.33, 34 to 480 MPa and 2560 to 2880 kg/m³ of [Thomas2211]",
    },
    Preset {
        name: "clay",
        about: "soft potter's clay: the thumb goes in, and the dent stays",
        law: &DESCRIPTION,
        density: 1700.0,
        values: &[
            (&YOUNG_MODULUS, 5.0e6),
            (&POISSON_RATIO, 0.45),
            (&YIELD_STRESS, 3.6e4),
        ],
        choices: &[],
        source: "middle of soft clay, 24 to 48 kPa of unconfined compression [TM58181] table 2-2; density and moduli are choices",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::point::{Motion, Normal, Stage, drive};

    #[test]
    fn the_deviatoric_part_has_no_pressure_and_the_rest_is_pressure() {
        crate::conformance::check_split(&VonMises::new(1.0e4, 0.3, 1.0e9).unwrap());
    }

    #[test]
    fn von_mises_conforms() {
        for yield_stress in [0.0, 1.0e3, 1.0e9] {
            conformance::check(&VonMises::new(1.0e5, 0.3, yield_stress).unwrap());
        }
        conformance::check_flow_within_steps(&VonMises::new(1.0e5, 0.3, 1.0e3).unwrap());
    }

    #[test]
    fn a_bar_yields_at_the_yield_stress() {
        let metal = VonMises::new(1.0e5, 0.3, 500.0).unwrap();
        for rate in [1.0, -1.0] {
            let pull = Motion::Uniaxial {
                rate,
                lateral: Normal::Stress(0.0),
            };
            let records = drive::<_, 3>(&metal, &[Stage::new(pull, 0.05, 200)]).unwrap();
            let last = records.last().unwrap();
            // Kirchhoff stress is what yields; along the bar it is the yield stress itself.
            assert!(
                (last.kirchhoff_stress[0][0] / (rate * 500.0) - 1.0).abs() < 1e-6,
                "{}",
                last.kirchhoff_stress[0][0]
            );
            assert!(last.cauchy_stress[1][1].abs() < 1e-3 && last.cauchy_stress[2][2].abs() < 1e-3);
            // Elastic at first: σ = E ε.
            let early = &records[10];
            let strain = rate * early.time;
            assert!((early.kirchhoff_stress[0][0] / (1.0e5 * strain) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn shear_yields_at_the_yield_stress_over_root_three() {
        let metal = VonMises::new(1.0e5, 0.3, 500.0).unwrap();
        let shear = [Stage::new(Motion::shear(1.0), 0.5, 2000)];
        let expected = 500.0 / 3.0f64.sqrt();
        let plane = drive::<_, 2>(&metal, &shear).unwrap();
        let solid = drive::<_, 3>(&metal, &shear).unwrap();
        let (plane, solid) = (plane.last().unwrap(), solid.last().unwrap());
        assert!((plane.kirchhoff_stress[0][1] / expected - 1.0).abs() < 1e-3);
        assert!((solid.kirchhoff_stress[0][1] / expected - 1.0).abs() < 1e-3);
        assert!((plane.volume_ratio - 1.0).abs() < 1e-11);
        assert!((solid.volume_ratio - 1.0).abs() < 1e-11);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for yield_stress in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = VonMises::new(1.0e5, 0.3, yield_stress).unwrap_err();
            assert!(refused.to_string().contains("yield stress"), "{refused}");
        }
        assert!(VonMises::new(0.0, 0.3, 1.0).is_err());
    }
}
