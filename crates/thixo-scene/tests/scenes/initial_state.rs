//! Objects that start under stress or with a history, volumes from the grid, fixed steps and
//! damping, as scenes give them.

use thixo_scene::Scene;

const HEAD: &str = "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.05\nperiodic = { x = 4 }\n[time]\nframes = 1\nfps = 40\n\
    [physics]\ngravity = [0, -10]\n\
    [materials.water]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e6\npressure = 'linear'\n\
    [materials.rock]\nmodel = 'neo_hookean'\ndensity = 1000\nyoung_modulus = 1e6\npoisson_ratio = 0.3\n\
    [materials.sand]\nmodel = 'drucker_prager'\ndensity = 1000\nyoung_modulus = 1e6\npoisson_ratio = 0.3\nfriction_angle = 35\n\
    [materials.snow]\nmodel = 'snow'\ndensity = 400\nyoung_modulus = 1.4e5\npoisson_ratio = 0.2\ncritical_compression = 0.025\n\
    critical_stretch = 0.0075\nhardening = 10\n\
    [[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = 'slip'\n[[objects]]\n\
    shape = { box = { min = [0, 0], max = [0.2, 1] } }\n";

fn text(object: &str) -> String {
    format!("{HEAD}{object}\n")
}

fn scene(object: &str) -> Scene {
    Scene::parse(&text(object), "s.toml").unwrap_or_else(|e| panic!("{e}"))
}

fn message(object: &str) -> String {
    let outcome = Scene::parse(&text(object), "s.toml").and_then(|s| s.build::<f64, 2>(1));
    outcome.unwrap_err().to_string()
}

#[test]
fn a_volume_ratio_makes_fluids_denser_and_presses() {
    let built = scene("material = 'water'\ninitial = { volume_ratio = '1 - 0.01 * (1 - y)' }")
        .build::<f64, 2>(1)
        .unwrap();
    for p in built.simulation.particles() {
        let j = 1.0 - 0.01 * (1.0 - p.position[1]);
        assert!((p.volume_ratio - j).abs() < 1e-12);
        // p = K (1 - J), and the present density is that of compressed matter.
        let pressure = -p.kirchhoff_stress[0][0] / p.volume_ratio;
        assert!((pressure - 1e6 * (1.0 - j)).abs() < 1e-4);
        let volume = p.rest_volume * p.volume_ratio;
        assert!((p.mass / volume * j / 1000.0 - 1.0).abs() < 1e-12);
        assert!((volume - 0.025 * 0.025).abs() < 1e-15);
    }
}

#[test]
fn stress_may_be_a_formula_of_place() {
    let built = scene("material = 'rock'\ninitial = { stress = [-100, '30 * x', '-200 * y'] }")
        .build::<f64, 2>(1)
        .unwrap();
    for p in built.simulation.particles() {
        let sigma = p.kirchhoff_stress * (1.0 / p.volume_ratio);
        let [x, y] = p.position.0;
        let expected = [[-100.0, 30.0 * x], [30.0 * x, -200.0 * y]];
        for i in 0..2 {
            for j in 0..2 {
                assert!(
                    (sigma[i][j] - expected[i][j]).abs() < 1e-5,
                    "{sigma:?} {expected:?}"
                );
            }
        }
    }
}

/// Largest speed after 25, 50 … 200 ms, seven times as long as waves take through the column
/// \[m/s\], and largest change of the vertical stress until then, as a share of that at the floor.
fn unrest(object: &str) -> (f64, f64) {
    let mut built = scene(object).build::<f64, 2>(1).unwrap();
    let stresses = |built: &thixo_scene::Built<f64, 2>| -> Vec<f64> {
        let particles = built.simulation.particles();
        let vertical = particles
            .iter()
            .map(|p| p.kirchhoff_stress[1][1] / p.volume_ratio);
        vertical.collect()
    };
    let before = stresses(&built);
    let (mut fast, mut change) = (0.0f64, 0.0f64);
    for frame in 1..=8 {
        built.advance(frame).unwrap();
        fast = fast.max(built.simulation.audit().max_speed);
        let changes = before.iter().zip(stresses(&built));
        let changes = changes.map(|(a, b)| (a - b).abs() / 1e4);
        change = changes.fold(change, f64::max);
    }
    (fast, change)
}

#[test]
fn matter_under_geostatic_stress_stays_at_rest() {
    // Nu / (1 - nu) of elastic matter, 1 - sin of sand, 1 of water.
    // What moves is a quadrature error of the free surface, 0.0025 gh/c² of the wave speed c.
    let modulus = 1e6 * 0.7 / (1.3 * 0.4);
    for (material, k0, modulus, rest) in [
        ("water", 1.0, 1e6, 2e-6),
        ("rock", 3.0 / 7.0, modulus, 1e-6),
        ("sand", 0.43, modulus, 1e-6),
    ] {
        let (fast, loads) = unrest(&format!("material = '{material}'"));
        let object =
            format!("material = '{material}'\ninitial = {{ geostatic = {{ k0 = {k0} }} }}");
        let (slow, small) = unrest(&object);
        let wave = f64::sqrt(modulus / 1e3);
        println!(
            "{material}: {fast:.4} m/s, {loads:.3} without, {slow:.2e} m/s, {:.2e} of the wave speed, {small:.4} with",
            slow / wave
        );
        assert!(fast > 0.1 && loads > 0.3, "{material}: {fast} {loads}");
        assert!(
            slow < rest * wave && small < 0.01,
            "{material}: {slow} {small}"
        );
        let built = scene(&object).build::<f64, 2>(1).unwrap();
        for p in built.simulation.particles() {
            let sigma = p.kirchhoff_stress * (1.0 / p.volume_ratio);
            let depth = 1.0 - p.position[1];
            assert!((sigma[1][1] + 1e4 * depth).abs() < 1e-2, "{material}");
            assert!((sigma[0][0] - k0 * sigma[1][1]).abs() < 1e-2, "{material}");
        }
    }
}

#[test]
fn depth_is_measured_in_any_shape_along_gravity_or_from_a_surface() {
    let depths = |geostatic: &str| {
        let shape = "[[objects]]\nmaterial = 'water'\nshape = { sphere = { center = [0.1, 2], radius = 0.09 } }\n";
        let text = text("material = 'water'")
            + shape
            + &format!("initial = {{ geostatic = {geostatic} }}\n");
        let built = Scene::parse(&text, "s.toml")
            .unwrap()
            .build::<f64, 2>(1)
            .unwrap();
        let particles = built.simulation.particles();
        let ball: Vec<_> = particles
            .into_iter()
            .filter(|p| p.position[1] > 1.5)
            .collect();
        assert!(ball.len() > 20);
        let depth = |p: &thixo::Particle<f64, 2>| -p.kirchhoff_stress[1][1] / p.volume_ratio / 1e4;
        ball.iter()
            .map(|p| (p.position.0, depth(p)))
            .collect::<Vec<_>>()
    };
    for ([x, y], depth) in depths("{ k0 = 1 }") {
        let top = 2.0 + (0.09f64.powi(2) - (x - 0.1).powi(2)).sqrt();
        assert!((depth - (top - y)).abs() < 1e-6, "{depth} {}", top - y);
    }
    for ([x, y], depth) in depths("{ k0 = 1, surface = '3 + lx + 0.1', overburden = 500 }") {
        assert!((depth - (3.0 + x - y + 0.05)).abs() < 1e-6);
    }
}

#[test]
fn what_a_law_cannot_bear_is_refused_with_key_and_place() {
    let said = message("material = 'water'\ninitial = { geostatic = { k0 = 0.5 } }");
    assert!(
        said.contains("objects[0].initial.geostatic: a fluid at rest bears pressure alone"),
        "{said}"
    );
    assert!(
        said.contains("(found where x = ") && said.contains("s.toml:"),
        "{said}"
    );
    let said = message("material = 'sand'\ninitial = { geostatic = { k0 = 0.1 } }");
    assert!(
        said.contains("yields under the principal stresses"),
        "{said}"
    );
    let said = message("material = 'rock'\ninitial = { stress = [1, 2] }");
    assert!(said.contains("objects[0].initial.stress is a list of 2; it must be 3 numbers in dimension 2: xx, xy, yy"), "{said}");
    let said = message("material = 'rock'\ninitial = { volume_ratio = 0.9, stress = [0, 0, 0] }");
    assert!(
        said.contains(
            "objects[0].initial.stress is given; it must be left out beside volume_ratio"
        ),
        "{said}"
    );
    let said = message("material = 'rock'\ninitial = { volume_ratio = 'y - 2' }");
    assert!(
        said.contains("objects[0].initial.volume_ratio is -1") && said.contains("positive"),
        "{said}"
    );
    let said = message("material = 'sand'\ninitial = { history = { plastic_strian = 1 } }");
    assert!(said.contains("did you mean \"plastic_strain\"?"), "{said}");
    let said = message("material = 'rock'\ninitial = { history = { plastic_strain = 1 } }");
    assert!(said.contains("the material has no history"), "{said}");
    let said = message("material = 'sand'\ninitial = { history = { plastic_strain = -1 } }");
    assert!(
        said.contains(
            "objects[0].initial.history.plastic_strain is -1; it must be zero or positive"
        ),
        "{said}"
    );
    let free = text("material = 'rock'\ninitial = { geostatic = { k0 = 1 } }")
        .replace("[0, -10]", "[0, 0]");
    let said = Scene::parse(&free, "s.toml").unwrap_err().to_string();
    assert!(
        said.contains(
            "objects[0].initial.geostatic is given; it must be left out without a constant gravity"
        ),
        "{said}"
    );
}

#[test]
fn mass_and_plastic_volume_of_snow_are_set_apart() {
    let object = |initial: &str| {
        let text = format!("material = 'snow'\ninitial = {{ {initial} }}");
        let built = scene(&text).build::<f64, 2>(1).unwrap();
        built.simulation.particles()[0]
    };
    let volume = 0.025 * 0.025;
    // Packed matter is denser, and V0 is what it was before.
    let packed = object("history = { plastic_volume_ratio = 0.5 }");
    assert!((packed.mass / (800.0 * volume) - 1.0).abs() < 1e-12);
    assert!((packed.rest_volume / (2.0 * volume) - 1.0).abs() < 1e-12);
    // The thesis: one and a half times the mass, J_P = 2/3, V0 from the present density.
    let thesis =
        object("history = { plastic_volume_ratio = 0.5 }, density = 600, rest_volume_ratio = 1");
    assert!((thesis.mass / (600.0 * volume) - 1.0).abs() < 1e-12);
    assert!((thesis.rest_volume / volume - 1.0).abs() < 1e-12);
    assert!((thesis.volume_ratio - 0.5).abs() < 1e-12);
    // Sand that has slid already.
    let built = scene("material = 'sand'\ninitial = { history = { plastic_strain = 'y' } }")
        .build::<f64, 2>(1)
        .unwrap();
    built.simulation.visit(|p, state| {
        assert_eq!(state[3..5], [0.0, p.position[1]]);
    });
}

#[test]
fn volumes_from_the_grid_are_too_large_at_faces_and_said_to_be() {
    let scene = scene("material = 'water'\nname = 'pond'\nvolume = 'grid'");
    let built = scene.build::<f64, 2>(1).unwrap();
    let said: Vec<_> = built.warnings.iter().map(ToString::to_string).collect();
    assert!(
        said.len() == 1
            && said[0].starts_with(
                "pond has volumes from the density on the grid: they are about 1.6 times"
            ),
        "{said:?}"
    );
    let cell = 0.025 * 0.025;
    for p in built.simulation.particles() {
        let ratio = p.rest_volume / cell;
        if p.position[1] > 0.97 {
            assert!((1.4..1.8).contains(&ratio), "{ratio}");
        } else if (0.2..0.8).contains(&p.position[1]) {
            assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
        }
    }
    let said = message("material = 'water'\nvolume = 'gird'");
    assert!(said.contains("did you mean \"grid\"?"), "{said}");
    let said = message("material = 'water'\nvolume = 1e-3");
    assert!(
        said.contains(
            "objects[0].volume is 0.001; it must be \"sampling\" or \"grid\" for a shape"
        ),
        "{said}"
    );
}

#[test]
fn a_fixed_step_is_kept_or_refused_before_the_run() {
    let with = |step: &str| {
        text("material = 'water'").replace("fps = 40", &format!("fps = 40\nstep = {step}"))
    };
    let mut built = Scene::parse(&with("1e-4"), "s.toml")
        .unwrap()
        .build::<f64, 2>(1)
        .unwrap();
    assert_eq!(built.advance(1).unwrap().report.steps, 250);
    let refused = Scene::parse(&with("2e-3"), "s.toml")
        .unwrap()
        .build::<f64, 2>(1);
    let said = refused.unwrap_err().to_string();
    assert!(
        said.contains("time.step: at t = 0")
            && said.contains("above 1.1")
            && said.contains("the stiffness of a material"),
        "{said}"
    );
    let said = Scene::parse(&with("0"), "s.toml").unwrap_err().to_string();
    assert!(
        said.contains("time.step") && said.contains("above 0 and finite"),
        "{said}"
    );
}

#[test]
fn damping_is_read_and_refused_where_it_has_no_meaning() {
    let with = |damping: &str| {
        text("material = 'water'").replace("gravity =", &format!("damping = {damping}\ngravity ="))
    };
    let scene = Scene::parse(&with("{ local = 0.8, end = 2 }"), "s.toml").unwrap();
    let mut built = scene.build::<f64, 2>(1).unwrap();
    for frame in 1..=30 {
        built.advance(frame).unwrap();
    }
    assert!(built.simulation.audit().max_speed < 1e-4);
    let written = scene.to_toml().unwrap();
    assert_eq!(Scene::parse(&written, "again").unwrap(), scene);
    let said = |damping: &str| {
        Scene::parse(&with(damping), "s.toml")
            .unwrap_err()
            .to_string()
    };
    assert!(said("{ local = 1 }").contains("physics.damping.local: local damping is 1"));
    assert!(said("{ begin = 1 }").contains("physics.damping is without effect"));
    assert!(said("{ kinetic = true, begin = 2, end = 1 }").contains("after its beginning"));
    let implicit = "{ local = 0.5 }\nintegrator = { semi_implicit = {} }";
    assert!(said(implicit).contains("damping acts in explicit steps"));
}

#[test]
fn the_scenes_of_the_page_are_built() {
    let page = include_str!("../../../../docs/initial-states.md");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/particles");
    let blocks: Vec<_> = page.split("```toml\n").skip(1).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let text = block.split("```").next().unwrap();
        let scene = Scene::parse_in(text, "page", &folder).unwrap_or_else(|e| panic!("{e}"));
        let mut built = scene.build::<f32, 2>(1).unwrap_or_else(|e| panic!("{e}"));
        built.advance(1).unwrap();
    }
}

/// Snow packed to 1.5 times its density is hardened e^{10/3} = 28 times; a limit of 20 would cut
/// that without a word, whether the packing is a parameter, a formula or a history.
#[test]
fn a_limit_below_the_hardening_of_packed_snow_is_warned_of() {
    let said = |snow: &str, object: &str| {
        let text = text(&format!("material = 'snow'\n{object}"));
        let text = text.replace("hardening = 10\n", &format!("hardening = 10\n{snow}"));
        let scene = Scene::parse(&text, "s.toml").unwrap_or_else(|e| panic!("{e}"));
        let built = scene.build::<f64, 2>(1).unwrap();
        let said: Vec<_> = built.warnings.iter().map(ToString::to_string).collect();
        said.join("\n")
    };
    let limit = |most: f64, more: &str| format!("most_hardening_factor = {most}\n{more}");
    let packed = "initial_plastic_volume = '2 / 3'\n";
    let lumps = "initial_plastic_volume = 'y > 0.5 ? 2 / 3 : 1'\n";
    let history = "initial = { history = { plastic_volume_ratio = '2 / 3' } }";
    let expected = "materials.snow.most_hardening_factor is 20, but matter that is packed from the start is hardened 28.032 times";
    for (snow, object) in [(packed, ""), (lumps, ""), ("", history)] {
        let warning = said(&limit(20.0, snow), object);
        assert!(warning.starts_with(expected), "{warning}");
        assert_eq!(warning.matches("packed from the start").count(), 1);
        assert_eq!(said(&limit(30.0, snow), object), "");
        assert_eq!(said(snow, object), "");
    }
    assert_eq!(said(&limit(20.0, ""), ""), "");
}
