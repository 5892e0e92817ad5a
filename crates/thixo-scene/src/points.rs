//! The variables of formulas, and their values at points.

use crate::expression::Expression;
use crate::number::VectorOf;

/// Names of the coordinates \[m\].
const PLACE: [&str; 3] = ["x", "y", "z"];
/// Names of the coordinates from the middle of a shape \[m\].
const LOCAL: [&str; 3] = ["lx", "ly", "lz"];

/// x, y, z and t, as many as the dimension has.
pub(crate) fn place_and_time<const D: usize>() -> Vec<&'static str> {
    [&PLACE[..D], &["t"]].concat()
}

/// x, y, z and lx, ly, lz, as many as the dimension has.
pub(crate) fn place_and_local<const D: usize>() -> Vec<&'static str> {
    [&PLACE[..D], &LOCAL[..D]].concat()
}

/// Values of x, y, z and t in the order of [`place_and_time`]; only the first D + 1 count.
pub(crate) fn at<const D: usize>(position: [f64; D], time: f64) -> [f64; 4] {
    let mut values = [time; 4];
    values[..D].copy_from_slice(&position);
    values
}

/// The derivatives of a formula of [`place_and_local`] by the coordinates: of one that names x as x
/// and as lx, the sum of both.
pub(crate) fn partial_derivatives<const D: usize>(expression: &Expression) -> [[Expression; 2]; D] {
    core::array::from_fn(|axis| {
        [PLACE[axis], LOCAL[axis]].map(|variable| expression.derivative(variable))
    })
}

/// Columns of the variables of formulas at points.
#[derive(Debug)]
pub(crate) struct VariableColumns {
    values: Vec<Vec<f64>>,
    count: usize,
}

impl VariableColumns {
    /// [`place_and_local`] at points, with the middle of their shape \[m\].
    pub fn with_local<const D: usize>(points: &[[f64; D]], middle: [f64; D]) -> Self {
        let place = (0..D).map(|a| points.iter().map(|x| x[a]).collect());
        let local = (0..D).map(|a| points.iter().map(|x| x[a] - middle[a]).collect());
        Self {
            values: place.chain(local).collect(),
            count: points.len(),
        }
    }
    /// [`place_and_time`] at points and one time \[s\].
    pub fn with_time<const D: usize>(points: &[[f64; D]], time: f64) -> Self {
        let place = (0..D).map(|a| points.iter().map(|x| x[a]).collect());
        Self {
            values: place.chain([vec![time]]).collect(),
            count: points.len(),
        }
    }
    /// The variable t alone \[s\].
    pub fn of_times(times: Vec<f64>) -> Self {
        Self {
            count: times.len(),
            values: vec![times],
        }
    }
    /// Number of points.
    pub fn count(&self) -> usize {
        self.count
    }
    /// As expressions take them.
    pub fn slices(&self) -> Vec<&[f64]> {
        self.values.iter().map(Vec::as_slice).collect()
    }
}

/// A vector of [`place_and_time`] as a function.
pub(crate) fn field<const D: usize>(
    vector: VectorOf<D>,
) -> impl Fn([f64; D], f64) -> [f64; D] + Send + Sync + 'static {
    move |position, time| vector.evaluate(&at(position, time))
}
