//! Steps with linearised forces: the semi-implicit step, and Newton's method without safeguards. \[Jiang2016\] §11.3, §11.4.

use thixo_par::Scalar;

use super::convergence::{Convergence, Judged};
use super::friction::Rubbing;
use super::system::{Preconditioner, System};
use super::{Effort, NotConverged, Solution, Solver};
use crate::grid::{Field, Node};
use crate::krylov::vector::{add, dot};
use crate::krylov::{SolveOutcome, conjugate_residual, minres};
use crate::material::potential::Definiteness;

/// How a symmetric system that may be indefinite is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LinearSolver {
    /// Conjugate residuals.
    #[default]
    ConjugateResidual,
    /// The minimal residual method.
    Minres,
}

impl LinearSolver {
    fn solve<T: Scalar, const D: usize>(
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

/// How the semi-implicit step works: (M + βΔt²K) v = M v* + Δt f(xⁿ), \[Jiang2016\] eq. (202).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SemiImplicit {
    /// β \[–\]: 0 is explicit, 1 backward Euler; ½ damps half as much (errata E23).
    pub implicitness: f64,
    /// How the system is solved.
    pub solver: LinearSolver,
    /// Share of the residual that may be left; above 0, below 1.
    pub tolerance: f64,
    /// Iterations, at most; at least 1.
    pub linear_iterations: u32,
    /// What the solve is preconditioned by.
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

/// How Newton's method works: v ← v − H⁻¹∇E, \[Jiang2016\] eq. (201), for comparison: it need not converge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// How far off the velocities of a step may be, as a share of what it changes; above 0, below 1.
    pub tolerance: f64,
    /// Newton iterations in a step, at most; at least 1.
    pub iterations: u32,
    /// How the systems are solved.
    pub solver: LinearSolver,
    /// Share of the residual that a linear solve may leave; above 0, below 1.
    pub linear_tolerance: f64,
    /// Iterations of a linear solve, at most; at least 1.
    pub linear_iterations: u32,
    /// What linear solves are preconditioned by.
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

impl<T: Scalar, const D: usize> Solver<T, D> for SemiImplicit {
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
    fn rubbing(&self) -> Rubbing {
        Rubbing::Given
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
        system.gradient_at_rest(&mut gradient);
        system.linearize(&rest, Definiteness::AsIs);
        system.set_implicitness(self.implicitness);
        system.prepare(self.preconditioner);

        // What the constraints fix is moved to the other side: v = w + x with w = 0 wherever nothing is fixed.
        let mut v = system.zeros();
        system.constraints.apply(v.values_mut());
        let mut right = gradient.values().to_vec();
        let mut product = system.zeros();
        system.multiply_all(v.values(), product.values_mut());
        add(right.as_flattened_mut(), 1.0, product.numbers());
        for x in right.as_flattened_mut() {
            *x = -*x;
        }
        system.constraints.project(&mut right);
        let mut x = right.clone();
        system.relax(&mut x);
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
        // The impulse of the contacts is what the linear equation lacks: M v* + Δt f − (M + βΔt²K) v, negative.
        system.multiply_all(v.values(), product.values_mut());
        add(gradient.numbers_mut(), 1.0, product.numbers());
        system.settle(&mut v, &mut gradient);
        Ok(Solution {
            v,
            impulse: gradient,
            effort,
        })
    }
}

impl<T: Scalar, const D: usize> Solver<T, D> for Newton {
    fn tolerance(&self) -> f64 {
        self.tolerance
    }
    /// Where friction would follow the velocity, a node that slides in one iteration sticks in the next, and slides in that after it.
    fn rubbing(&self) -> Rubbing {
        Rubbing::Given
    }
    /// Newton's method from the velocity without internal forces.
    fn solve(
        &self,
        system: &mut System<'_, T, D>,
        convergence: &mut Convergence,
        start: Option<Field<T, 4>>,
    ) -> Result<Solution<T, D>, NotConverged> {
        let mut effort = Effort::default();
        let mut v = start.unwrap_or_else(|| system.free_velocity());
        system.constraints.apply(v.values_mut());
        let mut gradient = system.zeros();
        loop {
            system.objective(&v, &mut gradient);
            system.settle(&mut v, &mut gradient);
            system.linearize(&v, Definiteness::AsIs);
            system.prepare(self.preconditioner);
            let mut residual = gradient.values().to_vec();
            system.constraints.project(&mut residual);
            let judged = convergence.judge(system, &residual);
            effort.residual = convergence.error();
            match judged {
                Judged::Left(_) if effort.newton < self.iterations => {}
                Judged::Solved => {
                    let impulse = gradient;
                    return Ok(Solution { v, impulse, effort });
                }
                _ => return Err(NotConverged::new(system, &residual, &convergence.history)),
            }
            let mut step = residual.clone();
            system.relax(&mut step);
            let limits = (self.linear_tolerance, self.linear_iterations);
            let solved = self.solver.solve(system, &residual, &mut step, limits);
            effort.newton += 1;
            effort.linear += solved.iterations;
            let way = dot(step.as_flattened(), residual.as_flattened());
            if way.is_nan() {
                return Err(NotConverged::new(system, &residual, &convergence.history));
            }
            add(v.numbers_mut(), -1.0, step.as_flattened());
            convergence.go_on(way);
        }
    }
}
