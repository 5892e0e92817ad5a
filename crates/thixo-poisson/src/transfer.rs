//! Residuals to the coarser level and corrections back, both by [`crate::aggregation`].
//!
//! Before a transfer black cells have been relaxed last, so that they have no residual, and after
//! it they are relaxed first, which does not need their values: only red cells take part.

use crate::aggregation::Aggregation;
use crate::bands::{for_each, slices};
use crate::level::Level;
use crate::rows::{MOST_PAIRS, as_usize};
use crate::smoother::residual_of_piece;
use crate::stencil::faces;

/// Colour of the cells that take part.
const RED: usize = 0;

/// Sums the residuals of the cells of each aggregate: b_coarse = Pᵀ (b − A x).
pub(crate) fn restrict<const D: usize>(
    fine: &Level<D>,
    aggregation: &Aggregation,
    coarse: &mut Level<D>,
) {
    let Level { layout, b, .. } = coarse;
    for_each(&layout.bands, slices(b), |band, mut b| {
        for b in &mut b {
            b.fill(0.0);
        }
        let mut buffer = [0.0; MOST_PAIRS];
        for row in band
            .rows
            .clone()
            .flat_map(|row| aggregation.finer_rows(row))
        {
            for p in as_usize(&fine.layout.rows[*row as usize].pieces) {
                let (piece, Some(to)) = (&fine.layout.pieces[p], aggregation.of_piece[p]) else {
                    continue;
                };
                let part = piece.first as usize..(piece.first + piece.pairs) as usize;
                let residual = &mut buffer[..part.len()];
                let own =
                    [&fine.x[RED], &fine.b[RED], &fine.diagonal[RED]].map(|v| &v[part.clone()]);
                let faces = faces(piece, RED, &fine.upper, &fine.x[1 - RED]);
                residual_of_piece::<D>(residual, own, faces);
                let [even, odd] = even_and_odd(&mut b, to.even as usize);
                let element = to.element as usize - band.elements.start;
                let rest = if to.odd == 1 {
                    odd[element] += residual[0];
                    &residual[1..]
                } else {
                    &residual[..]
                };
                let (pairs, last) = rest.as_chunks::<2>();
                let even = &mut even[element + to.odd as usize..];
                let odd = &mut odd[element + to.odd as usize..];
                for ((pair, even), odd) in pairs.iter().zip(even.iter_mut()).zip(odd) {
                    *even += pair[0];
                    *odd += pair[1];
                }
                if let [last] = last {
                    even[pairs.len()] += last;
                }
            }
        }
    });
}

/// Adds the correction of each aggregate to its cells: x ← x + P x_coarse.
pub(crate) fn prolong<const D: usize>(
    fine: &mut Level<D>,
    aggregation: &Aggregation,
    coarse: &Level<D>,
) {
    let Level { layout, x, .. } = fine;
    for_each(&layout.bands, &mut x[RED][..], |band, x| {
        for p in band.pieces.clone() {
            let (piece, Some(from)) = (&layout.pieces[p], aggregation.of_piece[p]) else {
                continue;
            };
            let first = piece.first as usize - band.elements.start;
            let x = &mut x[first..first + piece.pairs as usize];
            let (element, skip) = (from.element as usize, from.odd as usize);
            let (even, odd) = (
                &coarse.x[from.even as usize],
                &coarse.x[1 - from.even as usize],
            );
            let x = if skip == 1 {
                x[0] += odd[element];
                &mut x[1..]
            } else {
                x
            };
            let (even, odd) = (&even[element + skip..], &odd[element + skip..]);
            let (pairs, last) = x.as_chunks_mut::<2>();
            let n = pairs.len();
            for ((pair, even), odd) in pairs.iter_mut().zip(even).zip(odd) {
                pair[0] += even;
                pair[1] += odd;
            }
            if let [last] = last {
                *last += even[n];
            }
        }
        let wraps = &layout.wraps[band.wraps.clone()];
        crate::rows::fill_ghosts(wraps, band.elements.start, RED, x);
    });
}

/// Arrays of both colours as those of places with an even and an odd last coordinate.
fn even_and_odd<'a>(arrays: &'a mut [&mut [f32]; 2], even: usize) -> [&'a mut [f32]; 2] {
    let [red, black] = arrays;
    if even == 0 {
        [red, black]
    } else {
        [black, red]
    }
}
