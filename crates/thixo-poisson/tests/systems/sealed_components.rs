//! Regions without an opening, whose solutions are known up to a constant.

use thixo_poisson::{CellSystem, Options, SolveError, components, solve};

use crate::region::{largest_residual, region};

/// A closed box of 6 × 6 cells, an open one beside it, and a cell by itself.
fn boxes() -> CellSystem<2> {
    let inside = |cell: [i32; 2]| cell[0] != 6 && (cell[0] < 13 || cell == [14, 3]);
    region([15, 6], inside, |_, _| 1.0, |cell| f64::from(cell[0] == 12))
}

#[test]
fn components_are_found_in_the_order_of_their_first_cells() {
    let found = components(&boxes()).unwrap();
    let list: Vec<_> = found
        .list
        .iter()
        .map(|c| (c.cells, c.first, c.sealed))
        .collect();
    assert_eq!(list, [(36, 0, true), (36, 36, false), (1, 72, true)]);
    assert_eq!(found.of_cell[35..38], [0, 1, 1]);
}

#[test]
fn a_closed_box_filled_above_its_volume_is_refused() {
    let system = boxes();
    let mut b = vec![0.0; system.len()];
    b[3] = 1.0;
    b[5] = -0.75;
    let mut x = vec![0.0; b.len()];
    let refused = solve(&system, &b, &mut x, &Options::default()).unwrap_err();
    let expected = SolveError::Incompatible {
        imbalance: 0.25,
        cells: 36,
        first: vec![0, 0],
    };
    assert_eq!(refused, expected);
    let mut b = vec![0.0; system.len()];
    b[72] = 1e-3;
    let refused = solve(&system, &b, &mut x, &Options::default()).unwrap_err();
    let expected = SolveError::Incompatible {
        imbalance: 1e-3,
        cells: 1,
        first: vec![14, 3],
    };
    assert_eq!(refused, expected);
}

#[test]
fn solutions_have_zero_mean_where_nothing_fixes_them() {
    let system = boxes();
    let mut b = vec![0.0; system.len()];
    (b[3], b[20], b[40]) = (1.0, -1.0, 5.0);
    let mut x = vec![17.0; b.len()];
    let options = Options {
        tolerance: 1e-10,
        ..Options::default()
    };
    solve(&system, &b, &mut x, &options).unwrap();
    assert!(largest_residual(&system, &x, &b) < 1e-9);
    assert!(x[..36].iter().sum::<f64>().abs() < 1e-12);
    assert!(x[36..72].iter().sum::<f64>() > 1.0);
    assert_eq!(x[72], 0.0);
}

#[test]
fn large_closed_boxes_take_no_more_iterations_than_open_ones() {
    for n in [16, 48] {
        let system = region([n; 3], |_| true, |_, _| 1.0, |_| 0.0);
        let mut b: Vec<f64> = system
            .cells
            .iter()
            .map(|cell| (0.37 * f64::from(cell[0] + 2 * cell[1])).sin())
            .collect();
        let mean = b.iter().sum::<f64>() / b.len() as f64;
        b.iter_mut().for_each(|b| *b -= mean);
        let mut x = vec![0.0; b.len()];
        let solved = solve(&system, &b, &mut x, &Options::default()).unwrap();
        assert!(solved.iterations <= 12, "{n}: {solved:?}");
    }
}

#[test]
fn periodic_boxes_of_any_even_period() {
    for period in [2, 4, 6, 10, 12, 20, 36, 44] {
        let mut system = region([period; 3], |_| true, |_, _| 1.0, |_| 0.0);
        system.upper.iter_mut().for_each(|k| *k = [1.0; 3]);
        system.periods = [Some(period as u32); 3];
        let wave = 2.0 * std::f64::consts::PI / f64::from(period);
        // A plane wave is an eigenvector, but for the shortest one, whose sine vanishes.
        let phase = |cell: &[i32; 3]| wave * f64::from(cell[0] + cell[1]) + 0.3;
        let eigenvalue = 4.0 * (1.0 - wave.cos());
        let b: Vec<f64> = system.cells.iter().map(|cell| phase(cell).sin()).collect();
        let mut x = vec![0.0; b.len()];
        let options = Options {
            tolerance: 1e-9,
            ..Options::default()
        };
        let solved = solve(&system, &b, &mut x, &options).unwrap();
        assert!(solved.iterations <= 25, "{period}: {solved:?}");
        for (x, b) in x.iter().zip(&b) {
            assert!((x * eigenvalue - b).abs() < 1e-6, "{period}: {x} {b}");
        }
    }
}
