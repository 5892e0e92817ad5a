//! Particles to faces and cells: mass, momentum, volume and deviatoric force by axis, volume and
//! pressure response of cells. Equations (30), (31).

use rayon::prelude::*;
use thixo_math::{Lanes, Matrix};
use thixo_par::{MAX_LANES, Scalar};

use super::{RESPONSE, on_lattice};
use crate::grid::{
    CELL_COMPLIANCE, CELL_COMPRESSION, CELL_MASS, CELL_VOLUME, FACE_FORCE, FACE_MASS,
    FACE_VELOCITY, FACE_VOLUME, Node, NodeBox, Segment, StaggeredGrid, Tile,
};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::particles::{Layout, Particles};
use crate::transfer::TransferContext;
use crate::transfer::scatter::{Momentum, StressForce};
use crate::transfer::stencil::{Affine, Stencils, TileFrame, locate};

/// Sums over all particles on all faces and cells.
pub(crate) fn scatter<T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    grid: &mut StaggeredGrid<T, D>,
    context: &TransferContext<'_, T, D>,
) {
    let step = &context.step;
    let geometry = step.geometry;
    grid.resize(step.order);
    let lattices = StaggeredGrid::<T, D>::lattices(geometry.spacing());
    let momentum = Momentum::new(context.transfer, geometry);
    let stress = StressForce::new(context.transfer, geometry);
    let run = |work: ScatterLattice<'_, T, D>| {
        dispatch_spline(step.isa, geometry.kernel(), work);
    };
    rooms(&step.order.segments, grid)
        .into_par_iter()
        .for_each_init(
            || (Tile::on(&lattices[D], geometry.tile_side()), Vec::new()),
            |(tile, response), (segment, rooms)| {
                let species = &particles.species[segment.species];
                let hot_stride = species.hot.stride();
                let cold_stride = species.cold.stride();
                let hot = &species.hot.data()
                    [segment.groups.start * hot_stride..segment.groups.end * hot_stride];
                let cold = &species.cold.data()
                    [segment.groups.start * cold_stride..segment.groups.end * cold_stride];
                response.resize(segment.groups.len() * RESPONSE * T::LANES, T::zero());
                let material = &context.materials[segment.species];
                material.write_pressure_response(hot, hot_stride, response);
                for (lattice, (axis, (room, touched))) in
                    lattices.iter().zip(rooms.into_iter().enumerate())
                {
                    tile.clear::<D>();
                    run(ScatterLattice {
                        target: match axis {
                            axis if axis < D => Target::Faces {
                                axis,
                                momentum,
                                stress,
                            },
                            _ => Target::Cells,
                        },
                        hot,
                        hot_stride,
                        cold,
                        cold_stride,
                        response,
                        offset: lattice.offset,
                        frame: TileFrame::staggered(geometry),
                        h: geometry.spacing(),
                        nodes: tile.nodes_mut(),
                    });
                    tile.store(touched, room);
                }
            },
        );
    grid.pull(step.order);
}

/// Storage for the nodes of a segment's tile on a lattice, and those nodes.
pub(super) type Room<'a, T, const D: usize> = (&'a mut [Node<T>], &'a NodeBox<D>);

/// The storage of every segment on all lattices.
pub(super) fn rooms<'a, T: Scalar, const D: usize>(
    segments: &'a [Segment<D>],
    grid: &'a mut StaggeredGrid<T, D>,
) -> Vec<(&'a Segment<D>, Vec<Room<'a, T, D>>)> {
    let mut out: Vec<_> = segments
        .iter()
        .map(|segment| (segment, Vec::with_capacity(D + 1)))
        .collect();
    for tiles in &mut grid.tiles {
        for ((_, rooms), (room, touched)) in out.iter_mut().zip(tiles.segments_mut()) {
            rooms.push((room, &*touched));
        }
    }
    out
}

/// The lattice to which particles are added.
#[derive(Clone, Copy)]
enum Target {
    /// Faces across an axis: momentum, volume, force, mass.
    Faces {
        axis: usize,
        momentum: Momentum,
        stress: StressForce,
    },
    /// Cells: volume, its products with compliance and compression, mass.
    Cells,
}

/// Adds the particles of a segment to its tile on a lattice.
struct ScatterLattice<'a, T, const D: usize> {
    target: Target,
    hot: &'a [T],
    hot_stride: usize,
    cold: &'a [T],
    cold_stride: usize,
    response: &'a [T],
    offset: [f64; D],
    frame: TileFrame<T>,
    h: f64,
    nodes: &'a mut [Node<T>],
}

/// Coefficients of a group on a lattice: of w, of w (x_i − x_p) and of ∇w, by slot of the quad.
struct GroupCoefficients<L, const D: usize> {
    constant: [L; 4],
    linear: [[L; 4]; D],
    gradient: [[L; 4]; D],
}

impl<T: Scalar, const D: usize> ScatterLattice<'_, T, D> {
    #[inline(always)]
    fn coefficients<L: Lanes<Scalar = T>>(
        &self,
        hot: &[T],
        cold: &[T],
        response: &[T],
    ) -> GroupCoefficients<L, D> {
        let zero = [L::zero(); 4];
        let mut out = GroupCoefficients {
            constant: zero,
            linear: [zero; D],
            gradient: [zero; D],
        };
        let rest_volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
        let volume = rest_volume * L::load(response);
        match self.target {
            Target::Cells => {
                out.constant[CELL_VOLUME] = volume;
                out.constant[CELL_COMPLIANCE] = volume * L::load(&response[L::LANES..]);
                out.constant[CELL_COMPRESSION] = volume * L::load(&response[2 * L::LANES..]);
                out.constant[CELL_MASS] = L::load(&hot[Layout::<D>::MASS * L::LANES..]);
            }
            Target::Faces {
                axis,
                momentum,
                stress,
            } => {
                let mass = L::load(&hot[Layout::<D>::MASS * L::LANES..]);
                let velocity = L::load(&cold[(Layout::<D>::V + axis) * L::LANES..]);
                out.constant[FACE_VELOCITY] = mass * velocity;
                out.constant[FACE_VOLUME] = volume;
                out.constant[FACE_MASS] = mass;
                let tau = deviatoric_stress::<L, D>(cold);
                for d in 0..D {
                    let column = Layout::<D>::AFFINE + axis * D + d;
                    let affine = mass * L::load(&cold[column * L::LANES..]);
                    if momentum.by_gradient {
                        out.gradient[d][FACE_VELOCITY] = affine;
                    } else {
                        out.linear[d][FACE_VELOCITY] = affine;
                    }
                    let force = -(rest_volume * tau[axis][d]);
                    match stress.mls {
                        Some(inverse) => out.linear[d][FACE_FORCE] = force * L::splat(inverse),
                        None => out.gradient[d][FACE_FORCE] = force,
                    }
                }
            }
        }
        out
    }
}

/// The deviator of the Kirchhoff stress, without the pressure of the last projection.
#[inline(always)]
fn deviatoric_stress<L: Lanes, const D: usize>(cold: &[L::Scalar]) -> Matrix<L, D>
where
    L::Scalar: Scalar,
{
    let mut tau = Matrix::zero();
    let mut column = Layout::<D>::STRESS;
    for i in 0..D {
        for j in i..D {
            tau[i][j] = L::load(&cold[column * L::LANES..]);
            tau[j][i] = tau[i][j];
            column += 1;
        }
    }
    tau.deviator()
}

impl<T: Scalar, const D: usize> SplineKernel<T> for ScatterLattice<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) {
        let h = L::splat(self.h);
        let inv_h = L::splat_scalar(self.frame.inv_h);
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.cold.chunks_exact(self.cold_stride))
            .zip(self.response.chunks_exact(RESPONSE * L::LANES));
        for ((hot, cold), response) in groups {
            let x = on_lattice::<L, D>(hot, &self.offset);
            let located = locate::<L, K, D>(&x, &self.frame);
            let stencils = Stencils::new::<L, K>(&located, self.frame.side);
            let mut of = self.coefficients::<L>(hot, cold, response);
            // In units of the base node: x_i − x_p = h (i − f), ∇w = slope/h.
            for d in 0..D {
                for slot in 0..4 {
                    of.linear[d][slot] *= h;
                    of.gradient[d][slot] *= inv_h;
                    of.constant[slot] -= of.linear[d][slot] * located.fraction[d];
                }
            }
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; 7];
            L::store_transposed(of.constant, quads[0].as_flattened_mut(), 4);
            for d in 0..D {
                L::store_transposed(of.linear[d], quads[1 + d].as_flattened_mut(), 4);
                L::store_transposed(of.gradient[d], quads[1 + D + d].as_flattened_mut(), 4);
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
    }
}
