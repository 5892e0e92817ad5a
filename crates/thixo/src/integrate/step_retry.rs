//! Implicit steps, each repeated on its own where it is not accepted: they are too dear to repeat a
//! whole frame for one of them.

use thixo_par::Scalar;

use super::diagnose::{Rejection, diagnose};
use super::frame::{RETRIES, shorter};
use super::implicit;
use super::report::FrameProgress;
use super::schedule::Schedule;
use super::setup::CheckedSetup;
use super::snapshot::Snapshot;
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
            step(setup, state, work, (schedule, progress))?;
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
                return Err(Rejection::Final(named.unwrap_or(diagnosis)));
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
    let stepped = implicit::step(setup, state, work, dt, &mut progress.done.seconds)
        .map_err(|cause| Rejection::NotConverged { dt, cause })?;
    schedule.accept(setup, state, work, (stepped.outcome, dt), progress)?;
    progress.done.effort = progress.done.effort.and(stepped.effort);
    Ok(())
}
