//! Sums with weight gradients alone, for implicit steps.
//!
//! With g = ∇w, or its substitute of moving least squares: Σ v gᵀ, and S g for every node. For
//! X-PBD, equation (24), with 1/m_i beside the velocities of the nodes: the compliance Σ g gᵀ/m,
//! and the change of velocity S g/m by an impulse S. \[Qu2023\] eq. (25).

use thixo_math::{Lanes, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::stencil::{Distribution, add, times};
use crate::grid::{MASS, Node};
use crate::kernel::{MAX_WIDTH, Spline};

/// Weights of a group's particles along each axis, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct Gradients<T, const D: usize> {
    value: [[[T; MAX_LANES]; MAX_WIDTH]; D],
    /// Factor that replaces the value along one axis in a component of g \[1/m\].
    slope: [[[T; MAX_LANES]; MAX_WIDTH]; D],
    /// Index of the base node in the lane's tile.
    start: [i32; MAX_LANES],
    /// Nodes of a tile along an axis.
    side: usize,
}

/// Stencils of a group of particles: base nodes in their tiles, and distances from them in node
/// spacings.
#[derive(Clone, Copy, Debug)]
pub struct StencilOrigin<L, const D: usize> {
    /// Index of the base node in the tile.
    pub start: L,
    /// Distance from it along each axis, in node spacings \[–\].
    pub fraction: Vector<L, D>,
}

/// Definition of g by the weights.
#[derive(Clone, Copy, Debug)]
pub struct GradientUnit {
    /// Slopes of the weights, or distances from the particle.
    pub by: Distribution,
    /// Factor of these \[1/m\].
    pub unit: f64,
}

impl GradientUnit {
    /// The definition of g times a factor \[–\].
    pub fn times(self, factor: f64) -> Self {
        Self {
            unit: self.unit * factor,
            ..self
        }
    }
}

impl<T: Scalar, const D: usize> Gradients<T, D> {
    /// Gradients of no particle, in tiles of `side` nodes along an axis.
    pub fn none(side: usize) -> Self {
        Self {
            value: [[[T::zero(); MAX_LANES]; MAX_WIDTH]; D],
            slope: [[[T::zero(); MAX_LANES]; MAX_WIDTH]; D],
            start: [0; MAX_LANES],
            side,
        }
    }

    /// Sets the weights to those of a group.
    #[inline(always)]
    pub fn set<L: Lanes<Scalar = T>, K: Spline>(
        &mut self,
        at: &StencilOrigin<L, D>,
        of: GradientUnit,
    ) {
        let unit = L::splat(of.unit);
        for a in 0..D {
            let w = K::weights(at.fraction[a]);
            for k in 0..K::WIDTH {
                let slope = match of.by {
                    Distribution::Slopes => w.slope[k],
                    Distribution::Distances => w.value[k] * (L::splat(k as f64) - at.fraction[a]),
                };
                w.value[k].store(&mut self.value[a][k]);
                (unit * slope).store(&mut self.slope[a][k]);
            }
        }
        at.start.store_rounded(&mut self.start);
    }

    /// Value and slope of node `k` along the `axis`-th of three axes; in 2D the first of the three
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

    /// Nodes along the first of three axes.
    #[inline(always)]
    fn planes<K: Spline>() -> usize {
        if D == 2 { 1 } else { K::WIDTH }
    }

    /// The columns of Σ v gᵀ over the nodes of one lane's stencil.
    #[inline(always)]
    pub fn gather<K: Spline>(&self, lane: usize, nodes: &[Node<T>]) -> [Node<T>; D] {
        let start = self.start[lane] as usize;
        let zero = [T::zero(); 4];
        let mut all = [zero; 3];
        for i in 0..Self::planes::<K>() {
            let (mut plane, mut along_y, mut along_z) = (zero, zero, zero);
            for j in 0..K::WIDTH {
                let first = start + (i * self.side + j) * self.side;
                let (mut row, mut row_z) = (zero, zero);
                for k in 0..K::WIDTH {
                    let (w, slope) = self.along(2, k, lane);
                    let node = nodes[first + k];
                    row = add(row, w, node);
                    row_z = add(row_z, slope, node);
                }
                let (w, slope) = self.along(1, j, lane);
                plane = add(plane, w, row);
                along_y = add(along_y, slope, row);
                along_z = add(along_z, w, row_z);
            }
            let (w, slope) = self.along(0, i, lane);
            all[0] = add(all[0], slope, plane);
            all[1] = add(all[1], w, along_y);
            all[2] = add(all[2], w, along_z);
        }
        let mut out = [zero; D];
        out.copy_from_slice(&all[3 - D..]);
        out
    }

    /// Adds S g/m to the velocities of one lane's stencil, S given by its columns; nodes hold 1/m
    /// in the last component instead of the mass.
    #[inline(always)]
    pub fn apply_impulse<K: Spline>(
        &self,
        lane: usize,
        columns: &[Node<T>; D],
        nodes: &mut [Node<T>],
    ) {
        self.spread::<K>(lane, columns, nodes, |node, change| {
            *node = add(*node, node[MASS], change);
        });
    }

    /// Adds S g to the nodes of one lane's stencil, S given by its columns.
    #[inline(always)]
    pub fn scatter<K: Spline>(&self, lane: usize, columns: &[Node<T>; D], nodes: &mut [Node<T>]) {
        self.spread::<K>(lane, columns, nodes, |node, change| {
            *node = add(*node, T::one(), change);
        });
    }

    /// Passes S g to every node of one lane's stencil.
    #[inline(always)]
    fn spread<K: Spline>(
        &self,
        lane: usize,
        columns: &[Node<T>; D],
        nodes: &mut [Node<T>],
        give: impl Fn(&mut Node<T>, Node<T>),
    ) {
        let start = self.start[lane] as usize;
        let mut column = [[T::zero(); 4]; 3];
        column[3 - D..].copy_from_slice(columns);
        for i in 0..Self::planes::<K>() {
            let (w, slope) = self.along(0, i, lane);
            let plane = times(slope, column[0]);
            let [along_y, along_z] = [column[1], column[2]].map(|q| times(w, q));
            for j in 0..K::WIDTH {
                let (w, slope) = self.along(1, j, lane);
                let row = add(times(w, plane), slope, along_y);
                let row_z = times(w, along_z);
                let first = start + (i * self.side + j) * self.side;
                for k in 0..K::WIDTH {
                    let (w, slope) = self.along(2, k, lane);
                    give(&mut nodes[first + k], add(times(w, row), slope, row_z));
                }
            }
        }
    }

    /// Σ g gᵀ/m over the nodes of one lane's stencil \[1/(kg m²)\]; nodes hold 1/m in the last
    /// component instead of the mass.
    #[inline(always)]
    pub fn compliance<K: Spline>(&self, lane: usize, nodes: &[Node<T>]) -> [[T; D]; D] {
        let start = self.start[lane] as usize;
        let mut out = [[T::zero(); D]; D];
        for i in 0..Self::planes::<K>() {
            for j in 0..K::WIDTH {
                for k in 0..K::WIDTH {
                    let [x, y, z] =
                        [(0, i), (1, j), (2, k)].map(|(axis, n)| self.along(axis, n, lane));
                    let all = [x.1 * y.0 * z.0, x.0 * y.1 * z.0, x.0 * y.0 * z.1];
                    let g = &all[3 - D..];
                    let inverse = nodes[start + (i * self.side + j) * self.side + k][MASS];
                    for a in 0..D {
                        for b in 0..D {
                            out[a][b] += inverse * g[a] * g[b];
                        }
                    }
                }
            }
        }
        out
    }
}
