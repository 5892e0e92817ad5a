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

/// What is summed over a block of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighed {
    /// Σ w r² and Σ v r².
    pub squares: [f64; 2],
    /// Σ r.
    pub sum: [f64; 4],
}

/// r ← r − a q, and z ← w r, number by number; returns sums over every block of so many nodes.
pub(super) fn weigh<T: Scalar>(
    r: &mut [Node<T>],
    (a, q): (f64, &[Node<T>]),
    z: &mut Vec<Node<T>>,
    (w, v): (&[Node<T>], &[Node<T>]),
    block: usize,
) -> Vec<Weighed> {
    z.resize(r.len(), [T::zero(); 4]);
    let a = T::from_f64(a);
    let weights = w.par_chunks(block).zip(v.par_chunks(block));
    let blocks = z.par_chunks_mut(block).zip(r.par_chunks_mut(block));
    blocks
        .zip(q.par_chunks(block).zip(weights))
        .with_min_len((CHUNK / block).max(1))
        .map(|((z, r), (q, (w, v)))| {
            let mut squares = [[0.0; 4]; 2];
            let mut sum = [0.0; 4];
            let nodes = z.iter_mut().zip(r).zip(q.iter().zip(w.iter().zip(v)));
            for ((z, r), (q, (w, v))) in nodes {
                for c in 0..4 {
                    r[c] -= a * q[c];
                    z[c] = w[c] * r[c];
                    let r = r[c].to_f64();
                    squares[0][c] += w[c].to_f64() * r * r;
                    squares[1][c] += v[c].to_f64() * r * r;
                    sum[c] += r;
                }
            }
            let squares = squares.map(|squares| squares.iter().sum());
            Weighed { squares, sum }
        })
        .collect()
}

/// A step of conjugate gradients, and its next direction: x ← x + a p, p ← z + b p.
pub(super) fn follow<T: Scalar>(
    x: &mut [Node<T>],
    a: f64,
    p: &mut [Node<T>],
    (b, z): (f64, &[Node<T>]),
) {
    let (a, b) = (T::from_f64(a), T::from_f64(b));
    let directions = p.par_chunks_mut(CHUNK).zip(z.par_chunks(CHUNK));
    let solutions = x.par_chunks_mut(CHUNK);
    solutions.zip(directions).for_each(|(x, (p, z))| {
        for (x, (p, z)) in x.iter_mut().zip(p.iter_mut().zip(z)) {
            for c in 0..4 {
                x[c] += a * p[c];
                p[c] = z[c] + b * p[c];
            }
        }
    });
}

/// −x.
pub(super) fn negative<T: Scalar>(x: &[Node<T>]) -> Vec<Node<T>> {
    let negative = x.par_iter().with_min_len(CHUNK);
    negative.map(|node| node.map(|x| -x)).collect()
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
        assert_eq!(negative(&y)[2999], [3.0, 4.0, 12.0, 0.0]);
    }

    #[test]
    fn a_step_of_conjugate_gradients_by_hand() {
        let q = vec![[1.0, -1.0, 0.0, 0.0]; 100];
        let mut r = vec![[3.0, 0.0, 2.0, 0.0]; 100];
        let (w, v) = (vec![[0.5; 4]; 100], vec![[2.0; 4]; 100]);
        let mut z = Vec::new();
        let blocks = weigh(&mut r, (1.0, &q), &mut z, (&w, &v), 64);
        assert_eq!(r[99], [2.0, 1.0, 2.0, 0.0]);
        assert_eq!(z[0], [1.0, 0.5, 1.0, 0.0]);
        let [first, second] = &blocks[..] else {
            panic!("64 and 36 nodes, {blocks:?}");
        };
        assert_eq!(first.squares, [64.0 * 4.5, 64.0 * 18.0]);
        assert_eq!(second.sum, [72.0, 36.0, 72.0, 0.0]);

        let mut x = vec![[1.0; 4]; 100];
        let mut p = q;
        follow(&mut x, 2.0, &mut p, (3.0, &z));
        assert_eq!(x[50], [3.0, -1.0, 1.0, 1.0]);
        assert_eq!(p[50], [4.0, -2.5, 1.0, 0.0]);
    }
}
