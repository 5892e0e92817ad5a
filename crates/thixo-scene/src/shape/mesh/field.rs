//! Distances stored on a grid: looked up in the same time whatever they were computed from.
//!
//! Space is divided into cells of [`BLOCK`]³ fine cells. Cells near the surface store the distance
//! at all their fine nodes, the others at their eight corners only. In between, distances are
//! interpolated linearly along each axis.

use thixo::collide::shape::Surface;
use thixo_math::Vector;

use super::triangulate::Point;
use crate::shape::Bounds;

/// Fine cells along a side of a cell.
pub(crate) const BLOCK: usize = 4;
/// Fine nodes along a side of a cell.
const SIDE: usize = BLOCK + 1;
/// Fine nodes of a cell.
pub(crate) const NODES: usize = SIDE * SIDE * SIDE;
/// The most cells of a field.
const MOST_CELLS: f64 = 8e6;
/// A cell without fine nodes.
pub(crate) const COARSE: u32 = u32::MAX;

/// The lattice of the nodes of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeLattice {
    /// The lowest corner \[m\].
    origin: Point,
    /// Distance of fine nodes \[m\].
    pub spacing: f64,
    /// Cells along each axis.
    pub cells: [usize; 3],
}

impl NodeLattice {
    /// Around a region, with at least a cell to spare on every side. The spacing is as asked, or
    /// larger if that gives too many cells.
    pub fn new(bounds: Bounds<3>, asked: f64) -> Self {
        let mut spacing = asked;
        loop {
            let width = BLOCK as f64 * spacing;
            let count = |a: usize| ((bounds.max[a] - bounds.min[a]) / width).ceil() + 2.0;
            let counts = [count(0), count(1), count(2)];
            if counts.into_iter().product::<f64>() <= MOST_CELLS {
                let cells = counts.map(|n| n as usize);
                let middle = |a: usize| 0.5 * (bounds.min[a] + bounds.max[a]);
                let origin = |a: usize| middle(a) - 0.5 * counts[a] * width;
                return Self {
                    origin: Vector([origin(0), origin(1), origin(2)]),
                    spacing,
                    cells,
                };
            }
            spacing *= 1.25;
        }
    }

    /// Corners of cells along each axis.
    pub fn corners(&self) -> [usize; 3] {
        self.cells.map(|n| n + 1)
    }

    /// A fine node by its number along each axis.
    pub fn fine(&self, node: [usize; 3]) -> Point {
        self.origin + Vector(node.map(|n| n as f64)) * self.spacing
    }

    /// A corner of cells.
    pub fn corner(&self, corner: [usize; 3]) -> Point {
        self.fine(corner.map(|n| n * BLOCK))
    }

    /// The number of a corner.
    pub fn corner_index(&self, [i, j, k]: [usize; 3]) -> usize {
        let [_, ny, nz] = self.corners();
        (i * ny + j) * nz + k
    }

    /// A cell by its number.
    pub fn cell(&self, index: usize) -> [usize; 3] {
        let [_, ny, nz] = self.cells;
        [index / (ny * nz), index / nz % ny, index % nz]
    }

    /// The cell around a place, the nearest one for places outside.
    pub fn cell_of(&self, x: Point) -> [usize; 3] {
        let scaled = (x - self.origin) * (1.0 / (BLOCK as f64 * self.spacing));
        // Casts of negative numbers give 0.
        [0, 1, 2].map(|a| (scaled[a] as usize).min(self.cells[a] - 1))
    }

    /// The number of a cell.
    pub fn cell_index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.cells[1] + j) * self.cells[2] + k
    }

    /// The nearest place within.
    fn clamp(&self, x: Point) -> Point {
        let top = self.corner(self.cells);
        Vector([0, 1, 2].map(|a| x[a].clamp(self.origin[a], top[a])))
    }
}

/// The fine nodes of a cell by their place in it, the last axis fastest.
pub(crate) fn block_nodes() -> impl Iterator<Item = [usize; 3]> {
    (0..NODES).map(|n| [n / (SIDE * SIDE), n / SIDE % SIDE, n % SIDE])
}

/// The number of a fine node of a cell.
pub(crate) fn node_index([i, j, k]: [usize; 3]) -> usize {
    (i * SIDE + j) * SIDE + k
}

/// Signed distances, and velocities of a surface that moves.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub lattice: NodeLattice,
    /// Distance at every corner of cells \[m\].
    pub corners: Vec<f32>,
    /// For each cell, which of the fine blocks is its own, or [`COARSE`].
    pub blocks: Vec<u32>,
    /// Distances at the nodes of fine blocks \[m\].
    pub fine: Vec<[f32; NODES]>,
    /// Velocity of the nearest surface at every corner of cells \[m/s\]; empty where nothing moves.
    pub velocities: Vec<[f32; 3]>,
}

impl Field {
    /// Distance and normal at a place. Outside of the grid the distance is the smallest that the
    /// grid allows for.
    pub fn surface(&self, position: Point) -> Surface<3> {
        let within = self.lattice.clamp(position);
        let (distance, gradient) = self.interpolate(within);
        let beyond = position - within;
        let squared = beyond.norm_squared();
        let (distance, normal) = if squared > 0.0 {
            // The solid lies within the grid, which is convex: it is at least this far away.
            let inner = distance.max(0.0);
            ((inner * inner + squared).sqrt(), gradient * inner + beyond)
        } else {
            (distance, gradient)
        };
        let length = normal.norm();
        Surface {
            distance,
            normal: if length > 0.0 {
                (normal * (1.0 / length)).0
            } else {
                [1.0, 0.0, 0.0]
            },
        }
    }

    /// True if no node is inside.
    pub fn is_empty(&self) -> bool {
        let is_outside = |d: &f32| *d >= 0.0;
        self.corners.iter().all(is_outside) && self.fine.iter().flatten().all(is_outside)
    }

    /// Velocity of the surface nearest to a place \[m/s\].
    pub fn velocity(&self, position: Point) -> [f64; 3] {
        if self.velocities.is_empty() {
            return [0.0; 3];
        }
        let (cell, share) = self.locate(self.lattice.clamp(position));
        let mut sum = [0.0; 3];
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut node = cell;
            for a in 0..3 {
                let is_upper = corner >> a & 1 == 1;
                weight *= if is_upper { share[a] } else { 1.0 - share[a] };
                node[a] += usize::from(is_upper);
            }
            let velocity = self.velocities[self.lattice.corner_index(node)];
            for a in 0..3 {
                sum[a] += weight * f64::from(velocity[a]);
            }
        }
        sum
    }

    /// The cell around a place, and the place's share of the way through it along each axis.
    fn locate(&self, x: Point) -> ([usize; 3], [f64; 3]) {
        let lattice = &self.lattice;
        let scaled = (x - lattice.origin) * (1.0 / (BLOCK as f64 * lattice.spacing));
        let cell = lattice.cell_of(x);
        (cell, [0, 1, 2].map(|a| scaled[a] - cell[a] as f64))
    }

    /// Value and gradient at a place within the grid.
    fn interpolate(&self, x: Point) -> (f64, Point) {
        let (cell, share) = self.locate(x);
        let width = BLOCK as f64 * self.lattice.spacing;
        let block = self.blocks[self.lattice.cell_index(cell)];
        if block == COARSE {
            let value = |corner: [usize; 3]| {
                let node = [0, 1, 2].map(|a| cell[a] + corner[a]);
                f64::from(self.corners[self.lattice.corner_index(node)])
            };
            let (value, gradient) = trilinear(value, share, width);
            return (shrunk(value, self.lattice.spacing), gradient);
        }
        let values = &self.fine[block as usize];
        let scaled = share.map(|s| s * BLOCK as f64);
        let node = scaled.map(|s| (s as usize).min(BLOCK - 1));
        let value = |corner: [usize; 3]| {
            f64::from(values[node_index([0, 1, 2].map(|a| node[a] + corner[a]))])
        };
        let share = [0, 1, 2].map(|a| scaled[a] - node[a] as f64);
        trilinear(value, share, self.lattice.spacing)
    }
}

/// A distance interpolated over a cell, less what it may be too large by: so that it is never too
/// large.
///
/// A distance r has curvatures of at most 2/r altogether, and interpolation over a width w is off
/// by at most w²/8 times that.
fn shrunk(distance: f64, spacing: f64) -> f64 {
    let width = BLOCK as f64 * spacing;
    let error = width * width / (4.0 * distance.abs());
    distance.signum() * (distance.abs() - error).max(0.0)
}

/// Value and gradient of the interpolation between the corners of a cube.
fn trilinear(value: impl Fn([usize; 3]) -> f64, share: [f64; 3], width: f64) -> (f64, Point) {
    let mut sum = 0.0;
    let mut gradient = Point::zero();
    for corner in 0..8usize {
        let upper = [corner & 1, corner >> 1 & 1, corner >> 2 & 1];
        let v = value(upper);
        let weight = [0, 1, 2].map(|a| match upper[a] {
            0 => 1.0 - share[a],
            _ => share[a],
        });
        let sign = upper.map(|u| if u == 0 { -1.0 } else { 1.0 });
        sum += v * weight[0] * weight[1] * weight[2];
        gradient[0] += v * sign[0] * weight[1] * weight[2];
        gradient[1] += v * weight[0] * sign[1] * weight[2];
        gradient[2] += v * weight[0] * weight[1] * sign[2];
    }
    (sum, gradient * (1.0 / width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_too_large_for_its_spacing_gets_a_larger_one() {
        let bounds = Bounds {
            min: [0.0; 3],
            max: [1.0, 2.0, 1.0],
        };
        assert_eq!(NodeLattice::new(bounds, 0.01).spacing, 0.01);
        let lattice = NodeLattice::new(bounds, 1e-9);
        assert!(lattice.spacing > 1e-3 && lattice.cells.iter().product::<usize>() <= 8_000_000);
        let top = lattice.corner(lattice.cells);
        assert!((0..3).all(|a| lattice.origin[a] < bounds.min[a] && top[a] > bounds.max[a]));
    }
}
