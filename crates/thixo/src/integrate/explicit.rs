//! The explicit step, stage by stage: the specification.

use thixo_par::Scalar;

use super::grid_update::{Velocities, update_grid};
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::state::State;
use crate::transfer::{self, StepOutcome};
use crate::workspace::Workspace;
use crate::{collide, force};

/// Symplectic Euler step tⁿ → tⁿ⁺¹ of \[Jiang2016\] §10.5; numbers are those of
/// `docs/algorithm.md`.
///
/// Expects the particles in order. The caller decides whether what moved is accepted, equation
/// (16).
pub(super) fn step<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    dt: f64,
    seconds: &mut StageSeconds,
) -> StepOutcome<T> {
    let mut watch = Stopwatch::start(seconds);
    let State {
        particles,
        loads,
        contact_impulses,
        ..
    } = state;
    let Workspace { order, grid, .. } = work;
    let context = setup.context(order, state.time, dt);

    // Particles → grid: mass and momentum                                        (1)(2)
    transfer::scatter_momentum(particles, grid, &context);
    watch.particles();
    if setup.damping.local_at(state.time).is_some() {
        grid.keep_before();
    } else if !setup.transfer.needs_velocity_before() {
        grid.before = None;
    }
    collide::weigh_materials(&setup.colliders, setup.materials.len(), grid, &context.step);
    watch.obstacles();

    // Forces: stress of the particles; momentum at the end of the step       (3)(4)(6)
    force::scatter_stress(particles, grid, &context);
    watch.particles();
    grid.add_impulse_of_force(dt);

    // Gravity, tractions, meshes, walls, velocities, obstacles    (5)(6)(7)(8)(22)(64)
    let explicit = Velocities::Explicit { particles };
    let outside = (&mut loads[..], contact_impulses);
    let update = match update_grid(setup, grid, outside, &context, explicit, &mut watch) {
        Ok(update) if update.is_finite => update,
        _ => return StepOutcome::lost(),
    };

    // Grid → particles: velocity, affine matrix, position                       (9)(10)
    // not through obstacles                                                    (8b)(8c)
    // deformation, return mapping, stress, block by block                     (11)–(13)
    let outcome = transfer::gather(particles, grid, &context);
    watch.particles();
    StepOutcome {
        closing_speed: update.closing_speed,
        limits: outcome.limits.merge(update.mesh_limits()),
        ..outcome
    }
}
