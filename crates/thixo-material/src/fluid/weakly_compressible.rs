//! A weakly compressible Newtonian fluid, whose state is the volume ratio J.
//!
//! Pressure laws, K the bulk modulus at rest:
//! linear p = K (1 − J), ψ = K/2 (1 − J)²; Tait p = (K/γ)(J^{−γ} − 1),
//! ψ = (K/γ)(J^{1−γ}/(γ−1) + J) − K/(γ−1). \[Nilles2020\] eq. (81) with errata E35: there K is not
//! the bulk modulus. All are formed from J − 1, so that small changes of volume keep their digits:
//! with n = γ − 1 and q = 1/J − 1, ψ = (K/γ)(((1 + q)ⁿ − 1 − nq)/n + q²J).
//!
//! τ = −pJ I + 2ηJ dev(sym ∇v), η the dynamic viscosity (errata E13). A step that needs ρc²
//! uses K J (linear) or K J^{−γ} (Tait); the stiffness adds the contribution of the pressure
//! itself (initial stress): d²ψ along (I + εG) F is J (ρc² − p) (tr G)² + pJ tr G², at most
//! J (dρc² + (d−1)|p|).

#![allow(non_snake_case)]

use thixo_math::elementary::exp_remainder;
use thixo_math::{Matrix, Real};

use super::pressure_potential::PressurePotential;
use crate::description::{Appearance, Choice, Description, Key, LongSteps, Preset, Rule, Values};
use crate::law::LawResult;
use crate::parameters::{BULK_MODULUS, ParameterError, TAIT_EXPONENT, VISCOSITY};
use crate::potential::Reference;
use crate::{Constitutive, MAX_PARAMETERS, Model, PressureResponse, VolumeRatio};

/// Equation of state: pressure as a function of the volume ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PressureLaw {
    /// p = K (1 − J).
    Linear,
    /// p = (K/γ)(J^{−γ} − 1); γ = 7 for water.
    Tait {
        /// Exponent γ > 1 \[–\].
        exponent: f64,
    },
    /// The volume does not change, and the pressure is known to a projection only.
    Incompressible,
}

/// Response of the fluid to tension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Tension {
    /// Negative pressures are allowed: for confined flows.
    #[default]
    Keep,
    /// J is kept at or below 1, so that splashes fly apart freely (errata E17). Volume gained this
    /// way is lost to the state.
    Release,
}

/// Weakly compressible Newtonian fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeaklyCompressible<R = f64> {
    bulk_modulus: R,
    viscosity: R,
    law: PressureLaw,
    tension: Tension,
}

impl WeaklyCompressible {
    /// From the bulk modulus K > 0 \[Pa\], the dynamic viscosity η ≥ 0 \[Pa s\] and a pressure law.
    pub fn new(
        bulk_modulus: f64,
        viscosity: f64,
        law: PressureLaw,
    ) -> Result<Self, ParameterError> {
        if let PressureLaw::Tait { exponent } = law {
            TAIT_EXPONENT.check(exponent)?;
        }
        Ok(Self {
            bulk_modulus: BULK_MODULUS.check(bulk_modulus)?,
            viscosity: VISCOSITY.check(viscosity)?,
            law,
            tension: Tension::Keep,
        })
    }
    /// An incompressible fluid of the dynamic viscosity η ≥ 0 \[Pa s\]. Its pressure is known to a
    /// projection only.
    pub fn incompressible(viscosity: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            bulk_modulus: f64::INFINITY,
            viscosity: VISCOSITY.check(viscosity)?,
            law: PressureLaw::Incompressible,
            tension: Tension::Keep,
        })
    }
    /// The same fluid with another response to tension.
    pub fn with_tension(self, tension: Tension) -> Self {
        Self { tension, ..self }
    }
}

impl Constitutive for WeaklyCompressible {
    type Model<R: Real> = WeaklyCompressible<R>;
    type Potential = PressurePotential;
    const NAME: &'static str = "fluid";
    const PARAMETERS: &'static [&'static str] = &["bulk_modulus", "viscosity"];

    fn parameters(&self) -> Vec<f64> {
        vec![self.bulk_modulus, self.viscosity]
    }
    #[inline(always)]
    fn model<R: Real>(&self, parameters: &[R; MAX_PARAMETERS]) -> WeaklyCompressible<R> {
        let [bulk_modulus, viscosity, ..] = *parameters;
        WeaklyCompressible {
            bulk_modulus,
            viscosity,
            law: self.law,
            tension: self.tension,
        }
    }
    fn potential(&self) -> PressurePotential {
        PressurePotential {
            law: self.law,
            tension: self.tension,
        }
    }

    /// The fluid itself: frozen it is another, more viscous one.
    fn molten<const D: usize>(&self) -> Option<Vec<f64>> {
        Some(self.parameters())
    }

    const HAS_SPLIT: bool = true;

    #[inline(always)]
    fn deviatoric<R: Real, const D: usize>(
        &self,
        mut parameters: [R; MAX_PARAMETERS],
    ) -> [R; MAX_PARAMETERS] {
        parameters[0] = R::zero();
        parameters
    }
    #[inline(always)]
    fn pressure_response<R: Real, const D: usize>(
        &self,
        parameters: &[R; MAX_PARAMETERS],
        growth: R,
    ) -> PressureResponse<R> {
        let bulk_modulus = parameters[0];
        match self.law {
            PressureLaw::Linear => PressureResponse::linear(bulk_modulus, growth),
            PressureLaw::Tait { .. } => {
                let (p, kappa) = self.law.pressure(bulk_modulus, growth);
                PressureResponse {
                    compliance: R::one() / kappa,
                    compression: p / kappa,
                }
            }
            PressureLaw::Incompressible => PressureResponse {
                compliance: R::zero(),
                ..PressureResponse::linear(R::one(), growth)
            },
        }
    }
    fn is_incompressible(&self) -> bool {
        self.law == PressureLaw::Incompressible
    }
}

/// The exponent as a whole number if it is one, up to 64.
fn whole(exponent: f64) -> Option<u32> {
    let whole = exponent as u32;
    (f64::from(whole) == exponent && whole <= 64).then_some(whole)
}

/// J^{−γ} − 1 of J − 1; by multiplication where γ is a whole number.
#[inline(always)]
fn inverse_power_less_one<R: Real>(growth: R, exponent: f64) -> R {
    let Some(mut rest) = whole(exponent) else {
        return (growth.ln_1p() * R::splat(-exponent)).exp_m1();
    };
    // (1 + p)(1 + s) − 1 = p + s (1 + p).
    let mut power = R::zero();
    let mut square = -growth / (R::one() + growth);
    while rest > 0 {
        if rest & 1 == 1 {
            power = square.mul_add(power, power + square);
        }
        square = square.mul_add(square, square + square);
        rest >>= 1;
    }
    power
}

/// (J^{−n} − 1)/n + J − 1 ≥ 0, of second order in J − 1: ((1 + q)ⁿ − 1 − nq)/n + q²J with
/// q = 1/J − 1 where n is a whole number.
#[inline(always)]
fn tait_energy<R: Real>(growth: R, n: f64) -> R {
    let J = R::one() + growth;
    let Some(whole) = whole(n) else {
        // (e^{−nl} − 1)/n + e^l − 1 with l = ln J, the linear terms left out of both.
        let log_J = growth.ln_1p();
        let falling = exp_remainder(log_J * R::splat(-n)) * R::splat(1.0 / n);
        return falling + exp_remainder(log_J);
    };
    let q = -growth / J;
    let squared = q * q;
    // r_k = (1 + q)ᵏ − 1 − kq grows by r_{k+1} = kq² + r_k (1 + q).
    let mut rest = R::zero();
    for k in 1..whole {
        rest = rest.mul_add(q, rest) + squared * R::splat(f64::from(k));
    }
    squared.mul_add(J, rest * R::splat(1.0 / n))
}

impl<R: Real> WeaklyCompressible<R> {
    /// Pressure p \[Pa\] and ρc² \[Pa\] at J − 1.
    #[inline(always)]
    fn pressure(&self, growth: R) -> (R, R) {
        self.law.pressure(self.bulk_modulus, growth)
    }
}

impl PressureLaw {
    /// Pressure p \[Pa\] and ρc² \[Pa\] at J − 1, K the bulk modulus at rest.
    #[inline(always)]
    pub(super) fn pressure<R: Real>(self, K: R, growth: R) -> (R, R) {
        match self {
            Self::Linear => (-(K * growth), K * (R::one() + growth)),
            Self::Incompressible => (R::zero(), R::zero()),
            Self::Tait { exponent } => {
                let power = inverse_power_less_one(growth, exponent);
                let p = K * R::splat(1.0 / exponent) * power;
                (p, K.mul_add(power, K))
            }
        }
    }
    /// Energy density ψ at J − 1, zero at rest \[J/m³\].
    #[inline(always)]
    pub(super) fn energy<R: Real>(self, K: R, growth: R) -> R {
        match self {
            Self::Linear => R::splat(0.5) * K * growth.squared(),
            Self::Incompressible => R::zero(),
            Self::Tait { exponent } => {
                K * R::splat(1.0 / exponent) * tait_energy(growth, exponent - 1.0)
            }
        }
    }
}

impl<R: Real> Model<R> for WeaklyCompressible<R> {
    type State<const D: usize> = VolumeRatio<R>;

    #[inline(always)]
    fn energy_density<const D: usize>(&self, state: &VolumeRatio<R>) -> Option<R> {
        Some(self.law.energy(self.bulk_modulus, state.growth))
    }

    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        state: &VolumeRatio<R>,
        velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        let J = state.ratio();
        let (p, _) = self.pressure(state.growth);
        let rate = velocity_gradient.symmetric_part().deviator();
        let eta = R::splat(2.0) * self.viscosity * J;
        rate.mul_add(eta, Matrix::from_scalar(-(p * J)))
    }

    #[inline(always)]
    fn return_map<const D: usize>(&self, state: &mut VolumeRatio<R>, _dt: R) {
        if self.law == PressureLaw::Incompressible {
            // The divergence at a particle is the interpolation's, not the fluid's. NaN stays.
            state.growth *= R::zero();
        } else if self.tension == Tension::Release {
            // `min` keeps its second operand where the first is NaN: put J − 1 there, so that
            // NaN stays visible.
            state.growth = R::zero().min(state.growth);
        }
    }

    #[inline(always)]
    fn stiffness<const D: usize>(&self, state: &VolumeRatio<R>) -> R {
        let J = state.ratio();
        let (p, bulk) = self.pressure(state.growth);
        J * (R::splat(D as f64) * bulk + R::splat(D as f64 - 1.0) * p.abs())
    }

    #[inline(always)]
    fn viscosity<const D: usize>(&self, state: &VolumeRatio<R>) -> R {
        self.viscosity * state.ratio()
    }

    #[inline(always)]
    fn reference<const D: usize>(&self, state: &VolumeRatio<R>, dt: R) -> Reference<R, D> {
        let viscosity = self.viscosity * state.ratio() / dt;
        let parameters = [self.bulk_modulus, state.growth, viscosity];
        Reference::new(Matrix::zero(), parameters)
    }
}

compiled!(WeaklyCompressible);

/// `model = "fluid"`.
pub static DESCRIPTION: Description = Description {
    name: "fluid",
    about: "water, oil, honey: weakly compressible, Newtonian",
    reference: "[Nilles2020] section 5.1.5; errata E35",
    keys: &[
        Key::Number(&BULK_MODULUS),
        Key::Number(&VISCOSITY),
        Key::Word(&PRESSURE),
        Key::Number(&TAIT_EXPONENT),
        Key::Word(&TENSION),
    ],
    rules: &[
        Rule::OnlyWith {
            parameter: &TAIT_EXPONENT,
            choice: &PRESSURE,
            word: "tait",
            because: "only pressure = \"tait\" has an exponent",
        },
        Rule::Shared(&TAIT_EXPONENT),
        Rule::NeedlessWith {
            parameter: &BULK_MODULUS,
            choice: &PRESSURE,
            word: "incompressible",
        },
    ],
    presets: &PRESETS,
    long_steps: LongSteps::Unproven,
    appearance: Appearance::Water,
    build,
};

const PRESSURE: Choice = Choice {
    key: "pressure",
    about: "how pressure follows from the volume ratio J",
    words: &[
        ("tait", "(K/γ)(J^-γ - 1)"),
        ("linear", "K (1 - J)"),
        (
            "incompressible",
            "the volume does not change; needs `integrator = \"projection\"`",
        ),
    ],
};

const TENSION: Choice = Choice {
    key: "tension",
    about: "what it does when it is pulled",
    words: &[
        ("keep", "it pulls back: for confined flows"),
        ("release", "it flies apart: for splashes"),
    ],
};

fn build(values: &Values, _dimension: usize) -> LawResult {
    let viscosity = values.number(&VISCOSITY);
    let law = match values.word(&PRESSURE) {
        "linear" => PressureLaw::Linear,
        "incompressible" => PressureLaw::Incompressible,
        _ => PressureLaw::Tait {
            exponent: values.number(&TAIT_EXPONENT),
        },
    };
    let tension = match values.word(&TENSION) {
        "release" => Tension::Release,
        _ => Tension::Keep,
    };
    let fluid = match law {
        PressureLaw::Incompressible => WeaklyCompressible::incompressible(viscosity)?,
        _ => WeaklyCompressible::new(values.number(&BULK_MODULUS), viscosity, law)?,
    };
    Ok(Box::new(fluid.with_tension(tension)))
}

/// Water and honey. Their bulk moduli are choices: real ones would make time steps a hundred times
/// shorter for compressions nobody sees. With 1 MPa sound travels at about 30 m/s, ten times
/// the speed of matter that fell half a metre.
static PRESETS: [Preset; 2] = [
    Preset {
        name: "water",
        about: "water at 20 °C, softened for flows up to 3 m/s",
        law: &DESCRIPTION,
        density: 998.2,
        values: &[(&BULK_MODULUS, 1.0e6), (&VISCOSITY, 1.002e-3)],
        choices: &[],
        source: "density and viscosity at 20 °C [Chaplin]; the bulk modulus is a choice, the real one is 2.18 GPa",
    },
    Preset {
        name: "honey",
        about: "honey at 20 °C: it coils and folds",
        law: &DESCRIPTION,
        density: 1420.0,
        values: &[(&BULK_MODULUS, 1.0e6), (&VISCOSITY, 19.0)],
        choices: &[],
        source: "clover honey with 16 % water at 20 °C: 190 poise, specific gravity 1.42 [BeeClubPella2009]; the bulk modulus is a choice",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;

    #[test]
    fn fluids_conform() {
        for law in [
            PressureLaw::Linear,
            PressureLaw::Tait { exponent: 7.0 },
            PressureLaw::Tait { exponent: 1.4 },
        ] {
            let fluid = WeaklyCompressible::new(2.0e4, 0.0, law).unwrap();
            conformance::check(&fluid);
            conformance::check_stiffness(&fluid);
        }
    }

    #[test]
    fn the_deviatoric_part_has_no_pressure_and_the_rest_is_pressure() {
        for law in [PressureLaw::Linear, PressureLaw::Tait { exponent: 7.0 }] {
            conformance::check_split(&WeaklyCompressible::new(2.0e4, 0.0, law).unwrap());
        }
        assert!(
            WeaklyCompressible::incompressible(0.0)
                .unwrap()
                .is_incompressible()
        );
    }

    #[test]
    fn the_bulk_modulus_is_the_slope_of_the_pressure_at_rest() {
        for law in [PressureLaw::Linear, PressureLaw::Tait { exponent: 7.0 }] {
            let water = WeaklyCompressible::new(2.0e4, 0.0, law).unwrap();
            let e = 1e-6;
            let slope = (water.pressure(-e).0 - water.pressure(e).0) / (2.0 * e);
            assert!((slope / 2.0e4 - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn pressures_and_energies_are_those_of_the_powers() {
        for exponent in [2.0, 7.0, 1.4, 100.0] {
            let law = PressureLaw::Tait { exponent };
            for J in [0.7_f64, 0.99, 1.0, 1.01, 1.3] {
                let power = J.powf(-exponent);
                let (p, bulk) = law.pressure(1.0, J - 1.0);
                assert!((p - (power - 1.0) / exponent).abs() < 1e-13 * power.max(1.0));
                assert!((bulk - power).abs() < 1e-13 * power.max(1.0));
                let n = exponent - 1.0;
                let psi = (J * power / n + J) / exponent - 1.0 / n;
                let error = law.energy(1.0, J - 1.0) - psi;
                assert!(
                    error.abs() < 1e-13 * power.max(1.0),
                    "{exponent} {J}: {error}"
                );
            }
        }
    }

    #[test]
    fn shear_stress_is_viscosity_times_shear_rate() {
        let honey = WeaklyCompressible::new(1.0e5, 10.0, PressureLaw::Linear).unwrap();
        let shear = Matrix([[0.0, 3.0], [0.0, 0.0]]);
        let tau = honey.kirchhoff_stress(&VolumeRatio::new(1.0), &shear);
        assert!((tau[0][1] - 30.0).abs() < 1e-12 && (tau[1][0] - 30.0).abs() < 1e-12);
    }

    #[test]
    fn released_tension_leaves_no_negative_pressure() {
        let spray = WeaklyCompressible::new(1.0e5, 0.0, PressureLaw::Linear)
            .unwrap()
            .with_tension(Tension::Release);
        let mut state = VolumeRatio::new(1.2);
        Model::<f64>::return_map::<2>(&spray, &mut state, 0.1);
        assert_eq!(state.ratio(), 1.0);
        let mut lost = VolumeRatio::new(f64::NAN);
        Model::<f64>::return_map::<2>(&spray, &mut lost, 0.1);
        assert!(lost.ratio().is_nan());
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let tait = |exponent| PressureLaw::Tait { exponent };
        for (k, eta, law) in [
            (0.0, 0.0, PressureLaw::Linear),
            (f64::INFINITY, 0.0, PressureLaw::Linear),
            (1.0, -1.0, PressureLaw::Linear),
            (1.0, f64::NAN, PressureLaw::Linear),
            (1.0, 0.0, tait(1.0)),
            (1.0, 0.0, tait(f64::NAN)),
        ] {
            assert!(WeaklyCompressible::new(k, eta, law).is_err());
        }
    }
}
