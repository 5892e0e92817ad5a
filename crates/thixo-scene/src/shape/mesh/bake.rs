//! Filling a field with the signed distances of a mesh.

use rayon::prelude::*;

use super::closest::SearchTolerance;
use super::field::{BLOCK, COARSE, Field, NODES, NodeLattice, block_nodes, node_index};
use super::tree::Tree;
use super::triangulate::Point;
use super::winding::Winding;

/// Distances are stored at fine nodes up to at least this many spacings from the surface.
const BAND: f64 = 3.0;
/// Distances at fine nodes may be this many spacings too large.
const FINE_TOLERANCE: f64 = 1e-3;
/// Distances at corners of cells may be this many spacings too large, or this share of themselves:
/// less than what interpolation between them costs.
const COARSE_TOLERANCE: (f64, f64) = (0.02, 0.01);

/// Error that distances at corners of cells may have.
fn coarse_tolerance(lattice: &NodeLattice) -> SearchTolerance {
    SearchTolerance {
        absolute: COARSE_TOLERANCE.0 * lattice.spacing,
        relative: COARSE_TOLERANCE.1,
    }
}

/// The data that distances are computed from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'a> {
    /// The triangles that distances are measured to.
    pub surface: &'a Tree,
    /// Winding number, which tells inside from outside.
    pub winding: &'a Winding<'a>,
    /// True if inside and outside meet at triangles of `surface` only. Then places nearer to each
    /// other than to the surface are on the same side, which saves most winding numbers.
    pub is_closed: bool,
}

impl Sources<'_> {
    /// Signed distances at places, best given so that each is near the one before.
    fn walk(
        &self,
        places: impl Iterator<Item = Point>,
        tolerance: SearchTolerance,
    ) -> impl Iterator<Item = f64> {
        // A place, its signed distance and the triangle nearest to it.
        let mut last: Option<(Point, f64, usize)> = None;
        places.map(move |x| {
            let closest = match last {
                Some((_, _, triangle)) => self.surface.closest_from(x, triangle, tolerance),
                None => self.surface.closest(x, f64::INFINITY, tolerance),
            };
            let (distance, triangle) = closest.map_or((f64::INFINITY, 0), |closest| {
                (closest.distance, closest.triangle)
            });
            let is_inside = match last {
                // A little more than the step, as distances may be a little too large.
                Some((before, signed, _))
                    if self.is_closed && signed.abs() > 1.05 * (x - before).norm() =>
                {
                    signed < 0.0
                }
                _ => self.winding.is_inside(x),
            };
            let signed = if is_inside { -distance } else { distance };
            last = Some((x, signed, triangle));
            signed
        })
    }
}

/// Signed distances at all corners of cells.
pub(crate) fn corners(lattice: &NodeLattice, sources: &Sources<'_>) -> Vec<f32> {
    let [nx, ny, nz] = lattice.corners();
    let rows = (0..nx * ny).into_par_iter();
    rows.flat_map_iter(|row| {
        let places = (0..nz).map(move |k| lattice.corner([row / ny, row % ny, k]));
        sources
            .walk(places, coarse_tolerance(lattice))
            .map(|d| d as f32)
    })
    .collect()
}

/// Distances of a surface to which triangles were added, with the signs that they had, at all
/// corners of cells.
pub(crate) fn measured_again(lattice: &NodeLattice, signed: &[f32], surface: &Tree) -> Vec<f32> {
    let [_, ny, nz] = lattice.corners();
    let all = signed.par_iter().enumerate();
    all.map(|(index, &before)| {
        let corner = [index / (ny * nz), index / nz % ny, index % nz];
        // It can only have come nearer.
        let within = f64::from(before.abs());
        match surface.closest(lattice.corner(corner), within, coarse_tolerance(lattice)) {
            Some(closest) => (closest.distance as f32).copysign(before),
            None => before,
        }
    })
    .collect()
}

/// The whole field, given the distances at the corners of cells.
pub(crate) fn field(lattice: NodeLattice, corners: Vec<f32>, sources: &Sources<'_>) -> Field {
    let mut blocks = vec![COARSE; lattice.cells.iter().product()];
    let cells = near_cells(&lattice, &corners, sources);
    for (k, &cell) in cells.iter().enumerate() {
        blocks[cell] = k as u32;
    }
    let block_of = |cell: [usize; 3]| {
        let is_within = (0..3).all(|a| cell[a] < lattice.cells[a]);
        let block = is_within.then(|| blocks[lattice.cell_index(cell)]);
        block.filter(|&block| block != COARSE)
    };
    // Nodes on the upper sides of a block are the first nodes of the next: where that is fine, too,
    // they are computed there.
    let owner = |cell: [usize; 3], node: [usize; 3]| {
        let next = [0, 1, 2].map(|a| cell[a] + node[a] / BLOCK);
        let block = if next == cell { None } else { block_of(next) };
        block.map(|block| (block as usize, node.map(|n| n % BLOCK)))
    };
    let own: Vec<[f32; NODES]> = cells
        .par_iter()
        .map(|&index| {
            let cell = lattice.cell(index);
            let is_own = |node: &[usize; 3]| owner(cell, *node).is_none();
            own_nodes(&lattice, cell, is_own, sources)
        })
        .collect();
    let fine = cells.par_iter().enumerate().map(|(k, &index)| {
        let mut values = own[k];
        let cell = lattice.cell(index);
        for node in block_nodes() {
            if let Some((block, there)) = owner(cell, node) {
                values[node_index(node)] = own[block][node_index(there)];
            }
        }
        values
    });
    let fine = fine.collect();
    Field {
        lattice,
        corners,
        blocks,
        fine,
        velocities: Vec::new(),
    }
}

/// The cells that need distances at their fine nodes.
fn near_cells(lattice: &NodeLattice, corners: &[f32], sources: &Sources<'_>) -> Vec<usize> {
    // From a corner, and from the middle, every place of a cell is at most half a diagonal away.
    let near = lattice.spacing * (0.5 * BLOCK as f64 * 3f64.sqrt() + BAND);
    let is_near = |index: &usize| {
        let cell = lattice.cell(*index);
        let is_candidate = (0..8usize).any(|corner| {
            let node = [0, 1, 2].map(|a| cell[a] + (corner >> a & 1));
            // A little more, as these distances may be a little too large.
            f64::from(corners[lattice.corner_index(node)].abs()) <= 1.02 * near
        });
        let middle = lattice.fine(cell.map(|n| n * BLOCK + BLOCK / 2));
        is_candidate && sources.surface.is_within(middle, near)
    };
    let all = 0..lattice.cells.iter().product::<usize>();
    all.into_par_iter().filter(is_near).collect()
}

/// Signed distances at some of the nodes of a fine block.
fn own_nodes(
    lattice: &NodeLattice,
    cell: [usize; 3],
    is_own: impl Fn(&[usize; 3]) -> bool,
    sources: &Sources<'_>,
) -> [f32; NODES] {
    let mut values = [0.0; NODES];
    let place = |node: [usize; 3]| lattice.fine([0, 1, 2].map(|a| cell[a] * BLOCK + node[a]));
    let tolerance = SearchTolerance {
        absolute: FINE_TOLERANCE * lattice.spacing,
        relative: 0.0,
    };
    let distances = sources.walk(serpentine().filter(&is_own).map(place), tolerance);
    for (node, distance) in serpentine().filter(&is_own).zip(distances) {
        values[node_index(node)] = distance as f32;
    }
    values
}

/// The nodes of a block in an order in which neighbours follow each other: back and forth.
fn serpentine() -> impl Iterator<Item = [usize; 3]> {
    block_nodes().map(|[i, j, k]| {
        let j = if i % 2 == 0 { j } else { BLOCK - j };
        let k = if (i + j) % 2 == 0 { k } else { BLOCK - k };
        [i, j, k]
    })
}

/// The velocity of the nearest point of the surface at all corners of cells, given the velocities
/// of the triangles' corners in the order of the tree \[m/s\].
pub(crate) fn velocities(
    lattice: &NodeLattice,
    surface: &Tree,
    corner_velocities: &[[Point; 3]],
) -> Vec<[f32; 3]> {
    let [nx, ny, nz] = lattice.corners();
    let rows = (0..nx * ny).into_par_iter();
    rows.flat_map_iter(|row| {
        let mut last = None;
        (0..nz).map(move |k| {
            let x = lattice.corner([row / ny, row % ny, k]);
            let closest = match last {
                Some(triangle) => surface.closest_from(x, triangle, coarse_tolerance(lattice)),
                None => surface.closest(x, f64::INFINITY, coarse_tolerance(lattice)),
            };
            last = closest.map(|closest| closest.triangle);
            let velocity = closest.map_or(Point::zero(), |closest| {
                let [a, b, c] = corner_velocities[closest.triangle];
                let [u, v, w] = closest.weights;
                a * u + b * v + c * w
            });
            velocity.0.map(|v| v as f32)
        })
    })
    .collect()
}
