//! Conservation laws: mass, momentum, angular momentum, and Galilean invariance.

use crate::matter::{
    H, Matter, Random, apart, block, both, moving, plane, schemes, setup, simulation, solid,
};
use thixo::{Audit, KernelKind, Path, Seed, Setup, Simulation, Transfer};

/// Two bodies of different matter that hit each other off centre, far from walls.
fn collision<T: Matter<D>, const D: usize>(setup: Setup<D>) -> Simulation<T, D> {
    let mut sim = simulation(setup, both::<T, D>());
    let mut random = Random(11);
    let first = random.jitter(block([0.0; D], [3; D]), 0.2);
    let spin = |x: [f64; D]| plane(2.0 - 3.0 * x[1], 1.0 + 3.0 * x[0]);
    sim.add(0, &moving(first, spin))
        .expect("possible particles");
    let mut low = [1.5; D];
    low[0] = 3.2;
    let second = random.jitter(block(low, [3; D]), 0.2);
    sim.add(1, &moving(second, |_| plane(-3.0, 0.5)))
        .expect("possible particles");
    sim
}

/// Σ m |v| and Σ m |x| |v|: what momenta are compared with.
fn scales<T: Matter<D>, const D: usize>(sim: &Simulation<T, D>) -> (f64, f64) {
    sim.particles().iter().fold((0.0, 0.0), |(p, l), q| {
        let (m, x, v) = (
            q.mass.to_f64(),
            q.position.norm(),
            q.velocity.norm().to_f64(),
        );
        (p + m * v, l + m * x * v)
    })
}

/// Relative changes of momentum and angular momentum.
fn changes<T: Matter<D>, const D: usize>(sim: &Simulation<T, D>, before: &Audit<D>) -> (f64, f64) {
    let after = sim.audit();
    let (p, l) = scales(sim);
    let gap = |a: &[f64], b: &[f64]| {
        a.iter()
            .zip(b)
            .fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    (
        gap(&after.momentum, &before.momentum) / p,
        gap(&after.angular_momentum, &before.angular_momentum) / l,
    )
}

fn momenta<const D: usize>()
where
    f64: Matter<D>,
{
    for (transfer, kernel) in schemes() {
        let setup = setup().with_transfer(transfer).with_kernel(kernel);
        let mut sim = collision::<f64, D>(setup);
        let before = sim.audit();
        let name = format!("{D}D {transfer:?} {kernel:?}");
        sim.advance(0.03).unwrap_or_else(|e| panic!("{name}: {e}"));
        let after = sim.audit();
        assert_eq!(after.mass, before.mass, "{name}");
        assert!(
            after.elastic > 1e-3 * before.kinetic,
            "{name}: the bodies meet"
        );
        let (p, l) = changes(&sim, &before);
        assert!(p < 1e-13, "{name}: momentum changes by {p}");
        let keeps = matches!(transfer, Transfer::Rpic | Transfer::Apic | Transfer::Mls);
        if keeps {
            assert!(l < 1e-12, "{name}: angular momentum changes by {l}");
        } else {
            // Control: the others are known to lose it.
            assert!(l > 1e-6, "{name}: angular momentum changes by {l} only");
        }
    }
}

#[test]
fn momentum_is_kept_by_all_transfers_and_angular_momentum_by_the_affine_ones_in_2d() {
    momenta::<2>();
}

#[test]
fn momentum_is_kept_by_all_transfers_and_angular_momentum_by_the_affine_ones_in_3d() {
    momenta::<3>();
}

fn momenta_on_the_fused_path<T: Matter<D>, const D: usize>(bound: f64) {
    let mut sim = collision::<T, D>(setup());
    let before = sim.audit();
    for _ in 0..3 {
        sim.advance(0.02).expect("a stable frame");
    }
    assert_eq!(sim.audit().mass, before.mass);
    let (p, l) = changes(&sim, &before);
    assert!(p < bound && l < bound, "{} {D}D: {p} {l}", T::NAME);
}

#[test]
fn the_fused_path_keeps_momenta() {
    momenta_on_the_fused_path::<f64, 2>(1e-12);
    momenta_on_the_fused_path::<f64, 3>(1e-12);
    momenta_on_the_fused_path::<f32, 2>(1e-5);
    momenta_on_the_fused_path::<f32, 3>(1e-5);
}

/// Mass never changes, not even by rounding, in either precision.
#[test]
fn every_mass_keeps_its_bits() {
    let mut sim = collision::<f32, 3>(setup());
    let masses = |sim: &Simulation<f32, 3>| -> Vec<u32> {
        sim.particles().iter().map(|p| p.mass.to_bits()).collect()
    };
    let before = masses(&sim);
    sim.advance(0.05).expect("a stable frame");
    assert_eq!(masses(&sim), before);
}

fn boosted<const D: usize>(path: Path, transfer: Transfer, kernel: KernelKind)
where
    f64: Matter<D>,
{
    let boost = plane::<D>(7.0, -3.0);
    let make = |u: [f64; D]| {
        let mut setup = setup();
        (setup.path, setup.transfer, setup.kernel) = (path, transfer, kernel);
        let mut sim = simulation(setup, solid::<f64, D>());
        let seeds = moving(block([0.0; D], [4; D]), |_| u);
        sim.add(0, &seeds).expect("possible particles");
        sim.advance(0.05).expect("a stable frame");
        sim
    };
    let (rest, moved) = (make([0.0; D]), make(boost));
    for (p, q) in rest.particles().iter().zip(&moved.particles()) {
        assert!(
            (q.volume_ratio - 1.0).abs() < 1e-11,
            "uniform motion deforms nothing"
        );
        for a in 0..D {
            let there = p.position[a] + 0.05 * boost[a];
            assert!(
                (q.position[a] - there).abs() < 1e-12 && (q.velocity[a] - boost[a]).abs() < 1e-11
            );
        }
    }
}

#[test]
fn a_body_at_rest_looks_the_same_from_a_moving_frame() {
    for (transfer, kernel) in schemes() {
        boosted::<2>(Path::Staged, transfer, kernel);
        boosted::<3>(Path::Staged, transfer, kernel);
    }
    boosted::<2>(Path::Fused, Transfer::Mls, KernelKind::Quadratic);
    boosted::<3>(Path::Fused, Transfer::Mls, KernelKind::Quadratic);
}

/// A vibrating body has the same energies in a moving frame up to the error of the grid, which
/// moves relative to it.
#[test]
fn a_vibrating_body_keeps_its_pitch_in_a_moving_frame() {
    let make = |u: [f64; 2]| {
        let mut sim = simulation(setup(), solid::<f64, 2>());
        let seeds: Vec<Seed<2>> = moving(block([0.0; 2], [8; 2]), |x| {
            [u[0] + x[0] - 0.4, u[1] - x[1] + 0.4]
        });
        sim.add(0, &seeds).expect("possible particles");
        sim.advance(0.03).expect("a stable frame");
        sim.audit()
    };
    let (rest, moved) = (make([0.0; 2]), make([3.0, 2.0]));
    let gap = (moved.elastic / rest.elastic - 1.0).abs();
    assert!(
        rest.elastic > 1.0 && gap < 0.02,
        "{} J, {} J",
        rest.elastic,
        moved.elastic
    );
}

#[test]
fn a_shift_by_whole_cells_is_no_physics() {
    fn case<T: Matter<D>, const D: usize>(bound: f64) {
        let make = |shift: f64| {
            let mut sim = simulation(setup(), both::<T, D>());
            for material in 0..2 {
                let low = [shift + 2.0 * material as f64; D];
                let seeds = block(low, [3; D]);
                let seeds = moving(seeds, |x| plane(1.0 - x[1] + shift * H, 2.0));
                sim.add(material, &seeds).expect("possible particles");
            }
            sim.advance(0.03).expect("a stable frame");
            let centre = sim.audit().centre_of_mass;
            let spread: Vec<f64> = sim
                .particles()
                .iter()
                .flat_map(|p| {
                    (0..D)
                        .map(|a| p.position[a] - centre[a])
                        .collect::<Vec<_>>()
                })
                .collect();
            spread
        };
        let here = make(0.0);
        for shift in [1.0, 4.0, -7.0] {
            let worst = make(shift)
                .iter()
                .zip(&here)
                .fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / H));
            assert!(worst < bound, "{} {D}D shift {shift}: {worst}", T::NAME);
        }
    }
    case::<f32, 2>(1e-4);
    case::<f32, 3>(1e-4);
    case::<f64, 2>(1e-12);
    case::<f64, 3>(1e-12);
}

#[test]
fn the_order_of_the_materials_is_no_physics() {
    fn case<T: Matter<D>, const D: usize>(bound: f64) {
        let make = |swap: bool| {
            let mut materials = both::<T, D>();
            if swap {
                materials.reverse();
            }
            let mut sim = simulation(setup(), materials);
            for material in 0..2 {
                let low = [2.0 * material as f64; D];
                let seeds = moving(block(low, [3; D]), |x| plane(1.0 - x[1], 2.0));
                let index = if swap { 1 - material } else { material };
                sim.add(index, &seeds).expect("possible particles");
            }
            sim.advance(0.03).expect("a stable frame");
            sim
        };
        let apart = apart(&make(false), &make(true), None);
        assert!(apart.worst() < bound, "{} {D}D: {apart:?}", T::NAME);
    }
    case::<f32, 2>(1e-3);
    case::<f32, 3>(1e-3);
    case::<f64, 2>(1e-11);
    case::<f64, 3>(1e-11);
}
