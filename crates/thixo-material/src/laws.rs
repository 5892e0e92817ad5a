//! The list of laws. A law that is in it can be named in scenes, and is listed, described and
//! drawn.

use crate::description::Description;
use crate::{elastic, fluid, plastic};

/// Every law, in the order of listings.
pub static LAWS: &[&Description] = &[
    &elastic::neo_hookean::DESCRIPTION,
    &elastic::fixed_corotated::DESCRIPTION,
    &elastic::split_corotated::DESCRIPTION,
    &elastic::st_venant_kirchhoff::DESCRIPTION,
    &elastic::hencky::DESCRIPTION,
    &fluid::weakly_compressible::DESCRIPTION,
    &fluid::oldroyd_b::DESCRIPTION,
    &plastic::snow::DESCRIPTION,
    &plastic::drucker_prager::DESCRIPTION,
    &plastic::von_mises::DESCRIPTION,
    &plastic::herschel_bulkley::DESCRIPTION,
    &plastic::multiplicative_plasticity::DESCRIPTION,
];

/// The law of that name.
pub fn law(name: &str) -> Option<&'static Description> {
    LAWS.iter().copied().find(|law| law.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::{Contradiction, Key, Rule, Values};
    use crate::parameters::{FRICTION_ANGLE, H0, TAIT_EXPONENT};

    /// Values that a law takes: those of a preset, or of every parameter some number.
    fn sound(law: &Description) -> Values {
        let mut values = match law.presets.first() {
            Some(preset) => preset.values(),
            None => {
                let mut values = Values::default();
                for parameter in law.parameters().filter(|p| p.default.is_none()) {
                    values.set(parameter, parameter.range.some_number());
                }
                values
            }
        };
        law.complete(&mut values);
        values
    }

    #[test]
    fn every_file_that_describes_a_law_is_listed() {
        let mut described = 0;
        for family in ["elastic", "fluid", "plastic"] {
            let folder = format!("{}/src/{family}", env!("CARGO_MANIFEST_DIR"));
            for entry in std::fs::read_dir(folder).unwrap() {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
                described += usize::from(text.contains("static DESCRIPTION: Description"));
            }
        }
        assert_eq!(described, LAWS.len());
    }

    #[test]
    fn names_and_keys_are_unique_and_can_be_written() {
        let is_word = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(|c| c.is_ascii_lowercase())
                && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        for (index, law) in LAWS.iter().enumerate() {
            assert!(is_word(law.name), "{}", law.name);
            assert!(LAWS[..index].iter().all(|other| other.name != law.name));
            assert!(!law.about.is_empty() && law.reference.contains('['));
            let mut keys = Vec::new();
            for key in law.table() {
                let (key, about) = match key {
                    Key::Number(parameter) => (parameter.key, parameter.about),
                    Key::Word(choice) => (choice.key, choice.about),
                };
                let place = format!("{}: {key}", law.name);
                assert!(key.split('.').count() <= 2, "{place}");
                assert!(key.split('.').all(is_word), "{place}");
                assert!(!["model", "preset"].contains(&key), "{place}");
                assert!(!about.is_empty() && !keys.contains(&key), "{place}");
                // A table is no number as well, and its keys stand together.
                for other in &keys {
                    let other: &&str = other;
                    assert!(!key.starts_with(&format!("{other}.")), "{place}");
                }
                keys.push(key);
            }
            for choice in law.choices() {
                assert!(choice.words.len() > 1, "{}: {}", law.name, choice.key);
                assert!(choice.words.iter().all(|(word, _)| is_word(word)));
            }
            for rule in law.rules {
                let parameters = match *rule {
                    Rule::OnlyWith { parameter, .. }
                    | Rule::OneOf { parameter, .. }
                    | Rule::NeedlessWith { parameter, .. }
                    | Rule::Shared(parameter)
                    | Rule::InitialVolumeRatio(parameter) => vec![parameter],
                    Rule::HardeningLimit {
                        hardening,
                        volume_ratio,
                        most,
                    } => vec![hardening, volume_ratio, most],
                };
                for parameter in parameters {
                    assert_eq!(law.parameter(parameter.key), Some(parameter));
                }
            }
        }
    }

    #[test]
    fn every_default_is_within_the_range_of_its_parameter() {
        for law in LAWS {
            for parameter in law.parameters() {
                if let Some(default) = parameter.default {
                    assert_eq!(parameter.check(default), Ok(default), "{}", law.name);
                }
                let some = parameter.range.some_number();
                assert_eq!(parameter.check(some), Ok(some), "{}", law.name);
            }
        }
    }

    #[test]
    fn stand_ins_make_a_law() {
        for description in LAWS {
            let mut values = sound(description);
            for parameter in description.variable() {
                if values.given(parameter.key).is_some() {
                    values.set(parameter, parameter.stand_in());
                }
            }
            let law = description.law(&values, 2);
            assert!(law.is_ok(), "{}: {law:?}", description.name);
        }
    }

    #[test]
    fn a_law_has_the_name_of_its_description_and_every_word_makes_another() {
        for description in LAWS {
            let mut values = sound(description);
            // What is zero would hide what words do with it.
            for parameter in description.parameters() {
                if values.given(parameter.key) == Some(0.0) {
                    values.set(parameter, parameter.range.some_number());
                }
            }
            let law = description.law(&values, 3).unwrap();
            assert_eq!(law.name(), description.name);
            for choice in description.choices() {
                let mut made: Vec<String> = Vec::new();
                for (word, _) in choice.words {
                    let mut values = values.clone();
                    assert!(values.choose(choice, word));
                    let law = format!("{:?}", description.law(&values, 3).unwrap());
                    assert!(!made.contains(&law), "{} {word}", description.name);
                    made.push(law);
                }
            }
        }
    }

    #[test]
    fn a_value_outside_its_range_is_refused_by_the_law_itself() {
        for description in LAWS {
            for parameter in description.parameters().skip(1) {
                let mut values = sound(description);
                values.set(parameter, f64::NAN);
                let error = description.law(&values, 2).unwrap_err();
                assert_eq!(error.key, parameter.key, "{}", description.name);
            }
        }
    }

    #[test]
    fn keys_that_contradict_each_other_are_found() {
        let fluid = law("fluid").unwrap();
        let mut values = sound(fluid);
        assert_eq!(values.given("exponent"), Some(7.0));
        assert_eq!(fluid.contradiction(&values), None);
        values.choose(fluid.choice("pressure").unwrap(), "linear");
        let contradiction = Contradiction::Superfluous {
            parameter: &TAIT_EXPONENT,
            value: 7.0,
            because: "only pressure = \"tait\" has an exponent",
        };
        assert_eq!(fluid.contradiction(&values), Some(contradiction));
        // Of the linear law the default is not written out.
        let mut values = Values::default();
        values.choose(fluid.choice("pressure").unwrap(), "linear");
        fluid.complete(&mut values);
        assert_eq!(values.given("exponent"), None);

        let sand = law("drucker_prager").unwrap();
        let mut values = Values::default();
        let missing = Contradiction::Missing {
            parameter: &FRICTION_ANGLE,
        };
        assert_eq!(sand.contradiction(&values), Some(missing));
        values.set(&H0, 30.0);
        assert_eq!(sand.contradiction(&values), None);
        values.set(&FRICTION_ANGLE, 30.0);
        assert!(matches!(
            sand.contradiction(&values),
            Some(Contradiction::Superfluous { parameter, .. }) if parameter.key == "friction_angle"
        ));
    }

    #[test]
    fn only_what_belongs_to_the_form_is_shared() {
        let keys = |name: &str| -> Vec<_> {
            let variable = law(name).unwrap().variable();
            variable.map(|parameter| parameter.key).collect()
        };
        assert_eq!(keys("fluid"), ["density", "bulk_modulus", "viscosity"]);
        assert_eq!(
            keys("hencky"),
            ["density", "young_modulus", "poisson_ratio"]
        );
        assert!(law("treacle").is_none());
        assert_eq!(format!("{:?}", law("snow")), "Some(Description(\"snow\"))");
    }
}
