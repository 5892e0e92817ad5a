//! A run of explicit steps with one pass over the particles each, equation (17).

use thixo_par::Scalar;

use super::diagnose::Rejection;
use super::grid_update::{GridUpdate, Velocities, update_grid};
use super::heat::conduct_heat;
use super::report::FrameProgress;
use super::schedule::Schedule;
use super::setup::CheckedSetup;
use super::stopwatch::Stopwatch;
use crate::collide;
use crate::particles::Columns;
use crate::state::State;
use crate::transfer::fused::{Pass, run};
use crate::transfer::{StepOutcome, segment_views};
use crate::workspace::Workspace;

/// The halves of the step that a pass makes.
#[derive(Clone, Copy)]
enum Half {
    Begin,
    Middle,
    End,
}

/// Runs steps to the end of the schedule. Velocity, affine matrix and stress of the particles are
/// in the cold columns before and after; `leave` is given them as they were before.
pub(super) fn run_frame<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    (schedule, progress): (&mut Schedule<'_>, &mut FrameProgress),
    leave: impl FnOnce(Vec<Columns<T>>),
) -> Result<(), Rejection> {
    // A frame with damping may have left it.
    work.grid.before = None;
    let mut dt = schedule.next_step(setup, state, work)?;
    let mut next_dt = dt;
    pass(setup, state, work, (Half::Begin, dt, next_dt), progress);
    leave(state.particles.take_cold());
    loop {
        progress.trying = dt;
        // Grid: (5)–(8) on the momentum that the last pass scattered
        let update = pull_and_update(setup, state, work, dt, progress)?;
        let closing_speed = update.closing_speed;
        let mesh_limits = update.mesh_limits();
        state.time_step.closing_speed = closing_speed;
        let half = if schedule.is_over() {
            Half::End
        } else {
            Half::Middle
        };
        if !schedule.is_over() {
            next_dt = schedule.next_step(setup, state, work)?;
        }
        schedule.sort_if_needed(setup, state, work, dt, progress)?;
        if let Half::End = half {
            work.grid.tiles.release();
            state.particles.make_cold(T::zero());
        }
        // Particles: (9)–(13) and (8b), (8c), then (1)–(4) for the coming step
        let outcome = pass(setup, state, work, (half, dt, next_dt), progress);
        let outcome = StepOutcome {
            closing_speed,
            limits: outcome.limits.merge(mesh_limits),
            ..outcome
        };
        schedule.accept(setup, state, work, (outcome, dt), progress)?;
        // Heat, where it is due; stress knows of it from the next pass on          (50)–(57)
        if let Some(heat) = &setup.heat {
            let is_last = matches!(half, Half::End);
            conduct_heat(
                heat,
                setup,
                state,
                work,
                is_last,
                &mut progress.done.seconds,
            )?;
        }
        if let Half::End = half {
            return Ok(());
        }
        dt = next_dt;
    }
}

/// One pass over the particles.
fn pass<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    (half, dt, next_dt): (Half, f64, f64),
    progress: &mut FrameProgress,
) -> StepOutcome<T> {
    let mut watch = Stopwatch::start(&mut progress.done.seconds);
    let Workspace { order, grid, .. } = work;
    let context = setup.context(order, state.time, dt);
    let velocity = &grid.nodes;
    let pass = match half {
        Half::Begin => Pass::Begin { next_dt },
        Half::Middle => Pass::Middle { velocity, next_dt },
        Half::End => Pass::End { velocity },
    };
    let views = segment_views(&mut state.particles, order, &mut grid.tiles);
    let outcome = run(pass, views, &context);
    watch.particles();
    outcome
}

/// From the tiles of the last pass to constrained velocities.
fn pull_and_update<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    dt: f64,
    progress: &mut FrameProgress,
) -> Result<GridUpdate, Rejection> {
    let mut watch = Stopwatch::start(&mut progress.done.seconds);
    let Workspace { order, grid, .. } = work;
    let context = setup.context(order, state.time, dt);
    grid.nodes.pull(order, &grid.tiles);
    watch.grid();
    collide::weigh_materials(&setup.colliders, setup.materials.len(), grid, &context.step);
    watch.obstacles();
    let explicit = Velocities::Explicit {
        particles: &state.particles,
    };
    let outside = (&mut state.loads[..], &mut state.contact_impulses);
    let update = update_grid(setup, grid, outside, &context, explicit, &mut watch);
    match update {
        Ok(update) if update.is_finite => Ok(update),
        _ => Err(Rejection::Unsound),
    }
}
