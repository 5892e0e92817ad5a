//! Increments M = Δt∇v of all particles for velocities on the faces, and the transpose of that map:
//! the assembly of deviatoric forces in an implicit step, row by row. \[Jiang2015thesis\]
//! eq. (6.20)–(6.26), errata E39.

use rayon::prelude::*;
use thixo_math::Lanes;
use thixo_par::Scalar;

use super::on_lattice;
use super::scatter::rooms;
use crate::grid::{Field, Lattice, Node, Segment, StaggeredGrid, Tile};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::particles::Particles;
use crate::transfer::gradient::{GradientUnit, Gradients, StencilOrigin};
use crate::transfer::stencil::{Affine, Distribution, Stencils, TileFrame, locate};
use crate::transfer::{SegmentIncrements, StressForce, TransferContext};

/// Gathers the increments of all particles from the first numbers of the faces, lets `apply` write
/// a matrix G for each (D² columns), and sums Δt G ∇w on the faces of `out`, in their first
/// numbers.
pub(crate) fn gather_apply_scatter<T: Scalar, const D: usize>(
    velocity: &[Field<T, 4>; D],
    particles: &Particles<T, D>,
    (grid, out): (&mut StaggeredGrid<T, D>, &mut [Field<T, 4>; D]),
    context: &TransferContext<'_, T, D>,
    apply: impl Fn(SegmentIncrements<'_, T, D>, &mut [T]) + Sync,
) {
    let pass = Pass::new(particles, context);
    let step = &context.step;
    rooms(&step.order.segments, grid)
        .into_par_iter()
        .for_each_init(
            || (pass.tile(), Vec::new(), Vec::new()),
            |(tile, increments, gradients), (segment, rooms)| {
                let numbers = segment.groups.len() * D * D * T::LANES;
                increments.resize(numbers, T::zero());
                gradients.resize(numbers, T::zero());
                for axis in 0..D {
                    let part = segment.bounds.grown_down(1);
                    let at = (segment.block, &part);
                    tile.load(at, &step.order.blocks, velocity[axis].values());
                    let gather = pass.row(segment, axis, tile.nodes());
                    pass.run(GatherRow {
                        row: gather,
                        out: increments,
                    });
                }
                apply(pass.at(segment, increments), gradients);
                for (axis, (room, touched)) in rooms.into_iter().enumerate().take(D) {
                    tile.clear::<D>();
                    pass.run(ScatterRow {
                        row: pass.row(segment, axis, &[]),
                        gradients,
                        nodes: tile.nodes_mut(),
                    });
                    tile.store(touched, room);
                }
            },
        );
    for (field, tiles) in out.iter_mut().zip(&grid.tiles) {
        field.pull(step.order, tiles);
    }
}

/// Sums Δt² Σ_b c_ab (∂w/∂x_b)² on the faces across every axis a, with D² coefficients c per
/// particle that `coefficients` writes: the diagonal of the assembled Hessian.
pub(crate) fn scatter_diagonal<T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    (grid, out): (&mut StaggeredGrid<T, D>, &mut [Field<T, 4>; D]),
    context: &TransferContext<'_, T, D>,
    coefficients: impl Fn(&Segment<D>, &mut [T]) + Sync,
) {
    let pass = Pass::new(particles, context);
    let step = &context.step;
    rooms(&step.order.segments, grid)
        .into_par_iter()
        .for_each_init(
            || (pass.tile(), Vec::new()),
            |(tile, table), (segment, rooms)| {
                table.resize(segment.groups.len() * D * D * T::LANES, T::zero());
                coefficients(segment, table);
                for (axis, (room, touched)) in rooms.into_iter().enumerate().take(D) {
                    tile.clear::<D>();
                    pass.run(ScatterSquares {
                        row: pass.row(segment, axis, &[]),
                        coefficients: table,
                        nodes: tile.nodes_mut(),
                    });
                    tile.store(touched, room);
                }
            },
        );
    for (field, tiles) in out.iter_mut().zip(&grid.tiles) {
        field.pull(step.order, tiles);
    }
}

/// Data shared by all segments of a pass.
struct Pass<'a, T: Scalar, const D: usize> {
    particles: &'a Particles<T, D>,
    context: &'a TransferContext<'a, T, D>,
    /// Units of Δt ∇w.
    unit: GradientUnit,
}

impl<'a, T: Scalar, const D: usize> Pass<'a, T, D> {
    fn new(particles: &'a Particles<T, D>, context: &'a TransferContext<'a, T, D>) -> Self {
        let geometry = context.step.geometry;
        let unit = StressForce::new(context.transfer, geometry).unit(geometry.spacing());
        Self {
            particles,
            context,
            unit: unit.times(context.step.dt),
        }
    }
    fn tile(&self) -> Tile<T, 4, { crate::grid::STAGGERED_CAPACITY }> {
        let geometry = self.context.step.geometry;
        Tile::on(
            &Lattice::<D>::cell_centres(geometry.spacing()),
            geometry.tile_side(),
        )
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
    fn row<'b>(&self, segment: &Segment<D>, axis: usize, nodes: &'b [Node<T>]) -> Row<'b, T, D>
    where
        'a: 'b,
    {
        let geometry = self.context.step.geometry;
        let (hot, hot_stride) = self.hot(segment);
        Row {
            axis,
            hot,
            hot_stride,
            nodes,
            offset: Lattice::faces(geometry.spacing(), axis).offset,
            frame: TileFrame::staggered(geometry),
            of: self.unit,
        }
    }
    fn run<W: SplineKernel<T>>(&self, work: W) -> W::Output {
        let step = &self.context.step;
        dispatch_spline(step.isa, step.geometry.kernel(), work)
    }
}

/// Groups of particles and the faces across one axis.
#[derive(Clone, Copy)]
struct Row<'a, T, const D: usize> {
    axis: usize,
    hot: &'a [T],
    hot_stride: usize,
    nodes: &'a [Node<T>],
    offset: [f64; D],
    frame: TileFrame<T>,
    of: GradientUnit,
}

impl<T: Scalar, const D: usize> Row<'_, T, D> {
    #[inline(always)]
    fn set<L: Lanes<Scalar = T>, K: Spline>(&self, hot: &[T], out: &mut Gradients<T, D>) {
        let x = on_lattice::<L, D>(hot, &self.offset);
        let located = locate::<L, K, D>(&x, &self.frame);
        let mut start = L::zero();
        for a in 0..D {
            start = start.mul_add(L::splat(self.frame.side as f64), located.base[a]);
        }
        let origin = StencilOrigin {
            start,
            fraction: located.fraction,
        };
        out.set::<L, K>(&origin, self.of);
    }
}

/// Gathers a row of M = Δt Σ v ∇wᵀ.
struct GatherRow<'a, T, const D: usize> {
    row: Row<'a, T, D>,
    out: &'a mut [T],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for GatherRow<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let Self { row, out } = self;
        let groups = row
            .hot
            .chunks_exact(row.hot_stride)
            .zip(out.chunks_exact_mut(D * D * L::LANES));
        let mut weights = Gradients::none(row.frame.side);
        for (hot, out) in groups {
            row.set::<L, K>(hot, &mut weights);
            for lane in 0..L::LANES {
                let sums = weights.gather::<K>(lane, row.nodes);
                for d in 0..D {
                    out[(row.axis * D + d) * L::LANES + lane] = sums[d][0];
                }
            }
        }
    }
}

/// Adds a row of Δt G ∇w to the faces.
struct ScatterRow<'a, T, const D: usize> {
    row: Row<'a, T, D>,
    gradients: &'a [T],
    nodes: &'a mut [Node<T>],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for ScatterRow<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let row = self.row;
        let groups = row
            .hot
            .chunks_exact(row.hot_stride)
            .zip(self.gradients.chunks_exact(D * D * L::LANES));
        let mut weights = Gradients::none(row.frame.side);
        for (hot, source) in groups {
            row.set::<L, K>(hot, &mut weights);
            for lane in 0..L::LANES {
                let mut columns = [[T::zero(); 4]; D];
                for d in 0..D {
                    columns[d][0] = source[(row.axis * D + d) * L::LANES + lane];
                }
                weights.scatter::<K>(lane, &columns, self.nodes);
            }
        }
    }
}

/// Adds Δt² Σ_b c_ab (∂w/∂x_b)² to the faces.
struct ScatterSquares<'a, T, const D: usize> {
    row: Row<'a, T, D>,
    coefficients: &'a [T],
    nodes: &'a mut [Node<T>],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for ScatterSquares<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let row = self.row;
        let scale = T::from_f64(row.of.unit.powi(2));
        let by: Distribution = row.of.by;
        let groups = row
            .hot
            .chunks_exact(row.hot_stride)
            .zip(self.coefficients.chunks_exact(D * D * L::LANES));
        for (hot, coefficients) in groups {
            let x = on_lattice::<L, D>(hot, &row.offset);
            let located = locate::<L, K, D>(&x, &row.frame);
            let stencils = Stencils::squared::<L, K>(&located, row.frame.side, by);
            for lane in 0..L::LANES {
                let mut source = Affine::zero();
                for b in 0..D {
                    let c = coefficients[(row.axis * D + b) * L::LANES + lane];
                    source.gradient[b][0] = scale * c;
                }
                stencils.scatter::<K>(lane, &source, self.nodes);
            }
        }
    }
}
