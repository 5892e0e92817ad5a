//! Attachment of surface elements to the nodes around them.

use thixo_math::{Matrix, Vector};
use thixo_par::Scalar;

use crate::grid::{MASS, Node};
use crate::kernel::MAX_WIDTH;
use crate::step_context::StepContext;

/// Largest number of nodes in the support of a kernel.
const MAX_NODES: usize = MAX_WIDTH * MAX_WIDTH * MAX_WIDTH;

/// Largest squared distance between an element and the matter that holds it, in units of the
/// variance of that matter. Beyond it the force acts at a point nearer to the matter, which keeps
/// the weights bounded.
const MAX_DISTANCE: f64 = 6.0;

/// Nodes with less than this fraction ε of the mass around the element count as light.
const LIGHT: f64 = 0.1;

/// Fraction of h² that is added to the variance of the matter, so that matter on a single line of
/// nodes has a regular one.
const MIN_SPREAD: f64 = 1e-9;

/// Weights β_i with Σ β_i = 1 and Σ β_i x_i = x: those of the kernel, but vanishing with the mass
/// of the node.
///
/// The kernel's own weights w_i at a surface include nodes of almost no mass, and a force on those
/// would be an unbounded acceleration. With weights ω_i = w_i min(1, m_i / ε m), m = Σ w_i m_i, the
/// velocity at the element is the affine fit
///
/// v(x) = Σ β_i v_i, β_i = ω_i/Ω (1 + (x_i − x̄)ᵀ S⁻¹ (x − x̄)), Ω = Σ ω_i, x̄ = Σ ω_i x_i / Ω,
/// S = Σ ω_i (x_i − x̄)(x_i − x̄)ᵀ / Ω,
///
/// which is Σ w_i v_i where no node is light. A force f on the element is β_i f on the nodes: total
/// force and torque are exact, and so is the power f · v(x).
pub(super) struct Attachment<const D: usize> {
    count: usize,
    /// Index of the node in the field.
    node: [usize; MAX_NODES],
    /// Weight β \[–\].
    share: [f64; MAX_NODES],
    /// ω/Ω S⁻¹ (x_i − x̄) \[1/m\]: Σ v_i ⊗ slope_i is the velocity gradient.
    slope: [Vector<f64, D>; MAX_NODES],
}

impl<const D: usize> Attachment<D> {
    /// Finds the nodes with mass around a position \[m\]; none if there is no matter.
    pub fn new<T: Scalar>(
        position: [f64; D],
        nodes: &[Node<T>],
        step: &StepContext<'_, D>,
    ) -> Option<Self> {
        let (geometry, blocks) = (step.geometry, &step.order.blocks);
        let (kernel, h) = (geometry.kernel(), geometry.spacing());
        let width = kernel.width();
        let mut base = [0i32; D];
        let mut fraction = [0.0; D];
        let mut weights = [[0.0; MAX_WIDTH]; D];
        for a in 0..D {
            let coordinate = position[a] / h;
            let first = (coordinate - kernel.base_offset()).floor();
            base[a] = first as i32;
            fraction[a] = coordinate - first;
            weights[a] = kernel.weights(fraction[a]).value;
        }
        let mut out = Self {
            count: 0,
            node: [0; MAX_NODES],
            share: [0.0; MAX_NODES],
            slope: [Vector::zero(); MAX_NODES],
        };
        let side = geometry.block_side() as i32;
        let mut mass = 0.0;
        let mut cached: Option<([i32; D], Option<usize>)> = None;
        for k in 0..width.pow(D as u32) {
            let (mut rest, mut w) = (k, 1.0);
            let mut offset = Vector::<f64, D>::zero();
            let (mut block, mut index, mut stride) = ([0; D], 0, 1);
            for a in (0..D).rev() {
                let step = rest % width;
                rest /= width;
                w *= weights[a][step];
                offset[a] = (step as f64 - fraction[a]) * h;
                let node = base[a].saturating_add(step as i32);
                block[a] = node.div_euclid(side);
                index += node.rem_euclid(side) as usize * stride;
                stride *= side as usize;
            }
            let found = match cached {
                Some((last, index)) if last == block => index,
                _ => {
                    let wrapped = geometry.wrap(block);
                    let found = geometry
                        .holds(wrapped)
                        .then(|| blocks.find(wrapped))
                        .flatten();
                    cached = Some((block, found));
                    found
                }
            };
            let Some(found) = found else { continue };
            let node = found * blocks.nodes_per_block() + index;
            let m = nodes[node][MASS].to_f64();
            if w > 0.0 && m > 0.0 {
                mass += w * m;
                out.node[out.count] = node;
                out.share[out.count] = w;
                out.slope[out.count] = offset;
                out.count += 1;
            }
        }
        let mut total = 0.0;
        let mut mean = Vector::<f64, D>::zero();
        for k in 0..out.count {
            let m = nodes[out.node[k]][MASS].to_f64();
            out.share[k] *= (m / (LIGHT * mass)).min(1.0);
            total += out.share[k];
            mean += out.slope[k] * out.share[k];
        }
        if !(mass > 0.0 && total > 0.0 && mass.is_finite()) {
            return None;
        }
        // From here on offsets are relative to x̄, and the element lies at −mean.
        mean = mean * (1.0 / total);
        let mut spread = Matrix::from_scalar(MIN_SPREAD * h * h);
        for k in 0..out.count {
            out.share[k] /= total;
            out.slope[k] -= mean;
            spread += out.slope[k].outer(out.slope[k]) * out.share[k];
        }
        let inverse = spread.inverse();
        let distance = mean.dot(inverse * mean);
        let reach = if distance > MAX_DISTANCE {
            (MAX_DISTANCE / distance).sqrt()
        } else {
            1.0
        };
        for k in 0..out.count {
            let omega = out.share[k];
            out.slope[k] = inverse * out.slope[k] * omega;
            out.share[k] = omega - reach * out.slope[k].dot(mean);
        }
        Some(out)
    }

    /// Adds β_i times an impulse \[kg m/s\] to the momentum of the nodes.
    pub fn scatter<T: Scalar>(&self, impulse: Vector<f64, D>, nodes: &mut [Node<T>]) {
        for k in 0..self.count {
            for a in 0..D {
                nodes[self.node[k]][a] += T::from_f64(impulse[a] * self.share[k]);
            }
        }
    }

    /// Velocity \[m/s\] and its gradient \[1/s\] at the element.
    pub fn gather<T: Scalar>(&self, nodes: &[Node<T>]) -> (Vector<f64, D>, Matrix<f64, D>) {
        let mut velocity = Vector::zero();
        let mut gradient = Matrix::zero();
        for k in 0..self.count {
            let mut v = Vector::<f64, D>::zero();
            for a in 0..D {
                v[a] = nodes[self.node[k]][a].to_f64();
            }
            velocity += v * self.share[k];
            gradient += v.outer(self.slope[k]);
        }
        (velocity, gradient)
    }
}
