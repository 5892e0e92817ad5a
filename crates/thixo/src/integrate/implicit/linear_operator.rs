//! The linear system of a Newton step as an operator of Krylov methods: folded Hessian products
//! and the preconditioner.

use thixo_par::Scalar;

use super::block_sums::update_residual;
use super::system::System;
use crate::grid::Node;
use crate::krylov::vector::{scale, weighted_square};
use crate::krylov::{Operator, ResidualNorms};

impl<T: Scalar, const D: usize> Operator<T> for System<'_, T, D> {
    fn multiply(&mut self, x: &[T], out: &mut [T]) -> f64 {
        let (x, out) = (nodes(x), nodes_mut(out));
        // x satisfies the constraints: x · H x is the same before the fold.
        let product = self.objective.product(x, out);
        self.constraints.fold(out);
        product
    }
    /// The inverse diagonal, the correction of rigid translation modes, and the extension to
    /// constrained nodes: together they are symmetric on folded gradients.
    fn precondition(&self, r: &[T], z: &mut [T]) {
        z.copy_from_slice(r);
        scale(z, self.diagonal.weights().as_flattened());
        let (r, z) = (nodes(r), nodes_mut(z));
        if self.diagonal.corrects_rigid_modes() {
            let translation = self.components.translation(r);
            translation.add_to(z, 1.0, &self.components);
        }
        self.constraints.extend(z);
    }
    /// Residuals are folded, so that r · z is the same before the extension of z. The
    /// error bound is that of the residual after
    /// [deflation of the rigid modes](System::deflate_rigid_modes).
    fn reduce(&self, r: &mut [T], (a, q): (f64, &[T]), z: &mut [T]) -> ResidualNorms {
        let (r, change, z) = (nodes_mut(r), (a, nodes(q)), nodes_mut(z));
        let weights = (self.diagonal.weights(), &self.diagonal.inverse_masses[..]);
        let blocks = update_residual(r, change, z, weights, self.components.nodes_per_block);
        let mut norms = ResidualNorms {
            product: blocks.iter().map(|block| block.squares[0]).sum(),
            bound: blocks.iter().map(|block| block.squares[1]).sum(),
        };
        if self.diagonal.corrects_rigid_modes() {
            let sums = blocks.iter().map(|block| block.sum);
            let translation = self.components.translation_of_blocks(sums);
            translation.add_to(z, 1.0, &self.components);
            norms.product += translation.energy_norm_squared(&self.components);
            if !self.objective.meshes.is_anchored() {
                norms.bound -= translation.energy_norm_squared_frictionless(&self.components);
            }
        }
        self.constraints.extend(z);
        norms
    }
    /// Residuals are folded already.
    fn norm_squared(&self, r: &[T]) -> f64 {
        weighted_square(r, self.diagonal.inverse.as_flattened())
    }
}

/// Unknowns as nodes.
fn nodes<T>(x: &[T]) -> &[Node<T>] {
    x.as_chunks().0
}

/// Unknowns as mutable nodes.
fn nodes_mut<T>(x: &mut [T]) -> &mut [Node<T>] {
    x.as_chunks_mut().0
}
