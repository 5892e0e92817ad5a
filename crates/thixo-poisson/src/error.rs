//! Everything that a system or its solution can be refused for.

use thiserror::Error;

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A list has another length than that of the cells.
    #[error("{quantity} has {length} entries for {cells} cells; give one of each cell")]
    Length {
        /// Name of the list.
        quantity: &'static str,
        /// Its length.
        length: usize,
        /// Number of cells.
        cells: usize,
    },
    /// A number is infinite or not a number.
    #[error("{quantity} of cell {cell:?} is {value}; look for a division by zero before the solve")]
    NonFinite {
        /// Name of the list.
        quantity: &'static str,
        /// Coordinates of the cell.
        cell: Vec<i32>,
        /// The number.
        value: f64,
    },
    /// A conductance or a diagonal is outside of 0 ..= 1e100.
    #[error("{quantity} of cell {cell:?} is {value:e}, outside of 0 ..= 1e100; scale the system")]
    Range {
        /// Name of the list.
        quantity: &'static str,
        /// Coordinates of the cell.
        cell: Vec<i32>,
        /// The number.
        value: f64,
    },
    /// A coordinate is beyond ±2²⁹.
    #[error("cell {cell:?} is farther than 2^29 cells from the origin; move the origin")]
    Coordinate {
        /// Coordinates of the cell.
        cell: Vec<i32>,
    },
    /// A cell is in the list twice, on periodic axes up to a period.
    #[error("cell {cell:?} is in the list twice; list every cell once")]
    Duplicate {
        /// Coordinates of the cell.
        cell: Vec<i32>,
    },
    /// A face conducts to a cell that is not in the list.
    #[error(
        "the upper face of cell {cell:?} along axis {axis} conducts {conductance:e} to a cell that \
         is not in the list; set it to 0 and add a Dirichlet neighbour to the diagonal"
    )]
    MissingNeighbor {
        /// Coordinates of the cell.
        cell: Vec<i32>,
        /// Axis of the face.
        axis: usize,
        /// Conductance of the face.
        conductance: f64,
    },
    /// A period is odd, zero or above 2²⁹.
    #[error("axis {axis} repeats after {period} cells; periods are even, from 2 to 2^29")]
    Period {
        /// The axis.
        axis: usize,
        /// Cells after which it repeats.
        period: u32,
    },
    /// More cells than indices of 32 bits can tell apart.
    #[error("{cells} cells are more than the {limit} that one system can hold")]
    TooMany {
        /// Number of cells.
        cells: usize,
        /// The largest number.
        limit: usize,
    },
    /// A tolerance is not a positive number.
    #[error("{quantity} is {value}; it is a positive number below 1")]
    Tolerance {
        /// Name of the tolerance.
        quantity: &'static str,
        /// The number.
        value: f64,
    },
    /// The right-hand side of a sealed component does not sum to zero.
    #[error(
        "the {cells} cells connected with {first:?} are sealed, but their right-hand side sums to \
         {imbalance:e} and not to 0; open the component or take the imbalance out"
    )]
    Incompatible {
        /// Sum of the right-hand side over the component, in its unit.
        imbalance: f64,
        /// Number of cells of the component.
        cells: usize,
        /// Coordinates of that cell of the component which comes first in the list.
        first: Vec<i32>,
    },
    /// The iterations did not suffice; the vector holds what they have found.
    #[error(
        "a relative residual of {residual:e} is left after {iterations} iterations, {tolerance:e} \
         was asked for; allow more iterations or a larger tolerance"
    )]
    NotConverged {
        /// Iterations made.
        iterations: u32,
        /// Residual relative to the right-hand side, both in the 2-norm [-].
        residual: f64,
        /// Tolerance asked for [-].
        tolerance: f64,
    },
}
