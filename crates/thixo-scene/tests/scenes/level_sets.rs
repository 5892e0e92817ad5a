//! Shapes by formulas in scenes: what they hold, what they stop, and what is refused.
use thixo_scene::Scene;

const HEAD: &str = "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.05\n[time]\nframes = 10\nfps = 50\n\
                    [physics]\ngravity = [0, -9.81]\n[materials.water]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 2e4\n";

fn parse(rest: &str) -> Scene {
    Scene::parse(&format!("{HEAD}{rest}"), "s.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn message(shape: &str) -> String {
    let text = format!("{HEAD}[[objects]]\nmaterial = 'water'\nshape = {shape}\n");
    Scene::parse(&text, "s.toml").unwrap_err().to_string()
}

/// Positions of all particles after some frames, by identifier.
fn run(scene: &Scene, frames: u32) -> Vec<[f64; 2]> {
    let mut built = scene.build::<f64, 2>(1).unwrap();
    for frame in 1..=frames {
        built.advance(frame).unwrap();
    }
    let particles = built.simulation.particles();
    let places = particles.iter().map(|particle| particle.position.0);
    places.collect()
}

#[test]
fn a_formula_holds_the_matter_of_the_shape_it_describes() {
    let mass = |shape: &str| {
        let object = format!("[[objects]]\nmaterial = 'water'\nshape = {shape}\n");
        parse(&object)
            .build::<f64, 2>(1)
            .unwrap()
            .simulation
            .audit()
            .mass
    };
    let ball = mass("{ sphere = { center = [1, 2], radius = 0.5 } }");
    let formula =
        "{ level_set = { formula = 'lx^2 + ly^2 - 0.25', min = [0.4, 1.4], max = [1.6, 2.6] } }";
    assert!((mass(formula) / ball - 1.0).abs() < 1e-3);
    let moved = format!("{{ moved = {{ shape = {formula}, scale = 0.5, translation = [3, 0] }} }}");
    assert!((mass(&moved) / ball - 0.25).abs() < 1e-3);
    let right = "{ half_space = { point = [1, 2], normal = [-1, 0] } }";
    let half = format!("{{ intersection = [{formula}, {right}] }}");
    assert!((mass(&half) / ball - 0.5).abs() < 1e-3);
    let rest = format!("{{ difference = {{ from = {formula}, taken = {half} }} }}");
    assert!((mass(&rest) / ball - 0.5).abs() < 1e-3);
}

#[test]
fn a_floor_by_a_formula_is_a_floor() {
    let scene = |floor: &str| {
        parse(&format!(
            "[[objects]]\nmaterial = 'water'\nshape = {{ box = {{ min = [0, 0.04], max = [0.4, 0.5] }} }}\n\
             [[colliders]]\nthickness = 1\ncontact = {{ separating = {{ friction = 0.3 }} }}\nshape = {floor}\n"
        ))
    };
    let plane = run(
        &scene("{ plane = { point = [0, 0.02], normal = [-0.1, 1] } }"),
        10,
    );
    // The same plane, five times as steep as a distance.
    let formula = run(
        &scene(
            "{ level_set = { formula = '5 * (y - 0.02 - 0.1 * x)', min = [-9, -9], max = [9, 9] } }",
        ),
        10,
    );
    assert_eq!(plane.len(), formula.len());
    let fallen = plane.iter().map(|x| x[1]).fold(0.0, f64::max);
    assert!(fallen < 0.45, "nothing happened: {fallen}");
    for (a, b) in plane.iter().zip(&formula) {
        let apart = (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(apart < 1e-6, "{a:?} {b:?}");
    }
}

#[test]
fn formulas_emit_and_drain() {
    let flow = |spout: &str, drain: &str| {
        let scene = parse(&format!(
            "[[emitters]]\nmaterial = 'water'\nvelocity = [1, 0]\nshape = {spout}\n[[sinks]]\nshape = {drain}\n"
        ));
        let mut built = scene.build::<f64, 2>(1).unwrap();
        let mut sum = [0.0; 2];
        for frame in 1..=20 {
            let flow = built.advance(frame).unwrap().flow;
            sum[0] += flow.emitted_mass;
            sum[1] += flow.removed_mass;
        }
        sum
    };
    let [emitted, removed] = flow(
        "{ sphere = { center = [0, 1], radius = 0.1 } }",
        "{ sphere = { center = [0.3, 1], radius = 0.2 } }",
    );
    let [by_formula, drained] = flow(
        "{ level_set = { formula = 'x^2 + (y - 1)^2 - 0.01', min = [-0.2, 0.8], max = [0.2, 1.2] } }",
        "{ level_set = { formula = 'lx^2 + ly^2 - 0.04', min = [0, 0.7], max = [0.6, 1.3] } }",
    );
    assert!(emitted > 0.0 && removed > 0.0);
    assert!(
        (by_formula / emitted - 1.0).abs() < 2e-3,
        "{by_formula} {emitted}"
    );
    assert!(
        (drained / removed - 1.0).abs() < 2e-3,
        "{drained} {removed}"
    );
}

#[test]
fn what_is_no_shape_is_refused_with_its_place() {
    let shape = |formula: &str| {
        format!("{{ level_set = {{ formula = '{formula}', min = [-1, -1], max = [1, 1] }} }}")
    };
    let found = message(&shape("y + log(x)"));
    assert!(
        found.contains("objects[0].shape.level_set.formula is not a number where x = -1.0, y = -1.0; it must be finite"),
        "{found}"
    );
    assert!(found.ends_with("^^^^^^"), "{found}");
    let found = message(&shape("1 / x"));
    assert!(
        found.contains("formula is infinite where x = 0.0"),
        "{found}"
    );
    let found = message(&shape("y + height"));
    assert!(
        found.contains("unknown name \"height\"; the variables here are x, y, lx, ly"),
        "{found}"
    );
    let found = message(&shape("2 * 3"));
    assert!(
        found.contains("formula is 6; it must be a formula of the place"),
        "{found}"
    );
    let found = message("{ level_set = { formula = 'x', min = [0, 0], max = [1, 0] } }");
    assert!(
        found.contains("level_set.max[1] is 0; it must be above 0"),
        "{found}"
    );
    let found = message("{ level_set = { formula = 'x', min = [0, 0] } }");
    assert!(found.contains("max"), "{found}");
    // Negative nowhere: there is nothing to fill.
    let scene = parse(&format!(
        "[[objects]]\nmaterial = 'water'\nshape = {}\n",
        shape("x^2 + 1")
    ));
    let found = scene.build::<f64, 2>(1).unwrap_err().to_string();
    assert!(
        found.contains("objects[0].shape holds no particle"),
        "{found}"
    );
}
