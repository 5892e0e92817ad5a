//! Gather, move, deform, stress and scatter in one pass over the particles: equation (17).
//!
//! The default path: MLS transfer on the quadratic kernel. Velocity and affine matrix are not
//! written to memory between the passes of a frame; the first pass reads them from the cold
//! columns, the last one writes them there. A segment is processed in chunks that stay in the
//! first-level cache: gather a chunk, run its material, scatter the chunk. The staged path computes
//! the same; `tests/engine/parity.rs` compares the two.

mod rows;

use rayon::prelude::*;
use thixo_math::{Lanes, Mask, Matrix, Vector};
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::stencil::{StencilBase, TileFrame, locate};
use super::{SegmentView, StepOutcome, Transfer};
use crate::collide::Guard;
use crate::grid::{BaseRange, Field, Geometry, Node, NodeBox, Tile};
use crate::kernel::{KernelKind, Quadratic, Spline};
use crate::material::{Batch, Material};
use crate::particles::Layout;
use crate::transfer::TransferContext;
use rows::Rows;

/// Groups per chunk: particles, velocities and stress of a chunk stay in the first-level cache
/// beside two tiles.
const CHUNK: usize = 16;

/// The parts of a step that a pass performs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pass<'a, T, const D: usize> {
    /// First pass of a frame: scatter from the cold columns, with forces for `next_dt`.
    Begin {
        /// The coming time step \[s\].
        next_dt: f64,
    },
    /// Gather, move, and scatter again.
    Middle {
        /// Velocities of the grid \[m/s\].
        velocity: &'a Field<T, 4>,
        /// The coming time step \[s\].
        next_dt: f64,
    },
    /// Last pass of a frame: gather, move, and write the cold columns.
    End {
        /// Velocities of the grid \[m/s\].
        velocity: &'a Field<T, 4>,
    },
}

/// True if the fused path supports this transfer and kernel.
pub(crate) fn serves<const D: usize>(transfer: Transfer, geometry: &Geometry<D>) -> bool {
    transfer == Transfer::Mls && geometry.kernel() == KernelKind::Quadratic
}

/// Runs one pass over all segments; tiles hold mass and momentum afterwards unless the pass was the
/// last.
pub(crate) fn run<T: Scalar, const D: usize>(
    pass: Pass<'_, T, D>,
    work: Vec<SegmentView<'_, T, D>>,
    context: &TransferContext<'_, T, D>,
) -> StepOutcome<T> {
    let side = context.step.geometry.tile_side();
    let (velocity, next_dt) = match pass {
        Pass::Begin { next_dt } => (None, Some(next_dt)),
        Pass::Middle { velocity, next_dt } => (Some(velocity), Some(next_dt)),
        Pass::End { velocity } => (Some(velocity), None),
    };
    work.into_par_iter()
        .map_init(
            || (Tile::new(side), Tile::new(side), Scratch::new::<D>()),
            |(input, output, scratch), work| {
                let segment = work.segment;
                let blocks = &context.step.order.blocks;
                if let Some(velocity) = velocity {
                    // Particles are at the positions of the last scatter.
                    input.load((segment.block, &*work.touched), blocks, velocity.values());
                }
                if next_dt.is_some() {
                    output.clear::<D>();
                }
                let kernel = FusedSegment::<T, D> {
                    hot: work.hot,
                    hot_stride: work.hot_stride,
                    cold: work.cold,
                    input: velocity.map(|_| input.nodes()),
                    output: next_dt.map(|_| output.nodes_mut()),
                    scratch,
                    guard: velocity
                        .and_then(|_| Guard::around(context.colliders, segment, &context.step)),
                    material: &*context.materials[segment.species],
                    frame: TileFrame::new(context.step.geometry),
                    h: context.step.geometry.spacing(),
                    dt: T::from_f64(context.step.dt),
                    next_dt: T::from_f64(next_dt.unwrap_or(0.0)),
                    isa: context.step.isa,
                };
                let (moved, touched) = dispatch(context.step.isa, kernel);
                if next_dt.is_some() {
                    *work.touched = touched;
                    output.store(work.touched, work.tile);
                }
                moved
            },
        )
        .reduce(StepOutcome::none, StepOutcome::merge)
}

/// Velocity, velocity gradient and stress of a chunk.
struct Scratch<T> {
    velocity: Vec<T>,
    gradient: Vec<T>,
    stress: Vec<T>,
}

impl<T: Scalar> Scratch<T> {
    fn new<const D: usize>() -> Self {
        let column = CHUNK * T::LANES;
        Self {
            velocity: vec![T::zero(); D * column],
            gradient: vec![T::zero(); D * D * column],
            stress: vec![T::zero(); Layout::<D>::SYMMETRIC * column],
        }
    }
}

struct FusedSegment<'a, T: Scalar, const D: usize> {
    hot: &'a mut [T],
    hot_stride: usize,
    cold: &'a mut [T],
    input: Option<&'a [Node<T>]>,
    output: Option<&'a mut [Node<T>]>,
    scratch: &'a mut Scratch<T>,
    guard: Option<Guard<'a, T, D>>,
    material: &'a dyn Material<T, D>,
    frame: TileFrame<T>,
    h: f64,
    dt: T,
    next_dt: T,
    isa: Isa,
}

impl<T: Scalar, const D: usize> Kernel<T> for FusedSegment<'_, T, D> {
    type Output = (StepOutcome<T>, NodeBox<D>);

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(mut self) -> Self::Output {
        let cold_stride = Layout::<D>::COLD * L::LANES;
        let mut moved = StepOutcome::none();
        let mut speed_squared = L::zero();
        let mut touched = BaseRange::<L, D>::none();
        let mut contained = L::zero().le(L::zero());
        let mut cold_left = self.cold;
        for hot in self.hot.chunks_mut(CHUNK * self.hot_stride) {
            let groups = hot.len() / self.hot_stride;
            let length = cold_left.len().min(groups * cold_stride);
            let (cold, rest) = core::mem::take(&mut cold_left).split_at_mut(length);
            cold_left = rest;
            if let Some(input) = self.input {
                if let Some(guard) = &mut self.guard {
                    guard.record_positions(hot, self.hot_stride);
                }
                for g in 0..groups {
                    let hot = &mut hot[g * self.hot_stride..][..self.hot_stride];
                    let (speed, inside) = gather_group::<L, D>(
                        hot,
                        &mut self.scratch.velocity[g * D * L::LANES..],
                        &mut self.scratch.gradient[g * D * D * L::LANES..],
                        input,
                        &self.frame,
                        self.dt,
                    );
                    speed_squared = speed.max(speed_squared);
                    contained = contained.and(inside).and(speed.is_finite());
                }
                if let Some(guard) = &self.guard {
                    let velocity = &mut self.scratch.velocity;
                    let stride = D * L::LANES;
                    let corrected = guard.correct(hot, self.hot_stride, velocity, stride);
                    moved = moved.corrected(corrected);
                }
                let batch = Batch {
                    hot: &mut *hot,
                    hot_stride: self.hot_stride,
                    velocity_gradient: &self.scratch.gradient[..groups * D * D * L::LANES],
                    stress: &mut self.scratch.stress,
                    stress_stride: Layout::<D>::SYMMETRIC * L::LANES,
                    stress_first: 0,
                };
                let limits = self.material.update(self.isa, batch, self.dt);
                moved.limits = moved.limits.merge(limits);
            } else {
                for g in 0..groups {
                    self.scratch
                        .read::<D>(g, &cold[g * cold_stride..][..cold_stride]);
                }
            }
            match &mut self.output {
                Some(output) => {
                    for g in 0..groups {
                        let located = scatter_group::<L, D>(
                            &hot[g * self.hot_stride..][..self.hot_stride],
                            &self.scratch.velocity[g * D * L::LANES..],
                            &self.scratch.gradient[g * D * D * L::LANES..],
                            &self.scratch.stress[g * Layout::<D>::SYMMETRIC * L::LANES..],
                            output,
                            &self.frame,
                            Units {
                                h: self.h,
                                dt: self.next_dt,
                            },
                        );
                        contained = contained.and(located.inside);
                        touched.include(&located.base);
                    }
                }
                None => {
                    for g in 0..groups {
                        self.scratch
                            .write::<D>(g, &mut cold[g * cold_stride..][..cold_stride]);
                    }
                }
            }
        }
        moved.speed_squared = moved.speed_squared.max(speed_squared.max_lane());
        moved.contained = contained.all();
        (moved, touched.nodes(Quadratic::WIDTH, self.frame.side))
    }
}

impl<T: Scalar> Scratch<T> {
    /// Fills the `g`-th group from its cold columns.
    #[inline(always)]
    fn read<const D: usize>(&mut self, g: usize, cold: &[T]) {
        let (v, rest) = cold.split_at(D * T::LANES);
        let (affine, stress) = rest.split_at(D * D * T::LANES);
        self.velocity[g * v.len()..][..v.len()].copy_from_slice(v);
        self.gradient[g * affine.len()..][..affine.len()].copy_from_slice(affine);
        self.stress[g * stress.len()..][..stress.len()].copy_from_slice(stress);
    }
    /// Fills the cold columns from the `g`-th group.
    #[inline(always)]
    fn write<const D: usize>(&self, g: usize, cold: &mut [T]) {
        let (v, rest) = cold.split_at_mut(D * T::LANES);
        let (affine, stress) = rest.split_at_mut(D * D * T::LANES);
        v.copy_from_slice(&self.velocity[g * v.len()..][..v.len()]);
        affine.copy_from_slice(&self.gradient[g * affine.len()..][..affine.len()]);
        stress.copy_from_slice(&self.stress[g * stress.len()..][..stress.len()]);
    }
}

/// Grid spacing and time step of a scatter.
#[derive(Clone, Copy)]
struct Units<T> {
    h: f64,
    dt: T,
}

#[inline(always)]
fn load_position<L: Lanes, const D: usize>(hot: &[L::Scalar]) -> Vector<L, D> {
    let mut x = Vector::zero();
    for a in 0..D {
        x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
    }
    x
}

/// Velocity and C of a group, equations (9), (10) and (4), and its new position. Returns squared
/// speeds \[m²/s²\] and the lanes that were inside the tile.
#[inline(always)]
fn gather_group<L: Lanes, const D: usize>(
    hot: &mut [L::Scalar],
    velocity: &mut [L::Scalar],
    gradient: &mut [L::Scalar],
    input: &[Node<L::Scalar>],
    frame: &TileFrame<L::Scalar>,
    dt: L::Scalar,
) -> (L, L::Mask)
where
    L::Scalar: Scalar,
{
    let mut x = load_position::<L, D>(hot);
    let located = locate::<L, Quadratic, D>(&x, frame);
    let rows = Rows::<L::Scalar, D>::new::<L>(&located, frame.side);
    let mut sums = [L::Scalar::default(); 128];
    for lane in 0..L::LANES {
        rows.gather::<L>(lane, input.as_flattened(), &mut sums[lane * 16..][..16]);
    }
    let quads = L::load_transposed(&sums, 16);
    let mut v = Vector::<L, D>::zero();
    let dt_over_h = L::splat_scalar(dt) * L::splat_scalar(frame.inv_h);
    for a in 0..D {
        v[a] = quads[a];
        v[a].store(&mut velocity[a * L::LANES..]);
        // Positions are in cells.
        x[a] = dt_over_h.mul_add(v[a], x[a]);
        x[a].store(&mut hot[(Layout::<D>::X + a) * L::LANES..]);
    }
    // C = B D⁻¹ = h (Σ w i v − f v) · 4/h².
    let scale = L::splat_scalar(frame.inv_h) * L::splat(1.0 / Quadratic::INERTIA.unwrap_or(1.0));
    let fraction = rows.fraction::<L>(&located);
    for d in 0..D {
        let first = L::load_transposed(&sums[4 + 4 * d..], 16);
        for c in 0..D {
            let moment = (-fraction[d]).mul_add(v[c], first[c]);
            (scale * moment).store(&mut gradient[(c * D + d) * L::LANES..]);
        }
    }
    (v.norm_squared(), located.inside)
}

/// Adds mass, momentum and the impulse of stress of a group to the tile: equations (1), (2) and
/// (4). Returns the stencils of the group.
#[inline(always)]
fn scatter_group<L: Lanes, const D: usize>(
    hot: &[L::Scalar],
    velocity: &[L::Scalar],
    gradient: &[L::Scalar],
    stress: &[L::Scalar],
    output: &mut [Node<L::Scalar>],
    frame: &TileFrame<L::Scalar>,
    units: Units<L::Scalar>,
) -> StencilBase<L, D>
where
    L::Scalar: Scalar,
{
    let x = load_position::<L, D>(hot);
    let located = locate::<L, Quadratic, D>(&x, frame);
    let rows = Rows::<L::Scalar, D>::new::<L>(&located, frame.side);
    let fraction = rows.fraction::<L>(&located);
    let mass = L::load(&hot[Layout::<D>::MASS * L::LANES..]);
    let volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
    // h (m C − Δt V⁰ τ D⁻¹), D⁻¹ = 4/h².
    let inverse_inertia = 1.0 / Quadratic::INERTIA.unwrap_or(1.0);
    let impulse = volume
        * L::splat_scalar(units.dt)
        * L::splat_scalar(frame.inv_h)
        * L::splat(-inverse_inertia);
    let momentum = mass * L::splat(units.h);
    let mut affine = Matrix::<L, D>::zero();
    let mut constant = Vector::<L, D>::zero();
    let mut entry = 0;
    for i in 0..D {
        for j in i..D {
            let tau = impulse * L::load(&stress[entry * L::LANES..]);
            entry += 1;
            let c = L::load(&gradient[(i * D + j) * L::LANES..]);
            affine[i][j] = momentum.mul_add(c, tau);
            if j != i {
                let c = L::load(&gradient[(j * D + i) * L::LANES..]);
                affine[j][i] = momentum.mul_add(c, tau);
            }
        }
        constant[i] = mass * L::load(&velocity[i * L::LANES..]);
    }
    for i in 0..D {
        for j in 0..D {
            constant[i] = (-affine[i][j]).mul_add(fraction[j], constant[i]);
        }
    }
    let mut quads = [L::Scalar::default(); 128];
    let mut columns = [L::zero(); 4];
    columns[..D].copy_from_slice(&constant.0);
    columns[3] = mass;
    L::store_transposed(columns, &mut quads, 16);
    for d in 0..D {
        let mut columns = [L::zero(); 4];
        for c in 0..D {
            columns[c] = affine[c][d];
        }
        L::store_transposed(columns, &mut quads[4 + 4 * d..], 16);
    }
    for lane in 0..L::LANES {
        rows.scatter::<L>(lane, &quads[lane * 16..][..16], output.as_flattened_mut());
    }
    located
}
