//! Drag of a fluid that flows through a solid, equation (70).
//!
//! The force per volume on the solid is c (v_f − v_s). Where a node holds less fluid or less solid
//! than the state to which the coefficient belongs, c falls with the product of both, as in
//! \[Nilles2020\] eq. (103); there its unit is that of errata E33.

use crate::error::{BuildError, positive};

/// Acceleration by which a hydraulic conductivity is defined \[m/s²\].
const STANDARD_GRAVITY: f64 = 9.80665;
/// The constant of Kozeny and Carman for beds of grains \[–\].
const KOZENY_CARMAN: f64 = 180.0;

/// Law of drag.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Drag {
    /// Darcy's law by the hydraulic conductivity of the saturated solid,
    /// c = n² ρ_f g/k · φ_s φ_f/((1 − n) n).
    Conductivity {
        /// Hydraulic conductivity k > 0 \[m/s\].
        conductivity: f64,
        /// Porosity n of the solid to which it belongs, between 0 and 1 \[–\].
        porosity: f64,
    },
    /// Darcy's law by the permeability, c = n² η/κ · φ_s φ_f/((1 − n) n).
    Permeability {
        /// Permeability κ > 0 \[m²\].
        permeability: f64,
        /// Dynamic viscosity of the fluid η > 0 \[Pa s\].
        viscosity: f64,
        /// Porosity n of the solid to which it belongs, between 0 and 1 \[–\].
        porosity: f64,
    },
    /// The law of Kozeny and Carman for grains, c = 180 η (1 − n)²/(n d²) with the local porosity
    /// n = 1 − φ_s, times the saturation φ_f/n.
    KozenyCarman {
        /// Diameter of the grains d > 0 \[m\].
        grain_size: f64,
        /// Dynamic viscosity of the fluid η > 0 \[Pa s\].
        viscosity: f64,
    },
    /// The law of Forchheimer, linear and quadratic in the velocity, after Ergun:
    /// c = a η (1 − n)²/(n d²) + b ρ_f (1 − n)/d |v_f − v_s|, times the saturation.
    Forchheimer {
        /// Diameter of the grains d > 0 \[m\].
        grain_size: f64,
        /// Dynamic viscosity of the fluid η > 0 \[Pa s\].
        viscosity: f64,
        /// Coefficient of the linear term a ≥ 0 \[–\]; 150 after Ergun.
        linear: f64,
        /// Coefficient of the quadratic term b ≥ 0 \[–\]; 1.75 after Ergun.
        quadratic: f64,
    },
    /// The raw coefficient of \[Nilles2020\] eq. (103): the force on a node is ĉ m_s m_f (v_f −
    /// v_s). It belongs to one grid spacing and one density (errata E33).
    Raw {
        /// Coefficient ĉ ≥ 0 \[1/(kg s)\].
        coefficient: f64,
    },
}

/// State of a node that drag depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct PoreState {
    /// Mass of the solid per volume ρ̄_s \[kg/m³\].
    pub solid_density: f64,
    /// Mass of the fluid per volume ρ̄_f \[kg/m³\].
    pub fluid_density: f64,
    /// Density of the solid's substance \[kg/m³\].
    pub solid_substance: f64,
    /// Density of the fluid's substance \[kg/m³\].
    pub fluid_substance: f64,
    /// Relative speed \[m/s\].
    pub speed: f64,
    /// Volume of the node \[m³\].
    pub volume: f64,
}

/// Pores are at least this share of the volume \[–\]: particles may crowd beyond it.
pub(crate) const LEAST_POROSITY: f64 = 0.05;

impl Drag {
    /// Refuses numbers out of range.
    pub fn check(self) -> Result<(), BuildError> {
        let grains = |d| positive("grain_size", "diameter of the grains [m]", d);
        let viscous = |eta| positive("viscosity", "viscosity of the fluid [Pa s]", eta).map(drop);
        match self {
            Self::Conductivity {
                conductivity,
                porosity,
            } => {
                positive("conductivity", "hydraulic conductivity [m/s]", conductivity)?;
                check_porosity(porosity)
            }
            Self::Permeability {
                permeability,
                viscosity,
                porosity,
            } => {
                positive("permeability", "permeability [m²]", permeability)?;
                viscous(viscosity)?;
                check_porosity(porosity)
            }
            Self::KozenyCarman {
                grain_size,
                viscosity,
            } => {
                grains(grain_size)?;
                viscous(viscosity)
            }
            Self::Forchheimer {
                grain_size,
                viscosity,
                linear,
                quadratic,
            } => {
                grains(grain_size)?;
                viscous(viscosity)?;
                not_negative("linear", "linear coefficient of drag", linear)?;
                not_negative("quadratic", "quadratic coefficient of drag", quadratic)
            }
            Self::Raw { coefficient } => {
                not_negative("coefficient", "coefficient of drag [1/(kg s)]", coefficient)
            }
        }
    }

    /// The coefficient c \[kg/(m³ s)\] at a node.
    pub(super) fn coefficient(self, node: &PoreState) -> f64 {
        let solid = node.solid_density / node.solid_substance;
        let fluid = node.fluid_density / node.fluid_substance;
        // F9: as the product of both densities, from the saturated state of porosity n.
        let scaled = |n: f64| solid * fluid / ((1.0 - n) * n);
        let n = (1.0 - solid).max(LEAST_POROSITY);
        let saturation = (fluid / n).min(1.0);
        match self {
            Self::Conductivity {
                conductivity,
                porosity,
            } => {
                let weight = node.fluid_substance * STANDARD_GRAVITY;
                porosity * porosity * weight / conductivity * scaled(porosity)
            }
            Self::Permeability {
                permeability,
                viscosity,
                porosity,
            } => porosity * porosity * viscosity / permeability * scaled(porosity),
            Self::KozenyCarman {
                grain_size,
                viscosity,
            } => {
                let d = grain_size;
                saturation * KOZENY_CARMAN * viscosity * solid * solid / (n * d * d)
            }
            Self::Forchheimer {
                grain_size: d,
                viscosity,
                linear: a,
                quadratic: b,
            } => {
                let viscous = a * viscosity * solid * solid / (n * d * d);
                let inertial = b * node.fluid_substance * solid / d * node.speed;
                saturation * (viscous + inertial)
            }
            Self::Raw { coefficient } => {
                coefficient * node.solid_density * node.fluid_density * node.volume
            }
        }
    }
}

fn check_porosity(porosity: f64) -> Result<(), BuildError> {
    match porosity > 0.0 && porosity < 1.0 {
        true => Ok(()),
        false => Err(BuildError::OutOfRange {
            key: "porosity",
            quantity: "porosity",
            value: porosity,
            range: "above 0 and below 1",
        }),
    }
}

fn not_negative(key: &'static str, quantity: &'static str, value: f64) -> Result<(), BuildError> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(BuildError::OutOfRange {
            key,
            quantity,
            value,
            range: "zero or positive, and finite",
        }),
    }
}
