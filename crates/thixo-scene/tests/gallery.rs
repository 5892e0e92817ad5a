//! Every built-in scene at the size of its preview: budgets of mass, momentum and energy, volumes, and matter that stays where it belongs.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

use thixo_scene::{Number, Precise, Rotation, Scene, gallery, with_preview};

/// What a scene must keep to.
struct Bounds {
    /// Frames of the preview that are run: enough for what the scene shows to begin.
    frames: u32,
    /// Corners of the box that holds all matter \[m\]; two numbers count in 2D.
    room: [[f64; 3]; 2],
    /// Smallest and largest volume ratio of any particle \[–\].
    volume_ratio: [f64; 2],
}

const FAR: f64 = f64::INFINITY;
/// Matter may sink this far into what holds it, in cells: contact is felt on the grid.
const DEPTH: f64 = 0.5;
/// Energy that may appear from nowhere, as a share of what the scene handles: explicit steps are not exact.
const ENERGY_ERROR: f64 = 0.01;

/// A test for every scene, and the list of them.
macro_rules! scenes {
    ($($test:ident $name:literal $bounds:expr;)*) => {
        $(#[test]
        fn $test() {
            check($name, &$bounds);
        })*

        #[test]
        fn every_scene_is_tested() {
            let names: Vec<&str> = gallery::SCENES.iter().map(|scene| scene.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

/// All that lies above a floor at height 0.
const ABOVE_FLOOR: [[f64; 3]; 2] = [[-FAR, 0.0, -FAR], [FAR; 3]];
const ANYWHERE: [[f64; 3]; 2] = [[-FAR; 3], [FAR; 3]];

const fn bounds(frames: u32, room: [[f64; 3]; 2], volume_ratio: [f64; 2]) -> Bounds {
    Bounds {
        frames,
        room,
        volume_ratio,
    }
}

scenes! {
    angle_of_repose "angle-of-repose" bounds(8, ABOVE_FLOOR, [0.6, 5.0]);
    bodies_in_current "bodies-in-current" bounds(8, [[-0.12, 0.0, 0.0], [FAR, FAR, 0.48]], [0.7, 1.5]);
    dam_break "dam-break" bounds(8, [[0.0, 0.0, -FAR], [2.0, FAR, FAR]], [0.8, 1.2]);
    falling_block "falling-block" bounds(8, ABOVE_FLOOR, [0.3, 1.2]);
    fluid_volume_loss "fluid-volume-loss" bounds(8, [[0.0, 0.0, -FAR], [2.2, FAR, FAR]], [0.7, 1.5]);
    fluids_by_four_models "fluids-by-four-models" bounds(5, [[0.0, 0.0, -FAR], [4.6, FAR, FAR]], [0.4, 5.0]);
    fountain "fountain" bounds(8, [[-0.4, 0.0, -0.7], [1.0, FAR, 0.7]], [0.9, 1.2]);
    ice_cream_belt "ice-cream-belt" bounds(8, ABOVE_FLOOR, [0.3, 1.5]);
    jelly_cube "jelly-cube" bounds(8, ABOVE_FLOOR, [0.3, 1.5]);
    jelly_drop "jelly-drop" bounds(8, ABOVE_FLOOR, [0.3, 1.2]);
    kernel_fracture "kernel-fracture" bounds(6, ABOVE_FLOOR, [0.03, 5.0]);
    numerical_fracture "numerical-fracture" bounds(8, ABOVE_FLOOR, [0.03, 5.0]);
    rayleigh_taylor "rayleigh-taylor" bounds(8, [[0.0, 0.0, -FAR], [1.0, 2.0, FAR]], [0.7, 3.0]);
    rinsed_foam "rinsed-foam" bounds(5, [[-0.5, 0.1, -FAR], [0.5, FAR, FAR]], [0.7, 1.5]);
    sand_column "sand-column" bounds(8, ABOVE_FLOOR, [0.8, 1.5]);
    sand_on_snow "sand-on-snow" bounds(4, ABOVE_FLOOR, [0.1, 10.0]);
    sand_on_torus "sand-on-torus" bounds(5, ABOVE_FLOOR, [0.6, 3.0]);
    sand_slide "sand-slide" bounds(8, [[-FAR, 0.0, 0.0], [FAR, FAR, 0.32]], [0.8, 1.5]);
    sand_spout "sand-spout" bounds(8, ABOVE_FLOOR, [0.9, 10.0]);
    shaken_foam "shaken-foam" bounds(4, [[-0.166, -0.166, -FAR], [4.966, 0.966, FAR]], [0.8, 1.2]);
    shaving_foam "shaving-foam" bounds(8, ABOVE_FLOOR, [0.7, 1.2]);
    snow_dense_parts "snow-dense-parts" bounds(4, [[-FAR, 0.0, -FAR], [0.3, FAR, FAR]], [0.1, 10.0]);
    snow_samplings "snow-samplings" bounds(5, ABOVE_FLOOR, [0.1, 10.0]);
    snowball "snowball" bounds(6, [[-FAR, 0.0, -FAR], [0.5, FAR, FAR]], [0.1, 10.0]);
    snowball_drop "snowball-drop" bounds(6, ABOVE_FLOOR, [0.1, 10.0]);
    snowball_on_sand "snowball-on-sand" bounds(5, [[-FAR, 0.0, -0.32], [FAR, FAR, 0.32]], [0.1, 10.0]);
    snowballs_collide "snowballs-collide" bounds(5, ABOVE_FLOOR, [0.1, 10.0]);
    spinning_disc "spinning-disc" bounds(8, ANYWHERE, [0.8, 1.2]);
    spiral_collision "spiral-collision" bounds(6, ANYWHERE, [0.1, 10.0]);
    sponge_shot "sponge-shot" bounds(6, [[-FAR, 0.0, -FAR], [FAR, 2.4, FAR]], [0.6, 3.0]);
    sponge_twisted "sponge-twisted" bounds(4, [[-FAR, 0.0, -FAR], [FAR, 2.4, FAR]], [0.8, 1.5]);
    stirred_mixtures "stirred-mixtures" bounds(8, [[0.0, 0.0, -FAR], [5.8, FAR, FAR]], [0.1, 30.0]);
    swept_cubes "swept-cubes" bounds(4, [[0.0, 0.0, 0.0], [2.2, FAR, 0.8]], [0.3, 10.0]);
    tank_one_model "tank-one-model" bounds(8, [[0.0, 0.0, -FAR], [2.0, FAR, FAR]], [0.8, 5.0]);
    tank_several_models "tank-several-models" bounds(8, [[0.0, 0.0, -FAR], [2.0, FAR, FAR]], [0.8, 5.0]);
    toothpaste "toothpaste" bounds(8, ABOVE_FLOOR, [0.8, 1.5]);
    varied_spheres "varied-spheres" bounds(4, ABOVE_FLOOR, [0.1, 10.0]);
    water_and_sand_jets "water-and-sand-jets" bounds(8, [[-0.4, 0.0, -0.2], [0.4, FAR, 0.2]], [0.7, 1.5]);
}

fn preview(name: &str) -> Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
    let text = with_preview(&text).unwrap();
    Scene::parse(&text, name).unwrap_or_else(|error| panic!("{error}"))
}

fn check(name: &str, bounds: &Bounds) {
    let scene = preview(name);
    match scene.dimension {
        2 => check_in::<2>(&scene, bounds),
        _ => check_in::<3>(&scene, bounds),
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn is_still(rotation: Option<&Rotation>) -> bool {
    match rotation {
        None => true,
        Some(Rotation::Plane(rate)) => *rate == 0.0,
        Some(Rotation::Space(rates)) => norm(rates) == 0.0,
    }
}

/// Whether an obstacle moves, and so gives energy.
fn is_driven(scene: &Scene) -> bool {
    let mut colliders = scene.colliders.iter();
    scene.walls.iter().any(|wall| norm(&wall.velocity) > 0.0)
        || colliders.any(|collider| {
            norm(&collider.velocity) > 0.0
                || norm(&collider.surface_velocity) > 0.0
                || !is_still(collider.angular_velocity.as_ref())
        })
}

fn check_in<const D: usize>(scene: &Scene, bounds: &Bounds)
where
    f32: Precise<D>,
{
    let Bounds {
        frames,
        room: [min, max],
        volume_ratio,
    } = *bounds;
    assert!(frames <= scene.time.frames, "{frames} frames");
    let mut built = scene.build::<f32, D>(1).unwrap();
    let depth = DEPTH * scene.grid.spacing;
    let frame_seconds = scene.time.frame_seconds();
    let gravity: [f64; D] = numbers(&scene.physics.gravity)
        .try_into()
        .unwrap_or([0.0; D]);
    let weight = norm(&gravity);
    // Heights are measured from the floor, so that matter that leaves takes energy with it.
    let floor = if min[1].is_finite() { min[1] } else { 0.0 };
    let inflow = scene
        .emitters
        .iter()
        .map(|emitter| norm(&numbers(&emitter.velocity)));
    let inflow = inflow.fold(0.0, f64::max);
    let is_free = scene.walls.is_empty() && scene.colliders.is_empty();

    let energy_of = |audit: &thixo::Audit<D>| {
        audit.kinetic + audit.elastic + audit.potential - weight * floor * audit.mass
    };
    let start = built.simulation.audit();
    let mut mass = start.mass;
    let mut energy = energy_of(&start);
    let mut top = f64::MIN;
    for particle in built.simulation.particles() {
        top = top.max(f64::from(particle.position[1]));
    }
    for frame in 1..=frames {
        let before = built.simulation.audit();
        let done = built
            .advance(frame)
            .unwrap_or_else(|error| panic!("frame {frame}: {error}"));
        let audit = built.simulation.audit();
        assert!(
            audit.particles <= 20_000,
            "frame {frame}: {} particles",
            audit.particles
        );

        let expected = mass + done.flow.emitted_mass - done.flow.removed_mass;
        assert!(
            (audit.mass - expected).abs() <= 1e-9 * expected,
            "frame {frame}: mass {} instead of {expected}",
            audit.mass
        );
        mass = expected;

        for particle in built.simulation.particles() {
            let x = particle.position.0.map(f64::from);
            top = top.max(x[1]);
            let is_inside = (0..D).all(|a| x[a] >= min[a] - depth && x[a] <= max[a] + depth);
            assert!(is_inside, "frame {frame}: a particle at {x:?}");
        }
        let [least, most] = volume_ratio;
        assert!(
            audit.j_min >= least && audit.j_max <= most,
            "frame {frame}: volume ratios from {} to {}",
            audit.j_min,
            audit.j_max
        );

        if is_free {
            for a in 0..D {
                let expected = before.momentum[a] + gravity[a] * mass * frame_seconds;
                let scale = mass * audit.max_speed;
                assert!(
                    (audit.momentum[a] - expected).abs() <= 1e-5 * scale,
                    "frame {frame}: momentum {:?}",
                    audit.momentum
                );
            }
        }
        if !is_driven(scene) {
            energy += done.flow.emitted_mass * (0.5 * inflow * inflow + weight * (top - floor));
            let handled = start.kinetic + energy.abs().max(weight * mass * (top - floor));
            assert!(
                energy_of(&audit) <= energy + ENERGY_ERROR * handled,
                "frame {frame}: energy {} J after {energy} J",
                energy_of(&audit)
            );
        }
        // Jets in corners are faster than what feeds them.
        let fastest = fastest(scene) + (2.0 * weight * (top - floor).max(0.0)).sqrt();
        assert!(
            audit.max_speed <= 2.0 * fastest,
            "frame {frame}: {} m/s, nothing should be much faster than {fastest}",
            audit.max_speed
        );
    }
    assert!(!built.simulation.is_empty());
}

/// The values of numbers that the scenes of the gallery give without formulas.
fn numbers(components: &[Number]) -> Vec<f64> {
    let value = |component: &Number| match component {
        Number::Constant(value) => *value,
        Number::Formula(text) => panic!("{text} is no number"),
    };
    components.iter().map(value).collect()
}

/// Speed that objects, emitters and obstacles give \[m/s\].
fn fastest(scene: &Scene) -> f64 {
    /// Nothing that turns is larger \[m\].
    const RADIUS: f64 = 1.5;
    let turn = |rotation: Option<&Rotation>| match rotation {
        None => 0.0,
        Some(Rotation::Plane(rate)) => RADIUS * rate.abs(),
        Some(Rotation::Space(rates)) => RADIUS * norm(rates),
    };
    let objects = scene.objects.iter();
    let objects = objects.map(|o| norm(&numbers(&o.velocity)) + turn(o.angular_velocity.as_ref()));
    let emitters = scene
        .emitters
        .iter()
        .map(|emitter| norm(&numbers(&emitter.velocity)));
    let colliders = scene.colliders.iter();
    let colliders = colliders
        .map(|c| norm(&c.velocity) + norm(&c.surface_velocity) + turn(c.angular_velocity.as_ref()));
    let given = objects.chain(emitters).fold(0.0, f64::max);
    given + colliders.fold(0.0, f64::max)
}
