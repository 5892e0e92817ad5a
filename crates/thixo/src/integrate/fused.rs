//! A run of explicit steps with one pass over the particles each, equation (17).

use thixo_par::Scalar;

use super::advance::{Rejection, Schedule, Tally};
use super::stage::Parts;
use super::stopwatch::Stopwatch;
use crate::particles::Columns;
use crate::simulation::Simulation;
use crate::transfer::fused::{Pass, run};
use crate::transfer::{Moved, split};
use crate::{collide, force};

/// Which halves of the step a pass does.
#[derive(Clone, Copy)]
enum Kind {
    Begin,
    Middle,
    End,
}

/// Runs steps to the end of the schedule. Velocity, affine matrix and stress of the particles are in the cold columns before and after; `leave`
/// is given them as they were before.
pub(super) fn run_frame<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    schedule: &mut Schedule,
    tally: &mut Tally,
    leave: impl FnOnce(Vec<Columns<T>>),
) -> Result<(), Rejection> {
    let mut dt = schedule.next_step(sim)?;
    let mut next_dt = dt;
    pass(sim, Kind::Begin, dt, next_dt, tally);
    leave(sim.particles.take_cold());
    loop {
        tally.trying = dt;
        // Grid: (5)–(8) on the momentum that the last pass scattered
        let approach = update_grid(sim, dt, tally)?;
        sim.pace.approach = approach;
        let kind = if schedule.is_over() {
            Kind::End
        } else {
            Kind::Middle
        };
        if !schedule.is_over() {
            next_dt = schedule.next_step(sim)?;
        }
        schedule.sort_if_needed(sim, dt, tally)?;
        if let Kind::End = kind {
            sim.grid.tiles.release();
            sim.particles.make_cold(T::zero());
        }
        // Particles: (9)–(13) and (8b), (8c), then (1)–(4) for the coming step
        let moved = pass(sim, kind, dt, next_dt, tally);
        let moved = Moved { approach, ..moved };
        schedule.accept(sim, moved, dt, tally)?;
        if let Kind::End = kind {
            return Ok(());
        }
        dt = next_dt;
    }
}

/// One pass over the particles.
fn pass<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    kind: Kind,
    dt: f64,
    next_dt: f64,
    tally: &mut Tally,
) -> Moved<T> {
    let mut watch = Stopwatch::start(&mut tally.seconds);
    let Parts {
        particles,
        grid,
        stage,
        ..
    } = sim.parts(dt);
    let velocity = &grid.nodes;
    let pass = match kind {
        Kind::Begin => Pass::Begin { next_dt },
        Kind::Middle => Pass::Middle { velocity, next_dt },
        Kind::End => Pass::End { velocity },
    };
    let moved = run(pass, split(particles, stage.order, &mut grid.tiles), &stage);
    watch.particles();
    moved
}

/// From the tiles of the last pass to constrained velocities. Returns the speed at which obstacles come towards matter \[m/s\].
fn update_grid<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    dt: f64,
    tally: &mut Tally,
) -> Result<f64, Rejection> {
    let mut watch = Stopwatch::start(&mut tally.seconds);
    let Parts {
        grid,
        setup,
        loads,
        stage,
        ..
    } = sim.parts(dt);
    grid.nodes.pull(stage.order, &grid.tiles);
    watch.grid();
    collide::weigh(&setup.colliders, grid, &stage);
    watch.obstacles();
    force::accelerate(&setup.body_force, grid, &stage);
    force::load(loads, grid, &stage);
    collide::reflect(&setup.walls, grid, &stage);
    let finite = grid.divide_by_mass();
    watch.grid();
    let approach = collide::constrain(&setup.colliders, grid, &stage);
    watch.obstacles();
    force::follow(loads, grid, &stage);
    watch.grid();
    if finite {
        Ok(approach)
    } else {
        Err(Rejection::Unsound)
    }
}
