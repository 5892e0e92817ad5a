//! Matter that leaves a periodic axis at one end comes back at the other, whatever the kernel.

use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{KernelKind, Path, Seed, Setup, Simulation, Transfer};

/// A fluid that fills the box and moves as a whole goes on doing so, through several periods.
fn translate(kernel: KernelKind, transfer: Transfer, path: Path, cells: u32) {
    let h = 0.1;
    let length = f64::from(cells) * h;
    let mut setup = Setup::<2>::new(h);
    setup.kernel = kernel;
    setup.transfer = transfer;
    setup.path = path;
    setup.periods = [Some(cells); 2];
    let water = WeaklyCompressible::new(100.0, 0.0, PressureLaw::Linear).unwrap();
    let mut sim = Simulation::<f64, 2>::new(setup, vec![water.into()]).unwrap();
    let side = 2 * cells;
    let velocity = [1.0, -0.7];
    let seeds: Vec<_> = (0..side * side)
        .map(|k| {
            let x = [k % side, k / side].map(|i| (f64::from(i) + 0.5) * 0.5 * h);
            Seed::new(x, velocity, 2.5, 0.0025)
        })
        .collect();
    sim.add(0, &seeds).unwrap();
    sim.advance(3.3 * length).unwrap();
    for (particle, seed) in sim.particles().iter().zip(&seeds) {
        for a in 0..2 {
            let x = particle.position[a];
            assert!((0.0..length).contains(&x), "{kernel:?} {x}");
            let turns = (x - seed.position[a] - velocity[a] * sim.time()) / length;
            assert!(
                (turns - turns.round()).abs() < 1e-10,
                "{kernel:?} {transfer:?} {cells}: {turns}"
            );
        }
    }
}

#[test]
fn a_box_full_of_fluid_moves_through_itself() {
    for cells in [4, 8, 20] {
        for kernel in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            translate(kernel, Transfer::Apic, Path::Staged, cells);
            translate(kernel, Transfer::Flip, Path::Staged, cells);
        }
        translate(KernelKind::Quadratic, Transfer::Mls, Path::Fused, cells);
    }
}
