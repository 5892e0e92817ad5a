//! The sweep over a lane batch: every particle gathers its velocity gradient, updates its
//! constraint, and applies the change of its impulse to the nodes.

use thixo_par::{Scalar, dispatch};

use super::Form;
use super::colour::cluster_reach;
use super::constraint_update::{
    GradientAndStress, ImpulseResidual, InitialImpulse, MeasuredStep, QuEq25Step, TrialStep,
    UntestedStep, probe,
};
use super::lane_batch::{LaneBatch, RowLayout};
use super::node_kernels::{ApplyImpulse, Compliance, GatherGradient};
use crate::grid::{ABSENT, Field, Node, Overlap, offsets};
use crate::kernel::dispatch_smooth_spline;
use crate::material::Batch;
use crate::material::potential::{Derivative, IncrementBatch};
use crate::particles::Layout;
use crate::transfer::StressForce;
use crate::transfer::TransferContext;
use crate::transfer::gradient::{GradientUnit, Gradients};

/// Working memory of a thread.
pub(super) struct Scratch<T: Scalar, const D: usize> {
    /// The nodes of the cluster in every lane, one cluster after the other.
    nodes: Vec<Node<T>>,
    /// The same nodes with the residuals of all particles applied.
    with_residuals: Vec<Node<T>>,
    gradients: Gradients<T, D>,
    /// Columns of a group that the material may change.
    hot: Vec<T>,
    /// ∇v, and its value after a trial step.
    gradient: Vec<T>,
    trial: Vec<T>,
    /// τ at both.
    stress: Vec<T>,
    trial_stress: Vec<T>,
    /// V⁰G and V⁰ψ.
    energy_gradient: Vec<T>,
    /// A change of S.
    change: Vec<T>,
}

impl<T: Scalar, const D: usize> Scratch<T, D> {
    /// Memory for batches of a step.
    pub fn new(context: &TransferContext<'_, T, D>) -> Self {
        let reach = cluster_reach(context.step.geometry.kernel());
        let columns = |count: usize| vec![T::zero(); count * T::LANES];
        Self {
            nodes: vec![[T::zero(); 4]; T::LANES * reach.pow(D as u32)],
            with_residuals: Vec::new(),
            gradients: Gradients::none(reach),
            hot: Vec::new(),
            gradient: columns(D * D),
            trial: columns(D * D),
            stress: columns(Layout::<D>::SYMMETRIC),
            trial_stress: columns(Layout::<D>::SYMMETRIC),
            energy_gradient: columns(D * D + 1),
            change: columns(D * D),
        }
    }
}

/// Source of the stiffness a in an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stiffness {
    /// Measured by a trial step.
    Measured,
    /// That of the sweep before.
    Reused,
}

/// The way to update impulses in a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Update {
    /// Source of the stiffness.
    pub stiffness: Stiffness,
    /// Share of a change that is made, above 0 and at most 1 \[–\].
    pub relaxation: f64,
}

/// The sweep over all batches.
pub(super) struct Sweep<'a, T: Scalar, const D: usize> {
    context: TransferContext<'a, T, D>,
    of: GradientUnit,
    form: Form,
    /// Velocity gradient of the probe by which stiffnesses are estimated, for all lanes.
    probe: Vec<T>,
}

impl<'a, T: Scalar, const D: usize> Sweep<'a, T, D> {
    /// A sweep in a step, with a form of the update.
    pub fn new(context: TransferContext<'a, T, D>, form: Form) -> Self {
        let force = StressForce::new(context.transfer, context.step.geometry);
        let of = force.unit(context.step.geometry.spacing());
        Self {
            context,
            of,
            form,
            probe: probe::<T, D>(context.step.dt),
        }
    }

    /// Prepares a batch for its first sweep: compliances, and with [`Form::Replaced`] estimates of
    /// the stiffness and the impulses of the stress of the beginning.
    pub fn prepare(
        &self,
        batch: &mut LaneBatch<T, D>,
        v: &Field<T, 4>,
        scratch: &mut Scratch<T, D>,
    ) {
        let kernel = self.context.step.geometry.kernel();
        self.load(batch, v, scratch);
        let (species, layout) = (batch.species, batch.row);
        for row in batch.table.chunks_exact_mut(layout.stride::<T>()) {
            let compliance = Compliance::<T, D> {
                layout,
                row,
                nodes: &scratch.nodes,
                of: self.of,
                gradients: &mut scratch.gradients,
            };
            dispatch_smooth_spline(self.context.step.isa, kernel, compliance);
            if self.form == Form::QuEq25 {
                continue;
            }
            let hot = &row[..layout.hot * T::LANES];
            scratch.gradient.fill(T::zero());
            self.stress(
                (species, hot),
                &scratch.gradient,
                &mut scratch.hot,
                &mut scratch.stress,
            );
            self.stress(
                (species, hot),
                &self.probe,
                &mut scratch.hot,
                &mut scratch.trial_stress,
            );
            let initial = InitialImpulse::<T, D> {
                layout,
                row,
                rest: GradientAndStress {
                    gradient: &scratch.gradient,
                    stress: &scratch.stress,
                },
                probe: GradientAndStress {
                    gradient: &self.probe,
                    stress: &scratch.trial_stress,
                },
                dt: self.context.step.dt,
            };
            dispatch(self.context.step.isa, initial);
        }
    }

    /// Updates all particles of a batch, and stores the changes of velocity in it.
    pub fn update(
        &self,
        batch: &mut LaneBatch<T, D>,
        v: &Field<T, 4>,
        scratch: &mut Scratch<T, D>,
        update: Update,
    ) {
        let kernel = self.context.step.geometry.kernel();
        self.load(batch, v, scratch);
        let reached = batch.changes.len();
        batch.changes.copy_from_slice(&scratch.nodes[..reached]);
        let layout = batch.row;
        for row in batch.table.chunks_exact_mut(layout.stride::<T>()) {
            let gather = GatherGradient::<T, D> {
                row,
                nodes: &scratch.nodes,
                of: self.of,
                gradients: &mut scratch.gradients,
                gradient: &mut scratch.gradient,
            };
            dispatch_smooth_spline(self.context.step.isa, kernel, gather);
            match self.form {
                Form::Replaced => self.replace((batch.species, layout), row, scratch, update),
                Form::QuEq25 => self.add_along_gradient((batch.species, layout), row, scratch),
            }
            let apply = ApplyImpulse::<T, D> {
                row,
                change: &scratch.change,
                gradients: &scratch.gradients,
                nodes: &mut scratch.nodes,
            };
            dispatch_smooth_spline(self.context.step.isa, kernel, apply);
        }
        for (before, after) in batch.changes.iter_mut().zip(&scratch.nodes) {
            for c in 0..4 {
                before[c] = after[c] - before[c];
            }
        }
    }

    /// Copies the nodes that the clusters reach from the grid.
    fn load(&self, batch: &LaneBatch<T, D>, v: &Field<T, 4>, scratch: &mut Scratch<T, D>) {
        let blocks = &self.context.step.order.blocks;
        let n = blocks.nodes_per_block();
        let reach = cluster_reach(self.context.step.geometry.kernel());
        let own = scratch.nodes.chunks_exact_mut(reach.pow(D as u32));
        for (place, own) in batch.places.iter().zip(own) {
            let cluster = place.nodes(reach);
            for offset in 0..offsets::<D>() {
                let neighbour = blocks.neighbour(place.block, offset);
                if neighbour == ABSENT {
                    continue;
                }
                let at = (offset, blocks.side());
                if let Some(overlap) = Overlap::new(at, &cluster, cluster.origin, cluster.steps()) {
                    overlap.load(own, &v.values()[neighbour as usize * n..][..n]);
                }
            }
        }
    }

    /// Stores the velocity changes M̃⁻¹Σ(S + Δt V⁰G)∇w by the residuals of all particles of a batch
    /// in it; the particles stay as they are.
    pub fn residual(
        &self,
        batch: &mut LaneBatch<T, D>,
        v: &Field<T, 4>,
        scratch: &mut Scratch<T, D>,
    ) {
        let (isa, dt) = (self.context.step.isa, self.context.step.dt);
        let kernel = self.context.step.geometry.kernel();
        self.load(batch, v, scratch);
        scratch.with_residuals.clone_from(&scratch.nodes);
        let layout = batch.row;
        for row in batch.table.chunks_exact(layout.stride::<T>()) {
            let gather = GatherGradient::<T, D> {
                row,
                nodes: &scratch.nodes,
                of: self.of,
                gradients: &mut scratch.gradients,
                gradient: &mut scratch.gradient,
            };
            dispatch_smooth_spline(isa, kernel, gather);
            self.stress(
                (batch.species, &row[..layout.hot * T::LANES]),
                &scratch.gradient,
                &mut scratch.hot,
                &mut scratch.stress,
            );
            let residual = ImpulseResidual::<T, D> {
                layout,
                row,
                here: GradientAndStress {
                    gradient: &scratch.gradient,
                    stress: &scratch.stress,
                },
                dt,
                residual: &mut scratch.change,
            };
            dispatch(isa, residual);
            let apply = ApplyImpulse::<T, D> {
                row,
                change: &scratch.change,
                gradients: &scratch.gradients,
                nodes: &mut scratch.with_residuals,
            };
            dispatch_smooth_spline(isa, kernel, apply);
        }
        let nodes = scratch.with_residuals.iter().zip(&scratch.nodes);
        for (change, (after, before)) in batch.changes.iter_mut().zip(nodes) {
            for c in 0..4 {
                change[c] = after[c] - before[c];
            }
        }
    }

    /// Moves S towards −Δt V⁰G.
    fn replace(
        &self,
        (species, layout): (usize, RowLayout<D>),
        row: &mut [T],
        scratch: &mut Scratch<T, D>,
        update: Update,
    ) {
        let (isa, dt) = (self.context.step.isa, self.context.step.dt);
        self.stress(
            (species, &row[..layout.hot * T::LANES]),
            &scratch.gradient,
            &mut scratch.hot,
            &mut scratch.stress,
        );
        let here = GradientAndStress {
            gradient: &scratch.gradient,
            stress: &scratch.stress,
        };
        if update.stiffness == Stiffness::Reused {
            let step = UntestedStep::<T, D> {
                layout,
                row,
                here,
                dt,
                relaxation: update.relaxation,
                change: &mut scratch.change,
            };
            return dispatch(isa, step);
        }
        let trial = TrialStep::<T, D> {
            layout,
            row,
            here,
            dt,
            change: &mut scratch.change,
            trial: &mut scratch.trial,
        };
        dispatch(isa, trial);
        self.stress(
            (species, &row[..layout.hot * T::LANES]),
            &scratch.trial,
            &mut scratch.hot,
            &mut scratch.trial_stress,
        );
        let step = MeasuredStep::<T, D> {
            layout,
            row,
            here,
            there: GradientAndStress {
                gradient: &scratch.trial,
                stress: &scratch.trial_stress,
            },
            dt,
            relaxation: update.relaxation,
            change: &mut scratch.change,
        };
        dispatch(isa, step);
    }

    /// Adds to S along the present gradient of C = √ψ, as in \[Qu2023\] eq. (25).
    fn add_along_gradient(
        &self,
        (species, layout): (usize, RowLayout<D>),
        row: &mut [T],
        scratch: &mut Scratch<T, D>,
    ) {
        let dt = T::from_f64(self.context.step.dt);
        for (increment, gradient) in scratch.trial.iter_mut().zip(&scratch.gradient) {
            *increment = dt * *gradient;
        }
        let first = layout.reference() * T::LANES;
        let batch = IncrementBatch {
            hot: row,
            hot_stride: row.len(),
            reference: &row[first..],
            increment: &scratch.trial,
            out: &mut scratch.energy_gradient,
        };
        let material = &self.context.materials[species];
        material.energy_derivative(self.context.step.isa, Derivative::GradientAndEnergy, batch);
        let step = QuEq25Step::<T, D> {
            layout,
            row,
            gradient: &scratch.gradient,
            energy_gradient: &scratch.energy_gradient,
            dt: self.context.step.dt,
            change: &mut scratch.change,
        };
        dispatch(self.context.step.isa, step);
    }

    /// The stress of a row of particles at the end of a step with a velocity gradient, after the
    /// return mapping.
    fn stress(
        &self,
        (species, hot): (usize, &[T]),
        gradient: &[T],
        copy: &mut Vec<T>,
        stress: &mut [T],
    ) {
        copy.clear();
        copy.extend_from_slice(hot);
        let stride = stress.len();
        let batch = Batch {
            hot: copy,
            hot_stride: hot.len(),
            velocity_gradient: gradient,
            stress,
            stress_stride: stride,
            stress_first: 0,
        };
        let dt = T::from_f64(self.context.step.dt);
        self.context.materials[species].update(self.context.step.isa, batch, dt);
    }
}
