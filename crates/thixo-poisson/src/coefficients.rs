//! Conductances and diagonals of a system in the order of its layout, in double precision.

use crate::bands::{for_each, slices};
use crate::error::SolveError;
use crate::places::Places;
use crate::rows::{Layout, fill_ghosts};
use crate::system::CellSystem;

/// Coefficients of the cells of each colour; zero where there is no cell.
pub(crate) struct Coefficients<T, const D: usize> {
    /// Conductance of the upper face along each axis, by colour.
    pub upper: [[Vec<T>; D]; 2],
    /// Diagonal s, by colour.
    pub diagonal: [Vec<T>; 2],
}

impl<T: Copy + Default, const D: usize> Coefficients<T, D> {
    /// Zeros.
    pub fn zeros(layout: &Layout<D>) -> Self {
        let array = || vec![T::default(); layout.elements];
        Self {
            upper: std::array::from_fn(|_| std::array::from_fn(|_| array())),
            diagonal: layout.field(),
        }
    }
}

impl<const D: usize> Coefficients<f32, D> {
    /// True if a face conducts.
    pub fn conducts(&self) -> bool {
        self.upper
            .iter()
            .flatten()
            .any(|k| k.iter().any(|&k| k > 0.0))
    }
}

impl<const D: usize> Coefficients<f64, D> {
    /// Those of a system, whose faces are found to conduct between its cells only.
    pub fn new(system: &CellSystem<D>, places: &Places<D>) -> Result<Self, SolveError> {
        let layout = &places.layout;
        let mut coefficients = Self::zeros(layout);
        let [red, black] = &mut coefficients.upper;
        let arrays = (
            (slices(red), slices(black)),
            slices(&mut coefficients.diagonal),
        );
        for_each(&layout.bands, arrays, |band, ((red, black), diagonal)| {
            let base = band.elements.start;
            for (color, (upper, diagonal)) in [red, black].into_iter().zip(diagonal).enumerate() {
                for piece in &layout.pieces[band.pieces.clone()] {
                    let first = piece.first as usize;
                    for i in first..first + piece.pairs as usize {
                        if let Some(c) = places.cells[color][i].checked_sub(1) {
                            let k = &system.upper[c as usize];
                            for a in 0..D {
                                upper[a][i - base] = k[a];
                            }
                            diagonal[i - base] = system.diagonal[c as usize];
                        }
                    }
                }
                fill_ghosts(&layout.wraps[band.wraps.clone()], base, color, upper[D - 1]);
            }
        });
        coefficients.check_neighbors(system, places)?;
        Ok(coefficients)
    }

    /// Refuses faces that conduct to a place without a cell.
    fn check_neighbors(
        &self,
        system: &CellSystem<D>,
        places: &Places<D>,
    ) -> Result<(), SolveError> {
        use rayon::prelude::*;
        let missing = places
            .layout
            .pieces
            .par_iter()
            .with_min_len(64)
            .find_map_first(|piece| {
                let (first, n) = (piece.first as usize, piece.pairs as usize);
                (0..2).find_map(|color| {
                    let other = &places.cells[1 - color];
                    let even = piece.even as usize == color;
                    (0..D).find_map(|a| {
                        let beside = match a + 1 < D {
                            true => piece.upper[a] as usize,
                            false => first + usize::from(!even),
                        };
                        let k = &self.upper[color][a][first..first + n];
                        let neighbors = &other[beside..beside + n];
                        let lost = |(k, &neighbor): (&f64, &u32)| *k > 0.0 && neighbor == 0;
                        let m = k.iter().zip(neighbors).position(lost)?;
                        Some((places.cells[color][first + m] as usize - 1, a))
                    })
                })
            });
        match missing {
            None => Ok(()),
            Some((c, axis)) => Err(SolveError::MissingNeighbor {
                cell: system.cells[c].to_vec(),
                axis,
                conductance: system.upper[c][axis],
            }),
        }
    }
}
