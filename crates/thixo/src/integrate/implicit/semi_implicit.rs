//! The semi-implicit step: backward Euler with forces linearised about the beginning of the step.
//! \[Jiang2016\] §11.3.

use thixo_par::Scalar;

use super::Solver;
use super::convergence::Convergence;
use super::friction_contact::FrictionTreatment;
use super::preconditioner::Preconditioner;
use super::solution::{Effort, NotConverged, Solution};
use super::system::System;
use crate::grid::{Field, Node};
use crate::krylov::vector::add;
use crate::krylov::{SolveOutcome, conjugate_residual, minres};
use crate::material::potential::Definiteness;

/// The Krylov method for symmetric systems that may be indefinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LinearSolver {
    /// Conjugate residuals.
    #[default]
    ConjugateResidual,
    /// The minimal residual method.
    Minres,
}

impl LinearSolver {
    /// Solves H x = b on the admissible directions; `limits` are the tolerance of the relative
    /// residual and the number of iterations.
    pub(super) fn solve<T: Scalar, const D: usize>(
        self,
        system: &mut System<'_, T, D>,
        b: &[Node<T>],
        x: &mut [Node<T>],
        limits: (f64, u32),
    ) -> SolveOutcome {
        let (b, x) = (b.as_flattened(), x.as_flattened_mut());
        system.timed(|system| match self {
            Self::ConjugateResidual => conjugate_residual(system, b, x, limits),
            Self::Minres => minres(system, b, x, limits),
        })
    }
}

/// Parameters of the semi-implicit step, (M + βΔt²K) v = M v* + Δt f(xⁿ), \[Jiang2016\] eq. (202).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SemiImplicit {
    /// β \[–\]: 0 is explicit, 1 backward Euler; ½ damps half as much (errata E23).
    pub implicitness: f64,
    /// Krylov method.
    pub solver: LinearSolver,
    /// Relative residual of the linear solve; above 0, below 1.
    pub tolerance: f64,
    /// Iterations, at most; at least 1.
    pub linear_iterations: u32,
    /// Preconditioner of the linear solve.
    pub preconditioner: Preconditioner,
}

impl Default for SemiImplicit {
    fn default() -> Self {
        Self {
            implicitness: 1.0,
            solver: LinearSolver::ConjugateResidual,
            tolerance: 1e-4,
            linear_iterations: 500,
            preconditioner: Preconditioner::Stiffness,
        }
    }
}

builder! {
    impl SemiImplicit {
        with_implicitness(implicitness: f64);
        with_solver(solver: LinearSolver);
        with_tolerance(tolerance: f64);
        with_linear_iterations(linear_iterations: u32);
        with_preconditioner(preconditioner: Preconditioner);
    }
}

impl<T: Scalar, const D: usize> Solver<T, D> for SemiImplicit {
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
    fn friction_treatment(&self) -> FrictionTreatment {
        FrictionTreatment::Lagged
    }
    /// Solves one linear system.
    fn solve(
        &self,
        system: &mut System<'_, T, D>,
        _convergence: &mut Convergence,
        _start: Option<Field<T, 4>>,
    ) -> Result<Solution<T, D>, NotConverged> {
        let rest = system.zeros();
        // ∇E at rest is −M v* − Δt f(xⁿ).
        let mut gradient = system.zeros();
        system.objective.gradient_at_rest(&mut gradient);
        system.linearize(&rest, Definiteness::AsIs);
        system.objective.implicitness = self.implicitness;
        system.update_diagonal(self.preconditioner);

        // The prescribed velocities w are moved to the right-hand side: v = w + x, with w = 0 where
        // nothing is prescribed.
        let mut v = system.zeros();
        system.constraints.apply(v.values_mut());
        let mut right = gradient.values().to_vec();
        let mut product = system.zeros();
        system.objective.product(v.values(), product.values_mut());
        add(right.as_flattened_mut(), 1.0, product.numbers());
        for x in right.as_flattened_mut() {
            *x = -*x;
        }
        system.constraints.fold(&mut right);
        let mut x = right.clone();
        system.scale_by_inverse_diagonal(&mut x);
        let limits = (self.tolerance, self.linear_iterations);
        let solved = self.solver.solve(system, &right, &mut x, limits);
        let effort = Effort {
            newton: 1,
            linear: solved.iterations,
            residual: solved.residual,
            ..Effort::default()
        };
        if solved.residual.is_nan() || solved.residual > self.tolerance {
            return Err(NotConverged::new(system, &right, &[solved.residual]));
        }
        add(v.numbers_mut(), 1.0, x.as_flattened());
        // The impulse of the contacts is the residual of the linear equation,
        // (M + βΔt²K) v − M v* − Δt f.
        system.objective.product(v.values(), product.values_mut());
        add(gradient.numbers_mut(), 1.0, product.numbers());
        system.deflate_rigid_modes(&mut v, &mut gradient);
        Ok(Solution {
            v,
            impulse: gradient,
            effort,
        })
    }
}
