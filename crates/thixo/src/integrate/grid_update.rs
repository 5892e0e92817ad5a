//! The grid's part of a step, the same for staged, fused and implicit steps: from momentum to the
//! velocities at its end.

use thixo_par::Scalar;

use super::implicit::{Effort, Method, NotConverged};
use super::setup::CheckedSetup;
use super::stopwatch::Stopwatch;
use crate::collide::{ContactImpulses, Wall, WallReaction};
use crate::force::LoadedSurface;
use crate::grid::Grid;
use crate::material::Limits;
use crate::particles::Particles;
use crate::step_context::StepContext;
use crate::timestep::limits_of_frequencies;
use crate::transfer::TransferContext;
use crate::{collide, force, lagrangian};

/// The way from the momentum without contact to the velocities at the end of the step.
pub(super) enum Velocities<'a, T: Scalar, const D: usize> {
    /// The momentum has the impulse of stresses in it: meshes and contact change it.
    Explicit { particles: &'a Particles<T, D> },
    /// The momentum lacks internal forces: they are solved for, together with contact.
    Implicit {
        method: Method<'a, T, D>,
        particles: &'a Particles<T, D>,
        /// Friction impulses that walls have exerted in the step already, by node \[N s\].
        spent: &'a [f64],
    },
}

/// Results of the grid's part of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GridUpdate {
    /// True if all velocities are finite. If not, the step is lost.
    pub is_finite: bool,
    /// Largest speed at which an obstacle comes towards matter \[m/s\].
    pub closing_speed: f64,
    /// Effort of the implicit solve.
    pub effort: Effort,
    /// Limits by meshes: what stands for M/ρ \[m²/s²\] and the kinematic viscosity \[m²/s\].
    pub of_meshes: [f64; 2],
}

impl GridUpdate {
    /// The limits by meshes.
    pub fn mesh_limits<T: Scalar>(&self) -> Limits<T> {
        limits_of_meshes(self.of_meshes)
    }
}

/// Limits from what stands for M/ρ \[m²/s²\] and the kinematic viscosity \[m²/s\].
pub(super) fn limits_of_meshes<T: Scalar>([stiffness, viscosity]: [f64; 2]) -> Limits<T> {
    Limits {
        stiffness_per_density: T::from_f64(stiffness),
        kinematic_viscosity: T::from_f64(viscosity),
        sound: stiffness.is_finite(),
    }
}

/// From the momentum of the nodes, without body forces, to their velocities at the end of the step.
/// The masses of single materials near obstacles, equation (8a), must be known.
pub(super) fn update_grid<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    (loads, impulses): (&mut [LoadedSurface<D>], &mut ContactImpulses<D>),
    context: &TransferContext<'_, T, D>,
    velocities: Velocities<'_, T, D>,
    watch: &mut Stopwatch<'_>,
) -> Result<GridUpdate, NotConverged> {
    let step = &context.step;

    // Gravity and other accelerations of all matter                                 (5)
    force::accelerate(&setup.body_force, grid, step);

    // Tractions on surfaces                                                        (22)
    force::load(loads, grid, step);

    // Springs, cloth and elastic bodies, where no solve treats them                (64)
    let meshes = &setup.meshes[..];
    let nodes = grid.nodes.values_mut();
    let of_meshes = match &velocities {
        Velocities::Explicit { particles } => {
            let bounds = lagrangian::add_forces(meshes, particles, nodes, step);
            limits_of_frequencies(bounds, step.geometry, setup.transfer)
        }
        Velocities::Implicit { particles, .. } => {
            lagrangian::add_pressures(meshes, particles, nodes, step);
            [0.0; 2]
        }
    };

    // Walls on lines of nodes, where no solve treats them; from momentum to velocity (6)(7)
    let mut reaction = WallReaction::default();
    match &velocities {
        Velocities::Explicit { .. } => {
            reaction = wall_reaction(setup, &setup.walls, grid, step);
            collide::reflect(&setup.walls, grid, &mut impulses.walls, step);
        }
        Velocities::Implicit { .. } => collide::reflect_before(&setup.walls, grid, step),
    }
    if !grid.divide_by_mass() {
        return Ok(GridUpdate::default());
    }
    watch.grid();

    let (closing_speed, effort) = match velocities {
        // Damping; obstacles by level sets: non-penetration, Coulomb friction (5a)(8)(8a)
        Velocities::Explicit { .. } => {
            let walls = (&setup.walls[..], reaction);
            let closing_speed = meet_obstacles(setup, grid, walls, impulses, step);
            watch.obstacles();
            (closing_speed, Effort::default())
        }
        // M (v − v*) = Δt f(x + Δt v), with walls and obstacles                    (23)
        Velocities::Implicit {
            method,
            particles,
            spent,
        } => {
            let given = (context, meshes, spent);
            method.solve(&setup.walls, particles, grid, given, impulses, watch)?
        }
    };

    // Surfaces under load move with the matter                                     (22)
    force::advect(loads, grid, step);
    watch.grid();
    Ok(GridUpdate {
        is_finite: true,
        closing_speed,
        effort,
        of_meshes,
    })
}

/// Reactions of walls to obstacles next to them; none without obstacles. To be called before
/// the fold (7).
pub(super) fn wall_reaction<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    walls: &[Wall<D>],
    grid: &Grid<T, D>,
    step: &StepContext<'_, D>,
) -> WallReaction<D> {
    match setup.colliders.is_empty() {
        true => WallReaction::default(),
        false => WallReaction::before_fold(walls, grid, step),
    }
}

/// Damping, equation (5a), and contact with obstacles, equations (8) and (8a), in an explicit step,
/// with the reaction of walls to it; returns the largest speed at which an obstacle comes towards
/// matter \[m/s\].
pub(super) fn meet_obstacles<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    (walls, mut reaction): (&[Wall<D>], WallReaction<D>),
    impulses: &mut ContactImpulses<D>,
    step: &StepContext<'_, D>,
) -> f64 {
    if let Some(fraction) = setup.damping.local_at(step.time) {
        force::damp(fraction, grid);
    }
    reaction.before_contact(grid);
    let boundary = collide::boundary_nodes(&setup.colliders, grid, step);
    let obstacles = (&setup.walls[..], &mut impulses.colliders[..]);
    collide::apply_contact(&boundary, grid, obstacles, step);
    reaction.add_impulses(walls, grid, &mut impulses.walls, step);
    boundary.closing_speed
}
