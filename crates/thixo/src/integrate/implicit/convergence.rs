//! Stopping test of nonlinear solves.
//!
//! The residual r = ∇E is an impulse at every node. With the Hessian H = M + Δt²K, the error of the
//! velocities is e = H⁻¹r, and its energy norm is bounded by e · H e ≤ r · M⁻¹ r wherever K is
//! positive semi-definite. A solve has converged when √(Σ r²/m) is a small share of
//!
//! * the distance from the first guess in the same norm, √(Σ d · H d) over all steps d, and of
//! * the change of velocity in the step and a share of the forces at work, in the norm of the mass:
//!   in matter at rest nothing changes, and its forces must balance;
//!
//! or when it is the rounding error.

use thixo_par::Scalar;

use super::norms::Magnitudes;
use super::system::System;
use crate::grid::Node;
use crate::krylov::StoppingCriterion;

/// Bound of rounding errors over their estimate.
const ROUNDING: f64 = 4.0;

/// Sum of the forces of single particles on a node over the force that is left, typically.
const STRESSES: f64 = 16.0;
/// Forcing term: the relative residual at which a linear solve may stop. Smaller ones hardly reduce
/// the residual of the nonlinear equation further.
const FORCING: f64 = 0.05;
/// Forcing term over the strain of the step, where that is small: the nonlinearity that a Newton
/// step leaves is about as large.
const NONLINEARITY: f64 = 0.3;
/// Smallest forcing term.
const LEAST_FORCING: f64 = 1e-4;
/// Safety factor of the tolerance of linear solves, since E is not quadratic.
const SAFETY: f64 = 0.9;

/// The errors of a solve, iteration by iteration.
#[derive(Clone, Debug)]
pub(super) struct Convergence {
    tolerance: f64,
    /// Estimate of the distance to the solution at the beginning \[m/s\].
    initial_distance: Option<f64>,
    /// Square of the energy norm of the steps taken, Σ d · H d \[J\].
    energy_norm_squared: f64,
    /// Errors relative to the distance from the first guess.
    pub history: Vec<f64>,
}

/// Outcome of the stopping test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Status {
    /// The error is within the tolerance, or is the rounding error.
    Converged,
    /// Another step is needed; the goal of its linear solve is such that as few solves as possible
    /// reach the tolerance, and no more accurate than that.
    Continue(StoppingCriterion),
    /// The residual is not finite.
    Diverged,
}

impl Convergence {
    /// A test for errors relative to the distance from the first guess.
    pub fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            initial_distance: None,
            energy_norm_squared: 0.0,
            history: Vec::new(),
        }
    }
    /// The last error.
    pub fn error(&self) -> f64 {
        self.history.last().copied().unwrap_or(0.0)
    }
    /// Records a Newton step d by its squared energy norm d · H d \[J\].
    pub fn record_step(&mut self, squared: f64) {
        self.energy_norm_squared += squared.max(0.0);
    }
    /// Records a residual that satisfies the constraints, and tests it, with the momenta and forces
    /// at work. `system` must have the diagonal of its Hessian.
    pub fn test<T: Scalar, const D: usize>(
        &mut self,
        system: &System<'_, T, D>,
        residual: &[Node<T>],
        at_work: Magnitudes,
    ) -> Status {
        let norms = system.norms(residual);
        let initial = *self.initial_distance.get_or_insert(norms.by_diagonal);
        let distance = (self.energy_norm_squared / norms.mass.max(f64::MIN_POSITIVE)).sqrt();
        let distance = distance.max(initial);
        let rounding = ROUNDING * (norms.rounding + STRESSES * T::EPSILON * at_work.impulse);
        let at_work = at_work.unit();
        // The rounding error decides where it exceeds the tolerance.
        let unit = distance.min(at_work).max(rounding / self.tolerance);
        let error = norms.by_mass / unit.max(f64::MIN_POSITIVE);
        self.history.push(error);
        if !error.is_finite() {
            return Status::Diverged;
        }
        if error <= self.tolerance {
            return Status::Converged;
        }
        let tolerance = SAFETY * self.tolerance;
        let strain = norms.by_diagonal * (system.dt() / system.spacing());
        let least = (NONLINEARITY * strain).clamp(LEAST_FORCING, FORCING);
        let needed = tolerance / error;
        let solves = (needed.ln() / least.ln()).ceil();
        Status::Continue(StoppingCriterion {
            // Distances do not count where forces decide.
            tolerance: if at_work < distance { 0.0 } else { tolerance },
            distance_squared: self.energy_norm_squared,
            forcing: needed.powf(1.0 / solves),
        })
    }
}
