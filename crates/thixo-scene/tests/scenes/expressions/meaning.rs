//! Precedence, functions, constants.

use std::f64::consts;

use thixo_scene::Expression;

use super::{constant, formula, same, value};

#[test]
fn precedence_is_that_of_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("24 / 4 * 2", 12.0),
        ("7 % 4 * 2", 6.0),
        ("-2 ^ 2", -4.0),
        ("(-2) ^ 2", 4.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("2 ** 3 ** 2", 512.0),
        ("2 ^ -1", 0.5),
        ("2 ^ -2 ^ 2", 0.0625),
        ("2 * -3", -6.0),
        ("- - 3", 3.0),
        ("+3 - +2", 1.0),
        ("-3 % 5", 2.0),
        ("1 + 2 < 4", 1.0),
        ("1 < 2 + 3", 1.0),
        ("3 > 2 and 1 > 2", 0.0),
        ("3 > 2 or 1 > 2", 1.0),
        ("1 or 0 and 0", 1.0),
        ("(1 or 0) and 0", 0.0),
        ("not 1 > 2", 1.0),
        ("!1 > 2", 0.0),
        ("not 0 and 0", 0.0),
        ("not not 5", 1.0),
        ("!0 + 1", 2.0),
        ("1 ? 2 : 3", 2.0),
        ("0 ? 2 : 3", 3.0),
        ("0 ? 1 : 0 ? 2 : 3", 3.0),
        ("1 ? 0 ? 5 : 6 : 7", 6.0),
        ("1 > 2 ? 3 : 4 + 1", 5.0),
        ("1 && 0 || 1", 1.0),
        ("2 == 2", 1.0),
        ("2 != 2", 0.0),
        ("2 <= 2", 1.0),
        ("2 >= 3", 0.0),
        ("2e3 + .5", 2000.5),
    ] {
        assert_eq!(constant(text), expected, "{text}");
    }
}

#[test]
fn functions_have_their_values() {
    for (text, expected) in [
        ("sin(pi / 6)", 0.5),
        ("cos(tau / 6)", 0.5),
        ("tan(pi / 4)", 1.0),
        ("asin(1)", consts::FRAC_PI_2),
        ("acos(-1)", consts::PI),
        ("atan(1)", consts::FRAC_PI_4),
        ("atan2(1, -1)", 0.75 * consts::PI),
        ("sinh(1)", (consts::E - 1.0 / consts::E) / 2.0),
        ("cosh(1)", (consts::E + 1.0 / consts::E) / 2.0),
        ("tanh(0.5)", (consts::E - 1.0) / (consts::E + 1.0)),
        ("sqrt(9)", 3.0),
        ("cbrt(-27)", -3.0),
        ("exp(1)", consts::E),
        ("log(e)", 1.0),
        ("ln(e ^ 2)", 2.0),
        ("log2(8)", 3.0),
        ("log10(1000)", 3.0),
        ("pow(2, 10)", 1024.0),
        ("hypot(3, 4)", 5.0),
        ("hypot(2, 3, 6)", 7.0),
        ("abs(-2)", 2.0),
        ("sign(-2) + 10 * sign(3) + 100 * sign(0)", 9.0),
        ("floor(-1.5)", -2.0),
        ("ceil(-1.5)", -1.0),
        ("round(2.5)", 3.0),
        ("round(-2.5)", -3.0),
        ("fract(-1.25)", 0.75),
        ("mod(-1, 3)", 2.0),
        ("min(3, 1, 2)", 1.0),
        ("max(3, 1, 2)", 3.0),
        ("min(3)", 3.0),
        ("clamp(5, 0, 2)", 2.0),
        ("clamp(-5, 0, 2)", 0.0),
        ("clamp(1, 0, 2)", 1.0),
        ("mix(2, 4, 0.25)", 2.5),
        ("lerp(2, 4, 0.25)", 2.5),
        ("step(1, 0.9)", 0.0),
        ("step(1, 1)", 1.0),
        ("smoothstep(1, 3, 0)", 0.0),
        ("smoothstep(1, 3, 1.5)", 0.15625),
        ("smoothstep(1, 3, 9)", 1.0),
        ("if(2 > 1, 5, 6)", 5.0),
    ] {
        let error = (constant(text) - expected).abs();
        assert!(error <= 4e-15 * expected.abs().max(1.0), "{text}: {error}");
    }
}

#[test]
fn constants_are_folded_and_give_the_bits_of_variables() {
    for text in [
        "sin(A) * exp(B) + A ^ 2 - B ^ 3",
        "pow(A, B) + A ^ -1",
        "A % B + atan2(A, B)",
        "smoothstep(A, B, 0.7)",
        "noise(A, B) + fbm(A, B, 3) + random(A)",
        "A < B ? A / B : B / A",
    ] {
        let (a, b) = (0.3, 1.7);
        let with_variables = text.replace('A', "x").replace('B', "y");
        let with_constants = text.replace('A', "0.3").replace('B', "1.7");
        let folded = constant(&with_constants);
        let evaluated = value(&with_variables, [a, b, 0.0, 0.0]);
        assert!(same(folded, evaluated), "{text}: {folded} {evaluated}");
    }
}

#[test]
fn the_choice_that_is_not_taken_does_not_matter() {
    let text = "x > 0 ? sqrt(x) : 0";
    assert_eq!(value(text, [-4.0, 0.0, 0.0, 0.0]), 0.0);
    assert_eq!(value(text, [4.0, 0.0, 0.0, 0.0]), 2.0);
}

#[test]
fn an_expression_knows_what_it_depends_on() {
    let expression = formula("x + (1 > 0 ? y : t)");
    assert!(expression.uses("x") && expression.uses("y"));
    assert!(!expression.uses("t") && !expression.uses("z") && !expression.uses("nonsense"));
    assert_eq!(expression.constant(), None);
    assert_eq!(formula("2 * pi").constant(), Some(consts::TAU));
    assert_eq!(Expression::from(2.5).constant(), Some(2.5));
}

#[test]
fn a_value_that_is_not_given_is_nan() {
    assert!(formula("x + t").evaluate(&[1.0]).is_nan());
    assert_eq!(formula("x + 1").evaluate(&[1.0]), 2.0);
}

#[test]
fn variables_hide_constants() {
    let expression = Expression::parse("e + pi", &["e"]).unwrap();
    assert_eq!(expression.evaluate(&[1.0]), 1.0 + consts::PI);
}

#[test]
fn algebraic_identities_hold() {
    for k in 0..40 {
        let s = f64::from(k) * 0.37 - 7.0;
        let point = [s, 0.7 - s, 0.3 * s, 1.1];
        for (left, right) in [
            ("sin(x)^2 + cos(x)^2", "1"),
            ("cosh(x)^2 - sinh(x)^2", "1"),
            ("exp(log(abs(x) + 1))", "abs(x) + 1"),
            ("(x + y)^2", "x^2 + 2*x*y + y^2"),
            ("min(x, y) + max(x, y)", "x + y"),
            ("floor(x) + fract(x)", "x"),
            ("sqrt(x^2)", "abs(x)"),
            ("atan2(sin(x/3), cos(x/3))", "x/3"),
            ("if(x > y, x, y)", "max(x, y)"),
            ("x >= y ? 1 : 0", "not (x < y)"),
            ("x - y * floor(x / y)", "mod(x, y)"),
            ("log2(abs(x) + 1) * log(2)", "log(abs(x) + 1)"),
        ] {
            let (a, b) = (value(left, point), value(right, point));
            let size = 1.0 + x_cosh(s) + b.abs();
            assert!(
                (a - b).abs() < 1e-13 * size,
                "{left} = {right} at {point:?}"
            );
        }
    }
}

/// Size of the terms of the identities, which cancel.
fn x_cosh(x: f64) -> f64 {
    x.cosh().powi(2)
}
