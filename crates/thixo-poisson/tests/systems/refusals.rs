//! Input that is refused, with the numbers that tell why.

use thixo_poisson::{CellSystem, Options, SolveError, solve};

/// Two cells side by side, the upper one open.
fn pair() -> CellSystem<2> {
    CellSystem {
        cells: vec![[3, -1], [3, 0]],
        upper: vec![[0.0, 1.0], [0.0, 0.0]],
        diagonal: vec![0.0, 2.0],
        periods: [None; 2],
    }
}

fn error(system: &CellSystem<2>, b: &[f64]) -> SolveError {
    let mut x = vec![0.0; system.len()];
    solve(system, b, &mut x, &Options::default()).unwrap_err()
}

#[test]
fn numbers_that_are_not_finite() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut system = pair();
        system.upper[0][1] = value;
        let refused = error(&system, &[0.0, 1.0]);
        assert!(
            matches!(&refused, SolveError::NonFinite { quantity: "upper", cell, .. }
            if *cell == [3, -1]),
            "{refused}"
        );
        let mut system = pair();
        system.diagonal[1] = value;
        let refused = error(&system, &[0.0, 1.0]);
        assert!(matches!(
            refused,
            SolveError::NonFinite {
                quantity: "diagonal",
                ..
            }
        ));
        let refused = error(&pair(), &[0.0, value]);
        assert!(matches!(
            refused,
            SolveError::NonFinite {
                quantity: "right-hand side",
                ..
            }
        ));
        let mut x = [value, 0.0];
        let refused = solve(&pair(), &[0.0, 1.0], &mut x, &Options::default()).unwrap_err();
        assert!(matches!(
            refused,
            SolveError::NonFinite {
                quantity: "first guess",
                ..
            }
        ));
    }
}

#[test]
fn negative_and_absurd_coefficients() {
    for value in [-1e-9, 1e101] {
        let mut system = pair();
        system.upper[0][1] = value;
        assert!(matches!(
            error(&system, &[0.0, 1.0]),
            SolveError::Range {
                quantity: "upper",
                ..
            }
        ));
        let mut system = pair();
        system.diagonal[0] = value;
        let refused = error(&system, &[0.0, 1.0]);
        assert!(matches!(
            refused,
            SolveError::Range {
                quantity: "diagonal",
                ..
            }
        ));
    }
}

#[test]
fn lists_of_other_lengths() {
    let refused = error(&pair(), &[1.0]);
    let expected = SolveError::Length {
        quantity: "right-hand side",
        length: 1,
        cells: 2,
    };
    assert_eq!(refused, expected);
    let mut system = pair();
    system.upper.pop();
    assert!(matches!(
        error(&system, &[0.0; 2]),
        SolveError::Length {
            quantity: "upper",
            ..
        }
    ));
    let mut system = pair();
    system.diagonal.push(0.0);
    assert!(matches!(
        error(&system, &[0.0; 2]),
        SolveError::Length {
            quantity: "diagonal",
            ..
        }
    ));
}

#[test]
fn cells_twice_or_too_far_away() {
    let mut system = pair();
    system.cells[1] = system.cells[0];
    assert_eq!(
        error(&system, &[0.0; 2]),
        SolveError::Duplicate { cell: vec![3, -1] }
    );
    let mut system = pair();
    system.periods[0] = Some(4);
    system.cells[1] = [7, -1];
    assert!(matches!(
        error(&system, &[0.0; 2]),
        SolveError::Duplicate { .. }
    ));
    let mut system = pair();
    system.cells[1] = [i32::MIN, 0];
    assert!(matches!(
        error(&system, &[0.0; 2]),
        SolveError::Coordinate { .. }
    ));
}

#[test]
fn faces_that_lead_nowhere() {
    for (axis, conductance) in [(0, 0.5), (1, 0.25)] {
        let mut system = pair();
        system.upper[1][axis] = conductance;
        let cell = vec![3, 0];
        let expected = SolveError::MissingNeighbor {
            cell,
            axis,
            conductance,
        };
        assert_eq!(error(&system, &[0.0, 1.0]), expected);
    }
}

#[test]
fn odd_periods_and_zero() {
    for period in [0, 1, 7, u32::MAX - 1] {
        let mut system = pair();
        system.periods[1] = Some(period);
        assert_eq!(
            error(&system, &[0.0; 2]),
            SolveError::Period { axis: 1, period }
        );
    }
}

#[test]
fn tolerances_that_are_none() {
    for tolerance in [0.0, -1.0, 1.0, f64::NAN] {
        let options = Options {
            tolerance,
            ..Options::default()
        };
        let refused = solve(&pair(), &[0.0, 1.0], &mut [0.0; 2], &options).unwrap_err();
        assert!(matches!(
            refused,
            SolveError::Tolerance {
                quantity: "tolerance",
                ..
            }
        ));
    }
}

#[test]
fn too_few_iterations() {
    let system = crate::region::liquid::<2>(32);
    let b = vec![1.0; system.len()];
    let mut x = vec![0.0; b.len()];
    let options = Options {
        iterations: 3,
        ..Options::default()
    };
    let refused = solve(&system, &b, &mut x, &options).unwrap_err();
    let SolveError::NotConverged {
        iterations: 3,
        residual,
        ..
    } = refused
    else {
        panic!("{refused}")
    };
    assert!(residual > 1e-6 && residual < 0.1, "{residual}");
    let found = solve(&system, &b, &mut x, &Options::default()).unwrap();
    assert!(
        found.iterations
            < solve(&system, &b, &mut vec![0.0; b.len()], &Options::default())
                .unwrap()
                .iterations,
        "what was found is kept"
    );
}
