//! Sums over quadratic stencils, a row of nodes at a time.
//!
//! A register holds [`Lanes::QUADS`] neighbouring nodes of a row (the last axis). A row starts at a
//! multiple of that count, so that every access is aligned and a store is forwarded whole to the
//! next particle's load; the weights are shifted to match. Weights are products over the axes, so
//! sums are formed axis by axis.

use thixo_math::{Lanes, Vector};
use thixo_par::{MAX_LANES, Scalar};

use crate::grid::Node;
use crate::kernel::{Quadratic, Spline};
use crate::transfer::stencil::StencilBase;

/// Nodes of a tile along an axis in 3D; in 2D there are two sizes.
const SIDE: usize = 8;
/// Numbers in a row of a tile in 3D.
const ROW: usize = SIDE * 4;
/// Numbers in a plane of a tile in 3D.
const PLANE: usize = SIDE * ROW;
/// Numbers from the first to the last node of a stencil in 3D.
const SPAN: usize = 2 * PLANE + 2 * ROW + 16;
/// Numbers of a row of a stencil.
const ROW_SPAN: usize = 16;
/// The most registers that hold a row of a stencil.
const MAX_REGISTERS: usize = 3;

/// Weights of a group, arranged for rows.
pub struct Rows<T, const D: usize> {
    /// Weights along the axes before the last.
    value: [[[T; MAX_LANES]; 3]; 2],
    /// Weights along the last axis, four per lane, shifted to the start of the row.
    last: [Node<T>; MAX_LANES],
    /// First number of the stencil in the tile.
    start: [i32; MAX_LANES],
    /// Numbers in a row of the tile.
    row: usize,
}

/// Registers that hold a row of a stencil.
const fn registers<L: Lanes>() -> usize {
    (2 + L::QUADS).div_ceil(L::QUADS)
}

/// Offset of the row's start before the base node: 1 in lanes whose base is odd, if two nodes share
/// a register.
#[inline(always)]
fn shift<L: Lanes>(base: L) -> L {
    if L::QUADS == 1 {
        return L::zero();
    }
    let half = L::splat(0.5);
    base - (base * half).floor() * L::splat(2.0)
}

impl<T: Scalar, const D: usize> Rows<T, D> {
    /// Weights of the stencils of a group, in a tile of `side` nodes along an axis.
    #[inline(always)]
    pub fn new<L: Lanes<Scalar = T>>(located: &StencilBase<L, D>, side: usize) -> Self {
        let side = if D == 3 { SIDE } else { side };
        let mut out = Self {
            value: [[[T::zero(); MAX_LANES]; 3]; 2],
            last: [[T::zero(); 4]; MAX_LANES],
            start: [0; MAX_LANES],
            row: 4 * side,
        };
        let mut start = L::zero();
        for a in 0..D {
            let w = Quadratic::weights(located.fraction[a]).value;
            let side = L::splat(side as f64);
            if a + 1 < D {
                for k in 0..3 {
                    w[k].store(&mut out.value[a][k]);
                }
                start = start.mul_add(side, located.base[a]);
            } else {
                let shift = shift::<L>(located.base[a]);
                let odd = shift.gt(L::zero());
                let zero = L::zero();
                let columns = [
                    L::select(odd, zero, w[0]),
                    L::select(odd, w[0], w[1]),
                    L::select(odd, w[1], w[2]),
                    L::select(odd, w[2], zero),
                ];
                L::store_transposed(columns, out.last.as_flattened_mut(), 4);
                start = start.mul_add(side, located.base[a] - shift);
            }
        }
        (start * L::splat(4.0)).store_rounded(&mut out.start);
        out
    }

    /// Distance of the particles from the first node of their rows, in node spacings \[–\].
    #[inline(always)]
    pub fn fraction<L: Lanes<Scalar = T>>(&self, located: &StencilBase<L, D>) -> Vector<L, D> {
        let mut fraction = located.fraction;
        fraction[D - 1] += shift::<L>(located.base[D - 1]);
        fraction
    }

    /// Weights of one lane along the last axis, spread over its nodes, and those times the node's
    /// index.
    #[inline(always)]
    fn row_weights<L: Lanes<Scalar = T>>(
        &self,
        lane: usize,
    ) -> ([L; MAX_REGISTERS], [L; MAX_REGISTERS]) {
        let count = [0.0, 1.0, 2.0, 3.0].map(T::from_f64);
        let mut weight = [L::zero(); MAX_REGISTERS];
        let mut first = weight;
        for r in 0..registers::<L>() {
            weight[r] = L::spread_over_quads(&self.last[lane][r * L::QUADS..]);
            first[r] = weight[r] * L::spread_over_quads(&count[r * L::QUADS..]);
        }
        (weight, first)
    }

    /// Writes Σ w g, then Σ w i_a g for every axis a, each a quad.
    #[inline(always)]
    pub fn gather<L: Lanes<Scalar = T>>(&self, lane: usize, tile: &[T], out: &mut [T]) {
        if D == 2 {
            self.gather_2d::<L>(lane, tile, out);
        } else {
            self.gather_3d::<L>(lane, tile, out);
        }
    }

    /// Adds w (constant + Σ_a i_a linear_a) to the nodes; `quads` holds constant, then linear for
    /// every axis.
    #[inline(always)]
    pub fn scatter<L: Lanes<Scalar = T>>(&self, lane: usize, quads: &[T], tile: &mut [T]) {
        if D == 2 {
            self.scatter_2d::<L>(lane, quads, tile);
        } else {
            self.scatter_3d::<L>(lane, quads, tile);
        }
    }

    #[inline(always)]
    fn gather_3d<L: Lanes<Scalar = T>>(&self, lane: usize, tile: &[T], out: &mut [T]) {
        let Some(nodes) = tile[self.start[lane] as usize..].first_chunk::<SPAN>() else {
            return;
        };
        let y0 = L::splat_scalar(self.value[1][0][lane]);
        let y1 = L::splat_scalar(self.value[1][1][lane]);
        let y2 = L::splat_scalar(self.value[1][2][lane]);
        let twice_y2 = y2 + y2;
        let mut plain = [L::zero(); MAX_REGISTERS];
        let mut along_x = plain;
        let mut along_y = plain;
        for i in 0..3 {
            let x = L::splat_scalar(self.value[0][i][lane]);
            for r in 0..registers::<L>() {
                let at = i * PLANE + r * L::LANES;
                let a = L::load(&nodes[at..]);
                let b = L::load(&nodes[at + ROW..]);
                let c = L::load(&nodes[at + 2 * ROW..]);
                let zeroth = y2.mul_add(c, y1.mul_add(b, y0 * a));
                let first = twice_y2.mul_add(c, y1 * b);
                match i {
                    0 => {
                        plain[r] = x * zeroth;
                        along_y[r] = x * first;
                    }
                    1 => {
                        along_x[r] = x * zeroth;
                        plain[r] += along_x[r];
                        along_y[r] = x.mul_add(first, along_y[r]);
                    }
                    _ => {
                        along_x[r] = (x + x).mul_add(zeroth, along_x[r]);
                        plain[r] = x.mul_add(zeroth, plain[r]);
                        along_y[r] = x.mul_add(first, along_y[r]);
                    }
                }
            }
        }
        let (weight, first) = self.row_weights::<L>(lane);
        let mut sums = [
            weight[0] * plain[0],
            weight[0] * along_x[0],
            weight[0] * along_y[0],
            first[0] * plain[0],
        ];
        for r in 1..registers::<L>() {
            sums[0] = weight[r].mul_add(plain[r], sums[0]);
            sums[1] = weight[r].mul_add(along_x[r], sums[1]);
            sums[2] = weight[r].mul_add(along_y[r], sums[2]);
            sums[3] = first[r].mul_add(plain[r], sums[3]);
        }
        for q in 0..4 {
            out[4 * q..4 * q + 4].copy_from_slice(&sums[q].sum_quads());
        }
    }

    #[inline(always)]
    fn gather_2d<L: Lanes<Scalar = T>>(&self, lane: usize, tile: &[T], out: &mut [T]) {
        let mut plain = [L::zero(); MAX_REGISTERS];
        let mut along_x = plain;
        for i in 0..3 {
            let first = self.start[lane] as usize + i * self.row;
            let Some(nodes) = tile[first..].first_chunk::<ROW_SPAN>() else {
                return;
            };
            let x = L::splat_scalar(self.value[0][i][lane]);
            for r in 0..registers::<L>() {
                let weighted = x * L::load(&nodes[r * L::LANES..]);
                match i {
                    0 => plain[r] = weighted,
                    1 => {
                        plain[r] += weighted;
                        along_x[r] = weighted;
                    }
                    _ => {
                        plain[r] += weighted;
                        along_x[r] += weighted + weighted;
                    }
                }
            }
        }
        let (weight, first) = self.row_weights::<L>(lane);
        let mut sums = [
            weight[0] * plain[0],
            weight[0] * along_x[0],
            first[0] * plain[0],
        ];
        for r in 1..registers::<L>() {
            sums[0] = weight[r].mul_add(plain[r], sums[0]);
            sums[1] = weight[r].mul_add(along_x[r], sums[1]);
            sums[2] = first[r].mul_add(plain[r], sums[2]);
        }
        for q in 0..3 {
            out[4 * q..4 * q + 4].copy_from_slice(&sums[q].sum_quads());
        }
    }

    #[inline(always)]
    fn scatter_3d<L: Lanes<Scalar = T>>(&self, lane: usize, quads: &[T], tile: &mut [T]) {
        let Some(nodes) = tile[self.start[lane] as usize..].first_chunk_mut::<SPAN>() else {
            return;
        };
        let (weight, first) = self.row_weights::<L>(lane);
        let constant = repeat::<L>(quads, 0);
        let linear_x = repeat::<L>(quads, 1);
        let linear_y = repeat::<L>(quads, 2);
        let linear_z = repeat::<L>(quads, 3);
        let y = [
            L::splat_scalar(self.value[1][0][lane]),
            L::splat_scalar(self.value[1][1][lane]),
            L::splat_scalar(self.value[1][2][lane]),
        ];
        for r in 0..registers::<L>() {
            let mut plane = first[r].mul_add(linear_z, weight[r] * constant);
            let step_x = weight[r] * linear_x;
            let step_y = weight[r] * linear_y;
            for i in 0..3 {
                let x = L::splat_scalar(self.value[0][i][lane]);
                let mut row = x * plane;
                let step = x * step_y;
                for j in 0..3 {
                    let node = &mut nodes[i * PLANE + j * ROW + r * L::LANES..];
                    y[j].mul_add(row, L::load(node)).store(node);
                    row += step;
                }
                plane += step_x;
            }
        }
    }

    #[inline(always)]
    fn scatter_2d<L: Lanes<Scalar = T>>(&self, lane: usize, quads: &[T], tile: &mut [T]) {
        let (weight, first) = self.row_weights::<L>(lane);
        let constant = repeat::<L>(quads, 0);
        let linear_x = repeat::<L>(quads, 1);
        let linear_y = repeat::<L>(quads, 2);
        let mut row = [L::zero(); MAX_REGISTERS];
        let mut step = row;
        for r in 0..registers::<L>() {
            row[r] = first[r].mul_add(linear_y, weight[r] * constant);
            step[r] = weight[r] * linear_x;
        }
        for i in 0..3 {
            let first = self.start[lane] as usize + i * self.row;
            let Some(nodes) = tile[first..].first_chunk_mut::<ROW_SPAN>() else {
                return;
            };
            let x = L::splat_scalar(self.value[0][i][lane]);
            for r in 0..registers::<L>() {
                let node = &mut nodes[r * L::LANES..];
                x.mul_add(row[r], L::load(node)).store(node);
                row[r] += step[r];
            }
        }
    }
}

/// The `k`-th quad, repeated over a register.
#[inline(always)]
fn repeat<L: Lanes>(quads: &[L::Scalar], k: usize) -> L {
    match quads[4 * k..].first_chunk::<4>() {
        Some(quad) => L::repeat_quad(quad),
        None => L::zero(),
    }
}
