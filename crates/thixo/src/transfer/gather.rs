//! Grid to particles, staged: velocity, affine matrix, position, deformation and stress of each
//! segment while its tile is in the cache.

use rayon::prelude::*;
use thixo_math::{Lanes, Mask, Matrix, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::backward_advection::{Advection, BackwardAdvection};
use super::stencil::{Affine, Stencils, TileFrame, locate};
use super::{SegmentView, StencilSums, StepOutcome, Transfer, segment_views};
use crate::collide::Guard;
use crate::grid::{Field, Grid, MASS, Node, Tile, Tiles};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::material::{Batch, Material};
use crate::particles::{Layout, Particles};
use crate::porous::{CheckedMixture, LEAST_POROSITY, ParameterColumns, WetMatter};
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
        medium: None,
    };
    gather_by_material((|_| velocities, None), particles, tiles, context)
}

/// Velocities that particles gather.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridVelocities<'a, T> {
    /// Velocities at the end of the step.
    pub after: &'a Field<T, 4>,
    /// Velocities before it, where they are stored.
    pub before: Option<&'a Field<T, 4>>,
    /// Matter of other phases around the particles.
    pub medium: Option<Medium<'a, T>>,
}

/// Matter of other phases around particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medium<'a, T> {
    /// Flux φ v \[m/s\], and φ in place of the mass.
    pub field: &'a Field<T, 4>,
    /// True if φ is the share of space of solids around a fluid.
    pub is_solid: bool,
    /// True if the fluid gives room to the solids, equation (73).
    pub is_compressed: bool,
    /// Hot column in which particles keep φ, or 1 − φ of solids.
    pub column: Option<usize>,
    /// Hot column in which particles keep the pressure of the fluid around them.
    pub pore_column: Option<usize>,
    /// Means over the particles of a fluid, for these.
    pub means: Option<FluidMeans<'a, T>>,
}

/// Means over the particles of a fluid at the nodes, equation (73a).
#[derive(Clone, Copy, Debug)]
pub(crate) struct FluidMeans<'a, T> {
    /// Pressure \[Pa\] in the first place, J − 1 in that of the mass.
    pub field: &'a Field<T, 4>,
    /// Share of the difference from the mean that a step takes away; zero for none.
    pub smoothing: f64,
}

/// The same with velocities that depend on the material.
pub(crate) fn gather_by_material<'a, T: Scalar, const D: usize>(
    (velocities_of, mixture): (
        impl Fn(usize) -> GridVelocities<'a, T> + Sync,
        Option<&CheckedMixture<D>>,
    ),
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
            || {
                (
                    core::array::from_fn(|_| Tile::new(side)),
                    Vec::new(),
                    Vec::new(),
                )
            },
            |(tiles, gradient, start), mut work| {
                let [after, before, around, means]: &mut [Tile<T>; 4] = tiles;
                let blocks = &context.step.order.blocks;
                let part = (work.segment.block, &work.segment.bounds);
                let velocities = velocities_of(work.segment.species);
                let velocities_before = velocities.before.filter(|_| needs_before);
                after.load(part, blocks, velocities.after.values());
                if let Some(nodes) = velocities_before {
                    before.load(part, blocks, nodes.values());
                }
                if let Some(medium) = velocities.medium {
                    around.load(part, blocks, medium.field.values());
                    if let Some(own) = medium.means {
                        means.load(part, blocks, own.field.values());
                    }
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
                    medium: velocities.medium.map(|medium| (medium, around.nodes())),
                    means: means.nodes(),
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
                let material = &context.materials[work.segment.species];
                let wet = mixture.and_then(|mixture| {
                    let column = velocities.medium?.column?;
                    wet_parameters(mixture, material.as_ref(), &mut work, column, context)
                });
                let batch = Batch {
                    hot: work.hot,
                    hot_stride: work.hot_stride,
                    velocity_gradient: gradient,
                    stress: work.cold,
                    stress_stride: Layout::<D>::COLD * T::LANES,
                    stress_first: Layout::<D>::STRESS * T::LANES,
                };
                moved.limits = material.update(context.step.isa, batch, dt);
                if let Some((columns, entered)) = wet {
                    columns.restore(work.hot, &entered);
                }
                moved
            },
        )
        .reduce(StepOutcome::none, StepOutcome::merge)
}

/// Replaces the parameters of the particles of a segment by those of wet matter, equation (75),
/// where the material has a rule for that; returns where they are, and those of entry.
fn wet_parameters<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    material: &dyn Material<T, D>,
    work: &mut SegmentView<'_, T, D>,
    column: usize,
    context: &TransferContext<'_, T, D>,
) -> Option<(ParameterColumns, Vec<T>)> {
    let rule = mixture.interaction(work.segment.species)?;
    let own = material.own_parameters().len();
    let columns = ParameterColumns {
        stride: work.hot_stride,
        first: Layout::<D>::STATE + material.state_columns() - own,
        count: own,
    };
    let step = &context.step;
    let block = step.order.blocks.coordinate(work.segment.block);
    let (mut wetness, mut positions) = (Vec::new(), Vec::new());
    for group in work.hot.chunks_exact(work.hot_stride) {
        for lane in 0..T::LANES {
            let at = |column: usize| group[column * T::LANES + lane];
            let mut offset = Vector::zero();
            for a in 0..D {
                offset[a] = at(Layout::<D>::X + a);
            }
            wetness.push(at(column).to_f64());
            positions.push(step.geometry.position(block, offset).0);
        }
    }
    let matter = WetMatter {
        wetness: &wetness,
        positions: &positions,
        time: step.time + step.dt,
    };
    Some((columns, rule.apply(matter, work.hot, columns)))
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
                medium: None,
                means: &[],
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
    /// Matter of other phases, with its nodes.
    medium: Option<(Medium<'a, T>, &'a [Node<T>])>,
    /// Nodes of the means over a fluid, where there are some.
    means: &'a [Node<T>],
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
        let per_step = L::one() / L::splat_scalar(self.dt);
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
            let mut update = self.transfer.take(v, &sums, inertia);
            if let Some((medium, nodes)) = &self.medium {
                let mut around = [[[T::zero(); 4]; MAX_LANES]; 8];
                for lane in 0..L::LANES {
                    write_lane(&mut around, lane, &stencils.gather::<K>(lane, nodes));
                }
                let quad = |k: usize| L::load_transposed(around[k].as_flattened(), 4);
                let here = quad(0);
                let share = here[MASS];
                if medium.is_compressed {
                    // (∇·(φ_s v_s) − v·∇φ_s)/φ_f, equation (73), as part of ∇·v.
                    let mut inflow = L::zero();
                    for d in 0..D {
                        let along = match (self.transfer, inertia) {
                            (Transfer::Mls, Some(delta)) => {
                                let first = quad(1 + d);
                                let moment = |k: usize| first[k] - located.fraction[d] * here[k];
                                [moment(d), moment(MASS)].map(|moment| h * moment / delta)
                            }
                            _ => {
                                let slope = quad(1 + D + d);
                                [slope[d], slope[MASS]].map(|slope| inv_h * slope)
                            }
                        };
                        inflow += along[0] - velocity[d] * along[1];
                    }
                    let room = (L::one() - share).max(L::splat(LEAST_POROSITY));
                    let rate = inflow / room * L::splat(1.0 / D as f64);
                    for a in 0..D {
                        update.gradient[a][a] += rate;
                    }
                }
                let mut pore_pressure = here[0];
                if let Some(FluidMeans { smoothing, .. }) = medium.means {
                    let mut mean = [[T::zero(); 4]; MAX_LANES];
                    for lane in 0..L::LANES {
                        mean[lane] = stencils.gather::<K>(lane, self.means).constant;
                    }
                    let mean = L::load_transposed(mean.as_flattened(), 4);
                    pore_pressure = mean[0];
                    if smoothing > 0.0 {
                        // J̇ Δt of (73a), as part of ∇·v.
                        let growth = L::load(&hot[Layout::<D>::STATE * L::LANES..]);
                        let change = (mean[MASS] - growth) / (L::one() + growth);
                        let rate = change * per_step * L::splat(smoothing / D as f64);
                        for a in 0..D {
                            update.gradient[a][a] += rate;
                        }
                    }
                }
                if let Some(column) = medium.pore_column {
                    pore_pressure.store(&mut hot[column * L::LANES..]);
                }
                if let Some(column) = medium.column {
                    let value = if medium.is_solid {
                        L::one() - share
                    } else {
                        share
                    };
                    value.store(&mut hot[column * L::LANES..]);
                }
            }
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
