//! Diagnosis of rejected steps: the reason, and the particle that shows it.

use thixo_par::Scalar;

use super::implicit::NotConverged;
use super::setup::CheckedSetup;
use crate::error::StepError;
use crate::grid::BlockOrder;
use crate::state::State;

/// The reason for the rejection of a step.
#[derive(Clone, Debug)]
pub(super) enum Rejection {
    /// A number that is not finite, or a volume that is not positive.
    Unsound,
    /// A particle crossed this much of a cell.
    TooFast { cells: f64, dt: f64 },
    /// An implicit solve did not come to its end.
    NotConverged { dt: f64, cause: NotConverged },
    /// A solve of a projection did not come to its end.
    Unsolved(StepError),
    /// Shorter steps cannot help.
    Final(StepError),
}

/// Names what went wrong, with the first particle that shows it.
pub(super) fn diagnose<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &State<T, D>,
    order: &BlockOrder<D>,
    (rejection, dt): (&Rejection, f64),
) -> StepError {
    let time = state.time;
    match rejection {
        Rejection::Unsolved(error) | Rejection::Final(error) => return error.clone(),
        Rejection::TooFast { cells, dt } => {
            return StepError::TooFast {
                cells: *cells,
                time,
                dt: *dt,
            };
        }
        Rejection::NotConverged { dt, cause } => {
            let blocks = &order.blocks;
            let per_block = blocks.nodes_per_block();
            let block = blocks.coordinate(cause.node / per_block);
            let position = setup.geometry.node_position(block, cause.node % per_block);
            return StepError::NotConverged {
                integrator: setup.integrator.name(),
                unsolved: cause.unsolved,
                history: cause.history.clone(),
                position: position.to_vec(),
                time,
                dt: *dt,
            };
        }
        Rejection::Unsound => {}
    }
    let mut found: Option<(u32, StepError)> = None;
    for (species, material) in state.particles.species.iter().zip(&setup.materials) {
        for slot in species.occupied() {
            let particle = species.ids[slot];
            if found.as_ref().is_some_and(|(id, _)| *id < particle) {
                continue;
            }
            let name = material.name().to_owned();
            let lost = |x: &f64| !x.is_finite();
            let position = species.position(slot, &setup.geometry).0;
            let columns = species.state(slot);
            let volume_ratio = material.volume_ratio(&columns);
            // Within fused steps velocity and stress are not kept.
            let (mut velocity, mut stress) = ([0.0; D], [[0.0; D]; D]);
            if species.has_cold() {
                velocity = species.velocity(slot).0.map(T::to_f64);
                stress = species.stress(slot).0.map(|row| row.map(T::to_f64));
            }
            let (quantity, value) = if let Some(&x) = position.iter().find(|x| lost(x)) {
                ("position [m]", x)
            } else if let Some(&x) = columns.iter().find(|x| lost(x)) {
                ("deformation", x)
            } else if let Some(&x) = velocity.iter().find(|x| lost(x)) {
                ("velocity [m/s]", x)
            } else if let Some(&x) = stress.as_flattened().iter().find(|x| lost(x)) {
                ("stress [Pa]", x)
            } else if volume_ratio <= 0.0 {
                let error = StepError::Inverted {
                    particle,
                    material: name,
                    volume_ratio,
                    time,
                    dt,
                };
                found = Some((particle, error));
                continue;
            } else {
                continue;
            };
            let error = StepError::NonFinite {
                particle,
                material: name,
                quantity,
                value,
                time,
                dt,
            };
            found = Some((particle, error));
        }
    }
    found.map_or(StepError::GridNonFinite { time, dt }, |(_, error)| error)
}
