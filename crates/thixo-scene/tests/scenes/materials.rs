//! The descriptions of laws are what the reader reads: keys, words, defaults and ranges.

use std::collections::BTreeSet;

use thixo::BuildError;
use thixo::material::description::Description;
use thixo::material::laws::{LAWS, law};
use thixo::material::parameters::{Bound, Parameter};
use thixo::material::presets::{preset, presets};
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
fn required(model: &Description, about: &str) -> impl Iterator<Item = &'static Parameter> {
    let hardening = about.starts_with("friction_hardening");
    model.parameters().filter(move |p| {
        let rival = if hardening {
            p.key == "friction_angle"
        } else {
            p.key.starts_with("friction_hardening")
        };
        p.default.is_none() && !rival
    })
}

/// A material with its required keys and one key of a value.
fn text(model: &Description, key: &str, value: &str) -> String {
    let mut text = format!("model = \"{}\"\n", model.name);
    for parameter in required(model, key).filter(|p| p.key != key) {
        text += &format!("{} = {:?}\n", parameter.key, sound(parameter.key));
    }
    text + &format!("{key} = {value}\n")
}

#[expect(clippy::result_large_err, reason = "the error is what is tested")]
fn material(model: &Description, key: &str, value: f64) -> Result<Material, Problem> {
    let value = format!("{value:?}").replace("NaN", "nan");
    Material::parse(&text(model, key, &value), "").map_err(|error| *error.problem)
}

#[test]
fn every_parameter_of_every_model_is_refused_outside_its_range_by_name() {
    for model in LAWS {
        for parameter in model.parameters() {
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
    let sand = law("drucker_prager").unwrap();
    // h0 is 30 degrees.
    let problem = material(sand, "friction_hardening.h3", 30.1).unwrap_err();
    assert!(
        matches!(&problem, Problem::Refused { key, .. } if key.ends_with(".friction_hardening.h3")),
        "{problem}"
    );
    assert!(material(sand, "friction_hardening.h3", 30.0).is_ok());
    let dough = law("multiplicative_plasticity").unwrap();
    let twice_mu = 1e5 / 1.3;
    let problem = material(dough, "hardening", -1.001 * twice_mu).unwrap_err();
    assert!(
        matches!(&problem, Problem::Refused { key, cause: BuildError::Parameter(_) } if key.ends_with(".hardening")),
        "{problem}"
    );
    assert!(material(dough, "hardening", -0.999 * twice_mu).is_ok());
}

#[test]
fn a_description_has_every_key_that_the_reader_knows_and_no_other() {
    for model in LAWS {
        let text = text(model, "nonsense", "1");
        let error = Material::parse(&text, "").unwrap_err();
        let Problem::UnknownKey { known, .. } = *error.problem else {
            panic!("{error}");
        };
        let top = |key: &'static str| key.split('.').next().unwrap_or(key);
        let parameters = model.parameters().map(|p| top(p.key));
        let listed: BTreeSet<_> = parameters.chain(model.choices().map(|c| c.key)).collect();
        let known: BTreeSet<_> = known.iter().map(String::as_str).collect();
        assert_eq!(listed, known, "{}", model.name);
    }
}

#[test]
fn a_description_has_every_word_that_the_reader_knows_and_no_other() {
    for model in LAWS {
        for choice in model.choices() {
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
            let default = choice.default_word();
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
fn absent_keys_have_the_default_of_the_description() {
    for model in LAWS {
        let least = Material::parse(&text(model, "density", "1000"), "").unwrap();
        assert_eq!(least.model(), model.name);
        let numbers = least.numbers();
        for parameter in model.parameters() {
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
        assert_eq!(material.model(), preset.law.name);
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
    let dough = Material::parse("preset = \"snow_constant_volume\"", "").unwrap();
    assert_eq!(dough.word("plastic_volume"), Some("preserved"));
}

#[test]
fn what_the_scene_gives_wins_over_the_preset() {
    let text = "preset = 'snow'\nhardening = 3\nelastic = 'hencky'\n";
    let snow = Material::parse(text, "").unwrap();
    assert_eq!(snow.number("hardening"), Some(3.0));
    assert_eq!(snow.number("young_modulus"), Some(1.4e5));
    assert_eq!(snow.word("elastic"), Some("hencky"));
    // One number of a table; the others stay.
    let text = "preset = 'sand'\nfriction_hardening = { h0 = 40 }\n";
    let sand = Material::parse(text, "").unwrap();
    assert_eq!(sand.number("friction_hardening.h0"), Some(40.0));
    assert_eq!(sand.number("friction_hardening.h3"), Some(10.0));
    // A constant angle takes the place of the preset's hardening.
    let text = "preset = 'sand'\nfriction_angle = 28\n";
    let sand = Material::parse(text, "").unwrap();
    assert_eq!(sand.number("friction_angle"), Some(28.0));
    assert_eq!(sand.number("friction_hardening.h0"), None);
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

/// A scene with a block of one material.
fn scene_of(material: &str) -> Result<Scene, String> {
    let text = format!(
        "dimension = 2\n[grid]\nspacing = 0.1\n[time]\nframes = 1\n[materials.block]\n{material}\
         [[objects]]\nmaterial = 'block'\nshape = {{ box = {{ min = [0, 0], max = [1, 1] }} }}\n"
    );
    Scene::parse(&text, "s.toml").map_err(|error| error.to_string())
}

#[test]
fn every_law_is_written_as_it_is_read() {
    for model in LAWS {
        let scene = scene_of(&text(model, "density", "1000")).unwrap();
        let written = scene.to_toml().unwrap();
        assert_eq!(
            Scene::parse(&written, "w.toml").unwrap(),
            scene,
            "{written}"
        );
        // Words other than the default, too.
        for choice in model.choices() {
            let (word, _) = choice.words[1];
            let mut lines = text(model, choice.key, &format!("\"{word}\""));
            lines += "density = 3000\n";
            let scene = scene_of(&lines.replacen("density = 1000.0\n", "", 1)).unwrap();
            let block = &scene.materials["block"].law;
            assert_eq!(block.word(choice.key), Some(word), "{lines}");
            let written = scene.to_toml().unwrap();
            let again = Scene::parse(&written, "w.toml").unwrap();
            assert_eq!(again, scene, "{written}");
        }
    }
    let sand = scene_of("preset = 'sand'\n").unwrap().to_toml().unwrap();
    let (_, table) = sand
        .split_once("[materials.block.friction_hardening]")
        .unwrap();
    assert!(
        table
            .trim_start()
            .starts_with("h0 = 35.0\nh1 = 0.0\nh2 = 0.2\nh3 = 10.0")
    );
}

#[test]
fn keys_that_exclude_each_other_are_refused_with_the_reason() {
    let water = "model = 'fluid'\ndensity = 1000\nbulk_modulus = 1e5\n";
    let message = scene_of(&format!("{water}pressure = 'linear'\nexponent = 3\n")).unwrap_err();
    let expected = "s.toml:11:12: materials.block.exponent is 3; it must be absent: \
                    only pressure = \"tait\" has an exponent";
    assert!(message.starts_with(expected), "{message}");
    assert!(scene_of(&format!("{water}pressure = 'linear'\n")).is_ok());
    assert!(scene_of(&format!("{water}pressure = 'tait'\nexponent = 3\n")).is_ok());
    let sand = "preset = 'sand'\nfriction_angle = '30 + x'\n\
                friction_hardening = { h0 = 35, h1 = 0, h2 = 0, h3 = 0 }\n";
    let message = scene_of(sand).unwrap_err();
    let expected = "materials.block.friction_angle is \"30 + x\"; it must be absent: \
                    friction_hardening gives the angle";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn values_of_the_wrong_kind_are_refused_where_they_stand() {
    let snow = "preset = 'snow'\n";
    for (line, expected) in [
        (
            "elastic = 3\n",
            "s.toml:8:11: materials.block.elastic must be a word, not 3",
        ),
        (
            "density = [1]\n",
            "s.toml:8:11: materials.block.density must be a number, not a list",
        ),
    ] {
        let message = scene_of(&format!("{snow}{line}")).unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }
    let sand = "preset = 'sand'\nfriction_hardening = 3\n";
    let message = scene_of(sand).unwrap_err();
    let expected = "s.toml:8:22: materials.block.friction_hardening must be a table, not 3";
    assert!(message.starts_with(expected), "{message}");
    let sand = "model = 'drucker_prager'\ndensity = 1\nyoung_modulus = 1\npoisson_ratio = 0.3\n\
                friction_hardening = { h0 = 30, h1 = 0, h2 = 0 }\n";
    let message = scene_of(sand).unwrap_err();
    let expected = "[materials.block.friction_hardening] lacks the key \"h3\"";
    assert!(message.contains(expected), "{message}");
}
