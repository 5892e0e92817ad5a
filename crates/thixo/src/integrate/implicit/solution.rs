//! Results of a solve: velocities, effort, failure.

use thixo_par::Scalar;

use super::divide_by_mass;
use super::system::System;
use crate::error::Unsolved;
use crate::grid::{Field, Node};

/// Effort of the solves of a step or frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Effort {
    /// Newton iterations.
    pub newton: u32,
    /// Hessian products in linear solves.
    pub linear: u32,
    /// Evaluations of E in line searches.
    pub line_search: u32,
    /// Sweeps of X-PBD over all particles.
    pub sweeps: u32,
    /// Iterations of the pressure solves of a projection.
    pub pressure: u32,
    /// Largest change of volume of an incompressible cell that a projection left \[–\].
    pub divergence: f64,
    /// Error after the last solve: relative to the momenta and forces at work, and for
    /// semi-implicit steps to the right-hand side.
    pub residual: f64,
}

impl Effort {
    /// Sum over two consecutive solves; the residual is that of the last.
    pub fn then(self, next: Self) -> Self {
        let Self {
            newton,
            linear,
            line_search,
            sweeps,
            pressure,
            divergence,
            residual,
        } = next;
        Self {
            newton: self.newton + newton,
            linear: self.linear + linear,
            line_search: self.line_search + line_search,
            sweeps: self.sweeps + sweeps,
            pressure: self.pressure + pressure,
            divergence,
            residual,
        }
    }
    /// Sum over solves of different steps; the residual is the largest.
    pub fn and(self, next: Self) -> Self {
        Self {
            residual: self.residual.max(next.residual),
            divergence: self.divergence.max(next.divergence),
            ..self.then(next)
        }
    }
}

/// Velocities that solve a step.
pub(super) struct Solution<T: Scalar, const D: usize> {
    /// Velocities of the nodes.
    pub v: Field<T, 4>,
    /// ∇E: impulses of the contacts \[N s\], where constraints are active.
    pub impulse: Field<T, 4>,
    /// Effort of the solve.
    pub effort: Effort,
}

/// A solve that did not converge.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::integrate) struct NotConverged {
    /// The unknowns that did not.
    pub unsolved: Unsolved,
    /// Errors by iteration.
    pub history: Vec<f64>,
    /// Node of the largest error.
    pub node: usize,
}

impl NotConverged {
    /// A failure with the node of the largest residual, weighted by the masses.
    pub(super) fn new<T: Scalar, const D: usize>(
        system: &System<'_, T, D>,
        residual: &[Node<T>],
        history: &[f64],
    ) -> Self {
        Self::by_masses::<T, D>(system.predicted(), residual, history)
    }

    /// A failure with the node of the largest residual, weighted by the masses of given nodes.
    pub(super) fn by_masses<T: Scalar, const D: usize>(
        masses: &[Node<T>],
        residual: &[Node<T>],
        history: &[f64],
    ) -> Self {
        let mut weighted = residual.to_vec();
        divide_by_mass::<T, D>(&mut weighted, masses);
        let size = |node: usize| {
            let pairs = residual[node][..D].iter().zip(&weighted[node]);
            pairs.map(|(r, w)| (*r * *w).to_f64()).sum::<f64>()
        };
        let worst = (0..residual.len()).max_by(|a, b| size(*a).total_cmp(&size(*b)));
        Self {
            unsolved: Unsolved::Velocities,
            history: history.to_vec(),
            node: worst.unwrap_or(0),
        }
    }
}
