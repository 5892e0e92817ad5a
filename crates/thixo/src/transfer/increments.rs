//! Increments M = Δt∇v of all particles for a velocity field on the grid, and back: the sums of an implicit step.
//!
//! One pass serves both ways: the particles of a segment gather their increments from its tile, answer with a matrix each, G, and scatter Δt G ∇w into the
//! tile. Energies and second derivatives differ only in the answer. With MLS, ∇w is w D_p⁻¹ (x_i − x_p), equation (4).

use rayon::prelude::*;
use thixo_math::{Lanes, Vector};
use thixo_par::{Kernel, MAX_LANES, Scalar, dispatch};

use super::StressForce;
use super::stencil::{Affine, Distribution, Stencils, TileFrame, locate};
use crate::grid::{Node, NodeBox, Segment, Tile, Tiles};
use crate::kernel::{Cubic, KernelKind, Linear, Quadratic, Spline};
use crate::particles::{Layout, Particles};
use crate::transfer::TransferContext;
use crate::transfer::gradient::{GradientUnit, Gradients, StencilOrigin};

/// The particles of a segment and their increments.
#[derive(Debug)]
pub(crate) struct Asked<'a, T, const D: usize> {
    /// Which block, material and groups.
    pub segment: &'a Segment<D>,
    /// Hot columns of its groups.
    pub hot: &'a [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// Increments M, D² columns.
    pub increments: &'a [T],
}

/// Gathers the increments of all particles, and scatters what `answer` writes for them, D² columns, times Δt, into the tiles; without a velocity, matter is at rest. Returns the
/// sums of what `answer` returns, in a fixed order.
pub(crate) fn exchange<T: Scalar, const D: usize>(
    velocity: Option<&[Node<T>]>,
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    answer: impl Fn(Asked<'_, T, D>, &mut [T]) -> [f64; 2] + Sync,
) -> [f64; 2] {
    let pass = Pass::new(velocity, particles, context);
    let rooms = context.step.order.segments.iter().zip(tiles.rooms());
    let rooms: Vec<_> = rooms
        .map(|(segment, (room, reached))| (segment, room, reached))
        .collect();
    let sums: Vec<[f64; 2]> = rooms
        .into_par_iter()
        .map_init(
            || (Tile::new(pass.side), Vec::new(), Vec::new()),
            |(tile, increments, slopes), (segment, room, reached)| {
                pass.gather((segment, reached), tile, increments);
                slopes.resize(increments.len(), T::zero());
                let sums = answer(pass.ask(segment, increments), slopes);
                tile.clear::<D>();
                pass.scatter(segment, slopes, tile);
                tile.store(reached, room);
                sums
            },
        )
        .collect();
    total(sums)
}

/// Gathers the increments of all particles, and returns the sums of what `answer` returns for them, in a fixed order; what it writes is forgotten.
pub(crate) fn sum_over<T: Scalar, const D: usize>(
    velocity: &[Node<T>],
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    answer: impl Fn(Asked<'_, T, D>, &mut [T]) -> [f64; 2] + Sync,
) -> [f64; 2] {
    let pass = Pass::new(Some(velocity), particles, context);
    let segments = context.step.order.segments.iter().zip(tiles.rooms());
    let segments: Vec<_> = segments
        .map(|(segment, (_, reached))| (segment, &*reached))
        .collect();
    let sums = segments
        .into_par_iter()
        .map_init(
            || (Tile::new(pass.side), Vec::new(), Vec::new()),
            |(tile, increments, slopes), (segment, reached)| {
                pass.gather((segment, reached), tile, increments);
                slopes.resize(increments.len(), T::zero());
                answer(pass.ask(segment, increments), slopes)
            },
        )
        .collect();
    total(sums)
}

fn total(sums: Vec<[f64; 2]>) -> [f64; 2] {
    let add = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a + c, b + d];
    sums.into_iter().fold([0.0; 2], add)
}

/// Hands the increments of all particles to `see`, each segment with a part of `tables`: for every species a table with the given number of columns.
pub(crate) fn inspect<T: Scalar, const D: usize>(
    velocity: &[Node<T>],
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    (tables, columns): (&mut [Vec<T>], usize),
    see: impl Fn(Asked<'_, T, D>, &mut [T]) + Sync,
) {
    let pass = Pass::new(Some(velocity), particles, context);
    let mut rest: Vec<&mut [T]> = tables.iter_mut().map(|table| &mut table[..]).collect();
    let mut work = Vec::with_capacity(context.step.order.segments.len());
    for (segment, (_, reached)) in context.step.order.segments.iter().zip(tiles.rooms()) {
        let length = segment.groups.len() * columns * T::LANES;
        let table = core::mem::take(&mut rest[segment.species]);
        let (own, others) = table.split_at_mut(length);
        rest[segment.species] = others;
        work.push((segment, &*reached, own));
    }
    work.into_par_iter().for_each_init(
        || (Tile::new(pass.side), Vec::new()),
        |(tile, increments), (segment, reached, own)| {
            pass.gather((segment, reached), tile, increments);
            see(pass.ask(segment, increments), own);
        },
    );
}

/// Scatters the squares of what [`exchange`] distributes by, times Δt² and D² coefficients per particle that `answer` writes: component a of a node gets
/// Σ_b c_ab (∂w/∂x_b)².
pub(crate) fn scatter_squares<T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
    answer: impl Fn(&Segment<D>, &mut [T]) + Sync,
) {
    let pass = Pass::new(None, particles, context);
    let rooms = context.step.order.segments.iter().zip(tiles.rooms());
    let rooms: Vec<_> = rooms
        .map(|(segment, (room, reached))| (segment, room, reached))
        .collect();
    rooms.into_par_iter().for_each_init(
        || (Tile::new(pass.side), Vec::new()),
        |(tile, coefficients), (segment, room, reached)| {
            coefficients.resize(segment.groups.len() * D * D * T::LANES, T::zero());
            answer(segment, coefficients);
            tile.clear::<D>();
            match context.step.geometry.kernel() {
                KernelKind::Linear => pass.squares::<Linear>(segment, coefficients, tile),
                KernelKind::Quadratic => pass.squares::<Quadratic>(segment, coefficients, tile),
                KernelKind::Cubic => pass.squares::<Cubic>(segment, coefficients, tile),
            }
            tile.store(reached, room);
        },
    );
}

/// What all segments of a pass share.
struct Pass<'a, T: Scalar, const D: usize> {
    velocity: Option<&'a [Node<T>]>,
    particles: &'a Particles<T, D>,
    context: &'a TransferContext<'a, T, D>,
    /// What gives Δt g.
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
    fn ask<'b>(&self, segment: &'b Segment<D>, increments: &'b [T]) -> Asked<'b, T, D>
    where
        'a: 'b,
    {
        let (hot, hot_stride) = self.hot(segment);
        Asked {
            segment,
            hot,
            hot_stride,
            increments,
        }
    }
    fn frame(&self, segment: &Segment<D>) -> TileFrame<T, D> {
        let block = self.context.step.order.blocks.coordinate(segment.block);
        TileFrame::new(block, self.context.step.geometry)
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
        match self.context.step.geometry.kernel() {
            KernelKind::Linear => self.gather_with::<Linear>(segment, tile, increments),
            KernelKind::Quadratic => self.gather_with::<Quadratic>(segment, tile, increments),
            KernelKind::Cubic => self.gather_with::<Cubic>(segment, tile, increments),
        }
    }
    fn gather_with<K: Spline>(&self, segment: &Segment<D>, tile: &Tile<T>, out: &mut [T]) {
        let (hot, hot_stride) = self.hot(segment);
        let kernel = GatherIncrements::<T, K, D> {
            hot,
            hot_stride,
            nodes: tile.nodes(),
            frame: self.frame(segment),
            of: self.unit,
            out,
            kernel: core::marker::PhantomData,
        };
        dispatch(self.context.step.isa, kernel);
    }
    fn scatter(&self, segment: &Segment<D>, slopes: &[T], tile: &mut Tile<T>) {
        match self.context.step.geometry.kernel() {
            KernelKind::Linear => self.scatter_with::<Linear>(segment, slopes, tile),
            KernelKind::Quadratic => self.scatter_with::<Quadratic>(segment, slopes, tile),
            KernelKind::Cubic => self.scatter_with::<Cubic>(segment, slopes, tile),
        }
    }
    fn scatter_with<K: Spline>(&self, segment: &Segment<D>, slopes: &[T], tile: &mut Tile<T>) {
        let (hot, hot_stride) = self.hot(segment);
        let kernel = ScatterSlopes::<T, K, D> {
            hot,
            hot_stride,
            slopes,
            frame: self.frame(segment),
            of: self.unit,
            nodes: tile.nodes_mut(),
            kernel: core::marker::PhantomData,
        };
        dispatch(self.context.step.isa, kernel);
    }
}

impl<T: Scalar, const D: usize> Pass<'_, T, D> {
    fn squares<K: Spline>(&self, segment: &Segment<D>, coefficients: &[T], tile: &mut Tile<T>) {
        let (hot, hot_stride) = self.hot(segment);
        let kernel = ScatterSquares::<T, K, D> {
            hot,
            hot_stride,
            coefficients,
            frame: self.frame(segment),
            by: self.unit.by,
            scale: self.unit.unit.powi(2),
            nodes: tile.nodes_mut(),
            kernel: core::marker::PhantomData,
        };
        dispatch(self.context.step.isa, kernel);
    }
}

struct ScatterSquares<'a, T, K, const D: usize> {
    hot: &'a [T],
    hot_stride: usize,
    coefficients: &'a [T],
    frame: TileFrame<T, D>,
    by: Distribution,
    scale: f64,
    nodes: &'a mut [Node<T>],
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for ScatterSquares<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let scale = T::from_f64(self.scale);
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.coefficients.chunks_exact(D * D * L::LANES));
        for (hot, coefficients) in groups {
            let mut x = Vector::zero();
            for a in 0..D {
                x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
            }
            let located = locate::<L, K, D>(&x, &self.frame);
            let stencils = Stencils::squared::<L, K>(&located, self.frame.side, self.by);
            for lane in 0..L::LANES {
                let mut source = Affine::zero();
                for a in 0..D {
                    for b in 0..D {
                        let c = coefficients[(a * D + b) * L::LANES + lane];
                        source.gradient[b][a] = scale * c;
                    }
                }
                stencils.scatter::<K>(lane, &source, self.nodes);
            }
        }
    }
}

/// The weights of a group's gradients.
#[inline(always)]
fn gradients<L: Lanes, K: Spline, const D: usize>(
    hot: &[L::Scalar],
    frame: &TileFrame<L::Scalar, D>,
    of: GradientUnit,
    out: &mut Gradients<L::Scalar, D>,
) where
    L::Scalar: Scalar,
{
    let mut x = Vector::zero();
    for a in 0..D {
        x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
    }
    let located = locate::<L, K, D>(&x, frame);
    let mut start = L::zero();
    for a in 0..D {
        start = start.mul_add(L::splat(frame.side as f64), located.base[a]);
    }
    let origin = StencilOrigin {
        start,
        fraction: located.fraction,
    };
    out.set::<L, K>(&origin, of);
}

/// Δt G ∇w, G from D² columns.
struct ScatterSlopes<'a, T, K, const D: usize> {
    hot: &'a [T],
    hot_stride: usize,
    slopes: &'a [T],
    frame: TileFrame<T, D>,
    of: GradientUnit,
    nodes: &'a mut [Node<T>],
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for ScatterSlopes<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.slopes.chunks_exact(D * D * L::LANES));
        let mut weights = Gradients::none(self.frame.side);
        for (hot, slopes) in groups {
            gradients::<L, K, D>(hot, &self.frame, self.of, &mut weights);
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
            for d in 0..D {
                let mut column = [L::zero(); 4];
                for c in 0..D {
                    column[c] = L::load(&slopes[(c * D + d) * L::LANES..]);
                }
                L::store_transposed(column, quads[d].as_flattened_mut(), 4);
            }
            for lane in 0..L::LANES {
                let mut columns = [[T::zero(); 4]; D];
                for d in 0..D {
                    columns[d] = quads[d][lane];
                }
                weights.scatter::<K>(lane, &columns, self.nodes);
            }
        }
    }
}

/// M = Δt Σ v ∇wᵀ.
struct GatherIncrements<'a, T, K, const D: usize> {
    hot: &'a [T],
    hot_stride: usize,
    nodes: &'a [Node<T>],
    frame: TileFrame<T, D>,
    of: GradientUnit,
    out: &'a mut [T],
    kernel: core::marker::PhantomData<K>,
}

impl<T: Scalar, K: Spline, const D: usize> Kernel<T> for GatherIncrements<'_, T, K, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.out.chunks_exact_mut(D * D * L::LANES));
        let mut weights = Gradients::none(self.frame.side);
        for (hot, out) in groups {
            gradients::<L, K, D>(hot, &self.frame, self.of, &mut weights);
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; D];
            for lane in 0..L::LANES {
                let sums = weights.gather::<K>(lane, self.nodes);
                for d in 0..D {
                    quads[d][lane] = sums[d];
                }
            }
            for d in 0..D {
                let column = L::load_transposed(quads[d].as_flattened(), 4);
                for c in 0..D {
                    column[c].store(&mut out[(c * D + d) * L::LANES..]);
                }
            }
        }
    }
}
