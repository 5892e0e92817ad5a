//! Twelve materials on one grid: budgets, bits on threads, and the path that runs in lanes.

#![allow(clippy::unwrap_used)] // the helpers of tests, too, may fail loudly

mod matter;

use matter::{H, Matter, Random, apart, bits, block, moving, setup};
use thixo::material::elastic::{
    FixedCorotated, Hencky, NeoHookean, SplitCorotated, StVenantKirchhoff,
};
use thixo::material::fluid::{OldroydB, PressureLaw, WeaklyCompressible};
use thixo::material::plastic::{
    DruckerPrager, FrictionHardening, HerschelBulkley, MultiplicativePlasticity, Snow, VonMises,
};
use thixo::{Audit, Material, Path, Simulation, TimeStep};

const YOUNG: f64 = 1.0e5;
const POISSON: f64 = 0.3;

/// A precision and dimension in which every law is a material.
trait Every<const D: usize>: Matter<D> {
    fn every() -> Vec<Box<dyn Material<Self, D>>>;
}

macro_rules! every {
    ($($t:ident $d:literal),*) => {$(
        impl Every<$d> for $t {
            fn every() -> Vec<Box<dyn Material<$t, $d>>> {
                let fixed = FixedCorotated::from_young_poisson(YOUNG, POISSON).unwrap();
                let friction = FrictionHardening::constant(30.0);
                let tait = PressureLaw::Tait { exponent: 7.0 };
                vec![
                    NeoHookean::from_young_poisson(YOUNG, POISSON).unwrap().into(),
                    fixed.into(),
                    SplitCorotated::from_young_poisson(YOUNG, POISSON, $d).unwrap().into(),
                    StVenantKirchhoff::from_young_poisson(YOUNG, POISSON).unwrap().into(),
                    Hencky::from_young_poisson(YOUNG, POISSON).unwrap().into(),
                    Snow::new(fixed, 2.5e-2, 7.5e-3, 10.0).unwrap().into(),
                    DruckerPrager::new(YOUNG, POISSON, friction).unwrap().into(),
                    VonMises::new(YOUNG, POISSON, 2.0e3).unwrap().into(),
                    HerschelBulkley::new(YOUNG, POISSON, 1.0e3, 100.0, 0.5).unwrap().into(),
                    MultiplicativePlasticity::new(YOUNG, POISSON, 1.0e3, 100.0).unwrap().into(),
                    WeaklyCompressible::new(YOUNG, 1.0, tait).unwrap().into(),
                    OldroydB::new(2.0e4, YOUNG, 0.1, 1.0).unwrap().into(),
                ]
            }
        }
    )*};
}

every!(f32 2, f32 3, f64 2, f64 3);

/// Blocks of all materials side by side, shaken and thrown against each other.
fn mixed<T: Every<D>, const D: usize>(path: Path, threads: usize) -> Simulation<T, D> {
    let mut setup = setup::<D>();
    setup.path = path;
    setup.threads = threads;
    setup.time_step = TimeStep {
        cfl: 0.3,
        ..TimeStep::default()
    };
    let materials = T::every();
    let count = materials.len();
    let mut sim = Simulation::new(setup, materials).unwrap();
    let mut random = Random(11);
    for material in 0..count {
        // Two rows of six, touching; cubes of three cells do not end where blocks of the grid do.
        let mut low = [0.0; D];
        low[0] = 3.0 * (material % 6) as f64;
        low[1] = 3.0 * (material / 6) as f64;
        let middle = [9.0 * H, 3.0 * H];
        let seeds = random.jitter(block(low, [3; D]), 0.1);
        let seeds = moving(seeds, |x| {
            let mut v = [0.0; D];
            for a in 0..2 {
                v[a] = 1.5 * (middle[a] - x[a]);
            }
            v[1] += 0.5 * x[0];
            v
        });
        sim.add(material, &seeds).unwrap();
    }
    sim
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
