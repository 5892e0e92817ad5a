//! What happens on the grid between scatter and gather.

use rayon::iter::ParallelIterator;
use rayon::prelude::*;
use thixo_math::Real;
use thixo_par::Scalar;

use crate::grid::{MASS, Node, Nodes};

/// Adds forces over a time step to the momentum, equation (6).
pub fn add_impulse<T: Scalar, const D: usize>(
    momentum: &mut Nodes<T, D>,
    force: &Nodes<T, D>,
    dt: f64,
) {
    let dt = T::from_f64(dt);
    momentum
        .values_mut()
        .par_iter_mut()
        .with_min_len(4096)
        .zip(force.values())
        .for_each(|(p, f)| {
            for a in 0..D {
                p[a] += dt * f[a];
            }
        });
}

/// Turns momentum into velocity. Nodes with next to no mass get none: their quotient would be rounding noise.
/// Returns whether all velocities are finite.
pub fn velocity_from_momentum<T: Scalar, const D: usize>(nodes: &mut Nodes<T, D>) -> bool {
    let least = T::from_f64(T::MIN_POSITIVE / T::EPSILON);
    nodes
        .blocks_mut()
        .map(|(_, nodes)| {
            let mut check = T::zero();
            for node in nodes {
                check += divide(node, least);
            }
            // Zero times a finite number is zero; anything else has spread to the sum.
            check == T::zero()
        })
        .reduce(|| true, |a, b| a && b)
}

#[inline(always)]
fn divide<T: Scalar>(node: &mut Node<T>, least: T) -> T {
    let mass = node[MASS];
    let inverse = if mass > least {
        T::one() / mass
    } else {
        T::zero()
    };
    let mut check = mass * T::zero();
    for a in 0..MASS {
        node[a] *= inverse;
        check += node[a] * T::zero();
    }
    check
}
