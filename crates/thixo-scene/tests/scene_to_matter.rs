//! What a scene becomes: mass, places, rotation, owners of particles, and the same scene written out again.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

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
    let ranges = built.objects.ranges();
    assert_eq!(ranges[0].start, 0);
    assert_eq!(ranges[0].end, ranges[1].start);
    assert_eq!(ranges[1].end as usize, particles.len());
    for particle in &particles {
        let object = built.objects.of_particle(particle.id).unwrap();
        assert_eq!(object, particle.material);
        assert_eq!(object == 1, particle.position[0] > 0.5);
    }
    assert_eq!(built.objects.of_particle(ranges[1].end), None);
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
    // Point masses and their affine motion: the lattice's own moment of inertia, and h²/4 per axis for the kernel.
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
