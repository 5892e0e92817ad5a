//! Formulas in the keys of scenes: their values at particles, what is refused, and the same scene
//! written out again.

use thixo_scene::{Built, Scene};

const HEAD: &str =
    "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.05\n[time]\nframes = 2\nfps = 100\n";
const JELLY: &str = "[materials.jelly]\nmodel = 'neo_hookean'\ndensity = 800\nyoung_modulus = 1e4\npoisson_ratio = 0.3\n";
const BLOCK: &str =
    "[[objects]]\nmaterial = 'jelly'\nshape = { box = { min = [0, 0], max = [0.4, 0.2] } }\n";

fn read(text: &str) -> Scene {
    Scene::parse(text, "s.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn built(text: &str) -> Built<f64, 2> {
    read(text)
        .build::<f64, 2>(1)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The message for a scene that is wrong.
fn message(text: &str) -> String {
    let outcome = Scene::parse(text, "s.toml").and_then(|scene| scene.build::<f64, 2>(1));
    outcome.expect_err("the scene is wrong").to_string()
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} {b}");
}

#[test]
fn a_velocity_by_formula_is_that_of_every_particle_and_so_is_its_gradient() {
    let text = format!(
        "{HEAD}{JELLY}{BLOCK}velocity = ['3 * x * ly', 'sin(y) + lx^2']\nangular_velocity = 2\n"
    );
    for particle in built(&text).simulation.particles() {
        let [x, y] = particle.position.0;
        let (lx, ly) = (x - 0.2, y - 0.1);
        close(particle.velocity[0], 3.0 * x * ly - 2.0 * ly);
        close(particle.velocity[1], y.sin() + lx * lx + 2.0 * lx);
        let c = particle.affine;
        let expected = [[3.0 * ly, 3.0 * x - 2.0], [2.0 * lx + 2.0, y.cos()]];
        for i in 0..2 {
            for j in 0..2 {
                close(c[i][j], expected[i][j]);
            }
        }
    }
}

#[test]
fn a_formula_without_variables_is_a_number() {
    let formula = built(&format!(
        "{HEAD}[physics]\ngravity = [0, '-10 * 2']\n{JELLY}{BLOCK}velocity = ['1 / 4', 0]\n"
    ));
    let number = built(&format!(
        "{HEAD}[physics]\ngravity = [0, -20]\n{JELLY}{BLOCK}velocity = [0.25, 0]\n"
    ));
    let particles = [formula, number].map(|mut built| {
        built.advance(1).unwrap();
        built.simulation.particles()
    });
    for (p, q) in particles[0].iter().zip(&particles[1]) {
        assert_eq!((p.position, p.velocity), (q.position, q.velocity));
    }
}

#[test]
fn gravity_by_formula_accelerates_as_it_says() {
    // A uniform acceleration that grows with time: dv = ∫ g dt. Steps take g at their start.
    let text = format!(
        "{HEAD}longest_step = 1e-4\n[physics]\ngravity = ['300 * t', '0 * x']\n{JELLY}{BLOCK}"
    );
    let mut built = built(&text);
    built.advance(1).unwrap();
    let expected = 150.0 * 0.01f64.powi(2);
    for particle in built.simulation.particles() {
        assert!((particle.velocity[0] / expected - 1.0).abs() < 0.02);
        assert!(particle.velocity[1].abs() < 1e-15);
    }
}

#[test]
fn parameters_by_formula_are_those_of_every_particle() {
    let text = format!(
        "{HEAD}[materials.jelly]\nmodel = 'neo_hookean'\ndensity = '800 + 1000 * x'\nyoung_modulus = '1e4 * (1 + ly^2)'\npoisson_ratio = 0.3\n{BLOCK}"
    );
    let built = built(&text);
    let particles = built.simulation.particles().len() as f64;
    let volume = 0.4 * 0.2 / particles;
    let mut count = 0;
    built.simulation.visit(|particle, state| {
        let [x, y] = particle.position.0;
        close(particle.mass, (800.0 + 1000.0 * x) * volume);
        close(particle.rest_volume, volume);
        let young = 1e4 * (1.0 + (y - 0.1).powi(2));
        let mu = young / (2.0 * 1.3);
        let lambda = young * 0.3 / (1.3 * 0.4);
        let [own_mu, own_lambda] = *state.last_chunk::<2>().unwrap();
        close(own_mu / 1e4, mu / 1e4);
        close(own_lambda / 1e4, lambda / 1e4);
        count += 1;
    });
    assert!(count > 100);
    assert_eq!(built.particle_mass(0), None);
}

#[test]
fn packing_by_formula_changes_mass_and_rest_volume() {
    let text = format!(
        "{HEAD}[materials.jelly]\npreset = 'snow'\ndensity = 400\ninitial_plastic_volume = '0.8 + 0.2 * x'\n{BLOCK}"
    );
    let built = built(&text);
    let volume = 0.4 * 0.2 / built.simulation.particles().len() as f64;
    for particle in built.simulation.particles() {
        let ratio = 0.8 + 0.2 * particle.position[0];
        close(particle.rest_volume, volume / ratio);
        close(particle.mass, 400.0 * volume / ratio);
        close(particle.volume_ratio, ratio);
    }
}

/// Every model with one parameter after the other as a formula: it runs, and is written out and
/// read back the same.
#[test]
fn every_parameter_of_every_model_may_be_a_formula() {
    use thixo::material::laws::LAWS;
    for model in LAWS {
        for varied in model.parameters() {
            let value = |parameter: &thixo::material::parameters::Parameter| match parameter.key {
                "poisson_ratio" | "critical_compression" | "critical_stretch" => 0.2,
                "density" | "young_modulus" | "bulk_modulus" | "mu" | "lambda" => 2e3,
                _ => 1.0,
            };
            let is_hardening = varied.key.starts_with("friction_hardening");
            let given = model.parameters().filter(|parameter| {
                let rival = if is_hardening {
                    "friction_angle"
                } else {
                    "friction_hardening"
                };
                (parameter.default.is_none() || parameter.key == varied.key)
                    && !parameter.key.starts_with(rival)
            });
            let lines: String = given
                .map(|parameter| {
                    let value = parameter
                        .default
                        .filter(|d| d.is_finite())
                        .unwrap_or(value(parameter));
                    if parameter.key == varied.key {
                        format!("{} = '{value:?} + 0 * x'\n", parameter.key)
                    } else {
                        format!("{} = {value:?}\n", parameter.key)
                    }
                })
                .collect();
            let text = format!(
                "{HEAD}[materials.jelly]\nmodel = '{}'\n{lines}{BLOCK}",
                model.name
            );
            if (model.name, varied.key) == ("fluid", "exponent") {
                assert!(message(&text).contains("exponent must be a number, not \"7.0 + 0 * x\""));
                continue;
            }
            let scene = read(&text);
            assert_eq!(scene.materials["jelly"].formulas.len(), 1, "{text}");
            let again = read(&scene.to_toml().unwrap());
            assert_eq!(again, scene, "{text}");
            let uniform = read(&text.replace(" + 0 * x'", "").replace(
                &format!("{} = '", varied.key),
                &format!("{} = ", varied.key),
            ));
            let run = |scene: &Scene| {
                let mut built = scene
                    .build::<f64, 2>(1)
                    .unwrap_or_else(|error| panic!("{error}\n{text}"));
                built
                    .advance(1)
                    .unwrap_or_else(|error| panic!("{error}\n{text}"));
                built.simulation.particles()
            };
            for (p, q) in run(&scene).iter().zip(&run(&uniform)) {
                close(p.position[0], q.position[0]);
                close(p.velocity[1], q.velocity[1]);
                close(p.kirchhoff_stress[0][0], q.kirchhoff_stress[0][0]);
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_formula_is_said_with_key_and_place() {
    let text = |line: &str, with: &str| format!("{HEAD}{JELLY}{BLOCK}").replace(line, with);
    assert_eq!(
        message(&text("density = 800", "density = '800 + q'")),
        "s.toml:10:18: materials.jelly.density: unknown name \"q\"; the variables here are x, y, lx, ly\n10 | density = '800 + q'\n   |                  ^"
    );
    assert_eq!(
        message(&text("young_modulus = 1e4", "young_modulus = '-x'")),
        "s.toml:11:17: materials.jelly.young_modulus where x = 0.0125, y = 0.0125: Young's modulus [Pa] is -0.0125; it must be positive and finite\n11 | young_modulus = '-x'\n   |                 ^^^^"
    );
    assert_eq!(
        message(&text("density = 800", "density = 'sqrt(x - 0.2)'")),
        "s.toml:10:12: materials.jelly.density is not a number where x = 0.0125; it must be finite\n10 | density = 'sqrt(x - 0.2)'\n   |            ^^^^^^^^^^^^^"
    );
    assert_eq!(
        message(&text(
            "[materials",
            "[physics]\ngravity = [0, '1 / (x - 0.0125)']\n[materials"
        )),
        "s.toml:9:16: physics.gravity[1] is infinite where x = 0.0125; it must be finite\n9 | gravity = [0, '1 / (x - 0.0125)']\n  |                ^^^^^^^^^^^^^^^^"
    );
    let wrong = message(&format!("{HEAD}{JELLY}{BLOCK}velocity = ['t', 0]\n"));
    assert!(
        wrong.contains("objects[0].velocity[0]: unknown name \"t\""),
        "{wrong}"
    );
}

/// The table of keys in the page: every key with its variables.
#[test]
fn the_page_names_every_key_with_its_variables() {
    let page = include_str!("../../../../docs/expressions.md");
    let table = page.split("## Keys").nth(1).unwrap();
    let table = table.split("```").next().unwrap();
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split('`').collect();
            (cells[1], cells[3])
        })
        .collect();
    let body = "[materials.jelly]\nmodel = 'neo_hookean'\ndensity = 800\nyoung_modulus = 1e4\npoisson_ratio = 0.3\n\
                [[objects]]\nmaterial = 'jelly'\nshape = { box = { min = [0, 0, 0], max = [1, 1, 1] } }\n";
    let head = "dimension = 3\n[grid]\nspacing = 0.5\n[time]\nframes = 2\n";
    let collider = "[[colliders]]\nshape = { sphere = { center = [9, 9, 9], radius = 1 } }\n";
    let wrong = "{ separating = { friction = 'q' } }";
    let scenes = [
        (
            "physics.gravity",
            format!("{head}[physics]\ngravity = [0, 0, 'q']\n{body}"),
        ),
        (
            "objects.velocity",
            format!("{head}{body}velocity = [0, 0, 'q']\n"),
        ),
        (
            "objects.initial.KEY",
            format!("{head}{body}initial = {{ volume_ratio = 'q' }}\n"),
        ),
        (
            "materials.NAME.PARAMETER",
            format!("{head}{}", body.replace("density = 800", "density = 'q'")),
        ),
        (
            "colliders.contact.separating.friction",
            format!("{head}{body}{collider}contact = {wrong}\n"),
        ),
        (
            "colliders.materials.NAME.separating.friction",
            format!("{head}{body}{collider}contact = 'slip'\nmaterials = {{ jelly = {wrong} }}\n"),
        ),
        (
            "colliders.motion.translation",
            format!(
                "{head}{body}{collider}contact = 'slip'\nmotion = {{ translation = [0, 0, 'q'] }}\n"
            ),
        ),
        (
            "colliders.motion.angle",
            format!("{head}{body}{collider}contact = 'slip'\nmotion = {{ angle = 'q' }}\n"),
        ),
        (
            "emitters.velocity",
            format!(
                "{head}{body}[[emitters]]\nmaterial = 'jelly'\nshape = {{ sphere = {{ center = [5, 5, 5], radius = 1 }} }}\nvelocity = [1, 0, 'q']\n"
            ),
        ),
        (
            "emitters.rate",
            format!(
                "{head}{body}[[emitters]]\nmaterial = 'jelly'\nshape = {{ sphere = {{ center = [5, 5, 5], radius = 1 }} }}\nvelocity = [1, 0, 0]\nrate = 'q'\n"
            ),
        ),
        (
            "loads.pressure",
            format!("{head}{body}[[loads]]\nobject = 0\npressure = 'q'\n"),
        ),
        (
            "loads.traction",
            format!("{head}{body}[[loads]]\nobject = 0\ntraction = [0, 0, 'q']\n"),
        ),
        (
            "carried.NAME.value",
            format!("{head}{body}[carried.dye]\nvalue = 'q'\n"),
        ),
        (
            "shape.level_set.formula",
            format!(
                "{head}{body}[[sinks]]\nshape = {{ level_set = {{ formula = 'q', min = [8, 8, 8], max = [9, 9, 9] }} }}\n"
            ),
        ),
    ];
    assert_eq!(
        rows.iter().map(|row| row.0).collect::<Vec<_>>(),
        scenes.iter().map(|scene| scene.0).collect::<Vec<_>>()
    );
    for ((key, variables), (_, text)) in rows.into_iter().zip(scenes) {
        let message = Scene::parse(&text, "s.toml").unwrap_err().to_string();
        let expected = format!("unknown name \"q\"; the variables here are {variables}\n");
        assert!(message.contains(&expected), "{key}: {message}");
    }
}

#[test]
fn the_example_of_the_page_can_be_read() {
    let page = include_str!("../../../../docs/expressions.md");
    let example = page.split("```toml").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let block = BLOCK.replace("jelly", "sand");
    let scene = read(&format!("{HEAD}{block}{example}"));
    assert_eq!(read(&scene.to_toml().unwrap()), scene);
    let mut built = scene.build::<f64, 2>(1).unwrap();
    built.advance(1).unwrap();
}

#[test]
fn a_moving_collider_pushes_at_the_speed_of_its_formula() {
    let at = |t: f64| {
        format!(
            "{HEAD}{JELLY}{BLOCK}[[colliders]]\nshape = {{ box = {{ min = [-0.5, -1], max = [0, 1] }} }}\ncontact = 'sticky'\nmotion = {{ translation = ['{t} * t', 0] }}\n"
        )
    };
    let steady = format!(
        "{HEAD}{JELLY}{BLOCK}[[colliders]]\nshape = {{ box = {{ min = [-0.5, -1], max = [0, 1] }} }}\ncontact = 'sticky'\nvelocity = [0.5, 0]\n"
    );
    let run = |text: &str| {
        let mut built = built(text);
        built.advance(1).unwrap();
        built.simulation.particles()
    };
    let (formula, steady) = (run(&at(0.5)), run(&steady));
    assert!(formula.iter().any(|particle| particle.velocity[0] > 0.1));
    for (p, q) in formula.iter().zip(&steady) {
        close(p.velocity[0], q.velocity[0]);
    }
    let both = at(1.0) + "velocity = [1, 0]\n";
    assert!(
        message(&both).contains("colliders[0].motion is given; it must be absent where velocity")
    );
}

#[test]
fn friction_may_differ_by_place_and_by_material() {
    // A block slides on a floor that is rough for the right half only; its own entry overrides the
    // rest.
    let slide = |contact: &str| {
        let text = format!(
            "{HEAD}[physics]\ngravity = [0, -10]\n{JELLY}{BLOCK}velocity = [1, 0]\n\
             [[colliders]]\nshape = {{ half_space = {{ point = [0, 0], normal = [0, 1] }} }}\n{contact}\n"
        );
        let mut built = built(&text);
        for frame in 1..=10 {
            built.advance(frame).unwrap();
        }
        let audit = built.simulation.audit();
        audit.momentum[0] / audit.mass
    };
    let smooth = slide("contact = { separating = { friction = 0 } }");
    let rough = slide("contact = { separating = { friction = 0.5 } }");
    let same = slide("contact = { separating = { friction = '0.5 + 0 * x * t' } }");
    let right = slide("contact = { separating = { friction = 'lerp(0, 0.5, x > 0.2)' } }");
    let own =
        slide("contact = 'sticky'\nmaterials = { jelly = { separating = { friction = 0.5 } } }");
    assert!((smooth - 1.0).abs() < 1e-9, "{smooth}");
    close(same, rough);
    close(own, rough);
    assert!(rough < right && right < smooth, "{rough} {right} {smooth}");
}
