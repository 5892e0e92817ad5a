//! Krylov methods for linear systems A x = b with a symmetric matrix that is known only by its
//! products: conjugate gradients, conjugate residuals and MINRES, all preconditioned.
//!
//! Unknowns are flat slices of numbers, whatever they stand for: velocities of nodes, pressures,
//! temperatures.

pub(crate) mod vector;

use thixo_par::Scalar;

use self::vector::{add, dot, scale_all, scale_and_add, update_iterate_and_direction};

/// A symmetric matrix A and a preconditioner.
pub(crate) trait Operator<T: Scalar> {
    /// out ← A x. Returns x · A x.
    fn multiply(&mut self, x: &[T], out: &mut [T]) -> f64;
    /// z ← P r with a symmetric positive definite P that approximates A⁻¹.
    fn precondition(&self, r: &[T], z: &mut [T]);
    /// r ← r − a q, and then z as in [`precondition`](Self::precondition).
    fn reduce(&self, r: &mut [T], change: (f64, &[T]), z: &mut [T]) -> ResidualNorms;
    /// The square of the norm of residuals, independent of the preconditioner.
    fn norm_squared(&self, r: &[T]) -> f64;
}

/// Norms of a residual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ResidualNorms {
    /// r · z with the preconditioned residual z.
    pub product: f64,
    /// r · M⁻¹ r with the mass matrix M, or a sharper bound: at least e · A e of the error e, if
    /// A − M is positive semidefinite.
    pub bound: f64,
}

/// Stopping criterion of conjugate gradients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StoppingCriterion {
    /// Largest error relative to the distance from the start, both in the norm √(x · A x) \[–\].
    pub tolerance: f64,
    /// The square of that distance before the solve.
    pub distance_squared: f64,
    /// Largest error relative to the first one, whatever the distance \[–\].
    pub forcing: f64,
}

impl StoppingCriterion {
    /// True if residuals with some [bound](ResidualNorms::bound) are small enough.
    fn is_met(&self, bound: f64, first: f64, distance_squared: f64) -> bool {
        let limit = f64::max(
            self.forcing.powi(2) * first,
            self.tolerance.powi(2) * (self.distance_squared + distance_squared),
        );
        bound <= limit
    }
}

/// Outcome of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolveOutcome {
    /// Products with the matrix.
    pub iterations: u32,
    /// Norm of the residual relative to that of the right-hand side; MINRES, which has only the
    /// preconditioned residual, uses the norm of the preconditioner for both.
    pub residual: f64,
    /// True if a direction of negative curvature was found.
    pub is_indefinite: bool,
}

/// Conjugate gradients from zero. If the matrix turns out not to be positive definite, the last
/// iterate is returned, or the right-hand side if there is none: a descent direction in either
/// case. \[Gast2015\] §3.1.
pub(crate) fn conjugate_gradient<T: Scalar>(
    operator: &mut impl Operator<T>,
    b: &[T],
    x: &mut [T],
    (criterion, max_iterations): (StoppingCriterion, u32),
) -> SolveOutcome {
    x.fill(T::zero());
    let mut r = vec![T::zero(); b.len()];
    let mut z = r.clone();
    let mut norms = operator.reduce(&mut r, (-1.0, b), &mut z);
    let mut p = z.clone();
    let mut q = vec![T::zero(); b.len()];
    let first = norms.bound;
    // x · A x, which grows with every iteration.
    let mut distance_squared = 0.0;
    let mut iterations = 0;
    let mut is_indefinite = false;
    while iterations < max_iterations && !criterion.is_met(norms.bound, first, distance_squared) {
        let curvature = operator.multiply(&p, &mut q);
        iterations += 1;
        if curvature <= 0.0 || !curvature.is_finite() {
            if iterations == 1 {
                x.copy_from_slice(&z);
            }
            is_indefinite = true;
            break;
        }
        let alpha = norms.product / curvature;
        distance_squared += alpha * norms.product;
        let next = operator.reduce(&mut r, (alpha, &q), &mut z);
        let beta = next.product / norms.product;
        update_iterate_and_direction(x, alpha, &mut p, (beta, &z));
        norms = next;
    }
    SolveOutcome {
        is_indefinite,
        ..outcome(iterations, norms.bound, first)
    }
}

/// Conjugate residuals from an initial guess: the norm of the residual falls in every iteration,
/// for indefinite matrices too.
pub(crate) fn conjugate_residual<T: Scalar>(
    operator: &mut impl Operator<T>,
    b: &[T],
    x: &mut [T],
    (tolerance, max_iterations): (f64, u32),
) -> SolveOutcome {
    let mut q = vec![T::zero(); b.len()];
    operator.multiply(x, &mut q);
    let mut r = b.to_vec();
    add(&mut r, -1.0, &q);
    let first = operator.norm_squared(b);
    let mut z = preconditioned(operator, &r);
    let mut p = z.clone();
    let mut az = vec![T::zero(); b.len()];
    let mut zaz = operator.multiply(&z, &mut az);
    let mut ap = az.clone();
    let mut iterations = 2;
    let mut residual_squared = operator.norm_squared(&r);
    while iterations < max_iterations && residual_squared > tolerance * tolerance * first {
        let w = preconditioned(operator, &ap);
        let length = dot(&ap, &w);
        if length <= 0.0 || !length.is_finite() || zaz == 0.0 {
            break;
        }
        let alpha = zaz / length;
        add(x, alpha, &p);
        add(&mut r, -alpha, &ap);
        add(&mut z, -alpha, &w);
        let next = operator.multiply(&z, &mut az);
        iterations += 1;
        let beta = next / zaz;
        scale_and_add(&mut p, beta, &z);
        scale_and_add(&mut ap, beta, &az);
        zaz = next;
        residual_squared = operator.norm_squared(&r);
    }
    outcome(iterations, residual_squared, first)
}

/// The minimal residual method of Paige and Saunders from zero, for symmetric matrices that may be
/// indefinite.
pub(crate) fn minres<T: Scalar>(
    operator: &mut impl Operator<T>,
    b: &[T],
    x: &mut [T],
    (tolerance, max_iterations): (f64, u32),
) -> SolveOutcome {
    x.fill(T::zero());
    // Lanczos vectors r/β and their preconditioned counterparts y/β.
    let mut r = b.to_vec();
    let mut y = preconditioned(operator, &r);
    let mut beta = dot(&r, &y).max(0.0).sqrt();
    let first = beta;
    let mut r_before = vec![T::zero(); b.len()];
    let mut beta_before = 0.0;
    let (mut w, mut w_before) = (r_before.clone(), r_before.clone());
    // The last two rotations, and the right-hand side under them.
    let (mut c, mut s, mut delta_next, mut epsilon_next) = (-1.0, 0.0, 0.0, 0.0);
    let mut phi = beta;
    let mut iterations = 0;
    let mut q = vec![T::zero(); b.len()];
    while iterations < max_iterations && beta > 0.0 && phi > tolerance * first {
        let mut v = y.clone();
        scale_all(&mut v, 1.0 / beta);
        operator.multiply(&v, &mut q);
        iterations += 1;
        if iterations > 1 {
            add(&mut q, -beta / beta_before, &r_before);
        }
        let alpha = dot(&v, &q);
        if !alpha.is_finite() {
            break;
        }
        add(&mut q, -alpha / beta, &r);
        r_before = core::mem::replace(&mut r, q);
        q = vec![T::zero(); b.len()];
        y = preconditioned(operator, &r);
        beta_before = beta;
        beta = dot(&r, &y).max(0.0).sqrt();

        let epsilon = epsilon_next;
        let delta = c * delta_next + s * alpha;
        let gamma_bar = s * delta_next - c * alpha;
        epsilon_next = s * beta;
        delta_next = -c * beta;
        let gamma = f64::hypot(gamma_bar, beta).max(f64::MIN_POSITIVE);
        c = gamma_bar / gamma;
        s = beta / gamma;
        let step = c * phi;
        phi *= s;

        // w ← (v − ε w_before − δ w)/γ
        let mut next = v;
        add(&mut next, -epsilon, &w_before);
        add(&mut next, -delta, &w);
        scale_all(&mut next, 1.0 / gamma);
        w_before = core::mem::replace(&mut w, next);
        add(x, step, &w);
    }
    SolveOutcome {
        iterations,
        residual: if first > 0.0 { phi / first } else { 0.0 },
        is_indefinite: false,
    }
}

fn preconditioned<T: Scalar>(operator: &impl Operator<T>, r: &[T]) -> Vec<T> {
    let mut z = vec![T::zero(); r.len()];
    operator.precondition(r, &mut z);
    z
}

fn outcome(iterations: u32, squared: f64, first: f64) -> SolveOutcome {
    let residual = if first > 0.0 {
        (squared.max(0.0) / first).sqrt()
    } else {
        0.0
    };
    SolveOutcome {
        iterations,
        residual,
        is_indefinite: false,
    }
}

#[cfg(test)]
mod tests {
    use super::vector::scale;
    use super::*;

    /// A dense symmetric matrix.
    struct Dense {
        rows: Vec<Vec<f64>>,
        inverse: Vec<f64>,
    }

    const EXACT: StoppingCriterion = StoppingCriterion {
        tolerance: 0.0,
        distance_squared: 0.0,
        forcing: 1e-12,
    };

    impl Operator<f64> for Dense {
        fn multiply(&mut self, x: &[f64], out: &mut [f64]) -> f64 {
            for (entry, row) in out.iter_mut().zip(&self.rows) {
                *entry = row.iter().zip(x).map(|(a, x)| a * x).sum();
            }
            dot(x, out)
        }
        fn precondition(&self, r: &[f64], z: &mut [f64]) {
            z.copy_from_slice(r);
            scale(z, &self.inverse);
        }
        fn reduce(&self, r: &mut [f64], (a, q): (f64, &[f64]), z: &mut [f64]) -> ResidualNorms {
            add(r, -a, q);
            self.precondition(r, z);
            ResidualNorms {
                product: dot(r, z),
                bound: dot(r, r),
            }
        }
        fn norm_squared(&self, r: &[f64]) -> f64 {
            dot(r, r)
        }
    }

    /// Unknowns: not a multiple of the numbers that a vector operation takes at a time.
    const N: usize = 13;

    fn right_hand_side() -> Vec<f64> {
        (0..N).map(|k| [1.0, -2.0, 0.5][k % 3]).collect()
    }

    /// Random symmetric, with eigenvalues of both signs unless `shift` is large.
    fn matrix(shift: f64) -> Dense {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut rows = vec![vec![0.0; N]; N];
        for i in 0..N {
            for j in i..N {
                rows[i][j] = next();
                rows[j][i] = rows[i][j];
            }
            rows[i][i] += shift * (1.0 + i as f64);
        }
        let inverse = (0..N).map(|k| 1.0 / rows[k][k].abs().max(0.5)).collect();
        Dense { rows, inverse }
    }

    fn error(operator: &mut Dense, x: &[f64], b: &[f64]) -> f64 {
        let mut ax = vec![0.0; x.len()];
        operator.multiply(x, &mut ax);
        add(&mut ax, -1.0, b);
        (dot(&ax, &ax) / dot(b, b)).sqrt()
    }

    #[test]
    fn all_three_solve_a_definite_system() {
        let mut a = matrix(6.0);
        let b = right_hand_side();
        let mut x = vec![0.0; N];
        conjugate_gradient(&mut a, &b, &mut x, (EXACT, 50));
        assert!(error(&mut a, &x, &b) < 1e-10);
        let mut x = vec![0.1; N];
        conjugate_residual(&mut a, &b, &mut x, (1e-12, 50));
        assert!(error(&mut a, &x, &b) < 1e-10);
        let solved = minres(&mut a, &b, &mut x, (1e-12, 50));
        assert!(error(&mut a, &x, &b) < 1e-10, "{solved:?}");
    }

    #[test]
    fn residual_methods_solve_an_indefinite_system_and_gradients_stop_downhill() {
        let mut a = matrix(0.0);
        let b = right_hand_side();
        let mut x = vec![0.0; N];
        minres(&mut a, &b, &mut x, (1e-10, 100));
        assert!(error(&mut a, &x, &b) < 1e-7);
        let solved = conjugate_gradient(&mut a, &b, &mut x, (EXACT, 100));
        assert!(dot(&x, &b) > 0.0, "downhill");
        assert!(solved.is_indefinite, "{solved:?}");
    }
}
