//! Demands on a solution, and the effort that it took.

use crate::error::SolveError;

/// The approximate inverse that conjugate gradients use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioner {
    /// A cycle of multigrid: iterations hardly grow with the number of cells.
    #[default]
    Multigrid,
    /// The inverse of the diagonal: plain, for comparison.
    Jacobi,
}

/// Demands on a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Largest residual relative to the right-hand side, both in the 2-norm [-].
    pub tolerance: f64,
    /// Largest number of iterations.
    pub iterations: u32,
    /// The preconditioner.
    pub preconditioner: Preconditioner,
    /// Largest sum of b over a sealed component, relative to its number of cells times the largest
    /// |b| of the system, that counts as rounding and is taken out; near 1 any sum is [-].
    pub imbalance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            iterations: 1000,
            preconditioner: Preconditioner::default(),
            imbalance: 1e-9,
        }
    }
}

impl Options {
    /// Refuses tolerances that are not between 0 and 1.
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        for (quantity, value) in [("tolerance", self.tolerance), ("imbalance", self.imbalance)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(SolveError::Tolerance { quantity, value });
            }
        }
        Ok(())
    }
}

/// Effort of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Iterations of conjugate gradients.
    pub iterations: u32,
    /// Residual relative to the right-hand side, both in the 2-norm [-].
    pub residual: f64,
}
