//! Particles to grid, staged: each segment adds its particles to its tile, then blocks pull the
//! tiles.

use rayon::prelude::*;
use thixo_math::{Lanes, Matrix, Real, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::gradient::GradientUnit;
use super::stencil::{Affine, Distribution, Stencils, TileFrame, locate};
use super::{AffineColumn, Transfer, TransferContext, segment_views};
use crate::grid::{BaseRange, Geometry, Grid, MASS, Node, NodeBox, Tile, Tiles};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::particles::{Layout, Particles};

/// Scattered contribution of a group of particles: w (constant + linear (x_i − x_p)) + gradient ∇w,
/// and w mass.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients<R: Real, const D: usize> {
    constant: Vector<R, D>,
    mass: R,
    linear: Matrix<R, D>,
    gradient: Matrix<R, D>,
}

/// A quantity that particles scatter to the grid.
pub trait Source<T: Scalar, const D: usize>: Copy + Sync {
    /// Columns of the second table that it reads.
    const COLUMNS: usize;
    /// Its coefficients for a group, from the group's hot columns and those of a second table.
    fn coefficients<L: Lanes<Scalar = T>>(&self, hot: &[T], cold: &[T]) -> Coefficients<L, D>;
}

/// Mass and momentum, equations (1) and (2).
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    /// True if the affine column holds B, to be scattered with ∇w (APIC on the linear kernel,
    /// errata E42).
    pub by_gradient: bool,
}

impl<T: Scalar, const D: usize> Source<T, D> for Momentum {
    const COLUMNS: usize = Layout::<D>::COLD;

    #[inline(always)]
    fn coefficients<L: Lanes<Scalar = T>>(&self, hot: &[T], cold: &[T]) -> Coefficients<L, D> {
        let mass = L::load(&hot[Layout::<D>::MASS * L::LANES..]);
        let mut constant = Vector::zero();
        let mut affine = Matrix::zero();
        for i in 0..D {
            constant[i] = mass * L::load(&cold[(Layout::<D>::V + i) * L::LANES..]);
            for j in 0..D {
                let column = Layout::<D>::AFFINE + i * D + j;
                affine[i][j] = mass * L::load(&cold[column * L::LANES..]);
            }
        }
        let (linear, gradient) = if self.by_gradient {
            (Matrix::zero(), affine)
        } else {
            (affine, Matrix::zero())
        };
        Coefficients {
            constant,
            mass,
            linear,
            gradient,
        }
    }
}

/// Internal force: −V⁰ τ ∇w (equation (3)), or −V⁰ τ w D_p⁻¹ (x_i − x_p) for MLS (equation (4)).
#[derive(Clone, Copy, Debug)]
pub struct StressForce {
    /// 1/D_p \[1/m²\] for MLS; none for weight gradients.
    pub mls: Option<f64>,
}

impl<T: Scalar, const D: usize> Source<T, D> for StressForce {
    const COLUMNS: usize = Layout::<D>::COLD;

    #[inline(always)]
    fn coefficients<L: Lanes<Scalar = T>>(&self, hot: &[T], cold: &[T]) -> Coefficients<L, D> {
        let volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
        let mut force = Matrix::zero();
        let mut column = Layout::<D>::STRESS;
        for i in 0..D {
            for j in i..D {
                force[i][j] = -(volume * L::load(&cold[column * L::LANES..]));
                force[j][i] = force[i][j];
                column += 1;
            }
        }
        self.of_force(force)
    }
}

impl Momentum {
    /// The momentum for a transfer on a grid.
    pub fn new<const D: usize>(transfer: Transfer, geometry: &Geometry<D>) -> Self {
        let column = transfer.affine_column(geometry);
        Self {
            by_gradient: matches!(column, AffineColumn::Moment { .. }),
        }
    }
}

impl StressForce {
    /// A matrix times ∇w, or times its substitute of MLS.
    #[inline(always)]
    pub(super) fn of_force<R: Real, const D: usize>(
        &self,
        force: Matrix<R, D>,
    ) -> Coefficients<R, D> {
        let (linear, gradient) = match self.mls {
            Some(inverse) => (force * R::splat(inverse), Matrix::zero()),
            None => (Matrix::zero(), force),
        };
        Coefficients {
            constant: Vector::zero(),
            mass: R::zero(),
            linear,
            gradient,
        }
    }
    /// The definition of the gradients of weights, for node spacing `h` \[m\].
    pub fn unit(&self, h: f64) -> GradientUnit {
        match self.mls {
            None => GradientUnit {
                by: Distribution::Slopes,
                unit: 1.0 / h,
            },
            Some(inverse) => GradientUnit {
                by: Distribution::Distances,
                unit: h * inverse,
            },
        }
    }
    /// The force for a transfer on a grid.
    pub fn new<const D: usize>(transfer: Transfer, geometry: &Geometry<D>) -> Self {
        let inertia = geometry.kernel().inertia();
        let mls = match (transfer, inertia) {
            (Transfer::Mls, Some(delta)) => Some(1.0 / (delta * geometry.spacing().powi(2))),
            _ => None,
        };
        Self { mls }
    }
}

/// Mass and momentum of all particles on the nodes, equations (1) and (2).
pub(crate) fn scatter_momentum<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
) {
    let source = Momentum::new(context.transfer, context.step.geometry);
    scatter(source, particles, &mut grid.tiles, context);
    grid.nodes.pull(context.step.order, &grid.tiles);
    if context.transfer.needs_velocity_before() {
        grid.keep_before();
    }
}

/// Adds a quantity of all particles to their tiles.
pub(crate) fn scatter<T: Scalar, S: Source<T, D>, const D: usize>(
    source: S,
    particles: &mut Particles<T, D>,
    tiles: &mut Tiles<T, 4, D>,
    context: &TransferContext<'_, T, D>,
) {
    let work = segment_views(particles, context.step.order, tiles);
    let kernel = context.step.geometry.kernel();
    let (spacing, side) = (
        context.step.geometry.spacing(),
        context.step.geometry.tile_side(),
    );
    work.into_par_iter().for_each_init(
        || Tile::new(side),
        |tile, work| {
            tile.clear::<D>();
            *work.touched = dispatch_spline(
                context.step.isa,
                kernel,
                ScatterSegment::<T, S, D> {
                    source,
                    hot: work.hot,
                    hot_stride: work.hot_stride,
                    cold: work.cold,
                    frame: TileFrame::new(context.step.geometry),
                    h: spacing,
                    nodes: tile.nodes_mut(),
                },
            );
            tile.store(work.touched, work.tile);
        },
    );
}

/// Adds the particles of a segment to its tile, and returns the touched nodes.
pub(super) struct ScatterSegment<'a, T, S, const D: usize> {
    /// Scattered quantity.
    pub source: S,
    /// Hot columns of the segment's groups.
    pub hot: &'a [T],
    /// Values per group in `hot`.
    pub hot_stride: usize,
    /// The second table.
    pub cold: &'a [T],
    /// Map from offsets to the tile.
    pub frame: TileFrame<T>,
    /// Grid spacing \[m\].
    pub h: f64,
    /// Nodes of the tile.
    pub nodes: &'a mut [Node<T>],
}

impl<T: Scalar, S: Source<T, D>, const D: usize> SplineKernel<T> for ScatterSegment<'_, T, S, D> {
    type Output = NodeBox<D>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) -> NodeBox<D> {
        let mut touched = BaseRange::<L, D>::none();
        let h = L::splat(self.h);
        let inv_h = L::splat_scalar(self.frame.inv_h);
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.cold.chunks_exact(S::COLUMNS * L::LANES));
        for (hot, cold) in groups {
            let mut x = Vector::zero();
            for a in 0..D {
                x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
            }
            let located = locate::<L, K, D>(&x, &self.frame);
            touched.include(&located.base);
            let stencils = Stencils::new::<L, K>(&located, self.frame.side);
            let coefficients = self.source.coefficients::<L>(hot, cold);
            // In units of the base node: x_i − x_p = h (i − f), ∇w = slope/h.
            let linear = coefficients.linear * h;
            let constant = coefficients.constant - linear * located.fraction;
            let gradient = coefficients.gradient * inv_h;

            let mut quads = [[[T::zero(); 4]; MAX_LANES]; 7];
            write_quads(constant, coefficients.mass, &mut quads[0]);
            for d in 0..D {
                write_quads(linear.column(d), L::zero(), &mut quads[1 + d]);
                write_quads(gradient.column(d), L::zero(), &mut quads[1 + D + d]);
            }
            for lane in 0..L::LANES {
                let mut source = Affine::zero();
                source.constant = quads[0][lane];
                for d in 0..D {
                    source.linear[d] = quads[1 + d][lane];
                    source.gradient[d] = quads[1 + D + d][lane];
                }
                stencils.scatter::<K>(lane, &source, self.nodes);
            }
        }
        touched.nodes(K::WIDTH, self.frame.side)
    }
}

/// Transposes a vector and a mass in lanes into a node for each lane.
#[inline(always)]
pub(super) fn write_quads<L: Lanes, const D: usize>(
    v: Vector<L, D>,
    mass: L,
    to: &mut [[L::Scalar; 4]; MAX_LANES],
) {
    let mut columns = [L::zero(); 4];
    columns[..D].copy_from_slice(&v.0);
    columns[MASS] = mass;
    L::store_transposed(columns, to.as_flattened_mut(), 4);
}
