//! Implicit steps, each repeated on its own where it is not accepted: they are too dear to repeat a whole frame for one of them.

use thixo_par::Scalar;

use super::advance::{RETRIES, Rejection, Schedule, Tally, diagnose};
use super::implicit;
use super::snapshot::Snapshot;
use crate::simulation::Simulation;

/// Makes all steps of a schedule. A step that fails too often ends it, with the diagnosis.
pub(super) fn step_by_step<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    schedule: &mut Schedule,
    tally: &mut Tally,
) -> Result<(), Rejection> {
    while !schedule.is_over() {
        if !schedule.may_be_shortened() {
            step(sim, schedule, tally)?;
            continue;
        }
        let mut snapshot = Snapshot::of(sim);
        snapshot.copy_cold(&sim.particles);
        let before = *schedule;
        let mut tries = 0;
        while let Err(rejection) = step(sim, schedule, tally) {
            let diagnosis = diagnose(sim, &rejection, tally.trying);
            if tries == RETRIES || matches!(rejection, Rejection::Final(_)) {
                return Err(Rejection::Final(diagnosis));
            }
            snapshot.restore(sim);
            *schedule = before;
            tries += 1;
            tally.repeated += 1;
            sim.pace.control.cap = 0.5 * tally.trying;
        }
        sim.pace.control.cap = f64::INFINITY;
    }
    Ok(())
}

/// One step, of the length that the schedule chooses.
fn step<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    schedule: &mut Schedule,
    tally: &mut Tally,
) -> Result<(), Rejection> {
    let dt = schedule.next_step(sim)?;
    tally.trying = dt;
    schedule.sort_if_needed(sim, dt, tally)?;
    let stepped = implicit::step(sim, dt, &mut tally.seconds)
        .map_err(|cause| Rejection::NotConverged { dt, cause })?;
    schedule.accept(sim, stepped.moved, dt, tally)?;
    let worst = tally.effort.residual.max(stepped.effort.residual);
    tally.effort = tally.effort.then(stepped.effort);
    tally.effort.residual = worst;
    Ok(())
}
