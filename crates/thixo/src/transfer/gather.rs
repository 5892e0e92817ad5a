//! Grid to particles, staged: velocity, affine matrix, position, deformation and stress of each
//! segment while its tile is in the cache.

use rayon::prelude::*;
use thixo_math::{Lanes, Mask, Matrix, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::backward_advection::{Advection, BackwardAdvection};
use super::stencil::{Affine, Stencils, TileFrame, locate};
use super::{StencilSums, StepOutcome, Transfer, segment_views};
use crate::collide::Guard;
use crate::grid::{Field, Grid, Node, Tile, Tiles};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::material::Batch;
use crate::particles::{Layout, Particles};
use crate::transfer::TransferContext;

/// Moves all particles by the grid's velocity and updates their state: equations (9)–(13).
pub(crate) fn gather<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
) -> StepOutcome<T> {
    let Grid {
        nodes,
        before,
        tiles,
        ..
    } = grid;
    let velocities = GridVelocities {
        after: nodes,
        before: before.as_ref(),
    };
    gather_from(|_| velocities, particles, tiles, context)
}

/// Velocities that particles gather.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridVelocities<'a, T> {
    /// Velocities at the end of the step.
    pub after: &'a Field<T, 4>,
    /// Velocities before it, where they are stored.
    pub before: Option<&'a Field<T, 4>>,
}

/// The same with velocities that depend on the material.
pub(crate) fn gather_from<'a, T: Scalar, const D: usize>(
    velocities_of: impl Fn(usize) -> GridVelocities<'a, T> + Sync,
    particles: &mut Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
) -> StepOutcome<T> {
    let work = segment_views(particles, context.step.order, tiles);
    let needs_before = context.transfer.needs_velocity_before();
    let kernel = context.step.geometry.kernel();
    let (spacing, side) = (
        context.step.geometry.spacing(),
        context.step.geometry.tile_side(),
    );
    let dt = T::from_f64(context.step.dt);
    work.into_par_iter()
        .map_init(
            || (Tile::new(side), Tile::new(side), Vec::new(), Vec::new()),
            |(after, before, gradient, start), work| {
                let blocks = &context.step.order.blocks;
                let part = (work.segment.block, &work.segment.bounds);
                let velocities = velocities_of(work.segment.species);
                let velocities_before = velocities.before.filter(|_| needs_before);
                after.load(part, blocks, velocities.after.values());
                if let Some(nodes) = velocities_before {
                    before.load(part, blocks, nodes.values());
                }
                gradient.resize(work.segment.groups.len() * D * D * T::LANES, T::zero());
                let mut guard = Guard::around(context.colliders, work.segment, &context.step);
                if let Some(guard) = &mut guard {
                    guard.record_positions(work.hot, work.hot_stride);
                }
                if context.advection == Advection::Backward {
                    copy_positions::<T, D>(start, work.hot, work.hot_stride);
                }
                let gather = GatherSegment::<T, D> {
                    transfer: context.transfer,
                    hot: work.hot,
                    hot_stride: work.hot_stride,
                    cold: work.cold,
                    gradient,
                    after: after.nodes(),
                    before: velocities_before.map(|_| before.nodes()),
                    frame: TileFrame::new(context.step.geometry),
                    h: spacing,
                    dt,
                };
                let mut moved = dispatch_spline(context.step.isa, kernel, gather);
                if context.advection == Advection::Backward {
                    let arrive = BackwardAdvection::<T, D> {
                        hot: work.hot,
                        hot_stride: work.hot_stride,
                        start,
                        nodes: after.nodes(),
                        frame: TileFrame::new(context.step.geometry),
                        h: spacing,
                        dt,
                    };
                    moved = moved.merge(dispatch_spline(context.step.isa, kernel, arrive));
                }
                if let Some(guard) = guard {
                    let cold_stride = Layout::<D>::COLD * T::LANES;
                    let held = guard.correct(work.hot, work.hot_stride, work.cold, cold_stride);
                    moved = moved.corrected(held);
                }
                let batch = Batch {
                    hot: work.hot,
                    hot_stride: work.hot_stride,
                    velocity_gradient: gradient,
                    stress: work.cold,
                    stress_stride: Layout::<D>::COLD * T::LANES,
                    stress_first: Layout::<D>::STRESS * T::LANES,
                };
                let material = &context.materials[work.segment.species];
                moved.limits = material.update(context.step.isa, batch, dt);
                moved
            },
        )
        .reduce(StepOutcome::none, StepOutcome::merge)
}

/// Gives all particles the grid's velocity, equations (9) and (10), without moving or deforming
/// them. The velocity before the step is that of the grid too.
pub(crate) fn gather_velocity<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
) {
    let Grid { nodes, tiles, .. } = grid;
    let work = segment_views(particles, context.step.order, tiles);
    let kernel = context.step.geometry.kernel();
    let side = context.step.geometry.tile_side();
    work.into_par_iter().for_each_init(
        || (Tile::new(side), Vec::new()),
        |(tile, gradient), work| {
            let blocks = &context.step.order.blocks;
            let part = (work.segment.block, &work.segment.bounds);
            tile.load(part, blocks, nodes.values());
            gradient.resize(work.segment.groups.len() * D * D * T::LANES, T::zero());
            let before = context.transfer.needs_velocity_before();
            let gather = GatherSegment::<T, D> {
                transfer: context.transfer,
                hot: work.hot,
                hot_stride: work.hot_stride,
                cold: work.cold,
                gradient,
                after: tile.nodes(),
                before: before.then(|| tile.nodes()),
                frame: TileFrame::new(context.step.geometry),
                h: context.step.geometry.spacing(),
                dt: T::zero(),
            };
            dispatch_spline(context.step.isa, kernel, gather);
        },
    );
}

/// Copies positions, component after component for each group.
fn copy_positions<T: Scalar, const D: usize>(to: &mut Vec<T>, hot: &[T], hot_stride: usize) {
    to.clear();
    for group in hot.chunks_exact(hot_stride) {
        to.extend(&group[Layout::<D>::X * T::LANES..][..D * T::LANES]);
    }
}

struct GatherSegment<'a, T, const D: usize> {
    transfer: Transfer,
    hot: &'a mut [T],
    hot_stride: usize,
    cold: &'a mut [T],
    gradient: &'a mut [T],
    after: &'a [Node<T>],
    before: Option<&'a [Node<T>]>,
    frame: TileFrame<T>,
    h: f64,
    dt: T,
}

impl<T: Scalar, const D: usize> SplineKernel<T> for GatherSegment<'_, T, D> {
    type Output = StepOutcome<T>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) -> StepOutcome<T> {
        let h = L::splat(self.h);
        let inv_h = L::splat_scalar(self.frame.inv_h);
        let inertia = K::INERTIA.map(|delta| L::splat(delta * self.h * self.h));
        // Positions are in cells.
        let dt_over_h = L::splat_scalar(self.dt) * inv_h;
        let mut speed_squared = L::zero();
        let mut contained = L::zero().le(L::zero());
        let groups = self
            .hot
            .chunks_exact_mut(self.hot_stride)
            .zip(self.cold.chunks_exact_mut(Layout::<D>::COLD * L::LANES))
            .zip(self.gradient.chunks_exact_mut(D * D * L::LANES));
        for ((hot, cold), gradient) in groups {
            let mut x = Vector::zero();
            let mut v = Vector::zero();
            for a in 0..D {
                x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
                v[a] = L::load(&cold[(Layout::<D>::V + a) * L::LANES..]);
            }
            let located = locate::<L, K, D>(&x, &self.frame);
            let stencils = Stencils::new::<L, K>(&located, self.frame.side);
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; 8];
            for lane in 0..L::LANES {
                write_lane(&mut quads, lane, &stencils.gather::<K>(lane, self.after));
                if let Some(before) = self.before {
                    quads[7][lane] = stencils.gather::<K>(lane, before).constant;
                }
            }
            let velocity: Vector<L, D> = read_quads(&quads[0]);
            let mut sums = StencilSums {
                velocity,
                velocity_before: read_quads(&quads[7]),
                moment: Matrix::zero(),
                gradient: Matrix::zero(),
            };
            for d in 0..D {
                let first: Vector<L, D> = read_quads(&quads[1 + d]);
                let slope: Vector<L, D> = read_quads(&quads[1 + D + d]);
                for c in 0..D {
                    sums.moment[c][d] = h * (first[c] - located.fraction[d] * velocity[c]);
                    sums.gradient[c][d] = inv_h * slope[c];
                }
            }
            let update = self.transfer.take(v, &sums, inertia);
            for a in 0..D {
                let moved = dt_over_h.mul_add(velocity[a], x[a]);
                moved.store(&mut hot[(Layout::<D>::X + a) * L::LANES..]);
                update.velocity[a].store(&mut cold[(Layout::<D>::V + a) * L::LANES..]);
                for b in 0..D {
                    let column = Layout::<D>::AFFINE + a * D + b;
                    update.affine[a][b].store(&mut cold[column * L::LANES..]);
                    update.gradient[a][b].store(&mut gradient[(a * D + b) * L::LANES..]);
                }
            }
            let squared = velocity.norm_squared();
            speed_squared = squared.max(speed_squared);
            let finite = squared
                .is_finite()
                .and(update.velocity.norm_squared().is_finite());
            contained = contained.and(located.inside).and(finite);
        }
        StepOutcome {
            speed_squared: speed_squared.max_lane(),
            contained: contained.all(),
            ..StepOutcome::none()
        }
    }
}

#[inline(always)]
pub(super) fn write_lane<T: Scalar, const D: usize>(
    quads: &mut [[Node<T>; MAX_LANES]; 8],
    lane: usize,
    sums: &Affine<T, D>,
) {
    quads[0][lane] = sums.constant;
    for d in 0..D {
        quads[1 + d][lane] = sums.linear[d];
        quads[1 + D + d][lane] = sums.gradient[d];
    }
}

/// Transposes a quad for each lane into a vector of lanes.
#[inline(always)]
pub(super) fn read_quads<L: Lanes, const D: usize>(
    from: &[[L::Scalar; 4]; MAX_LANES],
) -> Vector<L, D> {
    let columns = L::load_transposed(from.as_flattened(), 4);
    let mut out = Vector::zero();
    for a in 0..D {
        out[a] = columns[a];
    }
    out
}
