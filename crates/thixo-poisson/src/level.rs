//! A level of multigrid: a system in single precision with a coarser one below it.

use crate::bands::{for_each, slices};
use crate::coefficients::Coefficients;
use crate::rows::{Layout, fill_ghosts};
use crate::stencil::{cut, faces};

/// Conductances, diagonals and vectors of a level, by colour.
pub(crate) struct Level<const D: usize> {
    /// Places of the cells.
    pub layout: Layout<D>,
    /// Conductance of the upper face along each axis.
    pub upper: [[Vec<f32>; D]; 2],
    /// Sum d of s and all conductances of a cell.
    pub diagonal: [Vec<f32>; 2],
    /// 1 / d, 0 where there is no cell.
    pub inverse_diagonal: [Vec<f32>; 2],
    /// The correction sought.
    pub x: [Vec<f32>; 2],
    /// The right-hand side.
    pub b: [Vec<f32>; 2],
}

impl<const D: usize> Level<D> {
    /// A level of some coefficients with the ghosts of its conductances filled.
    pub fn new(layout: Layout<D>, coefficients: Coefficients<f32, D>) -> Self {
        let Coefficients {
            upper,
            mut diagonal,
        } = coefficients;
        let mut inverse_diagonal = layout.field();
        let arrays = (slices(&mut diagonal), slices(&mut inverse_diagonal));
        for_each(&layout.bands, arrays, |band, (diagonal, inverse)| {
            for piece in &layout.pieces[band.pieces.clone()] {
                let (first, n) = (piece.first as usize, piece.pairs as usize);
                let part = first - band.elements.start..first - band.elements.start + n;
                for color in 0..2 {
                    // Any values will do behind the faces.
                    let faces = faces(piece, color, &upper, &upper[0][0]);
                    let d = &mut diagonal[color][part.clone()];
                    let inverse = &mut inverse[color][part.clone()];
                    let [(k0, _), (k1, _), (k2, _), (k3, _), (k4, _), (k5, _)] = cut(faces, n);
                    for m in 0..n {
                        d[m] += k0[m] + k1[m] + (k2[m] + k3[m]);
                        if D == 3 {
                            d[m] += k4[m] + k5[m];
                        }
                        inverse[m] = if d[m] > 0.0 { d[m].recip() } else { 0.0 };
                    }
                }
            }
        });
        let (x, b) = (layout.field(), layout.field());
        Self {
            layout,
            upper,
            diagonal,
            inverse_diagonal,
            x,
            b,
        }
    }
}

/// A system in single precision, its conductances divided by `scale`.
pub(crate) fn finest<const D: usize>(
    layout: &Layout<D>,
    coefficients: &Coefficients<f64, D>,
    scale: f64,
) -> Coefficients<f32, D> {
    let factor = scale.recip();
    let single = |value: f64| (value * factor) as f32;
    let mut rounded = Coefficients::zeros(layout);
    let [red, black] = &mut rounded.upper;
    let arrays = ((slices(red), slices(black)), slices(&mut rounded.diagonal));
    for_each(&layout.bands, arrays, |band, ((red, black), diagonal)| {
        for (color, (upper, diagonal)) in [red, black].into_iter().zip(diagonal).enumerate() {
            for (single_k, k) in upper.into_iter().zip(&coefficients.upper[color]) {
                for (single_k, k) in single_k.iter_mut().zip(&k[band.elements.clone()]) {
                    *single_k = single(*k);
                }
            }
            let s = &coefficients.diagonal[color][band.elements.clone()];
            for (single_s, s) in diagonal.iter_mut().zip(s) {
                *single_s = single(*s);
            }
        }
    });
    rounded
}

/// Fills the ghosts of conductances along rows.
pub(crate) fn fill_conductance_ghosts<const D: usize>(
    layout: &Layout<D>,
    upper: &mut [[Vec<f32>; D]; 2],
) {
    for (color, upper) in upper.iter_mut().enumerate() {
        fill_ghosts(&layout.wraps, 0, color, &mut upper[D - 1]);
    }
}
