//! Walking through bundles: what a particle's nodes say, what the particle answers, and what its nodes get.

use thixo_math::Lanes;
use thixo_par::{Kernel, MAX_LANES, Scalar, dispatch};

use super::Form;
use super::answer::{Aim, Begin, Follow, Measure, Printed, Stressed, probe};
use super::bundle::{Bundle, Row, load_matrix};
use super::colour::cluster_reach;
use crate::grid::{ABSENT, Field, Node, Overlap, offsets};
use crate::kernel::{Cubic, KernelKind, Linear, Quadratic, Spline};
use crate::material::Batch;
use crate::material::potential::{Derivative, IncrementBatch};
use crate::particles::Layout;
use crate::transfer::StressForce;
use crate::transfer::TransferContext;
use crate::transfer::gradient::{GradientUnit, Gradients, Stand};

/// What a thread works in.
pub(super) struct Room<T: Scalar, const D: usize> {
    /// The nodes of the part in every lane, part after part.
    nodes: Vec<Node<T>>,
    gradients: Gradients<T, D>,
    /// Columns of a group that the material may change.
    hot: Vec<T>,
    /// ∇v, and where a trial leads.
    gradient: Vec<T>,
    trial: Vec<T>,
    /// τ at both.
    stress: Vec<T>,
    trial_stress: Vec<T>,
    /// V⁰G and V⁰ψ.
    slope: Vec<T>,
    /// A change of S.
    change: Vec<T>,
}

impl<T: Scalar, const D: usize> Room<T, D> {
    pub fn new(context: &TransferContext<'_, T, D>) -> Self {
        let reach = cluster_reach(context.step.geometry.kernel());
        let columns = |count: usize| vec![T::zero(); count * T::LANES];
        Self {
            nodes: vec![[T::zero(); 4]; T::LANES * reach.pow(D as u32)],
            gradients: Gradients::none(reach),
            hot: Vec::new(),
            gradient: columns(D * D),
            trial: columns(D * D),
            stress: columns(Layout::<D>::SYMMETRIC),
            trial_stress: columns(Layout::<D>::SYMMETRIC),
            slope: columns(D * D + 1),
            change: columns(D * D),
        }
    }
}

/// How a visit knows how stiff its particle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stiffness {
    /// By a trial.
    Measured,
    /// From the sweep before.
    Remembered,
}

/// What all bundles of a sweep share.
pub(super) struct Visit<'a, T: Scalar, const D: usize> {
    context: TransferContext<'a, T, D>,
    of: GradientUnit,
    form: Form,
    /// A velocity gradient for all lanes that tells how stiff they are.
    probe: Vec<T>,
}

impl<'a, T: Scalar, const D: usize> Visit<'a, T, D> {
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

    /// Makes a bundle ready for its first visit: compliances, and for the form that keeps impulses stiffnesses and the impulses of the beginning.
    pub fn prepare(&self, bundle: &mut Bundle<T, D>, v: &Field<T, 4>, room: &mut Room<T, D>) {
        match self.context.step.geometry.kernel() {
            KernelKind::Linear => self.prepare_with::<Linear>(bundle, v, room),
            KernelKind::Quadratic => self.prepare_with::<Quadratic>(bundle, v, room),
            KernelKind::Cubic => self.prepare_with::<Cubic>(bundle, v, room),
        }
    }

    /// Visits all particles of a bundle, and leaves what they changed beside them.
    pub fn sweep(
        &self,
        bundle: &mut Bundle<T, D>,
        v: &Field<T, 4>,
        room: &mut Room<T, D>,
        stiffness: Stiffness,
    ) {
        match self.context.step.geometry.kernel() {
            KernelKind::Linear => self.sweep_with::<Linear>(bundle, v, room, stiffness),
            KernelKind::Quadratic => self.sweep_with::<Quadratic>(bundle, v, room, stiffness),
            KernelKind::Cubic => self.sweep_with::<Cubic>(bundle, v, room, stiffness),
        }
    }

    /// Copies what parts reach of the nodes of the grid.
    fn load(&self, bundle: &Bundle<T, D>, v: &Field<T, 4>, room: &mut Room<T, D>) {
        let blocks = &self.context.step.order.blocks;
        let n = blocks.nodes_per_block();
        let reach = cluster_reach(self.context.step.geometry.kernel());
        let own = room.nodes.chunks_exact_mut(reach.pow(D as u32));
        for (place, own) in bundle.places.iter().zip(own) {
            let part = place.nodes(reach);
            for offset in 0..offsets::<D>() {
                let neighbour = blocks.neighbour(place.block, offset);
                if neighbour == ABSENT {
                    continue;
                }
                let at = (offset, blocks.side());
                if let Some(overlap) = Overlap::new(at, &part, part.origin, part.steps()) {
                    overlap.load(own, &v.values()[neighbour as usize * n..][..n]);
                }
            }
        }
    }

    fn prepare_with<K: Spline>(
        &self,
        bundle: &mut Bundle<T, D>,
        v: &Field<T, 4>,
        room: &mut Room<T, D>,
    ) {
        self.load(bundle, v, room);
        let (species, layout) = (bundle.species, bundle.row);
        for row in bundle.table.chunks_exact_mut(layout.stride::<T>()) {
            let weigh = Weigh::<T, K, D> {
                layout,
                row,
                nodes: &room.nodes,
                of: self.of,
                gradients: &mut room.gradients,
                kernel: core::marker::PhantomData,
            };
            dispatch(self.context.step.isa, weigh);
            if self.form == Form::AsPrinted {
                continue;
            }
            let hot = &row[..layout.hot * T::LANES];
            room.gradient.fill(T::zero());
            self.strain(
                (species, hot),
                &room.gradient,
                &mut room.hot,
                &mut room.stress,
            );
            self.strain(
                (species, hot),
                &self.probe,
                &mut room.hot,
                &mut room.trial_stress,
            );
            let begin = Begin::<T, D> {
                layout,
                row,
                rest: Stressed {
                    gradient: &room.gradient,
                    stress: &room.stress,
                },
                probe: Stressed {
                    gradient: &self.probe,
                    stress: &room.trial_stress,
                },
                dt: self.context.step.dt,
            };
            dispatch(self.context.step.isa, begin);
        }
    }

    fn sweep_with<K: Spline>(
        &self,
        bundle: &mut Bundle<T, D>,
        v: &Field<T, 4>,
        room: &mut Room<T, D>,
        stiffness: Stiffness,
    ) {
        self.load(bundle, v, room);
        let reached = bundle.changes.len();
        bundle.changes.copy_from_slice(&room.nodes[..reached]);
        let layout = bundle.row;
        for row in bundle.table.chunks_exact_mut(layout.stride::<T>()) {
            let listen = Listen::<T, K, D> {
                row,
                nodes: &room.nodes,
                of: self.of,
                gradients: &mut room.gradients,
                gradient: &mut room.gradient,
                kernel: core::marker::PhantomData,
            };
            dispatch(self.context.step.isa, listen);
            match self.form {
                Form::Replaced => self.replace((bundle.species, layout), row, room, stiffness),
                Form::AsPrinted => self.add((bundle.species, layout), row, room),
            }
            let push = Push::<T, K, D> {
                row,
                change: &room.change,
                gradients: &room.gradients,
                nodes: &mut room.nodes,
                kernel: core::marker::PhantomData,
            };
            dispatch(self.context.step.isa, push);
        }
        for (before, after) in bundle.changes.iter_mut().zip(&room.nodes) {
            for c in 0..4 {
                before[c] = after[c] - before[c];
            }
        }
    }

    /// Moves S towards −Δt V⁰G.
    fn replace(
        &self,
        (species, layout): (usize, Row<D>),
        row: &mut [T],
        room: &mut Room<T, D>,
        stiffness: Stiffness,
    ) {
        let (isa, dt) = (self.context.step.isa, self.context.step.dt);
        self.strain(
            (species, &row[..layout.hot * T::LANES]),
            &room.gradient,
            &mut room.hot,
            &mut room.stress,
        );
        let here = Stressed {
            gradient: &room.gradient,
            stress: &room.stress,
        };
        if stiffness == Stiffness::Remembered {
            let follow = Follow::<T, D> {
                layout,
                row,
                here,
                dt,
                change: &mut room.change,
            };
            return dispatch(isa, follow);
        }
        let aim = Aim::<T, D> {
            layout,
            row,
            here,
            dt,
            change: &mut room.change,
            trial: &mut room.trial,
        };
        dispatch(isa, aim);
        self.strain(
            (species, &row[..layout.hot * T::LANES]),
            &room.trial,
            &mut room.hot,
            &mut room.trial_stress,
        );
        let measure = Measure::<T, D> {
            layout,
            row,
            here,
            there: Stressed {
                gradient: &room.trial,
                stress: &room.trial_stress,
            },
            dt,
            change: &mut room.change,
        };
        dispatch(isa, measure);
    }

    /// Adds along the present gradient of √ψ.
    fn add(&self, (species, layout): (usize, Row<D>), row: &mut [T], room: &mut Room<T, D>) {
        let dt = T::from_f64(self.context.step.dt);
        for (increment, gradient) in room.trial.iter_mut().zip(&room.gradient) {
            *increment = dt * *gradient;
        }
        let first = layout.reference() * T::LANES;
        let batch = IncrementBatch {
            hot: row,
            hot_stride: row.len(),
            reference: &row[first..],
            increment: &room.trial,
            out: &mut room.slope,
        };
        let material = &self.context.materials[species];
        material.energy_derivative(self.context.step.isa, Derivative::GradientAndEnergy, batch);
        let printed = Printed::<T, D> {
            layout,
            row,
            gradient: &room.gradient,
            slope: &room.slope,
            dt: self.context.step.dt,
            change: &mut room.change,
        };
        dispatch(self.context.step.isa, printed);
    }

    /// The stress of a row of particles at the end of a step with a velocity gradient, flow included.
    fn strain(
        &self,
        (species, hot): (usize, &[T]),
        gradient: &[T],
        scratch: &mut Vec<T>,
        stress: &mut [T],
    ) {
        scratch.clear();
        scratch.extend_from_slice(hot);
        let stride = stress.len();
        let batch = Batch {
            hot: scratch,
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

#[inline(always)]
fn stand<L: Lanes, const D: usize>(row: &[L::Scalar]) -> Stand<L, D> {
    let mut fraction = thixo_math::Vector::zero();
    for a in 0..D {
        fraction[a] = L::load(&row[(Layout::<D>::X + a) * L::LANES..]);
    }
    Stand {
        start: L::load(&row[Layout::<D>::MASS * L::LANES..]),
        fraction,
    }
}

/// The part of all nodes that is a lane's.
#[inline(always)]
fn of_lane<T: Scalar>(nodes: &[Node<T>], lane: usize) -> &[Node<T>] {
    let n = nodes.len() / T::LANES;
    &nodes[lane * n..][..n]
}

/// Lanes whose part has a particle in this row.
#[inline(always)]
fn taken<T: Scalar, const D: usize>(row: &[T]) -> impl Iterator<Item = usize> {
    let volumes = &row[Layout::<D>::V0 * T::LANES..][..T::LANES];
    (0..T::LANES).filter(|&lane| volumes[lane] > T::zero())
}

/// K = Σ ∇w ∇wᵀ/m.
struct Weigh<'a, T, K, const D: usize> {
    layout: Row<D>,
    row: &'a mut [T],
    nodes: &'a [Node<T>],
    of: GradientUnit,
    gradients: &'a mut Gradients<T, D>,
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for Weigh<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        self.gradients
            .set::<L, K>(&stand::<L, D>(self.row), self.of);
        for lane in 0..L::LANES {
            let is_taken = self.row[Layout::<D>::V0 * L::LANES + lane] > T::zero();
            let compliance = match is_taken {
                true => self
                    .gradients
                    .compliance::<K>(lane, of_lane(self.nodes, lane)),
                false => [[T::zero(); D]; D],
            };
            let mut column = self.layout.compliance();
            for i in 0..D {
                for j in i..D {
                    self.row[column * L::LANES + lane] = compliance[i][j];
                    column += 1;
                }
            }
        }
    }
}

/// ∇v = Σ v ∇wᵀ.
struct Listen<'a, T, K, const D: usize> {
    row: &'a [T],
    nodes: &'a [Node<T>],
    of: GradientUnit,
    gradients: &'a mut Gradients<T, D>,
    gradient: &'a mut [T],
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for Listen<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        self.gradients
            .set::<L, K>(&stand::<L, D>(self.row), self.of);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
        for lane in taken::<T, D>(self.row) {
            let sums = self.gradients.gather::<K>(lane, of_lane(self.nodes, lane));
            for d in 0..D {
                quads[d][lane] = sums[d];
            }
        }
        for d in 0..D {
            let column = L::load_transposed(quads[d].as_flattened(), 4);
            for c in 0..D {
                column[c].store(&mut self.gradient[(c * D + d) * L::LANES..]);
            }
        }
    }
}

/// v ← v + ΔS ∇w/m.
struct Push<'a, T, K, const D: usize> {
    row: &'a [T],
    change: &'a [T],
    gradients: &'a Gradients<T, D>,
    nodes: &'a mut [Node<T>],
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for Push<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let change = load_matrix::<L, D>(self.change, 0);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
        for d in 0..D {
            let mut columns = [L::zero(); 4];
            columns[..D].copy_from_slice(&change.column(d).0);
            L::store_transposed(columns, quads[d].as_flattened_mut(), 4);
        }
        let n = self.nodes.len() / L::LANES;
        for lane in taken::<T, D>(self.row) {
            let mut columns = [[T::zero(); 4]; D];
            for d in 0..D {
                columns[d] = quads[d][lane];
            }
            self.gradients
                .push::<K>(lane, &columns, &mut self.nodes[lane * n..][..n]);
        }
    }
}
