//! Implicit steps: they do what explicit ones do where both can, and go on where explicit ones
//! cannot.

use crate::matter::{DENSITY, H, Matter, bits, block, setup, simulation};
use thixo::collide::shape::{Moving, SteadyMotion};
use thixo::integrate::implicit::{
    Integrator, LinearSolver, Newton, Optimization, Preconditioner, SemiImplicit, Xpbd,
};
use thixo::material::Material;
use thixo::material::elastic::NeoHookean;
use thixo::material::plastic::{DruckerPrager, FrictionHardening, HerschelBulkley, VonMises};
use thixo::transfer::Advection;
use thixo::{
    BodyForce, BuildError, Collider, Contact, Plane, Seed, Setup, Side, Simulation, StepError,
    Transfer, Unsolved, Wall,
};

/// Every way of solving, to tight tolerances.
fn integrators() -> Vec<Integrator> {
    let exact = SemiImplicit::default().with_tolerance(1e-10);
    vec![
        Integrator::SemiImplicit(exact),
        Integrator::SemiImplicit(
            exact
                .with_solver(LinearSolver::Minres)
                .with_preconditioner(Preconditioner::Mass),
        ),
        Integrator::Newton(Newton::default().with_tolerance(1e-9)),
        Integrator::Optimization(Optimization::default().with_tolerance(1e-9)),
        Integrator::Xpbd(Xpbd::default()),
    ]
}

fn rubber<T: Matter<D>, const D: usize>(young_modulus: f64) -> Vec<Box<dyn Material<T, D>>> {
    let law = NeoHookean::from_young_poisson(young_modulus, 0.3).expect("possible rubber");
    vec![T::solid(law)]
}

fn gravity<const D: usize>() -> BodyForce<D> {
    let mut g = [0.0; D];
    g[1] = -10.0;
    BodyForce::Uniform(g)
}

/// A block that stands on y = 0.
fn standing<const D: usize>(setup: Setup<D>, young_modulus: f64) -> Simulation<f64, D>
where
    f64: Matter<D>,
{
    let mut sim = simulation(setup, rubber::<f64, D>(young_modulus));
    sim.add(0, &block([0.0; D], [4; D]))
        .expect("possible particles");
    sim
}

/// The largest distance between the same particles of two simulations \[m\].
fn distance<const D: usize>(a: &Simulation<f64, D>, b: &Simulation<f64, D>) -> f64
where
    f64: Matter<D>,
{
    let pairs = a.particles().into_iter().zip(b.particles());
    pairs
        .map(|(a, b)| (a.position - b.position).norm())
        .fold(0.0, f64::max)
}

/// A stretched block springs back for a while.
fn spring<const D: usize>(integrator: Integrator, transfer: Transfer) -> Simulation<f64, D>
where
    f64: Matter<D>,
{
    let setup = setup::<D>()
        .with_integrator(integrator)
        .with_transfer(transfer);
    let mut sim = simulation(setup, rubber::<f64, D>(1.0e4));
    let mut seeds = block([0.0; D], [4; D]);
    for seed in &mut seeds {
        seed.deformation_gradient[0][0] = 1.2;
        seed.deformation_gradient[1][0] = 0.1;
    }
    sim.add(0, &seeds).expect("possible particles");
    sim.run_steps(2e-4, 120).expect("stable steps");
    sim
}

#[test]
fn short_steps_of_all_methods_agree() {
    fn check<const D: usize>(transfer: Transfer)
    where
        f64: Matter<D>,
    {
        let explicit = spring::<D>(Integrator::Explicit, transfer);
        let begun = spring_start::<D>();
        let travel = distance(&explicit, &begun);
        assert!(travel > 0.05 * H, "{travel}");
        for integrator in integrators() {
            let implicit = spring::<D>(integrator, transfer);
            let error = distance(&explicit, &implicit) / travel;
            assert!(error < 0.01, "{D}D {transfer:?} {integrator:?}: {error}");
        }
    }
    check::<2>(Transfer::Mls);
    check::<2>(Transfer::Apic);
    check::<2>(Transfer::FlipPic { flip: 0.95 });
    check::<3>(Transfer::Mls);
}

fn spring_start<const D: usize>() -> Simulation<f64, D>
where
    f64: Matter<D>,
{
    let mut sim = simulation(setup::<D>(), rubber::<f64, D>(1.0e4));
    sim.add(0, &block([0.0; D], [4; D]))
        .expect("possible particles");
    sim
}

#[test]
fn free_flight_is_exact() {
    for integrator in integrators() {
        let setup = setup::<2>()
            .with_integrator(integrator)
            .with_body_force(gravity());
        let mut sim = standing(setup, 1.0e6);
        let before = sim.audit();
        sim.run_steps(0.01, 10).expect("stable steps");
        let after = sim.audit();
        let fallen = after.momentum[1] - before.momentum[1];
        assert!(
            (fallen + before.mass * 10.0 * 0.1).abs() < 1e-9 * before.mass,
            "{integrator:?}: {fallen}"
        );
        assert!(
            (after.j_min - 1.0).abs() < 1e-9,
            "{integrator:?}: {after:?}"
        );
    }
}

/// Two blocks that meet in the air, solved accurately or hardly at all: internal forces do
/// not change the momentum in any case.
#[test]
fn momentum_is_kept_however_early_a_solve_stops() {
    let rough = |preconditioner| {
        Optimization::default()
            .with_tolerance(0.5)
            .with_preconditioner(preconditioner)
    };
    let loose = SemiImplicit::default().with_tolerance(0.3);
    let newton = Newton::default()
        .with_tolerance(0.5)
        .with_linear_tolerance(0.3);
    for integrator in [
        Integrator::Optimization(rough(Preconditioner::Stiffness)),
        Integrator::Optimization(rough(Preconditioner::None)),
        Integrator::SemiImplicit(loose),
        Integrator::Newton(newton),
    ] {
        let setup = setup::<2>().with_integrator(integrator);
        let mut sim = simulation(setup, rubber::<f64, 2>(1.0e5));
        for (x, v) in [(0.0, 1.0), (5.0 * H, -3.0)] {
            let mut seeds = block([x, 0.3 * x], [4; 2]);
            for seed in &mut seeds {
                seed.velocity[0] = v;
            }
            sim.add(0, &seeds).expect("possible particles");
        }
        let before = sim.audit();
        sim.run_steps(2e-3, 20).expect("stable steps");
        let after = sim.audit();
        assert!(after.kinetic < 0.9 * before.kinetic, "they meet: {after:?}");
        for a in 0..2 {
            let gained = after.momentum[a] - before.momentum[a];
            assert!(
                gained.abs() < 1e-12 * before.mass,
                "{integrator:?}: {gained}"
            );
        }
    }
}

/// Matter as hard as wood at a hundred times the explicit step.
#[test]
fn optimization_steps_are_long_and_stable() {
    fn check<T: Matter<D>, const D: usize>() {
        let setup = setup::<D>()
            .with_integrator(Integrator::Optimization(Optimization::default()))
            .with_body_force(gravity())
            .with_walls(vec![Wall::new(1, 0.0, Side::Above, Contact::Sticky)]);
        let mut sim = simulation(setup, rubber::<T, D>(2.0e9));
        let mut corner = [0.0; D];
        corner[1] = 2.0;
        sim.add(0, &block(corner, [4; D]))
            .expect("possible particles");
        let explicit = sim.forecast().expect("a forecast").materials[0].step;
        let start = sim.audit();
        let (mut steps, mut newton) = (0, 0);
        for _ in 0..20 {
            let report = sim.advance(1.0 / 24.0).expect("stable frames");
            steps += report.steps;
            newton += report.effort.newton;
            let audit = sim.audit();
            let energy = audit.kinetic + audit.elastic + audit.potential;
            let first = start.kinetic + start.elastic + start.potential;
            assert!(energy <= first * (1.0 + 1e-3), "{energy} of {first}");
        }
        let long = 20.0 / 24.0 / steps as f64;
        assert!(long > 100.0 * explicit, "{long} against {explicit}");
        assert!(newton >= steps as u32, "{newton} iterations");
        let audit = sim.audit();
        assert!(audit.max_speed < 0.2, "at rest: {audit:?}");
        assert!(audit.j_min > 0.9 && audit.j_max < 1.1, "{audit:?}");
    }
    check::<f64, 2>();
    check::<f64, 3>();
    check::<f32, 2>();
}

/// Run-out of a heap after a while \[m\], by explicit steps or by optimisation in steps `longer`
/// times as long.
fn heap(law: impl Fn() -> Box<dyn Material<f64, 2>>, longer: f64) -> f64 {
    let h = 0.05;
    let mut setup = Setup::new(h)
        .with_body_force(gravity())
        .with_walls(vec![Wall::new(1, 0.0, Side::Above, Contact::Sticky)])
        .with_threads(1);
    let seeds: Vec<Seed<2>> = (0..400)
        .map(|k| [(k % 16) as f64 - 7.5, (k / 16) as f64 + 0.5].map(|x| 0.5 * h * x))
        .map(|x| Seed::new(x, [0.0; 2], DENSITY * 0.25 * h * h, 0.25 * h * h))
        .collect();
    let mut still = Simulation::new(setup.clone(), vec![law()]).expect("a possible setup");
    still.add(0, &seeds).expect("possible particles");
    if longer > 1.0 {
        setup.integrator = Integrator::Optimization(Optimization::default());
        setup.time_step.longest = longer * still.forecast().expect("a forecast").step;
    }
    let mut sim = Simulation::new(setup, vec![law()]).expect("a possible setup");
    sim.add(0, &seeds).expect("possible particles");
    sim.advance(0.5).expect("a stable frame");
    let mut reach: Vec<f64> = sim
        .particles()
        .iter()
        .map(|p| p.position[0].abs())
        .collect();
    reach.sort_by(f64::total_cmp);
    reach[reach.len() * 49 / 50]
}

/// Matter yields within the solve: in steps twenty times as long it runs as far, but for what fewer
/// transfers damp less. If it were elastic in them, and yielded afterwards, heaps would hardly
/// sink.
#[test]
fn heaps_run_as_far_in_long_steps() {
    let mud = || HerschelBulkley::new(2.0e5, 0.3, 1.0e3, 50.0, 1.0).expect("possible mud");
    let clay = || VonMises::new(2.0e5, 0.3, 2.0e3).expect("possible clay");
    let sand = || {
        let friction = FrictionHardening::constant(30.0);
        DruckerPrager::new(2.0e5, 0.3, friction).expect("possible sand")
    };
    let check = |name: &str, law: &dyn Fn() -> Box<dyn Material<f64, 2>>, tolerance: f64| {
        let (explicit, long) = (heap(law, 1.0), heap(law, 20.0));
        println!("{name}: {explicit} m, {long} m in long steps");
        assert!(explicit > 0.22, "{name} flows: {explicit}");
        let error = long / explicit - 1.0;
        assert!(error.abs() < tolerance, "{name}: {error}");
    };
    check("mud", &|| mud().into(), 0.05);
    check("clay", &|| clay().into(), 0.05);
    check("sand", &|| sand().into(), 0.1);
}

/// A block on the ground, thrown: with short steps it moves as with explicit ones, whatever holds
/// it.
#[test]
fn contacts_act_as_in_explicit_steps() {
    let contacts = [
        Contact::Sticky,
        Contact::Slip,
        Contact::Separating { friction: 0.3 },
    ];
    let plane = |contact| {
        let ground = Plane::new([0.0, 0.25 * H], [0.0, 1.0]).expect("a plane");
        Collider::new(ground, contact).expect("an obstacle")
    };
    for contact in contacts {
        for by_wall in [true, false] {
            for throw in [[0.5, -0.3], [0.2, 0.4]] {
                let run = |integrator| {
                    let mut setup = setup::<2>()
                        .with_integrator(integrator)
                        .with_body_force(gravity());
                    if by_wall {
                        setup.walls = vec![Wall::new(1, 0.0, Side::Above, contact)];
                    } else {
                        setup.colliders = vec![plane(contact)];
                    }
                    let mut sim = simulation(setup, rubber::<f64, 2>(2.0e4));
                    let mut seeds = block([0.0, 0.0], [4; 2]);
                    for seed in &mut seeds {
                        seed.velocity = throw;
                    }
                    sim.add(0, &seeds).expect("possible particles");
                    sim.run_steps(2.5e-4, 100).expect("stable steps");
                    sim
                };
                let explicit = run(Integrator::Explicit);
                for integrator in integrators() {
                    let implicit = run(integrator);
                    let error = distance(&explicit, &implicit);
                    assert!(
                        error < 0.02 * H,
                        "{contact:?} wall {by_wall} {throw:?} {integrator:?}: {}",
                        error / H
                    );
                }
            }
        }
    }
}

#[test]
fn long_steps_slide_with_friction() {
    let setup = setup::<2>()
        .with_integrator(Integrator::Optimization(Optimization::default()))
        .with_body_force(gravity())
        .with_walls(vec![Wall::new(
            1,
            0.0,
            Side::Above,
            Contact::Separating { friction: 0.2 },
        )]);
    let mut sim = simulation(setup, rubber::<f64, 2>(1.0e7));
    let mut seeds = block([0.0, 0.0], [4; 2]);
    for seed in &mut seeds {
        seed.velocity = [2.0, 0.0];
    }
    sim.add(0, &seeds).expect("possible particles");
    for _ in 0..10 {
        sim.advance(0.05).expect("stable frames");
    }
    let audit = sim.audit();
    let lost = 2.0 - audit.momentum[0] / audit.mass;
    // μ g t
    assert!((lost / (0.2 * 10.0 * 0.5) - 1.0).abs() < 0.05, "{lost}");
}

/// Matter thrown at an obstacle that holds it, by steps of half a cell: with the velocity of where
/// they arrive particles stay further out.
#[test]
fn matter_arrives_in_front_of_obstacles() {
    let deepest = |advection| {
        let ground = Plane::new([0.0, 0.0], [0.0, 1.0]).expect("a plane");
        let setup = setup::<2>()
            .with_integrator(Integrator::Optimization(
                Optimization::default().with_advection(advection),
            ))
            .with_colliders(vec![
                Collider::new(ground, Contact::Sticky).expect("an obstacle"),
            ]);
        let mut sim = simulation(setup, rubber::<f64, 2>(1.0e4));
        let mut seeds = block([0.0, 2.0], [4; 2]);
        for seed in &mut seeds {
            seed.velocity = [0.0, -2.0];
        }
        sim.add(0, &seeds).expect("possible particles");
        let mut deepest = f64::INFINITY;
        for _ in 0..8 {
            sim.run_steps(0.25 * H, 1).expect("stable steps");
            let heights = sim.particles().into_iter().map(|p| p.position[1] / H);
            deepest = heights.fold(deepest, f64::min);
        }
        deepest
    };
    let (forward, backward) = (deepest(Advection::Forward), deepest(Advection::Backward));
    assert!(forward < 0.5, "it gets there: {forward}");
    assert!(backward > forward + 0.01, "{backward} against {forward}");
}

/// A stiff body turns by an angle α in a step: the grid moves by (R(α) − I) x. With the velocity of
/// where they come from particles are then where they should be; with that of where they arrive,
/// x′ = (2I − R)⁻¹ x, their radius has shrunk by √(5 − 4 cos α) ≈ 1 + α².
#[test]
fn bodies_that_turn_keep_their_size_by_forward_advection_only() {
    let turned = |advection| {
        let setup = setup::<2>().with_integrator(Integrator::Optimization(
            Optimization::default()
                .with_advection(advection)
                .with_tolerance(1e-9),
        ));
        let mut sim = simulation(setup, rubber::<f64, 2>(1.0e9));
        let mut seeds = block([-3.0; 2], [6; 2]);
        for seed in &mut seeds {
            let [x, y] = seed.position;
            seed.velocity = [-10.0 * y, 10.0 * x];
        }
        sim.add(0, &seeds).expect("possible particles");
        sim.run_steps(0.01, 1).expect("a stable step");
        // One of those in the middle.
        let nearest = |k: &usize| (seeds[*k].position[0] - 0.075).hypot(seeds[*k].position[1]);
        let k = (0..seeds.len()).min_by(|a, b| nearest(a).total_cmp(&nearest(b)));
        let k = k.expect("seeds");
        let [x, y] = seeds[k].position;
        let found = sim.particles().into_iter().find(|p| p.id as usize == k);
        let [a, b] = found.expect("the same particle").position.0;
        let angle = (x * b - y * a).atan2(x * a + y * b);
        (angle, a.hypot(b) / x.hypot(y))
    };
    let (angle, forward) = turned(Advection::Forward);
    let (_, backward) = turned(Advection::Backward);
    let expected = 1.0 / (5.0 - 4.0 * angle.cos()).sqrt();
    assert!(angle > 0.05, "{angle}");
    let share = 0.02 * (1.0 - expected);
    assert!((forward - 1.0).abs() < share, "{forward}");
    assert!(
        (backward - expected).abs() < share,
        "{backward} instead of {expected}"
    );
}

/// Matter held by a plate that turns by a tenth of a radian in a step stays as far from the axis as
/// it was: along tangents it would get half a percent further away in each.
#[test]
fn what_a_turning_plate_holds_keeps_its_distance_from_the_axis() {
    let plate = Plane::new([0.0; 3], [0.0, 1.0, 0.0]).expect("a plane");
    let motion = SteadyMotion::new([0.0; 3], [0.0; 3], [0.0, 5.0, 0.0]).expect("a motion");
    let solid = Moving::new(plate, motion);
    let setup = setup::<3>()
        .with_integrator(Integrator::Optimization(
            Optimization::default().with_advection(Advection::Forward),
        ))
        .with_colliders(vec![
            Collider::new(solid, Contact::Glued).expect("an obstacle"),
        ]);
    let mut sim = simulation(setup, rubber::<f64, 3>(1.0e4));
    // Deep enough to reach no node outside.
    let mut seeds = block([1.0, -1.0, 1.0], [2, 1, 2]);
    seeds.retain(|seed| seed.position[1] < -0.5 * H);
    sim.add(0, &seeds).expect("possible particles");
    sim.run_steps(0.02, 10).expect("stable steps");
    for p in sim.particles() {
        let [x, _, z] = seeds[p.id as usize].position;
        let [a, _, c] = p.position.0;
        let ratio = a.hypot(c) / x.hypot(z);
        assert!((ratio - 1.0).abs() < 5e-4, "{ratio}");
        let angle = (z * a - x * c).atan2(x * a + z * c);
        assert!((angle - 1.0).abs() < 0.01, "{angle} rad");
    }
}

#[test]
fn damping_takes_energy_from_vibrations_and_none_from_flight() {
    let run = |damping: f64, moves: [f64; 2], stretch: f64| {
        let options = Optimization::default()
            .with_damping(damping)
            .with_tolerance(1e-8);
        let setup = setup::<2>().with_integrator(Integrator::Optimization(options));
        let mut sim = simulation(setup, rubber::<f64, 2>(1.0e4));
        let mut seeds = block([0.0, 0.0], [4; 2]);
        for seed in &mut seeds {
            seed.velocity = moves;
            seed.deformation_gradient[0][0] = stretch;
        }
        sim.add(0, &seeds).expect("possible particles");
        sim.run_steps(5e-4, 200).expect("stable steps");
        let audit = sim.audit();
        audit.kinetic + audit.elastic
    };
    let (free, damped) = (run(0.0, [0.0; 2], 1.1), run(2e-2, [0.0; 2], 1.1));
    assert!(damped < 0.5 * free, "{damped} of {free}");
    let flight = 0.5 * DENSITY * (4.0 * H).powi(2) * 0.25;
    let kept = run(2e-2, [0.5, 0.0], 1.0);
    assert!((kept / flight - 1.0).abs() < 1e-6, "{kept} of {flight}");
}

#[test]
fn what_is_not_solved_is_not_used() {
    let hasty = Newton::default().with_iterations(1).with_tolerance(1e-15);
    let setup = setup::<2>().with_integrator(Integrator::Newton(hasty));
    let mut sim = simulation(setup, rubber::<f64, 2>(1.0e4));
    let mut seeds = block([0.0, 0.0], [4; 2]);
    for seed in &mut seeds {
        seed.deformation_gradient[0][0] = 1.3;
    }
    sim.add(0, &seeds).expect("possible particles");
    let before = bits(&sim);
    match sim.advance(0.1) {
        Err(StepError::NotConverged {
            integrator,
            history,
            position,
            ..
        }) => {
            assert_eq!(integrator, "newton");
            assert_eq!(history.len(), 2);
            assert!(history[0] > history[1] && history[1] > 1e-15, "{history:?}");
            assert_eq!(position.len(), 2);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(bits(&sim), before);
}

/// A slab as hard as a stone on rough ground, in steps a thousand times as long as explicit ones:
/// semi-implicit steps push it off the ground and pull it back, round by round.
#[test]
fn contacts_that_are_not_found_are_not_used() {
    let slab = |integrator| {
        let contact = Contact::Separating { friction: 2.0 };
        let setup = setup::<2>()
            .with_integrator(integrator)
            .with_body_force(BodyForce::Uniform([5.0, -10.0]))
            .with_walls(vec![Wall::new(1, 0.0, Side::Above, contact)]);
        let mut sim = simulation(setup, rubber::<f64, 2>(1.0e10));
        sim.add(0, &block([0.0, 0.0], [12, 3]))
            .expect("possible particles");
        sim
    };
    let mut sim = slab(Integrator::SemiImplicit(SemiImplicit::default()));
    let error = loop {
        let before = bits(&sim);
        if let Err(error) = sim.run_steps(0.05, 1) {
            assert_eq!(bits(&sim), before);
            break error;
        }
        assert!(sim.time() < 1.0, "all steps are used");
    };
    let message = error.to_string();
    assert!(
        message.contains("errors of contacts and friction"),
        "{message}"
    );
    match error {
        StepError::NotConverged {
            unsolved, history, ..
        } => {
            assert_eq!(unsolved, Unsolved::Contacts);
            assert!(history.len() > 1 && history.iter().all(|x| *x > 0.01));
        }
        other => panic!("{other:?}"),
    }
    let mut sim = slab(Integrator::Optimization(Optimization::default()));
    sim.run_steps(0.05, 20).expect("stable steps");
    assert!(sim.audit().max_speed < 1e-2, "{:?}", sim.audit());
}

/// Matter that slides into a corner of two walls presses on one where it leaves the other; behind
/// the corner both see the same images.
#[test]
fn matter_in_a_corner_leaves_one_wall_and_presses_on_the_other() {
    let contact = Contact::Separating { friction: 0.0 };
    let setup = setup::<2>()
        .with_integrator(Integrator::Optimization(Optimization::default()))
        .with_body_force(gravity())
        .with_walls(vec![
            Wall::new(0, 0.0, Side::Above, contact),
            Wall::new(0, 1.2, Side::Below, contact),
            Wall::new(1, 0.0, Side::Above, contact),
        ]);
    let sand = DruckerPrager::new(1.8e5, 0.2, FrictionHardening::constant(0.0));
    let sand = vec![sand.expect("possible sand").into()];
    let mut sim = simulation::<f64, 2>(setup, sand);
    sim.add(0, &block([0.0, 0.0], [6, 8]))
        .expect("possible particles");
    for _ in 0..30 {
        sim.advance(0.02).expect("stable frames");
    }
    let spread = sim.particles().into_iter().map(|p| p.position[0]);
    assert!(
        spread.fold(0.0, f64::max) > 1.1,
        "it has run to the other wall"
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads| {
        let setup = setup::<3>()
            .with_integrator(Integrator::Optimization(Optimization::default()))
            .with_body_force(gravity())
            .with_walls(vec![Wall::new(1, 0.0, Side::Above, Contact::Slip)])
            .with_threads(threads);
        let mut sim = simulation(setup, rubber::<f32, 3>(1.0e6));
        sim.add(0, &block([0.0; 3], [6; 3]))
            .expect("possible particles");
        for _ in 0..3 {
            sim.advance(0.02).expect("stable frames");
        }
        bits(&sim)
    };
    let one = run(1);
    for threads in [2, 3] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn impossible_options_are_refused() {
    let refused = |integrator| {
        let setup = setup::<2>().with_integrator(integrator);
        match Simulation::<f64, 2>::new(setup, rubber::<f64, 2>(1.0e4)) {
            Err(BuildError::OutOfRange { key, .. }) => key,
            other => panic!("{integrator:?}: {other:?}"),
        }
    };
    let tolerant = |tolerance| Optimization::default().with_tolerance(tolerance);
    for bad in [0.0, -1.0, 1.0, f64::NAN] {
        assert_eq!(
            refused(Integrator::Optimization(tolerant(bad))),
            "tolerance"
        );
    }
    let none = Optimization::default().with_iterations(0);
    assert_eq!(refused(Integrator::Optimization(none)), "iterations");
    let damped = Optimization::default().with_damping(-1.0);
    assert_eq!(refused(Integrator::Optimization(damped)), "damping");
    let explicit = SemiImplicit::default().with_implicitness(1.5);
    assert_eq!(refused(Integrator::SemiImplicit(explicit)), "implicitness");
}

/// Distance and speed of a stiff block after 0.5 s on a floor, gravity of 10 m/s² being inclined by
/// tan θ = 0.3, in steps dozens of times as long as explicit ones \[m, m/s\].
fn slide<const D: usize>(integrator: Integrator, friction: f64, by_wall: bool) -> [f64; 2]
where
    f64: Matter<D>,
{
    let mut g = [0.0; D];
    let down = (1.0f64 + 0.09).sqrt();
    [g[0], g[1]] = [3.0 / down, -10.0 / down];
    let contact = Contact::Separating { friction };
    let mut setup = setup::<D>()
        .with_integrator(integrator)
        .with_body_force(BodyForce::Uniform(g));
    if by_wall {
        setup.walls = vec![Wall::new(1, 0.0, Side::Above, contact)];
    } else {
        let mut up = [0.0; D];
        up[1] = 1.0;
        let floor = Plane::new([0.0; D], up).expect("a plane");
        setup.colliders = vec![Collider::new(floor, contact).expect("an obstacle")];
    }
    let mut sim = standing::<D>(setup, 1.0e7);
    let start = sim.audit().centre_of_mass[0];
    for _ in 0..25 {
        sim.advance(0.02).expect("stable frames");
    }
    let end = sim.audit();
    [end.centre_of_mass[0] - start, end.momentum[0] / end.mass]
}

/// Friction is found within steps: it holds what it can hold, and slows what it cannot.
#[test]
fn long_steps_stick_and_slide() {
    /// Bounds of the creep on walls and on level sets, in cells, and of the relative error of
    /// speeds.
    fn check<const D: usize>(integrator: Integrator, [on_wall, on_level_set, off]: [f64; 3])
    where
        f64: Matter<D>,
    {
        for by_wall in [true, false] {
            let name = format!("{D}D {} wall {by_wall}", integrator.name());
            let creep = if by_wall { on_wall } else { on_level_set };
            let [stuck, _] = slide::<D>(integrator, 0.4, by_wall);
            println!("{name}: creeps {} cells", stuck / H);
            assert!(stuck.abs() < creep * H, "{name}: {} cells", stuck / H);
            for friction in [0.1, 0.2] {
                let expected = 0.5 * 10.0 * (0.3 - friction) / 1.09f64.sqrt();
                let [_, speed] = slide::<D>(integrator, friction, by_wall);
                let error = speed / expected - 1.0;
                println!("{name} μ = {friction}: {speed} m/s, {error:.1e}");
                assert!(error.abs() < off, "{name} μ = {friction}: {error}");
            }
        }
    }
    check::<2>(
        Integrator::Optimization(Optimization::default()),
        [0.005, 0.005, 1e-3],
    );
    check::<3>(
        Integrator::Optimization(Optimization::default()),
        [0.005, 0.005, 1e-3],
    );
    // Friction that lags behind the solve creeps.
    check::<2>(Integrator::Newton(Newton::default()), [0.05, 0.15, 0.02]);
    check::<2>(
        Integrator::SemiImplicit(SemiImplicit::default()),
        [0.05, 0.15, 0.02],
    );
}
