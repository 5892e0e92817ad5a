//! The volume that particles fill, by the grid, beside the one that their volume ratios add up to:
//! equation (19d).

use crate::matter::{H, Matter, Random, bits, block, moving, plane, setup, simulation, solid};
use thixo::{Collider, Contact, KernelKind, Plane, Seed, Setup, Side, Simulation, Transfer, Wall};

const KERNELS: [KernelKind; 3] = [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic];

/// A setup on a kernel, with a transfer that serves all of them.
fn on<const D: usize>(kernel: KernelKind) -> Setup<D> {
    setup().with_kernel(kernel).with_transfer(Transfer::Apic)
}

fn with<const D: usize>(setup: Setup<D>, seeds: &[Seed<D>]) -> Simulation<f64, D>
where
    f64: Matter<D>,
{
    let mut sim = simulation(setup, solid());
    sim.add(0, seeds).expect("possible particles");
    sim
}

/// The volume that the particles fill over the one that their volume ratios add up to.
fn ratio<const D: usize>(sim: &Simulation<f64, D>) -> f64
where
    f64: Matter<D>,
{
    let filled = sim.filled_volume().expect("nodes inside of the matter");
    filled / sim.audit().volume
}

fn is_near(found: f64, expected: f64, tolerance: f64) {
    let error = found / expected - 1.0;
    assert!(error.abs() < tolerance, "{found} instead of {expected}");
}

/// Positions stretched about a point by the same factor along every axis, deformations left alone.
fn stretched<const D: usize>(seeds: &[Seed<D>], factor: f64) -> Vec<Seed<D>> {
    let stretch = |seed: &Seed<D>| Seed {
        position: seed.position.map(|x| 0.537 + factor * (x - 0.537)),
        ..*seed
    };
    seeds.iter().map(stretch).collect()
}

fn free_block<const D: usize>(cells: usize)
where
    f64: Matter<D>,
{
    let seeds = block([1.0; D], [cells; D]);
    let random = Random(7).jitter(seeds.clone(), 0.2);
    for kernel in KERNELS {
        is_near(ratio(&with(on(kernel), &seeds)), 1.0, 1e-9);
        is_near(ratio(&with(on(kernel), &random)), 1.0, 0.01);
        for factor in [1.05_f64, 0.96] {
            let expected = factor.powi(D as i32);
            let lattice = with(on(kernel), &stretched(&seeds, factor));
            is_near(ratio(&lattice), expected, 0.01);
            let random = with(on(kernel), &stretched(&random, factor));
            is_near(ratio(&random), expected, 0.01);
        }
    }
}

#[test]
fn a_block_fills_its_volume_and_one_whose_particles_have_spread_fills_more() {
    free_block::<2>(20);
    free_block::<3>(12);
}

/// Matter that a volume ratio calls larger than it is.
#[test]
fn volume_ratios_that_do_not_belong_to_the_positions_are_noticed() {
    let mut seeds = block([0.0; 2], [12; 2]);
    for seed in &mut seeds {
        seed.deformation_gradient = [[1.1, 0.0], [0.0, 1.0]];
    }
    let sim = with(on(KernelKind::Quadratic), &seeds);
    is_near(ratio(&sim), 1.0 / 1.1, 1e-9);
    is_near(
        sim.filled_volume().expect("known"),
        (12.0 * H).powi(2),
        1e-9,
    );
}

/// Nodes near walls and obstacles see too little matter and must not count.
fn in_a_corner<const D: usize>(cells: usize)
where
    f64: Matter<D>,
{
    let seeds = block([0.0; D], [cells; D]);
    for kernel in KERNELS {
        let mut walled = on::<D>(kernel);
        for axis in 0..D {
            walled
                .walls
                .push(Wall::new(axis, 0.0, Side::Above, Contact::Slip));
        }
        is_near(ratio(&with(walled, &seeds)), 1.0, 1e-9);

        // A floor between the nodes, with matter that has sunk in a little.
        let mut floored = on::<D>(kernel);
        let floor = Plane::new(plane(0.0, 0.23 * H), plane(0.0, 1.0)).expect("a plane");
        let floor = Collider::new(floor, Contact::Slip).expect("a collider");
        floored.colliders.push(floor);
        is_near(ratio(&with(floored, &seeds)), 1.0, 1e-9);
    }
}

#[test]
fn walls_and_obstacles_do_not_disturb_the_estimate() {
    in_a_corner::<2>(12);
    in_a_corner::<3>(9);
}

/// No node of a thin layer has matter all around it.
#[test]
fn the_volume_of_thin_matter_is_unknown() {
    let layer = with(on(KernelKind::Quadratic), &block([0.0; 2], [30, 3]));
    assert_eq!(layer.filled_volume(), None);
    let grain = with(on(KernelKind::Quadratic), &block([0.0; 3], [1; 3]));
    assert_eq!(grain.filled_volume(), None);
    let empty = simulation(setup::<2>(), solid::<f64, 2>());
    assert_eq!(empty.filled_volume(), None);
}

fn periodic<const D: usize>(cells: u32)
where
    f64: Matter<D>,
{
    let box_volume = (f64::from(cells) * H).powi(D as i32);
    for kernel in KERNELS {
        let mut repeated = on::<D>(kernel);
        repeated.periods = [Some(cells); D];
        let mut seeds = block([0.0; D], [cells as usize; D]);
        for seed in &mut seeds {
            seed.rest_volume *= 1.3;
            seed.position = seed.position.map(|x| x + 0.4 * H);
        }
        let sim = with(repeated, &seeds);
        is_near(sim.filled_volume().expect("known"), box_volume, 1e-9);
    }
}

#[test]
fn a_periodic_box_is_full_whatever_its_particles_say() {
    periodic::<2>(4);
    periodic::<2>(12);
    periodic::<2>(16);
    periodic::<3>(4);
    periodic::<3>(8);
}

/// Between sorts, after particles have come and gone, and in motion.
#[test]
fn the_estimate_follows_matter_and_leaves_no_trace() {
    let run = |watch: bool| {
        let seeds = moving(block([-3.0; 2], [12; 2]), |_| [1.3, -0.7]);
        let mut sim = with(setup(), &seeds);
        let seen = |sim: &Simulation<f64, 2>| {
            if watch {
                is_near(ratio(sim), 1.0, 5e-3);
            }
        };
        seen(&sim);
        for _ in 0..3 {
            sim.advance(0.02).expect("a stable frame");
            seen(&sim);
        }
        sim.remove(|_, x| x[0] > 0.5);
        let more = moving(block([20.0, 3.0], [6; 2]), |_| [1.3, -0.7]);
        sim.add(0, &more).expect("possible particles");
        seen(&sim);
        sim.advance(0.05).expect("a stable frame");
        seen(&sim);
        bits(&sim)
    };
    assert!(run(true) == run(false), "other bits");
}

/// A free block that turns four times keeps the volume that it fills, whatever it is made of: the
/// volume ratio follows the determinant of the motion, of which the trace sees no turn.
#[test]
fn a_spinning_block_keeps_its_volume() {
    use thixo::integrate::implicit::{Integrator, Newton, Optimization, SemiImplicit, Xpbd};
    use thixo::material::elastic::NeoHookean;
    use thixo::material::fluid::OldroydB;
    let rate = 20.0;
    let run = |name: &str, integrator, law: Box<dyn thixo::Material<f64, 2>>| {
        let mut setup = setup::<2>();
        setup.integrator = integrator;
        let mut sim = simulation(setup, vec![law]);
        let mut seeds = block([0.0; 2], [8, 8]);
        for seed in &mut seeds {
            let [x, y] = seed.position.map(|x| x - 4.0 * H);
            seed.velocity = [-rate * y, rate * x];
            seed.velocity_gradient = [[0.0, -rate], [rate, 0.0]];
        }
        sim.add(0, &seeds).expect("possible particles");
        let before = sim.filled_volume().expect("enough matter");
        let turns = 4.0 * core::f64::consts::TAU / rate;
        for _ in 0..40 {
            sim.advance(turns / 40.0).expect("stable steps");
        }
        let ratio = sim.filled_volume().expect("enough matter") / before;
        let by_j = sim.audit().volume / (64.0 * H * H);
        println!("{name}: filled {ratio}, by J {by_j}");
        assert!(
            (ratio / by_j - 1.0).abs() < 0.01,
            "{name}: {ratio}, by J {by_j}"
        );
        assert!((ratio - 1.0).abs() < 0.03, "{name}: {ratio}");
    };
    let stiff = 1e7;
    let rubber = || NeoHookean::from_young_poisson(stiff, 0.3).expect("possible");
    let sponge = || OldroydB::new(stiff, stiff, f64::INFINITY, 0.0).expect("possible");
    let optimization = || Integrator::Optimization(Optimization::default());
    run("rubber, explicit", Integrator::Explicit, rubber().into());
    run("sponge, explicit", Integrator::Explicit, sponge().into());
    run("rubber, optimization", optimization(), rubber().into());
    run("sponge, optimization", optimization(), sponge().into());
    let semi_implicit = Integrator::SemiImplicit(SemiImplicit::default());
    run("rubber, semi-implicit", semi_implicit, rubber().into());
    run("sponge, semi-implicit", semi_implicit, sponge().into());
    let newton = Integrator::Newton(Newton::default());
    run("rubber, newton", newton, rubber().into());
    let xpbd = Integrator::Xpbd(Xpbd::default());
    run("rubber, X-PBD", xpbd, rubber().into());
}

/// A cube of the wrung sponge of \[Ram2015\] turns four times by every integrator, in steps of
/// their own choice.
#[test]
fn a_spinning_viscoelastic_cube_keeps_its_volume() {
    use thixo::integrate::implicit::{
        Integrator, Newton, Optimization, SemiImplicit, Transfers, Xpbd,
    };
    use thixo::material::fluid::OldroydB;
    let (rate, cells) = (2.0, 5);
    for integrator in [
        Integrator::Explicit,
        Integrator::Optimization(Optimization::default()),
        Integrator::SemiImplicit(SemiImplicit::default()),
        Integrator::Newton(Newton::default()),
        Integrator::Xpbd(Xpbd::default().with_transfers(Transfers::Once)),
    ] {
        // Moduli over density are those of the preset.
        let sponge = OldroydB::new(1.8e5, 7.0e5, 50.0, 0.0).expect("possible");
        let mut sim: Simulation<f64, 3> = simulation(
            setup::<3>().with_integrator(integrator),
            vec![sponge.into()],
        );
        let mut seeds = block([0.0; 3], [cells; 3]);
        for seed in &mut seeds {
            let [x, y, _] = seed.position.map(|x| x - 0.5 * cells as f64 * H);
            seed.velocity = [-rate * y, rate * x, 0.0];
            seed.velocity_gradient = [[0.0, -rate, 0.0], [rate, 0.0, 0.0], [0.0; 3]];
        }
        sim.add(0, &seeds).expect("possible particles");
        let before = sim.filled_volume().expect("enough matter");
        let turns = 4.0 * core::f64::consts::TAU / rate;
        for _ in 0..40 {
            sim.advance(turns / 40.0).expect("stable steps");
        }
        let ratio = sim.filled_volume().expect("enough matter") / before;
        let by_j = sim.audit().volume / (cells as f64 * H).powi(3);
        let name = integrator.name();
        println!("{name}: filled {ratio:.5}, by J {by_j:.5}");
        assert!((ratio - 1.0).abs() < 0.01, "{name}: {ratio}, by J {by_j}");
    }
}
