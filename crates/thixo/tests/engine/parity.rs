//! Two ways to compute the same step agree: fused and staged, AVX2 and portable, any order of the
//! particles.
//!
//! All runs make steps of a given length: left to itself the fused path chooses a step before it
//! knows how the last one ended, so that its steps are others than those of the staged path.
//! Measured differences are a tenth of the bounds or less.

use crate::matter::{
    Apart, H, Matter, Random, apart, block, both, moving, plane, setup, simulation,
};
use thixo::collide::shape::{Cuboid, Moving, SteadyMotion};
use thixo::{
    ActsOn, BodyForce, Collider, Contact, Isa, Path, Plane, Seed, Setup, Side, Simulation, Wall,
};

/// Surroundings of the test matter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scene {
    Open,
    Walled,
    Periodic,
    /// Obstacles with all that they can do.
    Obstacles,
}

/// Length of all steps \[s\].
const DT: f64 = 5e-4;

const SCENES: [Scene; 4] = [
    Scene::Open,
    Scene::Walled,
    Scene::Periodic,
    Scene::Obstacles,
];

fn surroundings<const D: usize>(scene: Scene) -> Setup<D> {
    let mut setup = setup();
    setup.body_force =
        BodyForce::field(|x: [f64; D], t| plane(3.0 * (9.0 * t).sin(), -9.81 - x[0]));
    match scene {
        Scene::Open => {}
        Scene::Walled => {
            let friction = Contact::Separating { friction: 0.3 };
            setup.walls.push(Wall::new(1, 0.0, Side::Above, friction));
            setup
                .walls
                .push(Wall::new(0, 0.0, Side::Above, Contact::Sticky));
            let across = D - 1;
            setup
                .walls
                .push(Wall::new(across, 11.0 * H, Side::Below, Contact::Slip));
            let ramp = Plane::new(plane(0.9, 0.0), plane(-1.0, 1.0)).expect("a plane");
            setup
                .colliders
                .push(Collider::new(ramp, friction).expect("a collider"));
        }
        Scene::Periodic => {
            setup.periods[0] = Some(12);
            setup.periods[D - 1] = Some(8);
        }
        Scene::Obstacles => setup.colliders = obstacles(),
    }
    setup
}

/// A floor that holds the two materials differently and acts on particles, and a thin plate that
/// comes from above.
fn obstacles<const D: usize>() -> Vec<Collider<D>> {
    let floor = Plane::new(plane(0.0, 0.03), plane(0.1, 1.0)).expect("a plane");
    let floor = Collider::new(floor, Contact::Separating { friction: 0.3 })
        .and_then(|floor| floor.for_material(1, Contact::Sticky))
        .expect("a collider")
        .acting_on(ActsOn::GridAndParticles);
    let (mut low, mut high) = ([-9.0; D], [9.0; D]);
    (low[1], high[1]) = (6.3 * H, 6.6 * H);
    let plate = Cuboid::new(low, high).expect("a plate");
    let motion = SteadyMotion::new([0.0; D], plane(0.0, -2.0), [0.0; 3]).expect("a motion");
    let plate = Collider::new(Moving::new(plate, motion), Contact::Slip).expect("a collider");
    vec![floor, plate]
}

/// Rubber above honey, the two interleaved in a layer, stirred so that particles change cells.
fn bodies<const D: usize>() -> [Vec<Seed<D>>; 2] {
    let stir = |x: [f64; D]| {
        let mut v = plane(3.0 + 4.0 * x[1], -3.0 * x[0]);
        if D == 3 {
            v[2] = 2.0 * (x[0] - x[1]);
        }
        v
    };
    let mut low = [2.0; D];
    let mut cells = [4; D];
    cells[1] = 3;
    low[1] = 0.5;
    let honey = moving(block(low, cells), stir);
    low[1] = 3.0;
    let rubber = moving(block(low.map(|x| x + 0.1), cells), stir);
    [rubber, honey]
}

fn start<T: Matter<D>, const D: usize>(
    scene: Scene,
    change: impl Fn(&mut Setup<D>),
) -> Simulation<T, D> {
    let mut setup = surroundings(scene);
    change(&mut setup);
    let mut sim = simulation(setup, both::<T, D>());
    for (material, seeds) in bodies().iter().enumerate() {
        sim.add(material, seeds).expect("possible particles");
    }
    sim
}

/// Runs both for some frames and returns how far they are apart.
fn run<T: Matter<D>, const D: usize>(a: &mut Simulation<T, D>, b: &mut Simulation<T, D>) -> Apart {
    let (mut steps, mut sorts) = (0, 0);
    for frame in 0..3 {
        for sim in [&mut *a, &mut *b] {
            let report = sim
                .run_steps(DT, 80)
                .unwrap_or_else(|e| panic!("frame {frame}: {e}"));
            steps += report.steps;
            sorts += report.sorts;
        }
    }
    assert!(steps > 50 && sorts > 2, "{steps} steps, {sorts} sorts");
    apart(a, b, None)
}

fn paths<T: Matter<D>, const D: usize>(bound: f64) {
    for scene in SCENES {
        let mut fused = start::<T, D>(scene, |_| {});
        let mut staged = start::<T, D>(scene, |setup| setup.path = Path::Staged);
        let apart = run(&mut fused, &mut staged);
        println!("{} {D}D {scene:?}: {apart:?}", T::NAME);
        assert!(
            apart.worst() < bound,
            "{} {D}D {scene:?}: {apart:?}",
            T::NAME
        );
    }
}

#[test]
fn fused_is_staged_in_single_precision() {
    paths::<f32, 2>(2e-3);
    paths::<f32, 3>(2e-3);
}

#[test]
fn fused_is_staged_in_double_precision() {
    paths::<f64, 2>(5e-12);
    paths::<f64, 3>(5e-12);
}

#[test]
fn a_change_of_a_millionth_would_be_seen() {
    let mut fused = start::<f64, 2>(Scene::Walled, |_| {});
    let mut other = start::<f64, 2>(Scene::Walled, |setup| {
        setup.path = Path::Staged;
        setup.body_force = BodyForce::field(|x: [f64; 2], t| {
            [3.0 * (9.0 * t).sin(), (-9.81 - x[0]) * (1.0 + 1e-6)]
        });
    });
    assert!(run(&mut fused, &mut other).worst() > 1e-9);
}

fn instruction_sets<T: Matter<D>, const D: usize>(bound: f64) {
    for path in [Path::Fused, Path::Staged] {
        let on = |isa: Isa| {
            start::<T, D>(Scene::Walled, |setup| {
                setup.isa = Some(isa);
                setup.path = path;
            })
        };
        let (mut portable, mut native) = (on(Isa::portable()), on(Isa::detect()));
        assert_eq!(portable.isa().name(), "portable");
        let apart = run(&mut portable, &mut native);
        println!("{} {D}D {path:?}: {apart:?}", T::NAME);
        assert!(
            apart.worst() < bound,
            "{} {D}D {path:?}: {apart:?}",
            T::NAME
        );
    }
}

#[test]
fn instruction_sets_agree_within_rounding() {
    instruction_sets::<f32, 2>(1e-4);
    instruction_sets::<f32, 3>(1e-4);
    instruction_sets::<f64, 2>(1e-12);
    instruction_sets::<f64, 3>(1e-12);
}

fn order<T: Matter<D>, const D: usize>(bound: f64) {
    let mut sorted = start::<T, D>(Scene::Walled, |_| {});
    let mut shuffled = simulation(surroundings(Scene::Walled), both::<T, D>());
    // Identifier in `shuffled` of every particle of `sorted`.
    let mut partner = Vec::new();
    for (material, seeds) in bodies::<D>().iter().enumerate() {
        let mut places: Vec<usize> = (0..seeds.len()).collect();
        Random(7).shuffle(&mut places);
        let mixed: Vec<_> = places.iter().map(|&k| seeds[k]).collect();
        let first = shuffled.add(material, &mixed).expect("possible particles");
        let mut inverse = vec![0; seeds.len()];
        for (place, &k) in places.iter().enumerate() {
            inverse[k] = first as usize + place;
        }
        partner.extend(inverse);
    }
    for sim in [&mut sorted, &mut shuffled] {
        for _ in 0..3 {
            sim.run_steps(DT, 80).expect("stable steps");
        }
    }
    let right = apart(&sorted, &shuffled, Some(&partner));
    println!("{} {D}D: {right:?}", T::NAME);
    assert!(right.worst() < bound, "{} {D}D: {right:?}", T::NAME);
    assert!(apart(&sorted, &shuffled, None).worst() > 0.1);
}

#[test]
fn the_order_of_the_particles_is_no_physics() {
    order::<f32, 2>(1e-4);
    order::<f32, 3>(1e-4);
    order::<f64, 2>(1e-12);
    order::<f64, 3>(1e-12);
}
