//! The optimisation integrator: Newton's method made safe by going downhill on E. \[Gast2015\] §3.1, \[Jiang2015thesis\] appendix A.

use thixo_par::Scalar;

use super::field::{add, dot};
use super::krylov::{Operator, conjugate_gradient};
use super::line_search::{NoStep, Point, search};
use super::system::{Objective, Preconditioner, System};
use super::{Effort, NotConverged, Solution};
use crate::grid::{MASS, Node, Nodes};
use crate::material::potential::Definiteness;

/// Least cosine between a direction and the way down, κ.
const STEEPNESS: f64 = 1e-2;
/// Share of a residual that the linear solve may leave, at most.
const ROUGHEST: f64 = 0.5;
/// Differences of E are noise below so many times what rounding does to it.
const NOISE: f64 = 16.0;

/// How the optimisation integrator works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimization {
    /// Error at which a step is solved: the mean displacement by it, in cells; above 0.
    pub tolerance: f64,
    /// Newton iterations in a step, at most; at least 1.
    pub iterations: u32,
    /// Iterations of a linear solve, at most; at least 1.
    pub linear_iterations: u32,
    /// What linear solves are preconditioned by.
    pub preconditioner: Preconditioner,
    /// Rayleigh damping k \[s\]: stress k times the rate at which elastic stress changes; 0 for none.
    pub damping: f64,
}

impl Default for Optimization {
    fn default() -> Self {
        Self {
            tolerance: 1e-3,
            iterations: 50,
            linear_iterations: 500,
            preconditioner: Preconditioner::Stiffness,
            damping: 0.0,
        }
    }
}

/// Where the search starts: the velocity without internal forces, or with those of the beginning of the step, whichever has the smaller E.
fn first_guess<T: Scalar, const D: usize>(
    system: &mut System<'_, T, D>,
    gradient: &mut Nodes<T, D>,
) -> (Nodes<T, D>, Objective) {
    let mut free = system.zeros();
    free.values_mut().copy_from_slice(system.target());
    for node in free.values_mut() {
        node[D..].fill(T::zero());
    }
    // ∇E at rest is −M v* − Δt f(xⁿ).
    let mut pushed = system.zeros();
    let rest = system.zeros();
    system.objective(&rest, &mut pushed);
    super::divide_by_mass::<T, D>(pushed.values_mut(), system.target());
    for node in pushed.values_mut().as_flattened_mut() {
        *node = -*node;
    }
    system.constraints.apply(free.values_mut());
    system.constraints.apply(pushed.values_mut());
    let by_force = system.objective(&pushed, gradient);
    let without = system.objective(&free, gradient);
    if by_force.value < without.value {
        let value = system.objective(&pushed, gradient);
        (pushed, value)
    } else {
        (free, without)
    }
}

/// Minimises E; the velocity satisfies all constraints.
pub(super) fn minimize<T: Scalar, const D: usize>(
    system: &mut System<'_, T, D>,
    options: &Optimization,
    unit: f64,
    start: Option<Nodes<T, D>>,
) -> Result<Solution<T, D>, NotConverged> {
    let mut effort = Effort::default();
    let mut history = Vec::new();
    let mut gradient = system.zeros();
    let (mut v, mut objective) = match start {
        None => first_guess(system, &mut gradient),
        Some(mut v) => {
            system.constraints.apply(v.values_mut());
            let value = system.objective(&v, &mut gradient);
            (v, value)
        }
    };
    let mut direction = Vec::new();
    loop {
        let mut downhill = gradient.values().to_vec();
        system.constraints.project(&mut downhill);
        system.linearize(&v, Definiteness::AsIs);
        system.prepare(options.preconditioner);
        let error = weighted_norm(system, &downhill) / unit;
        effort.residual = error;
        history.push(error);
        if error <= options.tolerance && effort.newton > 0 {
            let impulse = gradient;
            return Ok(Solution { v, impulse, effort });
        }
        if effort.newton == options.iterations || !error.is_finite() {
            return Err(NotConverged::new(system, &downhill, history));
        }
        for x in downhill.as_flattened_mut() {
            *x = -*x;
        }
        let rough = error.max(options.tolerance).sqrt().min(ROUGHEST);
        let limits = (rough, options.linear_iterations);
        let solved = conjugate_gradient(system, &downhill, &mut direction, limits);
        effort.newton += 1;
        effort.linear += solved.iterations;
        if solved.is_indefinite {
            // Far from the minimum, or where matter buckles: without its negative parts the curvature leads further.
            system.linearize(&v, Definiteness::Projected);
            system.prepare(options.preconditioner);
            let solved = conjugate_gradient(system, &downhill, &mut direction, limits);
            effort.linear += solved.iterations;
        }
        let steepness = |x: &[_]| {
            let lengths = (dot(x, x) * dot(&downhill, &downhill)).sqrt();
            dot(x, &downhill) / lengths.max(f64::MIN_POSITIVE)
        };
        if steepness(&direction) <= STEEPNESS {
            direction.clone_from(&downhill);
            system.precondition(&mut direction);
        }

        let begin = Point {
            at: 0.0,
            value: objective.value,
            slope: -dot(&direction, &downhill),
        };
        let origin = v.clone();
        let noise = NOISE * objective.noise;
        let found = search(begin, noise, |at| {
            v.clone_from(&origin);
            add(v.values_mut(), at, &direction);
            objective = system.objective(&v, &mut gradient);
            let value = objective.value;
            let slope = dot(gradient.values(), &direction);
            Point { at, value, slope }
        });
        match found {
            Ok((_, asked)) => effort.line_search += asked,
            // At the minimum nothing is left to gain, but for rounding.
            Err(NoStep) if error <= options.tolerance => {
                system.objective(&origin, &mut gradient);
                let impulse = gradient;
                return Ok(Solution {
                    v: origin,
                    impulse,
                    effort,
                });
            }
            Err(NoStep) => return Err(NotConverged::new(system, &downhill, history)),
        }
    }
}

/// The norm of a residual as a velocity: √(Σ r²/L) over the whole mass, L the preconditioner \[m/s\].
pub(super) fn weighted_norm<T: Scalar, const D: usize>(
    system: &System<'_, T, D>,
    residual: &[Node<T>],
) -> f64 {
    let mut weighted = residual.to_vec();
    system.precondition(&mut weighted);
    let mass: f64 = system.target().iter().map(|node| node[MASS].to_f64()).sum();
    (dot(residual, &weighted) / mass).sqrt()
}
