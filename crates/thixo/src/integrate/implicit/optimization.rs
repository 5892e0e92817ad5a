//! The optimisation integrator: inexact Newton's method (Newton-CG) with a line search on E.
//! \[Gast2015\] §3.1, \[Jiang2015thesis\] appendix A, \[Nocedal2006\] §7.1.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::Solver;
use super::convergence::{Convergence, Status};
use super::energy_term::EnergyValue;
use super::line_search::{NoStep, Point, search};
use super::norms::CHUNK;
use super::preconditioner::Preconditioner;
use super::solution::{Effort, NotConverged, Solution};
use super::system::System;
use crate::grid::{Field, Node};
use crate::krylov::vector::{add, dot};
use crate::krylov::{Operator as _, conjugate_gradient};
use crate::material::potential::Definiteness;
use crate::transfer::Advection;

/// Smallest cosine κ between a search direction and the negative gradient, in the metric of the
/// diagonal of the Hessian, since masses differ by many orders.
const MIN_COSINE: f64 = 1e-2;
/// Bound of rounding errors of E over their estimate.
const ROUNDING: f64 = 16.0;

/// Parameters of the optimisation integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimization {
    /// Error of the velocities relative to their change in the step; above 0, below 1.
    pub tolerance: f64,
    /// Newton iterations in a step, at most; at least 1.
    pub iterations: u32,
    /// Iterations of a linear solve, at most; at least 1.
    pub linear_iterations: u32,
    /// Preconditioner of the linear solves.
    pub preconditioner: Preconditioner,
    /// Rayleigh damping k \[s\]: stress k times the rate of the elastic stress; 0 for none.
    pub damping: f64,
    /// Advection of particles by the velocities found.
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

/// The first guess: the predicted velocity or the one of an explicit step, whichever has the
/// smaller E. Where both invert matter, zero velocity, which is always admissible.
fn first_guess<T: Scalar, const D: usize>(
    system: &mut System<'_, T, D>,
    gradient: &mut Field<T, 4>,
) -> (Field<T, 4>, EnergyValue) {
    let mut predicted = system.objective.predicted_velocity();
    let mut explicit = system.objective.explicit_velocity();
    system.constraints.apply(predicted.values_mut());
    system.constraints.apply(explicit.values_mut());
    let explicit_energy = system.objective.energy(&explicit);
    let value = system.objective.evaluate(&predicted, gradient);
    if explicit_energy < value.value {
        let value = system.objective.evaluate(&explicit, gradient);
        return (explicit, value);
    }
    if value.value.is_finite() {
        return (predicted, value);
    }
    let mut rest = system.zeros();
    system.constraints.apply(rest.values_mut());
    let value = system.objective.evaluate(&rest, gradient);
    (rest, value)
}

builder! {
    impl Optimization {
        with_tolerance(tolerance: f64);
        with_iterations(iterations: u32);
        with_linear_iterations(linear_iterations: u32);
        with_preconditioner(preconditioner: Preconditioner);
        with_damping(damping: f64);
        with_advection(advection: Advection);
    }
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
            system.add_damping(self.damping);
        }
        let mut effort = Effort::default();
        let mut gradient = system.zeros();
        let (mut v, mut value) = match start {
            None => first_guess(system, &mut gradient),
            Some(mut v) => {
                system.constraints.apply(v.values_mut());
                let value = system.objective.evaluate(&v, &mut gradient);
                (v, value)
            }
        };
        let mut direction = system.zeros().into_values();
        loop {
            value.value -= system.deflate_rigid_modes(&mut v, &mut gradient);
            let gradients = gradient.values().par_iter().with_min_len(CHUNK);
            let mut descent: Vec<Node<T>> = gradients.map(|node| node.map(|x| -x)).collect();
            system.constraints.fold(&mut descent);
            // The diagonal of the first Hessian serves all residuals and solves of a step.
            if effort.newton == 0 {
                system.linearize(&v, Definiteness::AsIs);
                system.update_diagonal(self.preconditioner);
            }
            let at_work = system.magnitudes(v.values(), gradient.values());
            let status = convergence.test(system, &descent, at_work);
            effort.residual = convergence.error();
            let goal = match status {
                Status::Continue(goal) if effort.newton < self.iterations => goal,
                Status::Converged => {
                    let impulse = gradient;
                    return Ok(Solution { v, impulse, effort });
                }
                _ => return Err(NotConverged::new(system, &descent, &convergence.history)),
            };
            if effort.newton > 0 {
                system.linearize(&v, Definiteness::AsIs);
            }
            let limits = (goal, self.linear_iterations);
            let solve = |system: &mut System<'_, T, D>, direction: &mut [Node<T>]| {
                let (b, x) = (descent.as_flattened(), direction.as_flattened_mut());
                system.timed(|system| conjugate_gradient(system, b, x, limits))
            };
            let solved = solve(system, &mut direction);
            effort.newton += 1;
            effort.linear += solved.iterations;
            if solved.is_indefinite {
                // Far from the minimum, or where matter buckles: the projected Hessian gives a
                // longer descent direction.
                system.linearize(&v, Definiteness::Projected);
                effort.linear += solve(system, &mut direction).iterations;
            }
            let mut decrease = dot(direction.as_flattened(), descent.as_flattened());
            if decrease <= MIN_COSINE * product_of_norms(system, &direction, &descent) {
                direction.clone_from(&descent);
                system.scale_by_inverse_diagonal(&mut direction);
                decrease = dot(direction.as_flattened(), descent.as_flattened());
            }

            let begin = Point {
                at: 0.0,
                value: value.value,
                slope: -decrease,
            };
            let origin = v.clone();
            let rounding = ROUNDING * value.rounding;
            let found = search(begin, rounding, |at| {
                v.clone_from(&origin);
                add(v.numbers_mut(), at, direction.as_flattened());
                value = system.objective.evaluate(&v, &mut gradient);
                Point {
                    at,
                    value: value.value,
                    slope: dot(gradient.numbers(), direction.as_flattened()),
                }
            });
            debug_assert!(
                found.is_err() || value.value <= begin.value + rounding,
                "E rises from {} to {}",
                begin.value,
                value.value
            );
            match found {
                Ok((found, evaluations)) => {
                    effort.line_search += evaluations;
                    convergence.record_step(-begin.slope * found.at);
                }
                Err(NoStep) => {
                    return Err(NotConverged::new(system, &descent, &convergence.history));
                }
            }
        }
    }
}

/// The product of a direction with the negative gradient if both were parallel, in the metric of
/// the diagonal of the Hessian.
fn product_of_norms<T: Scalar, const D: usize>(
    system: &System<'_, T, D>,
    direction: &[Node<T>],
    descent: &[Node<T>],
) -> f64 {
    let squared = system.diagonal_norm_squared(direction);
    (squared * system.norm_squared(descent.as_flattened())).sqrt()
}
