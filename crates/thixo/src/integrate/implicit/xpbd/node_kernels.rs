//! Kernels between a row of particles and the nodes of their clusters.

use thixo_math::Lanes;
use thixo_par::{MAX_LANES, Scalar};

use super::lane_batch::{RowLayout, load_matrix};
use crate::grid::Node;
use crate::kernel::{Spline, SplineKernel};
use crate::particles::Layout;
use crate::transfer::gradient::{GradientUnit, Gradients, StencilOrigin};

/// Base node and distance from it of the particles of a row.
#[inline(always)]
fn stencil_origin<L: Lanes, const D: usize>(row: &[L::Scalar]) -> StencilOrigin<L, D> {
    let mut fraction = thixo_math::Vector::zero();
    for a in 0..D {
        fraction[a] = L::load(&row[(Layout::<D>::X + a) * L::LANES..]);
    }
    StencilOrigin {
        start: L::load(&row[Layout::<D>::MASS * L::LANES..]),
        fraction,
    }
}

/// The nodes of a lane's cluster.
#[inline(always)]
fn of_lane<T: Scalar>(nodes: &[Node<T>], lane: usize) -> &[Node<T>] {
    let n = nodes.len() / T::LANES;
    &nodes[lane * n..][..n]
}

/// Lanes whose cluster has a particle in this row.
#[inline(always)]
fn taken<T: Scalar, const D: usize>(row: &[T]) -> impl Iterator<Item = usize> {
    let volumes = &row[Layout::<D>::V0 * T::LANES..][..T::LANES];
    (0..T::LANES).filter(|&lane| volumes[lane] > T::zero())
}

/// Computes the compliances K = Σ ∇w ∇wᵀ/m of a row.
pub(super) struct Compliance<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row.
    pub row: &'a mut [T],
    /// Nodes of all lanes.
    pub nodes: &'a [Node<T>],
    /// Units of ∇w.
    pub of: GradientUnit,
    /// Weight gradients ∇w.
    pub gradients: &'a mut Gradients<T, D>,
}

impl<T: Scalar, const D: usize> SplineKernel<T> for Compliance<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        self.gradients
            .set::<L, K>(&stencil_origin::<L, D>(self.row), self.of);
        for lane in 0..L::LANES {
            let is_taken = self.row[Layout::<D>::V0 * L::LANES + lane] > T::zero();
            let compliance = match is_taken {
                true => self
                    .gradients
                    .compliance::<K>(lane, of_lane(self.nodes, lane)),
                false => [[T::zero(); D]; D],
            };
            let mut column = self.layout.compliance();
            for i in 0..D {
                for j in i..D {
                    self.row[column * L::LANES + lane] = compliance[i][j];
                    column += 1;
                }
            }
        }
    }
}

/// Gathers the velocity gradients ∇v = Σ v ∇wᵀ of a row.
pub(super) struct GatherGradient<'a, T, const D: usize> {
    /// The row.
    pub row: &'a [T],
    /// Nodes of all lanes.
    pub nodes: &'a [Node<T>],
    /// Units of ∇w.
    pub of: GradientUnit,
    /// Weight gradients ∇w.
    pub gradients: &'a mut Gradients<T, D>,
    /// ∇v, D² columns.
    pub gradient: &'a mut [T],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for GatherGradient<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        self.gradients
            .set::<L, K>(&stencil_origin::<L, D>(self.row), self.of);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
        for lane in taken::<T, D>(self.row) {
            let sums = self.gradients.gather::<K>(lane, of_lane(self.nodes, lane));
            for d in 0..D {
                quads[d][lane] = sums[d];
            }
        }
        for d in 0..D {
            let column = L::load_transposed(quads[d].as_flattened(), 4);
            for c in 0..D {
                column[c].store(&mut self.gradient[(c * D + d) * L::LANES..]);
            }
        }
    }
}

/// Applies changes of impulses to the nodes, v ← v + ΔS ∇w/m.
pub(super) struct ApplyImpulse<'a, T, const D: usize> {
    /// The row.
    pub row: &'a [T],
    /// ΔS, D² columns.
    pub change: &'a [T],
    /// Weight gradients ∇w.
    pub gradients: &'a Gradients<T, D>,
    /// Nodes of all lanes.
    pub nodes: &'a mut [Node<T>],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for ApplyImpulse<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let change = load_matrix::<L, D>(self.change, 0);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
        for d in 0..D {
            let mut columns = [L::zero(); 4];
            columns[..D].copy_from_slice(&change.column(d).0);
            L::store_transposed(columns, quads[d].as_flattened_mut(), 4);
        }
        let n = self.nodes.len() / L::LANES;
        for lane in taken::<T, D>(self.row) {
            let mut columns = [[T::zero(); 4]; D];
            for d in 0..D {
                columns[d] = quads[d][lane];
            }
            self.gradients
                .apply_impulse::<K>(lane, &columns, &mut self.nodes[lane * n..][..n]);
        }
    }
}
