//! Frames: as many steps as they need, accepted or taken back, equation (16).
//!
//! There are two ways to take back. Explicit steps are cheap and many, and the fused path keeps no
//! velocities between them, so that a frame is repeated as a whole, from a snapshot that was made
//! at its beginning. Implicit steps are few and dear, and are repeated one by one ([`step_retry`]),
//! from a snapshot before each. Both halve the step, and both give up after [`RETRIES`].

use std::sync::atomic::AtomicBool;

use thixo_par::Scalar;

use super::diagnose::{Rejection, diagnose};
use super::heat::conduct_heat;
use super::prepare::begin;
use super::report::{FrameProgress, FrameReport};
use super::schedule::Schedule;
use super::setup::{CheckedSetup, Path};
use super::snapshot::Snapshot;
use super::stopwatch::Stopwatch;
use super::{explicit, fused, mixture, step_retry};
use crate::error::StepError;
use crate::particles::Columns;
use crate::state::State;
use crate::workspace::Workspace;

/// Retries of a frame, or of an implicit step, with a smaller cap on the time step before a run
/// gives up.
pub(super) const RETRIES: u32 = 8;

/// The cap on the time step \[s\] after a step of `tried` seconds was not accepted.
pub(super) fn shorter(tried: f64) -> f64 {
    0.5 * tried
}

/// Advances by `duration` seconds, repeating the frame with shorter steps where one is not
/// accepted, unless somebody asks to `stop`.
pub(crate) fn advance<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    duration: f64,
    stop: &AtomicBool,
) -> Result<FrameReport, StepError> {
    let mut progress = FrameProgress::new();
    let mut watch = Stopwatch::start(&mut progress.done.seconds);
    begin(setup, state, work)?;
    watch.sort();
    let mut snapshot = Snapshot::of(state, work);
    let mut path = setup.path_between(state.time, state.time + duration);
    let mut retries = 0;
    let mut cap = state.time_step.control.cap;
    loop {
        if path == Path::Staged {
            snapshot.copy_cold(&state.particles);
        }
        state.time_step.control.cap = cap;
        let mut schedule = Schedule::frame(duration, stop);
        let leave = |cold| snapshot.keep_cold(cold);
        let steps = Steps {
            path,
            schedule: &mut schedule,
            progress: &mut progress,
        };
        let rejection = match run(setup, state, work, steps, leave) {
            Ok(()) => {
                // Sums of many steps do not add up to the frame exactly.
                state.time = snapshot.time() + duration;
                if setup.integrator.is_explicit() {
                    state.time_step.control.cap = f64::INFINITY;
                }
                return Ok(progress.report(retries));
            }
            Err(rejection) => rejection,
        };
        let tried = progress.trying.min(duration);
        let diagnosis = diagnose(setup, state, &work.order, (&rejection, tried));
        snapshot.restore(state, work);
        retries += 1;
        let is_fixed = setup.time_step.fixed.is_some();
        if retries > RETRIES || is_fixed || matches!(rejection, Rejection::Final(_)) {
            return Err(diagnosis);
        }
        cap = shorter(tried);
        path = Path::Staged;
        progress = FrameProgress::new();
    }
}

/// Makes `count` steps of `dt` seconds, however long that is for the material, of particles that
/// are in order; nothing is repeated or taken back.
pub(crate) fn run_steps<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    (dt, count): (f64, u64),
    stop: &AtomicBool,
) -> Result<FrameReport, StepError> {
    let mut schedule = Schedule::equal(dt, count, stop);
    let mut progress = FrameProgress::new();
    let steps = Steps {
        path: setup.path_between(state.time, state.time + dt * count as f64),
        schedule: &mut schedule,
        progress: &mut progress,
    };
    match run(setup, state, work, steps, drop) {
        Ok(()) => Ok(progress.report(0)),
        Err(rejection) => {
            let error = diagnose(setup, state, &work.order, (&rejection, dt));
            // Nobody knows the velocities in the middle of fused steps.
            state.particles.make_cold(T::from_f64(f64::NAN));
            Err(error)
        }
    }
}

/// Steps that are to be made, and how far they have come.
struct Steps<'a, 'b> {
    path: Path,
    schedule: &'a mut Schedule<'b>,
    progress: &'a mut FrameProgress,
}

fn run<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    steps: Steps<'_, '_>,
    leave: impl FnOnce(Vec<Columns<T>>),
) -> Result<(), Rejection> {
    let Steps {
        path,
        schedule,
        progress,
    } = steps;
    if setup.integrator.projection().is_none() {
        work.grid.resize(&work.order);
    }
    if path == Path::Fused {
        return fused::run_frame(setup, state, work, (schedule, progress), leave);
    }
    if !setup.integrator.is_explicit() {
        return step_retry::run_frame(setup, state, work, (schedule, progress));
    }
    while !schedule.is_over() {
        let dt = schedule.next_step(setup, state, work)?;
        progress.trying = dt;
        schedule.sort_if_needed(setup, state, work, dt, progress)?;
        let seconds = &mut progress.done.seconds;
        let outcome = match &setup.mixture {
            Some(mixture) => mixture::step((setup, mixture), state, work, dt, seconds),
            None => explicit::step(setup, state, work, dt, seconds),
        };
        // Rest at peaks of the kinetic energy                                     (5a)
        if setup.damping.is_kinetic_at(state.time) {
            progress.kinetic_peak.stop_matter(&mut state.particles);
        }
        schedule.accept(setup, state, work, (outcome, dt), progress)?;
        // Heat, where it is due                                                  (50)–(57)
        if let Some(heat) = &setup.heat {
            let is_last = schedule.is_over();
            conduct_heat(
                heat,
                setup,
                state,
                work,
                is_last,
                &mut progress.done.seconds,
            )?;
        }
    }
    Ok(())
}
