//! The active set iteration: velocities are solved for with the active contacts and the friction of
//! the last solution, both are updated from the new one, and so on until neither changes.

use thixo_par::Scalar;

use super::Solver;
use super::convergence::Convergence;
use super::solution::{Effort, NotConverged, Solution};
use super::system::System;
use crate::error::Unsolved;

/// Iterations, at most.
const ITERATIONS: usize = 8;
/// Friction is converged when its error is no more than this share of the cone limits; it falls to
/// a third in every iteration.
const FRICTION_TOLERANCE: f64 = 0.02;
/// The active set is converged when the impulses of wrong contacts are no more than this share of
/// the compressive ones.
const CONTACT_TOLERANCE: f64 = 1e-3;
/// After the last iteration, steps with a larger error of either are rejected.
const ACCEPTABLE: f64 = 0.1;
/// Share of all impulses of a step below which those of contacts are negligible.
const NEGLIGIBLE: f64 = 1e-3;

/// Violation of the contact conditions by a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContactResidual {
    /// Sum of the errors of impulses \[N s\].
    pub violation: f64,
    /// Sum of all impulses of the kind \[N s\].
    pub total: f64,
    /// The largest error \[N s\], and its node.
    worst: (f64, usize),
}

impl ContactResidual {
    /// Adds the error of the impulse at a node.
    pub fn add(&mut self, violation: f64, node: usize) {
        self.violation += violation;
        if violation > self.worst.0 {
            self.worst = (violation, node);
        }
    }
    /// The violation relative to the total, or to `least` where that is larger.
    fn relative(&self, least: f64) -> f64 {
        self.violation / self.total.max(least).max(f64::MIN_POSITIVE)
    }
}

/// Solves until all active contacts are compressive, no inactive one is penetrated, and friction
/// lies in the cones of their impulses.
pub(super) fn solve<T: Scalar, const D: usize>(
    solver: &dyn Solver<T, D>,
    system: &mut System<'_, T, D>,
) -> Result<Solution<T, D>, NotConverged> {
    let mut effort = Effort::default();
    let mut convergence = Convergence::new(solver.tolerance());
    let mut start = None;
    let mut history = Vec::new();
    loop {
        let mut solution = solver.solve(system, &mut convergence, start.take())?;
        effort = effort.then(solution.effort);
        solution.effort = effort;
        if !system.constraints.has_unilateral() {
            return Ok(solution);
        }
        let (v, impulse) = (solution.v.values_mut(), solution.impulse.values());
        let least = NEGLIGIBLE * system.total_impulse(v);
        let friction = system.update_friction(solver.friction_treatment(), v, impulse);
        let contacts = system.update_active_set(v, impulse);
        let [friction_error, contact_error] =
            [friction, contacts].map(|residual| residual.relative(least));
        history.push(friction_error.max(contact_error));
        if friction_error <= FRICTION_TOLERANCE && contact_error <= CONTACT_TOLERANCE {
            return Ok(solution);
        }
        if history.len() == ITERATIONS {
            if friction_error.max(contact_error) <= ACCEPTABLE {
                return Ok(solution);
            }
            let worst = match friction_error > contact_error {
                true => friction,
                false => contacts,
            };
            return Err(NotConverged {
                unsolved: Unsolved::Contacts,
                history,
                node: worst.worst.1,
            });
        }
        start = Some(solution.v);
    }
}
