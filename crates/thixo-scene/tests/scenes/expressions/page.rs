//! The claims of `docs/expressions.md` hold.

use thixo_scene::{Expression, ExpressionProblem};

const PAGE: &str = include_str!("../../../../../docs/expressions.md");

/// The lines within the page's blocks of a kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let mut inside = false;
    let opening = format!("```{kind}");
    let mut lines = Vec::new();
    for line in PAGE.lines() {
        match line {
            _ if line == opening => inside = true,
            "```" => inside = false,
            _ if inside && !line.is_empty() => lines.push(line),
            _ => {}
        }
    }
    lines
}

#[test]
fn every_example_can_be_read() {
    let variables = ["x", "y", "z", "t", "lx", "ly", "lz"];
    let examples = blocks("formula");
    assert!(examples.len() > 5);
    for example in examples {
        let outcome = Expression::parse(example, &variables);
        assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }
}

#[test]
fn every_result_in_the_page_is_right() {
    let examples = blocks("results");
    assert!(examples.len() > 5);
    for example in examples {
        let (text, result) = example.split_once('→').unwrap();
        let value = Expression::parse(text, &[]).unwrap().constant();
        let expected: f64 = result.trim().parse().unwrap();
        assert_eq!(value, Some(expected), "{example}");
    }
}

#[test]
fn every_function_is_in_the_page() {
    let error = Expression::parse("nonsense(1)", &[]).unwrap_err();
    let ExpressionProblem::UnknownFunction { functions, .. } = error.problem else {
        panic!("{error}");
    };
    assert!(functions.len() > 30);
    for function in functions {
        assert!(PAGE.contains(&format!("`{function}(")), "{function}");
    }
}

#[test]
fn the_message_in_the_page_is_the_real_one() {
    let message = Expression::parse("0.5 * sin(2 * pi * x) + hight", &["x", "t", "height"]);
    let message = message.unwrap_err().to_string();
    assert!(PAGE.contains(&message), "{message}");
}

#[test]
fn the_limits_in_the_page_are_the_real_ones() {
    use thixo_scene::expression::{MAX_DEPTH, MAX_OPERATIONS, MAX_TEXT};
    for limit in [MAX_DEPTH, MAX_OPERATIONS, MAX_TEXT] {
        assert!(PAGE.contains(&limit.to_string()), "{limit}");
    }
}
