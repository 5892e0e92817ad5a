//! Conjugate gradients in double precision with a preconditioner in single precision.
//!
//! With the preconditioner M, z = M r, each iteration is
//!
//! p ← z + β p, β = r·z / (r·z of the iteration before);
//! x ← x + α p, r ← r − α A p, α = r·z / p·A p
//!
//! \[Shewchuk1994\]. The preconditioner sees r divided by a power of two near its norm, so that
//! single precision has room on both sides. The residual of the solution is computed from it in the
//! end, and iterations go on from there if rounding has made it larger than what they know.

use crate::bands::{for_each, slices, sum_over};
use crate::coefficients::Coefficients;
use crate::error::SolveError;
use crate::multigrid::Multigrid;
use crate::operator::{dot, multiply};
use crate::options::{Options, Solved};
use crate::rows::{Layout, fill_ghosts};

/// Matrix, preconditioner and vectors of the iteration.
pub(crate) struct ConjugateGradients<const D: usize> {
    coefficients: Coefficients<f64, D>,
    preconditioner: Multigrid<D>,
    /// The preconditioner's matrix is the system's, divided by this.
    scale: f64,
    /// The solution.
    pub x: [Vec<f64>; 2],
    /// Its residual.
    r: [Vec<f64>; 2],
    /// Direction of search.
    p: [Vec<f64>; 2],
    /// A p.
    q: [Vec<f64>; 2],
}

impl<const D: usize> ConjugateGradients<D> {
    /// Prepares iterations.
    pub fn new(
        layout: &Layout<D>,
        coefficients: Coefficients<f64, D>,
        preconditioner: Multigrid<D>,
        scale: f64,
    ) -> Self {
        let x = [Vec::new(), Vec::new()];
        let (r, p, q) = (layout.field(), layout.field(), layout.field());
        Self {
            coefficients,
            preconditioner,
            scale,
            x,
            r,
            p,
            q,
        }
    }

    /// Finds x from a first guess.
    pub fn run(
        &mut self,
        layout: &Layout<D>,
        b: [Vec<f64>; 2],
        guess: [Vec<f64>; 2],
        options: &Options,
    ) -> Result<Solved, SolveError> {
        self.x = guess;
        let norm_b = square(layout, &b).sqrt();
        if norm_b == 0.0 {
            self.x.iter_mut().for_each(|x| x.fill(0.0));
            return Ok(Solved {
                iterations: 0,
                residual: 0.0,
            });
        }
        let tolerance = options.tolerance;
        let mut iterations = 0;
        let mut residual = self.compute_residual(layout, &b).sqrt() / norm_b;
        // A first guess that is worse than zero, if it is one at all, is of no use.
        if residual.is_nan() || residual > 1.0 {
            self.x.iter_mut().for_each(|x| x.fill(0.0));
            residual = self.compute_residual(layout, &b).sqrt() / norm_b;
        }
        loop {
            let before = residual;
            let mut found = residual;
            let mut rho_before = f64::INFINITY;
            while found > tolerance && iterations < options.iterations {
                iterations += 1;
                match self.iterate(layout, found * norm_b, rho_before) {
                    Some((square, rho)) => (found, rho_before) = (square.sqrt() / norm_b, rho),
                    None => break,
                }
            }
            if iterations > 0 {
                residual = self.compute_residual(layout, &b).sqrt() / norm_b;
            }
            if residual <= tolerance {
                return Ok(Solved {
                    iterations,
                    residual,
                });
            }
            // Less than a half gained, or not a number: rounding allows no more.
            if iterations >= options.iterations || residual.is_nan() || residual >= 0.5 * before {
                return Err(SolveError::NotConverged {
                    iterations,
                    residual,
                    tolerance,
                });
            }
        }
    }

    /// Computes r = b − A x and returns r·r.
    fn compute_residual(&mut self, layout: &Layout<D>, b: &[Vec<f64>; 2]) -> f64 {
        for (color, x) in self.x.iter_mut().enumerate() {
            fill_ghosts(&layout.wraps, 0, color, x);
        }
        multiply(layout, &self.coefficients, &self.x, &mut self.q);
        let q = &self.q;
        sum_over(&layout.bands, slices(&mut self.r), |band, r| {
            let mut sum = 0.0;
            for (color, r) in r.into_iter().enumerate() {
                let (b, q) = (
                    &b[color][band.elements.clone()],
                    &q[color][band.elements.clone()],
                );
                for ((r, b), q) in r.iter_mut().zip(b).zip(q) {
                    *r = b - q;
                }
                sum += dot(r, r);
            }
            sum
        })
    }

    /// One iteration for a residual of some norm; `rho_before` is infinite in the first one.
    /// Returns r·r and r·z, or nothing if there is no way down.
    fn iterate(&mut self, layout: &Layout<D>, norm: f64, rho_before: f64) -> Option<(f64, f64)> {
        let unit = power_of_two(norm);
        self.precondition(layout, unit);
        let z_scale = unit / self.scale;
        let z = &self.preconditioner.levels[0].x;
        let r = &self.r;
        let rho = z_scale
            * sum_over(&layout.bands, (), |band, ()| {
                let mut sum = 0.0;
                for color in 0..2 {
                    let part = band.elements.clone();
                    sum += mixed_dot(&r[color][part.clone()], &z[color][part]);
                }
                sum
            });
        let beta = rho / rho_before;
        for_each(&layout.bands, slices(&mut self.p), |band, p| {
            for (color, p) in p.into_iter().enumerate() {
                let z = &z[color][band.elements.clone()];
                for (p, &z) in p.iter_mut().zip(z) {
                    *p = z_scale * f64::from(z) + beta * *p;
                }
            }
        });
        let pq = multiply(layout, &self.coefficients, &self.p, &mut self.q);
        let alpha = rho / pq;
        if !(alpha > 0.0 && alpha.is_finite()) {
            return None;
        }
        let (p, q) = (&self.p, &self.q);
        let arrays = (slices(&mut self.x), slices(&mut self.r));
        let square = sum_over(&layout.bands, arrays, |band, (x, r)| {
            let mut sum = 0.0;
            for (color, (x, r)) in x.into_iter().zip(r).enumerate() {
                let part = band.elements.clone();
                for (x, p) in x.iter_mut().zip(&p[color][part.clone()]) {
                    *x += alpha * p;
                }
                for (r, q) in r.iter_mut().zip(&q[color][part]) {
                    *r -= alpha * q;
                }
                sum += dot(r, r);
            }
            sum
        });
        Some((square, rho))
    }

    /// Applies the preconditioner to r / unit.
    fn precondition(&mut self, layout: &Layout<D>, unit: f64) {
        let (r, factor) = (&self.r, unit.recip());
        for_each(
            &layout.bands,
            slices(&mut self.preconditioner.levels[0].b),
            |band, b| {
                for (color, b) in b.into_iter().enumerate() {
                    for (b, r) in b.iter_mut().zip(&r[color][band.elements.clone()]) {
                        *b = (r * factor) as f32;
                    }
                }
            },
        );
        self.preconditioner.cycle();
    }
}

/// Sum of squares.
fn square<const D: usize>(layout: &Layout<D>, v: &[Vec<f64>; 2]) -> f64 {
    sum_over(&layout.bands, (), |band, ()| {
        let parts = v.each_ref().map(|v| &v[band.elements.clone()]);
        dot(parts[0], parts[0]) + dot(parts[1], parts[1])
    })
}

/// Sum of products of numbers in double and in single precision.
fn mixed_dot(u: &[f64], v: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    let (u, u_rest) = u.as_chunks::<8>();
    let (v, v_rest) = v.as_chunks::<8>();
    for (u, v) in u.iter().zip(v) {
        for i in 0..8 {
            sums[i] += u[i] * f64::from(v[i]);
        }
    }
    for (i, (u, v)) in u_rest.iter().zip(v_rest).enumerate() {
        sums[i] += u * f64::from(*v);
    }
    sums.iter().sum()
}

/// The largest power of two that is not above a positive number; the smallest normal one if there
/// is none.
pub(crate) fn power_of_two(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & (0x7FF << 52)).max(f64::MIN_POSITIVE)
}
