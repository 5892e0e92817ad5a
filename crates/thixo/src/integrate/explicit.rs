//! The explicit step in stages: the specification of the method, and the path that serves every option.

use thixo_par::Scalar;

use super::stage::Parts;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::simulation::Simulation;
use crate::transfer::{self, Moved};
use crate::{collide, force};

/// Symplectic Euler step tⁿ → tⁿ⁺¹ of \[Jiang2016\] §10.5; numbers are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller decides whether what moved is accepted, equation (16).
pub(crate) fn step<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    dt: f64,
    seconds: &mut StageSeconds,
) -> Moved<T> {
    let mut watch = Stopwatch::start(seconds);
    let Parts {
        particles,
        grid,
        setup,
        loads,
        stage,
    } = sim.parts(dt);

    // Particles → grid: mass and momentum                                        (1)(2)
    transfer::scatter_momentum(particles, grid, &stage);
    watch.particles();
    collide::weigh(&setup.colliders, grid, &stage);
    watch.obstacles();

    // Forces: stress of the particles; momentum at the end of the step       (3)(4)(6)
    force::scatter_stress(particles, grid, &stage);
    watch.particles();
    grid.add_impulse_of_force(dt);

    // Gravity and other accelerations of all matter                                 (5)
    force::accelerate(&setup.body_force, grid, &stage);

    // Tractions on surfaces                                                        (22)
    force::load(loads, grid, &stage);

    // Walls on lines of nodes, then from momentum to velocity                       (7)
    collide::reflect(&setup.walls, grid, &stage);
    if !grid.divide_by_mass() {
        return Moved::lost();
    }
    watch.grid();

    // Obstacles by level sets: non-penetration, Coulomb friction               (8)(8a)
    let approach = collide::constrain(&setup.colliders, grid, &stage);
    watch.obstacles();

    // Surfaces under load move with the matter                                     (22)
    force::follow(loads, grid, &stage);
    watch.grid();

    // Grid → particles: velocity, affine matrix, position                       (9)(10)
    // not through obstacles                                                    (8b)(8c)
    // deformation, return mapping, stress, block by block                     (11)–(13)
    let moved = transfer::gather(particles, grid, &stage);
    watch.particles();
    Moved { approach, ..moved }
}
