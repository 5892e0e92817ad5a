//! Rest volumes estimated from the density on the grid, equation (20), errata E43.

use crate::matter::{H, Matter, block, setup, simulation, solid};
use thixo::{KernelKind, Transfer};

fn lattice<T: Matter<D>, const D: usize>(kernel: KernelKind, bound: f64) {
    let n = 10;
    let transfer = Transfer::Apic; // serves all kernels
    let setup = setup().with_kernel(kernel).with_transfer(transfer);
    let mut sim = simulation(setup, solid::<T, D>());
    let mut seeds = block([1.0; D], [n; D]);
    for seed in &mut seeds {
        seed.rest_volume *= 7.0; // to be forgotten
    }
    sim.add(0, &seeds).expect("possible particles");
    sim.estimate_rest_volumes().expect("possible volumes");
    let exact = (0.5 * H).powi(D as i32);
    // Layers from the surface along each axis; 8 or more (four cells, for the cubic kernel) see no
    // surface.
    let layers = |x: f64| {
        let k = ((x / H - 1.25) * 2.0).round() as usize;
        k.min(2 * n - 1 - k)
    };
    let mut seen = [0; 2];
    for (p, seed) in sim.particles().iter().zip(&seeds) {
        let depth: Vec<usize> = seed.position.iter().map(|&x| layers(x)).collect();
        let ratio = p.rest_volume.to_f64() / exact;
        if depth.iter().all(|&k| k >= 8) {
            seen[0] += 1;
            assert!(
                (ratio - 1.0).abs() < bound,
                "{} {D}D {kernel:?}: {ratio} inside",
                T::NAME
            );
        } else if depth.iter().filter(|&&k| k >= 8).count() == D - 1 && depth.contains(&0) {
            seen[1] += 1;
            if kernel == KernelKind::Quadratic {
                assert!(
                    (1.5..1.7).contains(&ratio),
                    "{} {D}D: {ratio} at a face",
                    T::NAME
                );
            }
            assert!(ratio > 1.2);
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0);
}

#[test]
fn estimates_are_exact_inside_a_lattice_and_too_large_at_a_face() {
    for kernel in [KernelKind::Quadratic, KernelKind::Cubic] {
        lattice::<f32, 2>(kernel, 1e-5);
        lattice::<f32, 3>(kernel, 1e-5);
        lattice::<f64, 2>(kernel, 1e-12);
        lattice::<f64, 3>(kernel, 1e-12);
    }
    lattice::<f64, 2>(KernelKind::Linear, 1e-12);
}

/// A volume that was given too large makes matter look too stiff; the time step must follow the
/// estimate at once.
#[test]
fn the_time_step_follows_the_new_volumes() {
    let first_step = |estimate: bool| {
        let mut sim = simulation(setup(), solid::<f64, 2>());
        let mut seeds = block([1.0; 2], [8; 2]);
        for seed in &mut seeds {
            seed.rest_volume *= 1e-4;
        }
        sim.add(0, &seeds).expect("possible particles");
        if estimate {
            sim.estimate_rest_volumes().expect("possible volumes");
        }
        sim.advance(0.05).expect("a stable frame").dt_max
    };
    let (small, estimated) = (first_step(false), first_step(true));
    assert!(estimated < 0.05 * small, "{estimated} s, {small} s");
}
