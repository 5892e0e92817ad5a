//! The catalogue of materials is what the reader reads: keys, words, defaults and ranges.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

use std::collections::BTreeSet;

use thixo::BuildError;
use thixo::material::parameters::{Bound, Parameter};
use thixo::material::presets::{preset, presets};
use thixo_scene::catalogue::{self, Model};
use thixo_scene::{Material, Problem, Scene};

/// Values that every model accepts.
fn sound(key: &str) -> f64 {
    match key {
        "density" => 1000.0,
        "young_modulus" | "mu" | "lambda" | "bulk_modulus" => 1e5,
        "poisson_ratio" => 0.3,
        "exponent" => 2.0,
        "friction_angle" | "friction_hardening.h0" => 30.0,
        "friction_hardening.h3" => 0.0,
        _ => 1.0,
    }
}

/// The required keys of a model; sand has a constant angle unless the key is about hardening.
fn required<'a>(model: &'a Model, about: &'a str) -> impl Iterator<Item = &'a Parameter> {
    let hardening = about.starts_with("friction_hardening");
    model.parameters.iter().filter(move |p| {
        let rival = if hardening {
            p.key == "friction_angle"
        } else {
            p.key.starts_with("friction_hardening")
        };
        p.default.is_none() && !rival
    })
}

/// A material with its required keys and one key of a value.
fn text(model: &Model, key: &str, value: &str) -> String {
    let mut text = format!("model = \"{}\"\n", model.name);
    for parameter in required(model, key).filter(|p| p.key != key) {
        text += &format!("{} = {:?}\n", parameter.key, sound(parameter.key));
    }
    text + &format!("{key} = {value}\n")
}

fn material(model: &Model, key: &str, value: f64) -> Result<Material, Problem> {
    let value = format!("{value:?}").replace("NaN", "nan");
    Material::parse(&text(model, key, &value), "").map_err(|error| *error.problem)
}

#[test]
fn every_parameter_of_every_model_is_refused_outside_its_range_by_name() {
    for model in catalogue::models() {
        for parameter in model.parameters {
            let mut outside = vec![f64::NAN, f64::NEG_INFINITY];
            let mut inside = Vec::new();
            match parameter.range.least {
                Bound::Excluded(least) if least.is_finite() => outside.push(least),
                Bound::Included(least) => {
                    outside.push(least - 0.1);
                    inside.push(least);
                }
                Bound::Excluded(_) => {}
            }
            match parameter.range.most {
                Bound::Excluded(most) => outside.push(most),
                Bound::Included(most) => {
                    inside.push(most);
                    outside.extend(most.is_finite().then_some(most + 0.1));
                }
            }
            for value in outside {
                let problem = material(model, parameter.key, value).unwrap_err();
                let Problem::Refused { key, cause } = &problem else {
                    panic!("{} {} = {value}: {problem}", model.name, parameter.key);
                };
                assert_eq!(*key, format!("materials.material.{}", parameter.key));
                let text = cause.to_string();
                assert!(text.starts_with(parameter.quantity), "{text}");
                assert!(text.ends_with(parameter.range.words), "{text}");
            }
            for value in inside {
                let outcome = material(model, parameter.key, value);
                assert!(
                    outcome.is_ok(),
                    "{} {} = {value}: {outcome:?}",
                    model.name,
                    parameter.key
                );
            }
        }
    }
}

#[test]
fn ranges_that_depend_on_other_parameters_are_checked_by_the_law() {
    let sand = catalogue::model("drucker_prager").unwrap();
    // h0 is 30 degrees.
    let problem = material(sand, "friction_hardening.h3", 30.1).unwrap_err();
    assert!(
        matches!(&problem, Problem::Refused { key, .. } if key.ends_with(".friction_hardening.h3")),
        "{problem}"
    );
    assert!(material(sand, "friction_hardening.h3", 30.0).is_ok());
    let dough = catalogue::model("multiplicative_plasticity").unwrap();
    let twice_mu = 1e5 / 1.3;
    let problem = material(dough, "hardening", -1.001 * twice_mu).unwrap_err();
    assert!(
        matches!(&problem, Problem::Refused { key, cause: BuildError::Parameter(_) } if key.ends_with(".hardening")),
        "{problem}"
    );
    assert!(material(dough, "hardening", -0.999 * twice_mu).is_ok());
}

#[test]
fn the_catalogue_has_every_key_that_the_reader_knows_and_no_other() {
    for model in catalogue::models() {
        let text = text(model, "nonsense", "1");
        let error = Material::parse(&text, "").unwrap_err();
        let Problem::UnknownKey { known, .. } = *error.problem else {
            panic!("{error}");
        };
        let top = |key: &'static str| key.split('.').next().unwrap_or(key);
        let parameters = model.parameters.iter().map(|p| top(p.key));
        let listed: BTreeSet<_> = parameters
            .chain(model.choices.iter().map(|c| c.key))
            .collect();
        let known: BTreeSet<_> = known.iter().map(String::as_str).collect();
        assert_eq!(listed, known, "{}", model.name);
    }
}

#[test]
fn the_catalogue_has_every_word_that_the_reader_knows_and_no_other() {
    for model in catalogue::models() {
        for choice in model.choices {
            let error = Material::parse(&text(model, choice.key, "\"?\""), "").unwrap_err();
            let Problem::UnknownChoice { known, .. } = *error.problem else {
                panic!("{error}");
            };
            let listed: BTreeSet<_> = choice.words.iter().map(|(word, _)| *word).collect();
            let known: BTreeSet<_> = known.iter().map(String::as_str).collect();
            assert_eq!(listed, known, "{} {}", model.name, choice.key);
            for (word, _) in choice.words {
                let outcome = Material::parse(&text(model, choice.key, &format!("\"{word}\"")), "");
                assert!(outcome.is_ok(), "{} {} {word}", model.name, choice.key);
            }
            // The first word is the default.
            let (default, _) = choice.words[0];
            let given = Material::parse(&text(model, choice.key, &format!("\"{default}\"")), "");
            let absent = Material::parse(&text(model, "density", "1000"), "");
            assert_eq!(
                given.unwrap(),
                absent.unwrap(),
                "{} {}",
                model.name,
                choice.key
            );
        }
    }
}

#[test]
fn absent_keys_have_the_default_of_the_catalogue() {
    for model in catalogue::models() {
        let least = Material::parse(&text(model, "density", "1000"), "").unwrap();
        assert_eq!(least.model(), model.name);
        let numbers = least.numbers();
        for parameter in model.parameters {
            let Some(default) = parameter.default else {
                continue;
            };
            let found = numbers.iter().find(|(key, _)| *key == parameter.key);
            assert_eq!(
                found.unwrap().1,
                default,
                "{} {}",
                model.name,
                parameter.key
            );
        }
        for (key, _) in numbers {
            assert!(model.parameter(key).is_some(), "{} {key}", model.name);
        }
    }
}

#[test]
fn every_preset_can_be_named_and_has_its_numbers() {
    for preset in presets() {
        let material = Material::parse(&format!("preset = \"{}\"", preset.name), "").unwrap();
        assert_eq!(material.model(), preset.law.name());
        let numbers = material.numbers();
        for (parameter, value) in preset.parameters() {
            assert!(
                numbers.contains(&(parameter.key, value)),
                "{} {}",
                preset.name,
                parameter.key
            );
        }
    }
    let Material::Snow(dough) = Material::parse("preset = \"snow_constant_volume\"", "").unwrap()
    else {
        panic!("it is snow");
    };
    assert_eq!(dough.plastic_volume, thixo_scene::PlasticVolume::Preserved);
}

#[test]
fn what_the_scene_gives_wins_over_the_preset() {
    let text = "preset = 'snow'\nhardening = 3\nelastic = 'hencky'\n";
    let Material::Snow(snow) = Material::parse(text, "").unwrap() else {
        panic!("it is snow");
    };
    assert_eq!((snow.hardening, snow.young_modulus), (3.0, 1.4e5));
    assert_eq!(snow.elastic, thixo_scene::ElasticLaw::Hencky);
    // One number of a table; the others stay.
    let text = "preset = 'sand'\nfriction_hardening = { h0 = 40 }\n";
    let Material::DruckerPrager(sand) = Material::parse(text, "").unwrap() else {
        panic!("it is sand");
    };
    let hardening = sand.friction_hardening.unwrap();
    assert_eq!((hardening.h0, hardening.h3), (40.0, 10.0));
    // A constant angle takes the place of the preset's hardening.
    let text = "preset = 'sand'\nfriction_angle = 28\n";
    let Material::DruckerPrager(sand) = Material::parse(text, "").unwrap() else {
        panic!("it is sand");
    };
    assert_eq!(
        (sand.friction_angle, sand.friction_hardening),
        (Some(28.0), None)
    );
    // The model may be repeated.
    assert!(Material::parse("preset = 'snow'\nmodel = 'snow'", "").is_ok());
}

#[test]
fn a_scene_of_presets_runs_and_is_written_out_with_their_numbers() {
    let text = "dimension = 2\n[grid]\nspacing = 0.1\n[time]\nframes = 1\nfps = 1000\n\
                [materials.a]\npreset = 'toothpaste'\n\
                [materials.b]\npreset = 'sand_wet'\ndensity = 1900\n\
                [[objects]]\nmaterial = 'a'\nshape = { box = { min = [0, 0], max = [0.3, 0.3] } }\n\
                [[objects]]\nmaterial = 'b'\nshape = { box = { min = [1, 0], max = [1.3, 0.3] } }\n";
    let scene = Scene::parse(text, "s.toml").unwrap();
    let written = scene.to_toml().unwrap();
    assert!(!written.contains("preset"), "{written}");
    assert!(written.contains("model = \"oldroyd_b\""), "{written}");
    assert_eq!(Scene::parse(&written, "w.toml").unwrap(), scene);
    let mut simulation = scene.build::<f32, 2>(1).unwrap().simulation;
    let paste = preset("toothpaste").unwrap().density * 0.09;
    let mass = simulation.audit().mass;
    assert!(
        (mass / (paste + 1900.0 * 0.09) - 1.0).abs() < 1e-6,
        "{mass}"
    );
    simulation.advance(scene.time.frame_seconds()).unwrap();
}
