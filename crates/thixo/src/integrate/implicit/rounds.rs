//! Contacts and friction are found in rounds: velocities are solved for with them as they are, and what the solution says about them goes into the next solve.

use thixo_par::Scalar;

use super::convergence::Convergence;
use super::system::System;
use super::{Effort, NotConverged, Solution, Solver};
use crate::error::Unsolved;

/// Rounds, at most.
const ROUNDS: usize = 8;
/// Friction is found when no more than this share of what contacts allow is wrong: it falls to a third from round to round.
const STEADY: f64 = 0.02;
/// Contacts are found when no more than this share of what they press with is wrong.
const HELD: f64 = 1e-3;
/// After the last round, steps in which more of either is wrong are not used.
const USABLE: f64 = 0.1;
/// Of all impulses of a step, the share below which it does not matter what contacts do.
const NEGLIGIBLE: f64 = 1e-3;

/// How wrong the contacts of a solve were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Misfit {
    /// Impulses that should not have been, or were missing \[N s\].
    pub wrong: f64,
    /// All impulses of the kind \[N s\].
    pub whole: f64,
    /// The largest that was wrong \[N s\], and at which node.
    worst: (f64, usize),
}

impl Misfit {
    /// Takes note of an impulse that was wrong.
    pub fn note(&mut self, wrong: f64, node: usize) {
        self.wrong += wrong;
        if wrong > self.worst.0 {
            self.worst = (wrong, node);
        }
    }
    fn share(&self, least: f64) -> f64 {
        self.wrong / self.whole.max(least).max(f64::MIN_POSITIVE)
    }
}

/// Solves until the contacts that act are those that press, and friction is what they allow.
pub(super) fn solve<T: Scalar, const D: usize>(
    solver: &dyn Solver<T, D>,
    system: &mut System<'_, T, D>,
) -> Result<Solution<T, D>, NotConverged> {
    let mut effort = Effort::default();
    let mut convergence = Convergence::to(solver.tolerance());
    let mut start = None;
    let mut history = Vec::new();
    loop {
        let mut solution = solver.solve(system, &mut convergence, start.take())?;
        effort = effort.then(solution.effort);
        solution.effort = effort;
        if !system.constraints.may_let_go() {
            return Ok(solution);
        }
        let (v, impulse) = (solution.v.values_mut(), solution.impulse.values());
        let least = NEGLIGIBLE * system.impulses(v);
        let friction = system.rub(solver.rubbing(), v, impulse);
        let contacts = system.revise(v, impulse);
        let [rubs, holds] = [friction, contacts].map(|misfit| misfit.share(least));
        history.push(rubs.max(holds));
        if rubs <= STEADY && holds <= HELD {
            return Ok(solution);
        }
        if history.len() == ROUNDS {
            if rubs.max(holds) <= USABLE {
                return Ok(solution);
            }
            let worst = if rubs > holds { friction } else { contacts };
            return Err(NotConverged {
                unsolved: Unsolved::Contacts,
                history,
                node: worst.worst.1,
            });
        }
        start = Some(solution.v);
    }
}
