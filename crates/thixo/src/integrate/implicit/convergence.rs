//! When a step is solved.
//!
//! The residual r = ∇E is an impulse at every node. As a velocity it is measured twice: by the masses, √(Σ r²/m), which is what the matter gets wrong if its
//! error moves it as a whole, and by the diagonal L of the matrix, √(Σ r²/L), which is about what is left to go. A step is solved when the
//! first has come down to a share of what the second was at the beginning, or to what rounding does.

use thixo_par::Scalar;

use super::system::System;
use crate::grid::Node;

/// Rounding errors are at most this many times their estimate.
const ROUNDING: f64 = 4.0;

/// Share of the residual that a linear solve leaves at least. Matter is not so linear that more of a solve would show after it.
const FORCING: f64 = 0.05;
/// Solves go so much further than asked for: the norm in which they are judged is not that of the error.
const SPARE: f64 = 0.7;

/// The errors of a solve, iteration by iteration.
#[derive(Clone, Debug)]
pub(super) struct Convergence {
    tolerance: f64,
    /// What is left to go at the beginning \[m/s\].
    distance: Option<f64>,
    /// Errors as shares of that distance.
    pub history: Vec<f64>,
}

/// What a residual says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Judged {
    /// Nothing is to be gained any more.
    Solved,
    /// There is an error left; the share of residuals that the next linear solve may leave, so that as few solves as possible come to the tolerance, and no further.
    Left { forcing: f64 },
    /// The residual is not a number.
    Lost,
}

impl Convergence {
    /// To a share of the first distance.
    pub fn to(tolerance: f64) -> Self {
        Self {
            tolerance,
            distance: None,
            history: Vec::new(),
        }
    }
    /// The last error.
    pub fn error(&self) -> f64 {
        self.history.last().copied().unwrap_or(0.0)
    }
    /// Takes note of a residual that satisfies the constraints; `system` has its matrix there.
    pub fn judge<T: Scalar, const D: usize>(
        &mut self,
        system: &System<'_, T, D>,
        residual: &[Node<T>],
    ) -> Judged {
        let norms = system.norms(residual);
        let distance = *self.distance.get_or_insert(norms.by_diagonal);
        // Where rounding is larger than what the tolerance leaves, it decides.
        let unit = distance.max(ROUNDING * norms.rounding / self.tolerance);
        let error = norms.by_mass / unit.max(f64::MIN_POSITIVE);
        self.history.push(error);
        if !error.is_finite() {
            return Judged::Lost;
        }
        if error <= self.tolerance {
            return Judged::Solved;
        }
        let needed = SPARE * self.tolerance / error;
        let solves = (needed.ln() / FORCING.ln()).ceil();
        Judged::Left {
            forcing: needed.powf(1.0 / solves),
        }
    }
}
