//! Ready-made materials, each with the source of its numbers; a file per family.
//!
//! Numbers that no source gives are choices, and the preset says so. Every one of them can be
//! overridden in a scene.

mod fluid;
mod foam;
mod law;
mod sand;
mod snow;
mod solid;
mod viscoelastic;

pub use law::{
    Elasticity, FluidParameters, OldroydParameters, PresetLaw, RateParameters, SandParameters,
    SnowParameters, ViscoplasticParameters, YieldParameters,
};

use super::Material;
use super::elastic::{FixedCorotated, NeoHookean};
use super::fluid::{OldroydB, WeaklyCompressible};
use super::parameters::{DENSITY, Parameter};
use super::plastic::{DruckerPrager, HerschelBulkley, MultiplicativePlasticity, Snow, VonMises};
use crate::parameters::ParameterError;

/// A material with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name in scenes.
    pub name: &'static str,
    /// Short description.
    pub about: &'static str,
    /// Density at rest ρ₀ \[kg/m³\]; particles that enter packed (J_P < 1) are denser by 1/J_P.
    pub density: f64,
    /// The law and its parameters.
    pub law: PresetLaw,
    /// Source of the numbers.
    pub source: &'static str,
}

impl Preset {
    /// Density and parameters of the law with their values.
    pub fn parameters(&self) -> Vec<(&'static Parameter, f64)> {
        let mut list = vec![(&DENSITY, self.density)];
        list.extend(self.law.parameters());
        list
    }

    /// The material.
    pub fn material<T, const D: usize>(&self) -> Result<Box<dyn Material<T, D>>, ParameterError>
    where
        Box<dyn Material<T, D>>: From<FixedCorotated>
            + From<NeoHookean>
            + From<Snow<FixedCorotated>>
            + From<OldroydB>
            + From<WeaklyCompressible>
            + From<DruckerPrager>
            + From<VonMises>
            + From<HerschelBulkley>
            + From<MultiplicativePlasticity>,
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
            PresetLaw::Fluid(fluid) => fluid.law()?.into(),
            PresetLaw::DruckerPrager(sand) => sand.law()?.into(),
            PresetLaw::VonMises(metal) => metal.law()?.into(),
            PresetLaw::HerschelBulkley(foam) => foam.law()?.into(),
            PresetLaw::MultiplicativePlasticity(dough) => dough.law()?.into(),
        })
    }
}

/// The families in the order in which they are listed.
const FAMILIES: [&[Preset]; 6] = [
    fluid::PRESETS,
    solid::PRESETS,
    snow::PRESETS,
    sand::PRESETS,
    foam::PRESETS,
    viscoelastic::PRESETS,
];

/// Every preset.
pub fn presets() -> impl Iterator<Item = &'static Preset> + Clone {
    FAMILIES.into_iter().flatten()
}

/// The preset of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    presets().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sources_are_given() {
        let mut names: Vec<_> = presets().map(|preset| preset.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for preset in presets() {
            assert!(!preset.about.is_empty());
            assert!(preset.source.contains('['), "{}", preset.name);
        }
        assert!(preset("snow").is_some() && preset("treacle").is_none());
    }

    #[test]
    fn sources_are_in_the_list_of_references() {
        let list = include_str!("../../../../docs/references.bib");
        for preset in presets() {
            for key in preset.source.split('[').skip(1) {
                let key = key.split(']').next().unwrap_or_default();
                let entry = format!("{{{key},");
                assert!(list.contains(&entry), "{}: [{key}]", preset.name);
            }
        }
    }

    #[test]
    fn every_value_is_within_the_range_of_its_parameter() {
        for preset in presets() {
            for (parameter, value) in preset.parameters() {
                assert_eq!(parameter.check(value), Ok(value), "{}", preset.name);
            }
        }
    }

    #[test]
    fn viscoelastic_presets_have_the_numbers_of_their_table() {
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

    #[test]
    fn mud_is_what_the_fits_of_its_source_say() {
        let Some(PresetLaw::HerschelBulkley(mud)) = preset("mud").map(|preset| preset.law) else {
            panic!("mud is viscoplastic");
        };
        let solids = 0.45_f64;
        let yield_in_shear = 1.69e-2 * (20.29 * solids).exp();
        let dynamic_viscosity = 1.73e-2 * (10.35 * solids).exp();
        assert!((mud.yield_stress / (3.0_f64.sqrt() * yield_in_shear) - 1.0).abs() < 1e-3);
        assert!((mud.viscosity / (2.0 * dynamic_viscosity) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn cohesions_given_as_strains_become_stresses() {
        // 2 mu = E/(1 + nu) of the same sand.
        let twice_mu = 3.4e5 / 1.3;
        for (name, strain) in [
            ("sand", 0.0),
            ("sand_damp", 0.004),
            ("sand_wet", 0.025),
            ("sand_solid", 1.0),
        ] {
            let Some(PresetLaw::DruckerPrager(sand)) = preset(name).map(|preset| preset.law) else {
                panic!("{name} is sand");
            };
            let expected: f64 = strain * twice_mu;
            assert!(
                (sand.cohesion - expected).abs() <= 1e-12 * expected,
                "{name}"
            );
        }
    }
}
