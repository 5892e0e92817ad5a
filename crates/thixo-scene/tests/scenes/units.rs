//! Numbers with units in scene files.

use thixo_scene::Scene;

const SCENE: &str = r#"
title = "5 m"
dimension = 2
[grid]
spacing = "5 cm"
[time]
frames = 1
[physics]
gravity = [0, "-9.81 m/s²"]
[materials.sand]
model = "drucker_prager"
density = "1.6 g/cm^3"
young_modulus = "350 kPa"
poisson_ratio = 0.3
friction_angle = "0.5 rad"
[[objects]]
material = "sand"
shape = { box = { min = [0, "100 mm"], max = ["0.5 m", 1] } }
velocity = ["36 km/h", "2 * x"]
"#;

#[test]
fn units_become_those_of_the_keys_wherever_a_number_stands() {
    let scene = Scene::parse(SCENE, "s.toml").unwrap_or_else(|error| panic!("{error}"));
    // What is no number with the unit of its key stays text.
    assert_eq!(scene.title, "5 m");
    let plain = SCENE
        .replace("\"5 cm\"", "0.05")
        .replace("\"-9.81 m/s²\"", "-9.81")
        .replace("\"1.6 g/cm^3\"", "1600")
        .replace("\"350 kPa\"", "350e3")
        .replace(
            "\"0.5 rad\"",
            &format!("{:?}", 0.5 * 180.0 / std::f64::consts::PI),
        )
        .replace("\"100 mm\"", "0.1")
        .replace("\"0.5 m\"", "0.5")
        .replace("\"36 km/h\"", "10");
    let plain = Scene::parse(&plain, "s.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene, plain);
    assert_eq!(scene.to_toml().unwrap(), plain.to_toml().unwrap());
}

#[test]
fn units_of_another_kind_are_refused_with_the_key() {
    let error = Scene::parse(&SCENE.replace("350 kPa", "350 kg"), "s.toml").unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with(
            "s.toml:13:17: materials.sand.young_modulus is \"350 kg\"; it must be in Pa, or in another unit of that kind"
        ),
        "{message}"
    );
    let error = Scene::parse(&SCENE.replace("36 km/h", "36 km"), "s.toml").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("objects[0].velocity[0] is \"36 km\""),
        "{error}"
    );
}
