//! From a scene to matter: mass, places, rotation, owners of particles, and the same scene written
//! out again.

use thixo_scene::{Objects, Scene};

fn scene(rest: &str) -> Scene {
    let head = "[grid]\nspacing = 0.05\n[time]\nframes = 1\n\
                [materials.a]\nmodel = 'neo_hookean'\ndensity = 800\nyoung_modulus = 1e4\npoisson_ratio = 0.3\n\
                [materials.b]\nmodel = 'fluid'\ndensity = 1000\nbulk_modulus = 1e5\n";
    let (dimension, rest) = rest.split_once('\n').unwrap();
    Scene::parse(&format!("{dimension}\n{head}{rest}"), "s.toml").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn mass_is_density_times_volume_whatever_the_lattice() {
    let scene = scene(
        "dimension = 3\n\
         [[objects]]\nmaterial = 'a'\nshape = { box = { min = [0.013, 0, 0], max = [0.3, 0.21, 0.2] } }\n\
         [[objects]]\nmaterial = 'b'\nshape = { sphere = { center = [1, 1, 1], radius = 0.17 } }\n\
         sampling = { grid = { per_cell = 27 } }\n",
    );
    let built = scene.build::<f64, 3>(1).unwrap();
    let expected =
        800.0 * 0.287 * 0.21 * 0.2 + 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.17f64.powi(3);
    let audit = built.simulation.audit();
    assert!((audit.mass / expected - 1.0).abs() < 1e-12);
    let particles = built.simulation.particles();
    let [(first, 0), (second, 1)] = built.objects.spans() else {
        panic!("{:?}", built.objects);
    };
    assert_eq!(first.start, 0);
    assert_eq!(first.end, second.start);
    assert_eq!(second.end as usize, particles.len());
    for particle in &particles {
        let object = built.objects.of_particle(particle.id).unwrap();
        assert_eq!(object, particle.material);
        assert_eq!(object == 1, particle.position[0] > 0.5);
    }
    assert_eq!(built.objects.of_particle(second.end), None);
    assert_eq!(Objects::default().of_particle(0), None);
}

#[test]
fn a_turning_object_has_the_angular_momentum_of_a_rigid_body() {
    let scene = scene(
        "dimension = 2\n[[objects]]\nmaterial = 'a'\nshape = { box = { min = [0, 0], max = [0.4, 0.2] } }\n\
         velocity = [1, 2]\nangular_velocity = 3\n",
    );
    let sim = scene.build::<f64, 2>(1).unwrap().simulation;
    let audit = sim.audit();
    let mass = 800.0 * 0.4 * 0.2;
    let orbit = mass * (0.2 * 2.0 - 0.1 * 1.0);
    // Point masses and their affine motion: the lattice's own moment of inertia, and h²/4 per axis
    // for the kernel.
    let d = 0.025f64;
    let lattice = mass * ((0.4f64.powi(2) - d * d) + (0.2f64.powi(2) - d * d)) / 12.0;
    let kernel = mass * 2.0 * 0.05f64.powi(2) / 4.0;
    let expected = orbit + 3.0 * (lattice + kernel);
    assert!(
        (audit.angular_momentum[2] / expected - 1.0).abs() < 1e-12,
        "{audit:?} {expected}"
    );
    assert!(
        (audit.momentum[0] - mass).abs() < 1e-12 * mass
            && (audit.momentum[1] - 2.0 * mass).abs() < 1e-12 * mass
    );
}

#[test]
fn a_scene_written_out_reads_back_equal_with_every_default() {
    let scene = scene(
        "dimension = 3\n[physics]\ntransfer = { apic_pic = { apic = 0.9 } }\nkernel = 'cubic'\n\
         [[objects]]\nmaterial = 'b'\nshape = { sphere = { center = [0.5, 0.5, 0], radius = 0.1 } }\nangular_velocity = [0, 0, 1e-3]\n\
         [[walls]]\naxis = 'y'\nposition = 0\nmatter = 'above'\ncontact = { separating = { friction = 0.1 } }\n\
         [[colliders]]\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0.1] } }\ncontact = 'sticky'\n",
    );
    let mut scene = scene;
    scene.precision = thixo_scene::Precision::F64;
    let text = scene.to_toml().unwrap();
    for key in [
        "fps = 24.0",
        "cfl = 0.6",
        "safety = 0.5",
        "longest_step = inf",
        "gravity = [0.0, 0.0, 0.0]",
        "viscosity = 0.0",
        "pressure = \"tait\"",
        "exponent = 7.0",
        "tension = \"keep\"",
        "name = \"b-0\"",
        "per_cell = 8",
        "velocity = [0.0, 0.0, 0.0]",
        "precision = \"f64\"",
    ] {
        assert!(text.contains(key), "{key} is not in\n{text}");
    }
    assert_eq!(Scene::parse(&text, "again").unwrap(), scene);
}

#[test]
fn a_scene_is_built_only_in_its_own_dimension() {
    let scene = scene(
        "dimension = 2\n[[objects]]\nmaterial = 'a'\nshape = { box = { min = [0, 0], max = [0.4, 0.2] } }\n",
    );
    assert!(scene.build::<f32, 3>(1).is_err());
    assert!(scene.build::<f32, 2>(1).is_ok());
}

/// A model and its own keys, behind density, Young's modulus and Poisson's ratio.
const MODELS: [(&str, &str); 14] = [
    ("fixed_corotated", ""),
    ("split_corotated", ""),
    ("st_venant_kirchhoff", ""),
    ("hencky", ""),
    (
        "snow",
        "critical_compression = 0.025\ncritical_stretch = 0.0075\nhardening = 10",
    ),
    (
        "snow",
        "elastic = 'split_corotated'\ncritical_compression = 0.1\ncritical_stretch = 0\nhardening = 1\nmost_plastic_volume = 2",
    ),
    (
        "snow",
        "elastic = 'neo_hookean'\ncritical_compression = 0.1\ncritical_stretch = 0\nhardening = 1",
    ),
    (
        "snow",
        "elastic = 'st_venant_kirchhoff'\ncritical_compression = 0.1\ncritical_stretch = 0\nhardening = 1",
    ),
    (
        "snow",
        "elastic = 'hencky'\ncritical_compression = 0.1\ncritical_stretch = 0\nhardening = 1\nplastic_volume = 'preserved'",
    ),
    (
        "drucker_prager",
        "friction_angle = 30\nfriction_match = 'plane_strain'",
    ),
    (
        "drucker_prager",
        "friction_hardening = { h0 = 35, h1 = 9, h2 = 0.3, h3 = 10 }\nvolume_correction = 'off'\ncohesion = 10",
    ),
    ("von_mises", "yield_stress = 100"),
    (
        "herschel_bulkley",
        "yield_stress = 100\nviscosity = 2\nexponent = 0.5",
    ),
    (
        "multiplicative_plasticity",
        "yield_stress = 100\nyield_rate = 3\nhardening = -5",
    ),
];

#[test]
fn every_model_reads_back_equal_and_moves() {
    for (model, rest) in MODELS {
        let text = format!(
            "dimension = 2\n[grid]\nspacing = 0.05\n[time]\nframes = 1\n[physics]\ngravity = [0, -9.81]\n\
             [materials.m]\nmodel = '{model}'\ndensity = 400\nyoung_modulus = 1e5\npoisson_ratio = 0.3\n{rest}\n\
             [[objects]]\nmaterial = 'm'\nshape = {{ box = {{ min = [0, 0], max = [0.2, 0.2] }} }}\n\
             [[colliders]]\nshape = {{ complement = {{ box = {{ min = [0, 0], max = [1, 1] }} }} }}\ncontact = 'slip'\n"
        );
        let scene = Scene::parse(&text, model).unwrap_or_else(|error| panic!("{error}"));
        let again = scene.to_toml().unwrap();
        assert_eq!(Scene::parse(&again, "again").unwrap(), scene, "{again}");
        let mut built = scene.build::<f32, 2>(1).unwrap();
        built.simulation.advance(0.01).unwrap();
        let audit = built.simulation.audit();
        assert!(
            (audit.mass / 16.0 - 1.0).abs() < 1e-6,
            "{model}: {}",
            audit.mass
        );
        assert!(audit.kinetic.is_finite(), "{model}");
    }
}

#[test]
fn packed_snow_weighs_more() {
    let scene = Scene::parse(
        "dimension = 3\n[grid]\nspacing = 0.05\n[time]\nframes = 1\n\
         [materials.m]\nmodel = 'snow'\ndensity = 400\nyoung_modulus = 1e5\npoisson_ratio = 0.2\n\
         critical_compression = 0.025\ncritical_stretch = 0.0075\nhardening = 10\ninitial_plastic_volume = 0.8\n\
         [[objects]]\nmaterial = 'm'\nshape = { box = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] } }\n",
        "s.toml",
    )
    .unwrap();
    let built = scene.build::<f64, 3>(1).unwrap();
    let particles = built.simulation.particles();
    let volume: f64 = particles
        .iter()
        .map(|p| p.rest_volume * p.volume_ratio)
        .sum();
    assert!((volume / 0.008 - 1.0).abs() < 1e-12, "{volume}");
    assert!((built.simulation.audit().mass / (0.008 * 400.0 / 0.8) - 1.0).abs() < 1e-12);
}

#[test]
fn every_collider_reads_back_equal() {
    let shapes = [
        "{ sphere = { center = [9, 9, 9], radius = 1 } }",
        "{ capsule = { start = [9, 9, 9], end = [9, 9, 8], radius = 1 } }",
        "{ cylinder = { start = [9, 9, 9], end = [9, 9, 8], radius = 1 } }",
        "{ cone = { base = [9, 9, 9], tip = [9, 9, 8], radius = 1 } }",
        "{ torus = { center = [9, 9, 9], axis = [0, 0, 2], ring = 2, tube = 1 } }",
        "{ complement = { box = { min = [0, 0, 0], max = [1, 1, 1] } } }",
        "{ half_space = { point = [0, 0, -9], normal = [0, 0, 1] } }",
        "{ ellipsoid = { center = [9, 9, 9], radii = [1, 2, 3] } }",
        "{ moved = { shape = { sphere = { center = [9, 0, 0], radius = 1 } }, scale = [1, 2, 1], rotation = { euler = [10, 20, 0] }, translation = [0, 9, 9] } }",
        "{ moved = { shape = { sphere = { center = [9, 0, 0], radius = 1 } }, scale = 0.5, rotation = { axis = [0, 0, 1], angle = -30 } } }",
        "{ union = [{ sphere = { center = [9, 9, 9], radius = 1 } }, { sphere = { center = [9, 9, 8], radius = 1 } }] }",
        "{ intersection = [{ plane = { point = [0, 0, -9], normal = [0, 0, 1] } }, { sphere = { center = [9, 9, 8], radius = 1 } }] }",
        "{ difference = { from = { plane = { point = [0, 0, -9], normal = [0, 0, 1] } }, taken = { sphere = { center = [9, 9, 8], radius = 1 } } } }",
    ];
    let mut text = "dimension = 3\n[[objects]]\nmaterial = 'a'\nshape = { box = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] } }\n".to_owned();
    for shape in shapes {
        text += &format!(
            "[[colliders]]\nshape = {shape}\ncontact = 'slip'\nangular_velocity = [0, 0, 1]\npivot = [9, 9, 9]\nsurface_velocity = [1, 0, 0]\n"
        );
    }
    // The turning container would leave its matter behind: only its start is looked at.
    let scene = scene(&text);
    let again = scene.to_toml().unwrap();
    assert_eq!(Scene::parse(&again, "again").unwrap(), scene, "{again}");
    assert!(scene.build::<f32, 3>(1).is_ok());
}

/// Momentum along x after a moment beside an obstacle, from rest.
fn pushed(collider: &str) -> f64 {
    let scene = scene(&format!(
        "dimension = 2\n[[objects]]\nmaterial = 'a'\nshape = {{ box = {{ min = [0, 0], max = [0.4, 0.2] }} }}\n\
         [[colliders]]\n{collider}\ncontact = 'glued'\n"
    ));
    let mut simulation = scene.build::<f64, 2>(1).unwrap().simulation;
    simulation.advance(0.05).unwrap();
    simulation.audit().momentum[0]
}

#[test]
fn obstacles_move_turn_and_run() {
    let left = "shape = { box = { min = [-0.5, -1], max = [0, 1] } }";
    let floor = "shape = { plane = { point = [0, 0], normal = [0, 1] } }";
    assert_eq!(pushed(left), 0.0);
    assert!(pushed(&format!("{left}\nvelocity = [1, 0]")) > 1.0);
    // Clockwise about a point below, the upper part moves to the right.
    let turning = format!("{left}\nangular_velocity = -1\npivot = [-0.25, -1]");
    assert!(pushed(&turning) > 1.0);
    assert!(pushed(&format!("{floor}\nsurface_velocity = [1, 0]")) > 1.0);
}

#[test]
fn viscous_matter_that_shears_has_its_stress_from_the_start_with_every_transfer() {
    for transfer in ["pic", "flip", "rpic", "apic", "mls"] {
        let text = format!(
            "dimension = 2\nprecision = 'f64'\n[grid]\nspacing = 0.05\n[time]\nframes = 1\n[physics]\ntransfer = '{transfer}'\n\
             [materials.oil]\nmodel = 'fluid'\ndensity = 900\nbulk_modulus = 1e5\nviscosity = 3\n\
             [[objects]]\nmaterial = 'oil'\nshape = {{ box = {{ min = [0, 0], max = [0.4, 0.2] }} }}\nvelocity = ['2 * y', 0]\n"
        );
        let scene = Scene::parse(&text, "s.toml").unwrap_or_else(|e| panic!("{e}"));
        let sim = scene.build::<f64, 2>(1).unwrap().simulation;
        for p in sim.particles() {
            let stress = p.kirchhoff_stress[0][1];
            assert!((stress - 6.0).abs() < 1e-9, "{transfer}: {stress}");
        }
    }
}
