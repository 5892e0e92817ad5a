//! Matter that lets go of solids, by an active set: contact that may open does not pull.
//!
//! Where the pressure of a cell at such a solid is negative, the closed shares of its faces become
//! a free surface and the pressure is solved for again.

use rayon::prelude::*;

use super::pressure::{Pressure, PressureProblem};
use super::solid_boundary::SolidBoundary;
use crate::collide::Solids;
use crate::grid::Lattice;

/// Largest number of solves in a step.
pub(super) const MOST_ROUNDS: usize = 4;

/// Cells with a negative pressure at solids that matter may leave.
pub(super) fn pulled_cells<const D: usize>(
    pressure: &Pressure,
    problem: &PressureProblem<'_, D>,
    (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
) -> Vec<usize> {
    let step = problem.step;
    let blocks = &step.order.blocks;
    let count = blocks.nodes_per_block();
    let h = step.geometry.spacing();
    (0..blocks.len())
        .into_par_iter()
        .filter_map(|block| boundary.near(block).map(|near| (block, near)))
        .flat_map_iter(|(block, near)| {
            (0..count).filter_map(move |k| {
                let cell = block * count + k;
                let is_pulled = pressure.at(cell).is_some_and(|p| p < 0.0);
                let is_cut = || {
                    let mut faces = problem.faces_of(cell);
                    faces.any(|of| boundary.open(of.face, of.axis) < 1.0)
                };
                if !is_pulled || problem.released[cell] || !is_cut() {
                    return None;
                }
                let place = Lattice::cell_centres(h).position(problem.coordinate(cell));
                let end = step.time + step.dt;
                let surface = solids.nearest(&near.solids, place, end)?;
                let contact = solids.contact(surface.solid, place, end);
                contact.is_unilateral().then_some(cell)
            })
        })
        .collect()
}
