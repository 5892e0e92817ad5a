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
            let pairs = x.as_flattened().iter().zip(y.as_flattened());
            pairs.map(|(x, y)| x.to_f64() * y.to_f64()).sum()
        })
        .collect();
    partial.into_iter().sum()
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

/// y ← 0 where x is 0, number by number.
pub(super) fn keep<T: Scalar>(y: &mut [Node<T>], x: &[Node<T>]) {
    update(y, x, |y, x| {
        if x == T::zero() {
            *y = x;
        }
    });
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
        add(&mut y, 2.0, &x);
        assert_eq!(y[2999], [4.0, 4.0, 7.0, 0.0]);
        add_to(&mut y, -1.0, &x);
        assert_eq!(y[0], [-3.0, -2.0, -4.0, 0.0]);
        scale(&mut y, &x);
        assert_eq!(y[1], [-3.0, -4.0, -12.0, 0.0]);
    }
}
