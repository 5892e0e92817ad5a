//! `thixo check`: which integrator it advises.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

mod program;

use std::fs;

use program::{code, errors, thixo, workplace};

/// Advice on the integrator of a block of some matter, at rest on the ground.
fn advice(matter: &str, integrator: &str) -> String {
    let scene = format!(
        r#"
title = "A block"
dimension = 2
[grid]
spacing = 0.05
[time]
frames = 4
[physics]
gravity = [0, -9.81]
integrator = {integrator}
[materials.stuff]
{matter}
[[objects]]
material = "stuff"
shape = {{ box = {{ min = [0, 0], max = [0.5, 0.3] }} }}
"#
    );
    let place = workplace("advice");
    fs::write(place.join("block.toml"), scene).unwrap();
    let output = thixo(&place, &["check", "block.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let words = String::from_utf8(output.stdout).unwrap();
    let line = words.lines().find(|line| line.starts_with("integrator"));
    line.unwrap().trim_start_matches("integrator ").to_owned()
}

#[test]
fn the_advice_depends_on_the_matter() {
    let explicit = "\"explicit\"";
    let solved = "{ optimization = {} }";
    let swept = "{ xpbd = {} }";
    let rubber = |young: &str| {
        format!(
            "model = \"neo_hookean\"\ndensity = 1000\npoisson_ratio = 0.3\nyoung_modulus = {young}"
        )
    };
    let starts = |advice: &str, with: &str| assert!(advice.starts_with(with), "{advice}");
    let ends = |advice: &str, with: &str| assert!(advice.ends_with(with), "{advice}");

    let soft = advice(&rubber("1e4"), explicit);
    starts(&soft, "explicit is the fastest: at the start ");
    ends(&soft, " explicit steps fit into an implicit one");
    starts(
        &advice(&rubber("1e4"), solved),
        "implicit; \"explicit\" may be faster, unless matter hardens: ",
    );
    let stiff = advice(&rubber("1e9"), explicit);
    starts(&stiff, "explicit; { optimization = {} } may be faster: ");
    ends(&stiff, " explicit steps fit into an implicit one");
    starts(
        &advice(&rubber("1e9"), solved),
        "implicit is worth its steps: ",
    );

    let snow = "preset = \"snow\"\nyoung_modulus = 1e9";
    let late = "; but stuff yields only after it, and breaks less";
    ends(&advice(snow, explicit), late);
    ends(&advice(snow, solved), late);
    ends(
        &advice(snow, swept),
        " explicit steps fit into an implicit one",
    );

    let sand = "preset = \"sand\"\nyoung_modulus = 1e9";
    starts(&advice(sand, explicit), "explicit is the fastest: ");
    ends(&advice(sand, explicit), ", which takes longer for stuff");
    starts(
        &advice(sand, solved),
        "implicit; \"explicit\" may be faster: ",
    );
    starts(&advice(sand, swept), "implicit is worth its steps: ");
}
