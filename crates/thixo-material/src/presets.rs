//! Ready-made materials, each with the source of its numbers; they stand in the files of their
//! laws.
//!
//! Numbers that no source gives are choices, and the preset says so. Every one of them can be
//! overridden in a scene.

pub use crate::description::Preset;

use crate::laws::LAWS;

/// Every preset, law after law.
pub fn presets() -> impl Iterator<Item = &'static Preset> + Clone {
    LAWS.iter().flat_map(|law| law.presets)
}

/// The preset of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    presets().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{
        COHESION, FLOW_VISCOSITY, LAMBDA, MU, RELAXATION_TIME, SOLVENT_VISCOSITY, YIELD_STRESS,
    };

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
        let list = include_str!("../../../docs/references.bib");
        for preset in presets() {
            for key in preset.source.split('[').skip(1) {
                let key = key.split(']').next().unwrap_or_default();
                let entry = format!("{{{key},");
                assert!(list.contains(&entry), "{}: [{key}]", preset.name);
            }
        }
    }

    #[test]
    fn every_value_is_within_the_range_of_a_parameter_of_its_law() {
        for law in LAWS {
            for preset in law.presets {
                let name = preset.name;
                assert_eq!(preset.law, *law, "{name}");
                for (parameter, value) in preset.parameters() {
                    assert_eq!(law.parameter(parameter.key), Some(parameter), "{name}");
                    assert_eq!(parameter.check(value), Ok(value), "{name}");
                }
                for (choice, word) in preset.choices {
                    assert_eq!(law.choice(choice.key), Some(*choice), "{name}");
                    assert_eq!(preset.values().word(choice), *word, "{name}");
                }
            }
        }
    }

    #[test]
    fn every_preset_is_a_law_in_both_dimensions() {
        for preset in presets() {
            let values = preset.values();
            assert_eq!(preset.law.contradiction(&values), None, "{}", preset.name);
            for dimension in [2, 3] {
                let law = preset.law.law(&values, dimension);
                let law = law.unwrap_or_else(|error| panic!("{}: {error}", preset.name));
                assert_eq!(law.name(), preset.law.name);
            }
        }
    }

    /// Values of a preset.
    fn values<const N: usize>(
        name: &str,
        parameters: [&crate::parameters::Parameter; N],
    ) -> [f64; N] {
        let values = preset(name).unwrap().values();
        parameters.map(|parameter| values.number(parameter))
    }

    #[test]
    fn viscoelastic_presets_have_the_numbers_of_their_table() {
        let rows = presets().filter(|preset| preset.law.name == "oldroyd_b");
        assert_eq!(rows.count(), 8);
        let columns = [&MU, &LAMBDA, &SOLVENT_VISCOSITY, &RELAXATION_TIME];
        assert_eq!(values("toothpaste", columns), [839.0, 8390.0, 50.0, 0.4]);
    }

    #[test]
    fn mud_is_what_the_fits_of_its_source_say() {
        let [yield_stress, viscosity] = values("mud", [&YIELD_STRESS, &FLOW_VISCOSITY]);
        let solids = 0.45_f64;
        let yield_in_shear = 1.69e-2 * (20.29 * solids).exp();
        let dynamic_viscosity = 1.73e-2 * (10.35 * solids).exp();
        assert!((yield_stress / (3.0_f64.sqrt() * yield_in_shear) - 1.0).abs() < 1e-3);
        assert!((viscosity / (2.0 * dynamic_viscosity) - 1.0).abs() < 1e-3);
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
            let [cohesion] = values(name, [&COHESION]);
            let expected: f64 = strain * twice_mu;
            assert!((cohesion - expected).abs() <= 1e-12 * expected, "{name}");
        }
    }
}
