//! Stencils of a group of particles in a tile, and the sums over their nodes.

use thixo_math::{Lanes, Mask, Real, Vector};
use thixo_par::{MAX_LANES, Scalar};

use crate::grid::{Geometry, Node};
use crate::kernel::{MAX_WIDTH, Spline};

/// Map from offsets of particles to the nodes of their block's tile. It is the same for all blocks.
#[derive(Clone, Copy, Debug)]
pub struct TileFrame<T> {
    /// 1/h \[1/m\].
    pub inv_h: T,
    /// Nodes from the tile's first node to the middle of the block, along each axis.
    pub middle: usize,
    /// Nodes of the tile along an axis.
    pub side: usize,
}

impl<T: Scalar> TileFrame<T> {
    /// The tile around a block.
    pub fn new<const D: usize>(geometry: &Geometry<D>) -> Self {
        Self {
            inv_h: T::from_f64(1.0 / geometry.spacing()),
            middle: geometry.block_side() / 2 + 1,
            side: geometry.tile_side(),
        }
    }
    /// The tile around a block on the lattices of faces and cell centres, which begins a node
    /// lower.
    pub fn staggered<const D: usize>(geometry: &Geometry<D>) -> Self {
        let nodes = Self::new(geometry);
        Self {
            middle: nodes.middle + 1,
            side: nodes.side + 1,
            ..nodes
        }
    }
}

/// Base nodes and fractions of the stencils of a group of particles.
#[derive(Clone, Copy, Debug)]
pub struct StencilBase<L: Real, const D: usize> {
    /// Index of the base node in the tile along each axis \[–\].
    pub base: Vector<L, D>,
    /// Distance from the base node in node spacings \[–\].
    pub fraction: Vector<L, D>,
    /// Lanes whose stencil lies in the tile.
    pub inside: L::Mask,
}

/// Finds base nodes and fractions of offsets from the middle of the block \[cells\]. Lanes outside
/// the tile are moved to its edge, so that all accesses stay in the tile, and reported.
#[inline(always)]
pub fn locate<L: Lanes, K: Spline, const D: usize>(
    x: &Vector<L, D>,
    frame: &TileFrame<L::Scalar>,
) -> StencilBase<L, D>
where
    L::Scalar: Scalar,
{
    let middle = L::splat(frame.middle as f64);
    let offset = L::splat(K::BASE_OFFSET);
    let last = L::splat((frame.side - K::WIDTH) as f64);
    let mut base = Vector::zero();
    let mut fraction = Vector::zero();
    let mut inside = L::zero().le(L::zero());
    for a in 0..D {
        let node = (x[a] - offset).floor();
        let index = node + middle;
        inside = inside.and(index.ge(L::zero())).and(index.le(last));
        base[a] = index.max(L::zero()).min(last);
        fraction[a] = x[a] - node;
    }
    StencilBase {
        base,
        fraction,
        inside,
    }
}

/// Factor by which the stress of a particle is distributed to its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// ∇w, equation (3).
    Slopes,
    /// w (x_i − x_p), equation (4).
    Distances,
}

/// Weights of a group's particles, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct Stencils<T, const D: usize> {
    /// w along each axis \[–\].
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
    pub fn new<L: Lanes<Scalar = T>, K: Spline>(located: &StencilBase<L, D>, side: usize) -> Self {
        let mut out = Self {
            value: [[[T::zero(); MAX_LANES]; MAX_WIDTH]; D],
            slope: [[[T::zero(); MAX_LANES]; MAX_WIDTH]; D],
            start: [0; MAX_LANES],
            side,
        };
        let mut start = L::zero();
        for a in 0..D {
            let w = K::weights(located.fraction[a]);
            for k in 0..K::WIDTH {
                w.value[k].store(&mut out.value[a][k]);
                w.slope[k].store(&mut out.slope[a][k]);
            }
            start = start.mul_add(L::splat(side as f64), located.base[a]);
        }
        start.store_rounded(&mut out.start);
        out
    }

    /// The squares of the weights, and instead of the slopes the squares of the factors that
    /// distribute a force: the slopes, or w (i − f) for moving least squares. Products over the
    /// axes of these are the squares of the products.
    #[inline(always)]
    pub fn squared<L: Lanes<Scalar = T>, K: Spline>(
        located: &StencilBase<L, D>,
        side: usize,
        by: Distribution,
    ) -> Self {
        let mut out = Self::new::<L, K>(located, side);
        for a in 0..D {
            let w = K::weights(located.fraction[a]);
            for k in 0..K::WIDTH {
                let slope = match by {
                    Distribution::Slopes => w.slope[k],
                    Distribution::Distances => {
                        w.value[k] * (L::splat(k as f64) - located.fraction[a])
                    }
                };
                w.value[k].squared().store(&mut out.value[a][k]);
                slope.squared().store(&mut out.slope[a][k]);
            }
        }
        out
    }

    /// Weight and slope of node `k` along the `axis`-th of three axes; in 2D the first of the three
    /// has one node.
    #[inline(always)]
    fn along(&self, axis: usize, k: usize, lane: usize) -> (T, T) {
        if axis + D < 3 {
            (T::one(), T::zero())
        } else {
            let a = axis + D - 3;
            (self.value[a][k][lane], self.slope[a][k][lane])
        }
    }

    /// Adds w (constant + Σ_d i_d linear_d) + Σ_d (h ∂w/∂x_d) gradient_d to every node of one
    /// lane's stencil, i being the node's distance from the base node along each axis. Weights are
    /// products over the axes, so planes and rows share common factors.
    #[inline(always)]
    pub fn scatter<K: Spline>(&self, lane: usize, source: &Affine<T, D>, nodes: &mut [Node<T>]) {
        let start = self.start[lane] as usize;
        let planes = if D == 2 { 1 } else { K::WIDTH };
        let linear = three_axes(&source.linear);
        let gradient = three_axes(&source.gradient);
        for i in 0..planes {
            let (w, slope) = self.along(0, i, lane);
            let value = times(w, add(source.constant, count(i), linear[0]));
            let plane = add(value, slope, gradient[0]);
            let [linear_y, linear_z] = [linear[1], linear[2]].map(|q| times(w, q));
            let [gradient_y, gradient_z] = [gradient[1], gradient[2]].map(|q| times(w, q));
            for j in 0..K::WIDTH {
                let (w, slope) = self.along(1, j, lane);
                let value = times(w, add(plane, count(j), linear_y));
                let row = add(value, slope, gradient_y);
                let [linear_z, gradient_z] = [linear_z, gradient_z].map(|q| times(w, q));
                let first = start + (i * self.side + j) * self.side;
                for k in 0..K::WIDTH {
                    let (w, slope) = self.along(2, k, lane);
                    let value = add(row, count(k), linear_z);
                    let node = &mut nodes[first + k];
                    *node = add(add(*node, w, value), slope, gradient_z);
                }
            }
        }
    }

    /// Σ w g, Σ w i_d g and Σ (h ∂w/∂x_d) g over the nodes of one lane's stencil, row by row and
    /// plane by plane.
    #[inline(always)]
    pub fn gather<K: Spline>(&self, lane: usize, nodes: &[Node<T>]) -> Affine<T, D> {
        let start = self.start[lane] as usize;
        let planes = if D == 2 { 1 } else { K::WIDTH };
        let zero = [T::zero(); 4];
        let (mut all, mut all_linear, mut all_gradient) = (zero, [zero; 3], [zero; 3]);
        for i in 0..planes {
            let (mut plane, mut linear, mut gradient) = (zero, [zero; 2], [zero; 2]);
            for j in 0..K::WIDTH {
                let (mut row, mut linear_z, mut gradient_z) = (zero, zero, zero);
                let first = start + (i * self.side + j) * self.side;
                for k in 0..K::WIDTH {
                    let (w, slope) = self.along(2, k, lane);
                    let node = nodes[first + k];
                    row = add(row, w, node);
                    linear_z = add(linear_z, count::<T>(k) * w, node);
                    gradient_z = add(gradient_z, slope, node);
                }
                let (w, slope) = self.along(1, j, lane);
                plane = add(plane, w, row);
                linear[0] = add(linear[0], count::<T>(j) * w, row);
                linear[1] = add(linear[1], w, linear_z);
                gradient[0] = add(gradient[0], slope, row);
                gradient[1] = add(gradient[1], w, gradient_z);
            }
            let (w, slope) = self.along(0, i, lane);
            all = add(all, w, plane);
            all_linear[0] = add(all_linear[0], count::<T>(i) * w, plane);
            all_gradient[0] = add(all_gradient[0], slope, plane);
            for a in 0..2 {
                all_linear[1 + a] = add(all_linear[1 + a], w, linear[a]);
                all_gradient[1 + a] = add(all_gradient[1 + a], w, gradient[a]);
            }
        }
        let mut out = Affine::zero();
        out.constant = all;
        out.linear.copy_from_slice(&all_linear[3 - D..]);
        out.gradient.copy_from_slice(&all_gradient[3 - D..]);
        out
    }
}

/// A quad for each of three axes, zero for the one that 2D lacks.
#[inline(always)]
fn three_axes<T: Scalar, const D: usize>(quads: &[Node<T>; D]) -> [Node<T>; 3] {
    let mut out = [[T::zero(); 4]; 3];
    out[3 - D..].copy_from_slice(quads);
    out
}

/// y + a x.
#[inline(always)]
pub(super) fn add<T: Scalar>(mut y: Node<T>, a: T, x: Node<T>) -> Node<T> {
    for c in 0..4 {
        y[c] += a * x[c];
    }
    y
}

/// a x.
#[inline(always)]
pub(super) fn times<T: Scalar>(a: T, mut x: Node<T>) -> Node<T> {
    for c in 0..4 {
        x[c] *= a;
    }
    x
}

#[inline(always)]
fn count<T: Scalar>(k: usize) -> T {
    T::from_f64(k as f64)
}

/// Coefficients of a field over a stencil, or sums over it; each a quad like a node.
#[derive(Clone, Copy, Debug)]
pub struct Affine<T, const D: usize> {
    /// Coefficient of w.
    pub constant: Node<T>,
    /// Coefficients of w times the distance from the base node, per axis.
    pub linear: [Node<T>; D],
    /// Coefficients of h ∂w/∂x, per axis.
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
