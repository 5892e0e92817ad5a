//! Messages about wrong formulas, with the mark below the place.

use thixo_scene::Expression;
use thixo_scene::ExpressionProblem;
use thixo_scene::expression::{MAX_DEPTH, MAX_OPERATIONS, MAX_TEXT};

use super::formula;

fn message(text: &str) -> String {
    let outcome = Expression::parse(text, &["x", "y", "t", "phi"]);
    outcome.expect_err(text).to_string()
}

fn problem(text: &str) -> ExpressionProblem {
    Expression::parse(text, &["x"]).expect_err("wrong").problem
}

#[test]
fn messages_point_at_the_place() {
    for (text, expected) in [
        (
            "2 * ph + 1",
            "unknown name \"ph\"; did you mean \"phi\"? The variables here are x, y, t, phi\n  2 * ph + 1\n      ^^",
        ),
        (
            "2 * X",
            "unknown name \"X\"; did you mean \"x\"? The variables here are x, y, t, phi\n  2 * X\n      ^",
        ),
        (
            "2 * z",
            "unknown name \"z\"; the variables here are x, y, t, phi\n  2 * z\n      ^",
        ),
        (
            "sine(x)",
            "unknown function \"sine\"; did you mean \"sin\"?\n  sine(x)\n  ^^^^",
        ),
        (
            "0 < x < 1",
            "comparisons cannot be chained; write \"0 < x and x < 1\"\n  0 < x < 1\n  ^^^^^^^^^",
        ),
        (
            "x = 1 ? 2 : 3",
            "\"=\" sets a setting such as seed = 3 of noise(…); equality is written \"==\"\n  x = 1 ? 2 : 3\n    ^",
        ),
        (
            "2x",
            "an operator is missing before \"x\"; a product is written with a star: a * b\n  2x\n   ^",
        ),
        (
            "2 (x + 1)",
            "an operator is missing before \"(\"; a product is written with a star: a * b\n  2 (x + 1)\n    ^",
        ),
        (
            "x(2)",
            "\"x\" is not a function; a product is written with a star: x * (…)\n  x(2)\n  ^",
        ),
        (
            "sin * 2",
            "sin(a) is a function; give it its arguments in parentheses\n  sin * 2\n  ^^^",
        ),
        (
            "2 * (x + (1 - y)",
            "this parenthesis is never closed; add \")\"\n  2 * (x + (1 - y)\n      ^",
        ),
        (
            "2 * x)",
            "this parenthesis was never opened; remove it or add \"(\"\n  2 * x)\n       ^",
        ),
        (
            "x + ",
            "the expression ends here, but a number, a name or a parenthesis must follow\n  x + \n     ^",
        ),
        (
            "x + * 2",
            "\"*\" may not stand here; a number, a name or a parenthesis must follow\n  x + * 2\n      ^",
        ),
        (
            "x ? 1",
            "this choice has no \":\"; it is written \"condition ? a : b\"\n  x ? 1\n    ^",
        ),
        (
            "1.2.3 + x",
            "\"1.2.3\" is not a number; numbers look like 2, 0.5 or 1e-3\n  1.2.3 + x\n  ^^^^^",
        ),
        (
            "1e999",
            "1e999 is too large; the largest number is 1.79e308\n  1e999\n  ^^^^^",
        ),
        (
            "3 × x",
            "\"×\" means nothing in an expression; write \"*\"\n  3 × x\n    ^",
        ),
        (
            "x $ y",
            "\"$\" means nothing in an expression\n  x $ y\n    ^",
        ),
        (
            "atan2(x)",
            "atan2(y, x) does not take 1 argument\n  atan2(x)\n  ^^^^^^^^",
        ),
        (
            "noise(x, y, t, phi)",
            "noise(a, b, c, seed = 0) does not take 4 arguments\n  noise(x, y, t, phi)\n  ^^^^^^^^^^^^^^^^^^^",
        ),
        (
            "noise(x, sed = 3)",
            "noise(a, b, c, seed = 0) has no setting \"sed\"; equality is written \"==\"\n  noise(x, sed = 3)\n           ^^^",
        ),
        (
            "noise(x, seed = y)",
            "the setting \"seed\" must be a constant; it may not use variables\n  noise(x, seed = y)\n                  ^",
        ),
        (
            "noise(x, seed = 0.5)",
            "the setting \"seed\" is 0.5; it must be a whole number from 0 to 9007199254740991\n  noise(x, seed = 0.5)\n                  ^^^",
        ),
        (
            "fbm(x, octaves = 2, octaves = 3)",
            "the setting \"octaves\" is given twice\n  fbm(x, octaves = 2, octaves = 3)\n                      ^^^^^^^",
        ),
        (
            "noise(seed = 1, x)",
            "arguments come before settings; move this one to the front\n  noise(seed = 1, x)\n                  ^",
        ),
        (
            "  ",
            "the expression is empty; write a number or a formula such as \"2 * x\"\n    \n  ^^",
        ),
    ] {
        assert_eq!(message(text), expected);
    }
}

#[test]
fn only_the_line_with_the_mistake_is_shown() {
    assert_eq!(
        message("x +\n  yy *\n  t"),
        "unknown name \"yy\"; the variables here are x, y, t, phi\n    yy *\n    ^^"
    );
}

#[test]
fn a_function_without_likeness_lists_the_known_ones() {
    let message = message("convolution(x)");
    assert!(
        message.contains("; the functions are sin, cos, tan, "),
        "{message}"
    );
}

#[test]
fn limits_are_errors_and_not_overflows() {
    let limit = MAX_TEXT;
    let long = "(".repeat(100_000);
    let bytes = long.len();
    assert_eq!(problem(&long), ExpressionProblem::TooLong { bytes, limit });

    let limit = MAX_DEPTH;
    let too_deep = ExpressionProblem::TooDeep { limit };
    for opening in [
        "(", "-", "!", "+", "not ", "2^", "x ? 1 : ", "x ? ", "sin(", "max(1, ",
    ] {
        let text = opening.repeat(MAX_TEXT / opening.len() - 1) + "x";
        assert_eq!(problem(&text), too_deep, "{opening}");
    }
    let deep = |levels: usize| "(".repeat(levels) + "x" + &")".repeat(levels);
    let small_stack = std::thread::Builder::new().stack_size(512 * 1024);
    let reader = small_stack.spawn(move || formula(&deep(MAX_DEPTH)).evaluate(&[2.0]));
    assert_eq!(reader.unwrap().join().unwrap(), 2.0);
    assert_eq!(problem(&deep(MAX_DEPTH + 1)), too_deep);

    let limit = MAX_OPERATIONS;
    let many = (0..1500).map(|k| format!("x*.{k}")).collect::<Vec<_>>();
    let text = many.join("+");
    assert!(text.len() < MAX_TEXT);
    assert_eq!(
        problem(&text),
        ExpressionProblem::TooManyOperations { limit }
    );
}

#[test]
fn a_result_that_is_not_finite_is_reported_with_its_inputs_and_its_cause() {
    let expression = formula("x > 0 ? 1 : 2 + sqrt(y - t)");
    let x = [1.0, -1.0, -1.0];
    let y = [0.0, 2.0, 0.5];
    let columns: [&[f64]; 4] = [&x, &y, &[], &[1.0]];
    let mut results = [0.0; 3];
    expression
        .evaluate_batch(&columns, &mut results, &mut Default::default())
        .unwrap();
    let report = expression.first_non_finite(&columns, &results).unwrap();
    assert_eq!(report.index, 2);
    assert_eq!(
        report.to_string(),
        "the expression is not a number where x = -1.0, y = 0.5, t = 1.0\n  x > 0 ? 1 : 2 + sqrt(y - t)\n                  ^^^^^^^^^^^"
    );
    assert_eq!(expression.first_non_finite(&columns, &results[..2]), None);

    let infinite = formula("exp(1000 * x)");
    let report = infinite
        .first_non_finite(&[&[1.0]], &[f64::INFINITY])
        .unwrap();
    assert_eq!(report.summary(), "infinite where x = 1.0");

    let root = formula("2 * sqrt(t)").derivative("t");
    let columns: [&[f64]; 4] = [&[], &[], &[], &[0.0]];
    let report = root.first_non_finite(&columns, &[f64::INFINITY]).unwrap();
    assert_eq!(
        report.to_string(),
        "the expression is infinite in its derivative by t where t = 0.0\n  2 * sqrt(t)\n      ^^^^^^^"
    );
}
