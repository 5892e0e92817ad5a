//! Implicit steps, each repeated on its own where it is not accepted: they are too dear to repeat a
//! whole frame for one of them.

use thixo_par::Scalar;

use super::diagnose::{Rejection, diagnose};
use super::frame::{RETRIES, shorter};
use super::heat::conduct_heat;
use super::implicit::{self, Patience};
use super::projection;
use super::report::FrameProgress;
use super::schedule::Schedule;
use super::setup::CheckedSetup;
use super::snapshot::Snapshot;
use super::stopwatch::StageSeconds;
use crate::error::{StepError, Unsolved};
use crate::state::State;
use crate::timestep::GROWTH;
use crate::workspace::Workspace;

/// Makes all steps of a schedule. A step that fails too often ends it, with the diagnosis.
pub(super) fn run_frame<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    (schedule, progress): (&mut Schedule<'_>, &mut FrameProgress),
) -> Result<(), Rejection> {
    while !schedule.is_over() {
        if !schedule.may_be_shortened(setup) {
            if let Err(rejection) = step(setup, state, work, (schedule, progress)) {
                let tried = progress.trying;
                let diagnosis = diagnose(setup, state, &work.order, (&rejection, tried));
                let diagnosis = name_sweeps(setup, state, work, diagnosis);
                return Err(Rejection::Final(diagnosis));
            }
            continue;
        }
        let mut snapshot = Snapshot::of(state, work);
        snapshot.copy_cold(&state.particles);
        let before = *schedule;
        let mut tries = 0;
        let mut first_refusal = None;
        while let Err(rejection) = step(setup, state, work, (schedule, progress)) {
            let tried = progress.trying;
            let diagnosis = diagnose(setup, state, &work.order, (&rejection, tried));
            // The sweeps that X-PBD lacks are those of the step as long as it was meant to be.
            let is_for_sweeps = matches!(
                diagnosis,
                StepError::NotConverged {
                    unsolved: Unsolved::Sweeps { .. },
                    ..
                }
            );
            if is_for_sweeps && first_refusal.is_none() {
                first_refusal = Some(diagnosis.clone());
            }
            if tries == RETRIES || matches!(rejection, Rejection::Final(_)) {
                let named = first_refusal.filter(|_| is_for_sweeps);
                snapshot.restore(state, work);
                let diagnosis = name_sweeps(setup, state, work, named.unwrap_or(diagnosis));
                return Err(Rejection::Final(diagnosis));
            }
            snapshot.restore(state, work);
            *schedule = before;
            tries += 1;
            progress.done.retries += 1;
            state.time_step.control.cap = shorter(tried);
        }
        // Steps that were too long a moment ago still are: they grow slowly.
        state.time_step.control.cap *= GROWTH;
    }
    Ok(())
}

/// One step, of the length that the schedule chooses.
fn step<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    (schedule, progress): (&mut Schedule<'_>, &mut FrameProgress),
) -> Result<(), Rejection> {
    let dt = schedule.next_step(setup, state, work)?;
    progress.trying = dt;
    schedule.sort_if_needed(setup, state, work, dt, progress)?;
    let seconds = &mut progress.done.seconds;
    let stepped = match setup.integrator.projection() {
        Some(options) => projection::step(options, setup, state, work, dt, seconds)?,
        None => implicit::step(setup, state, work, (dt, Patience::Usual), seconds)
            .map_err(|cause| Rejection::NotConverged { dt, cause })?,
    };
    schedule.accept(setup, state, work, (stepped.outcome, dt), progress)?;
    progress.done.effort = progress.done.effort.and(stepped.effort);
    // Heat, where it is due                                                      (50)–(57)
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
    Ok(())
}

/// The diagnosis of a step that sweeps do not solve with the number of those that do: they are
/// made, since their residual falls ever more slowly and tells too few. The state is of no use
/// afterwards.
fn name_sweeps<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    mut diagnosis: StepError,
) -> StepError {
    if let StepError::NotConverged {
        unsolved: Unsolved::Sweeps { needed },
        dt,
        ..
    } = &mut diagnosis
    {
        let wanted = (*dt, Patience::Endless);
        let mut seconds = StageSeconds::default();
        let solved = implicit::step(setup, state, work, wanted, &mut seconds);
        *needed = solved.ok().map(|stepped| stepped.effort.sweeps);
    }
    diagnosis
}
