//! Heat in a scene: `[heat]`, and temperatures of objects, emitters, walls and colliders.
//!
//! | concept | file |
//! |---|---|
//! | keys | this file |
//! | materials with sources | `preset.rs` |
//! | keys to the engine's setup | `engine.rs` |
//! | temperatures of particles | `temperatures.rs` |

mod engine;
pub mod preset;
mod temperatures;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::Number;

pub(crate) use temperatures::Temperatures;

/// Conduction of heat in all matter, melting and freezing. Temperatures are in kelvins; those in
/// quotes that end with °C, such as `"20 °C"`, in degrees Celsius.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Heat {
    /// Temperature of matter that enters without one of its own \[K\]: a number or a formula of x,
    /// y, z, t. Default: 293.15 K.
    #[serde(default = "Heat::default_temperature")]
    pub temperature: Number,
    /// The air at free surfaces. Default: it insulates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<Air>,
    /// Heat generated in matter \[W/m³\], a number or a formula of x, y, z, t. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Number>,
    /// Share of FLIP in the temperatures that particles take back from the grid \[–\], 0 to 1.
    /// Default: 0.95.
    #[serde(default = "Heat::default_flip")]
    #[schemars(range(min = 0, max = 1))]
    pub flip: f64,
    /// Longest step of conduction \[s\], above 0. Default: half the time that heat takes
    /// from cell to cell, and half a cell of motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub longest_step: Option<f64>,
    /// Thermal properties of every material of the scene, by its name. Required.
    pub materials: BTreeMap<String, ThermalMaterial>,
}

impl Heat {
    fn default_temperature() -> Number {
        Number::Constant(293.15)
    }
    fn default_flip() -> f64 {
        0.95
    }
}

/// Air at free surfaces: q = α (T_air − T) + εσ (T_air⁴ − T⁴) into the matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Air {
    /// Temperature \[K\], a number or a formula of x, y, z, t. Required.
    pub temperature: Number,
    /// Heat transfer coefficient α \[W/(m² K)\], zero or positive: about 5 to 10 in air at rest.
    /// Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub heat_transfer: f64,
    /// Emissivity ε \[–\], 0 to 1. Default: 0, no radiation.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub emissivity: f64,
}

/// Thermal properties of a material: numbers, or a preset with whatever differs from it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ThermalMaterial {
    /// Name of a substance: `"water"`, `"chocolate"`, `"butter"`, `"paraffin"`, `"candy"`,
    /// `"basalt"`, `"tin"` or `"lead"`. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Specific heat capacity of the solid, or of the only phase \[J/(kg K)\], above 0. Required
    /// without a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub heat_capacity: Option<f64>,
    /// Thermal conductivity of the solid, or of the only phase \[W/(m K)\], above 0. Required
    /// without a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub conductivity: Option<f64>,
    /// Melting point \[K\]: a number or a formula of x, y, z, t where and when matter enters.
    /// Default: that of the preset, or none: it does not melt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub melting_point: Option<Number>,
    /// Latent heat of melting \[J/kg\], zero or positive. Default: that of the preset, or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub latent_heat: Option<f64>,
    /// The liquid. Default: the heat capacity and conductivity of the solid, and its law without
    /// resistance to shear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liquid: Option<Liquid>,
}

/// A liquid, by what differs from the solid.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Liquid {
    /// Specific heat capacity \[J/(kg K)\], above 0. Default: that of the solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub heat_capacity: Option<f64>,
    /// Thermal conductivity \[W/(m K)\], above 0. Default: that of the solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub conductivity: Option<f64>,
    /// Parameters of the law that the liquid has in place of the solid's, by their keys, such as
    /// `{ viscosity = 5 }`: those that resist shear; its volume is that of the solid. Default: a
    /// shear modulus or yield stress of 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub law: BTreeMap<String, f64>,
}
