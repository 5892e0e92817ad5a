//! `thixo materials` and `thixo material-test`: listings, tables, exit codes.

use std::process::{Command, Output};

use serde_json::Value;
use thixo::material::laws::LAWS;

fn thixo(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_thixo"))
        .args(arguments)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap()
}

/// Standard output of a command that must succeed.
fn said(arguments: &[&str]) -> String {
    let output = thixo(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&said(arguments)).unwrap()
}

/// Exit code and message of a command that must fail.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = thixo(arguments);
    assert!(output.stdout.is_empty(), "{arguments:?}");
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), message)
}

/// Names of the columns, and the rows; what is empty is NaN.
fn table(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let names = lines
        .next()
        .unwrap()
        .split(',')
        .map(str::to_owned)
        .collect();
    let rows = lines.map(|line| {
        let numbers = line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN));
        numbers.collect()
    });
    (names, rows.collect())
}

fn column(text: &str, name: &str) -> Vec<f64> {
    let (names, rows) = table(text);
    let at = names.iter().position(|column| column == name).unwrap();
    rows.iter().map(|row| row[at]).collect()
}

#[test]
fn every_model_and_preset_is_listed() {
    let list = said(&["materials"]);
    let all = json(&["materials", "--json"]);
    assert_eq!(all["models"].as_array().unwrap().len(), LAWS.len());
    for kind in ["models", "presets"] {
        for entry in all[kind].as_array().unwrap() {
            let name = entry["name"].as_str().unwrap();
            assert!(
                list.lines().any(|line| line.trim_start().starts_with(name)),
                "{name}"
            );
            let one = json(&["materials", name, "--json"]);
            assert_eq!(one[kind][0], *entry);
        }
    }
    let exponent = json(&["materials", "fluid", "--json"])["models"][0]["parameters"][3].clone();
    assert_eq!(exponent["least"]["value"], 1.0);
    assert_eq!(exponent["least"]["included"], false);
    assert_eq!(exponent["most"]["value"], 100.0);
    assert_eq!(exponent["default"], 7.0);
    let snow = said(&["materials", "snow"]);
    assert!(
        snow.contains("critical_compression [-]: compression of a stretch"),
        "{snow}"
    );
    assert!(snow.contains("between 0 and 1; required"), "{snow}");
    assert!(snow.contains("young_modulus = 140000.0  # Pa"), "{snow}");
}

#[test]
fn unknown_materials_are_refused_with_a_suggestion() {
    let (code, message) = refused(&["materials", "snwo"]);
    assert_eq!(code, 2);
    assert!(message.contains("did you mean \"snow\"?"), "{message}");
    let (code, message) = refused(&["material-test", "tothpaste"]);
    assert_eq!(code, 2);
    assert!(
        message.contains("did you mean \"toothpaste\"?"),
        "{message}"
    );
}

#[test]
fn a_viscoplastic_fluid_reaches_the_stress_of_steady_shear() {
    // At a high modulus the shear stress is the yield stress over root three and half of viscosity
    // times rate.
    let text = said(&[
        "material-test",
        "foam",
        "--set",
        "young_modulus=1e7",
        "--path",
        "shear",
        "--rate",
        "10",
        "--duration",
        "0.01",
        "--steps",
        "2000",
    ]);
    let stress = *column(&text, "sigma_12").last().unwrap();
    let expected = 63.8 / 3f64.sqrt() + 0.5 * 54.0 * 10.0;
    assert!(
        (stress / expected - 1.0).abs() < 1e-3,
        "{stress} {expected}"
    );
}

#[test]
fn a_viscoelastic_fluid_forgets_its_stress_in_its_relaxation_time() {
    // Small shear that is held: the elastic stress decays as exp(-t/Wi), Wi = 0.4 s.
    let text = said(&[
        "material-test",
        "toothpaste",
        "--path",
        "relaxation",
        "--strain",
        "0.001",
        "--rate",
        "1",
        "--duration",
        "0.8",
        "--steps",
        "100",
        "--dimension",
        "2",
    ]);
    let stress = column(&text, "sigma_12");
    assert_eq!(stress.len(), 201);
    // The viscous part is gone with the first step of rest.
    let ratio = stress[200] / stress[101];
    let expected = (-(0.8 * 99.0 / 100.0) / 0.4f64).exp();
    assert!((ratio / expected - 1.0).abs() < 1e-4, "{ratio} {expected}");
}

#[test]
fn a_material_of_a_scene_can_be_tested_and_the_table_written() {
    let name = "jelly.csv";
    let summary = json(&[
        "material-test",
        "jelly",
        "--scene",
        "jelly-drop",
        "--path",
        "extension",
        "--rate",
        "0.001",
        "--lateral-stress",
        "0",
        "--out",
        name,
        "--json",
    ]);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(summary["rows"], 201);
    let stress = *column(&text, "sigma_11").last().unwrap();
    assert_eq!(summary["sigma_11"]["end"].as_f64().unwrap(), stress);
    // Young's modulus, at small strain with free sides.
    let young = summary["parameters"]["young_modulus"].as_f64().unwrap();
    assert!(
        (stress / (1e-3 * young) - 1.0).abs() < 3e-3,
        "{stress} {young}"
    );
}

#[test]
fn a_model_without_a_preset_is_tested_with_parameters_of_its_own() {
    let set = [
        "--set",
        "density=1000",
        "--set",
        "young_modulus=1e6",
        "--set",
        "poisson_ratio=0.3",
    ];
    let summary = json(&[&["material-test", "neo_hookean", "--json"][..], &set].concat());
    assert_eq!(summary["parameters"]["young_modulus"], 1e6);
    let (code, message) = refused(&["material-test", "neo_hookean"]);
    assert_eq!(code, 2);
    assert!(message.contains("lacks the key"), "{message}");
}

#[test]
fn what_cannot_be_tested_is_refused() {
    for (arguments, part) in [
        (
            &["foam", "--rate", "0"][..],
            "--rate is 0; it must be positive and finite",
        ),
        (&["foam", "--rate", "-1"], "--rate is -1"),
        (&["foam", "--duration", "inf"], "--duration is inf"),
        (&["foam", "--steps", "0"], "1..=100000"),
        (&["foam", "--dimension", "4"], "2..=3"),
        (&["foam", "--path", "twist"], "isotropic-compression"),
        (&["foam", "--set", "viscosity"], "write --set KEY=VALUE"),
        (
            &["foam", "--set", "viscosity=-3"],
            "it must be zero or positive, and finite",
        ),
        (&["foam", "--set", "colour=3"], "unknown key \"colour\""),
        (
            &[
                "foam",
                "--path",
                "planar-extension",
                "--lateral-stress",
                "0",
            ],
            "prescribe all axes",
        ),
        (
            &["jely", "--scene", "jelly-drop"],
            "did you mean \"jelly\"?",
        ),
        (&["jelly", "--scene", "nowhere"], "no built-in scene"),
        (
            &["foam", "--out", "no/such/directory/x.csv"],
            "cannot write",
        ),
    ] {
        let (code, message) = refused(&[&["material-test"], arguments].concat());
        assert_eq!(code, 2, "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
    // The material cannot do that: a diagnosis.
    let (code, message) = refused(&[
        "material-test",
        "water",
        "--path",
        "shear",
        "--lateral-stress",
        "1e9",
    ]);
    assert_eq!(code, 1, "{message}");
    assert!(
        message.contains("cannot bear the normal stress"),
        "{message}"
    );
}
