//! Gravity and other accelerations of all matter, equation (5).

use core::fmt;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use thixo_par::Scalar;

use crate::grid::{Grid, MASS};
use crate::step_context::StepContext;

/// An acceleration field \[m/s²\] of position \[m\] and time \[s\].
type Field<const D: usize> = Arc<dyn Fn([f64; D], f64) -> [f64; D] + Send + Sync>;

/// Body force: an acceleration of all matter.
#[derive(Clone)]
pub enum BodyForce<const D: usize> {
    /// Uniform and constant, such as gravity \[m/s²\].
    Uniform([f64; D]),
    /// A function of position \[m\] and time \[s\]; without potential energy in the budgets.
    Field(Field<D>),
}

impl<const D: usize> BodyForce<D> {
    /// An acceleration g(x, t) \[m/s²\].
    pub fn field(g: impl Fn([f64; D], f64) -> [f64; D] + Send + Sync + 'static) -> Self {
        Self::Field(Arc::new(g))
    }
    /// Acceleration at a position \[m\] and time \[s\] \[m/s²\].
    pub fn acceleration(&self, position: [f64; D], time: f64) -> [f64; D] {
        match self {
            Self::Uniform(g) => *g,
            Self::Field(g) => g(position, time),
        }
    }
}

impl<const D: usize> BodyForce<D> {
    /// The largest acceleration \[m/s²\] over some positions.
    pub(crate) fn strongest(&self, positions: impl Iterator<Item = [f64; D]>, time: f64) -> f64 {
        let size = |g: [f64; D]| g.iter().map(|g| g * g).sum::<f64>().sqrt();
        match self {
            Self::Uniform(g) => size(*g),
            Self::Field(_) => positions
                .map(|position| size(self.acceleration(position, time)))
                .fold(0.0, f64::max),
        }
    }
}

impl<const D: usize> Default for BodyForce<D> {
    fn default() -> Self {
        Self::Uniform([0.0; D])
    }
}

impl<const D: usize> fmt::Debug for BodyForce<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform(g) => f.debug_tuple("Uniform").field(g).finish(),
            Self::Field(_) => f.write_str("Field"),
        }
    }
}

/// Adds the impulse Δt m_i g(x_i, t) to the momentum of every node.
pub(crate) fn accelerate<T: Scalar, const D: usize>(
    body: &BodyForce<D>,
    grid: &mut Grid<T, D>,
    step: &StepContext<'_, D>,
) {
    let (dt, time) = (step.dt, step.time);
    grid.nodes.blocks_mut().for_each(|(b, nodes)| match body {
        BodyForce::Uniform(g) => {
            let impulse = g.map(|g| T::from_f64(dt * g));
            for node in nodes {
                for a in 0..D {
                    node[a] += impulse[a] * node[MASS];
                }
            }
        }
        BodyForce::Field(g) => {
            let block = step.order.blocks.coordinate(b);
            for (k, node) in nodes.iter_mut().enumerate() {
                if node[MASS] > T::zero() {
                    let g = g(step.geometry.node_position(block, k), time);
                    for a in 0..D {
                        node[a] += T::from_f64(dt * g[a]) * node[MASS];
                    }
                }
            }
        }
    });
}
