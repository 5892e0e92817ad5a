//! The optimisation integrator: Newton's method made safe by going downhill on E. \[Gast2015\] §3.1, \[Jiang2015thesis\] appendix A.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::convergence::{Convergence, Judged};
use super::line_search::{NoStep, Point, search};
use super::system::{CHUNK, Objective, Preconditioner, System};
use super::{Effort, NotConverged, Solution, Solver};
use crate::grid::{Field, Node};
use crate::krylov::vector::{add, dot};
use crate::krylov::{Operator as _, conjugate_gradient};
use crate::material::potential::Definiteness;
use crate::transfer::Advection;

/// Least cosine between a direction and the way down, κ; angles are those that the diagonal of the matrix makes, since masses differ by many orders.
const STEEPNESS: f64 = 1e-2;
/// Differences of E are noise below so many times what rounding does to it.
const NOISE: f64 = 16.0;

/// How the optimisation integrator works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimization {
    /// How far off the velocities of a step may be, as a share of what it changes; above 0, below 1.
    pub tolerance: f64,
    /// Newton iterations in a step, at most; at least 1.
    pub iterations: u32,
    /// Iterations of a linear solve, at most; at least 1.
    pub linear_iterations: u32,
    /// What linear solves are preconditioned by.
    pub preconditioner: Preconditioner,
    /// Rayleigh damping k \[s\]: stress k times the rate at which elastic stress changes; 0 for none.
    pub damping: f64,
    /// How particles are moved by the velocities found.
    pub advection: Advection,
}

impl Default for Optimization {
    fn default() -> Self {
        Self {
            tolerance: super::TOLERANCE,
            iterations: 50,
            linear_iterations: 500,
            preconditioner: Preconditioner::Stiffness,
            damping: 0.0,
            advection: Advection::Forward,
        }
    }
}

/// Where the search starts: the velocity without internal forces, or with those of the beginning of the step, whichever has the smaller E. Where both would turn matter
/// inside out, nothing moves: that is always possible.
fn first_guess<T: Scalar, const D: usize>(
    system: &mut System<'_, T, D>,
    gradient: &mut Field<T, 4>,
) -> (Field<T, 4>, Objective) {
    let mut free = system.free_velocity();
    let mut pushed = system.pushed_velocity();
    system.constraints.apply(free.values_mut());
    system.constraints.apply(pushed.values_mut());
    let by_force = system.energy(&pushed);
    let without = system.objective(&free, gradient);
    if by_force < without.value {
        let by_force = system.objective(&pushed, gradient);
        return (pushed, by_force);
    }
    if without.value.is_finite() {
        return (free, without);
    }
    let mut still = system.zeros();
    system.constraints.apply(still.values_mut());
    let value = system.objective(&still, gradient);
    (still, value)
}

impl<T: Scalar, const D: usize> Solver<T, D> for Optimization {
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
    /// Minimises E.
    fn solve(
        &self,
        system: &mut System<'_, T, D>,
        convergence: &mut Convergence,
        start: Option<Field<T, 4>>,
    ) -> Result<Solution<T, D>, NotConverged> {
        if start.is_none() && self.damping > 0.0 {
            system.damp(self.damping);
        }
        let mut effort = Effort::default();
        let mut gradient = system.zeros();
        let (mut v, mut objective) = match start {
            None => first_guess(system, &mut gradient),
            Some(mut v) => {
                system.constraints.apply(v.values_mut());
                let value = system.objective(&v, &mut gradient);
                (v, value)
            }
        };
        let mut direction = system.zeros().into_values();
        loop {
            objective.value -= system.settle(&mut v, &mut gradient);
            let negative = gradient.values().par_iter().with_min_len(CHUNK);
            let mut downhill: Vec<Node<T>> = negative.map(|node| node.map(|x| -x)).collect();
            system.constraints.project(&mut downhill);
            // The diagonal of the first matrix is good enough to measure residuals and to precondition all solves of a step.
            if effort.newton == 0 {
                system.linearize(&v, Definiteness::AsIs);
                system.prepare(self.preconditioner);
            }
            let judged = convergence.judge(system, &downhill);
            effort.residual = convergence.error();
            let goal = match judged {
                Judged::Left(goal) if effort.newton < self.iterations => goal,
                Judged::Solved => {
                    let impulse = gradient;
                    return Ok(Solution { v, impulse, effort });
                }
                _ => return Err(NotConverged::new(system, &downhill, &convergence.history)),
            };
            if effort.newton > 0 {
                system.linearize(&v, Definiteness::AsIs);
            }
            let limits = (goal, self.linear_iterations);
            let solve = |system: &mut System<'_, T, D>, direction: &mut [Node<T>]| {
                let (b, x) = (downhill.as_flattened(), direction.as_flattened_mut());
                system.timed(|system| conjugate_gradient(system, b, x, limits))
            };
            let solved = solve(system, &mut direction);
            effort.newton += 1;
            effort.linear += solved.iterations;
            if solved.is_indefinite {
                // Far from the minimum, or where matter buckles: without its negative parts the curvature leads further.
                system.linearize(&v, Definiteness::Projected);
                effort.linear += solve(system, &mut direction).iterations;
            }
            let mut down = dot(direction.as_flattened(), downhill.as_flattened());
            if down <= STEEPNESS * longest_way_down(system, &direction, &downhill) {
                direction.clone_from(&downhill);
                system.relax(&mut direction);
                down = dot(direction.as_flattened(), downhill.as_flattened());
            }

            let begin = Point {
                at: 0.0,
                value: objective.value,
                slope: -down,
            };
            let origin = v.clone();
            let noise = NOISE * objective.noise;
            let found = search(begin, noise, |at| {
                v.clone_from(&origin);
                add(v.numbers_mut(), at, direction.as_flattened());
                objective = system.objective(&v, &mut gradient);
                let value = objective.value;
                let slope = dot(gradient.numbers(), direction.as_flattened());
                Point { at, value, slope }
            });
            debug_assert!(
                found.is_err() || objective.value <= begin.value + noise,
                "E rises from {} to {}",
                begin.value,
                objective.value
            );
            match found {
                Ok((found, asked)) => {
                    effort.line_search += asked;
                    convergence.go_on(-begin.slope * found.at);
                }
                Err(NoStep) => {
                    return Err(NotConverged::new(system, &downhill, &convergence.history));
                }
            }
        }
    }
}

/// How far down a direction would go if it were the steepest one of its length.
fn longest_way_down<T: Scalar, const D: usize>(
    system: &System<'_, T, D>,
    direction: &[Node<T>],
    downhill: &[Node<T>],
) -> f64 {
    (system.length_squared(direction) * system.norm_squared(downhill.as_flattened())).sqrt()
}
