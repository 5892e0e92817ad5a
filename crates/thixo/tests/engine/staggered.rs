//! Transfers on the staggered grid: momentum, angular momentum, free flight.

use crate::matter::{DENSITY, H, Random, block, moving, plane, schemes, setup};
use thixo::integrate::Integrator;
use thixo::material::Material;
use thixo::material::elastic::SplitCorotated;
use thixo::material::fluid::WeaklyCompressible;
use thixo::projection::{Deviatoric, Projection};
use thixo::{Instance, KernelKind, Seed, Setup, Simulation, Transfer};

/// Matter between particles and the projection, in a dimension.
trait Laws<const D: usize>: Instance<D> {
    fn jelly() -> Box<dyn Material<Self, D>>;
    fn water() -> Box<dyn Material<Self, D>>;
}

macro_rules! laws {
    ($($d:literal),*) => {$(
        impl Laws<$d> for f64 {
            fn jelly() -> Box<dyn Material<Self, $d>> {
                SplitCorotated::from_young_poisson(1.0e5, 0.3, $d).unwrap().into()
            }
            fn water() -> Box<dyn Material<Self, $d>> {
                WeaklyCompressible::incompressible(0.0).unwrap().into()
            }
        }
    )*};
}

laws!(2, 3);

/// A setup of the projection with explicit deviatoric forces.
fn staggered<const D: usize>(transfer: Transfer, kernel: KernelKind) -> Setup<D> {
    let options = Projection::default().with_deviatoric(Deviatoric::Explicit);
    setup()
        .with_integrator(Integrator::Projection(options))
        .with_transfer(transfer)
        .with_kernel(kernel)
}

/// Particles that fill a fifth of the space: no cell has a pressure, and shear alone acts.
fn porous<const D: usize>(seeds: Vec<Seed<D>>) -> Vec<Seed<D>> {
    let thin = |seed: Seed<D>| Seed {
        rest_volume: 0.2 * seed.rest_volume,
        ..seed
    };
    seeds.into_iter().map(thin).collect()
}

/// Changes of momentum over Σ m |v| and of angular momentum over Σ m |x| |v| of porous jelly that
/// spins, flies and is sheared.
fn changes<const D: usize>(transfer: Transfer, kernel: KernelKind) -> (f64, f64)
where
    f64: Laws<D>,
{
    let mut sim = Simulation::new(staggered(transfer, kernel), vec![f64::jelly()]).unwrap();
    let seeds = Random(5).jitter(block([0.3; D], [4; D]), 0.2);
    let seeds = moving(porous(seeds), |x| {
        plane(2.0 - 3.0 * x[1], 1.0 + 2.0 * x[0] + 4.0 * x[1])
    });
    sim.add(0, &seeds).unwrap();
    let before = sim.audit();
    sim.advance(0.05).unwrap();
    let after = sim.audit();
    assert_eq!(after.mass, before.mass);
    let jelly = sim.particles();
    let sheared = jelly.iter().map(|p| p.kirchhoff_stress[0][1].abs());
    assert!(sheared.fold(0.0, f64::max) > 100.0, "shear acts");
    let (p, l) = jelly.iter().fold((0.0, 0.0), |(p, l), q| {
        let momentum = q.mass * q.velocity.norm();
        (p + momentum, l + momentum * q.position.norm())
    });
    let gap = |a: &[f64], b: &[f64]| {
        let gaps = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        gaps.fold(0.0f64, f64::max)
    };
    (
        gap(&after.momentum, &before.momentum) / p,
        gap(&after.angular_momentum, &before.angular_momentum) / l,
    )
}

fn momenta<const D: usize>()
where
    f64: Laws<D>,
{
    for (transfer, kernel) in schemes() {
        let name = format!("{D}D {transfer:?} {kernel:?}");
        let (p, l) = changes::<D>(transfer, kernel);
        println!("{name}: {p:.1e} {l:.1e}");
        assert!(p < 1e-13, "{name}: momentum changes by {p}");
        if matches!(transfer, Transfer::Rpic | Transfer::Apic | Transfer::Mls) {
            assert!(l < 1e-10, "{name}: angular momentum changes by {l}");
        } else {
            // Control: the others are known to lose it.
            assert!(l > 1e-6, "{name}: angular momentum changes by {l} only");
        }
    }
}

#[test]
fn faces_keep_momentum_by_all_transfers_and_angular_momentum_by_the_affine_ones_in_2d() {
    momenta::<2>();
}

#[test]
fn faces_keep_momentum_by_all_transfers_and_angular_momentum_by_the_affine_ones_in_3d() {
    momenta::<3>();
}

fn free_flight<const D: usize>()
where
    f64: Laws<D>,
{
    let boost = plane::<D>(1.7, -0.9);
    for (transfer, kernel) in schemes() {
        let name = format!("{D}D {transfer:?} {kernel:?}");
        let materials = vec![f64::jelly(), f64::water()];
        let mut sim = Simulation::new(staggered(transfer, kernel), materials).unwrap();
        let mut low = [0.0; D];
        for material in 0..2 {
            low[0] = 9.0 * material as f64;
            let seeds = moving(block(low, [4; D]), |_| boost);
            sim.add(material, &seeds).unwrap();
        }
        sim.advance(0.2).unwrap();
        for p in sim.particles() {
            let off = (0..D).map(|a| (p.velocity[a] - boost[a]).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-12, "{name}: particle {} is off by {off}", p.id);
            assert!((p.volume_ratio - 1.0).abs() < 1e-12, "{name}: {p:?}");
        }
        let mass = 2.0 * DENSITY * (4.0 * H).powi(D as i32);
        let momentum = sim.audit().momentum;
        for a in 0..D {
            let off = (momentum[a] / mass - boost[a]).abs();
            assert!(off < 1e-13, "{name}: momentum is off by {off}");
        }
    }
}

#[test]
fn bodies_fly_on_as_they_are() {
    free_flight::<2>();
    free_flight::<3>();
}
