//! Scenes with phases: what is refused, and the numbers that the pictures of the gallery show.

use thixo_scene::{Precise, Scene, gallery, with_preview, with_settings};

const SAND_AND_WATER: &str = r#"
dimension = 2
[grid]
spacing = 0.1
[time]
frames = 1
[materials.water]
model = "fluid"
density = 1000
bulk_modulus = 1e5
[materials.sand]
model = "drucker_prager"
density = 1590
young_modulus = 1e5
poisson_ratio = 0.3
friction_angle = 30
cohesion = 0.01
[phases.water]
materials = ["water"]
[phases.sand]
materials = ["sand"]
porosity = 0.4
[[drag]]
fluid = "water"
solid = "sand"
law = { conductivity = { conductivity = 0.01, porosity = 0.4 } }
[interaction.sand]
cohesion = "initial * (1 - phi)"
[[objects]]
material = "water"
share = 0.4
shape = { box = { min = [0, 0], max = [1, 1] } }
[[objects]]
material = "sand"
shape = { box = { min = [0, 0], max = [1, 1] } }
"#;

fn refused(from: &str, to: &str) -> String {
    let text = SAND_AND_WATER.replace(from, to);
    assert_ne!(text, SAND_AND_WATER, "{from}");
    let scene = Scene::parse(&text, "scene.toml");
    let outcome = scene.and_then(|scene| scene.check());
    outcome.expect_err(to).to_string()
}

#[test]
fn mixtures_that_cannot_be_are_refused_with_their_key() {
    let cases = [
        (
            "materials = [\"sand\"]",
            "materials = []",
            "sand belongs to no phase",
        ),
        (
            "materials = [\"sand\"]",
            "materials = [\"sand\", \"water\"]",
            "belongs to the phases",
        ),
        (
            "materials = [\"sand\"]",
            "materials = [\"sandd\"]",
            "did you mean",
        ),
        ("fluid = \"water\"", "fluid = \"oil\"", "drag[0].fluid"),
        (
            "solid = \"sand\"",
            "solid = \"water\"",
            "cannot drag itself along",
        ),
        (
            "conductivity = 0.01",
            "conductivity = 0",
            "drag[0].law.conductivity.conductivity",
        ),
        ("porosity = 0.4\n", "porosity = 1\n", "phases.sand.porosity"),
        (
            "porosity = 0.4 }",
            "porosity = 0 }",
            "drag[0].law.conductivity.porosity",
        ),
        (
            "cohesion = \"initial",
            "cohesio = \"initial",
            "did you mean",
        ),
        ("(1 - phi)", "(1 - 2 * phi)", "interaction.sand.cohesion"),
        ("(1 - phi)", "/ phi", "interaction.sand.cohesion"),
        ("[interaction.sand]", "[interaction.mud]", "interaction.mud"),
        ("share = 0.4", "share = 0", "objects[0].share"),
        ("share = 0.4", "share = 1.5", "objects[0].share"),
        (
            "[interaction.sand]",
            "[mixture]\npressure_smoothing = 2\n[interaction.sand]",
            "mixture.pressure_smoothing",
        ),
        (
            "[interaction.sand]",
            "[output]\ncolumns = [\"total_stress\"]\n[interaction.sand]",
            "mixture.pore_pressure",
        ),
    ];
    for (from, to, message) in cases {
        let error = refused(from, to);
        assert!(error.contains(message), "{to}: {error}");
    }
    let implicit = "physics.integrator={ newton = {} }".parse().unwrap();
    let text = with_settings(SAND_AND_WATER, &[implicit]).unwrap();
    let error = error_of(&text);
    assert!(error.contains("phases need explicit steps"), "{error}");
    let without = SAND_AND_WATER.replace("[phases.water]\nmaterials = [\"water\"]\n", "");
    let without = without.replace(
        "[phases.sand]\nmaterials = [\"sand\"]\nporosity = 0.4\n",
        "",
    );
    let error = error_of(&without);
    assert!(
        error.contains("is about phases, and the scene has none"),
        "{error}"
    );
}

/// The error of a scene, of reading or of checking it.
fn error_of(text: &str) -> String {
    let scene = Scene::parse(text, "scene.toml");
    let outcome = scene.and_then(|scene| scene.check());
    outcome.expect_err("refused").to_string()
}

#[test]
fn a_scene_with_phases_is_written_and_read_again() {
    let scene = Scene::parse(SAND_AND_WATER, "scene.toml").unwrap();
    let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
    assert_eq!(scene.to_toml().unwrap(), again.to_toml().unwrap());
    let built = scene.build::<f64, 2>(1).unwrap();
    let mass: f64 = built.simulation.audit().mass;
    assert!((mass - 400.0 - 1590.0).abs() < 1e-6, "{mass}");
}

/// The preview of a gallery scene with some of its text replaced, after some frames.
fn run<T: Precise<2>>(
    name: &str,
    (from, to): (&str, &str),
    frames: u32,
) -> thixo::Simulation<T, 2> {
    let text = with_preview(gallery::find(name).unwrap().text).unwrap();
    assert!(text.contains(from), "{name}: {from}");
    let scene = Scene::parse(&text.replace(from, to), name).unwrap();
    let mut built = scene.build::<T, 2>(1).unwrap();
    for frame in 1..=frames {
        built.advance(frame).unwrap();
    }
    built.simulation
}

/// Mean position of a material \[m\].
fn middle(sim: &thixo::Simulation<f32, 2>, material: usize) -> [f64; 2] {
    let mut sum = [0.0; 3];
    for p in sim.particles().iter().filter(|p| p.material == material) {
        sum[0] += p.position[0];
        sum[1] += p.position[1];
        sum[2] += 1.0;
    }
    [sum[0] / sum[2], sum[1] / sum[2]]
}

/// soaked-snow: the snow floats, the sand lies on the ground.
#[test]
fn snow_floats_and_sand_sinks() {
    let sim = run::<f32>("soaked-snow", ("title", "title"), 36);
    let [sand, snow, _water] = [0, 1, 2].map(|material| middle(&sim, material)[1]);
    println!("sand {sand} snow {snow}");
    assert!(snow > 0.25 && sand < 0.15, "snow at {snow}, sand at {sand}");
}

/// levee-seepage: water comes through, the more the more conductive the gravel.
#[test]
fn a_levee_leaks_by_its_conductivity() {
    let leaked = |k: &str| {
        let own = "{ conductivity = 0.2";
        let other = format!("{{ conductivity = {k}");
        let sim = run::<f32>("levee-seepage", (own, &other), 25);
        let beyond = sim
            .particles()
            .into_iter()
            .filter(|p| p.material == 1 && p.position[0] > 6.0);
        beyond.map(|p| f64::from(p.rest_volume)).sum::<f64>()
    };
    let (fast, slow) = (leaked("0.2"), leaked("0.05"));
    println!("{fast} {slow}");
    assert!(fast > 2.0 * slow, "{fast} {slow}");
}

/// Sand below water, at rest since long ago, with K₀ = 0.5: effective stress by its buoyant weight,
/// the pressure of the water by its depth.
const SATURATED_LAYER: &str = r#"
dimension = 2
precision = "f64"
[grid]
spacing = 0.2
[time]
frames = 5
fps = 20
[physics]
gravity = [0, -9.81]
[output]
columns = ["stress", "total_stress"]
[materials.water]
model = "fluid"
density = 1000
bulk_modulus = 2e7
[materials.sand]
model = "drucker_prager"
density = 1590
young_modulus = 2e7
poisson_ratio = 0.3
friction_angle = 33
[phases.water]
materials = ["water"]
[phases.sand]
materials = ["sand"]
porosity = 0.4
[[drag]]
fluid = "water"
solid = "sand"
law = { conductivity = { conductivity = 0.001, porosity = 0.4 } }
[mixture]
pore_pressure = "shared"
[[objects]]
material = "water"
share = 0.4
shape = { box = { min = [0, 0], max = [2, 2] } }
[objects.initial]
geostatic = { k0 = 1, surface = 2 }
[[objects]]
material = "sand"
shape = { box = { min = [0, 0], max = [2, 2] } }
[objects.initial]
stress = ["-0.5 * 990 * 9.81 * (2 - y)", 0, "-990 * 9.81 * (2 - y)"]
[[walls]]
axis = "y"
position = 0
matter = "above"
contact = "slip"
[[walls]]
axis = "x"
position = 0
matter = "above"
contact = "slip"
[[walls]]
axis = "x"
position = 2
matter = "below"
contact = "slip"
"#;

/// The largest speed after a twentieth of a second \[m/s\], and the largest error of the total
/// stress of the sand over that at the bottom, two cells from its ends.
fn saturated_layer(text: &str) -> [f64; 2] {
    let scene = Scene::parse(text, "layer.toml").unwrap();
    let mut built = scene.build::<f64, 2>(1).unwrap();
    built.advance(1).unwrap();
    let particles = built.simulation.particles();
    let speeds = particles.iter().map(|p| p.velocity.norm());
    let reader = built.simulation.quantities();
    let total = reader.read(&reader.find("total_stress").unwrap());
    let (positions, materials) = (reader.positions(), reader.materials());
    let mut worst = 0.0f64;
    for (k, material) in materials.enumerate() {
        let depth = 2.0 - positions[2 * k + 1];
        if material == 0 && (0.4..1.6).contains(&depth) {
            let expected = -(1590.0 + 0.4 * 1000.0) * 9.81 * depth;
            worst = worst.max((total[4 * k + 3] - expected).abs());
        }
    }
    [speeds.fold(0.0, f64::max), worst / (1990.0 * 9.81 * 2.0)]
}

#[test]
fn a_saturated_layer_starts_at_rest_with_its_stresses() {
    let [speed, error] = saturated_layer(SATURATED_LAYER);
    assert!(speed < 1e-3 && error < 0.01, "{speed} m/s, {error}");
    // The control: stress by the weight of dry sand.
    let line = SATURATED_LAYER.lines().find(|l| l.starts_with("stress = "));
    let dry = SATURATED_LAYER.replace(line.unwrap(), "geostatic = { k0 = 0.5 }");
    let [speed, error] = saturated_layer(&dry);
    assert!(speed > 1e-2 && error > 0.02, "{speed} m/s, {error}");
}
