//! The system of equations as its user writes it: cells in any order, conductances of their faces.
//!
//! Σ_a [ k_{c,a} (x_c − x_{c+e_a}) + k_{c−e_a,a} (x_c − x_{c−e_a}) ] + s_c x_c = b_c
//!
//! The matrix is symmetric, its off-diagonal entries are −k ≤ 0, and its rows sum to s ≥ 0: it is
//! positive semidefinite, and definite on every component that has an s above 0.

use crate::error::SolveError;

/// Largest distance of a cell from the origin along an axis.
const FARTHEST: i32 = 1 << 29;

/// Largest conductance or diagonal.
const LARGEST: f64 = 1e100;

/// Largest number of cells: two colours of 31 bits, with room for the gaps of rows.
const MOST: usize = 1 << 30;

/// Symmetric positive semidefinite system of the cells of a sparse grid in `D` = 2 or 3 dimensions.
///
/// The unit of conductances and diagonal is the caller's; the right-hand side has that unit times
/// the unit of the solution.
#[derive(Clone, Debug)]
pub struct CellSystem<const D: usize> {
    /// Coordinates of the cells, every cell once, in any order, within ±2²⁹; on periodic axes any
    /// of the coordinates that a period tells apart.
    pub cells: Vec<[i32; D]>,
    /// Conductance k ≥ 0 of the upper face along each axis, to c + e_a; 0 where that cell is not
    /// in the list.
    pub upper: Vec<[f64; D]>,
    /// s ≥ 0 of each cell: conductances to Dirichlet neighbours, compliance, heat capacity / Δt.
    pub diagonal: Vec<f64>,
    /// Number of cells after which an axis repeats, an even number.
    pub periods: [Option<u32>; D],
}

impl<const D: usize> CellSystem<D> {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True if there is no cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// A system without cells, whose axes do not repeat.
    pub fn new() -> Self {
        Self {
            cells: Vec::new(),
            upper: Vec::new(),
            diagonal: Vec::new(),
            periods: [None; D],
        }
    }

    /// Coordinates of a cell, on periodic axes in 0 .. period.
    #[inline]
    pub(crate) fn wrapped(&self, mut cell: [i32; D]) -> [i32; D] {
        for a in 0..D {
            if let Some(period) = self.periods[a] {
                cell[a] = cell[a].rem_euclid(period as i32);
            }
        }
        cell
    }

    /// Refuses lists of different lengths and numbers out of range. Neighbours and duplicates are
    /// checked where the cells are brought in order.
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        const { assert!(D == 2 || D == 3, "systems have two or three dimensions") };
        let cells = self.cells.len();
        if cells > MOST {
            return Err(SolveError::TooMany { cells, limit: MOST });
        }
        for (quantity, length) in [
            ("upper", self.upper.len()),
            ("diagonal", self.diagonal.len()),
        ] {
            if length != cells {
                return Err(SolveError::Length {
                    quantity,
                    length,
                    cells,
                });
            }
        }
        for (axis, period) in self.periods.iter().enumerate() {
            if let &Some(period) = period
                && (period == 0 || period % 2 == 1 || period > FARTHEST as u32)
            {
                return Err(SolveError::Period { axis, period });
            }
        }
        for (c, cell) in self.cells.iter().enumerate() {
            if cell.iter().any(|&i| !(-FARTHEST..=FARTHEST).contains(&i)) {
                return Err(SolveError::Coordinate {
                    cell: cell.to_vec(),
                });
            }
            for &k in &self.upper[c] {
                check_coefficient("upper", cell, k)?;
            }
            check_coefficient("diagonal", cell, self.diagonal[c])?;
        }
        Ok(())
    }

    /// Refuses a list of numbers of the cells that is not as long as them or not finite.
    pub(crate) fn check_vector(
        &self,
        quantity: &'static str,
        vector: &[f64],
    ) -> Result<(), SolveError> {
        let cells = self.cells.len();
        if vector.len() != cells {
            return Err(SolveError::Length {
                quantity,
                length: vector.len(),
                cells,
            });
        }
        match vector.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(c) => Err(SolveError::NonFinite {
                quantity,
                cell: self.cells[c].to_vec(),
                value: vector[c],
            }),
        }
    }
}

impl<const D: usize> Default for CellSystem<D> {
    fn default() -> Self {
        Self::new()
    }
}

/// Refuses a coefficient that is not finite, negative or absurdly large.
#[inline]
fn check_coefficient(quantity: &'static str, cell: &[i32], value: f64) -> Result<(), SolveError> {
    if (0.0..=LARGEST).contains(&value) {
        Ok(())
    } else if value.is_finite() {
        Err(SolveError::Range {
            quantity,
            cell: cell.to_vec(),
            value,
        })
    } else {
        Err(SolveError::NonFinite {
            quantity,
            cell: cell.to_vec(),
            value,
        })
    }
}
