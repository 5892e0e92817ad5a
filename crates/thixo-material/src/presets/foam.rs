//! Foams of \[Qu2023\] table 1, and mud: solid below a stress, fluid above.
//!
//! The viscosities of the table are η of eq. (4), which is this library's: twice the dynamic
//! viscosity for h = 1. Figure 3 has foam in water and prints their ratios as 0.4/0.3 but their
//! densities as 77/1000; foam has 0.3 in all other rows and here as well. Figures 7 and 8 leave
//! viscosities and exponents out; only the perfectly plastic foam of figure 8 is complete without.
//!
//! Mud is sample GS-1 with grains up to 2 mm of \[DebrisFlows2025\]: its fits
//! τ_y = 1.69e-2 exp(20.29 C_v) Pa and μ = 1.73e-2 exp(10.35 C_v) Pa s are evaluated at the volume
//! fraction of solids C_v = 0.45, and turned into this library's σ_Y = √3 τ_y and η = 2μ.
//! The density is that of grains of 2650 kg/m³ in water.

use super::{Elasticity, Preset, PresetLaw, ViscoplasticParameters};

const FOAM: ViscoplasticParameters = ViscoplasticParameters {
    elasticity: Elasticity {
        young_modulus: 1.0e5,
        poisson_ratio: 0.3,
    },
    yield_stress: 63.8,
    viscosity: 54.0,
    exponent: 1.0,
};

const fn foam(
    name: &'static str,
    about: &'static str,
    parameters: ViscoplasticParameters,
    source: &'static str,
) -> Preset {
    Preset {
        name,
        about,
        density: 77.0,
        law: PresetLaw::HerschelBulkley(parameters),
        source,
    }
}

pub(super) const PRESETS: &[Preset] = &[
    foam(
        "foam",
        "stiff bubble foam that keeps its heap",
        FOAM,
        "[Qu2023] table 1, figure 2",
    ),
    foam(
        "foam_runny",
        "bubble foam that flows twice as easily",
        ViscoplasticParameters {
            viscosity: 27.0,
            ..FOAM
        },
        "[Qu2023] table 1, figure 3",
    ),
    foam(
        "foam_plastic",
        "soft foam without viscosity",
        ViscoplasticParameters {
            yield_stress: 31.9,
            viscosity: 0.0,
            ..FOAM
        },
        "[Qu2023] table 1, figure 8, perfect plasticity",
    ),
    Preset {
        name: "mud",
        about: "mud that creeps down a slope and stops",
        density: 1742.5,
        law: PresetLaw::HerschelBulkley(ViscoplasticParameters {
            elasticity: Elasticity {
                young_modulus: 1.0e5,
                poisson_ratio: 0.4,
            },
            yield_stress: 270.2,
            viscosity: 3.646,
            exponent: 1.0,
        }),
        source: "[DebrisFlows2025] sample GS-1 with grains up to 2 mm at 45 % solids; the moduli are choices, it yields at 0.3 % strain",
    },
];
