//! The grid exists only where matter is, and ends where its cells cannot be numbered any more.

use crate::matter::{H, Matter, bits, block, moving, plane, setup, simulation, solid};
use thixo::{BodyForce, BuildError, StepError};

fn blobs<T: Matter<D>, const D: usize>(cells_apart: f64) -> usize {
    let mut sim = simulation(setup(), solid::<T, D>());
    sim.add(0, &block([0.0; D], [4; D]))
        .expect("possible particles");
    let low = [cells_apart; D];
    sim.add(0, &block(low, [4; D])).expect("possible particles");
    sim.advance(0.01).expect("a stable frame");
    sim.bytes()
}

#[test]
fn two_blobs_ten_thousand_cells_apart_need_the_memory_of_two_near_ones() {
    fn case<T: Matter<D>, const D: usize>() {
        let (near, far) = (blobs::<T, D>(24.0), blobs::<T, D>(10_000.0));
        assert!(
            far <= near + near / 50,
            "{} {D}D: {far} bytes, {near} bytes",
            T::NAME
        );
        // Control: bytes do count the grid.
        assert!(near > 2 * 2 * 8usize.pow(D as u32) * size_of::<T>());
    }
    case::<f32, 2>();
    case::<f32, 3>();
    case::<f64, 2>();
    case::<f64, 3>();
}

#[test]
fn a_particle_that_leaves_the_numberable_grid_is_named() {
    fn case<const D: usize>()
    where
        f64: Matter<D>,
    {
        // 2¹⁸ blocks of 8 or 4 cells.
        let reach = f64::from(1 << if D == 2 { 21 } else { 20 }) * H;
        let mut sim = simulation(setup(), solid::<f64, D>());
        let mut low = [0.0; D];
        low[0] = reach / H - 12.0;
        let seeds = moving(block(low, [2; D]), |_| plane(10.0, 0.0));
        sim.add(0, &seeds).expect("possible particles");
        let before = bits(&sim);
        let error = sim.advance(1.0).expect_err("the end of the grid");
        let StepError::OutOfGrid {
            particle,
            position,
            reach: end,
            time,
        } = error
        else {
            panic!("{error}");
        };
        assert!((particle as usize) < seeds.len() && (position[0] - end).abs() < 4.0 * H);
        assert!(time > 0.0 && time < 1.0);
        assert!(bits(&sim) == before && sim.time() == 0.0);
    }
    case::<2>();
    case::<3>();
}

#[test]
fn the_edge_of_the_grid_loses_no_mass() {
    // As near to the edge as particles may be added, they feel gravity like any other or are
    // refused.
    for cells in [1.0f64, 3.0, 5.0, 9.0] {
        let mut setup = setup::<2>();
        setup.body_force = BodyForce::Uniform([0.0, -1.0]);
        let mut sim = simulation(setup, solid::<f64, 2>());
        let low = [f64::from(1 << 20) - cells, 0.0];
        match sim.add(0, &block(low, [1; 2])) {
            Err(error) => assert!(matches!(error, BuildError::TooFar { .. }), "{error}"),
            Ok(_) => match sim.run_steps(1e-3, 1) {
                Err(error) => assert!(matches!(error, StepError::OutOfGrid { .. }), "{error}"),
                Ok(_) => {
                    for p in sim.particles() {
                        assert!(
                            (p.velocity[1] + 1e-3).abs() < 1e-12,
                            "{cells}: {:?}",
                            p.velocity
                        );
                    }
                }
            },
        }
    }
}
