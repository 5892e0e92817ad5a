//! The point that makes an expression infinite or NaN, and the part of it that does so.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::error::show;

/// A result that is not finite, with the inputs that made it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub struct NonFinite {
    /// The text of the expression.
    pub text: String,
    /// The bytes of the text whose value is the first that is not finite.
    pub span: Range<usize>,
    /// Index of the point.
    pub index: usize,
    /// The result: an infinity or NaN.
    pub value: f64,
    /// The variables that the text was differentiated by.
    pub differentiated: Vec<String>,
    /// Names and values of the variables that the expression uses, at that point.
    pub inputs: Vec<(String, f64)>,
}

impl NonFinite {
    /// Description in one line, without the text of the expression.
    pub fn summary(&self) -> String {
        let value = match self.value {
            value if value.is_nan() => "not a number",
            value if value > 0.0 => "infinite",
            _ => "minus infinity",
        };
        let derivative = match &self.differentiated[..] {
            [] => String::new(),
            variables => format!(" in its derivative by {}", variables.join(" and ")),
        };
        format!("{value}{derivative}{}", at_point(&self.inputs))
    }
}

/// ` where x = 1.0, t = 2.0`, or nothing if there are no inputs.
pub(crate) fn at_point(inputs: &[(String, f64)]) -> String {
    let inputs = inputs
        .iter()
        .map(|(name, value)| format!("{name} = {value:?}"));
    match inputs.collect::<Vec<_>>().join(", ") {
        inputs if inputs.is_empty() => inputs,
        inputs => format!(" where {inputs}"),
    }
}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the expression is {}", self.summary())?;
        show(f, &self.text, &self.span)
    }
}
