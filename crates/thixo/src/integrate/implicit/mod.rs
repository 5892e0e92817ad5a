//! Implicit steps: velocities at the end of a step that agree with the forces there, so that
//! stiffness does not limit the length of the step.
//!
//! Backward Euler on the grid, M (v − v*) = Δt f(x + Δt v), is the minimum of an objective E(v),
//! solved in one of four ways, see [`Integrator`]. Positions, weights and return mappings are
//! treated as in the explicit step. \[Jiang2016\] §11, \[Gast2015\], \[Ram2015\] §4.
//!
//! | concept | file |
//! |---|---|
//! | objective E, gradient, Hessian product | `objective.rs` |
//! | terms of E | `energy_term.rs`, `particle_energy.rs`, `elastic_energy.rs`, `mesh_energy.rs`, `friction.rs` |
//! | Newton-CG with line search | `optimization.rs`, `line_search.rs`, `convergence.rs` |
//! | linearised steps | `semi_implicit.rs`, `newton.rs` |
//! | preconditioner, linear operator | `preconditioner.rs`, `linear_operator.rs` |
//! | conjugate gradients, MINRES | `krylov` |
//! | contact constraints | `constraints.rs`, `image_constraint.rs`, `obstacle_constraint.rs`, `wall_constraint.rs` |
//! | active set | `active_set.rs` |
//! | friction and its multipliers | `friction.rs`, `friction_contact.rs` |
//! | connected components | `connected_components.rs` |
//! | deflation of rigid modes | `rigid_translation.rs`, `rigid_modes.rs` |
//! | X-PBD | `xpbd/` |
//! | backward advection | `transfer/backward_advection.rs` |

mod active_set;
mod block_sums;
mod connected_components;
mod constrained_directions;
mod constraints;
mod convergence;
mod elastic_energy;
mod energy_term;
mod friction;
mod friction_contact;
mod hessian_product;
mod image_constraint;
mod integrator;
mod line_search;
mod linear_operator;
mod mesh_energy;
mod newton;
mod norms;
mod objective;
mod obstacle_constraint;
mod optimization;
mod particle_energy;
mod preconditioner;
mod rigid_modes;
mod rigid_translation;
mod semi_implicit;
mod solution;
mod system;
mod wall_constraint;
mod xpbd;

pub(in crate::integrate) use elastic_energy::{ElasticEnergy, segment_rows};
pub(in crate::integrate) use energy_term::ParticleTerm;
pub(in crate::integrate) use hessian_product::HessianProduct;
pub use integrator::Integrator;
pub(crate) use integrator::bytes_per_particle;
pub use newton::Newton;
pub use optimization::Optimization;
pub use preconditioner::Preconditioner;
pub use semi_implicit::{LinearSolver, SemiImplicit};
pub use solution::Effort;
pub(in crate::integrate) use solution::NotConverged;
pub(in crate::integrate) use xpbd::Patience;
pub use xpbd::{Form, Transfers, Xpbd};

use thixo_par::Scalar;

use self::constraints::Constraints;
use self::convergence::Convergence;
use self::friction_contact::FrictionTreatment;
use self::preconditioner::minimal_mass;
use self::solution::Solution;
use self::system::System;
use super::explicit;
use super::grid_update::{Velocities, update_grid};
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::collide::{self, ContactImpulses, Wall};
use crate::grid::{Field, Grid, MASS, Node};
use crate::lagrangian::Mesh;
use crate::particles::Particles;
use crate::state::State;
use crate::transfer::{self, StepOutcome, TransferContext};
use crate::workspace::Workspace;

/// Default error of the velocities, relative to their change in a step. Snowballs end within 0.6 %
/// of their size of the result for a fiftieth of it, in 60 % of the iterations. Forces balance to a
/// fiftieth of it.
const TOLERANCE: f64 = 0.05;

/// Result of an implicit step.
pub(in crate::integrate) struct Stepped<T> {
    /// Motion of the particles.
    pub outcome: StepOutcome<T>,
    /// Effort of the solve.
    pub effort: Effort,
}

impl<T: Scalar> Stepped<T> {
    /// A step whose velocities are not finite.
    fn lost() -> Self {
        Self {
            outcome: StepOutcome::lost(),
            effort: Effort::default(),
        }
    }
}

/// Backward Euler step tⁿ → tⁿ⁺¹, or an explicit one with an explicit integrator; equation numbers
/// are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller accepts or rejects the outcome, equation (16).
pub(super) fn step<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    (dt, patience): (f64, Patience),
    seconds: &mut StageSeconds,
) -> Result<Stepped<T>, NotConverged> {
    let Some(method) = setup.integrator.method(patience) else {
        return Ok(Stepped {
            outcome: explicit::step(setup, state, work, dt, seconds),
            effort: Effort::default(),
        });
    };
    let mut watch = Stopwatch::start(seconds);

    // As many transfers as explicit steps would make                               (25)
    let transfers = setup.integrator.transfers();
    let Some(spent) = transfers.repeat_transfers(setup, state, work, dt) else {
        return Ok(Stepped::lost());
    };
    watch.particles();
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
    grid.keep_before();
    watch.particles();
    collide::weigh_materials(&setup.colliders, setup.materials.len(), grid, &context.step);

    // Gravity, tractions, internal forces of the end of the step, contact
    //                                                             (5)(7)(8)(8a)(22)(23)
    let implicit = Velocities::Implicit {
        method,
        particles,
        spent: &spent,
    };
    let outside = (&mut loads[..], contact_impulses);
    let update = update_grid(setup, grid, outside, &context, implicit, &mut watch)?;
    if !update.is_finite {
        return Ok(Stepped::lost());
    }

    // Grid → particles: velocity, affine matrix, position                       (9)(10)
    // not through obstacles                                                    (8b)(8c)
    // deformation, return mapping, stress, block by block                     (11)–(13)
    let outcome = transfer::gather(particles, grid, &context);
    watch.particles();
    Ok(Stepped {
        outcome: StepOutcome {
            closing_speed: update.closing_speed,
            limits: outcome.limits.merge(update.mesh_limits()),
            ..outcome
        },
        effort: update.effort,
    })
}

/// The solution method of a step.
pub(super) struct Method<'a, T: Scalar, const D: usize>(Algorithm<'a, T, D>);

enum Algorithm<'a, T: Scalar, const D: usize> {
    /// Solves of the equations within an active set iteration over the contacts.
    Solve(&'a dyn Solver<T, D>),
    /// Gauss-Seidel sweeps over the particles, with an update of the active set after each.
    Sweep(&'a Xpbd, Patience),
}

impl<T: Scalar, const D: usize> Method<'_, T, D> {
    /// Replaces v*, the velocities of `grid`, by the solution of M (v − v*) = Δt f(x + Δt v),
    /// equation (23). `spent` is the friction impulse that walls have exerted before, by node \[N
    /// s\]. Adds the impulses of walls and obstacles to `impulses`. Returns the largest speed at
    /// which an obstacle approaches matter \[m/s\], and the effort.
    pub fn solve(
        &self,
        walls: &[Wall<D>],
        particles: &Particles<T, D>,
        grid: &mut Grid<T, D>,
        (context, meshes, spent): (&TransferContext<'_, T, D>, &[Mesh<D>], &[f64]),
        impulses: &mut ContactImpulses<D>,
        watch: &mut Stopwatch<'_>,
    ) -> Result<(f64, Effort), NotConverged> {
        // Constraints of obstacles and walls                               (7)(8)(8a)
        let mut constraints = Constraints::new(walls, grid, context);
        constraints.subtract_friction(spent);
        let closing_speed = constraints.closing_speed;
        watch.obstacles();

        let Grid {
            nodes,
            before,
            tiles,
            ..
        } = grid;
        let before = before.as_ref().map_or(&[][..], Field::values);
        let context_and_meshes = (*context, meshes);
        let fields = (&*nodes, before, tiles);
        let mut system = System::new(particles, fields, context_and_meshes, constraints);
        let Solution { v, effort, .. } = self.velocities(&mut system)?;
        let exerted = system.objective.contact_impulse(&v);
        let constraints = &system.constraints;
        constraints.add_impulses(exerted.values(), impulses, &context.step);
        let linear = system.linear_seconds;
        drop(system);
        set_velocities::<T, D>(nodes, &v);
        watch.solve(linear);
        Ok((closing_speed, effort))
    }
    fn velocities(&self, system: &mut System<'_, T, D>) -> Result<Solution<T, D>, NotConverged> {
        match self.0 {
            Algorithm::Solve(solver) => active_set::solve(solver, system),
            Algorithm::Sweep(options, patience) => xpbd::solve(system, options, patience),
        }
    }
}

/// A solver of the equations with a given active set and friction.
trait Solver<T: Scalar, const D: usize> {
    /// Error of the velocities relative to their change in the step.
    fn tolerance(&self) -> f64;
    /// Treatment of friction during a solve.
    fn friction_treatment(&self) -> FrictionTreatment {
        FrictionTreatment::Implicit
    }
    /// Velocities that satisfy the equations and all active constraints, from the first guess
    /// `start` if there is one.
    fn solve(
        &self,
        system: &mut System<'_, T, D>,
        convergence: &mut Convergence,
        start: Option<Field<T, 4>>,
    ) -> Result<Solution<T, D>, NotConverged>;
}

/// Sets the velocities of nodes, and leaves their masses.
fn set_velocities<T: Scalar, const D: usize>(nodes: &mut Field<T, 4>, v: &Field<T, 4>) {
    for (node, v) in nodes.values_mut().iter_mut().zip(v.values()) {
        node[..D].copy_from_slice(&v[..D]);
    }
}

/// Divides momenta by masses; nodes with next to no mass get zero velocity.
fn divide_by_mass<T: Scalar, const D: usize>(momenta: &mut [Node<T>], masses: &[Node<T>]) {
    let least = minimal_mass::<T>();
    for (node, masses) in momenta.iter_mut().zip(masses) {
        let mass = masses[MASS];
        let inverse = if mass > least {
            T::one() / mass
        } else {
            T::zero()
        };
        for x in &mut node[..D] {
            *x *= inverse;
        }
    }
}
