//! Costs that are known before they are paid: memory, steps.

use std::fs;
use std::process::{Command, Output};
use std::time::Instant;

use crate::program::{code, errors, thixo, workplace};

fn jelly(place: &std::path::Path, command: &str, setting: &str) -> Output {
    let mut arguments = vec![command, "jelly-drop", "--preview", "--set", setting];
    if command == "run" {
        arguments.extend(["--frames", "1", "--out", "run", "--overwrite"]);
    }
    thixo(place, &arguments)
}

/// Steps that cannot reach the end of a frame are refused before the run, with the same numbers.
#[test]
fn check_refuses_what_run_would() {
    let place = workplace("check-refuses");
    for setting in [
        "materials.jelly.young_modulus=1e38",
        "objects[0].velocity=[1e30, 0]",
        "time.fps=1e-9",
    ] {
        let checked = jelly(&place, "check", setting);
        assert_eq!(code(&checked), 2, "{setting}: {}", errors(&checked));
        let ran = jelly(&place, "run", setting);
        assert_ne!(code(&ran), 0, "{setting}");
        let reason = "too small to reach the end of a frame";
        let (checked, ran) = (errors(&checked), errors(&ran));
        assert!(checked.contains(reason), "{setting}: {checked}");
        assert!(ran.contains(reason), "{setting}: {ran}");
    }
    let sound = jelly(&place, "check", "time.fps=24");
    assert_eq!(code(&sound), 0, "{}", errors(&sound));
}

/// Matter that the memory cannot hold is refused before it is sampled.
#[cfg(target_os = "linux")]
#[test]
fn matter_that_does_not_fit_into_memory_is_refused_at_once() {
    let place = workplace("too-little-memory");
    let scene = r#"
title = "A block"
dimension = 3
[grid]
spacing = 0.01
[time]
frames = 4
[materials.rubber]
model = "neo_hookean"
density = 1000
young_modulus = 1e4
poisson_ratio = 0.3
[[objects]]
material = "rubber"
shape = { sphere = { center = [0, 0, 0], radius = 0.9 } }
"#;
    fs::write(place.join("ball.toml"), scene).unwrap();
    let limited = |kib: u64, command: &str| -> Output {
        let program = env!("CARGO_BIN_EXE_thixo");
        let line = format!("ulimit -v {kib} && exec {program} {command} ball.toml");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(&place);
        shell.output().unwrap()
    };
    for command in ["check", "run"] {
        let begun = Instant::now();
        let refused = limited(3 << 20, command);
        let words = errors(&refused);
        assert_eq!(code(&refused), 2, "{words}");
        assert!(words.contains("ball.toml:5:1"), "{words}");
        // Of a ball of 3.05 m³ in cells of 1e-6 m³ with 8 particles each.
        assert!(words.contains("about 2.44e7 particles need"), "{words}");
        assert!(words.contains("and there are 3.0 GiB"), "{words}");
        assert!(begun.elapsed().as_secs() < 10);
    }
    // A tenth of it fits.
    let scene = scene.replace("radius = 0.9", "radius = 0.42");
    fs::write(place.join("ball.toml"), scene).unwrap();
    let fits = limited(3 << 20, "check");
    assert_eq!(code(&fits), 0, "{}", errors(&fits));
    let words = String::from_utf8(fits.stdout).unwrap();
    assert!(words.contains("particles  2482"), "{words}");
}
