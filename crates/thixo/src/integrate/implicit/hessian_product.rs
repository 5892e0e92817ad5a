//! Products H : M of the stored Hessians with increments, particle by particle: the local part of a
//! Hessian product.

use thixo_math::Lanes;
use thixo_par::{Kernel, Scalar};

use crate::material::potential::HessianLayout;

/// H : M of groups of particles.
pub(in crate::integrate) struct HessianProduct<'a, T, const D: usize> {
    /// H, its upper triangle.
    pub hessians: &'a [T],
    /// M, D² columns.
    pub increments: &'a [T],
    /// Output H : M, D² columns.
    pub products: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for HessianProduct<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let rows = D * D;
        let groups = self
            .hessians
            .chunks_exact(HessianLayout::<D>::COLUMNS * L::LANES)
            .zip(self.increments.chunks_exact(rows * L::LANES))
            .zip(self.products.chunks_exact_mut(rows * L::LANES));
        for ((hessian, increments), products) in groups {
            let mut m = [L::zero(); 9];
            let mut out = [L::zero(); 9];
            for k in 0..rows {
                m[k] = L::load(&increments[k * L::LANES..]);
            }
            let mut column = 0;
            for k in 0..rows {
                for l in k..rows {
                    let h = L::load(&hessian[column * L::LANES..]);
                    out[k] = h.mul_add(m[l], out[k]);
                    if l > k {
                        out[l] = h.mul_add(m[k], out[l]);
                    }
                    column += 1;
                }
            }
            for k in 0..rows {
                out[k].store(&mut products[k * L::LANES..]);
            }
        }
    }
}
