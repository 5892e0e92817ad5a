//! When a step is solved.
//!
//! The residual r = ∇E is an impulse at every node. With H = M + Δt²K the second derivatives of E, the velocities that are still wrong are e = H⁻¹r, and
//! e · H e ≤ r · M⁻¹ r wherever K is not negative: √(Σ r²/m) is no less than the error. A step is solved when that is a small share of the way from the first guess, measured alike,
//! √(Σ d · H d) over all directions d taken; or when it is what rounding does.

use thixo_par::Scalar;

use super::system::System;
use crate::grid::Node;
use crate::krylov::StoppingCriterion;

/// Rounding errors are at most this many times their estimate.
const ROUNDING: f64 = 4.0;

/// Share of the residual that a linear solve leaves at least. Matter is not so linear that more of a solve would show after it.
const FORCING: f64 = 0.05;
/// Unless it hardly deforms: that share is about so many times the strain of the step.
const NONLINEARITY: f64 = 0.3;
/// The least of it.
const LINEAR: f64 = 1e-4;
/// Solves go further than asked for, since matter is not linear.
const SPARE: f64 = 0.9;

/// The errors of a solve, iteration by iteration.
#[derive(Clone, Debug)]
pub(super) struct Convergence {
    tolerance: f64,
    /// About how far there is to go at the beginning \[m/s\].
    distance: Option<f64>,
    /// The square of the way gone, weighed by masses \[J\].
    way: f64,
    /// Errors as shares of the way.
    pub history: Vec<f64>,
}

/// What a residual says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Judged {
    /// Nothing is to be gained any more.
    Solved,
    /// There is an error left; where the next linear solve should go, so that as few solves as possible come to the tolerance, and no further.
    Left(StoppingCriterion),
    /// The residual is not a number.
    Lost,
}

impl Convergence {
    /// To a share of the way.
    pub fn to(tolerance: f64) -> Self {
        Self {
            tolerance,
            distance: None,
            way: 0.0,
            history: Vec::new(),
        }
    }
    /// The last error.
    pub fn error(&self) -> f64 {
        self.history.last().copied().unwrap_or(0.0)
    }
    /// Takes note of a step d of Newton's method, by d · H d.
    pub fn go_on(&mut self, squared: f64) {
        self.way += squared.max(0.0);
    }
    /// Takes note of a residual that satisfies the constraints; `system` has its matrix there.
    pub fn judge<T: Scalar, const D: usize>(
        &mut self,
        system: &System<'_, T, D>,
        residual: &[Node<T>],
    ) -> Judged {
        let norms = system.norms(residual);
        let distance = *self.distance.get_or_insert(norms.by_diagonal);
        let way = (self.way / norms.mass.max(f64::MIN_POSITIVE)).sqrt();
        // Where rounding is larger than what the tolerance leaves, it decides.
        let unit = way
            .max(distance)
            .max(ROUNDING * norms.rounding / self.tolerance);
        let error = norms.by_mass / unit.max(f64::MIN_POSITIVE);
        self.history.push(error);
        if !error.is_finite() {
            return Judged::Lost;
        }
        if error <= self.tolerance {
            return Judged::Solved;
        }
        let tolerance = SPARE * self.tolerance;
        let strain = norms.by_diagonal * system.cells_per_speed();
        let least = (NONLINEARITY * strain).clamp(LINEAR, FORCING);
        let needed = tolerance / error;
        let solves = (needed.ln() / least.ln()).ceil();
        Judged::Left(StoppingCriterion {
            tolerance,
            distance_squared: self.way,
            forcing: needed.powf(1.0 / solves),
        })
    }
}
