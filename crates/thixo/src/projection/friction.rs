//! Coulomb friction of separating contact: matter next to a solid loses tangential velocity.
//!
//! The pressure p presses a layer of the thickness h on the solid; in a step friction takes at most
//! μ p Δt/(ρh) from its tangential velocity, and no more than there is.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::ghost_faces::interpolate;
use super::pressure::{Pressure, PressureProblem};
use super::solid_boundary::SolidBoundary;
use crate::collide::{ContactImpulses, Solid, Solids};
use crate::grid::{FACE_MASS, FACE_VELOCITY, Lattice, StaggeredGrid};

/// Applies friction to all faces within a cell of solids that have it, and adds its impulses.
pub(super) fn apply_friction<T: Scalar, const D: usize>(
    pressure: &Pressure,
    problem: &PressureProblem<'_, D>,
    grid: &mut StaggeredGrid<T, D>,
    (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
    impulses: &mut ContactImpulses<D>,
) {
    let step = problem.step;
    let blocks = 0..step.order.blocks.len() * D;
    let changes: Vec<Change<D>> = blocks
        .into_par_iter()
        .flat_map_iter(|k| of_block(pressure, problem, grid, (solids, boundary), (k / D, k % D)))
        .collect();
    for change in changes {
        let quad = &mut grid.faces[change.axis].values_mut()[change.face];
        quad[FACE_VELOCITY] -= T::from_f64(change.loss);
        let mut impulse = Vector::zero();
        impulse[change.axis] = -change.loss * quad[FACE_MASS].to_f64();
        let of_solid = impulses.of_mut(change.solid);
        of_solid.add(Vector(change.place), impulse);
    }
}

/// Loss of velocity of a face.
struct Change<const D: usize> {
    axis: usize,
    face: usize,
    place: [f64; D],
    solid: Solid,
    /// \[m/s\].
    loss: f64,
}

fn of_block<T: Scalar, const D: usize>(
    pressure: &Pressure,
    problem: &PressureProblem<'_, D>,
    grid: &StaggeredGrid<T, D>,
    (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
    (block, axis): (usize, usize),
) -> Vec<Change<D>> {
    let Some(near) = boundary.near(block) else {
        return Vec::new();
    };
    let step = problem.step;
    let (h, end) = (step.geometry.spacing(), step.time + step.dt);
    let blocks = &step.order.blocks;
    let count = blocks.nodes_per_block();
    let lattice = Lattice::faces(h, axis);
    let mut out = Vec::new();
    for face in block * count..(block + 1) * count {
        let below = problem.neighbours.below(blocks, face, axis);
        let sides = [pressure.at(face), below.and_then(|cell| pressure.at(cell))];
        let Some(p) = sides.into_iter().flatten().reduce(f64::max) else {
            continue;
        };
        if p <= 0.0 || boundary.open(face, axis) == 0.0 {
            continue;
        }
        let place = lattice.position(problem.coordinate(face));
        let Some(surface) = solids.nearest(&near.solids, place, end) else {
            continue;
        };
        let friction = solids.contact(surface.solid, place, end).friction();
        let Some(friction) = friction.filter(|mu| *mu > 0.0) else {
            continue;
        };
        if surface.distance >= h || surface.normal[axis].abs() > 0.999 {
            continue;
        }
        let Some(v) = interpolate((grid, FACE_VELOCITY), place, step) else {
            continue;
        };
        let relative = v - solids.velocity(surface.solid, place, [step.time, step.dt]);
        let tangential = relative - surface.normal * relative.dot(surface.normal);
        let speed = tangential.norm();
        let most = friction * p * step.dt * problem.specific_volume[face][axis] / h;
        if speed > 0.0 {
            out.push(Change {
                axis,
                face,
                place,
                solid: surface.solid,
                loss: tangential[axis] * (most / speed).min(1.0),
            });
        }
    }
    out
}
