//! The explicit step of a mixture: the stages of `explicit.rs` for every phase, and between them
//! what phases do to each other.

use thixo_par::Scalar;

use super::grid_update::{Velocities, meet_obstacles, update_grid};
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::collide::{self, ContactImpulses};
use crate::force::{self, LoadedSurface};
use crate::grid::{Field, Grid, MASS, PhaseFields};
use crate::porous::{CheckedMixture, Motion, NodeVolumes, Relaxation, exchange_momentum};
use crate::state::State;
use crate::transfer::{self, GridVelocities, Momentum, StepOutcome, StressForce, TransferContext};
use crate::workspace::Workspace;

/// Step tⁿ → tⁿ⁺¹ of phases with a velocity each; numbers are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller decides whether what moved is accepted, equation
/// (16).
pub(super) fn step<T: Scalar, const D: usize>(
    (setup, mixture): (&CheckedSetup<T, D>, &CheckedMixture<D>),
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
    let Workspace {
        order,
        grid,
        phases,
        ..
    } = work;
    phases.resize_with(mixture.walls.len(), PhaseFields::new);
    let context = setup.context(order, state.time, dt);

    // Particles → grid, phase by phase: mass and momentum                        (1)(2)
    let momentum = Momentum::new(context.transfer, context.step.geometry);
    transfer::scatter(momentum, particles, &mut grid.tiles, &context);
    for (index, phase) in phases.iter_mut().enumerate() {
        let is_own = |material: usize| mixture.phase_of[material] == index;
        phase.grid.nodes.pull_of(order, &grid.tiles, is_own);
        sum_of_substances(mixture, index, phase, (grid, &context));
        keep_before(setup, &mut phase.grid, &context);
        let materials = (setup.materials.len(), is_own);
        let masses = (&mut phase.grid.material_masses, &grid.tiles);
        collide::weigh_materials_of(&setup.colliders, materials, masses, &context.step);
    }
    watch.particles();

    // Forces: stress of the particles; momentum at the end of the step       (3)(4)(6)
    let stress = StressForce::new(context.transfer, context.step.geometry);
    let is_locked = mixture.mixture.relaxation == Relaxation::Locked;
    if is_locked {
        sum_of_all(setup, grid, phases, &context);
    }
    transfer::scatter(stress, particles, &mut grid.tiles, &context);
    for (index, phase) in phases.iter_mut().enumerate() {
        let is_own = |material: usize| mixture.phase_of[material] == index;
        phase.grid.force.pull_of(order, &grid.tiles, is_own);
        phase.unforced.clone_from(&phase.grid.nodes);
        phase.grid.add_impulse_of_force(dt);
    }
    watch.particles();

    // Gravity, walls, drag, obstacles                        (5)(6)(7)(71)(8)
    let outside = (&mut loads[..], contact_impulses);
    let closing_speed = match is_locked {
        true => move_together(setup, grid, phases, outside, &context, &mut watch),
        false => move_apart((setup, mixture), phases, outside, &context, &mut watch),
    };
    let Some(closing_speed) = closing_speed else {
        return StepOutcome::lost();
    };

    // Grid → particles, each from its phase: velocity, affine matrix, position   (9)(10)
    // not through obstacles                                                    (8b)(8c)
    // deformation, return mapping, stress                                     (11)–(13)
    let Grid {
        nodes,
        before,
        tiles,
        ..
    } = grid;
    let velocities = |material: usize| match is_locked {
        true => GridVelocities {
            after: nodes,
            before: before.as_ref(),
        },
        false => {
            let own = &phases[mixture.phase_of[material]].grid;
            GridVelocities {
                after: &own.nodes,
                before: own.before.as_ref(),
            }
        }
    };
    let outcome = transfer::gather_from(velocities, particles, tiles, &context);
    watch.particles();
    StepOutcome {
        closing_speed,
        ..outcome
    }
}

/// Densities of the substance at the nodes, where the constituents of a phase differ.
fn sum_of_substances<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    index: usize,
    fields: &mut PhaseFields<T, D>,
    (grid, context): (&Grid<T, D>, &TransferContext<'_, T, D>),
) {
    let phase = &mixture.mixture.phases[index];
    if phase.uniform_substance().is_none() {
        let specific_volume = |material| phase.specific_volume(material);
        fields.sum_substance(context.step.order, &grid.tiles, specific_volume);
    }
}

/// Stores the momentum before the step where transfer or damping need it.
fn keep_before<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
) {
    let is_damped = setup.damping.local_at(context.step.time).is_some();
    if is_damped || setup.transfer.needs_velocity_before() {
        grid.keep_before();
    } else {
        grid.before = None;
    }
}

/// The masses and momenta of all phases on one grid.
fn sum_of_all<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    phases: &[PhaseFields<T, D>],
    context: &TransferContext<'_, T, D>,
) {
    let fields = phases.iter().map(|phase| &phase.grid.nodes);
    sum(&mut grid.nodes, fields);
    keep_before(setup, grid, context);
    let materials = setup.materials.len();
    collide::weigh_materials(&setup.colliders, materials, grid, &context.step);
}

/// Sums fields node by node, in their order.
fn sum<'a, T: Scalar>(to: &mut Field<T, 4>, mut fields: impl Iterator<Item = &'a Field<T, 4>>) {
    if let Some(first) = fields.next() {
        to.clone_from(first);
    }
    for field in fields {
        for (to, from) in to.values_mut().iter_mut().zip(field.values()) {
            for c in 0..=MASS {
                to[c] += from[c];
            }
        }
    }
}

/// The velocities of phases that are locked to each other: those of one grid. None if they are not
/// finite.
fn move_together<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    phases: &[PhaseFields<T, D>],
    outside: (&mut [LoadedSurface<D>], &mut ContactImpulses<D>),
    context: &TransferContext<'_, T, D>,
    watch: &mut Stopwatch<'_>,
) -> Option<f64> {
    sum(
        &mut grid.nodes,
        phases.iter().map(|phase| &phase.grid.nodes),
    );
    let explicit = Velocities::Explicit;
    match update_grid(setup, grid, outside, context, explicit, watch) {
        Ok(update) if update.is_finite => Some(update.closing_speed),
        _ => None,
    }
}

/// The velocities of phases that move apart; none if they are not finite.
fn move_apart<T: Scalar, const D: usize>(
    (setup, mixture): (&CheckedSetup<T, D>, &CheckedMixture<D>),
    phases: &mut [PhaseFields<T, D>],
    (loads, impulses): (&mut [LoadedSurface<D>], &mut ContactImpulses<D>),
    context: &TransferContext<'_, T, D>,
    watch: &mut Stopwatch<'_>,
) -> Option<f64> {
    let step = &context.step;
    let loaded = mixture.mixture.loaded_phase;
    let is_held = |index: usize| mixture.mixture.phases[index].motion == Motion::Held;
    for (index, phase) in phases.iter_mut().enumerate() {
        // Gravity and other accelerations of all matter                              (5)
        force::accelerate(&setup.body_force, &mut phase.grid, step);
        // Tractions on surfaces                                                     (22)
        if index == loaded {
            force::load(loads, &mut phase.grid, step);
        }
        // Walls on lines of nodes, and from momentum to velocity                  (6)(7)
        let both = (&mut phase.grid, &mut phase.unforced);
        let walls = &mixture.walls[index];
        collide::reflect_with_unforced(walls, both, &mut impulses.walls, step);
        let is_finite = phase.grid.divide_by_mass() && phase.unforced.divide_by_mass();
        if !is_finite {
            return None;
        }
        if is_held(index) {
            for field in [&mut phase.grid.nodes, &mut phase.unforced] {
                stop(field);
            }
        }
    }
    // Drag between the phases                                                   (70)(71)
    let volumes = NodeVolumes::new(&setup.walls, step);
    exchange_momentum(&mixture.mixture, phases, &volumes, step);
    watch.grid();

    let mut closing_speed: f64 = 0.0;
    for (index, phase) in phases.iter_mut().enumerate() {
        if !is_held(index) {
            // Damping; obstacles by level sets: non-penetration, friction     (5a)(8)(8a)
            let closing = meet_obstacles(setup, &mut phase.grid, impulses, step);
            closing_speed = closing_speed.max(closing);
        }
        // Surfaces under load move with the matter                                  (22)
        if index == loaded {
            force::advect(loads, &phase.grid, step);
        }
    }
    watch.obstacles();
    Some(closing_speed)
}

/// Brings all nodes to rest.
fn stop<T: Scalar>(field: &mut Field<T, 4>) {
    for node in field.values_mut() {
        node[..MASS].fill(T::zero());
    }
}
