//! The equations of an implicit step: objective, constraints, and the data of linear solves.

use std::time::Instant;

use thixo_par::Scalar;

use super::active_set::ContactResidual;
use super::connected_components::Components;
use super::constraints::Constraints;
use super::friction_contact::{FrictionContact, FrictionTreatment};
use super::objective::Objective;
use super::particle_energy::ParticleEnergy;
use super::preconditioner::InverseDiagonal;
use crate::grid::{BlockOrder, Field, MASS, Node, Tiles};
use crate::lagrangian::{Mesh, MeshEnergy};
use crate::material::potential::Definiteness;
use crate::particles::Particles;
use crate::transfer::TransferContext;

/// Largest share of the contact impulses that an inexact solve may have left in the residual.
const UNCONVERGED: f64 = 0.5;

/// The equations of a step, and the memory they need.
pub(super) struct System<'a, T: Scalar, const D: usize> {
    /// E(v).
    pub objective: Objective<'a, T, D>,
    /// Constraints of obstacles and walls.
    pub constraints: Constraints<D>,
    /// Connected components with their rigid translation modes.
    pub components: Components<D>,
    /// Inverse of the diagonal of the Hessian.
    pub diagonal: InverseDiagonal<T>,
    /// Wall time of linear solves \[s\].
    pub linear_seconds: f64,
    /// Velocities before the step.
    before: &'a [Node<T>],
    order: &'a BlockOrder<D>,
    dt: f64,
    spacing: f64,
}

impl<'a, T: Scalar, const D: usize> System<'a, T, D> {
    /// A step to the velocities v* with the masses of the nodes, `predicted`, from the velocities
    /// `before`.
    pub fn new(
        particles: &'a Particles<T, D>,
        (predicted, before, tiles): (&'a Field<T, 4>, &'a [Node<T>], &'a mut Tiles<T, 4, D>),
        (context, meshes): (TransferContext<'a, T, D>, &'a [Mesh<D>]),
        constraints: Constraints<D>,
    ) -> Self {
        let order = context.step.order;
        let directions = constraints.directions();
        Self {
            components: Components::new(&order.blocks, predicted.values(), directions),
            objective: Objective::new(
                predicted,
                (
                    ParticleEnergy::new(particles, tiles, context),
                    MeshEnergy::new(meshes, particles, context.step),
                ),
                context.step.dt / context.step.geometry.spacing(),
            ),
            constraints,
            diagonal: InverseDiagonal::default(),
            linear_seconds: 0.0,
            before,
            order,
            dt: context.step.dt,
            spacing: context.step.geometry.spacing(),
        }
    }

    /// Runs a linear solve and adds its wall time.
    pub fn timed<R>(&mut self, solve: impl FnOnce(&mut Self) -> R) -> R {
        let begun = Instant::now();
        let solved = solve(self);
        self.linear_seconds += begun.elapsed().as_secs_f64();
        solved
    }
    /// Length of the step Δt \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// Spacing of the nodes h \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }
    /// Velocities before the step.
    pub fn before(&self) -> &'a [Node<T>] {
        self.before
    }
    /// Predicted velocities v* with the masses of the nodes.
    pub fn predicted(&self) -> &'a [Node<T>] {
        self.objective.predicted()
    }
    /// A field of zeros.
    pub fn zeros(&self) -> Field<T, 4> {
        let mut field = Field::default();
        field.resize(self.order);
        field
    }

    /// Adds Rayleigh damping with coefficient k \[s\] and the stiffness at the beginning of the
    /// step.
    pub fn add_damping(&mut self, coefficient: f64) {
        let rest = self.zeros();
        self.objective
            .particles
            .add_damping(coefficient, rest.values());
    }

    /// Stores the Hessian of E at velocities, for products and the preconditioner.
    pub fn linearize(&mut self, v: &Field<T, 4>, definiteness: Definiteness) {
        self.objective.linearize(v, definiteness);
        self.components
            .set_friction(self.objective.friction.hessians());
    }

    /// Updates the active set of contacts; see [`Constraints::update_active_set`].
    pub fn update_active_set(&mut self, v: &[Node<T>], impulse: &[Node<T>]) -> ContactResidual {
        let masses = self.objective.predicted();
        self.constraints.update_active_set(v, impulse, masses)
    }

    /// Updates multipliers and cone limits of friction from a solution; see
    /// [`Friction::update`](super::friction::Friction::update).
    pub fn update_friction(
        &mut self,
        treatment: FrictionTreatment,
        v: &mut [Node<T>],
        impulse: &[Node<T>],
    ) -> ContactResidual {
        let (masses, inverse) = (self.objective.predicted(), &self.diagonal.inverse);
        let inertia = |node: usize| match treatment {
            FrictionTreatment::Lagged => masses[node][MASS].to_f64(),
            FrictionTreatment::Implicit => {
                let sum: f64 = inverse[node][..D].iter().map(|x| x.to_f64()).sum();
                if sum > 0.0 { D as f64 / sum } else { 0.0 }
            }
        };
        // An inexact solve leaves a residual that contacts would balance in the end. It is added to
        // their impulses in proportion, so that these balance the momentum of the component.
        let mut residual = impulse.to_vec();
        self.constraints.fold(&mut residual);
        let components = &self.components;
        let sums = components.sums(impulse).into_iter();
        let factors: Vec<f64> = sums
            .zip(components.sums(&residual))
            .map(|(all, residual)| {
                let contact = all - residual;
                let share = residual.dot(contact) / contact.norm_squared().max(f64::MIN_POSITIVE);
                1.0 + share.clamp(-UNCONVERGED, UNCONVERGED)
            })
            .collect();
        let contacts = self.constraints.friction_contacts(impulse);
        let contacts = contacts.map(|contact| FrictionContact {
            cone_limit: contact.cone_limit * factors[components.of_node(contact.node)],
            ..contact
        });
        let friction = &mut self.objective.friction;
        friction.update(treatment, contacts, v, inertia)
    }
}
