//! Meshes of scenes: what their previews show in numbers, and what is refused.

use thixo_scene::{Built, Scene, with_preview};

fn preview(name: &str) -> Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
    Scene::parse(&with_preview(&text).unwrap(), name).unwrap_or_else(|error| panic!("{error}"))
}

/// The preview after so many frames.
fn after<const D: usize>(name: &str, frames: u32) -> Built<f32, D>
where
    f32: thixo_scene::Precise<D>,
{
    let mut built = preview(name).build::<f32, D>(2).unwrap();
    for frame in 1..=frames {
        built.advance(frame).unwrap();
    }
    built
}

/// Positions of the vertices of the first mesh, and of all other matter \[m\].
fn parts<const D: usize>(built: &Built<f32, D>) -> (Vec<[f64; D]>, Vec<[f64; D]>)
where
    f32: thixo_scene::Precise<D>,
{
    let vertices = built.simulation.meshes()[0].ids();
    let particles = built.simulation.particles();
    let (own, others): (Vec<_>, Vec<_>) = particles.iter().partition(|p| vertices.contains(&p.id));
    let places = |all: Vec<&thixo::Particle<f32, D>>| all.iter().map(|p| p.position.0).collect();
    (places(own), places(others))
}

fn lowest<const D: usize>(places: &[[f64; D]]) -> f64 {
    places.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_hammock_carries_its_sand() {
    let scene = preview("hammock-of-sand");
    let (cloth, sand) = parts(&after::<3>("hammock-of-sand", 24));
    let bottom = lowest(&cloth);
    assert!(bottom < 0.185, "the cloth has not sagged: {bottom} m");
    assert!(bottom > 0.05, "the cloth reaches the ground: {bottom} m");
    let fallen = sand
        .iter()
        .filter(|x| x[1] < bottom - scene.grid.spacing)
        .count();
    assert_eq!(fallen, 0, "grains have come through");
    // Its edges still hang where they were tied.
    let highest = cloth.iter().map(|x| x[1]).fold(0.0, f64::max);
    assert!((highest - 0.2).abs() < 0.02, "{highest} m");
}

#[test]
fn a_balloon_keeps_its_water() {
    let scene = preview("water-balloon");
    let (skin, water) = parts(&after::<3>("water-balloon", 24));
    let mut middle = [0.0; 3];
    for x in &skin {
        for a in 0..3 {
            middle[a] += x[a] / skin.len() as f64;
        }
    }
    let distance = |x: &[f64; 3]| -> f64 {
        (0..3)
            .map(|a| (x[a] - middle[a]).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let farthest = skin.iter().map(distance).fold(0.0, f64::max);
    let outside = water
        .iter()
        .filter(|x| distance(x) > farthest + scene.grid.spacing)
        .count();
    assert_eq!(outside, 0, "water has left a skin of {farthest} m");
    // It has met the floor and is not a ball any more.
    assert!(lowest(&skin) < 0.1, "{}", lowest(&skin));
}

#[test]
fn grass_bends_with_the_stream() {
    let built = after::<2>("grass-in-flow", 36);
    let (blades, _) = parts(&built);
    let rods = 6;
    let each = blades.len() / rods;
    let tips = (0..rods).map(|k| {
        let (root, tip) = (blades[k * each], blades[(k + 1) * each - 1]);
        let along = tip[0] - root[0];
        along - 1.2 * (along / 1.2).round()
    });
    let mean = tips.sum::<f64>() / rods as f64;
    assert!(mean > 0.02, "tips are {mean} m downstream of their roots");
}

#[test]
fn a_cube_turns_on_by_apic_and_stops_by_pic() {
    let spin = |transfer: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
        let text = std::fs::read_to_string(format!("{folder}/cube-and-plates.toml")).unwrap();
        let setting = format!("physics.transfer={transfer}").parse().unwrap();
        let text = thixo_scene::with_settings(&with_preview(&text).unwrap(), &[setting]).unwrap();
        let mut built = Scene::parse(&text, "cube")
            .unwrap()
            .build::<f32, 3>(1)
            .unwrap();
        let about_centre = |built: &Built<f32, 3>| {
            let audit = built.simulation.audit();
            let ([x, y, _], [p, q, _]) = (audit.centre_of_mass, audit.momentum);
            audit.angular_momentum[2] - (x * q - y * p)
        };
        let before = about_centre(&built);
        // In flight.
        for frame in 1..=4 {
            built.advance(frame).unwrap();
        }
        about_centre(&built) / before
    };
    let [apic, pic] = ["apic", "pic"].map(spin);
    assert!(apic > 0.97, "{apic}");
    assert!(pic < 0.8, "{pic}");
}

#[test]
fn cloth_catches_the_yogurt() {
    let scene = preview("cloth-and-yogurt");
    let (cloth, yogurt) = parts(&after::<3>("cloth-and-yogurt", 24));
    let bottom = lowest(&cloth);
    assert!(bottom < 0.19, "{bottom} m");
    assert!(yogurt.len() > 100);
    let fallen = yogurt
        .iter()
        .filter(|x| x[1] < bottom - scene.grid.spacing)
        .count();
    assert_eq!(fallen, 0, "yogurt has come through");
}

const HEAD: &str =
    "dimension = 3\n[grid]\nspacing = 0.1\n[time]\nframes = 1\n[[meshes]]\ndensity = 1000\n";

fn message(rest: &str) -> String {
    let scene = Scene::parse(&format!("{HEAD}{rest}"), "s.toml");
    match scene.and_then(|scene| scene.check()) {
        Ok(()) => panic!("{rest} is possible"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_meshes_are_refused_with_their_key() {
    let cloth = "shape = { cloth = { corner = [0, 0, 0], edges = [[1, 0, 0], [0, 1, 0]] } }\n";
    let sheet = format!("{cloth}young_modulus = 1e5\n");
    let thin = format!("{sheet}thickness = 0.01\n");
    for (text, expected) in [
        (sheet.clone(), "thickness"),
        (format!("{sheet}thickness = -1\n"), "meshes[0].thickness"),
        (format!("{thin}poisson_ratio = 0.5\n"), "meshes[0].poisson_ratio"),
        (format!("{thin}bending = -1\n"), "meshes[0].bending"),
        (format!("{thin}damping = -1\n"), "meshes[0].damping"),
        (format!("{thin}pressure = 10\n"), "must be closed"),
        (format!("{thin}pressure = 'x'\n"), "meshes[0].pressure"),
        (
            format!("{thin}hold = [{{ region = {{ sphere = {{ center = [9, 9, 9], radius = 1 }} }} }}]\n"),
            "a region with a vertex of the mesh in it",
        ),
        (
            "young_modulus = 1\nshape = { rod = { start = [0, 0, 0], end = [0, 0, 0] } }\nradius = 0.01\n".to_owned(),
            "no extent at rest",
        ),
        (
            "shape = { springs = { min = [0, 0, 0], max = [1, 1, 1], stiffness = 0 } }\n".to_owned(),
            "stiffness",
        ),
        (
            "young_modulus = 1\nshape = { body = { shape = { sphere = { center = [0.5, 0.5, 0.5], radius = 0.001 } }, spacing = 1 } }\n".to_owned(),
            "use a smaller spacing",
        ),
        (
            "young_modulus = 1\nshape = { file = { file = 'none.msh' } }\n".to_owned(),
            "cannot be read",
        ),
    ] {
        let found = message(&text);
        assert!(found.contains(expected), "{text}\n{found}");
    }
}

#[test]
fn a_scene_with_meshes_is_written_out_and_read_again() {
    for name in [
        "hammock-of-sand",
        "cube-and-plates",
        "grass-in-flow",
        "water-balloon",
    ] {
        let scene = preview(name);
        let again = Scene::parse(&scene.to_toml().unwrap(), name).unwrap();
        assert_eq!(again.to_toml().unwrap(), scene.to_toml().unwrap());
        assert_eq!(again.meshes.len(), 1);
    }
}
