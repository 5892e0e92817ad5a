//! Coarser systems by unsmoothed aggregation \[Braess1995\], \[Shao2022\].
//!
//! The 2^D cells c with the same ⌊c / 2⌋ are an aggregate, a cell of the coarser level.
//! Interpolation is constant on aggregates, P e = e_{⌊c/2⌋}, so that Galerkin's operator Pᵀ A P is
//! a system of the same kind: its conductances are the sums of those of the faces between two
//! aggregates, its diagonals the sums of s. Constant interpolation takes smooth functions for steps
//! and so gives them twice the energy that they have; [`CONDUCTANCE`] puts that right
//! ("over-correction").
//!
//! A periodic axis needs an even number of aggregates for red-black order: of an odd number of
//! pairs, the last one joins the aggregate before it. An axis of two cells becomes one of one cell.

use std::ops::Range;

use rayon::prelude::*;

use crate::bands::{for_each, slices};
use crate::coefficients::Coefficients;
use crate::level::fill_conductance_ghosts;
use crate::rows::{Layout, Piece, Row, as_usize};
use crate::stencil::faces;

/// Factor of the conductances of a coarser level: what a discretization with twice the spacing has,
/// and what needs the fewest iterations in two and three dimensions.
const CONDUCTANCE: f32 = 0.5;

/// Diagonals relative to the largest conductance that coarser levels take for zero: rounding of
/// residuals in single precision would ask them for corrections that drown all others.
const SMALLEST_DIAGONAL: f32 = 1e-12;

/// Pieces that a task of a parallel loop over them has at least.
const PIECES: usize = 256;

/// Places of the aggregates of a piece of the finer level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregates {
    /// Element of the first one.
    pub element: u32,
    /// 1 if its last coordinate is odd, else 0.
    pub odd: u32,
    /// Colour of aggregates with an even last coordinate.
    pub even: u32,
}

/// Correspondence between a level and the next coarser one.
#[derive(Debug)]
pub(crate) struct Aggregation {
    /// Aggregates of each piece of the finer level, none where nothing conducts.
    pub of_piece: Vec<Option<Aggregates>>,
    /// Rows of the finer level, by row of the coarser one.
    rows: Vec<u32>,
    /// The `rows` that are in each row of the coarser level.
    ranges: Vec<Range<u32>>,
}

impl Aggregation {
    /// Rows of the finer level whose cells are in aggregates of a row of the coarser one.
    pub fn finer_rows(&self, row: usize) -> &[u32] {
        &self.rows[as_usize(&self.ranges[row])]
    }
}

/// Coordinate of the aggregate of a cell along an axis that repeats after `period` cells, or never.
fn coarse_coordinate(period: Option<i32>, i: i32) -> i32 {
    match period.and_then(coarse_period) {
        Some(period) => (i >> 1).min(period - 1),
        None => i >> 1,
    }
}

/// Number of aggregates along an axis that repeats after `period` cells.
fn coarse_period(period: i32) -> Option<i32> {
    (period > 2).then_some((period / 2) & !1)
}

/// True if the upper face of a cell leaves its aggregate.
fn leaves(period: Option<i32>, i: i32) -> bool {
    let next = period.map_or(i + 1, |period| (i + 1).rem_euclid(period));
    coarse_coordinate(period, i) != coarse_coordinate(period, next)
}

/// The layout of the aggregates of a level with some conductances. Pieces without a face that
/// conducts are left out: relaxation has solved their equations, which see no others.
pub(crate) fn aggregate<const D: usize>(
    fine: &Layout<D>,
    upper: &[[Vec<f32>; D]; 2],
) -> (Layout<D>, Aggregation) {
    let conducts: Vec<bool> = fine
        .pieces
        .par_iter()
        .with_min_len(PIECES)
        .map(|piece| piece_conducts(piece, upper))
        .collect();
    let mut order: Vec<([i32; D], u32)> = Vec::with_capacity(fine.rows.len());
    for (row, Row { at, pieces, .. }) in fine.rows.iter().enumerate() {
        if conducts[as_usize(pieces)].contains(&true) {
            let at = std::array::from_fn(|a| coarse_coordinate(fine.periods[a], at[a]));
            order.push((at, row as u32));
        }
    }
    order.sort_unstable();
    let along_rows = |z: i32| coarse_coordinate(fine.periods[D - 1], z);
    let conducting = |row: u32| {
        let pieces = as_usize(&fine.rows[row as usize].pieces);
        pieces.filter(|&piece| conducts[piece])
    };
    let mut intervals = Vec::new();
    let mut coarse_rows = Vec::new();
    let mut ranges = Vec::new();
    let mut first = 0;
    for group in order.chunk_by(|p, q| p.0 == q.0) {
        let before = intervals.len();
        for piece in group.iter().flat_map(|&(_, row)| conducting(row)) {
            let piece = &fine.pieces[piece];
            let last = piece.start + 2 * piece.pairs as i32 - 1;
            intervals.push((along_rows(piece.start), along_rows(last) + 1));
        }
        coarse_rows.push((group[0].0, before..intervals.len()));
        ranges.push(first..first + group.len() as u32);
        first += group.len() as u32;
    }
    let periods = fine.periods.map(|period| period.and_then(coarse_period));
    let coarse = Layout::new(periods, &coarse_rows, &mut intervals);

    let mut of_piece = vec![None; fine.pieces.len()];
    for (coarse_row, range) in ranges.iter().enumerate() {
        let even = coarse.rows[coarse_row].even() as u32;
        for piece in order[as_usize(range)]
            .iter()
            .flat_map(|&(_, row)| conducting(row))
        {
            let z = along_rows(fine.pieces[piece].start);
            of_piece[piece] = coarse.slot(coarse_row, z).map(|(_, element)| Aggregates {
                element: element as u32,
                odd: (z & 1) as u32,
                even,
            });
        }
    }
    let rows = order.into_iter().map(|(_, row)| row).collect();
    (
        coarse,
        Aggregation {
            of_piece,
            rows,
            ranges,
        },
    )
}

/// True if a cell of a piece has a face that conducts.
fn piece_conducts<const D: usize>(piece: &Piece<D>, upper: &[[Vec<f32>; D]; 2]) -> bool {
    (0..2).any(|color| {
        // Any values will do behind the faces.
        let faces = faces(piece, color, upper, &upper[0][0]);
        faces.iter().any(|(k, _)| k.iter().any(|&k| k > 0.0))
    })
}

/// The coefficients of the aggregates of a level.
pub(crate) fn coarse_coefficients<const D: usize>(
    fine: &Layout<D>,
    coefficients: &Coefficients<f32, D>,
    coarse: &Layout<D>,
    aggregation: &Aggregation,
) -> Coefficients<f32, D> {
    let mut sums = Coefficients::zeros(coarse);
    let [red, black] = &mut sums.upper;
    let arrays = ((slices(red), slices(black)), slices(&mut sums.diagonal));
    for_each(&coarse.bands, arrays, |band, ((red, black), diagonal)| {
        let upper = [red, black];
        for row in band
            .rows
            .clone()
            .flat_map(|row| aggregation.finer_rows(row))
        {
            let row = &fine.rows[*row as usize];
            let leaves_row: [bool; D] = std::array::from_fn(|a| leaves(fine.periods[a], row.at[a]));
            for p in as_usize(&row.pieces) {
                let (piece, Some(to)) = (&fine.pieces[p], aggregation.of_piece[p]) else {
                    continue;
                };
                for m in 0..piece.pairs as usize {
                    let i = piece.first as usize + m;
                    let q = to.odd as usize + m;
                    let color = to.even as usize ^ (q & 1);
                    let element = to.element as usize - band.elements.start + q / 2;
                    for s in &coefficients.diagonal {
                        if s[i] >= SMALLEST_DIAGONAL {
                            diagonal[color][element] += s[i];
                        }
                    }
                    let [k_0, k_1] = &coefficients.upper;
                    for a in (0..D - 1).filter(|&a| leaves_row[a]) {
                        upper[color][a][element] += CONDUCTANCE * (k_0[a][i] + k_1[a][i]);
                    }
                    if leaves(fine.periods[D - 1], piece.start + 2 * m as i32 + 1) {
                        let k = coefficients.upper[1 - piece.even as usize][D - 1][i];
                        upper[color][D - 1][element] += CONDUCTANCE * k;
                    }
                }
            }
        }
    });
    fill_conductance_ghosts(coarse, &mut sums.upper);
    sums
}
