//! Viscoelastic fluids, foams and sponges: \[Ram2015\] table 1.
//!
//! \[Ram2015\] table 1 has no units. They are taken to be tonne, metre and second,
//! so that moduli are in kPa and viscosities in kPa s. The lengths decide about the motion
//! (μ/ρ and η/ρ do not depend on the unit of mass): in metres toothpaste has η = 50 Pa s and pie
//! crust a shear wave of 1000 m/s, which is the order of the real ones; in centimetres toothpaste
//! would be about as thin as light oil, and foam would not hold up a millimetre of itself.
//! With the densities then in t/m³ pastes weigh what they should, 1000 kg/m³; as kg/m³ they would
//! be gases. The viscosity is η = μ^N/2, by the stress below its eq. (1) (errata E13: the paper's
//! other formulas say otherwise), so that these are starting points rather than measurements.

use super::{OldroydParameters, Preset, PresetLaw};

/// A row of \[Ram2015\] table 1 as printed: ρ, μ, λ, μ^N, Wi, in t/m³, kPa, kPa, kPa s and s.
const fn oldroyd(
    name: &'static str,
    about: &'static str,
    [density, mu, lambda, viscosity, relaxation_time]: [f64; 5],
    source: &'static str,
) -> Preset {
    Preset {
        name,
        about,
        density: 1000.0 * density,
        law: PresetLaw::OldroydB(OldroydParameters {
            mu: 1000.0 * mu,
            lambda: 1000.0 * lambda,
            relaxation_time,
            viscosity: 500.0 * viscosity,
        }),
        source,
    }
}

pub(super) const PRESETS: &[Preset] = &[
    oldroyd(
        "sponge_twisted",
        "a sponge that is wrung: elastic for a minute or so",
        [2.0, 3.6e2, 1.4e3, 0.0, 50.0],
        "[Ram2015] table 1, twisting sponge",
    ),
    oldroyd(
        "sponge_shot",
        "a lighter sponge that is shot at",
        [1.0, 3.6e2, 1.4e3, 0.0, 50.0],
        "[Ram2015] table 1, shooting sponge",
    ),
    oldroyd(
        "shaving_foam",
        "foam that piles up, buckles and merges",
        [0.2, 5.0, 50.0, 1.0e-4, 0.5],
        "[Ram2015] table 1, shaving foam",
    ),
    oldroyd(
        "toothpaste",
        "paste whose viscosity rules its motion",
        [1.0, 0.839, 8.39, 1.0e-1, 0.4],
        "[Ram2015] table 1, toothpaste",
    ),
    oldroyd(
        "viennetta_ice_cream",
        "soft ice cream that folds on a belt",
        [1.0, 1.0, 10.0, 5.0e-5, 0.1],
        "[Ram2015] table 1, Viennetta ice cream",
    ),
    oldroyd(
        "pie_cream",
        "whipped cream that splits and merges and remembers nothing",
        [0.2, 5.0, 50.0, 1.0e-7, 1.0e-4],
        "[Ram2015] table 1, pie cream",
    ),
    oldroyd(
        "pie_crust",
        "stiff crust that does not relax",
        [0.5, 5.0e5, 4.0e6, 1.0e-8, 1.0e30],
        "[Ram2015] table 1, pie crust",
    ),
    oldroyd(
        "pie_crust_scored",
        "weak lines along which the crust is to break",
        [0.5, 5.0, 10.0, 1.0e-5, 1.0],
        "[Ram2015] table 1, pie crust scored",
    ),
];
