//! Sand, dry and with cohesion, after \[Nilles2020\] §10.
//!
//! Its figure 25 gives cohesions 0, 0.004, 0.025 and 1 that are strains (errata E8):
//! here they are multiplied by 2μ = E/(1 + ν). The figure names no other parameter of its sand;
//! those of figure 26 are taken for all four. The friction angle starts at h₀ − h₃ = 25° and grows
//! to 35°; it is that of triaxial compression (errata E36).

use super::{Elasticity, Preset, PresetLaw, SandParameters};
use crate::plastic::FrictionHardening;

const ELASTICITY: Elasticity = Elasticity {
    young_modulus: 3.4e5,
    poisson_ratio: 0.3,
};

const TWICE_MU: f64 = ELASTICITY.young_modulus / (1.0 + ELASTICITY.poisson_ratio);

const fn sand(
    name: &'static str,
    about: &'static str,
    cohesion_strain: f64,
    source: &'static str,
) -> Preset {
    Preset {
        name,
        about,
        density: 2200.0,
        law: PresetLaw::DruckerPrager(SandParameters {
            elasticity: ELASTICITY,
            friction: FrictionHardening {
                h0: 35.0,
                h1: 0.0,
                h2: 0.2,
                h3: 10.0,
            },
            cohesion: cohesion_strain * TWICE_MU,
        }),
        source,
    }
}

pub(super) const PRESETS: &[Preset] = &[
    sand(
        "sand",
        "dry sand that pours and piles up",
        0.0,
        "[Nilles2020] section 10, regular sand of figure 26",
    ),
    sand(
        "sand_damp",
        "sand that crumbles in lumps",
        0.004,
        "[Nilles2020] figure 25, cohesion 0.004 times 2 mu, on the sand of figure 26",
    ),
    sand(
        "sand_wet",
        "sand that holds a castle",
        0.025,
        "[Nilles2020] figure 25, cohesion 0.025 times 2 mu, on the sand of figure 26",
    ),
    sand(
        "sand_solid",
        "so much cohesion that it is an elastic solid",
        1.0,
        "[Nilles2020] figure 25, cohesion 1 times 2 mu, on the sand of figure 26",
    ),
];
