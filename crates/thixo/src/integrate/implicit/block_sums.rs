//! The update of residuals in a conjugate gradient iteration, with the sums over every block that
//! it needs, in one pass over memory.

use rayon::prelude::*;
use thixo_par::Scalar;

use crate::grid::Node;

/// Nodes that one thread works on, at least.
const CHUNK: usize = 1024;

/// Sums over the nodes of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockSums {
    /// Σ w r² and Σ v r².
    pub squares: [f64; 2],
    /// Σ r.
    pub sum: [f64; 4],
}

/// r ← r − a q and z ← w r, entry by entry; returns the sums over every block of so many nodes.
pub(super) fn update_residual<T: Scalar>(
    r: &mut [Node<T>],
    (a, q): (f64, &[Node<T>]),
    z: &mut [Node<T>],
    (w, v): (&[Node<T>], &[Node<T>]),
    block: usize,
) -> Vec<BlockSums> {
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
            BlockSums { squares, sum }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_summed_block_by_block() {
        let q = vec![[1.0, -1.0, 0.0, 0.0]; 100];
        let mut r = vec![[3.0, 0.0, 2.0, 0.0]; 100];
        let (w, v) = (vec![[0.5; 4]; 100], vec![[2.0; 4]; 100]);
        let mut z = vec![[0.0; 4]; 100];
        let blocks = update_residual(&mut r, (1.0, &q), &mut z, (&w, &v), 64);
        assert_eq!(r[99], [2.0, 1.0, 2.0, 0.0]);
        assert_eq!(z[0], [1.0, 0.5, 1.0, 0.0]);
        let [first, second] = &blocks[..] else {
            panic!("64 and 36 nodes, {blocks:?}");
        };
        assert_eq!(first.squares, [64.0 * 4.5, 64.0 * 18.0]);
        assert_eq!(second.sum, [72.0, 36.0, 72.0, 0.0]);
    }
}
