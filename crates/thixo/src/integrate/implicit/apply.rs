//! Products of second derivatives with increments, particle by particle: what a product with the matrix of a step is made of.

use thixo_math::Lanes;
use thixo_par::{Kernel, Scalar};

use crate::material::potential::HessianLayout;

/// H : M of groups of particles.
pub(super) struct Apply<'a, T, const D: usize> {
    /// H, its upper triangle.
    pub curvature: &'a [T],
    /// M, D² columns.
    pub increments: &'a [T],
    /// Gets the products, D² columns.
    pub slopes: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Apply<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let rows = D * D;
        let groups = self
            .curvature
            .chunks_exact(HessianLayout::<D>::COLUMNS * L::LANES)
            .zip(self.increments.chunks_exact(rows * L::LANES))
            .zip(self.slopes.chunks_exact_mut(rows * L::LANES));
        for ((curvature, increments), slopes) in groups {
            let mut m = [L::zero(); 9];
            let mut out = [L::zero(); 9];
            for k in 0..rows {
                m[k] = L::load(&increments[k * L::LANES..]);
            }
            let mut column = 0;
            for k in 0..rows {
                for l in k..rows {
                    let h = L::load(&curvature[column * L::LANES..]);
                    out[k] = h.mul_add(m[l], out[k]);
                    if l > k {
                        out[l] = h.mul_add(m[k], out[l]);
                    }
                    column += 1;
                }
            }
            for k in 0..rows {
                out[k].store(&mut slopes[k * L::LANES..]);
            }
        }
    }
}
