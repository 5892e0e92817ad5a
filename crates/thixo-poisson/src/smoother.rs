//! Gauss-Seidel iterations in red-black order, in single precision.
//!
//! x_c ← (b_c + Σ_a [ k_{c,a} x_{c+e_a} + k_{c−e_a,a} x_{c−e_a} ]) / d_c
//!
//! for all red cells c, or all black ones; d_c is the sum of s_c and of all conductances of the
//! cell. Cells of one colour do not see each other, so that their order does not matter. A sweep
//! over red and then black cells is the adjoint of one over black and then red cells.

use crate::bands::for_each;
use crate::level::Level;
use crate::rows::fill_ghosts;
use crate::stencil::{Faces, cut, faces};

/// Relaxes the cells of one colour.
pub(crate) fn relax<const D: usize>(level: &mut Level<D>, color: usize) {
    let Level {
        layout,
        upper,
        inverse_diagonal,
        x,
        b,
        ..
    } = level;
    let (own, other) = colors(x, color);
    for_each(&layout.bands, own, |band, own| {
        let base = band.elements.start;
        for piece in &layout.pieces[band.pieces.clone()] {
            let (first, n) = (piece.first as usize, piece.pairs as usize);
            let faces = faces(piece, color, upper, other);
            let own = &mut own[first - base..first - base + n];
            let b = &b[color][first..first + n];
            relax_piece::<D>(own, b, &inverse_diagonal[color][first..first + n], faces);
        }
        fill_ghosts(&layout.wraps[band.wraps.clone()], base, color, own);
    });
}

/// Relaxes the cells of one colour while those of the other one are zero: x_c ← b_c / d_c.
pub(crate) fn relax_from_zero<const D: usize>(level: &mut Level<D>, color: usize) {
    let Level {
        layout,
        inverse_diagonal,
        x,
        b,
        ..
    } = level;
    for_each(&layout.bands, &mut x[color][..], |band, x| {
        let range = band.elements.clone();
        let (b, inverse) = (&b[color][range.clone()], &inverse_diagonal[color][range]);
        for ((x, b), inverse) in x.iter_mut().zip(b).zip(inverse) {
            *x = b * inverse;
        }
        fill_ghosts(
            &layout.wraps[band.wraps.clone()],
            band.elements.start,
            color,
            x,
        );
    });
}

/// The values of a colour, to be written, and those of the other one.
pub(crate) fn colors(x: &mut [Vec<f32>; 2], color: usize) -> (&mut [f32], &[f32]) {
    let [red, black] = x;
    if color == 0 {
        (red, black)
    } else {
        (black, red)
    }
}

/// Relaxes one colour of a piece.
#[inline(never)]
fn relax_piece<const D: usize>(x: &mut [f32], b: &[f32], inverse: &[f32], faces: Faces<f32>) {
    let n = x.len();
    let (b, inverse) = (&b[..n], &inverse[..n]);
    let [(k0, x0), (k1, x1), (k2, x2), (k3, x3), (k4, x4), (k5, x5)] = cut(faces, n);
    for m in 0..n {
        let mut sum = b[m] + k0[m] * x0[m] + k1[m] * x1[m] + (k2[m] * x2[m] + k3[m] * x3[m]);
        if D == 3 {
            sum += k4[m] * x4[m] + k5[m] * x5[m];
        }
        x[m] = sum * inverse[m];
    }
}

/// Residual of one colour of a piece, b − d x + Σ k x; zero where there is no equation (d = 0),
/// since no correction comes back to there either.
#[inline(never)]
pub(crate) fn residual_of_piece<const D: usize>(
    residual: &mut [f32],
    [x, b, d]: [&[f32]; 3],
    faces: Faces<f32>,
) {
    let n = residual.len();
    let (x, b, d) = (&x[..n], &b[..n], &d[..n]);
    let [(k0, x0), (k1, x1), (k2, x2), (k3, x3), (k4, x4), (k5, x5)] = cut(faces, n);
    for m in 0..n {
        let mut sum = k0[m] * x0[m] + k1[m] * x1[m] + (k2[m] * x2[m] + k3[m] * x3[m]);
        if D == 3 {
            sum += k4[m] * x4[m] + k5[m] * x5[m];
        }
        let r = (b[m] - d[m] * x[m]) + sum;
        residual[m] = if d[m] > 0.0 { r } else { 0.0 };
    }
}
