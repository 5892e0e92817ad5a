//! A line of the table: what was expected, what came out, and whether that is close enough.

use serde::Serialize;

/// The role of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The error must be within the tolerance.
    Check,
    /// Something is wrong on purpose: the error must exceed the tolerance.
    NegativeControl,
    /// Worth knowing; nothing is demanded.
    Record,
}

/// One comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Case that was run.
    pub case: String,
    /// Quantity that was measured, with its unit.
    pub quantity: &'static str,
    /// The known answer; none where a value is only recorded.
    pub expected: Option<f64>,
    /// The measured value.
    pub got: f64,
    /// Its distance from the answer, in the measure of the tolerance.
    pub error: f64,
    /// Largest error that is right.
    pub tolerance: Option<f64>,
    /// True if the line is as it must be: within the tolerance, or for a negative control beyond
    /// it.
    pub pass: bool,
    /// Role of the line.
    pub role: Role,
}

impl Row {
    /// A value against its answer, by relative error.
    pub fn relative(
        case: impl Into<String>,
        quantity: &'static str,
        expected: f64,
        got: f64,
        tolerance: f64,
    ) -> Self {
        let error = (got / expected - 1.0).abs();
        Self::check(case.into(), quantity, expected, got, error, tolerance)
    }

    /// An error that should be zero.
    pub fn zero(
        case: impl Into<String>,
        quantity: &'static str,
        error: f64,
        tolerance: f64,
    ) -> Self {
        Self::check(case.into(), quantity, 0.0, error, error.abs(), tolerance)
    }

    /// A value that must reach at least `expected - tolerance`; more is as good.
    pub fn at_least(
        case: impl Into<String>,
        quantity: &'static str,
        expected: f64,
        got: f64,
        tolerance: f64,
    ) -> Self {
        // The order of `max` would turn NaN into a success.
        let error = if got >= expected { 0.0 } else { expected - got };
        Self::check(case.into(), quantity, expected, got, error, tolerance)
    }

    /// A value that must lie between two bounds; expected is their middle, the tolerance half their
    /// distance.
    pub fn within(
        case: impl Into<String>,
        quantity: &'static str,
        [low, high]: [f64; 2],
        got: f64,
    ) -> Self {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let error = (got - middle).abs();
        Self::check(case.into(), quantity, middle, got, error, half)
    }

    /// A value without a demand.
    pub fn record(case: impl Into<String>, quantity: &'static str, got: f64) -> Self {
        Self {
            case: case.into(),
            quantity,
            expected: None,
            got,
            error: 0.0,
            tolerance: None,
            pass: got.is_finite(),
            role: Role::Record,
        }
    }

    /// The same comparison as a negative control. A number that is not finite does not count as a
    /// miss: the control must run and be wrong, not fail to run.
    pub fn must_miss(mut self) -> Self {
        self.role = Role::NegativeControl;
        self.pass = self.error.is_finite() && self.tolerance.is_some_and(|t| self.error > t);
        self
    }

    /// Text to print about it.
    pub fn verdict(&self) -> &'static str {
        match (self.role, self.pass) {
            (Role::Check, true) => "ok",
            (Role::Check, false) => "MISS",
            (Role::NegativeControl, true) => "negative control: misses as it must",
            (Role::NegativeControl, false) => "NEGATIVE CONTROL PASSES",
            (Role::Record, true) => "recorded",
            (Role::Record, false) => "NOT FINITE",
        }
    }

    fn check(
        case: String,
        quantity: &'static str,
        expected: f64,
        got: f64,
        error: f64,
        tolerance: f64,
    ) -> Self {
        Self {
            case,
            quantity,
            expected: Some(expected),
            got,
            error,
            tolerance: Some(tolerance),
            pass: error <= tolerance,
            role: Role::Check,
        }
    }
}

/// The larger of two errors. One that is not a number is larger than all, where `f64::max` would
/// forget it.
pub fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_not_a_number_passes() {
        assert!(!Row::relative("", "", 1.0, f64::NAN, 0.1).pass);
        assert!(!Row::zero("", "", f64::NAN, 0.1).pass);
        assert!(!Row::at_least("", "", 1.0, f64::NAN, 0.1).pass);
        assert!(!Row::within("", "", [0.0, 1.0], f64::NAN).pass);
        assert!(!Row::record("", "", f64::INFINITY).pass);
        assert!(!Row::zero("", "", f64::NAN, 0.1).must_miss().pass);
        assert!(!Row::zero("", "", f64::INFINITY, 0.1).must_miss().pass);
    }

    #[test]
    fn an_error_that_is_not_a_number_is_not_forgotten() {
        assert_eq!(worse(1.0, 2.0), 2.0);
        assert_eq!(worse(2.0, 1.0), 2.0);
        assert!(worse(f64::NAN, 1.0).is_nan() && worse(1.0, f64::NAN).is_nan());
    }

    #[test]
    fn a_negative_control_passes_when_its_check_misses() {
        assert!(Row::relative("", "", 1.0, 1.2, 0.1).must_miss().pass);
        assert!(!Row::relative("", "", 1.0, 1.05, 0.1).must_miss().pass);
        assert!(Row::within("", "", [2.0, 3.0], 2.9).pass);
        assert!(Row::within("", "", [2.0, 3.0], 3.1).must_miss().pass);
        assert!(Row::at_least("", "", 2.0, 2.5, 0.2).pass);
        assert!(!Row::at_least("", "", 2.0, 1.7, 0.2).pass);
    }
}
