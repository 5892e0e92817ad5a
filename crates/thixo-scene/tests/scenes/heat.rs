//! Heat in scenes: temperatures in kelvins and degrees Celsius, phases, and keys that are refused.

use thixo_scene::{SUBSTANCES, Scene};

/// A block of wax on a hot plate, in 2D.
fn scene(heat: &str, rest: &str) -> String {
    format!(
        "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.02\n[time]\nframes = 4\nfps = 50\n[physics]\ngravity = [0, -9.81]\n\
         [materials.wax]\nmodel = 'herschel_bulkley'\ndensity = 900\nyoung_modulus = 1e5\npoisson_ratio = 0.3\n\
         yield_stress = 1e4\nviscosity = 0\nexponent = 1\n\
         [heat]\n{heat}\n[[objects]]\nmaterial = 'wax'\nshape = {{ box = {{ min = [0, 0], max = [0.2, 0.1] }} }}\n{rest}\n"
    )
}

const WAX: &str = "temperature = '20 °C'\nmaterials.wax = { heat_capacity = 2000, conductivity = 5000, melting_point = '56 °C', latent_heat = 2e4, liquid = { law = { viscosity = 2 } } }";
const PLATE: &str = "[[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = 'sticky'\ntemperature = '200 °C'";

fn temperatures(text: &str, frames: u32) -> (Vec<f64>, Vec<f64>) {
    let scene = Scene::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml").unwrap();
    assert_eq!(scene, again);
    let mut built = scene.build::<f64, 2>(1).unwrap();
    for frame in 1..=frames {
        built.advance(frame).unwrap();
    }
    let reader = built.simulation.quantities();
    let read = |name: &str| reader.read(&reader.find(name).unwrap());
    (read("temperature"), read("phase"))
}

#[test]
fn a_block_melts_where_the_plate_is_hot() {
    let (start, solid) = temperatures(&scene(WAX, PLATE), 0);
    assert!(start.iter().all(|t| (t - 293.15).abs() < 1e-9));
    assert!(solid.iter().all(|phase| *phase == 0.0));
    let (end, phase) = temperatures(&scene(WAX, PLATE), 4);
    let liquid = phase.iter().filter(|phase| **phase == 1.0).count();
    assert!(liquid > 0 && liquid < phase.len(), "{liquid}");
    let hottest = end.iter().copied().fold(0.0, f64::max);
    // Between the melting point and the plate.
    assert!(hottest > 329.15 && hottest < 473.15, "{hottest}");
    // Without its temperature the plate insulates.
    let insulated = PLATE.replace("temperature = '200 °C'", "");
    let (same, _) = temperatures(&scene(WAX, &insulated), 4);
    assert!(same.iter().all(|t| (t - 293.15).abs() < 1e-6));
}

#[test]
fn objects_have_temperatures_of_their_own_by_formula() {
    let own = "temperature = '30 + 100 * x °C'";
    let (start, _) = temperatures(&scene(WAX, own), 0);
    let least = start.iter().copied().fold(f64::INFINITY, f64::min);
    let most = start.iter().copied().fold(0.0, f64::max);
    assert!(
        (least - 303.65).abs() < 1e-6 && (most - 322.65).abs() < 1e-6,
        "{least} {most}"
    );
}

fn message(text: &str) -> String {
    match Scene::parse(text, "test.toml") {
        Ok(scene) => scene.build::<f64, 2>(1).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_key() {
    let refuses = |heat: &str, rest: &str, parts: &[&str]| {
        let message = message(&scene(heat, rest));
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    };
    let cold = WAX.replace("conductivity = 5000", "conductivity = 0");
    refuses(
        &cold,
        "",
        &["heat.materials.wax", "conductivity", "positive"],
    );
    let below = WAX.replace("'20 °C'", "'-300 °C'");
    refuses(&below, "", &["heat.temperature", "absolute zero"]);
    refuses(WAX, "temperature = '-5'", &["objects[0].temperature", "°C"]);
    refuses("materials.max = {}", "", &["heat.materials.max", "wax"]);
    let key = WAX.replace("law = { viscosity", "law = { viscosty");
    refuses(&key, "", &["viscosty", "viscosity"]);
    let preset = "materials.wax = { preset = 'parafin' }";
    refuses(preset, "", &["parafin", "paraffin"]);
    let rubber = scene(WAX, "").replace("herschel_bulkley", "neo_hookean");
    let rubber = rubber.replace("yield_stress = 1e4\nviscosity = 0\nexponent = 1\n", "");
    let rubber = rubber.replace(", liquid = { law = { viscosity = 2 } }", "");
    let text = message(&rubber);
    assert!(
        text.contains("melting_point") && text.contains("neo_hookean"),
        "{text}"
    );
    let without = scene("", PLATE).replace("[heat]\n", "");
    assert!(
        message(&without).contains("walls[0].temperature"),
        "{}",
        message(&without)
    );
}

#[test]
fn substances_have_sources_and_sound_numbers() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/heat.md");
    let page = std::fs::read_to_string(page).unwrap();
    for substance in SUBSTANCES {
        let name = format!("| `{}` |", substance.name);
        let line = page.lines().find(|line| line.starts_with(&name)).unwrap();
        for number in [substance.melting_point, substance.latent_heat] {
            assert!(line.contains(&format!("| {number} |")), "{line}");
        }
        assert!(line.contains(substance.source), "{line}");
        assert!(substance.source.len() > 20, "{}", substance.name);
        let numbers = substance
            .heat_capacity
            .into_iter()
            .chain(substance.conductivity);
        let mut numbers = numbers.chain([substance.melting_point, substance.latent_heat]);
        assert!(numbers.all(|x| x > 0.0 && x.is_finite()));
    }
}
