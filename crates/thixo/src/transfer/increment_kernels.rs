//! Kernels of the increments: gather of M = Δt∇v, scatter of gradients and of diagonals.

use thixo_math::{Lanes, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::stencil::{Affine, Distribution, Stencils, TileFrame, locate};
use crate::grid::Node;
use crate::kernel::{Spline, SplineKernel};
use crate::particles::Layout;
use crate::transfer::gradient::{GradientUnit, Gradients, StencilOrigin};

/// Component a of a node gets Σ_b c_ab (∂w/∂x_b)², c from D² columns.
pub(super) struct ScatterSquares<'a, T, const D: usize> {
    /// Hot columns of the groups.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// c, D² columns.
    pub coefficients: &'a [T],
    /// Place of the tile.
    pub frame: TileFrame<T>,
    /// Distribution of the weights.
    pub by: Distribution,
    /// Factor of all coefficients.
    pub scale: f64,
    /// Nodes of the tile.
    pub nodes: &'a mut [Node<T>],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for ScatterSquares<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let scale = T::from_f64(self.scale);
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.coefficients.chunks_exact(D * D * L::LANES));
        for (hot, coefficients) in groups {
            let mut x = Vector::zero();
            for a in 0..D {
                x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
            }
            let located = locate::<L, K, D>(&x, &self.frame);
            let stencils = Stencils::squared::<L, K>(&located, self.frame.side, self.by);
            for lane in 0..L::LANES {
                let mut source = Affine::zero();
                for a in 0..D {
                    for b in 0..D {
                        let c = coefficients[(a * D + b) * L::LANES + lane];
                        source.gradient[b][a] = scale * c;
                    }
                }
                stencils.scatter::<K>(lane, &source, self.nodes);
            }
        }
    }
}

/// Weight gradients ∇w of a group of particles.
#[inline(always)]
fn set_gradients<L: Lanes, K: Spline, const D: usize>(
    hot: &[L::Scalar],
    frame: &TileFrame<L::Scalar>,
    of: GradientUnit,
    out: &mut Gradients<L::Scalar, D>,
) where
    L::Scalar: Scalar,
{
    let mut x = Vector::zero();
    for a in 0..D {
        x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
    }
    let located = locate::<L, K, D>(&x, frame);
    let mut start = L::zero();
    for a in 0..D {
        start = start.mul_add(L::splat(frame.side as f64), located.base[a]);
    }
    let origin = StencilOrigin {
        start,
        fraction: located.fraction,
    };
    out.set::<L, K>(&origin, of);
}

/// Adds Δt G ∇w to the nodes, G from D² columns.
pub(super) struct ScatterGradients<'a, T, const D: usize> {
    /// Hot columns of the groups.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// G, D² columns.
    pub gradients: &'a [T],
    /// Place of the tile.
    pub frame: TileFrame<T>,
    /// Units of Δt ∇w.
    pub of: GradientUnit,
    /// Nodes of the tile.
    pub nodes: &'a mut [Node<T>],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for ScatterGradients<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.gradients.chunks_exact(D * D * L::LANES));
        let mut weights = Gradients::none(self.frame.side);
        for (hot, source) in groups {
            set_gradients::<L, K, D>(hot, &self.frame, self.of, &mut weights);
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
            for d in 0..D {
                let mut column = [L::zero(); 4];
                for c in 0..D {
                    column[c] = L::load(&source[(c * D + d) * L::LANES..]);
                }
                L::store_transposed(column, quads[d].as_flattened_mut(), 4);
            }
            for lane in 0..L::LANES {
                let mut columns = [[T::zero(); 4]; D];
                for d in 0..D {
                    columns[d] = quads[d][lane];
                }
                weights.scatter::<K>(lane, &columns, self.nodes);
            }
        }
    }
}

/// Gathers M = Δt Σ v ∇wᵀ.
pub(super) struct GatherIncrements<'a, T, const D: usize> {
    /// Hot columns of the groups.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// Nodes of the tile.
    pub nodes: &'a [Node<T>],
    /// Place of the tile.
    pub frame: TileFrame<T>,
    /// Units of Δt ∇w.
    pub of: GradientUnit,
    /// M, D² columns.
    pub out: &'a mut [T],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for GatherIncrements<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.out.chunks_exact_mut(D * D * L::LANES));
        let mut weights = Gradients::none(self.frame.side);
        for (hot, out) in groups {
            set_gradients::<L, K, D>(hot, &self.frame, self.of, &mut weights);
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
            for lane in 0..L::LANES {
                let sums = weights.gather::<K>(lane, self.nodes);
                for d in 0..D {
                    quads[d][lane] = sums[d];
                }
            }
            for d in 0..D {
                let column = L::load_transposed(quads[d].as_flattened(), 4);
                for c in 0..D {
                    column[c].store(&mut out[(c * D + d) * L::LANES..]);
                }
            }
        }
    }
}
