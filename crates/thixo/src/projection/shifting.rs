//! Particle shifting: particles of fluids stay evenly spread, equation (42).
//!
//! Velocities without divergence do not keep particles from clumping: errors of interpolation add
//! up along their paths, and volume is lost and gained where they do. Every step moves the
//! particles of fluids by a displacement d = −∇q with ∇·d = r (f − 1), f the filled share of the
//! kernel of a cell ([`FilledCells`](super::FilledCells)), which is 1 in the bulk of evenly spread
//! matter. The velocity of a particle is taken along, v ← v + C d, so that the velocity field stays
//! as it is. After the density correction of \[Kugelstadt2019\], with positions in place of
//! velocities.

use rayon::prelude::*;
use thixo_par::Scalar;
use thixo_poisson::{CellSystem, Options, SolveError, Solver};

use super::options::FARTHEST_SHIFT;
use super::pressure::PressureProblem;
use crate::grid::{FACE_SHIFT, StaggeredGrid};

/// Share r of the excess of volume that a step removes.
const RATE: f64 = 0.2;

/// Largest excess or lack of volume of a cell that is considered.
const MOST: f64 = 0.5;

/// Excess or lack of volume that is let be at obstacles, where the filled share is less certain.
const AT_OBSTACLES: f64 = 0.1;

/// Residual of the solve: displacements need not be exact.
const TOLERANCE: f64 = 1e-2;

/// Sets the displacements of all faces \[m\].
pub(super) fn shift<T: Scalar, const D: usize>(
    problem: &PressureProblem<'_, D>,
    grid: &mut StaggeredGrid<T, D>,
) -> Result<(), SolveError> {
    let step = problem.step;
    let (h, blocks) = (step.geometry.spacing(), &step.order.blocks);
    let filled = problem.filled;
    let nodes = grid.cells.values().len();
    let cells: Vec<usize> = (0..nodes)
        .into_par_iter()
        .filter(|&cell| filled.is_filled(cell))
        .collect();
    let rows: Vec<([f64; D], f64, f64)> = cells
        .par_iter()
        .map(|&cell| {
            let mut upper = [0.0; D];
            let mut diagonal = 0.0;
            for of in problem.faces_of(cell) {
                let theta = problem.boundary.open(of.face, of.axis);
                match of.other {
                    // The lower face is the upper one of the other cell.
                    Some(other) if filled.is_filled(other) && of.sign < 0.0 => {}
                    Some(other) if filled.is_filled(other) => upper[of.axis] = theta,
                    other if theta > 0.0 => diagonal += theta / filled.distance(cell, other),
                    _ => {}
                }
            }
            let mut excess = filled.share(cell) - 1.0;
            if problem.boundary.kernel_share(cell) < 1.0 {
                excess = excess.signum() * (excess.abs() - AT_OBSTACLES).max(0.0);
            }
            // Kernels at a free surface are filled in part, whatever the particles do.
            let least = if is_in_bulk(problem, cell) {
                -MOST
            } else {
                0.0
            };
            (upper, diagonal, RATE * excess.clamp(least, MOST))
        })
        .collect();
    let mut potential = vec![0.0; cells.len()];
    let mut b: Vec<f64> = rows.iter().map(|row| row.2).collect();
    if b.iter().any(|b| *b != 0.0) {
        let system = CellSystem {
            cells: cells.par_iter().map(|&c| problem.coordinate(c)).collect(),
            upper: rows.iter().map(|row| row.0).collect(),
            diagonal: rows.iter().map(|row| row.1).collect(),
            periods: core::array::from_fn(|a| step.geometry.cells_in_period(a)),
        };
        let options = Options {
            tolerance: TOLERANCE,
            ..Options::default()
        };
        let mut solver = Solver::new(&system, options)?;
        if let Some(components) = solver.components_if_sealed() {
            components.center(&mut b);
        }
        solver.solve(&b, &mut potential)?;
    }
    // q in units of h².
    let mut q = vec![None; nodes];
    for (&cell, value) in cells.iter().zip(potential) {
        q[cell] = Some(value);
    }
    let neighbours = problem.neighbours;
    for axis in 0..D {
        let faces = grid.faces[axis].values_mut().par_iter_mut().enumerate();
        faces.for_each(|(face, quad)| {
            let below = neighbours.below(blocks, face, axis);
            let (low, high) = (below.and_then(|cell| q[cell]), q[face]);
            let is_open = problem.boundary.open(face, axis) > 0.0;
            let slope = match (low, high) {
                (Some(low), Some(high)) if is_open => high - low,
                (None, Some(high)) if is_open => high / filled.distance(face, below),
                (Some(low), None) if is_open => {
                    -low / below.map_or(1.0, |b| filled.distance(b, Some(face)))
                }
                _ => 0.0,
            };
            quad[FACE_SHIFT] = T::from_f64(h * (-slope).clamp(-FARTHEST_SHIFT, FARTHEST_SHIFT));
        });
    }
    Ok(())
}

/// True if a cell and all cells around it, two deep along the axes, are filled or in solids.
fn is_in_bulk<const D: usize>(problem: &PressureProblem<'_, D>, cell: usize) -> bool {
    let blocks = &problem.step.order.blocks;
    let is_full = |cell: Option<usize>| {
        cell.is_some_and(|cell| {
            problem.filled.is_filled(cell) || problem.boundary.volume(cell) == 0.0
        })
    };
    (0..D).all(|axis| {
        let above = problem.neighbours.above(blocks, cell, axis);
        let below = problem.neighbours.below(blocks, cell, axis);
        let further_above = above.and_then(|c| problem.neighbours.above(blocks, c, axis));
        let further_below = below.and_then(|c| problem.neighbours.below(blocks, c, axis));
        let is_solid =
            |cell: Option<usize>| cell.is_some_and(|cell| problem.boundary.volume(cell) == 0.0);
        is_full(above)
            && is_full(below)
            && (is_solid(above) || is_full(further_above))
            && (is_solid(below) || is_full(further_below))
    })
}
