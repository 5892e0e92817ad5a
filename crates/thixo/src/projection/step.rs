//! From the velocities without pressure to those at the end of the step.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::extrapolation::extrapolate;
use super::free_surface::FilledCells;
use super::friction::apply_friction;
use super::ghost_faces::{MirrorImages, Mirrored};
use super::options::{Projection, Spreading};
use super::pressure::{PressureError, PressureProblem};
use super::release::{MOST_ROUNDS, pulled_cells};
use super::shifting::shift;
use super::solid_boundary::SolidBoundary;
use super::solid_impulse::add_impulses;
use crate::collide::{ContactImpulses, Solids};
use crate::grid::{
    CELL_DIVERGENCE, CELL_FILLED, CELL_OPEN, CELL_PRESSURE, FACE_BALLISTIC, FACE_BEFORE, FACE_MASS,
    FACE_SHIFT, FACE_VELOCITY, NeighbourNodes, Node, StaggeredGrid,
};
use crate::step_context::StepContext;

/// Result of a projection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Projected {
    /// Iterations of the pressure solve.
    pub iterations: u64,
    /// Its residual relative to the right-hand side \[–\].
    pub residual: f64,
    /// Largest |Δt ∇·v − s| that is left in a cell, the change of volume that the pressure should
    /// have prevented \[–\].
    pub divergence: f64,
}

/// Makes the velocities v* of the faces those at the end of the step: pressure, extrapolation,
/// velocities in solids. `specific_volume` is 1/ρ of the faces.
pub(crate) fn project<T: Scalar, const D: usize>(
    options: &Projection,
    (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
    grid: &mut StaggeredGrid<T, D>,
    (filled, specific_volume, return_rate): (&FilledCells, &[[f64; D]], f64),
    step: &StepContext<'_, D>,
    impulses: &mut ContactImpulses<D>,
) -> Result<Projected, PressureError> {
    let blocks = &step.order.blocks;
    let neighbours = NeighbourNodes::new(blocks);
    // Open faces at solids that no particle reaches flow with their neighbours         (39)
    for axis in 0..D {
        let faces = grid.faces[axis].values().par_iter();
        let mut is_valid: Vec<bool> = faces.map(|quad| quad[FACE_MASS] > T::zero()).collect();
        let is_cut = |face: usize, _: &Node<T>| {
            boundary.near(face / blocks.nodes_per_block()).is_some()
                && boundary.open(face, axis) > 0.0
        };
        let field = &mut grid.faces[axis];
        extrapolate(field, &mut is_valid, is_cut, &neighbours, step);
        for quad in field.values_mut() {
            quad[FACE_BALLISTIC] = quad[FACE_VELOCITY];
        }
    }
    let mut problem = PressureProblem {
        step,
        neighbours: &neighbours,
        boundary,
        filled,
        specific_volume,
        return_rate,
        released: vec![false; grid.cells.values().len()],
    };
    let mut iterations = 0;
    // Pressure, and once more where contact opens                              (36)(37)
    let mut pressure = problem.solve(grid, options)?;
    iterations += u64::from(pressure.solved.iterations);
    for _ in 1..MOST_ROUNDS {
        let pulled = pulled_cells(&pressure, &problem, (solids, boundary));
        if pulled.is_empty() {
            break;
        }
        for cell in pulled {
            problem.released[cell] = true;
        }
        pressure = problem.solve(grid, options)?;
        iterations += u64::from(pressure.solved.iterations);
    }
    add_impulses(&pressure, &problem, grid, (solids, boundary), impulses);

    let in_solids: Vec<Option<f64>> = (0..grid.cells.values().len())
        .into_par_iter()
        .map(|cell| match boundary.volume(cell) == 0.0 {
            true => problem.in_solid(&pressure, cell, (grid, FACE_BALLISTIC)),
            false => None,
        })
        .collect();

    // Velocities of the faces                                                      (38)
    let mut valid: [Vec<bool>; D] = core::array::from_fn(|_| Vec::new());
    for axis in 0..D {
        let faces = grid.faces[axis].values_mut();
        let mut is_valid = vec![false; faces.len()];
        faces
            .par_iter_mut()
            .zip(&mut is_valid)
            .enumerate()
            .for_each(|(face, (quad, is_valid))| {
                let v = quad[FACE_VELOCITY].to_f64();
                if let Some(v) = problem.velocity(&pressure, face, axis, v) {
                    quad[FACE_VELOCITY] = T::from_f64(v);
                    *is_valid = true;
                } else if boundary.is_in_surface(face, axis) {
                    quad[FACE_VELOCITY] = T::from_f64(boundary.speed(face, axis));
                    // Matter that has not come to the surface yet knows nothing of it.
                    let below = neighbours.below(blocks, face, axis);
                    let touches = |cell: usize| filled.is_filled(cell);
                    *is_valid = touches(face) || below.is_some_and(touches);
                }
            });
        valid[axis] = is_valid;
    }
    let (divergences, divergence) = problem.divergences(grid);
    if solids.have_friction() {
        let at = (solids, boundary);
        apply_friction(&pressure, &problem, grid, at, impulses);
    }
    // Faces that no pressure reaches                                               (39)
    for (axis, is_valid) in valid.iter_mut().enumerate() {
        let has_mass = |_, quad: &Node<T>| quad[FACE_MASS] > T::zero();
        let field = &mut grid.faces[axis];
        for (quad, is_valid) in field.values_mut().iter_mut().zip(&*is_valid) {
            quad[FACE_VELOCITY] = match is_valid {
                true => quad[FACE_VELOCITY] - quad[FACE_BALLISTIC],
                false => T::zero(),
            };
        }
        extrapolate(field, is_valid, has_mass, &neighbours, step);
        for quad in field.values_mut() {
            quad[FACE_VELOCITY] += quad[FACE_BALLISTIC];
        }
    }
    // Velocities in solids                                                         (40)
    let images = MirrorImages::new(grid, (solids, boundary), step);
    for slot in [FACE_VELOCITY, FACE_BALLISTIC, FACE_BEFORE] {
        images.apply(grid, slot, Mirrored::Velocity);
    }

    // Pressure and filling of the cells, for the particles                         (41)
    grid.cells
        .values_mut()
        .par_iter_mut()
        .zip(in_solids)
        .enumerate()
        .for_each(|(cell, (quad, in_solid))| {
            let p = pressure.at(cell);
            let is_solid = boundary.volume(cell) == 0.0;
            let is_known = !is_solid || in_solid.is_some();
            let share = |is_so: bool| T::from_f64(f64::from(u8::from(is_so)));
            quad[CELL_PRESSURE] = T::from_f64(p.or(in_solid).unwrap_or(0.0));
            quad[CELL_OPEN] = share(is_known);
            quad[CELL_FILLED] = share(p.is_some() || is_solid);
            quad[CELL_DIVERGENCE] = T::from_f64(match is_solid {
                true => problem.beside(cell, |beside| divergences[beside]),
                false => divergences[cell],
            });
        });
    // Displacements that keep particles evenly spread                              (42)
    match options.spreading {
        Spreading::Shifting => {
            shift(&problem, grid)?;
            images.apply(grid, FACE_SHIFT, Mirrored::Displacement);
        }
        Spreading::Nothing => {
            for quad in grid.faces.iter_mut().flat_map(|faces| faces.values_mut()) {
                quad[FACE_SHIFT] = T::zero();
            }
        }
    }
    Ok(Projected {
        iterations,
        residual: pressure.solved.residual,
        divergence,
    })
}
