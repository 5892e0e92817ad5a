//! The explicit step in stages: the specification of the method, and the path that serves every option.

use thixo_par::Scalar;

use super::grid_update::{add_impulse, velocity_from_momentum};
use crate::simulation::Simulation;
use crate::transfer::gather::{Setting, Velocities};
use crate::transfer::{Momentum, Moved, gather, scatter, split};
use crate::{collide, force};

/// Symplectic Euler step tⁿ → tⁿ⁺¹ of [Jiang2016] §10.5; numbers are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller decides whether what moved is accepted, equation (16).
pub fn step<T: Scalar, const D: usize>(sim: &mut Simulation<T, D>, dt: f64) -> Moved<T> {
    let Simulation {
        particles,
        order,
        grid,
        materials,
        setup,
        isa,
        time,
        ..
    } = sim;
    let (geometry, transfer, isa, time) = (&setup.geometry, setup.transfer, *isa, *time);
    let h = geometry.spacing();

    // Particles → grid: mass and momentum                                        (1)(2)
    let given = Momentum::new(transfer, geometry.kernel());
    scatter(
        given,
        split(particles, order, &mut grid.tiles),
        order,
        geometry,
        isa,
    );
    grid.velocity.pull(order, &grid.tiles);
    let before = transfer.needs_velocity_before().then(|| grid.keep_before());

    // Forces: stress, gravity; momentum at the end of the step                (3)(4)(5)(6)
    force::stress(
        particles,
        order,
        geometry,
        transfer,
        isa,
        &mut grid.tiles,
        &mut grid.force,
    );
    add_impulse(&mut grid.velocity, &grid.force, dt);
    force::apply_body(&setup.body_force, order, h, time, dt, &mut grid.velocity);

    // Walls on node lines, velocities, level sets                                   (7)(8)
    let mut before = before;
    collide::reflect(
        &setup.walls,
        &order.blocks,
        h,
        &mut grid.velocity,
        before.as_mut(),
    );
    let finite = velocity_from_momentum(&mut grid.velocity)
        && before.as_mut().is_none_or(velocity_from_momentum);
    collide::constrain(&setup.colliders, order, h, time + dt, &mut grid.velocity);
    if !finite {
        return Moved {
            contained: false,
            ..Moved::none()
        };
    }

    // Grid → particles: velocity, affine matrix, position                          (9)(10)
    // deformation, return mapping, stress                                         (11)–(13)
    let velocities = Velocities {
        after: &grid.velocity,
        before: before.as_ref(),
    };
    let setting = Setting {
        transfer,
        materials,
        order,
        geometry,
        isa,
        dt,
    };
    let moved = gather(
        velocities,
        split(particles, order, &mut grid.tiles),
        setting,
    );
    grid.before = before.unwrap_or_default();
    moved
}
