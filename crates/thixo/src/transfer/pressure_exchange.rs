//! Forces of the pressure of a fluid in the pores of a solid, scattered by the particles of the
//! fluid, equation (72).
//!
//! With b = V p/φ_f: the fluid gets −b ∇φ_s w, and every node of the solid φ_s b ∇w. Both sums over
//! the nodes are the same but for the sign, so that momentum stays. In place of masses the sums of
//! w m (J − 1) and w m p come along, for the means of (73a).

use rayon::prelude::*;
use thixo_math::{Lanes, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::scatter::write_quads;
use super::stencil::{Affine, Distribution, Stencils, TileFrame, locate};
use super::{StressForce, TransferContext, segment_views};
use crate::grid::{BaseRange, Field, MASS, Node, NodeBox, Tile, Tiles};
use crate::kernel::{Spline, SplineKernel, dispatch_spline};
use crate::particles::{Layout, Particles};
use crate::porous::LEAST_POROSITY;
use crate::transfer::gradient::GradientUnit;

/// Scatters −b ∇φ_s w to `on_fluid` and b ∇w to `on_solid` for all particles of materials for which
/// `is_fluid` holds. The masses of `medium` are φ_s.
pub(crate) fn scatter_pressure<T: Scalar, const D: usize>(
    (is_fluid, keeps_growth): (impl Fn(usize) -> bool + Sync, impl Fn(usize) -> bool + Sync),
    medium: &Field<T, 4>,
    particles: &mut Particles<T, D>,
    (on_fluid, on_solid): (&mut Tiles<T, 4, D>, &mut Tiles<T, 4, D>),
    context: &TransferContext<'_, T, D>,
) {
    let views = segment_views(particles, context.step.order, on_fluid);
    let work: Vec<_> = views.into_iter().zip(on_solid.segments_mut()).collect();
    let geometry = context.step.geometry;
    let side = geometry.tile_side();
    let unit = StressForce::new(context.transfer, geometry).unit(geometry.spacing());
    work.into_par_iter().for_each_init(
        || [Tile::new(side), Tile::new(side), Tile::new(side)],
        |[around, fluid, solid], (work, (tile, touched))| {
            if !is_fluid(work.segment.species) {
                return;
            }
            let part = (work.segment.block, &work.segment.bounds);
            around.load(part, &context.step.order.blocks, medium.values());
            fluid.clear::<D>();
            solid.clear::<D>();
            let kernel = PressureSegment::<T, D> {
                hot: work.hot,
                hot_stride: work.hot_stride,
                cold: work.cold,
                medium: around.nodes(),
                keeps_growth: keeps_growth(work.segment.species),
                frame: TileFrame::new(geometry),
                unit,
                on_fluid: fluid.nodes_mut(),
                on_solid: solid.nodes_mut(),
            };
            *work.touched = dispatch_spline(context.step.isa, geometry.kernel(), kernel);
            *touched = *work.touched;
            fluid.store(work.touched, work.tile);
            solid.store(touched, tile);
        },
    );
}

struct PressureSegment<'a, T, const D: usize> {
    hot: &'a [T],
    hot_stride: usize,
    cold: &'a [T],
    medium: &'a [Node<T>],
    /// True if the first column of the law is J − 1.
    keeps_growth: bool,
    frame: TileFrame<T>,
    /// Definition of ∇w.
    unit: GradientUnit,
    on_fluid: &'a mut [Node<T>],
    on_solid: &'a mut [Node<T>],
}

impl<T: Scalar, const D: usize> SplineKernel<T> for PressureSegment<'_, T, D> {
    type Output = NodeBox<D>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) -> NodeBox<D> {
        let mut touched = BaseRange::<L, D>::none();
        let unit = L::splat(self.unit.unit);
        let groups = self
            .hot
            .chunks_exact(self.hot_stride)
            .zip(self.cold.chunks_exact(Layout::<D>::COLD * L::LANES));
        for (hot, cold) in groups {
            let mut x = Vector::zero();
            for a in 0..D {
                x[a] = L::load(&hot[(Layout::<D>::X + a) * L::LANES..]);
            }
            let located = locate::<L, K, D>(&x, &self.frame);
            touched.include(&located.base);
            let stencils = Stencils::new::<L, K>(&located, self.frame.side);

            // φ_s and its gradient at the particles.
            let mut scalars = [[T::zero(); MAX_LANES]; 7];
            for lane in 0..L::LANES {
                let sums = stencils.gather::<K>(lane, self.medium);
                scalars[0][lane] = sums.constant[MASS];
                for d in 0..D {
                    scalars[1 + d][lane] = sums.linear[d][MASS];
                    scalars[1 + D + d][lane] = sums.gradient[d][MASS];
                }
            }
            let share = L::load(&scalars[0]);
            let mut gradient = Vector::<L, D>::zero();
            for d in 0..D {
                gradient[d] = unit
                    * match self.unit.by {
                        Distribution::Slopes => L::load(&scalars[1 + D + d]),
                        Distribution::Distances => {
                            L::load(&scalars[1 + d]) - located.fraction[d] * share
                        }
                    };
            }

            // b = V p/φ_f, of V p = −V⁰ tr τ/d.
            let mut trace = L::zero();
            let mut column = Layout::<D>::STRESS;
            for i in 0..D {
                trace += L::load(&cold[column * L::LANES..]);
                column += D - i;
            }
            let volume = L::load(&hot[Layout::<D>::V0 * L::LANES..]);
            let room = (L::one() - share).max(L::splat(LEAST_POROSITY));
            let b = -(volume * trace) * L::splat(1.0 / D as f64) / room;

            // m (J − 1) and m p, p = −tr τ/(d J).
            let mass = L::load(&hot[Layout::<D>::MASS * L::LANES..]);
            let growth = match self.keeps_growth {
                true => L::load(&hot[Layout::<D>::STATE * L::LANES..]),
                false => L::zero(),
            };
            let pressure = trace * L::splat(-1.0 / D as f64) / (L::one() + growth);

            // b ∇w, with w (x_i − x_p) in its place for moving least squares.
            let scaled = b * unit;
            let mut quads = [[[T::zero(); 4]; MAX_LANES]; 5];
            write_quads(gradient * -b, mass * growth, &mut quads[0]);
            let constant = match self.unit.by {
                Distribution::Slopes => Vector::zero(),
                Distribution::Distances => located.fraction * -scaled,
            };
            write_quads(constant, mass * pressure, &mut quads[1]);
            for d in 0..D {
                let mut along = Vector::<L, D>::zero();
                along[d] = scaled;
                write_quads(along, L::zero(), &mut quads[2 + d]);
            }
            for lane in 0..L::LANES {
                let mut force = Affine::zero();
                force.constant = quads[0][lane];
                stencils.scatter::<K>(lane, &force, self.on_fluid);
                let mut force = Affine::zero();
                force.constant = quads[1][lane];
                match self.unit.by {
                    Distribution::Slopes => {
                        for d in 0..D {
                            force.gradient[d] = quads[2 + d][lane];
                        }
                    }
                    Distribution::Distances => {
                        for d in 0..D {
                            force.linear[d] = quads[2 + d][lane];
                        }
                    }
                }
                stencils.scatter::<K>(lane, &force, self.on_solid);
            }
        }
        touched.nodes(K::WIDTH, self.frame.side)
    }
}
