//! Operations on vectors of unknowns. Sums are made in double precision and in a fixed order, so
//! that they do not depend on the number of threads.

use rayon::prelude::*;
use thixo_par::Scalar;

/// Numbers that one thread works on.
const CHUNK: usize = 4096;
/// Partial sums that are formed in parallel, so that a register holds them.
const SUMS: usize = 4;

/// Σ f(x, y).
fn sum<T: Scalar>(x: &[T], y: &[T], f: impl Fn(f64, f64) -> f64 + Sync) -> f64 {
    let partial: Vec<f64> = x
        .par_chunks(CHUNK)
        .zip(y.par_chunks(CHUNK))
        .map(|(x, y)| {
            let mut sums = [0.0; SUMS];
            let (x, x_rest) = x.as_chunks::<SUMS>();
            let (y, y_rest) = y.as_chunks::<SUMS>();
            for (x, y) in x.iter().zip(y) {
                for c in 0..SUMS {
                    sums[c] += f(x[c].to_f64(), y[c].to_f64());
                }
            }
            for (sum, (x, y)) in sums.iter_mut().zip(x_rest.iter().zip(y_rest)) {
                *sum += f(x.to_f64(), y.to_f64());
            }
            sums.iter().sum()
        })
        .collect();
    partial.into_iter().sum()
}

/// x · y.
pub(crate) fn dot<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    sum(x, y, |x, y| x * y)
}

/// Σ w x².
pub(crate) fn weighted_square<T: Scalar>(x: &[T], weights: &[T]) -> f64 {
    sum(x, weights, |x, w| w * x * x)
}

/// A step of conjugate gradients, and its next direction: x ← x + a p, p ← z + b p.
pub(crate) fn update_iterate_and_direction<T: Scalar>(
    x: &mut [T],
    a: f64,
    p: &mut [T],
    (b, z): (f64, &[T]),
) {
    let (a, b) = (T::from_f64(a), T::from_f64(b));
    let directions = p.par_chunks_mut(CHUNK).zip(z.par_chunks(CHUNK));
    let solutions = x.par_chunks_mut(CHUNK);
    solutions.zip(directions).for_each(|(x, (p, z))| {
        for (x, (p, z)) in x.iter_mut().zip(p.iter_mut().zip(z)) {
            *x += a * *p;
            *p = *z + b * *p;
        }
    });
}

/// y ← y + a x.
pub(crate) fn add<T: Scalar>(y: &mut [T], a: f64, x: &[T]) {
    let a = T::from_f64(a);
    update(y, x, |y, x| *y += a * x);
}

/// y ← x + a y.
pub(crate) fn scale_and_add<T: Scalar>(y: &mut [T], a: f64, x: &[T]) {
    let a = T::from_f64(a);
    update(y, x, |y, x| *y = x + a * *y);
}

/// y ← y x, number by number.
pub(crate) fn scale<T: Scalar>(y: &mut [T], x: &[T]) {
    update(y, x, |y, x| *y *= x);
}

/// y ← a y.
pub(crate) fn scale_all<T: Scalar>(y: &mut [T], a: f64) {
    let a = T::from_f64(a);
    for y in y {
        *y *= a;
    }
}

fn update<T: Scalar>(y: &mut [T], x: &[T], change: impl Fn(&mut T, T) + Sync) {
    y.par_chunks_mut(CHUNK)
        .zip(x.par_chunks(CHUNK))
        .for_each(|(y, x)| {
            for (y, x) in y.iter_mut().zip(x) {
                change(y, *x);
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers 1, 2, 3 repeated, more than a chunk and no multiple of the partial sums.
    fn numbers(factor: f64) -> Vec<f64> {
        (0..9001).map(|k| factor * f64::from(k % 3 + 1)).collect()
    }

    #[test]
    fn sums_and_updates_by_hand() {
        let (x, mut y) = (numbers(1.0), numbers(2.0));
        assert_eq!(dot(&x, &y), 2.0 * (3000.0 * 14.0 + 1.0));
        assert_eq!(weighted_square(&x, &y), 2.0 * (3000.0 * 36.0 + 1.0));
        add(&mut y, 2.0, &x);
        assert_eq!(y[9000..], [4.0]);
        scale_and_add(&mut y, -1.0, &x);
        assert_eq!(y[..3], [-3.0, -6.0, -9.0]);
        scale(&mut y, &x);
        assert_eq!(y[..3], [-3.0, -12.0, -27.0]);
        scale_all(&mut y, -1.0);
        assert_eq!(y[8998..], [12.0, 27.0, 3.0]);
    }

    #[test]
    fn a_step_of_conjugate_gradients_by_hand() {
        let z = vec![1.0, 0.5, 1.0];
        let mut x = vec![1.0; 3];
        let mut p = vec![1.0, -1.0, 0.0];
        update_iterate_and_direction(&mut x, 2.0, &mut p, (3.0, &z));
        assert_eq!(x, [3.0, -1.0, 1.0]);
        assert_eq!(p, [4.0, -2.5, 1.0]);
    }
}
