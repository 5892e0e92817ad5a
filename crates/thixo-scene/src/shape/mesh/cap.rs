//! The surface of meshes that are not simple: without what is buried, and with holes closed.

use rayon::prelude::*;

use super::bake::Sources;
use super::field::{BLOCK, NodeLattice, block_nodes};
use super::tree::Tree;
use super::triangulate::{Point, cross};
use super::winding::Winding;

/// The triangles of a tree that are not buried: that have the outside on one side. `step` is how
/// far from them is looked \[m\].
pub(crate) fn exposed(tree: &Tree, winding: &Winding<'_>, step: f64) -> Vec<[Point; 3]> {
    let is_exposed = |triangle: &&[Point; 3]| {
        let [a, b, c] = **triangle;
        let normal = cross(b - a, c - a);
        let length = normal.norm();
        if length == 0.0 {
            return false;
        }
        let middle = (a + b + c) * (1.0 / 3.0);
        let away = normal * (step / length);
        !(winding.is_inside(middle + away) && winding.is_inside(middle - away))
    };
    tree.triangles
        .par_iter()
        .filter(is_exposed)
        .copied()
        .collect()
}

/// Triangles that close the holes of a mesh: where inside and outside meet away from its triangles,
/// the faces between fine nodes on different sides. `corners` are the signed distances at the
/// corners of cells, `places` where the mesh is not sound.
pub(crate) fn caps(
    lattice: &NodeLattice,
    corners: &[f32],
    places: &[Point],
    sources: &Sources<'_>,
) -> Vec<[Point; 3]> {
    let cell_count = lattice.cells.iter().product::<usize>();
    let mut is_suspect: Vec<bool> = (0..cell_count)
        .into_par_iter()
        .map(|index| has_gap(lattice, corners, lattice.cell(index)))
        .collect();
    for &place in places {
        is_suspect[lattice.cell_index(lattice.cell_of(place))] = true;
    }
    // The gap may go on in the cells around.
    let is_candidate = |cell: [usize; 3]| {
        (0..27usize).any(|n| {
            let shift = [n / 9, n / 3 % 3, n % 3];
            let other = [0, 1, 2].map(|a| (cell[a] + shift[a]).wrapping_sub(1));
            (0..3).all(|a| other[a] < lattice.cells[a]) && is_suspect[lattice.cell_index(other)]
        })
    };
    let cells = (0..cell_count)
        .into_par_iter()
        .map(|index| lattice.cell(index));
    cells
        .filter(|&cell| is_candidate(cell))
        .flat_map_iter(|cell| cell_caps(lattice, cell, sources))
        .collect()
}

/// True if two neighbouring corners of a cell are on different sides and too far from the surface
/// for it to be between them, even if their distances are a little too large.
fn has_gap(lattice: &NodeLattice, corners: &[f32], cell: [usize; 3]) -> bool {
    let width = BLOCK as f64 * lattice.spacing;
    let at = |corner: usize| {
        let node = [0, 1, 2].map(|a| cell[a] + (corner >> a & 1));
        f64::from(corners[lattice.corner_index(node)])
    };
    (0..8usize).any(|corner| {
        [1, 2, 4].into_iter().any(|step| {
            let (here, there) = (at(corner), at(corner ^ step));
            (here < 0.0) != (there < 0.0) && here.abs() + there.abs() > 1.03 * width
        })
    })
}

/// The caps of one cell, of the edges that begin within it.
fn cell_caps(lattice: &NodeLattice, cell: [usize; 3], sources: &Sources<'_>) -> Vec<[Point; 3]> {
    let h = lattice.spacing;
    let first = cell.map(|n| n * BLOCK);
    let at = |node: [usize; 3]| lattice.fine([0, 1, 2].map(|a| first[a] + node[a]));
    let inside: Vec<bool> = block_nodes()
        .map(|node| sources.winding.is_inside(at(node)))
        .collect();
    let is_inside = |[i, j, k]: [usize; 3]| inside[(i * (BLOCK + 1) + j) * (BLOCK + 1) + k];
    let mut found = Vec::new();
    for node in block_nodes().filter(|node| node.iter().all(|&n| n < BLOCK)) {
        for axis in 0..3 {
            let mut next = node;
            next[axis] += 1;
            if is_inside(node) == is_inside(next) {
                continue;
            }
            let middle = (at(node) + at(next)) * 0.5;
            if sources.surface.is_within(middle, h) {
                continue;
            }
            let (mut u, mut v) = (Point::zero(), Point::zero());
            u[(axis + 1) % 3] = 0.5 * h;
            v[(axis + 2) % 3] = 0.5 * h;
            let [a, b, c, d] = [
                middle - u - v,
                middle + u - v,
                middle + u + v,
                middle - u + v,
            ];
            found.extend([[a, b, c], [a, c, d]]);
        }
    }
    found
}
