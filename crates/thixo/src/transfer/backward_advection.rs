//! Backward advection: positions by backward Euler, x′ = x + Δt v(x′), equation (24).
//!
//! With the velocity at its new position, a particle that approaches an obstacle slows down with
//! the matter in front of it and does not penetrate, however long the step; with that at its old
//! position it would be carried on. \[Gast2015\] §6.2, \[Jiang2015thesis\] A.6.2, errata E41. Each
//! particle solves its own equation by Newton's method, with steps halved while the error grows.

use thixo_math::{Lanes, Mask, Matrix, Vector};
use thixo_par::{MAX_LANES, Scalar};

use super::StepOutcome;
use super::gather::{read_quads, write_lane};
use super::stencil::{Stencils, TileFrame, locate};
use crate::grid::Node;
use crate::kernel::{Spline, SplineKernel};
use crate::particles::Layout;

/// Position whose velocity moves a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Advection {
    /// Forward Euler, the old position: x′ = x + Δt v(x).
    #[default]
    Forward,
    /// Backward Euler, the new position: x′ = x + Δt v(x′).
    Backward,
}

/// Largest error of a position, in cells: far below the spacing of particles.
const TOLERANCE: f64 = 1e-4;
/// Most evaluations of the velocity: one or two Newton steps, or fourteen halvings.
const MAX_EVALUATIONS: usize = 16;

/// Solves for the positions of the particles of a segment, from those of forward Euler.
pub(super) struct BackwardAdvection<'a, T, const D: usize> {
    /// Columns of the particles; their positions are replaced.
    pub hot: &'a mut [T],
    /// Values per group in `hot`.
    pub hot_stride: usize,
    /// Positions before the step \[cells\]: groups of lanes, component after component.
    pub start: &'a [T],
    /// Velocities of the tile.
    pub nodes: &'a [Node<T>],
    /// Map from offsets to the tile.
    pub frame: TileFrame<T>,
    /// Grid spacing \[m\].
    pub h: f64,
    /// Time step \[s\].
    pub dt: T,
}

/// An iterate and its residual.
#[derive(Clone, Copy)]
struct Iterate<L: Lanes, const D: usize> {
    x: Vector<L, D>,
    /// Squared residual |x − x₀ − Δt v(x)|² \[cells²\].
    error: L,
    /// Newton step (I − Δt∇v)⁻¹ (x − x₀ − Δt v(x)) \[cells\].
    step: Vector<L, D>,
    inside: L::Mask,
}

impl<T: Scalar, const D: usize> BackwardAdvection<'_, T, D> {
    #[inline(always)]
    fn evaluate<L: Lanes<Scalar = T>, K: Spline>(
        &self,
        start: Vector<L, D>,
        x: Vector<L, D>,
    ) -> Iterate<L, D> {
        let located = locate::<L, K, D>(&x, &self.frame);
        let stencils = Stencils::new::<L, K>(&located, self.frame.side);
        let mut quads = [[[T::zero(); 4]; MAX_LANES]; 8];
        for lane in 0..L::LANES {
            write_lane(&mut quads, lane, &stencils.gather::<K>(lane, self.nodes));
        }
        let dt = L::splat_scalar(self.dt);
        let dt_inv_h = dt * L::splat_scalar(self.frame.inv_h);
        let velocity: Vector<L, D> = read_quads(&quads[0]);
        let mut matrix = Matrix::<L, D>::identity();
        for d in 0..D {
            let slope: Vector<L, D> = read_quads(&quads[1 + D + d]);
            for c in 0..D {
                matrix[c][d] -= dt_inv_h * slope[c];
            }
        }
        let residual = x - start - velocity * dt_inv_h;
        Iterate {
            x,
            error: residual.norm_squared(),
            step: matrix.inverse() * residual,
            inside: located.inside,
        }
    }
}

impl<T: Scalar, const D: usize> SplineKernel<T> for BackwardAdvection<'_, T, D> {
    type Output = StepOutcome<T>;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) -> StepOutcome<T> {
        let mut speed_squared = L::zero();
        let good = L::splat(TOLERANCE.powi(2));
        let half = L::splat(0.5);
        let rate = L::splat(self.h) / L::splat_scalar(self.dt);
        for (group, start) in self.start.chunks_exact(D * L::LANES).enumerate() {
            let first = group * self.hot_stride;
            let mut before = Vector::zero();
            let mut x = Vector::zero();
            for a in 0..D {
                before[a] = L::load(&start[a * L::LANES..]);
                x[a] = L::load(&self.hot[first + (Layout::<D>::X + a) * L::LANES..]);
            }
            let mut best = self.evaluate::<L, K>(before, x);
            let mut share = L::one();
            for _ in 1..MAX_EVALUATIONS {
                if best.error.le(good).all() {
                    break;
                }
                let next = self.evaluate::<L, K>(before, best.x - best.step * share);
                // Only within the tile, where velocities are known, and never to a position that is
                // NaN.
                let better = next.error.le(best.error).and(next.inside);
                share = L::select(better, L::one(), half * share);
                best = Iterate {
                    x: Vector::select(better, next.x, best.x),
                    error: L::select(better, next.error, best.error),
                    step: Vector::select(better, next.step, best.step),
                    inside: best.inside,
                };
            }
            for a in 0..D {
                best.x[a].store(&mut self.hot[first + (Layout::<D>::X + a) * L::LANES..]);
            }
            let travelled = (best.x - before) * rate;
            speed_squared = travelled.norm_squared().max(speed_squared);
        }
        StepOutcome {
            speed_squared: speed_squared.max_lane(),
            ..StepOutcome::none()
        }
    }
}
