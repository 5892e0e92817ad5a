//! Faces and cells to particles: velocity, affine matrix and position, deformation, and the stress
//! with the pressure of the projection. Equations (32), (41).
//!
//! Matter between the surface and a cell in front of it is part of the liquid; beyond, spray flies
//! without pressure. The share s = min(1, 2 Σ_c w_cp e_c) of cells with a pressure (e_c = 1) around
//! a particle blends the velocity of the projection with that of free flight.
//!
//! The trace of the velocity gradient is that of the cells around a particle, as in F-bar methods:
//! the interpolated velocity has another divergence than the faces, and volumes would part from
//! what the pressure has brought about.

use rayon::prelude::*;
use thixo_math::{Lanes, Mask, Matrix, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::{RESPONSE, on_lattice};
use crate::collide::Guard;
use crate::grid::{
    CELL_DIVERGENCE, CELL_FILLED, CELL_OPEN, CELL_PRESSURE, FACE_BALLISTIC, FACE_BEFORE,
    FACE_SHIFT, FACE_VELOCITY, Lattice, Node, StaggeredGrid, Tile,
};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::material::{Batch, Strain};
use crate::particles::{Layout, Particles};
use crate::transfer::stencil::{Affine, Stencils, TileFrame, locate};
use crate::transfer::{StencilSums, StepOutcome, Transfer, TransferContext, segment_views};

/// Moves all particles by the velocity of the faces and updates their state. Matter loses the share
/// `return_rate` of an error of its volume where no cell around it has a pressure.
pub(crate) fn gather<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    grid: &mut StaggeredGrid<T, D>,
    return_rate: f64,
    context: &TransferContext<'_, T, D>,
) -> StepOutcome<T> {
    let step = &context.step;
    let geometry = step.geometry;
    let StaggeredGrid {
        faces,
        cells,
        tiles,
    } = grid;
    let fields: Vec<_> = faces.iter().chain([&*cells]).collect();
    let lattices = StaggeredGrid::<T, D>::lattices(geometry.spacing());
    let work = segment_views(particles, step.order, &mut tiles[0]);
    let side = geometry.tile_side();
    let dt = T::from_f64(step.dt);
    work.into_par_iter()
        .map_init(
            || {
                let new = || Tile::on(&lattices[D], side);
                let tiles: Vec<_> = (0..=D).map(|_| new()).collect();
                (tiles, Vec::new(), Vec::new(), Vec::new())
            },
            |(tiles, gradient, pressure, response), work| {
                let part = work.segment.bounds.grown_down(1);
                for (tile, field) in tiles.iter_mut().zip(&fields) {
                    let at = (work.segment.block, &part);
                    tile.load(at, &step.order.blocks, field.values());
                }
                let groups = work.segment.groups.len();
                gradient.resize(groups * D * D * T::LANES, T::zero());
                pressure.resize(groups * T::LANES, T::zero());
                response.resize(groups * RESPONSE * T::LANES, T::zero());
                let mut guard = Guard::around(context.colliders, work.segment, step);
                if let Some(guard) = &mut guard {
                    guard.record_positions(work.hot, work.hot_stride);
                }
                let material = &context.materials[work.segment.species];
                material.write_pressure_response(work.hot, work.hot_stride, response);
                let nodes: [&[Node<T>]; 4] = core::array::from_fn(|k| tiles[k.min(D)].nodes());
                let mut moved = dispatch_spline(
                    step.isa,
                    geometry.kernel(),
                    GatherSegment::<T, D> {
                        transfer: context.transfer,
                        hot: work.hot,
                        hot_stride: work.hot_stride,
                        cold: work.cold,
                        gradient,
                        pressure,
                        response,
                        nodes,
                        frame: TileFrame::staggered(geometry),
                        h: geometry.spacing(),
                        dt,
                        return_rate,
                        is_shifted: material.state_layout().strain == Strain::VolumeRatio,
                    },
                );
                let cold_stride = Layout::<D>::COLD * T::LANES;
                if let Some(guard) = guard {
                    let held = guard.correct(work.hot, work.hot_stride, work.cold, cold_stride);
                    moved = moved.corrected(held);
                }
                let batch = Batch {
                    hot: work.hot,
                    hot_stride: work.hot_stride,
                    velocity_gradient: gradient,
                    stress: work.cold,
                    stress_stride: cold_stride,
                    stress_first: Layout::<D>::STRESS * T::LANES,
                };
                moved.limits = material.update(step.isa, batch, dt);
                material.write_pressure_response(work.hot, work.hot_stride, response);
                add_pressure::<T, D>(work.cold, pressure, response);
                moved
            },
        )
        .reduce(StepOutcome::none, StepOutcome::merge)
}

/// Adds −pJ to the diagonal of the Kirchhoff stress.
fn add_pressure<T: Scalar, const D: usize>(cold: &mut [T], pressure: &[T], response: &[T]) {
    let groups = cold
        .chunks_exact_mut(Layout::<D>::COLD * T::LANES)
        .zip(pressure.chunks_exact(T::LANES))
        .zip(response.chunks_exact(RESPONSE * T::LANES));
    for ((cold, pressure), response) in groups {
        let mut column = Layout::<D>::STRESS;
        for i in 0..D {
            for lane in 0..T::LANES {
                cold[column * T::LANES + lane] -= pressure[lane] * response[lane];
            }
            column += D - i;
        }
    }
}

struct GatherSegment<'a, T, const D: usize> {
    transfer: Transfer,
    hot: &'a mut [T],
    hot_stride: usize,
    cold: &'a mut [T],
    gradient: &'a mut [T],
    /// Pressure at the particles \[Pa\].
    pressure: &'a mut [T],
    /// Pressure response of the particles.
    response: &'a [T],
    /// Tiles of the faces by axis, then of the cells.
    nodes: [&'a [Node<T>]; 4],
    frame: TileFrame<T>,
    h: f64,
    dt: T,
    return_rate: f64,
    /// True for fluids, whose particles may change places.
    is_shifted: bool,
}

/// Sums of a group over its stencil on one lattice: Σ w q, Σ w (x_i − x_p) q and Σ ∇w q, by slot.
struct LatticeSums<L, const D: usize> {
    constant: [L; 4],
    linear: [[L; 4]; D],
    gradient: [[L; 4]; D],
}

impl<T: Scalar, const D: usize> GatherSegment<'_, T, D> {
    #[inline(always)]
    fn sums<L: Lanes<Scalar = T>, K: Spline>(
        &self,
        hot: &[T],
        lattice: &Lattice<D>,
        nodes: &[Node<T>],
    ) -> (LatticeSums<L, D>, L::Mask) {
        let x = on_lattice::<L, D>(hot, &lattice.offset);
        let located = locate::<L, K, D>(&x, &self.frame);
        let stencils = Stencils::new::<L, K>(&located, self.frame.side);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; 7];
        for lane in 0..L::LANES {
            let sums: Affine<T, D> = stencils.gather::<K>(lane, nodes);
            quads[0][lane] = sums.constant;
            for d in 0..D {
                quads[1 + d][lane] = sums.linear[d];
                quads[1 + D + d][lane] = sums.gradient[d];
            }
        }
        let h = L::splat(self.h);
        let inv_h = L::splat_scalar(self.frame.inv_h);
        let read = |k: usize| -> [L; 4] { L::load_transposed(quads[k].as_flattened(), 4) };
        let constant = read(0);
        let mut out = LatticeSums {
            constant,
            linear: [[L::zero(); 4]; D],
            gradient: [[L::zero(); 4]; D],
        };
        for d in 0..D {
            let (first, slope) = (read(1 + d), read(1 + D + d));
            for slot in 0..4 {
                out.linear[d][slot] = h * (first[slot] - located.fraction[d] * constant[slot]);
                out.gradient[d][slot] = inv_h * slope[slot];
            }
        }
        (out, located.inside)
    }
}

impl<T: Scalar, const D: usize> SplineKernel<T> for GatherSegment<'_, T, D> {
    type Output = StepOutcome<T>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(mut self) -> StepOutcome<T> {
        let inertia = K::INERTIA.map(|delta| L::splat(delta * self.h * self.h));
        let inv_h = L::splat_scalar(self.frame.inv_h);
        let dt_over_h = L::splat_scalar(self.dt) * L::splat_scalar(self.frame.inv_h);
        let lattices: [Lattice<D>; 4] = core::array::from_fn(|k| match k {
            axis if axis < D => Lattice::faces(self.h, axis),
            _ => Lattice::cell_centres(self.h),
        });
        let return_rate = L::splat(self.return_rate) / L::splat_scalar(self.dt);
        let mut speed_squared = L::zero();
        let mut contained = L::zero().le(L::zero());
        let (hot_table, cold_table, gradient_table, pressure_table) = (
            core::mem::take(&mut self.hot),
            core::mem::take(&mut self.cold),
            core::mem::take(&mut self.gradient),
            core::mem::take(&mut self.pressure),
        );
        let groups = hot_table
            .chunks_exact_mut(self.hot_stride)
            .zip(cold_table.chunks_exact_mut(Layout::<D>::COLD * L::LANES))
            .zip(gradient_table.chunks_exact_mut(D * D * L::LANES))
            .zip(pressure_table.chunks_exact_mut(L::LANES))
            .zip(self.response.chunks_exact(RESPONSE * L::LANES));
        for ((((hot, cold), gradient), pressure), response) in groups {
            let (cells, inside) = self.sums::<L, K>(hot, &lattices[D], self.nodes[D]);
            contained = contained.and(inside);
            let [p, open, filled, divergence] =
                [CELL_PRESSURE, CELL_OPEN, CELL_FILLED, CELL_DIVERGENCE]
                    .map(|slot| cells.constant[slot]);
            let divergence = divergence / filled.max(L::splat(1e-6));
            (p / open.max(L::splat(1e-6))).store(pressure);
            let share = (filled + filled).min(L::one());
            let blend = |of: &[L; 4]| {
                let free = of[FACE_BALLISTIC];
                share.mul_add(of[FACE_VELOCITY] - free, free)
            };
            let mut v = Vector::<L, D>::zero();
            let mut shift = Vector::<L, D>::zero();
            let mut sums = StencilSums::<L, D> {
                velocity: Vector::zero(),
                velocity_before: Vector::zero(),
                moment: Matrix::zero(),
                gradient: Matrix::zero(),
            };
            for a in 0..D {
                v[a] = L::load(&cold[(Layout::<D>::V + a) * L::LANES..]);
                let (of, inside) = self.sums::<L, K>(hot, &lattices[a], self.nodes[a]);
                contained = contained.and(inside);
                sums.velocity[a] = blend(&of.constant);
                sums.velocity_before[a] = of.constant[FACE_BEFORE];
                if self.is_shifted {
                    shift[a] = share * of.constant[FACE_SHIFT];
                }
                for d in 0..D {
                    sums.moment[a][d] = blend(&of.linear[d]);
                    sums.gradient[a][d] = blend(&of.gradient[d]);
                }
            }
            let mut update = self.transfer.take(v, &sums, inertia);
            // Volumes follow the cells, whose divergence the pressure knows; where there are none,
            // they return to those without pressure.
            let alone = L::load(&response[2 * L::LANES..]) * return_rate;
            let followed = share.mul_add(divergence - alone, alone);
            let each = (followed - update.gradient.trace()) * L::splat(1.0 / D as f64);
            for a in 0..D {
                update.gradient[a][a] += each;
            }
            for a in 0..D {
                let column = (Layout::<D>::X + a) * L::LANES;
                let moved = dt_over_h.mul_add(sums.velocity[a], L::load(&hot[column..]));
                shift[a].mul_add(inv_h, moved).store(&mut hot[column..]);
                let mut velocity = update.velocity[a];
                for b in 0..D {
                    velocity = update.gradient[a][b].mul_add(shift[b], velocity);
                }
                velocity.store(&mut cold[(Layout::<D>::V + a) * L::LANES..]);
                for b in 0..D {
                    let column = Layout::<D>::AFFINE + a * D + b;
                    update.affine[a][b].store(&mut cold[column * L::LANES..]);
                    update.gradient[a][b].store(&mut gradient[(a * D + b) * L::LANES..]);
                }
            }
            let squared = sums.velocity.norm_squared();
            speed_squared = squared.max(speed_squared);
            let finite = squared
                .is_finite()
                .and(update.velocity.norm_squared().is_finite());
            contained = contained.and(finite);
        }
        StepOutcome {
            speed_squared: speed_squared.max_lane(),
            contained: contained.all(),
            ..StepOutcome::none()
        }
    }
}
