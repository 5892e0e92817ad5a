//! Every built-in scene at the size of its preview: budgets of mass, momentum and energy, volumes, and matter that stays where it belongs.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

use thixo_scene::{Precise, Rotation, Scene, gallery, with_preview};

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
ROWS
}

fn preview(name: &str) -> Scene {
    let text = gallery::find(name).unwrap().text;
    let text = with_preview(text).unwrap();
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
    let gravity: [f64; D] = scene.physics.gravity.clone().try_into().unwrap_or([0.0; D]);
    let weight = norm(&gravity);
    // Heights are measured from the floor, so that matter that leaves takes energy with it.
    let floor = if min[1].is_finite() { min[1] } else { 0.0 };
    let inflow = scene.emitters.iter().map(|emitter| norm(&emitter.velocity));
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
        top = top.max(particle.position[1]);
    }
    for frame in 1..=frames {
        let before = built.simulation.audit();
        let done = built.advance(frame).unwrap_or_else(|error| panic!("frame {frame}: {error}"));
        let audit = built.simulation.audit();

        let expected = mass + done.flow.emitted_mass - done.flow.removed_mass;
        assert!(
            (audit.mass - expected).abs() <= 1e-9 * expected,
            "frame {frame}: mass {} instead of {expected}",
            audit.mass
        );
        mass = expected;

        for particle in built.simulation.particles() {
            let x = particle.position;
            top = top.max(x[1]);
            let is_inside =
                (0..D).all(|a| x[a] >= min[a] - depth && x[a] <= max[a] + depth);
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
        let fastest = fastest(scene) + (2.0 * weight * (top - floor).max(0.0)).sqrt();
        assert!(
            audit.max_speed <= 1.5 * fastest,
            "frame {frame}: {} m/s, nothing should be much faster than {fastest}",
            audit.max_speed
        );
    }
    assert!(!built.simulation.is_empty());
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
    let objects = objects.map(|o| norm(&o.velocity) + turn(o.angular_velocity.as_ref()));
    let emitters = scene.emitters.iter().map(|emitter| norm(&emitter.velocity));
    let colliders = scene.colliders.iter();
    let colliders = colliders.map(|c| {
        norm(&c.velocity) + norm(&c.surface_velocity) + turn(c.angular_velocity.as_ref())
    });
    let given = objects.chain(emitters).fold(0.0, f64::max);
    given + colliders.fold(0.0, f64::max)
}
