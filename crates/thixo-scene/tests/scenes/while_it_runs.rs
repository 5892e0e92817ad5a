//! Actions while a scene runs: colliders on particles, thin solids, loads by formula, and formulas
//! that fail on the way.

use thixo::{StepError, Warning};
use thixo_scene::{Built, Scene};

const HEAD: &str = "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.05\n[time]\nframes = 4\nfps = 20\nlongest_step = 2e-4\n\
                    [materials.jelly]\nmodel = 'neo_hookean'\ndensity = 800\nyoung_modulus = 1e4\npoisson_ratio = 0.3\n";
const BLOCK: &str =
    "[[objects]]\nmaterial = 'jelly'\nshape = { box = { min = [0, 0], max = [0.4, 0.2] } }\n";

fn built(rest: &str) -> (Scene, Built<f64, 2>) {
    let scene = Scene::parse(&format!("{HEAD}{rest}"), "s.toml");
    let scene = scene.unwrap_or_else(|error| panic!("{error}"));
    let built = scene.build::<f64, 2>(1).unwrap();
    (scene, built)
}

fn message(rest: &str) -> String {
    let outcome = Scene::parse(&format!("{HEAD}{rest}"), "s.toml");
    outcome.expect_err("the scene is wrong").to_string()
}

#[test]
fn a_collider_that_acts_on_particles_lets_none_move_inwards() {
    // A block falls on a ball; the grid alone stops nodes, and particles beside the ball still move
    // towards it.
    let inwards = |acts_on: &str| {
        let ball = format!(
            "{BLOCK}velocity = [0, -1]\n[[colliders]]\n{acts_on}contact = {{ separating = {{ friction = 0 }} }}\n             shape = {{ sphere = {{ center = [0.2, -0.21], radius = 0.2 }} }}\n"
        );
        let (scene, mut built) = built(&ball);
        let again = Scene::parse(&scene.to_toml().unwrap(), "again").unwrap();
        assert_eq!(again, scene);
        let mut fastest = 0.0f64;
        for frame in 1..=4 {
            built.advance(frame).unwrap();
            for particle in built.simulation.particles() {
                let [x, y] = particle.position.0;
                let (dx, dy) = (x - 0.2, y + 0.21);
                let r = dx.hypot(dy);
                if r < 0.2 {
                    let v = particle.velocity;
                    fastest = fastest.max(-(v[0] * dx + v[1] * dy) / r);
                }
            }
        }
        let positions = built.simulation.particles();
        let sum: f64 = positions.iter().map(|p| p.position[1]).sum();
        (fastest, sum)
    };
    let grid = inwards("");
    let both = inwards("acts_on = 'grid_and_particles'\n");
    assert_eq!(grid, inwards("acts_on = 'grid'\n"));
    assert!(both.0 < 1e-9, "{grid:?} {both:?}");
    assert!(grid.0 >= both.0, "{grid:?} {both:?}");
}

#[test]
fn thickness_is_what_a_shape_does_not_tell() {
    let slab = "shape = { level_set = { formula = 'abs(y + 0.5) - 0.1', min = [-1, -1], max = [1, 0] } }\ncontact = 'slip'\n";
    let warnings = |key: &str| {
        let (_, built) = built(&format!("{BLOCK}[[colliders]]\n{slab}{key}"));
        built.simulation.warnings()
    };
    let thin = |thickness: f64| Warning::ThinCollider {
        index: 0,
        thickness,
        spacing: 0.05,
    };
    assert_eq!(warnings(""), [thin(0.0)]);
    assert_eq!(warnings("thickness = 0.07\n"), [thin(0.07)]);
    assert_eq!(warnings("thickness = 0.2\n"), []);
    for wrong in ["0", "-1", "nan"] {
        let found = message(&format!(
            "{BLOCK}[[colliders]]\n{slab}thickness = {wrong}\n"
        ));
        assert!(found.contains("colliders[0].thickness"), "{found}");
    }
}

#[test]
fn a_traction_by_formula_brings_its_integral_over_place_and_time() {
    let loaded = format!(
        "{BLOCK}[[loads]]\nobject = 0\nregion = {{ box = {{ min = [-1, 0.19], max = [1, 0.21] }} }}\ntraction = ['1000 * x * t', '200 * t^2']\n"
    );
    let (_, mut built) = built(&loaded);
    for frame in 1..=2u32 {
        built.advance(frame).unwrap();
        // ∫∫ 1000 x t dx dt = 1000 · 0.4²/2 · T²/2 and ∫∫ 200 t² dx dt = 200 · 0.4 · T³/3.
        let t = 0.05 * f64::from(frame);
        let expected = [40.0 * t * t, 80.0 / 3.0 * t.powi(3)];
        let momentum = built.simulation.audit().momentum;
        for a in 0..2 {
            assert!(
                (momentum[a] / expected[a] - 1.0).abs() < 0.04,
                "{frame} {a} {} {}",
                momentum[a],
                expected[a]
            );
        }
    }
}

/// Message of a scene that fails on the way, and the frame.
fn failure(rest: &str) -> (u32, String) {
    let (scene, mut built) = built(rest);
    for frame in 1..=4 {
        if let Err(error) = built.advance(frame) {
            let cause = scene.formula_at_fault(&built, frame, &error);
            return (frame, cause.expect("a formula is to blame").to_string());
        }
    }
    panic!("nothing failed")
}

#[test]
fn a_formula_that_fails_on_the_way_ends_the_run_with_key_and_time() {
    let gravity = format!("[physics]\ngravity = [0, '-9 * sqrt(0.1 - t)']\n{BLOCK}");
    let (frame, found) = failure(&gravity);
    assert_eq!(frame, 3);
    assert!(
        found.contains("physics.gravity[1] is not a number where t = 0.10"),
        "{found}"
    );
    assert!(found.ends_with("^^^^^^^^^^^^^"), "{found}");

    // Only where matter comes later: the block moves to the right.
    let place = format!("[physics]\ngravity = ['log(0.6 - x)', 0]\n{BLOCK}velocity = [1.5, 0]\n");
    let (frame, found) = failure(&place);
    assert!(frame > 1, "{frame}");
    assert!(
        found.contains("physics.gravity[0] is") && found.contains("where x = 0.6"),
        "{found}"
    );

    let load = "[[loads]]\nobject = 0\nregion = { box = { min = [-1, 0.19], max = [1, 0.21] } }\n";
    let (frame, found) = failure(&format!("{BLOCK}{load}pressure = '5 + log(0.1 - t)'\n"));
    assert!((2..=3).contains(&frame), "{frame}");
    assert!(
        found.contains("loads[0].pressure is") && found.contains("where t = 0.1"),
        "{found}"
    );
    let (frame, found) = failure(&format!("{BLOCK}{load}traction = [0, 'sqrt(0.1 - t)']\n"));
    assert_eq!(frame, 3);
    assert!(
        found.contains("loads[0].traction[1] is not a number where t = 0.10"),
        "{found}"
    );
}

#[test]
fn sound_formulas_are_not_blamed() {
    let (scene, built) = built(&format!("[physics]\ngravity = ['x * t', 0]\n{BLOCK}"));
    let error = StepError::GridNonFinite {
        time: 0.01,
        dt: 1e-3,
    };
    assert_eq!(scene.formula_at_fault(&built, 1, &error), None);
}

#[test]
fn motions_are_checked_between_frames_too() {
    let collider =
        "[[colliders]]\ncontact = 'slip'\nshape = { sphere = { center = [9, 9], radius = 1 } }\n";
    let found = message(&format!(
        "{BLOCK}{collider}motion = {{ translation = ['t > 0.11 and t < 0.12 ? log(-t) : t', 0] }}\n"
    ));
    assert!(
        found.contains("colliders[0].motion.translation[0] is not a number where t = 0.11"),
        "{found}"
    );
    let found = message(&format!(
        "{BLOCK}{collider}motion = {{ angle = 'sqrt(0.1 - t)', pivot = [9, 9] }}\n"
    ));
    assert!(
        found.contains("colliders[0].motion.angle is not a number where t = 0.10"),
        "{found}"
    );
}

#[test]
fn friction_that_is_no_number_is_no_friction() {
    let slid = |friction: &str| {
        let ramp = format!(
            "[physics]\ngravity = [3, -9]\n{BLOCK}[[colliders]]\ncontact = {{ separating = {{ friction = {friction} }} }}\n\
             shape = {{ plane = {{ point = [0, 0], normal = [0, 1] }} }}\n"
        );
        let (_, mut built) = built(&ramp);
        for frame in 1..=4 {
            built.advance(frame).unwrap();
        }
        built.simulation.audit().momentum
    };
    assert_eq!(slid("'sqrt(-1 - t)'"), slid("'-1 - t'"));
    assert_eq!(slid("'sqrt(-1 - t)'"), slid("'0 * t'"));
    assert!(slid("0.2")[0] < slid("'-1 - t'")[0]);
}
