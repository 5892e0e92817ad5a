//! Increments M = Δt∇v of all particles for a velocity field on the grid, and the transpose of that
//! map: the assembly of gradients and Hessian products of an implicit step.
//!
//! One pass does both: the particles of a segment gather their increments from its tile, a function
//! of the caller makes a matrix G of each, and Δt G ∇w is scattered into the tile. Gradients and
//! Hessian products differ only in that function. With MLS, ∇w is w D_p⁻¹ (x_i − x_p),
//! equation (4).

use rayon::prelude::*;
use thixo_par::Scalar;

use super::StressForce;
use super::increment_kernels::{GatherIncrements, ScatterGradients, ScatterSquares};
use super::stencil::TileFrame;
use crate::grid::{Node, NodeBox, Segment, Tile, Tiles};
use crate::kernel::{SplineKernel, dispatch_smooth_spline};
use crate::particles::Particles;
use crate::transfer::TransferContext;
use crate::transfer::gradient::GradientUnit;

/// The particles of a segment with their increments.
#[derive(Debug)]
pub(crate) struct SegmentIncrements<'a, T, const D: usize> {
    /// Block, material and range of groups.
    pub segment: &'a Segment<D>,
    /// Hot columns of its groups.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// Increments M, D² columns.
    pub increments: &'a [T],
}

/// Gathers the increments of all particles, lets `apply` write a matrix G for each (D² columns),
/// and scatters Δt G ∇w into the tiles. Without a velocity all increments are zero. Returns the
/// sums of the values of `apply`, in a fixed order.
pub(crate) fn gather_apply_scatter<T: Scalar, const D: usize>(
    velocity: Option<&[Node<T>]>,
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    apply: impl Fn(SegmentIncrements<'_, T, D>, &mut [T]) -> [f64; 2] + Sync,
) -> [f64; 2] {
    let pass = Pass::new(velocity, particles, context);
    let storage = context.step.order.segments.iter().zip(tiles.segments_mut());
    let storage: Vec<_> = storage
        .map(|(segment, (room, reached))| (segment, room, reached))
        .collect();
    let sums: Vec<[f64; 2]> = storage
        .into_par_iter()
        .map_init(
            || (Tile::new(pass.side), Vec::new(), Vec::new()),
            |(tile, increments, gradients), (segment, room, reached)| {
                pass.gather((segment, reached), tile, increments);
                gradients.resize(increments.len(), T::zero());
                let sums = apply(pass.at(segment, increments), gradients);
                tile.clear::<D>();
                pass.scatter(segment, gradients, tile);
                tile.store(reached, room);
                sums
            },
        )
        .collect();
    total(sums)
}

/// Gathers the increments of all particles and returns the sums of the values of `apply`, in a
/// fixed order; the matrices that it writes are discarded.
pub(crate) fn gather_apply_sum<T: Scalar, const D: usize>(
    velocity: &[Node<T>],
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    apply: impl Fn(SegmentIncrements<'_, T, D>, &mut [T]) -> [f64; 2] + Sync,
) -> [f64; 2] {
    let pass = Pass::new(Some(velocity), particles, context);
    let segments = context.step.order.segments.iter().zip(tiles.segments_mut());
    let segments: Vec<_> = segments
        .map(|(segment, (_, reached))| (segment, &*reached))
        .collect();
    let sums = segments
        .into_par_iter()
        .map_init(
            || (Tile::new(pass.side), Vec::new(), Vec::new()),
            |(tile, increments, gradients), (segment, reached)| {
                pass.gather((segment, reached), tile, increments);
                gradients.resize(increments.len(), T::zero());
                apply(pass.at(segment, increments), gradients)
            },
        )
        .collect();
    total(sums)
}

fn total(sums: Vec<[f64; 2]>) -> [f64; 2] {
    let add = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a + c, b + d];
    sums.into_iter().fold([0.0; 2], add)
}

/// Gathers the increments of all particles and lets `apply` write the rows of each segment in
/// `tables`: one table per species with the given number of columns.
pub(crate) fn gather_apply_store<T: Scalar, const D: usize>(
    velocity: &[Node<T>],
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    (tables, columns): (&mut [Vec<T>], usize),
    apply: impl Fn(SegmentIncrements<'_, T, D>, &mut [T]) + Sync,
) {
    let pass = Pass::new(Some(velocity), particles, context);
    let mut rest: Vec<&mut [T]> = tables.iter_mut().map(|table| &mut table[..]).collect();
    let mut jobs = Vec::with_capacity(context.step.order.segments.len());
    for (segment, (_, reached)) in context.step.order.segments.iter().zip(tiles.segments_mut()) {
        let length = segment.groups.len() * columns * T::LANES;
        let table = core::mem::take(&mut rest[segment.species]);
        let (own, others) = table.split_at_mut(length);
        rest[segment.species] = others;
        jobs.push((segment, &*reached, own));
    }
    jobs.into_par_iter().for_each_init(
        || (Tile::new(pass.side), Vec::new()),
        |(tile, increments), (segment, reached, own)| {
            pass.gather((segment, reached), tile, increments);
            apply(pass.at(segment, increments), own);
        },
    );
}

/// Scatters the diagonal of Δt² Σ_p ∇wᵀ C ∇w with D² coefficients c_ab per particle that
/// `coefficients` writes: component a of a node gets Δt² Σ_b c_ab (∂w/∂x_b)².
pub(crate) fn scatter_diagonal<T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    coefficients: impl Fn(&Segment<D>, &mut [T]) + Sync,
) {
    let pass = Pass::new(None, particles, context);
    let storage = context.step.order.segments.iter().zip(tiles.segments_mut());
    let storage: Vec<_> = storage
        .map(|(segment, (room, reached))| (segment, room, reached))
        .collect();
    storage.into_par_iter().for_each_init(
        || (Tile::new(pass.side), Vec::new()),
        |(tile, table), (segment, room, reached)| {
            table.resize(segment.groups.len() * D * D * T::LANES, T::zero());
            coefficients(segment, table);
            tile.clear::<D>();
            pass.squares(segment, table, tile);
            tile.store(reached, room);
        },
    );
}

/// Data shared by all segments of a pass.
struct Pass<'a, T: Scalar, const D: usize> {
    velocity: Option<&'a [Node<T>]>,
    particles: &'a Particles<T, D>,
    context: &'a TransferContext<'a, T, D>,
    /// Units of Δt ∇w.
    unit: GradientUnit,
    side: usize,
}

impl<'a, T: Scalar, const D: usize> Pass<'a, T, D> {
    fn new(
        velocity: Option<&'a [Node<T>]>,
        particles: &'a Particles<T, D>,
        context: &'a TransferContext<'a, T, D>,
    ) -> Self {
        Self {
            velocity,
            particles,
            context,
            unit: StressForce::new(context.transfer, context.step.geometry)
                .unit(context.step.geometry.spacing())
                .times(context.step.dt),
            side: context.step.geometry.tile_side(),
        }
    }
    fn hot(&self, segment: &Segment<D>) -> (&'a [T], usize) {
        let hot = &self.particles.species[segment.species].hot;
        let stride = hot.stride();
        let range = segment.groups.start * stride..segment.groups.end * stride;
        (&hot.data()[range], stride)
    }
    fn at<'b>(&self, segment: &'b Segment<D>, increments: &'b [T]) -> SegmentIncrements<'b, T, D>
    where
        'a: 'b,
    {
        let (hot, hot_stride) = self.hot(segment);
        SegmentIncrements {
            segment,
            hot,
            hot_stride,
            increments,
        }
    }
    fn run<W: SplineKernel<T>>(&self, work: W) -> W::Output {
        let step = &self.context.step;
        dispatch_smooth_spline(step.isa, step.geometry.kernel(), work)
    }
    fn gather(
        &self,
        (segment, reached): (&Segment<D>, &NodeBox<D>),
        tile: &mut Tile<T>,
        increments: &mut Vec<T>,
    ) {
        increments.resize(segment.groups.len() * D * D * T::LANES, T::zero());
        let Some(velocity) = self.velocity else {
            increments.fill(T::zero());
            return;
        };
        let blocks = &self.context.step.order.blocks;
        tile.load((segment.block, reached), blocks, velocity);
        let (hot, hot_stride) = self.hot(segment);
        self.run(GatherIncrements::<T, D> {
            hot,
            hot_stride,
            nodes: tile.nodes(),
            frame: TileFrame::new(self.context.step.geometry),
            of: self.unit,
            out: increments,
        });
    }
    fn scatter(&self, segment: &Segment<D>, gradients: &[T], tile: &mut Tile<T>) {
        let (hot, hot_stride) = self.hot(segment);
        self.run(ScatterGradients::<T, D> {
            hot,
            hot_stride,
            gradients,
            frame: TileFrame::new(self.context.step.geometry),
            of: self.unit,
            nodes: tile.nodes_mut(),
        });
    }
    fn squares(&self, segment: &Segment<D>, coefficients: &[T], tile: &mut Tile<T>) {
        let (hot, hot_stride) = self.hot(segment);
        self.run(ScatterSquares::<T, D> {
            hot,
            hot_stride,
            coefficients,
            frame: TileFrame::new(self.context.step.geometry),
            by: self.unit.by,
            scale: self.unit.unit.powi(2),
            nodes: tile.nodes_mut(),
        });
    }
}
