//! Motions with a known answer: rest, free fall, expansion, rounds along a periodic axis.

use crate::matter::{
    H, Matter, Random, bits, block, both, fluid, moving, plane, schemes, setup, simulation, solid,
};
use thixo::{BodyForce, KernelKind, Path, Seed, Transfer};

fn rest<T: Matter<D>, const D: usize>() {
    for (transfer, kernel) in schemes() {
        let setup = setup().with_transfer(transfer).with_kernel(kernel);
        let mut sim = simulation(setup, both::<T, D>());
        let seeds = Random(5).jitter(block([0.0; D], [3; D]), 0.2);
        sim.add(0, &seeds).expect("possible particles");
        sim.add(1, &seeds).expect("possible particles");
        sim.advance(1e-9).expect("a stable frame");
        let before = bits(&sim);
        sim.advance(0.05).expect("a stable frame");
        assert!(
            bits(&sim) == before,
            "{} {D}D {transfer:?} {kernel:?}",
            T::NAME
        );
    }
}

#[test]
fn what_rests_without_load_rests_to_the_last_bit() {
    rest::<f32, 2>();
    rest::<f32, 3>();
    rest::<f64, 2>();
    rest::<f64, 3>();
}

/// Symplectic Euler: vⁿ = v⁰ + n Δt g, xⁿ = x⁰ + n Δt v⁰ + ½ n (n + 1) Δt² g.
fn fall<const D: usize>()
where
    f64: Matter<D>,
{
    let (g, v0) = (plane::<D>(3.0, -10.0), plane::<D>(1.0, 2.0));
    let (dt, n) = (1e-3, 60.0);
    for path in [Path::Fused, Path::Staged] {
        for (transfer, kernel) in schemes() {
            let mut setup = setup();
            (setup.path, setup.transfer, setup.kernel) = (path, transfer, kernel);
            setup.body_force = BodyForce::Uniform(g);
            let mut sim = simulation(setup, both::<f64, D>());
            let seeds = moving(Random(5).jitter(block([-1.0; D], [3; D]), 0.2), |_| v0);
            sim.add(0, &seeds).expect("possible particles");
            sim.add(1, &seeds).expect("possible particles");
            sim.run_steps(dt, n as u64).expect("stable steps");
            for (k, p) in sim.particles().iter().enumerate() {
                let name = format!("{D}D {path:?} {transfer:?} {kernel:?} particle {k}");
                let start = seeds[k % seeds.len()].position;
                for a in 0..D {
                    let v = v0[a] + n * dt * g[a];
                    let x = start[a] + n * dt * v0[a] + 0.5 * n * (n + 1.0) * dt * dt * g[a];
                    assert!(
                        (p.velocity[a] - v).abs() < 1e-11,
                        "{name}: {} for {v}",
                        p.velocity[a]
                    );
                    assert!(
                        (p.position[a] - x).abs() < 1e-12,
                        "{name}: {} for {x}",
                        p.position[a]
                    );
                }
                assert!((p.volume_ratio - 1.0).abs() < 1e-11, "{name}");
            }
        }
    }
}

#[test]
fn free_fall_is_exact_for_every_transfer_and_kernel() {
    fall::<2>();
    fall::<3>();
}

/// A cube compressed by 5 % along every axis at the start must push outwards; with the sign of the
/// stress turned round it would collapse (errata E2). The stretched cube is the control: it
/// contracts.
fn spring_back<const D: usize>()
where
    f64: Matter<D>,
{
    for path in [Path::Fused, Path::Staged] {
        for material in 0..2 {
            for stretch in [0.95, 1.05] {
                let mut setup = setup();
                setup.path = path;
                let materials = if material == 0 {
                    solid::<f64, D>()
                } else {
                    fluid::<f64, D>()
                };
                let mut sim = simulation(setup, materials);
                let mut seeds: Vec<Seed<D>> = block([0.0; D], [4; D]);
                for seed in &mut seeds {
                    for a in 0..D {
                        seed.deformation_gradient[a][a] = stretch;
                    }
                    // The lattice is the present configuration.
                    seed.rest_volume /= stretch.powi(D as i32);
                }
                sim.add(0, &seeds).expect("possible particles");
                let tau = sim.particles()[0].kirchhoff_stress[0][0];
                assert!(
                    (tau < 0.0) == (stretch < 1.0) && tau != 0.0,
                    "stress before the first step: {tau}"
                );
                let before = sim.audit();
                sim.advance(0.004).expect("a stable frame");
                let after = sim.audit();
                let grows = after.volume > before.volume;
                assert_eq!(
                    grows,
                    stretch < 1.0,
                    "{D}D {path:?} material {material} stretch {stretch}"
                );
                assert!(after.elastic < before.elastic && after.kinetic > 0.0);
                let corner = sim.particles()[0].position;
                for a in 0..D {
                    assert_eq!(
                        corner[a] < seeds[0].position[a],
                        stretch < 1.0,
                        "the corner moves"
                    );
                }
            }
        }
    }
}

#[test]
fn a_compressed_cube_expands_and_a_stretched_one_contracts() {
    spring_back::<2>();
    spring_back::<3>();
}

fn rounds<T: Matter<D>, const D: usize>(bound: f64) {
    for path in [Path::Fused, Path::Staged] {
        for (transfer, kernel) in schemes() {
            // Only MLS is fused; the linear kernel, whose forces jump, makes rounding grow.
            if (path == Path::Fused && transfer != Transfer::Mls) || kernel == KernelKind::Linear {
                continue;
            }
            let mut setup = setup::<D>();
            (setup.path, setup.transfer, setup.kernel) = (path, transfer, kernel);
            setup.periods = [Some(8); D];
            let mut sim = simulation(setup, solid::<T, D>());
            let seeds = moving(block([2.0; D], [3; D]), |_| plane(4.0, -6.0));
            sim.add(0, &seeds).expect("possible particles");
            let before = sim.audit();
            // 0.4 s: two periods of 0.8 m along x, three along y.
            for _ in 0..4 {
                sim.advance(0.1)
                    .unwrap_or_else(|e| panic!("{D}D {path:?} {transfer:?} {kernel:?}: {e}"));
            }
            let name = format!("{} {D}D {path:?} {transfer:?} {kernel:?}", T::NAME);
            for (p, seed) in sim.particles().iter().zip(&seeds) {
                for a in 0..D {
                    let x = p.position[a];
                    assert!((0.0..8.0 * H).contains(&x), "{name}: {x}");
                    assert!(
                        (x - seed.position[a]).abs() < bound * H,
                        "{name}: {x} for {}",
                        seed.position[a]
                    );
                }
                assert!((p.volume_ratio.to_f64() - 1.0).abs() < bound, "{name}");
            }
            let after = sim.audit();
            for a in 0..D {
                let gap = (after.momentum[a] - before.momentum[a]).abs();
                assert!(gap < bound * before.mass, "{name}: momentum {gap}");
            }
        }
    }
}

#[test]
fn a_body_comes_round_a_periodic_axis_as_it_left() {
    rounds::<f64, 2>(1e-10);
    rounds::<f64, 3>(1e-10);
    rounds::<f32, 2>(1e-2);
    rounds::<f32, 3>(1e-2);
}

/// Matter that fills a periodic box from end to end has no surface: under pressure it stays at
/// rest.
#[test]
fn matter_that_fills_a_periodic_box_feels_no_surface() {
    fn case<const D: usize>()
    where
        f64: Matter<D>,
    {
        let mut setup = setup::<D>();
        setup.periods = [Some(4); D];
        let mut sim = simulation(setup, fluid::<f64, D>());
        let mut seeds = block([0.0; D], [4; D]);
        for seed in &mut seeds {
            seed.deformation_gradient[0][0] = 0.9;
        }
        sim.add(0, &seeds).expect("possible particles");
        sim.advance(0.05).expect("a stable frame");
        let audit = sim.audit();
        assert!(
            audit.elastic > 1.0 && audit.max_speed < 1e-9,
            "{D}D: {audit:?}"
        );
    }
    case::<2>();
    case::<3>();
}
