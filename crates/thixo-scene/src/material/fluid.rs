//! Fluids of a scene: `model = "fluid"`.

use serde::{Deserialize, Serialize};
use thixo::material::fluid;
use thixo::material::parameters::{ParameterError, TAIT_EXPONENT, VISCOSITY};

use super::Contradiction;

/// Parameters of `model = "fluid"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Bulk modulus at rest \[Pa\], above 0. The speed of sound is √(bulk_modulus/density); ten
    /// times the speed of the flow keeps water nearly incompressible. Required.
    pub bulk_modulus: f64,
    /// Dynamic viscosity \[Pa s\], zero or positive. Default: 0.
    #[serde(default = "Fluid::default_viscosity")]
    pub viscosity: f64,
    /// Equation of state: pressure from compression. Default: `"tait"`.
    #[serde(default)]
    pub pressure: Pressure,
    /// Exponent of Tait's law \[–\], above 1, at most 100; only with `pressure = "tait"`.
    /// Default: 7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// Behaviour in tension: resistance to being pulled apart, or none. Default: `"keep"`.
    #[serde(default)]
    pub tension: Tension,
}

/// Equation of state: the pressure of a fluid from its volume ratio J.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pressure {
    /// (K/γ)(J^−γ − 1).
    #[default]
    Tait,
    /// K (1 − J).
    Linear,
}

/// Behaviour of a fluid in tension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tension {
    /// It pulls back: for confined flows.
    #[default]
    Keep,
    /// It flies apart: for splashes.
    Release,
}

impl Fluid {
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        let mut numbers = vec![
            ("density", &mut self.density),
            ("bulk_modulus", &mut self.bulk_modulus),
            ("viscosity", &mut self.viscosity),
        ];
        if self.pressure == Pressure::Tait {
            let exponent = self.exponent.get_or_insert(TAIT_EXPONENT.default_value());
            numbers.push(("exponent", exponent));
        }
        numbers
    }

    /// Only one law of pressure has an exponent.
    pub(super) fn contradiction(&self) -> Option<Contradiction> {
        let value = self
            .exponent
            .filter(|_| self.pressure == Pressure::Linear)?;
        Some(Contradiction::Superfluous {
            key: "exponent",
            value,
            range: "absent: only pressure = \"tait\" has an exponent",
        })
    }

    pub(super) fn write_out_defaults(&mut self) {
        if self.pressure == Pressure::Tait {
            self.exponent = Some(self.exponent());
        }
    }

    /// The engine's model.
    pub(super) fn law(&self) -> Result<fluid::WeaklyCompressible, ParameterError> {
        let law = match self.pressure {
            Pressure::Linear => fluid::PressureLaw::Linear,
            Pressure::Tait => fluid::PressureLaw::Tait {
                exponent: self.exponent(),
            },
        };
        let tension = match self.tension {
            Tension::Keep => fluid::Tension::Keep,
            Tension::Release => fluid::Tension::Release,
        };
        fluid::WeaklyCompressible::new(self.bulk_modulus, self.viscosity, law)
            .map(|fluid| fluid.with_tension(tension))
    }

    fn exponent(&self) -> f64 {
        self.exponent.unwrap_or(TAIT_EXPONENT.default_value())
    }

    fn default_viscosity() -> f64 {
        VISCOSITY.default_value()
    }
}
