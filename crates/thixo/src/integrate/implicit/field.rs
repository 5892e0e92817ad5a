//! Vectors of the implicit system: a velocity or a momentum at every node. Sums are made in double precision and in a fixed order, so that they
//! do not depend on the number of threads.

use rayon::prelude::*;
use thixo_par::Scalar;

use crate::grid::Node;

/// Nodes that are summed by one thread.
const CHUNK: usize = 1024;

/// x · y.
pub(super) fn dot<T: Scalar>(x: &[Node<T>], y: &[Node<T>]) -> f64 {
    let partial: Vec<f64> = x
        .par_chunks(CHUNK)
        .zip(y.par_chunks(CHUNK))
        .map(|(x, y)| {
            let mut sums = [0.0; 4];
            for (x, y) in x.iter().zip(y) {
                for c in 0..4 {
                    sums[c] += x[c].to_f64() * y[c].to_f64();
                }
            }
            sums.iter().sum()
        })
        .collect();
    partial.into_iter().sum()
}

/// Σ w x², number by number.
pub(super) fn weighted_square<T: Scalar>(x: &[Node<T>], weights: &[Node<T>]) -> f64 {
    let partial: Vec<f64> = x
        .par_chunks(CHUNK)
        .zip(weights.par_chunks(CHUNK))
        .map(|(x, weights)| {
            let mut sums = [0.0; 4];
            for (x, w) in x.iter().zip(weights) {
                for c in 0..4 {
                    let x = x[c].to_f64();
                    sums[c] += w[c].to_f64() * x * x;
                }
            }
            sums.iter().sum()
        })
        .collect();
    partial.into_iter().sum()
}

/// z ← w x, number by number; returns Σ w x² and Σ v x².
pub(super) fn weigh<T: Scalar>(
    x: &[Node<T>],
    z: &mut Vec<Node<T>>,
    (w, v): (&[Node<T>], &[Node<T>]),
) -> [f64; 2] {
    z.resize(x.len(), [T::zero(); 4]);
    let weights = w.par_chunks(CHUNK).zip(v.par_chunks(CHUNK));
    let chunks = z.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK));
    let partial: Vec<[f64; 2]> = chunks
        .zip(weights)
        .map(|((z, x), (w, v))| {
            let mut sums = [[0.0; 4]; 2];
            for ((z, x), (w, v)) in z.iter_mut().zip(x).zip(w.iter().zip(v)) {
                for c in 0..4 {
                    z[c] = w[c] * x[c];
                    let square = x[c].to_f64() * x[c].to_f64();
                    sums[0][c] += w[c].to_f64() * square;
                    sums[1][c] += v[c].to_f64() * square;
                }
            }
            sums.map(|sums| sums.iter().sum())
        })
        .collect();
    let add = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a + c, b + d];
    partial.into_iter().fold([0.0; 2], add)
}

/// A step of conjugate gradients: x ← x + a p, r ← r − a q.
pub(super) fn step<T: Scalar>(
    a: f64,
    (x, p): (&mut [Node<T>], &[Node<T>]),
    (r, q): (&mut [Node<T>], &[Node<T>]),
) {
    let a = T::from_f64(a);
    let solutions = x.par_chunks_mut(CHUNK).zip(p.par_chunks(CHUNK));
    let residuals = r.par_chunks_mut(CHUNK).zip(q.par_chunks(CHUNK));
    solutions.zip(residuals).for_each(|((x, p), (r, q))| {
        for ((x, p), (r, q)) in x.iter_mut().zip(p).zip(r.iter_mut().zip(q)) {
            for c in 0..4 {
                x[c] += a * p[c];
                r[c] -= a * q[c];
            }
        }
    });
}

/// y ← y + a x.
pub(super) fn add<T: Scalar>(y: &mut [Node<T>], a: f64, x: &[Node<T>]) {
    let a = T::from_f64(a);
    update(y, x, |y, x| *y += a * x);
}

/// y ← x + a y.
pub(super) fn add_to<T: Scalar>(y: &mut [Node<T>], a: f64, x: &[Node<T>]) {
    let a = T::from_f64(a);
    update(y, x, |y, x| *y = x + a * *y);
}

/// y ← y x, number by number.
pub(super) fn scale<T: Scalar>(y: &mut [Node<T>], x: &[Node<T>]) {
    update(y, x, |y, x| *y *= x);
}

fn update<T: Scalar>(y: &mut [Node<T>], x: &[Node<T>], change: impl Fn(&mut T, T) + Sync) {
    y.par_chunks_mut(CHUNK)
        .zip(x.par_chunks(CHUNK))
        .for_each(|(y, x)| {
            for (y, x) in y.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
                change(y, *x);
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_updates_by_hand() {
        let x = vec![[1.0, 2.0, 3.0, 0.0]; 3000];
        let mut y = vec![[2.0, 0.0, 1.0, 0.0]; 3000];
        assert_eq!(dot(&x, &y), 3000.0 * 5.0);
        assert_eq!(weighted_square(&x, &y), 3000.0 * 11.0);
        add(&mut y, 2.0, &x);
        assert_eq!(y[2999], [4.0, 4.0, 7.0, 0.0]);
        add_to(&mut y, -1.0, &x);
        assert_eq!(y[0], [-3.0, -2.0, -4.0, 0.0]);
        scale(&mut y, &x);
        assert_eq!(y[1], [-3.0, -4.0, -12.0, 0.0]);
        let mut z = Vec::new();
        assert_eq!(
            weigh(&x, &mut z, (&x, &y)),
            [3000.0 * 36.0, -3000.0 * 127.0]
        );
        assert_eq!(z[2999], [1.0, 4.0, 9.0, 0.0]);
        let (mut sum, mut difference) = (x.clone(), x.clone());
        step(2.0, (&mut sum, &x), (&mut difference, &y));
        assert_eq!(sum[2], [3.0, 6.0, 9.0, 0.0]);
        assert_eq!(difference[2], [7.0, 10.0, 27.0, 0.0]);
    }
}
