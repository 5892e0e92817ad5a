//! The velocities of the nodes during the sweeps, and the contact constraints on them.
//!
//! \[Qu2023\] §5 applies boundary conditions after every iteration; here they are exact. With the
//! masses M̃ averaged over images behind walls, and w the velocity that contacts prescribe, the
//! constrained velocity is w + Π M̃⁻¹(M (v* − w) + ΣS∇w), Π being the projection onto the
//! admissible directions: the minimum of E for given impulses S. Contacts exert M (v − v*) − ΣS∇w;
//! separating ones become inactive where that is tensile, and it limits their friction.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::super::constraints::to_vector;
use super::super::norms::Magnitudes;
use super::super::preconditioner::minimal_mass;
use super::super::solution::{Effort, NotConverged, Solution};
use super::super::system::System;
use super::colour::cluster_reach;
use super::lane_batch::ColourPass;
use super::surface_contact::SurfaceContact;
use crate::collide::BoundaryNodes;
use crate::error::Unsolved;
use crate::grid::{ABSENT, Field, MASS, Node, Overlap, offsets};
use crate::krylov::vector::{add, dot};
use crate::transfer::TransferContext;

/// Blocks that one thread works on, at least: most of them are not touched by a colour.
const BLOCKS: usize = 8;

/// Velocities before and after contact constraints.
pub(super) struct Velocities<'a, T: Scalar, const D: usize> {
    /// Nodes at the surface of obstacles that follow image points.
    boundary: &'a BoundaryNodes<D>,
    /// Their contact by the present active set; none without such nodes.
    surface: Option<SurfaceContact<'a, D>>,
    /// Predicted velocity M̃⁻¹M (v* − w), with the masses M̃.
    predicted: Field<T, 4>,
    /// Change of velocity by the impulses of the particles, M̃⁻¹ΣS∇w.
    internal: Field<T, 4>,
    /// Constrained velocity: the sum of both after contacts and friction, with the inverse of M̃ in
    /// the column of the mass.
    pub constrained: Field<T, 4>,
    /// Impulses of the contacts without friction, M (v − v*) − ΣS∇w \[N s\].
    contact_impulse: Field<T, 4>,
}

impl<'a, T: Scalar, const D: usize> Velocities<'a, T, D> {
    /// Velocities without impulses of particles.
    pub fn new(system: &System<'_, T, D>, boundary: &'a BoundaryNodes<D>) -> Self {
        let mut velocities = Self {
            boundary,
            surface: None,
            predicted: system.zeros(),
            internal: system.zeros(),
            constrained: system.zeros(),
            contact_impulse: system.zeros(),
        };
        velocities.update_masses(system);
        velocities.constrain(system);
        velocities
    }

    /// Recomputes M̃ and the predicted velocity after a change of the active set.
    fn update_masses(&mut self, system: &System<'_, T, D>) {
        let nodes = system.predicted();
        // w, and the masses in their column.
        let mut prescribed = system.zeros();
        system.constraints.apply(prescribed.values_mut());
        for (node, predicted) in prescribed.values_mut().iter_mut().zip(nodes) {
            node[MASS] = predicted[MASS];
        }
        let constraints = &system.constraints;
        constraints.average_over_images(prescribed.values_mut(), MASS..MASS + 1);
        if !self.boundary.following.is_empty() {
            let masses = prescribed.values_mut();
            self.surface = Some(SurfaceContact::new(self.boundary, constraints, masses));
        }
        let least = minimal_mass::<T>();
        let own = self.predicted.values_mut().iter_mut();
        let own = own
            .zip(self.internal.values_mut())
            .zip(self.constrained.values_mut());
        let all = own.zip(nodes).zip(prescribed.values());
        for ((((predicted, internal), constrained), node), prescribed) in all {
            let (before, mass) = (predicted[MASS], prescribed[MASS]);
            let inverse = match mass > least {
                true => T::one() / mass,
                false => T::zero(),
            };
            for a in 0..D {
                predicted[a] = node[MASS] * inverse * (node[a] - prescribed[a]);
                internal[a] *= before * inverse;
            }
            predicted[MASS] = mass;
            constrained[MASS] = inverse;
        }
    }

    /// The first guess: the minimum of E between v* and the velocity of an explicit step, as if E
    /// were quadratic on the line. Returns the share of the explicit impulses.
    ///
    /// Matter in equilibrium is near the explicit velocity, where its stress need not be built up
    /// anew; matter that rebounds is near v*.
    pub fn first_guess(&mut self, system: &mut System<'_, T, D>) -> f64 {
        let mut gradient = system.zeros();
        let first = self.without_masses();
        // At rest the gradient is ΣΔtV⁰G∇w − M v*, and the first impulses are S = −ΔtV⁰G.
        system.objective.evaluate(&system.zeros(), &mut gradient);
        let nodes = self.internal.values_mut().iter_mut().zip(gradient.values());
        let nodes = nodes.zip(self.constrained.values());
        for (((internal, gradient), constrained), predicted) in nodes.zip(system.predicted()) {
            for a in 0..D {
                let impulse = gradient[a] + predicted[MASS] * predicted[a];
                internal[a] = -constrained[MASS] * impulse;
            }
        }
        self.constrain(system);
        let last = self.without_masses();
        let mut direction = last.numbers().to_vec();
        add(&mut direction, -1.0, first.numbers());
        let slopes = [first, last].map(|v| {
            let objective = system.objective.evaluate(&v, &mut gradient);
            match objective.value.is_finite() {
                true => dot(gradient.numbers(), &direction),
                false => f64::INFINITY,
            }
        });
        let share = slopes[0] / (slopes[0] - slopes[1]);
        let share = match share.is_finite() && slopes[0] < 0.0 {
            true => share.clamp(0.0, 1.0),
            false => 0.0,
        };
        let factor = T::from_f64(share);
        for x in self.internal.values_mut().as_flattened_mut() {
            *x *= factor;
        }
        self.constrain(system);
        share
    }

    /// The velocities alone.
    fn without_masses(&self) -> Field<T, 4> {
        let mut v = self.constrained.clone();
        for node in v.values_mut() {
            node[D..].fill(T::zero());
        }
        v
    }

    /// The residual of the impulses over the momenta and forces at work: what forces and contacts
    /// leave unbalanced, in the measure of [`Convergence`](super::super::convergence::Convergence).
    /// `passes` hold the velocity changes by the residuals of their particles.
    pub fn residual(
        &self,
        passes: &[ColourPass<T, D>],
        context: &TransferContext<'_, T, D>,
        system: &System<'_, T, D>,
    ) -> Residual<T> {
        let mut impulses = system.zeros();
        for pass in passes {
            sum_changes(pass, context, &mut impulses);
        }
        let masses = self.predicted.values();
        for (node, masses) in impulses.values_mut().iter_mut().zip(masses) {
            for x in &mut node[..D] {
                *x *= masses[MASS];
            }
        }
        system.constraints.fold(impulses.values_mut());
        let least = minimal_mass::<T>();
        let mut sums = [0.0; 4];
        let nodes = impulses.values().iter().zip(masses);
        let velocities = self.constrained.values().iter().zip(self.internal.values());
        let nodes = nodes.zip(velocities).zip(system.before());
        for (((residual, masses), (v, internal)), before) in nodes {
            if masses[MASS] <= least {
                continue;
            }
            let mass = masses[MASS].to_f64();
            for a in 0..D {
                sums[0] += residual[a].to_f64().powi(2) / mass;
                sums[1] += mass * (v[a] - before[a]).to_f64().powi(2);
                sums[2] += mass * internal[a].to_f64().powi(2);
            }
            sums[3] += mass;
        }
        let [residual, change, impulse, mass] = sums;
        let norm = |squares: f64| (squares / mass.max(f64::MIN_POSITIVE)).sqrt();
        let impulse = norm(impulse);
        // Contacts take no part in the sweeps, and those of particles are not concentrated.
        let at_work = Magnitudes {
            change: norm(change),
            impulse,
            mean_impulse: impulse,
        };
        Residual {
            relative: norm(residual) / at_work.unit().max(f64::MIN_POSITIVE),
            impulses,
        }
    }

    /// Adds the velocity changes of the batches of a pass, and applies contacts and friction.
    pub fn add_changes(
        &mut self,
        pass: &ColourPass<T, D>,
        context: &TransferContext<'_, T, D>,
        system: &System<'_, T, D>,
    ) {
        let blocks = &context.step.order.blocks;
        let n = blocks.nodes_per_block();
        let nodes = self.internal.blocks_mut();
        let nodes = nodes.zip(self.constrained.blocks_mut());
        let nodes = nodes.zip(self.predicted.values().par_chunks(n));
        nodes.with_min_len(BLOCKS).for_each(
            |(((block, internal), (_, constrained)), predicted)| {
                add_changes_of_block(pass, context, block, internal);
                let sums = predicted.iter().zip(&*internal);
                for (constrained, (predicted, internal)) in constrained.iter_mut().zip(sums) {
                    for a in 0..D {
                        constrained[a] = predicted[a] + internal[a];
                    }
                }
            },
        );
        self.apply_contacts(system);
    }

    /// Recomputes the constrained velocities of all nodes.
    fn constrain(&mut self, system: &System<'_, T, D>) {
        let free = self.predicted.values().par_iter();
        let free = free.zip(self.internal.values());
        let constrained = self.constrained.values_mut().par_iter_mut();
        let nodes = constrained.with_min_len(4096).zip(free);
        nodes.for_each(|(constrained, (predicted, internal))| {
            for a in 0..D {
                constrained[a] = predicted[a] + internal[a];
            }
        });
        self.apply_contacts(system);
    }

    /// Applies contacts and friction to unconstrained velocities.
    fn apply_contacts(&mut self, system: &System<'_, T, D>) {
        let (predicted, internal) = (self.predicted.values(), self.internal.values());
        let constrained = self.constrained.values_mut();
        let impulse = self.contact_impulse.values_mut();
        let masses = system.predicted();
        if let Some(surface) = &self.surface {
            surface.restore(constrained);
        }
        system.constraints.apply(constrained);
        let sliding = self.surface.as_mut().map(|surface| {
            // v* + M⁻¹ΣS∇w
            let free = |node: usize| {
                let own = &masses[node];
                let inertia = predicted[node][MASS].to_f64() / own[MASS].to_f64();
                let change: Vector<f64, D> = to_vector(&internal[node]);
                to_vector(own) + change * inertia
            };
            surface.close(free, constrained)
        });
        for node in system.constraints.nodes() {
            let (v, own) = (&constrained[node], &masses[node]);
            for a in 0..D {
                let of_particles = predicted[node][MASS] * internal[node][a];
                impulse[node][a] = own[MASS] * (v[a] - own[a]) - of_particles;
            }
        }
        let free = |node: usize| core::array::from_fn(|a| predicted[node][a] + internal[node][a]);
        system
            .constraints
            .apply_friction(constrained, free, impulse, masses);
        if let (Some(surface), Some(sliding)) = (&self.surface, sliding) {
            surface.rub(sliding, constrained);
        }
    }

    /// Updates the active set of contacts, and the velocities if it changes.
    pub fn update_active_set(&mut self, system: &mut System<'_, T, D>) {
        let (v, impulse) = (self.constrained.values(), self.contact_impulse.values());
        if system.update_active_set(v, impulse).violation > 0.0 {
            self.update_masses(system);
            self.constrain(system);
        }
    }

    /// The gradient of E over the momenta and forces at work, as [`residual`](Self::residual).
    pub fn residual_of_energy(&self, system: &mut System<'_, T, D>) -> Residual<T> {
        let v = self.without_masses();
        let mut gradient = system.zeros();
        system.objective.evaluate(&v, &mut gradient);
        let at_work = system.magnitudes(v.values(), gradient.values());
        system.constraints.fold(gradient.values_mut());
        let least = minimal_mass::<T>();
        let (mut squares, mut whole) = (0.0, 0.0);
        for (gradient, predicted) in gradient.values().iter().zip(system.predicted()) {
            if predicted[MASS] > least {
                let mass = predicted[MASS].to_f64();
                squares += (0..D).map(|a| gradient[a].to_f64().powi(2)).sum::<f64>() / mass;
                whole += mass;
            }
        }
        let norm = (squares / whole.max(f64::MIN_POSITIVE)).sqrt();
        Residual {
            relative: norm / at_work.unit().max(f64::MIN_POSITIVE),
            impulses: gradient,
        }
    }

    /// The refusal of a step with residuals by round of sweeps, at the node of the largest. The
    /// sweeps that would do are not known yet.
    pub fn refused(&self, residual: &Residual<T>, history: &[f64]) -> NotConverged {
        let (masses, impulses) = (self.predicted.values(), residual.impulses.values());
        NotConverged {
            unsolved: Unsolved::Sweeps { needed: None },
            ..NotConverged::by_masses::<T, D>(masses, impulses, history)
        }
    }

    /// The velocities found, if they are finite, after some sweeps that left a residual.
    pub fn solution(
        self,
        system: &mut System<'_, T, D>,
        (sweeps, residual): (u32, Residual<T>),
    ) -> Result<Solution<T, D>, NotConverged> {
        let v = self.without_masses();
        let relative = residual.relative;
        if !relative.is_finite() || v.numbers().iter().any(|x| !x.is_finite()) {
            return Err(self.refused(&residual, &[relative]));
        }
        let effort = Effort {
            sweeps,
            residual: relative,
            ..Effort::default()
        };
        // Friction is part of the velocities already: no impulse is left for it.
        let impulse = system.zeros();
        Ok(Solution { v, impulse, effort })
    }
}

/// Balance of forces that sweeps have not reached.
pub(super) struct Residual<T: Scalar> {
    /// Its norm relative to the momenta and forces at work \[–\].
    pub relative: f64,
    /// Impulses that are not balanced, by node \[N s\].
    impulses: Field<T, 4>,
}

/// Adds the velocity changes of the batches of a pass to a field.
fn sum_changes<T: Scalar, const D: usize>(
    pass: &ColourPass<T, D>,
    context: &TransferContext<'_, T, D>,
    field: &mut Field<T, 4>,
) {
    let blocks = field.blocks_mut().with_min_len(BLOCKS);
    blocks.for_each(|(block, nodes)| add_changes_of_block(pass, context, block, nodes));
}

/// Adds the velocity changes that the clusters of a pass have on the nodes of a block.
fn add_changes_of_block<T: Scalar, const D: usize>(
    pass: &ColourPass<T, D>,
    context: &TransferContext<'_, T, D>,
    block: usize,
    nodes: &mut [Node<T>],
) {
    let blocks = &context.step.order.blocks;
    let reach = cluster_reach(context.step.geometry.kernel());
    for offset in 0..offsets::<D>() {
        let neighbour = blocks.neighbour(block, offset);
        if neighbour == ABSENT {
            continue;
        }
        // Seen from the neighbour, this block lies in the opposite direction.
        let at = (offsets::<D>() - 1 - offset, blocks.side());
        for (place, changes) in pass.changes_of(neighbour as usize) {
            let cluster = place.nodes(reach);
            if let Some(overlap) = Overlap::new(at, &cluster, cluster.origin, cluster.steps()) {
                overlap.add(changes, nodes);
            }
        }
    }
}
