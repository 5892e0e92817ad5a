//! Matter of a scene that yields to shear: `model = "von_mises"`, `"herschel_bulkley"` and
//! `"multiplicative_plasticity"`.

use serde::{Deserialize, Serialize};
use thixo::material::parameters::HARDENING_MODULUS;
use thixo::material::parameters::ParameterError;
use thixo::material::plastic;

/// Parameters of `model = "von_mises"`: perfect plasticity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VonMises {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
    /// Yield stress in tension \[Pa\], zero or positive. Required.
    pub yield_stress: f64,
}

/// Parameters of `model = "herschel_bulkley"`: solid below the yield stress, a fluid of power law
/// above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HerschelBulkley {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
    /// Yield stress in tension \[Pa\], zero or positive. Required.
    pub yield_stress: f64,
    /// Viscosity η \[Pa s^exponent\], zero or positive; with exponent 1, twice the dynamic
    /// viscosity. Required.
    pub viscosity: f64,
    /// Exponent of the flow \[–\], 0.01 to 100: below 1 it thins with the rate of shear, above 1 it
    /// thickens. Required.
    pub exponent: f64,
}

/// Parameters of `model = "multiplicative_plasticity"`: it flows at a finite rate, and hardens or
/// softens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiplicativePlasticity {
    /// Density at rest \[kg/m³\], above 0. Required.
    pub density: f64,
    /// Young's modulus \[Pa\], above 0. Required.
    pub young_modulus: f64,
    /// Poisson's ratio \[–\], above -1 and below 0.5. Required.
    pub poisson_ratio: f64,
    /// Yield stress in tension \[Pa\], zero or positive. Required.
    pub yield_stress: f64,
    /// Rate at which stress above it relaxes \[1/s\], zero or positive; 0 is elastic. Required.
    pub yield_rate: f64,
    /// Hardening modulus \[Pa\], above -2 times the shear modulus; negative values soften.
    /// Default: 0.
    #[serde(default = "MultiplicativePlasticity::default_hardening")]
    pub hardening: f64,
}

impl VonMises {
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        vec![
            ("density", &mut self.density),
            ("young_modulus", &mut self.young_modulus),
            ("poisson_ratio", &mut self.poisson_ratio),
            ("yield_stress", &mut self.yield_stress),
        ]
    }
    /// The engine's model.
    pub(super) fn law(&self) -> Result<plastic::VonMises, ParameterError> {
        plastic::VonMises::new(self.young_modulus, self.poisson_ratio, self.yield_stress)
    }
}

impl HerschelBulkley {
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        vec![
            ("density", &mut self.density),
            ("young_modulus", &mut self.young_modulus),
            ("poisson_ratio", &mut self.poisson_ratio),
            ("yield_stress", &mut self.yield_stress),
            ("viscosity", &mut self.viscosity),
            ("exponent", &mut self.exponent),
        ]
    }
    /// The engine's model.
    pub(super) fn law(&self) -> Result<plastic::HerschelBulkley, ParameterError> {
        plastic::HerschelBulkley::new(
            self.young_modulus,
            self.poisson_ratio,
            self.yield_stress,
            self.viscosity,
            self.exponent,
        )
    }
}

impl MultiplicativePlasticity {
    fn default_hardening() -> f64 {
        HARDENING_MODULUS.default_value()
    }
    pub(super) fn numbers_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        vec![
            ("density", &mut self.density),
            ("young_modulus", &mut self.young_modulus),
            ("poisson_ratio", &mut self.poisson_ratio),
            ("yield_stress", &mut self.yield_stress),
            ("yield_rate", &mut self.yield_rate),
            ("hardening", &mut self.hardening),
        ]
    }
    /// The engine's model.
    pub(super) fn law(&self) -> Result<plastic::MultiplicativePlasticity, ParameterError> {
        plastic::MultiplicativePlasticity::new(
            self.young_modulus,
            self.poisson_ratio,
            self.yield_stress,
            self.yield_rate,
        )
        .and_then(|dough| dough.with_hardening(self.hardening))
    }
}
