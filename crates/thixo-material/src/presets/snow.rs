//! Snow, after \[Stomakhin2013\], and other materials that its law describes.
//!
//! The reference values are printed in \[Jiang2015thesis\] §3.2.2 and \[Nilles2020\] §8.
//! The lower hardening, critical compression and critical stretch are those that public
//! implementations of \[Stomakhin2013\] quote from it.

use super::{Elasticity, Preset, PresetLaw, SnowParameters};
use crate::plastic::PlasticVolume;

const REFERENCE: SnowParameters = SnowParameters {
    elasticity: Elasticity {
        young_modulus: 1.4e5,
        poisson_ratio: 0.2,
    },
    critical_compression: 2.5e-2,
    critical_stretch: 7.5e-3,
    hardening: 10.0,
    initial_plastic_volume: 1.0,
    plastic_volume: PlasticVolume::Free,
};

const fn snow(
    name: &'static str,
    about: &'static str,
    parameters: SnowParameters,
    source: &'static str,
) -> Preset {
    Preset {
        name,
        about,
        density: 400.0,
        law: PresetLaw::Snow(parameters),
        source,
    }
}

const VARIATION: &str = "variation in [Stomakhin2013] as its public implementations quote it";

pub(super) const PRESETS: &[Preset] = &[
    snow(
        "snow",
        "snow that packs and breaks in chunks",
        REFERENCE,
        "[Jiang2015thesis] section 3.2.2; [Nilles2020] section 8; after [Stomakhin2013]",
    ),
    snow(
        "snow_lower_hardening",
        "snow that stays soft when packed",
        SnowParameters {
            hardening: 5.0,
            ..REFERENCE
        },
        VARIATION,
    ),
    snow(
        "snow_lower_critical_compression",
        "snow that yields early under pressure",
        SnowParameters {
            critical_compression: 1.9e-2,
            ..REFERENCE
        },
        VARIATION,
    ),
    snow(
        "snow_lower_critical_stretch",
        "brittle snow that falls apart as powder",
        SnowParameters {
            critical_stretch: 5.0e-3,
            ..REFERENCE
        },
        VARIATION,
    ),
    snow(
        "snow_lower_critical_values",
        "snow that yields early under pressure and tension",
        SnowParameters {
            critical_compression: 1.9e-2,
            critical_stretch: 5.0e-3,
            ..REFERENCE
        },
        VARIATION,
    ),
    snow(
        "snow_packed",
        "dense, stiff parts of a snowball: 1.5 times the mass in the same volume",
        SnowParameters {
            initial_plastic_volume: 2.0 / 3.0,
            ..REFERENCE
        },
        "[Nilles2020] figure 23",
    ),
    snow(
        "snow_little_hardening",
        "matter that is squeezed for good without becoming hard",
        SnowParameters {
            hardening: 1.0,
            ..REFERENCE
        },
        "[Nilles2020] figure 25, green sphere",
    ),
    snow(
        "snow_elastic",
        "the elastic solid within snow: nothing yields",
        SnowParameters {
            critical_compression: 1.0,
            critical_stretch: 100.0,
            ..REFERENCE
        },
        "[Nilles2020] figure 25, red sphere",
    ),
    snow(
        "snow_constant_volume",
        "the reference snow with flow that keeps the volume: dough rather than snow",
        SnowParameters {
            plastic_volume: PlasticVolume::Preserved,
            ..REFERENCE
        },
        "flow of [Jiang2015thesis] section 6.4.1 with the numbers of its section 3.2.2",
    ),
    snow(
        "snow_dry_sand",
        "grains that separate freely; for real sand prefer the presets of sand",
        SnowParameters {
            critical_stretch: 0.0,
            ..REFERENCE
        },
        "[Jiang2015thesis] section 3.2.2, upper limit 1; [Nilles2020] figure 25, orange sphere",
    ),
];
