//! Product of the system's matrix with a vector, in double precision.
//!
//! (A p)_c = s_c p_c + Σ_a [ k_{c,a} (p_c − p_{c+e_a}) + k_{c−e_a,a} (p_c − p_{c−e_a}) ]
//!
//! Differences are formed first, so that a constant has a product of exactly zero where s is.

use crate::bands::{slices, sum_over};
use crate::coefficients::Coefficients;
use crate::rows::Layout;
use crate::stencil::{Faces, cut, faces};

/// Computes q = A p and returns p·q. The ghosts of p are filled.
pub(crate) fn multiply<const D: usize>(
    layout: &Layout<D>,
    coefficients: &Coefficients<f64, D>,
    p: &[Vec<f64>; 2],
    q: &mut [Vec<f64>; 2],
) -> f64 {
    sum_over(&layout.bands, slices(q), |band, q| {
        let mut sum = 0.0;
        for piece in &layout.pieces[band.pieces.clone()] {
            let (first, n) = (piece.first as usize, piece.pairs as usize);
            for color in 0..2 {
                let q = &mut q[color][first - band.elements.start..][..n];
                let own = &p[color][first..first + n];
                let s = &coefficients.diagonal[color][first..first + n];
                let faces = faces(piece, color, &coefficients.upper, &p[1 - color]);
                multiply_piece::<D>(q, own, s, faces);
                sum += dot(own, q);
            }
        }
        sum
    })
}

/// The product for one colour of a piece.
#[inline(never)]
fn multiply_piece<const D: usize>(q: &mut [f64], p: &[f64], s: &[f64], faces: Faces<f64>) {
    let n = q.len();
    let (p, s) = (&p[..n], &s[..n]);
    let [(k0, p0), (k1, p1), (k2, p2), (k3, p3), (k4, p4), (k5, p5)] = cut(faces, n);
    for m in 0..n {
        let c = p[m];
        let mut sum = s[m] * c + k0[m] * (c - p0[m]) + k1[m] * (c - p1[m]);
        sum += k2[m] * (c - p2[m]) + k3[m] * (c - p3[m]);
        if D == 3 {
            sum += k4[m] * (c - p4[m]) + k5[m] * (c - p5[m]);
        }
        q[m] = sum;
    }
}

/// Sum of products, in eight partial sums that make one at the end.
#[inline]
pub(crate) fn dot(u: &[f64], v: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (u, u_rest) = u.as_chunks::<8>();
    let (v, v_rest) = v.as_chunks::<8>();
    for (u, v) in u.iter().zip(v) {
        for i in 0..8 {
            sums[i] += u[i] * v[i];
        }
    }
    for (i, (u, v)) in u_rest.iter().zip(v_rest).enumerate() {
        sums[i] += u * v;
    }
    sums.iter().sum()
}
