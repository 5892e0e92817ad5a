//! Ready-made materials, each with where its numbers come from.
//!
//! \[Ram2015\] table 1 has no units. They are taken to be tonne, metre and second, so that moduli are in kPa and viscosities in
//! kPa s. The lengths decide about the motion (μ/ρ and η/ρ do not depend on the unit of mass): in metres toothpaste has
//! η = 50 Pa s and pie crust a shear wave of 1000 m/s, which is the order of the real ones; in centimetres toothpaste would be
//! about as thin as light oil, and foam would not hold up a millimetre of itself. With the densities then in t/m³ pastes
//! weigh what they should, 1000 kg/m³; as kg/m³ they would be gases. The viscosity is η = μ^N/2, by the stress below its eq. (1) (errata
//! E13: the paper's other formulas say otherwise), so that these are starting points rather than measurements.

use super::elastic::{FixedCorotated, NeoHookean};
use super::fluid::OldroydB;
use super::plastic::{PlasticVolume, Snow};
use super::{Constitutive, Material};
use crate::error::BuildError;

/// A material with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name in scenes.
    pub name: &'static str,
    /// What it is like.
    pub about: &'static str,
    /// Density at rest ρ₀ \[kg/m³\]; particles that enter packed (J_P < 1) are denser by 1/J_P.
    pub density: f64,
    /// The law and its parameters.
    pub law: PresetLaw,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// Moduli of an elastic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus E \[Pa\].
    pub young_modulus: f64,
    /// Poisson's ratio ν \[–\].
    pub poisson_ratio: f64,
}

/// Parameters of snow on fixed corotated elasticity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnowParameters {
    /// Moduli without plastic deformation.
    pub elasticity: Elasticity,
    /// Critical compression θ_c \[–\].
    pub critical_compression: f64,
    /// Critical stretch θ_s \[–\].
    pub critical_stretch: f64,
    /// Hardening ξ \[–\].
    pub hardening: f64,
    /// J_P of particles that enter \[–\].
    pub initial_plastic_volume: f64,
    /// What flow does to the volume.
    pub plastic_volume: PlasticVolume,
}

/// Parameters of the volume-preserving Oldroyd-B fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OldroydParameters {
    /// Shear modulus μ \[Pa\].
    pub mu: f64,
    /// Lamé's λ \[Pa\].
    pub lambda: f64,
    /// Relaxation time Wi \[s\].
    pub relaxation_time: f64,
    /// Dynamic viscosity η \[Pa s\].
    pub viscosity: f64,
}

/// The law of a preset.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PresetLaw {
    /// Fixed corotated elasticity.
    FixedCorotated(Elasticity),
    /// Neo-Hookean elasticity.
    NeoHookean(Elasticity),
    /// Snow on fixed corotated elasticity.
    Snow(SnowParameters),
    /// Volume-preserving Oldroyd-B fluid.
    OldroydB(OldroydParameters),
}

impl OldroydParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<OldroydB, BuildError> {
        OldroydB::new(self.mu, self.lambda, self.relaxation_time, self.viscosity)
    }
}

impl SnowParameters {
    /// The law with these parameters.
    pub fn law(&self) -> Result<Snow<FixedCorotated>, BuildError> {
        let Elasticity {
            young_modulus,
            poisson_ratio,
        } = self.elasticity;
        let elastic = FixedCorotated::from_young_poisson(young_modulus, poisson_ratio)?;
        let snow = Snow::new(
            elastic,
            self.critical_compression,
            self.critical_stretch,
            self.hardening,
        )?;
        Ok(snow
            .with_initial_plastic_volume(self.initial_plastic_volume)?
            .with_plastic_volume(self.plastic_volume))
    }
}

impl PresetLaw {
    /// Name of the law.
    pub fn name(&self) -> &'static str {
        match self {
            Self::FixedCorotated(_) => <FixedCorotated as Constitutive>::NAME,
            Self::NeoHookean(_) => <NeoHookean as Constitutive>::NAME,
            Self::Snow(_) => <Snow<FixedCorotated> as Constitutive>::NAME,
            Self::OldroydB(_) => <OldroydB as Constitutive>::NAME,
        }
    }
    /// Names, values and units of its parameters, for listings.
    pub fn parameters(&self) -> Vec<(&'static str, f64, &'static str)> {
        let elasticity = match self {
            Self::FixedCorotated(elasticity) | Self::NeoHookean(elasticity) => elasticity,
            Self::Snow(snow) => &snow.elasticity,
            Self::OldroydB(fluid) => {
                return vec![
                    ("mu", fluid.mu, "Pa"),
                    ("lambda", fluid.lambda, "Pa"),
                    ("relaxation_time", fluid.relaxation_time, "s"),
                    ("viscosity", fluid.viscosity, "Pa s"),
                ];
            }
        };
        let mut list = vec![
            ("young_modulus", elasticity.young_modulus, "Pa"),
            ("poisson_ratio", elasticity.poisson_ratio, "-"),
        ];
        if let Self::Snow(snow) = self {
            list.extend([
                ("critical_compression", snow.critical_compression, "-"),
                ("critical_stretch", snow.critical_stretch, "-"),
                ("hardening", snow.hardening, "-"),
                ("initial_plastic_volume", snow.initial_plastic_volume, "-"),
            ]);
        }
        list
    }
}

impl Preset {
    /// The material.
    pub fn material<T, const D: usize>(&self) -> Result<Box<dyn Material<T, D>>, BuildError>
    where
        Box<dyn Material<T, D>>:
            From<FixedCorotated> + From<NeoHookean> + From<Snow<FixedCorotated>> + From<OldroydB>,
        T: thixo_par::Scalar,
    {
        Ok(match &self.law {
            PresetLaw::FixedCorotated(e) => {
                FixedCorotated::from_young_poisson(e.young_modulus, e.poisson_ratio)?.into()
            }
            PresetLaw::NeoHookean(e) => {
                NeoHookean::from_young_poisson(e.young_modulus, e.poisson_ratio)?.into()
            }
            PresetLaw::Snow(snow) => snow.law()?.into(),
            PresetLaw::OldroydB(fluid) => fluid.law()?.into(),
        })
    }
}

/// Every preset.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// The preset of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// \[Jiang2015thesis\] §3.2.2 and \[Nilles2020\] §8, after \[Stomakhin2013\].
const REFERENCE_SNOW: SnowParameters = SnowParameters {
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

/// Density of that snow \[kg/m³\].
const SNOW_DENSITY: f64 = 400.0;

const fn snow(
    name: &'static str,
    about: &'static str,
    parameters: SnowParameters,
    source: &'static str,
) -> Preset {
    Preset {
        name,
        about,
        density: SNOW_DENSITY,
        law: PresetLaw::Snow(parameters),
        source,
    }
}

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

const PRESETS: &[Preset] = &[
    snow(
        "snow",
        "snow that packs and breaks in chunks",
        REFERENCE_SNOW,
        "[Jiang2015thesis] section 3.2.2; [Nilles2020] section 8; after [Stomakhin2013]",
    ),
    snow(
        "snow_lower_young_modulus",
        "softer snow",
        SnowParameters {
            elasticity: Elasticity {
                young_modulus: 4.8e4,
                poisson_ratio: 0.2,
            },
            ..REFERENCE_SNOW
        },
        "[Stomakhin2013], variations of its reference snow",
    ),
    snow(
        "snow_lower_hardening",
        "snow that stays soft when packed",
        SnowParameters {
            hardening: 5.0,
            ..REFERENCE_SNOW
        },
        "[Stomakhin2013], variations of its reference snow",
    ),
    snow(
        "snow_lower_critical_compression",
        "snow that yields early under pressure",
        SnowParameters {
            critical_compression: 1.9e-2,
            ..REFERENCE_SNOW
        },
        "[Stomakhin2013], variations of its reference snow",
    ),
    snow(
        "snow_lower_critical_stretch",
        "brittle snow that falls apart as powder",
        SnowParameters {
            critical_stretch: 5.0e-3,
            ..REFERENCE_SNOW
        },
        "[Stomakhin2013], variations of its reference snow",
    ),
    snow(
        "snow_lower_critical_values",
        "snow that yields early under pressure and tension",
        SnowParameters {
            critical_compression: 1.9e-2,
            critical_stretch: 5.0e-3,
            ..REFERENCE_SNOW
        },
        "[Stomakhin2013], variations of its reference snow",
    ),
    snow(
        "snow_packed",
        "dense, stiff parts of a snowball: 1.5 times the mass in the same volume",
        SnowParameters {
            initial_plastic_volume: 2.0 / 3.0,
            ..REFERENCE_SNOW
        },
        "[Nilles2020] figure 23",
    ),
    snow(
        "snow_little_hardening",
        "matter that is squeezed for good without becoming hard",
        SnowParameters {
            hardening: 1.0,
            ..REFERENCE_SNOW
        },
        "[Nilles2020] figure 25, green sphere",
    ),
    snow(
        "snow_elastic",
        "the elastic solid within snow: nothing yields",
        SnowParameters {
            critical_compression: 1.0,
            critical_stretch: 100.0,
            ..REFERENCE_SNOW
        },
        "[Nilles2020] figure 25, red sphere",
    ),
    snow(
        "snow_constant_volume",
        "the reference snow with flow that keeps the volume: dough rather than snow",
        SnowParameters {
            plastic_volume: PlasticVolume::Preserved,
            ..REFERENCE_SNOW
        },
        "flow of [Jiang2015thesis] section 6.4.1 with the numbers of its section 3.2.2",
    ),
    snow(
        "dry_sand",
        "grains that separate freely; for real sand prefer a frictional law",
        SnowParameters {
            critical_stretch: 0.0,
            ..REFERENCE_SNOW
        },
        "[Jiang2015thesis] section 3.2.2, upper limit 1; [Nilles2020] figure 25, orange sphere",
    ),
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
    Preset {
        name: "jelly",
        about: "wobbling dessert",
        density: 1000.0,
        law: PresetLaw::FixedCorotated(Elasticity {
            young_modulus: 1.0e4,
            poisson_ratio: 0.4,
        }),
        source: "order of magnitude of a firm gelatine gel; no measurement, and more compressible than the real one",
    },
    Preset {
        name: "rubber",
        about: "soft vulcanised rubber",
        density: 1100.0,
        law: PresetLaw::NeoHookean(Elasticity {
            young_modulus: 1.5e6,
            poisson_ratio: 0.45,
        }),
        source: "order of magnitude of soft natural rubber; no measurement, and more compressible than the real one",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sources_are_given() {
        for (k, preset) in presets().iter().enumerate() {
            assert!(!preset.source.is_empty() && !preset.about.is_empty());
            assert!(preset.density > 0.0);
            assert!(preset.law.parameters().len() >= 2);
            for other in &presets()[..k] {
                assert_ne!(preset.name, other.name);
            }
        }
        assert!(preset("snow").is_some() && preset("treacle").is_none());
    }
    #[test]
    fn viscoelastic_presets_are_laws_with_the_numbers_of_their_table() {
        let mut rows = 0;
        for preset in presets() {
            if let PresetLaw::OldroydB(fluid) = preset.law {
                assert!(fluid.law().is_ok(), "{}", preset.name);
                rows += 1;
            }
        }
        assert_eq!(rows, 8);
        let Some(PresetLaw::OldroydB(paste)) = preset("toothpaste").map(|preset| preset.law) else {
            panic!("toothpaste is a viscoelastic fluid");
        };
        assert_eq!(
            [
                paste.mu,
                paste.lambda,
                paste.viscosity,
                paste.relaxation_time
            ],
            [839.0, 8390.0, 50.0, 0.4]
        );
    }
}
