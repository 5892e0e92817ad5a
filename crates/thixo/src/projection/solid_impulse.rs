//! Impulses of walls and obstacles on the matter: the pressure at the closed shares of faces.
//!
//! The pressure of a cell is continued to the surface by its gradient, which at closed faces
//! follows from the balance of momentum, ∇p = −ρ(u − v*)/Δt: on a floor under matter at rest it
//! carries the whole weight.

use thixo_math::Vector;
use thixo_par::Scalar;

use super::pressure::{Pressure, PressureProblem};
use super::solid_boundary::{SolidBoundary, in_surface};
use crate::collide::{ContactImpulses, Solids};
use crate::grid::{FACE_BALLISTIC, Lattice, StaggeredGrid};

/// Adds the impulses of all solids in a step to `impulses`. The velocities before the projection
/// must still be on the faces.
pub(super) fn add_impulses<T: Scalar, const D: usize>(
    pressure: &Pressure,
    problem: &PressureProblem<'_, D>,
    grid: &StaggeredGrid<T, D>,
    (solids, boundary): (Solids<'_, D>, &SolidBoundary<D>),
    impulses: &mut ContactImpulses<D>,
) {
    let step = problem.step;
    let (h, dt, end) = (step.geometry.spacing(), step.dt, step.time + step.dt);
    let blocks = &step.order.blocks;
    let count = blocks.nodes_per_block();
    let area = h.powi(D as i32 - 1);
    for block in 0..blocks.len() {
        let Some(near) = boundary.near(block) else {
            continue;
        };
        for k in 0..count {
            let cell = block * count + k;
            let Some(p) = pressure.at(cell) else {
                continue;
            };
            if problem.released[cell] {
                continue;
            }
            if !problem
                .faces_of(cell)
                .any(|of| boundary.open(of.face, of.axis) < 1.0)
            {
                continue;
            }
            let slope = pressure_gradient(pressure, problem, grid, (cell, p));
            let centre = Vector(Lattice::cell_centres(h).position(problem.coordinate(cell)));
            let Some(nearest) = solids.nearest(&near.solids, centre.0, end) else {
                continue;
            };
            let foot = centre - nearest.normal * nearest.distance;
            for of in problem.faces_of(cell) {
                let closed = 1.0 - boundary.open(of.face, of.axis);
                if closed <= 0.0 {
                    continue;
                }
                // Faces in a surface are its place; of cut ones the foot of the cell's centre is.
                let (x, solid) = match boundary.is_in_surface(of.face, of.axis) {
                    true => {
                        let mut x = centre;
                        x[of.axis] += 0.5 * of.sign * h;
                        let own = in_surface(solids, &near.solids, (x.0, of.axis), (end, h));
                        (x, own.map_or(nearest.solid, |surface| surface.solid))
                    }
                    false => (foot, nearest.solid),
                };
                let at_surface = p + slope.dot(x - centre);
                let mut impulse = Vector::zero();
                impulse[of.axis] = -of.sign * closed * area * dt * at_surface;
                impulses.of_mut(solid).add(x, impulse);
            }
        }
    }
}

/// ∇p of a filled cell with the pressure p \[Pa/m\]: the mean over its two faces across each axis.
fn pressure_gradient<T: Scalar, const D: usize>(
    pressure: &Pressure,
    problem: &PressureProblem<'_, D>,
    grid: &StaggeredGrid<T, D>,
    (cell, p): (usize, f64),
) -> Vector<f64, D> {
    let (h, dt) = (problem.step.geometry.spacing(), problem.step.dt);
    let (mut sum, mut count) = (Vector::zero(), [0.0f64; D]);
    for of in problem.faces_of(cell) {
        let specific = problem.specific_volume[of.face][of.axis];
        let other = of.other.and_then(|other| pressure.at(other));
        let slope = match other {
            Some(other) => of.sign * (other - p) / h,
            None if problem.boundary.open(of.face, of.axis) == 0.0 && specific > 0.0 => {
                let v = grid.faces[of.axis].values()[of.face][FACE_BALLISTIC].to_f64();
                -(problem.boundary.speed(of.face, of.axis) - v) / (specific * dt)
            }
            None => continue,
        };
        sum[of.axis] += slope;
        count[of.axis] += 1.0;
    }
    for a in 0..D {
        sum[a] /= count[a].max(1.0);
    }
    sum
}
