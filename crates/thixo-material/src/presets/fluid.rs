//! Water and honey.
//!
//! Their bulk moduli are choices: real ones would make time steps a hundred times shorter for
//! compressions nobody sees. With 1 MPa sound travels at about 30 m/s, ten times the speed
//! of matter that fell half a metre.

use super::{FluidParameters, Preset, PresetLaw};

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "water",
        about: "water at 20 °C, softened for flows up to 3 m/s",
        density: 998.2,
        law: PresetLaw::Fluid(FluidParameters {
            bulk_modulus: 1.0e6,
            viscosity: 1.002e-3,
        }),
        source: "density and viscosity at 20 °C [Chaplin]; the bulk modulus is a choice, the real one is 2.18 GPa",
    },
    Preset {
        name: "honey",
        about: "honey at 20 °C: it coils and folds",
        density: 1420.0,
        law: PresetLaw::Fluid(FluidParameters {
            bulk_modulus: 1.0e6,
            viscosity: 19.0,
        }),
        source: "clover honey with 16 % water at 20 °C: 190 poise, specific gravity 1.42 [BeeClubPella2009]; the bulk modulus is a choice",
    },
];
