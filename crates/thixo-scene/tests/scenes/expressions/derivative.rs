//! Derivatives against differences, and what they are where there is none.

use proptest::prelude::*;

use super::{formula, value};

/// A difference quotient of fourth order.
fn quotient(f: impl Fn(f64) -> f64, t: f64) -> f64 {
    let h = 1e-4;
    (8.0 * (f(t + h) - f(t - h)) - (f(t + 2.0 * h) - f(t - 2.0 * h))) / (12.0 * h)
}

/// Compares the derivative by t with differences, and the second with differences of the first.
fn check(text: &str, t: f64) {
    let f = formula(text);
    let first = f.derivative("t");
    let second = first.derivative("t");
    let at = |t: f64| [0.4, -0.7, 1.3, t];
    for (lower, upper) in [(&f, &first), (&first, &second)] {
        let expected = quotient(|t| lower.evaluate(&at(t)), t);
        let found = upper.evaluate(&at(t));
        let error = (found - expected).abs() / (1.0 + expected.abs());
        assert!(error < 1e-7, "{upper} at t = {t}: {found}, not {expected}");
    }
}

#[test]
fn every_function_has_its_derivative() {
    for text in [
        "3 * t - 2",
        "-t * x",
        "t * t * y",
        "x / (t + 2)",
        "t / (1 + t^2)",
        "t ^ 2",
        "t ^ 3",
        "t ^ 5",
        "t ^ -1",
        "t ^ -2.5",
        "t ^ x",
        "2 ^ t",
        "t ^ t",
        "(1 + t) ^ (x * t)",
        "sin(3 * t)",
        "cos(t ^ 2)",
        "tan(t / 2)",
        "asin(t / 2)",
        "acos(t / 2)",
        "atan(2 * t)",
        "atan2(t, x)",
        "atan2(y, t)",
        "atan2(sin(t), cos(t) + 2)",
        "sinh(t)",
        "cosh(t)",
        "tanh(t)",
        "sqrt(t + 1)",
        "cbrt(t + 1)",
        "exp(-t * t)",
        "log(t + 2)",
        "log2(t + 2)",
        "log10(t + 2)",
        "hypot(t, x)",
        "hypot(t, y, 2 * t)",
        "abs(t)",
        "abs(-t)",
        "sign(t) * t",
        "floor(t) + t",
        "ceil(t) * t",
        "round(t) * t",
        "fract(t) ^ 2",
        "mod(t, 0.45)",
        "mod(3, t)",
        "mod(t * t, t / 7)",
        "min(t, x, 2 * t)",
        "max(t, 0.1, t * t)",
        "clamp(t * t, 0.1, 5)",
        "mix(t, t * t, t / 3)",
        "step(0.2, t) * t",
        "smoothstep(-1, 3, t)",
        "if(t > 0.2, t * t, t)",
        "t < 0.2 ? t : t ^ 2",
        "(t > 0.1 and t < 9) * t ^ 2",
        "not t + t",
        "noise(t)",
        "noise(2 * t, x)",
        "noise(x, t * t, seed = 3)",
        "noise(t, y, sin(t))",
        "fbm(t, x, octaves = 3)",
        "fbm(t, y, z, seed = 8)",
        "random(x) * t ^ 2",
    ] {
        for t in [0.31, 0.77, 1.234] {
            check(text, t);
        }
    }
}

#[test]
fn known_derivatives_are_met_exactly() {
    let at = |text: &str, t: f64| formula(text).derivative("t").evaluate(&[0.0, 0.0, 0.0, t]);
    assert_eq!(at("t ^ 2", 3.0), 6.0);
    assert_eq!(at("0.5 * t ^ 3", 2.0), 6.0);
    assert_eq!(at("2 * t + 1", 9.0), 2.0);
    assert_eq!(at("x + y", 1.0), 0.0);
    assert_eq!(at("exp(2 * t)", 0.0), 2.0);
    assert_eq!(formula("x + y").derivative("t").constant(), Some(0.0));
    assert_eq!(formula("3 * t").derivative("t").constant(), Some(3.0));
    assert_eq!(
        formula("3 * t").derivative("nonsense").constant(),
        Some(0.0)
    );
    assert!(!formula("x * t").derivative("t").uses("t"));
}

#[test]
fn at_kinks_a_side_is_taken_and_jumps_are_flat() {
    let at = |text: &str, t: f64| formula(text).derivative("t").evaluate(&[0.0, 0.0, 0.0, t]);
    assert_eq!(at("abs(t)", 0.0), 0.0);
    // Of equal arguments `min` and `max` give their second argument.
    assert_eq!(at("min(2 * t, 5 * t)", 0.0), 5.0);
    assert_eq!(at("max(2 * t, 5 * t)", 0.0), 5.0);
    assert_eq!(at("t > 1 ? t : 3 * t", 1.0), 3.0);
    for jump in [
        "floor(t)",
        "ceil(t)",
        "round(t + 0.5)",
        "sign(t)",
        "step(0, t)",
        "t >= 0",
        "random(t)",
    ] {
        assert_eq!(at(jump, 0.0), 0.0, "{jump}");
    }
    assert_eq!(at("sqrt(t)", 0.0), f64::INFINITY);
    assert!(at("hypot(t, t)", 0.0).is_nan());
    // x^t at x = 0 stays 0.
    assert_eq!(at("x ^ t", 2.0), 0.0);
}

#[test]
fn derivatives_of_choices_ignore_the_other_side() {
    let text = "t > 0 ? sqrt(t) : 0";
    assert_eq!(value(text, [0.0, 0.0, 0.0, -1.0]), 0.0);
    let derivative = formula(text).derivative("t");
    assert_eq!(derivative.evaluate(&[0.0, 0.0, 0.0, -1.0]), 0.0);
    assert_eq!(derivative.evaluate(&[0.0, 0.0, 0.0, 4.0]), 0.25);
}

#[test]
fn repeated_parts_do_not_multiply() {
    // Written out, the last level has 2⁹ times the first.
    let text = (0..9).fold("(t + x)".to_owned(), |inner, _| {
        format!("sin({inner}) * cos({inner})")
    });
    assert!(text.len() < 16_384, "{}", text.len());
    check(&text, 0.4);
}

/// Smooth formulas of moderate size.
fn smooth() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec!["t", "x", "y", "0.7", "2", "t"]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(4, 20, 2, |inner| {
            let outer = proptest::sample::select(vec![
                "sin(A)",
                "cos(A)",
                "tanh(A)",
                "atan(A)",
                "exp(sin(A))",
                "log(2 + sin(A))",
                "noise(A)",
                "sqrt(1 + A * A)",
                "A + B",
                "A - B",
                "sin(A) * B",
                "A / (2 + cos(B))",
                "hypot(A, B, 1)",
                "(2 + sin(A)) ^ cos(B)",
                "noise(A, B, 0.3)",
                "cbrt(3 + cos(A))",
                "atan2(sin(A), 2 + sin(B))",
            ]);
            (outer, inner.clone(), inner).prop_map(|(outer, a, b)| {
                outer
                    .replace('A', "{A}")
                    .replace('B', "{B}")
                    .replace("{A}", &format!("({a})"))
                    .replace("{B}", &format!("({b})"))
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn smooth_formulas_agree_with_differences(text in smooth(), t in -2.0..2.0_f64) {
        let f = formula(&text);
        let at = |t: f64| [0.4, -0.7, 1.3, t];
        let found = f.derivative("t").evaluate(&at(t));
        let evaluate = |t: f64| f.evaluate(&at(t));
        let h = 1e-4;
        let expected = (evaluate(t + h) - evaluate(t - h)) / (2.0 * h);
        // The third derivative, which bounds the error of the difference, grows with the third
        // power of the first.
        let error = (found - expected).abs();
        prop_assert!(error < 1e-5 * (1.0 + expected.abs().powi(3)), "{text}: {found}, not {expected}");
    }
}
