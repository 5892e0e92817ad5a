//! The step with a projection: deviatoric forces first, then the pressure that keeps or restores
//! volumes.

mod deviatoric;
mod loads;

use rayon::prelude::*;
use thixo_par::Scalar;
use thixo_poisson::SolveError;

use super::diagnose::Rejection;
use super::implicit::{Effort, Stepped};
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::collide::{self, Solids};
use crate::error::{ProjectionSolve, StepError};
use crate::force::BodyForce;
use crate::grid::{FACE_BALLISTIC, FACE_BEFORE, FACE_MASS, FACE_VELOCITY, Lattice, StaggeredGrid};
use crate::projection::{
    Deviatoric, FilledCells, GhostFaces, PressureError, Projection, SolidBoundary, project,
    return_rate, specific_volumes,
};
use crate::state::State;
use crate::step_context::StepContext;
use crate::timestep::{kappa, stability_limit};
use crate::transfer::{self, StepOutcome};
use crate::workspace::Workspace;

/// Step tⁿ → tⁿ⁺¹ of \[Jiang2015thesis\] §6.4; numbers are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller accepts or rejects the outcome, equation (16).
pub(super) fn step<T: Scalar, const D: usize>(
    options: &Projection,
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    dt: f64,
    seconds: &mut StageSeconds,
) -> Result<Stepped<T>, Rejection> {
    let mut watch = Stopwatch::start(seconds);
    let State {
        particles,
        loads,
        contact_impulses,
        ..
    } = state;
    let Workspace {
        order,
        grid,
        staggered,
        solid_boundary,
        ..
    } = work;
    let context = setup.context(order, state.time, dt);
    let step = &context.step;
    let solids = Solids {
        walls: &setup.walls,
        colliders: &setup.colliders,
    };

    // Particles → faces and cells: mass, momentum, volume, deviatoric force     (30)(31)
    transfer::staggered::scatter(particles, staggered, &context);
    watch.particles();

    // Solids, filled cells and the free surface, densities                  (33)(34)(35)
    let boundary = SolidBoundary::new((solids, options.boundary), step, solid_boundary);
    watch.obstacles();
    let cells = (&setup.walls[..], &boundary);
    let filled = FilledCells::new(staggered, cells, options.surface, step);
    let specific_volume = specific_volumes(staggered, &filled, options.density, step);

    // Tractions on surfaces                                                          (22)
    if !loads.is_empty() {
        loads::load(loads, grid, staggered, step);
    }

    // v*: gravity, then deviatoric forces, explicit or implicit             (5)(6)(33a)(33b)
    for axis in 0..D {
        accelerate(staggered, &setup.body_force, axis, step);
    }
    let limits = &state.time_step.limits;
    let kappa = kappa(setup.geometry.kernel(), setup.transfer);
    let (stable, _) = stability_limit(limits, setup.geometry.spacing(), kappa);
    let is_implicit = match options.deviatoric {
        Deviatoric::Automatic => dt > stable,
        Deviatoric::Explicit => false,
        Deviatoric::Implicit => stable.is_finite(),
    };
    let mut linear = 0;
    if stable.is_finite() {
        let ghosts = GhostFaces::new(staggered, (solids, &boundary), step);
        if is_implicit {
            let solved =
                deviatoric::implicit(particles, staggered, &ghosts, context, contact_impulses);
            linear = solved.map_err(Rejection::Unsolved)?;
        } else {
            deviatoric::explicit(staggered, &ghosts, step, contact_impulses);
        }
    }
    for faces in &mut staggered.faces {
        for quad in faces.values_mut() {
            quad[FACE_BALLISTIC] = quad[FACE_VELOCITY];
        }
    }
    watch.grid();

    // Pressure, velocities beyond its reach and in solids                      (36)–(40)
    let moved = state.time_step.speed * dt / setup.geometry.spacing();
    let return_rate = return_rate(moved);
    let matter = (&filled, &specific_volume[..], return_rate);
    let projected = project(
        options,
        (solids, &boundary),
        staggered,
        matter,
        step,
        contact_impulses,
    )
    .map_err(|error| refusal(error, [state.time, dt]))?;
    watch.solve(0.0);

    // Surfaces under load move with the matter                                       (22)
    if !loads.is_empty() {
        loads::advect(loads, grid, staggered, step);
    }

    // Faces → particles: velocity, affine matrix, position, not through obstacles
    //                                                                   (32)(8b)(8c)
    // deformation, return mapping, stress with the pressure                (11)–(13)(41)
    let outcome = transfer::staggered::gather(particles, staggered, return_rate, &context);
    watch.particles();
    let times = [state.time, dt];
    let closing_speed =
        collide::closing_speed(&setup.colliders, &order.blocks, &setup.geometry, times);
    *solid_boundary = boundary;
    Ok(Stepped {
        outcome: StepOutcome {
            closing_speed,
            ..outcome
        },
        effort: Effort {
            linear,
            pressure: projected.iterations as u32,
            residual: projected.residual,
            divergence: projected.divergence,
            ..Effort::default()
        },
    })
}

/// The rejection of a pressure that was not found in a step from `time` on of `dt` \[s\].
fn refusal(error: PressureError, [time, dt]: [f64; 2]) -> Rejection {
    match error {
        PressureError::Overfilled { volume, room } => {
            Rejection::Final(StepError::Overfilled { volume, room, time })
        }
        PressureError::Inflow { rate, room } => {
            Rejection::Final(StepError::IncompatibleInflow { rate, room, time })
        }
        PressureError::Solve(SolveError::NotConverged {
            iterations,
            residual,
            tolerance,
        }) => Rejection::Unsolved(StepError::ProjectionNotConverged {
            solve: ProjectionSolve::Pressure,
            iterations,
            residual,
            tolerance,
            time,
            dt,
        }),
        // Velocities that are no numbers, or beyond all bounds: those of an unstable step.
        PressureError::Solve(SolveError::NonFinite { .. } | SolveError::Range { .. }) => {
            Rejection::Unsound
        }
        PressureError::Solve(cause) => Rejection::Final(StepError::NoPressure { cause, time }),
    }
}

/// From momentum to velocity on the faces of an axis, with gravity; vⁿ is kept beside it.
fn accelerate<T: Scalar, const D: usize>(
    grid: &mut StaggeredGrid<T, D>,
    body_force: &BodyForce<D>,
    axis: usize,
    step: &StepContext<'_, D>,
) {
    let (geometry, blocks) = (step.geometry, &step.order.blocks);
    let lattice = Lattice::<D>::faces(geometry.spacing(), axis);
    let least = T::from_f64(T::MIN_POSITIVE / T::EPSILON);
    let (count, dt) = (blocks.nodes_per_block(), step.dt);
    grid.faces[axis].blocks_mut().for_each(|(block, quads)| {
        let first = blocks.coordinate(block);
        for (k, quad) in quads.iter_mut().enumerate() {
            let mass = quad[FACE_MASS];
            if mass <= least {
                *quad = [T::zero(); 4];
                continue;
            }
            let g = match body_force {
                BodyForce::Uniform(g) => g[axis],
                BodyForce::Field(_) => {
                    let node = geometry.node_index(first, k % count);
                    body_force.acceleration(lattice.position(node), step.time)[axis]
                }
            };
            let before = quad[FACE_VELOCITY] / mass;
            quad[FACE_VELOCITY] = before + T::from_f64(dt * g);
            quad[FACE_BEFORE] = before;
        }
    });
}
