//! The projection: same bits on any threads and after a restart, matter from soft to incompressible
//! in one scene, refusals.

use crate::matter::{H, Random, bits, block, moving, plane, rubber, setup};
use thixo::collide::shape::{Moving, Sphere, SteadyMotion};
use thixo::integrate::Integrator;
use thixo::integrate::implicit::Optimization;
use thixo::material::Material;
use thixo::material::elastic::SplitCorotated;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::projection::Projection;
use thixo::{
    BodyForce, BuildError, Collider, Contact, Instance, Plane, ProjectionSolve, Setup, Side,
    Simulation, StepError, Wall,
};

/// Laws with all stiffnesses: solids of ν = 0.3, 0.49 and ½, an incompressible and a Tait fluid.
trait Laws<const D: usize>: Instance<D> {
    fn soft_to_incompressible() -> Vec<Box<dyn Material<Self, D>>>;
}

macro_rules! laws {
    ($($t:ident $d:literal),*) => {$(
        impl Laws<$d> for $t {
            fn soft_to_incompressible() -> Vec<Box<dyn Material<Self, $d>>> {
                let solid = |nu| SplitCorotated::from_young_poisson(2.0e4, nu, $d).unwrap().into();
                let tait = PressureLaw::Tait { exponent: 7.0 };
                vec![
                    solid(0.3),
                    solid(0.49),
                    solid(0.5),
                    WeaklyCompressible::incompressible(1.0).unwrap().into(),
                    WeaklyCompressible::new(1.0e5, 0.0, tait).unwrap().into(),
                ]
            }
        }
    )*};
}

laws!(f32 2, f32 3, f64 2, f64 3);

/// Setup of the projection with gravity and a floor.
fn floored<const D: usize>() -> Setup<D> {
    let mut setup = setup::<D>().with_integrator(Integrator::Projection(Projection::default()));
    setup.body_force = BodyForce::Uniform(plane(0.0, -9.81));
    setup
        .walls
        .push(Wall::new(1, 0.0, Side::Above, Contact::Slip));
    setup
}

/// Blocks of all matter fall on each other, on a floor, a slope and a ball that flies through.
fn busy<T: Laws<D>, const D: usize>(threads: usize, push: f64) -> Simulation<T, D> {
    beside_slope(threads, push, |slope| slope)
}

/// The same with a slope that is told more.
fn beside_slope<T: Laws<D>, const D: usize>(
    threads: usize,
    push: f64,
    told: impl Fn(Collider<D>) -> Collider<D>,
) -> Simulation<T, D> {
    let mut setup = floored::<D>().with_threads(threads);
    let slope = Plane::new(plane(-H, 0.0), plane(0.8, 0.6)).unwrap();
    let contact = Contact::Separating { friction: 0.3 };
    setup
        .colliders
        .push(told(Collider::new(slope, contact).unwrap()));
    let ball = Sphere::new(plane(25.0 * H, 3.0 * H), 2.2 * H).unwrap();
    let motion = SteadyMotion::new(plane(25.0 * H, 3.0 * H), plane(-2.0, 0.5), [0.0; 3]).unwrap();
    let flying = Moving::new(ball, motion);
    setup
        .colliders
        .push(Collider::new(flying, Contact::Sticky).unwrap());
    let materials = T::soft_to_incompressible();
    let count = materials.len();
    let mut sim = Simulation::new(setup, materials).unwrap();
    let mut random = Random(7);
    for material in 0..count {
        let mut low = [0.5; D];
        low[0] = 4.0 * material as f64 + 0.5;
        let seeds = random.jitter(block(low, [4; D]), 0.15);
        let seeds = moving(seeds, |x| plane(1.0 - 2.0 * x[1], push - 1.0));
        sim.add(material, &seeds).unwrap();
    }
    sim
}

fn same_bits<T: Laws<D>, const D: usize>(frame: f64) {
    let run = |threads, push| {
        let mut sim = busy::<T, D>(threads, push);
        assert_eq!(sim.threads(), threads);
        for _ in 0..3 {
            let report = sim.advance(frame).unwrap();
            assert!(report.effort.pressure > 0, "a pressure is solved for");
        }
        bits(&sim)
    };
    let one = run(1, 0.0);
    for threads in [2, 3] {
        assert!(
            run(threads, 0.0) == one,
            "{} {D}D, {threads} threads",
            T::NAME
        );
    }
    assert!(
        run(1, 1e-6) != one,
        "bits show a push of a micrometre per second"
    );
}

#[test]
fn threads_change_no_bit_of_the_projection() {
    same_bits::<f64, 2>(0.05);
    same_bits::<f32, 2>(0.05);
    same_bits::<f64, 3>(0.02);
}

/// What solids at rest cut of the grid is computed once, also where others fly by.
#[test]
fn solids_that_are_stated_to_be_at_rest_change_no_bit() {
    let run = |told: fn(Collider<2>) -> Collider<2>| {
        let mut sim = beside_slope::<f64, 2>(1, 0.0, told);
        for _ in 0..4 {
            sim.advance(0.05).unwrap();
        }
        bits(&sim)
    };
    assert!(run(|slope| slope) == run(Collider::at_rest));
}

fn continued<T: Laws<D>, const D: usize>(frame: f64) {
    let mut whole = busy::<T, D>(1, 0.0);
    whole.advance(frame).unwrap();
    whole.advance(0.7 * frame).unwrap();
    let mut bytes = Vec::new();
    whole.save(&mut bytes).unwrap();
    let mut second = busy::<T, D>(2, 0.0);
    second.restore(&mut bytes.as_slice()).unwrap();
    assert!(bits(&second) == bits(&whole), "what was saved");
    for sim in [&mut whole, &mut second] {
        sim.advance(frame).unwrap();
        sim.advance(frame).unwrap();
    }
    assert!(bits(&second) == bits(&whole), "{} {D}D", T::NAME);
    assert_eq!(second.contact_impulses(), whole.contact_impulses());
}

#[test]
fn a_projection_goes_on_bit_for_bit() {
    continued::<f64, 2>(0.05);
    continued::<f32, 3>(0.02);
}

/// Blocks side by side on a floor between walls, each under its weight for a while: the softer the
/// more it gives, and what is incompressible keeps its volume.
#[test]
fn matter_from_soft_to_incompressible_stands_side_by_side() {
    let mut setup = floored::<2>();
    for (x, side) in [(0.0, Side::Above), (20.0 * H, Side::Below)] {
        setup.walls.push(Wall::new(0, x, side, Contact::Slip));
    }
    let materials = <f64 as Laws<2>>::soft_to_incompressible();
    let mut sim = Simulation::new(setup, materials).unwrap();
    for material in 0..5 {
        let low = [4.0 * material as f64, 0.0];
        sim.add(material, &block(low, [4, 8])).unwrap();
    }
    let mut volumes = [0.0; 5];
    let looks = 20;
    for _ in 0..looks {
        sim.advance(0.05).unwrap();
        for p in sim.particles() {
            volumes[p.material] += p.volume_ratio / f64::from(looks) / 128.0;
        }
    }
    let [soft, stiff, solid, fluid, tait] = volumes;
    assert!(soft < 0.99 && soft < stiff && soft < tait, "{volumes:?}");
    assert!(stiff < 1.0 - 1e-4 && tait < 1.0 - 1e-4, "{volumes:?}");
    // Particles at the surface, where no cell has a pressure, are between what cells tell them.
    assert!((solid - 1.0).abs() < 1e-2, "{volumes:?}");
    assert!((fluid - 1.0).abs() < 1e-3, "{volumes:?}");
}

#[test]
fn a_law_without_a_split_is_refused_by_the_projection() {
    let materials: Vec<Box<dyn Material<f64, 2>>> = vec![rubber().into()];
    let refused = Simulation::new(floored(), materials).map(|_| ());
    refused!(
        refused.unwrap_err(),
        BuildError::NoSplit {
            material: "neo_hookean"
        }
    );
}

#[test]
fn incompressible_matter_is_refused_by_other_integrators() {
    let integrators = [
        (Integrator::Explicit, "explicit"),
        (
            Integrator::Optimization(Optimization::default()),
            "optimization",
        ),
    ];
    for (integrator, name) in integrators {
        for index in [2, 3] {
            let mut laws = <f64 as Laws<2>>::soft_to_incompressible();
            let law = vec![laws.swap_remove(index)];
            let refused = Simulation::new(setup::<2>().with_integrator(integrator), law);
            let error = refused.map(|_| ()).unwrap_err();
            let BuildError::Incompressible { integrator, .. } = error else {
                panic!("{error:?}");
            };
            assert_eq!(integrator, name);
            crate::matter::refusal::reads_well(&error);
        }
    }
}

/// A box of 8² cells full of water whose particles have `closer` times their volumes, below a lid
/// that comes down with a velocity \[m/s\].
fn closed_box(closer: f64, lid: f64) -> Simulation<f64, 2> {
    let mut setup = floored::<2>();
    for (x, side) in [(0.0, Side::Above), (8.0 * H, Side::Below)] {
        setup.walls.push(Wall::new(0, x, side, Contact::Slip));
    }
    let above = Plane::new(plane(0.0, 8.0 * H), plane(0.0, -1.0)).unwrap();
    let motion = SteadyMotion::new(plane(0.0, 0.0), plane(0.0, lid), [0.0; 3]).unwrap();
    let lid = Collider::new(Moving::new(above, motion), Contact::Slip).unwrap();
    setup.colliders.push(lid);
    let mut laws = <f64 as Laws<2>>::soft_to_incompressible();
    let mut sim = Simulation::new(setup, vec![laws.swap_remove(3)]).unwrap();
    let mut seeds = block([0.0; 2], [8; 2]);
    for seed in &mut seeds {
        seed.mass *= closer;
        seed.rest_volume *= closer;
    }
    sim.add(0, &seeds).unwrap();
    sim
}

#[test]
fn a_full_box_stands_and_an_overfull_one_is_refused() {
    let mut full = closed_box(1.0, 0.0);
    full.advance(0.1).unwrap();
    let error = closed_box(1.1, 0.0).advance(0.1).unwrap_err();
    let StepError::Overfilled { volume, room, .. } = error else {
        panic!("{error}");
    };
    assert!((room / (64.0 * H * H) - 1.0).abs() < 1e-9, "{error}");
    // Cells at the lid count as full at most.
    assert!((1.07..1.1).contains(&(volume / room)), "{error}");
    assert!(error.to_string().contains("a free surface or a sink"));
}

#[test]
fn a_lid_that_comes_down_on_a_full_box_is_refused() {
    let error = closed_box(1.0, -0.1).advance(0.1).unwrap_err();
    let StepError::IncompatibleInflow { rate, time, .. } = error else {
        panic!("{error}");
    };
    assert!((rate / (0.1 * 8.0 * H) - 1.0).abs() < 1e-6, "{error}");
    assert!(time < 0.1);
    // What leaves no cell empty and is lighter than it should be may be pressed together.
    closed_box(0.9, -0.1).advance(0.1).unwrap();
}

/// A ball that moves about in a closed box takes on one side what it leaves on the other.
#[test]
fn a_ball_may_stir_a_full_box() {
    let mut sim = stirred_box(2.0);
    for _ in 0..5 {
        sim.advance(0.02).unwrap();
    }
    let particles = sim.particles();
    let fastest = particles.iter().map(|p| p.velocity.norm());
    assert!(fastest.fold(0.0, f64::max) > 0.5);
}

/// A closed box of 12² cells full of water around a ball that moves and turns \[m/s\].
fn stirred_box(speed: f64) -> Simulation<f64, 2> {
    let mut setup = floored::<2>();
    for (axis, x, side) in [
        (0, 0.0, Side::Above),
        (0, 12.0 * H, Side::Below),
        (1, 12.0 * H, Side::Below),
    ] {
        setup.walls.push(Wall::new(axis, x, side, Contact::Slip));
    }
    let (middle, radius) = (plane(4.3 * H, 6.2 * H), 2.3 * H);
    let ball = Sphere::new(middle, radius).unwrap();
    let motion = SteadyMotion::new(middle, plane(0.1 * speed, 0.0), [0.0, 0.0, speed / radius]);
    let ball = Moving::new(ball, motion.unwrap());
    setup
        .colliders
        .push(Collider::new(ball, Contact::Glued).unwrap());
    let mut laws = <f64 as Laws<2>>::soft_to_incompressible();
    let mut sim = Simulation::new(setup, vec![laws.swap_remove(3)]).unwrap();
    let mut seeds = block([0.0; 2], [12; 2]);
    seeds.retain(|seed| {
        let [x, y] = [0, 1].map(|a| seed.position[a] - middle[a]);
        x.hypot(y) > radius
    });
    sim.add(0, &seeds).unwrap();
    sim
}

/// A lid that slides over fluid at rest limits the first step as it does those that follow.
#[test]
fn the_first_step_knows_the_speed_of_a_lid() {
    for (contact, is_limited) in [(Contact::Glued, true), (Contact::Slip, false)] {
        let mut setup = setup::<2>().with_integrator(Integrator::Projection(Projection::default()));
        let mut lid = Wall::new(1, 8.0 * H, Side::Below, contact);
        lid.velocity = plane(1.0, 0.0);
        setup.walls.push(lid);
        let mut laws = <f64 as Laws<2>>::soft_to_incompressible();
        let mut sim = Simulation::new(setup, vec![laws.swap_remove(3)]).unwrap();
        sim.add(0, &block([0.0; 2], [8; 2])).unwrap();
        let step = sim.forecast().unwrap().step;
        assert_eq!(step <= H, is_limited, "{contact:?} {step}");
        assert_eq!(sim.advance(20.0 * H).unwrap().retries, 0);
    }
}

#[test]
fn contacts_with_single_materials_are_refused_by_the_projection() {
    let floor = Plane::new(plane(0.0, 0.0), plane(0.0, 1.0)).unwrap();
    let floor = Collider::new(floor, Contact::Slip).unwrap();
    let mut setup = floored::<2>();
    setup.colliders.push(floor.clone());
    setup
        .colliders
        .push(floor.for_material(0, Contact::Sticky).unwrap());
    let refused = Simulation::new(setup, <f64 as Laws<2>>::soft_to_incompressible()).map(|_| ());
    refused!(
        refused.unwrap_err(),
        BuildError::ContactByMaterial { index: 1 }
    );
}

/// A solve of too few iterations is not used, and the message says what to do.
#[test]
fn a_pressure_that_was_not_found_is_not_used() {
    let mut setup = floored::<2>();
    let options = Projection::default()
        .with_iterations(1)
        .with_tolerance(1e-13);
    setup.integrator = Integrator::Projection(options);
    let mut laws = <f64 as Laws<2>>::soft_to_incompressible();
    let mut sim = Simulation::new(setup, vec![laws.swap_remove(3)]).unwrap();
    sim.add(0, &block([0.0; 2], [8, 5])).unwrap();
    let error = sim.advance(0.1).unwrap_err();
    let StepError::ProjectionNotConverged {
        solve, iterations, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((solve, iterations), (ProjectionSolve::Pressure, 1));
    assert!(error.to_string().contains("physics.integrator.projection"));
}
