//! Materials of a scene: `[materials.NAME]` with `model = "…"` and the model's parameters.

use serde::{Deserialize, Serialize};
use thixo::BuildError;
use thixo::material::{elastic, fluid};

/// A material; the key `model` chooses which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case")]
pub enum Material {
    /// `"neo_hookean"`: rubber, jelly.
    NeoHookean(NeoHookean),
    /// `"fluid"`: water, oil, honey.
    Fluid(Fluid),
}

/// Parameters of `model = "neo_hookean"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeoHookean {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
}

/// Parameters of `model = "fluid"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Bulk modulus at rest \[Pa\], above 0. The speed of sound is √(bulk_modulus/density); ten times the speed of the flow
    /// keeps water nearly incompressible. Required.
    pub bulk_modulus: f64,
    /// Dynamic viscosity \[Pa s\], zero or positive. Default: 0.
    #[serde(default)]
    pub viscosity: f64,
    /// How pressure follows from compression. Default: `"tait"`.
    #[serde(default)]
    pub pressure: Pressure,
    /// Exponent of Tait's law \[–\], above 1, at most 100; only with `pressure = "tait"`. Default: 7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// Whether the fluid resists being pulled apart. Default: `"keep"`.
    #[serde(default)]
    pub tension: Tension,
}

/// How the pressure of a fluid follows from its volume ratio J.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pressure {
    /// (K/γ)(J^−γ − 1).
    #[default]
    Tait,
    /// K (1 − J).
    Linear,
}

/// What a fluid does when it is pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tension {
    /// It pulls back: for confined flows.
    #[default]
    Keep,
    /// It flies apart: for splashes.
    Release,
}

const TAIT_EXPONENT: f64 = 7.0;

impl Material {
    /// Names that `model` may have.
    pub(crate) const MODELS: [&'static str; 2] = ["neo_hookean", "fluid"];

    /// Density at rest \[kg/m³\].
    pub fn density(&self) -> f64 {
        match self {
            Self::NeoHookean(solid) => solid.density,
            Self::Fluid(fluid) => fluid.density,
        }
    }

    /// All numbers with their keys.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::NeoHookean(solid) => vec![
                ("density", solid.density),
                ("young_modulus", solid.young_modulus),
                ("poisson_ratio", solid.poisson_ratio),
            ],
            Self::Fluid(fluid) => vec![
                ("density", fluid.density),
                ("bulk_modulus", fluid.bulk_modulus),
                ("viscosity", fluid.viscosity),
                ("exponent", fluid.exponent.unwrap_or(TAIT_EXPONENT)),
            ],
        }
    }

    pub(crate) fn write_out_defaults(&mut self) {
        if let Self::Fluid(fluid) = self
            && fluid.pressure == Pressure::Tait
        {
            fluid.exponent.get_or_insert(TAIT_EXPONENT);
        }
    }
}

impl NeoHookean {
    /// The engine's model, or the key that is refused and why.
    pub(crate) fn law(&self) -> Result<elastic::NeoHookean, (&'static str, BuildError)> {
        elastic::NeoHookean::from_young_poisson(self.young_modulus, self.poisson_ratio).map_err(
            |error| match error {
                BuildError::NotPositive { .. } => ("young_modulus", error),
                _ => ("poisson_ratio", error),
            },
        )
    }
}

impl Fluid {
    /// The engine's model, or the key that is refused and why.
    pub(crate) fn law(&self) -> Result<fluid::WeaklyCompressible, (&'static str, BuildError)> {
        let law = match self.pressure {
            Pressure::Linear => fluid::PressureLaw::Linear,
            Pressure::Tait => fluid::PressureLaw::Tait {
                exponent: self.exponent.unwrap_or(TAIT_EXPONENT),
            },
        };
        let tension = match self.tension {
            Tension::Keep => fluid::Tension::Keep,
            Tension::Release => fluid::Tension::Release,
        };
        fluid::WeaklyCompressible::new(self.bulk_modulus, self.viscosity, law)
            .map(|fluid| fluid.with_tension(tension))
            .map_err(|error| match &error {
                BuildError::NotPositive { .. } => ("bulk_modulus", error),
                BuildError::OutOfRange { quantity, .. } if quantity.starts_with("visc") => {
                    ("viscosity", error)
                }
                _ => ("exponent", error),
            })
    }
}
