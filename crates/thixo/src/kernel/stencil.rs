//! Where the stencils of a group of particles lie in a tile, and the sums over their nodes.

use thixo_math::{Lanes, Mask, Real, Vector};
use thixo_par::Scalar;

use super::{MAX_WIDTH, Spline};
use crate::grid::Node;

/// The most lanes a register has.
pub const MAX_LANES: usize = 8;

/// How a block's tile maps to space.
#[derive(Clone, Copy, Debug)]
pub struct TileFrame<T, const D: usize> {
    /// 1/h [1/m].
    pub inv_h: T,
    /// Node number of the tile's first node along each axis.
    pub first: Vector<T, D>,
    /// Nodes of the tile along an axis.
    pub side: usize,
}

impl<T: Scalar, const D: usize> TileFrame<T, D> {
    /// The tile around a block.
    pub fn new(block: [i32; D], spacing: f64, side: usize) -> Self {
        let mut first = Vector::zero();
        for a in 0..D {
            first[a] = T::from_f64(f64::from(block[a] * crate::grid::BLOCK as i32 - 1));
        }
        Self {
            inv_h: T::from_f64(1.0 / spacing),
            first,
            side,
        }
    }
}

/// The stencils of a group of particles.
#[derive(Clone, Copy, Debug)]
pub struct Place<L: Real, const D: usize> {
    /// Index of the base node in the tile along each axis.
    pub base: Vector<L, D>,
    /// Distance from the base node in node spacings.
    pub fraction: Vector<L, D>,
    /// Lanes whose stencil lies in the tile.
    pub inside: L::Mask,
}

/// Finds base nodes and fractions. Lanes outside the tile are moved to its edge, so that they touch nothing they should
/// not, and reported.
#[inline(always)]
pub fn place<L: Lanes, K: Spline, const D: usize>(
    x: &Vector<L, D>,
    frame: &TileFrame<L::Scalar, D>,
) -> Place<L, D>
where
    L::Scalar: Scalar,
{
    let inv_h = L::splat_scalar(frame.inv_h);
    let offset = L::splat(K::BASE_OFFSET);
    let last = L::splat((frame.side - K::WIDTH) as f64);
    let mut base = Vector::zero();
    let mut fraction = Vector::zero();
    let mut inside = L::zero().le(L::zero());
    for a in 0..D {
        let position = x[a] * inv_h;
        let node = (position - offset).floor();
        let index = node - L::splat_scalar(frame.first[a]);
        inside = inside.and(index.ge(L::zero())).and(index.le(last));
        base[a] = index.max(L::zero()).min(last);
        fraction[a] = position - node;
    }
    Place {
        base,
        fraction,
        inside,
    }
}

/// Weights of a group's particles, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct Stencils<T, const D: usize> {
    /// w along each axis.
    value: [[[T; MAX_LANES]; MAX_WIDTH]; D],
    /// dw/dx along each axis, in 1/h.
    slope: [[[T; MAX_LANES]; MAX_WIDTH]; D],
    /// Index of the base node in the tile.
    start: [i32; MAX_LANES],
    /// Nodes of the tile along an axis.
    side: usize,
}

impl<T: Scalar, const D: usize> Stencils<T, D> {
    /// Weights for a group.
    #[inline(always)]
    pub fn new<L: Lanes<Scalar = T>, K: Spline>(place: &Place<L, D>, side: usize) -> Self {
        let mut out = Self {
            value: [[[T::zero(); MAX_LANES]; MAX_WIDTH]; D],
            slope: [[[T::zero(); MAX_LANES]; MAX_WIDTH]; D],
            start: [0; MAX_LANES],
            side,
        };
        let mut start = L::zero();
        for a in 0..D {
            let w = K::weights(place.fraction[a]);
            for k in 0..K::WIDTH {
                w.value[k].store(&mut out.value[a][k]);
                w.slope[k].store(&mut out.slope[a][k]);
            }
            start = start.mul_add(L::splat(side as f64), place.base[a]);
        }
        start.store_rounded(&mut out.start);
        out
    }

    /// Weight and slope of node `k` along the `axis`-th of three axes; in 2D the first of the three has one node.
    #[inline(always)]
    fn along(&self, axis: usize, k: usize, lane: usize) -> (T, T) {
        if axis + D < 3 {
            (T::one(), T::zero())
        } else {
            let a = axis + D - 3;
            (self.value[a][k][lane], self.slope[a][k][lane])
        }
    }

    /// Adds w (constant + Σ_d i_d linear_d) + Σ_d (h ∂w/∂x_d) gradient_d to every node of one lane's stencil, i being the
    /// node's distance from the base node along each axis.
    #[inline(always)]
    pub fn scatter<K: Spline>(&self, lane: usize, source: &Affine<T, D>, nodes: &mut [Node<T>]) {
        let start = self.start[lane] as usize;
        let planes = if D == 2 { 1 } else { K::WIDTH };
        for i in 0..planes {
            let (wx, gx) = self.along(0, i, lane);
            for j in 0..K::WIDTH {
                let (wy, gy) = self.along(1, j, lane);
                let row = start + (i * self.side + j) * self.side;
                for k in 0..K::WIDTH {
                    let (wz, gz) = self.along(2, k, lane);
                    let slopes = [gx * wy * wz, wx * gy * wz, wx * wy * gz];
                    let index = [i, j, k];
                    let w = wx * wy * wz;
                    let node = &mut nodes[row + k];
                    for c in 0..4 {
                        let mut field = source.constant[c];
                        let mut steep = T::zero();
                        for d in 0..D {
                            let step = T::from_f64(index[d + 3 - D] as f64);
                            field += step * source.linear[d][c];
                            steep += slopes[d + 3 - D] * source.gradient[d][c];
                        }
                        node[c] += w * field + steep;
                    }
                }
            }
        }
    }

    /// Σ w g, Σ w i_d g and Σ (h ∂w/∂x_d) g over the nodes of one lane's stencil.
    #[inline(always)]
    pub fn gather<K: Spline>(&self, lane: usize, nodes: &[Node<T>]) -> Affine<T, D> {
        let start = self.start[lane] as usize;
        let planes = if D == 2 { 1 } else { K::WIDTH };
        let mut out = Affine::zero();
        for i in 0..planes {
            let (wx, gx) = self.along(0, i, lane);
            for j in 0..K::WIDTH {
                let (wy, gy) = self.along(1, j, lane);
                let row = start + (i * self.side + j) * self.side;
                for k in 0..K::WIDTH {
                    let (wz, gz) = self.along(2, k, lane);
                    let slopes = [gx * wy * wz, wx * gy * wz, wx * wy * gz];
                    let index = [i, j, k];
                    let w = wx * wy * wz;
                    let node = &nodes[row + k];
                    for c in 0..4 {
                        let weighted = w * node[c];
                        out.constant[c] += weighted;
                        for d in 0..D {
                            let step = T::from_f64(index[d + 3 - D] as f64);
                            out.linear[d][c] += step * weighted;
                            out.gradient[d][c] += slopes[d + 3 - D] * node[c];
                        }
                    }
                }
            }
        }
        out
    }
}

/// Coefficients of a field over a stencil, or sums over it; each a quad like a node.
#[derive(Clone, Copy, Debug)]
pub struct Affine<T, const D: usize> {
    /// Times w.
    pub constant: Node<T>,
    /// Times w and the distance from the base node, per axis.
    pub linear: [Node<T>; D],
    /// Times h ∂w/∂x, per axis.
    pub gradient: [Node<T>; D],
}

impl<T: Scalar, const D: usize> Affine<T, D> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            constant: [T::zero(); 4],
            linear: [[T::zero(); 4]; D],
            gradient: [[T::zero(); 4]; D],
        }
    }
}
