//! Walking through bundles: what a particle's nodes say, what the particle answers, and what its nodes get.

use thixo_math::Lanes;
use thixo_par::{Kernel, Scalar, dispatch};

use super::Form;
use super::answer::{Aim, Begin, Measure, Printed, probe};
use super::bundle::{Bundle, Row, load_matrix};
use crate::grid::{Nodes, Tile};
use crate::integrate::stage::Stage;
use crate::kernel::gradient::{GradientUnit, Gradients, Stand};
use crate::kernel::stencil::{Distribution, MAX_LANES};
use crate::kernel::{Cubic, KernelKind, Linear, Quadratic, Spline};
use crate::material::potential::{IncrementBatch, Reference, Wanted};
use crate::transfer::StressForce;

/// What a thread works in.
pub(super) struct Room<T: Scalar, const D: usize> {
    /// A tile for every lane.
    tiles: Vec<Tile<T>>,
    gradients: Gradients<T, D>,
    /// M, and where a trial leads.
    increment: Vec<T>,
    trial: Vec<T>,
    /// V⁰G and V⁰ψ at both.
    slope: Vec<T>,
    trial_slope: Vec<T>,
    /// A change of S.
    change: Vec<T>,
}

impl<T: Scalar, const D: usize> Room<T, D> {
    pub fn new(stage: &Stage<'_, T, D>) -> Self {
        let side = stage.geometry.tile_side();
        let columns = |count: usize| vec![T::zero(); count * T::LANES];
        Self {
            tiles: vec![Tile::new(side); T::LANES],
            gradients: Gradients::none(side),
            increment: columns(D * D),
            trial: columns(D * D),
            slope: columns(D * D + 1),
            trial_slope: columns(D * D + 1),
            change: columns(D * D),
        }
    }
}

/// What all bundles of a sweep share.
pub(super) struct Visit<'a, T: Scalar, const D: usize> {
    stage: Stage<'a, T, D>,
    of: GradientUnit,
    form: Form,
    /// An increment for all lanes that tells how stiff they are.
    probe: Vec<T>,
}

impl<'a, T: Scalar, const D: usize> Visit<'a, T, D> {
    pub fn new(stage: Stage<'a, T, D>, form: Form) -> Self {
        let h = stage.geometry.spacing();
        let of = match StressForce::new(stage.transfer, stage.geometry).mls {
            None => GradientUnit {
                by: Distribution::Slopes,
                unit: 1.0 / h,
            },
            Some(inverse) => GradientUnit {
                by: Distribution::Distances,
                unit: h * inverse,
            },
        };
        Self {
            stage,
            of,
            form,
            probe: probe::<T, D>(),
        }
    }

    /// Makes a bundle ready for its first visit: compliances, and for the form that keeps impulses stiffnesses and the impulses of the beginning.
    pub fn prepare(&self, bundle: &mut Bundle<T, D>, v: &Nodes<T, D>, room: &mut Room<T, D>) {
        match self.stage.geometry.kernel() {
            KernelKind::Linear => self.prepare_with::<Linear>(bundle, v, room),
            KernelKind::Quadratic => self.prepare_with::<Quadratic>(bundle, v, room),
            KernelKind::Cubic => self.prepare_with::<Cubic>(bundle, v, room),
        }
    }

    /// Visits all particles of a bundle, and leaves what they changed beside them.
    pub fn sweep(&self, bundle: &mut Bundle<T, D>, v: &Nodes<T, D>, room: &mut Room<T, D>) {
        match self.stage.geometry.kernel() {
            KernelKind::Linear => self.sweep_with::<Linear>(bundle, v, room),
            KernelKind::Quadratic => self.sweep_with::<Quadratic>(bundle, v, room),
            KernelKind::Cubic => self.sweep_with::<Cubic>(bundle, v, room),
        }
    }

    fn load(&self, bundle: &Bundle<T, D>, v: &Nodes<T, D>, room: &mut Room<T, D>) {
        let blocks = &self.stage.order.blocks;
        for (member, tile) in bundle.members.iter().zip(&mut room.tiles) {
            tile.load((member.block, &member.reached), blocks, v.values());
        }
    }

    fn prepare_with<K: Spline>(
        &self,
        bundle: &mut Bundle<T, D>,
        v: &Nodes<T, D>,
        room: &mut Room<T, D>,
    ) {
        self.load(bundle, v, room);
        let species = bundle.species;
        for row in bundle.table.chunks_exact_mut(Row::<D>::COLUMNS * T::LANES) {
            let weigh = Weigh::<T, K, D> {
                row,
                tiles: &room.tiles,
                of: self.of,
                gradients: &mut room.gradients,
                kernel: core::marker::PhantomData,
            };
            dispatch(self.stage.isa, weigh);
            if self.form == Form::AsPrinted {
                continue;
            }
            room.increment.fill(T::zero());
            self.ask(species, row, &room.increment, &mut room.slope);
            self.ask(species, row, &self.probe, &mut room.trial_slope);
            let begin = Begin::<T, D> {
                row,
                slope: &room.slope,
                probe: &self.probe,
                probe_slope: &room.trial_slope,
                dt: self.stage.dt,
            };
            dispatch(self.stage.isa, begin);
        }
    }

    fn sweep_with<K: Spline>(
        &self,
        bundle: &mut Bundle<T, D>,
        v: &Nodes<T, D>,
        room: &mut Room<T, D>,
    ) {
        self.load(bundle, v, room);
        for (member, tile) in bundle.members.iter().zip(&room.tiles) {
            tile.store(&member.reached, &mut bundle.changes[member.first..]);
        }
        let (isa, dt, species) = (self.stage.isa, self.stage.dt, bundle.species);
        for row in bundle.table.chunks_exact_mut(Row::<D>::COLUMNS * T::LANES) {
            let listen = Listen::<T, K, D> {
                row,
                tiles: &room.tiles,
                of: self.of,
                dt,
                gradients: &mut room.gradients,
                increment: &mut room.increment,
                kernel: core::marker::PhantomData,
            };
            dispatch(isa, listen);
            self.ask(species, row, &room.increment, &mut room.slope);
            match self.form {
                Form::Replaced => {
                    let aim = Aim::<T, D> {
                        row,
                        increment: &room.increment,
                        slope: &room.slope,
                        dt,
                        change: &mut room.change,
                        trial: &mut room.trial,
                    };
                    dispatch(isa, aim);
                    self.ask(species, row, &room.trial, &mut room.trial_slope);
                    let measure = Measure::<T, D> {
                        row,
                        slope: &room.slope,
                        trial_slope: &room.trial_slope,
                        dt,
                        change: &mut room.change,
                    };
                    dispatch(isa, measure);
                }
                Form::AsPrinted => {
                    let printed = Printed::<T, D> {
                        row,
                        increment: &room.increment,
                        slope: &room.slope,
                        dt,
                        change: &mut room.change,
                    };
                    dispatch(isa, printed);
                }
            }
            let push = Push::<T, K, D> {
                row,
                change: &room.change,
                gradients: &room.gradients,
                tiles: &mut room.tiles,
                kernel: core::marker::PhantomData,
            };
            dispatch(isa, push);
        }
        for (member, tile) in bundle.members.iter().zip(&room.tiles) {
            let end = member.first + member.reached.nodes();
            tile.store_change(&member.reached, &mut bundle.changes[member.first..end]);
        }
    }

    /// V⁰G and V⁰ψ of a row of particles.
    fn ask(&self, species: usize, row: &[T], increment: &[T], out: &mut [T]) {
        let columns = Reference::<T, D>::COLUMNS * T::LANES;
        let batch = IncrementBatch {
            hot: row,
            hot_stride: row.len(),
            reference: &row[Row::<D>::REFERENCE * T::LANES..][..columns],
            increment,
            out,
        };
        let material = &self.stage.materials[species];
        material.increments(self.stage.isa, Wanted::SlopeAndEnergy, batch);
    }
}

#[inline(always)]
fn stand<L: Lanes, const D: usize>(row: &[L::Scalar]) -> Stand<L, D> {
    let mut fraction = thixo_math::Vector::zero();
    for a in 0..D {
        fraction[a] = L::load(&row[(Row::<D>::FRACTION + a) * L::LANES..]);
    }
    Stand {
        start: L::load(&row[Row::<D>::START * L::LANES..]),
        fraction,
    }
}

/// Lanes whose segment has a particle in this row.
#[inline(always)]
fn taken<T: Scalar, const D: usize>(row: &[T]) -> impl Iterator<Item = usize> {
    let volumes = &row[Row::<D>::V0 * T::LANES..][..T::LANES];
    (0..T::LANES).filter(|&lane| volumes[lane] > T::zero())
}

/// K = Σ ∇w ∇wᵀ/m.
struct Weigh<'a, T, K, const D: usize> {
    row: &'a mut [T],
    tiles: &'a [Tile<T>],
    of: GradientUnit,
    gradients: &'a mut Gradients<T, D>,
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for Weigh<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        self.gradients.set::<L, K>(&stand::<L, D>(self.row), self.of);
        for lane in 0..L::LANES {
            let is_taken = self.row[Row::<D>::V0 * L::LANES + lane] > T::zero();
            let compliance = match is_taken {
                true => self
                    .gradients
                    .compliance::<K>(lane, self.tiles[lane].nodes()),
                false => [[T::zero(); D]; D],
            };
            let mut column = Row::<D>::COMPLIANCE;
            for i in 0..D {
                for j in i..D {
                    self.row[column * L::LANES + lane] = compliance[i][j];
                    column += 1;
                }
            }
        }
    }
}

/// M = Δt Σ v ∇wᵀ.
struct Listen<'a, T, K, const D: usize> {
    row: &'a [T],
    tiles: &'a [Tile<T>],
    of: GradientUnit,
    dt: f64,
    gradients: &'a mut Gradients<T, D>,
    increment: &'a mut [T],
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for Listen<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        self.gradients.set::<L, K>(&stand::<L, D>(self.row), self.of);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
        for lane in taken::<T, D>(self.row) {
            let sums = self.gradients.gather::<K>(lane, self.tiles[lane].nodes());
            for d in 0..D {
                quads[d][lane] = sums[d];
            }
        }
        let dt = L::splat(self.dt);
        for d in 0..D {
            let column = L::load_transposed(quads[d].as_flattened(), 4);
            for c in 0..D {
                (dt * column[c]).store(&mut self.increment[(c * D + d) * L::LANES..]);
            }
        }
    }
}

/// v ← v + ΔS ∇w/m.
struct Push<'a, T, K, const D: usize> {
    row: &'a [T],
    change: &'a [T],
    gradients: &'a Gradients<T, D>,
    tiles: &'a mut [Tile<T>],
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
        for lane in taken::<T, D>(self.row) {
            let mut columns = [[T::zero(); 4]; D];
            for d in 0..D {
                columns[d] = quads[d][lane];
            }
            self.gradients
                .push::<K>(lane, &columns, self.tiles[lane].nodes_mut());
        }
    }
}
