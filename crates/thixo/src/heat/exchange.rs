//! Exchange of heat with what is not matter of the simulation: walls, obstacles, the air.
//!
//! q = α (T_s − T) + εσ (T_s⁴ − T⁴) + q₀ per area, into the matter: contact or convection with a
//! coefficient α, radiation, and a given flux.

use core::fmt;
use std::sync::Arc;

use crate::error::BuildError;

/// Stefan-Boltzmann constant σ \[W/(m² K⁴)\]: 2018 CODATA, exact.
pub const STEFAN_BOLTZMANN: f64 = 5.670374419e-8;

/// A number that may depend on place \[m\] and time \[s\].
#[derive(Clone)]
pub enum PlaceAndTime<const D: usize> {
    /// The same everywhere, always.
    Constant(f64),
    /// A function.
    Function(Arc<dyn Fn([f64; D], f64) -> f64 + Send + Sync>),
}

impl<const D: usize> PlaceAndTime<D> {
    /// From a function of position \[m\] and time \[s\].
    pub fn function(f: impl Fn([f64; D], f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(f))
    }
    /// Its value at a position \[m\] and time \[s\].
    #[inline]
    pub fn at(&self, position: [f64; D], time: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Function(f) => f(position, time),
        }
    }
}

impl<const D: usize> fmt::Debug for PlaceAndTime<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => f.debug_tuple("Constant").field(value).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

/// Exchange of heat through a surface; the default is insulation.
#[derive(Clone, Debug, Default)]
pub struct HeatExchange<const D: usize> {
    /// Temperature T_s of the other side \[K\]; none where nothing depends on one.
    pub temperature: Option<PlaceAndTime<D>>,
    /// Law by which heat passes to that temperature.
    pub contact: ThermalContact,
    /// Emissivity ε of the matter towards that temperature, 0 to 1 \[–\].
    pub emissivity: f64,
    /// Heat flux q₀ into the matter \[W/m²\].
    pub flux: Option<PlaceAndTime<D>>,
}

/// Passage of heat through a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ThermalContact {
    /// The surface has the temperature of the other side.
    #[default]
    Perfect,
    /// A heat transfer coefficient α ≥ 0 \[W/(m² K)\].
    Coefficient(f64),
}

impl<const D: usize> HeatExchange<D> {
    /// No heat passes.
    pub fn insulated() -> Self {
        Self::default()
    }
    /// A surface of a temperature \[K\].
    pub fn at_temperature(temperature: f64) -> Self {
        Self {
            temperature: Some(PlaceAndTime::Constant(temperature)),
            ..Self::default()
        }
    }
    /// A heat flux into the matter \[W/m²\].
    pub fn of_flux(flux: f64) -> Self {
        Self {
            flux: Some(PlaceAndTime::Constant(flux)),
            ..Self::default()
        }
    }
    /// Convection with a coefficient \[W/(m² K)\] and radiation with an emissivity \[–\] to
    /// surroundings of a temperature \[K\].
    pub fn to_surroundings(temperature: f64, coefficient: f64, emissivity: f64) -> Self {
        Self {
            temperature: Some(PlaceAndTime::Constant(temperature)),
            contact: ThermalContact::Coefficient(coefficient),
            emissivity,
            flux: None,
        }
    }
    /// True if no heat passes.
    pub fn is_insulated(&self) -> bool {
        self.temperature.is_none() && self.flux.is_none()
    }
    /// Refuses numbers out of range.
    pub fn check(&self) -> Result<(), BuildError> {
        if let ThermalContact::Coefficient(value) = self.contact
            && !(value >= 0.0 && value.is_finite())
        {
            return Err(BuildError::OutOfRange {
                key: "heat_transfer",
                quantity: "heat transfer coefficient [W/(m² K)]",
                value,
                range: "zero or positive, and finite",
            });
        }
        if !(0.0..=1.0).contains(&self.emissivity) {
            return Err(BuildError::OutOfRange {
                key: "emissivity",
                quantity: "emissivity",
                value: self.emissivity,
                range: "between 0 and 1",
            });
        }
        if let Some(PlaceAndTime::Constant(value)) = self.temperature {
            check_kelvin("temperature", "temperature [K]", value)?;
        }
        if let Some(PlaceAndTime::Constant(value)) = self.flux
            && !value.is_finite()
        {
            return Err(BuildError::OutOfRange {
                key: "heat_flux",
                quantity: "heat flux [W/m²]",
                value,
                range: "finite",
            });
        }
        Ok(())
    }
}

/// Refuses a temperature that is not above absolute zero \[K\].
pub(crate) fn check_kelvin(
    key: &'static str,
    quantity: &'static str,
    value: f64,
) -> Result<(), BuildError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(BuildError::OutOfRange {
            key,
            quantity,
            value,
            range: "above absolute zero, in kelvins, and finite",
        }),
    }
}
