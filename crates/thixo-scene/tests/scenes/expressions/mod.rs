//! The formulas of scene files: what they mean, what is said about wrong ones, and that no text
//! makes them panic.

mod any_input;
mod batch;
mod derivative;
mod meaning;
mod messages;
mod noise;
mod page;

use thixo_scene::Expression;

/// A formula of x, y, z and t.
fn formula(text: &str) -> Expression {
    Expression::parse(text, &["x", "y", "z", "t"]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Its value at a point.
fn value(text: &str, point: [f64; 4]) -> f64 {
    formula(text).evaluate(&point)
}

/// The value of a formula without variables.
fn constant(text: &str) -> f64 {
    let expression = formula(text);
    expression
        .constant()
        .unwrap_or_else(|| panic!("{text} is not constant"))
}

/// Equal bits; all NaN are one.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
