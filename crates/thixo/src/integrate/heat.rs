//! Heat within the steps of the matter: conduction where it is due, and the limits of the next step
//! where matter has changed its phase.

use thixo_par::Scalar;

use super::diagnose::Rejection;
use super::prepare::limits_of;
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::collide::Solids;
use crate::error::StepError;
use crate::heat::{self, Heat};
use crate::state::State;
use crate::step_context::StepContext;
use crate::workspace::Workspace;

/// Conducts heat after a step of the matter that was accepted, if it is due.
pub(super) fn conduct_heat<T: Scalar, const D: usize>(
    heat: &Heat<D>,
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &Workspace<T, D>,
    is_last: bool,
    seconds: &mut StageSeconds,
) -> Result<(), Rejection> {
    let spacing = setup.geometry.spacing();
    if !state.heat.is_due(heat, spacing, is_last) {
        return Ok(());
    }
    let mut watch = Stopwatch::start(seconds);
    let solids = Solids {
        walls: &setup.walls,
        colliders: &setup.colliders,
    };
    let step = StepContext {
        order: &work.order,
        geometry: &setup.geometry,
        isa: setup.isa,
        time: state.time,
        dt: 0.0,
    };
    let (particles, materials) = (&mut state.particles, &setup.materials[..]);
    let conducted = heat::conduct_heat(heat, &mut state.heat, particles, materials, solids, &step);
    let changed = conducted.map_err(|cause| {
        let time = state.time;
        Rejection::Final(StepError::NoTemperature { cause, time })
    })?;
    // Matter that froze may be stiffer than any before.
    let species = state.particles.species.iter_mut().zip(&setup.materials);
    for ((species, material), changed) in species.zip(changed) {
        if changed {
            let limits = limits_of(species, material.as_ref());
            state.time_step.limits = state.time_step.limits.merge(limits);
        }
    }
    watch.heat();
    Ok(())
}
