//! Newton's method without safeguards. \[Jiang2016\] §11.4.

use thixo_par::Scalar;

use super::Solver;
use super::convergence::{Convergence, Status};
use super::friction_contact::FrictionTreatment;
use super::preconditioner::Preconditioner;
use super::semi_implicit::LinearSolver;
use super::solution::{Effort, NotConverged, Solution};
use super::system::System;
use crate::grid::Field;
use crate::krylov::vector::{add, dot};
use crate::material::potential::Definiteness;

/// Parameters of Newton's method v ← v − H⁻¹∇E, \[Jiang2016\] eq. (201); for comparison, as it need
/// not converge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Newton {
    /// Error of the velocities relative to their change in the step; above 0, below 1.
    pub tolerance: f64,
    /// Newton iterations in a step, at most; at least 1.
    pub iterations: u32,
    /// Krylov method.
    pub solver: LinearSolver,
    /// Relative residual of the linear solves; above 0, below 1.
    pub linear_tolerance: f64,
    /// Iterations of a linear solve, at most; at least 1.
    pub linear_iterations: u32,
    /// Preconditioner of the linear solves.
    pub preconditioner: Preconditioner,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: super::TOLERANCE,
            iterations: 50,
            solver: LinearSolver::Minres,
            linear_tolerance: 1e-3,
            linear_iterations: 500,
            preconditioner: Preconditioner::Stiffness,
        }
    }
}

builder! {
    impl Newton {
        with_tolerance(tolerance: f64);
        with_iterations(iterations: u32);
        with_solver(solver: LinearSolver);
        with_linear_tolerance(linear_tolerance: f64);
        with_linear_iterations(linear_iterations: u32);
        with_preconditioner(preconditioner: Preconditioner);
    }
}

impl<T: Scalar, const D: usize> Solver<T, D> for Newton {
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
    /// With implicit friction, and without a line search, nodes would alternate between sliding and
    /// sticking from iteration to iteration.
    fn friction_treatment(&self) -> FrictionTreatment {
        FrictionTreatment::Lagged
    }
    /// Newton's method from the predicted velocity.
    fn solve(
        &self,
        system: &mut System<'_, T, D>,
        convergence: &mut Convergence,
        start: Option<Field<T, 4>>,
    ) -> Result<Solution<T, D>, NotConverged> {
        let mut effort = Effort::default();
        let mut v = start.unwrap_or_else(|| system.objective.predicted_velocity());
        system.constraints.apply(v.values_mut());
        let mut gradient = system.zeros();
        loop {
            system.objective.evaluate(&v, &mut gradient);
            system.deflate_rigid_modes(&mut v, &mut gradient);
            system.linearize(&v, Definiteness::AsIs);
            system.update_diagonal(self.preconditioner);
            let mut residual = gradient.values().to_vec();
            system.constraints.fold(&mut residual);
            let at_work = system.magnitudes(v.values(), gradient.values());
            let status = convergence.test(system, &residual, at_work);
            effort.residual = convergence.error();
            match status {
                Status::Continue(_) if effort.newton < self.iterations => {}
                Status::Converged => {
                    let impulse = gradient;
                    return Ok(Solution { v, impulse, effort });
                }
                _ => return Err(NotConverged::new(system, &residual, &convergence.history)),
            }
            let mut step = residual.clone();
            system.scale_by_inverse_diagonal(&mut step);
            let limits = (self.linear_tolerance, self.linear_iterations);
            let solved = self.solver.solve(system, &residual, &mut step, limits);
            effort.newton += 1;
            effort.linear += solved.iterations;
            let energy_norm_squared = dot(step.as_flattened(), residual.as_flattened());
            if energy_norm_squared.is_nan() {
                return Err(NotConverged::new(system, &residual, &convergence.history));
            }
            add(v.numbers_mut(), -1.0, step.as_flattened());
            convergence.record_step(energy_norm_squared);
        }
    }
}
