//! Twelve materials on one grid: budgets, bits on threads, and the path that runs in lanes.

use crate::matter::every::{self, Every};
use crate::matter::{apart, bits, setup};
use thixo::{Audit, Path, Simulation};

fn mixed<T: Every<D>, const D: usize>(path: Path, threads: usize) -> Simulation<T, D> {
    let mut setup = setup::<D>();
    setup.path = path;
    setup.threads = threads;
    every::mixed(setup)
}

fn largest_change(before: &[f64], after: &[f64], scale: f64) -> f64 {
    let pairs = before.iter().zip(after);
    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs() / scale))
}

/// Nothing acts from outside: mass, momentum and angular momentum stay, energy does not grow.
fn keeps_budgets<T: Every<D>, const D: usize>(tolerance: f64) {
    for path in [Path::Fused, Path::Staged] {
        let mut sim = mixed::<T, D>(path, 1);
        let start = sim.audit();
        let energy = |audit: &Audit<D>| audit.kinetic + audit.elastic;
        let scale = start.mass * start.max_speed;
        for _ in 0..4 {
            sim.advance(0.02).unwrap();
            let audit = sim.audit();
            assert_eq!(audit.particles, start.particles);
            let mass = (audit.mass / start.mass - 1.0).abs();
            assert!(mass < 1e-14, "{path:?} mass {mass:.1e}");
            let momentum = largest_change(&start.momentum, &audit.momentum, scale);
            assert!(momentum < tolerance, "{path:?} momentum {momentum:.1e}");
            let spin = largest_change(&start.angular_momentum, &audit.angular_momentum, scale);
            assert!(spin < tolerance, "{path:?} angular momentum {spin:.1e}");
            assert!(
                energy(&audit) < 1.01 * energy(&start),
                "{path:?} energy {} of {}",
                energy(&audit),
                energy(&start)
            );
        }
        let end = sim.audit();
        assert!(end.kinetic < 0.9 * start.kinetic, "the blocks have met");
        assert!(end.j_min > 0.3 && end.j_max < 3.0, "{end:?}");
    }
}

#[test]
fn budgets_are_kept_in_double_precision() {
    keeps_budgets::<f64, 2>(1e-13);
    keeps_budgets::<f64, 3>(1e-13);
}

#[test]
fn budgets_are_kept_in_single_precision() {
    keeps_budgets::<f32, 2>(1e-5);
    keeps_budgets::<f32, 3>(1e-5);
}

fn same_bits<T: Every<D>, const D: usize>() {
    for path in [Path::Fused, Path::Staged] {
        let run = |threads| {
            let mut sim = mixed::<T, D>(path, threads);
            sim.advance(0.05).unwrap();
            sim
        };
        let one = run(1);
        assert!(bits(&one) == bits(&run(2)), "{} {D}D {path:?}", T::NAME);
    }
}

#[test]
fn threads_change_no_bit_of_the_mixture() {
    same_bits::<f32, 2>();
    same_bits::<f32, 3>();
    same_bits::<f64, 3>();
}

#[test]
fn the_mixture_moves_the_same_on_both_paths() {
    let run = |path| {
        let mut sim = mixed::<f64, 3>(path, 1);
        sim.run_steps(5e-4, 40).unwrap();
        sim
    };
    let apart = apart(&run(Path::Fused), &run(Path::Staged), None);
    assert!(apart.worst() < 1e-9, "{apart:?}");
}
