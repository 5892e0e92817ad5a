//! The same bits on any number of threads.

use crate::matter::{H, Matter, Random, bits, block, both, moving, plane, setup, simulation};
use thixo::{BodyForce, Contact, Path, Side, Wall};

/// Bits after some frames with re-sorts, on so many threads.
fn run<T: Matter<D>, const D: usize>(threads: usize, path: Path, push: f64) -> Vec<u64> {
    let mut setup = setup::<D>();
    setup.threads = threads;
    setup.path = path;
    setup.body_force = BodyForce::Uniform(plane(1.0, -9.81));
    let floor = Contact::Separating { friction: 0.4 };
    setup.walls.push(Wall::new(1, 0.0, Side::Above, floor));
    let mut sim = simulation(setup, both::<T, D>());
    assert_eq!(sim.threads(), threads);
    let mut random = Random(3);
    for material in 0..2 {
        let mut low = [1.0; D];
        low[0] += 5.0 * material as f64;
        let mut cells = [5; D];
        cells[0] = 6;
        let seeds = random.jitter(block(low, cells), 0.2);
        let seeds = moving(seeds, |x| plane(2.0 - 20.0 * x[1] * H, push - 3.0));
        sim.add(material, &seeds).expect("possible particles");
    }
    let mut sorts = 0;
    for _ in 0..2 {
        sorts += sim.advance(0.08).expect("a stable frame").sorts;
    }
    assert!(sorts > 1, "{sorts} sorts");
    bits(&sim)
}

fn same_bits<T: Matter<D>, const D: usize>() {
    for path in [Path::Fused, Path::Staged] {
        let one = run::<T, D>(1, path, 0.0);
        for threads in [2, 3, 5] {
            let several = run::<T, D>(threads, path, 0.0);
            assert!(
                several == one,
                "{} {D}D {path:?} on {threads} threads",
                T::NAME
            );
        }
        let pushed = run::<T, D>(1, path, 1e-6);
        assert!(pushed != one, "bits show a push of a micrometre per second");
    }
}

#[test]
fn threads_change_no_bit_in_2d() {
    same_bits::<f32, 2>();
    same_bits::<f64, 2>();
}

#[test]
fn threads_change_no_bit_in_3d() {
    same_bits::<f32, 3>();
    same_bits::<f64, 3>();
}
