//! Columns give the bits of single points.

use proptest::prelude::*;
use thixo_scene::{ColumnError, Expression, Scratch};

use super::any_input::formula_text;
use super::{formula, same};

/// Evaluates columns and compares each point.
fn compare(expression: &Expression, columns: [&[f64]; 4], count: usize, scratch: &mut Scratch) {
    let mut results = vec![f64::NAN; count];
    expression
        .evaluate_batch(&columns, &mut results, scratch)
        .unwrap();
    for (k, &result) in results.iter().enumerate() {
        let point = columns.map(|column| {
            if column.len() == 1 {
                column[0]
            } else {
                column[k]
            }
        });
        let single = expression.evaluate(&point);
        assert!(
            same(result, single),
            "{expression} at {point:?}: {result} in a column, {single} alone"
        );
    }
}

/// Values with the special ones among them.
fn column(count: usize, phase: f64) -> Vec<f64> {
    let special = [
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e300,
        1e-310,
    ];
    (0..count)
        .map(|k| match k % 37 {
            0 => special[(k / 37) % special.len()],
            _ => (k as f64 * 0.731 + phase).sin() * 3.0,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn columns_equal_single_points(text in formula_text(), count in 0..700_usize) {
        let [x, y, z] = [0.0, 1.0, 2.0].map(|phase| column(count, phase));
        let expression = formula(&text);
        let mut scratch = Scratch::default();
        compare(&expression, [&x, &y, &z, &[0.25]], count, &mut scratch);
        // The same memory serves for another expression and length.
        let derivative = expression.derivative("x");
        compare(&derivative, [&y, &x, &[1.5], &z], count, &mut scratch);
    }
}

#[test]
fn every_length_around_a_chunk_is_evaluated() {
    let expression = formula("x * y + noise(z, t) - 2");
    let mut scratch = Scratch::default();
    for count in [0, 1, 2, 255, 256, 257, 511, 512, 513, 3] {
        let [x, y, z, t] = [0.0, 1.0, 2.0, 3.0].map(|phase| column(count, phase));
        compare(&expression, [&x, &y, &z, &t], count, &mut scratch);
    }
}

#[test]
fn variables_and_constants_alone_are_evaluated() {
    let mut scratch = Scratch::default();
    let x = column(300, 0.0);
    compare(
        &formula("x"),
        [&x, &[0.0], &[0.0], &[0.0]],
        300,
        &mut scratch,
    );
    compare(&formula("2.5"), [&[0.0]; 4], 300, &mut scratch);
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let expression = formula("x + t");
    let mut out = [0.0; 3];
    let mut run =
        |columns: &[&[f64]]| expression.evaluate_batch(columns, &mut out, &mut Scratch::default());
    assert_eq!(
        run(&[&[1.0, 2.0], &[], &[], &[0.0]]),
        Err(ColumnError::Length {
            variable: "x".to_owned(),
            found: 2,
            expected: 3
        })
    );
    assert_eq!(
        run(&[&[1.0, 2.0, 3.0]]),
        Err(ColumnError::Missing {
            variable: "t".to_owned()
        })
    );
    assert_eq!(run(&[&[1.0, 2.0, 3.0], &[], &[5.0, 6.0], &[0.0]]), Ok(()));
    assert_eq!(out, [1.0, 2.0, 3.0]);
}

#[test]
fn expressions_are_shared_between_threads() {
    let expression = formula("sin(x) * fbm(x, t)");
    let x = column(1000, 0.5);
    let evaluate = |part: &[f64]| {
        let mut out = vec![0.0; part.len()];
        let columns: [&[f64]; 4] = [part, &[], &[], &[2.0]];
        let scratch = &mut Scratch::default();
        expression
            .evaluate_batch(&columns, &mut out, scratch)
            .unwrap();
        out
    };
    let whole = evaluate(&x);
    let parts: Vec<f64> = std::thread::scope(|scope| {
        let workers: Vec<_> = x
            .chunks(333)
            .map(|part| scope.spawn(|| evaluate(part)))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    assert!(whole.iter().zip(&parts).all(|(&a, &b)| same(a, b)));
}
