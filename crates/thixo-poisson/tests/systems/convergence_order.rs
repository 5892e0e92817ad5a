//! The error of a manufactured solution falls with the square of the spacing.

use thixo_poisson::{Options, solve};

use crate::region::region;

/// Largest error for −∇²u = f on the unit box with u = Π cos(π x_a / 2): closed at 0, u = 0 at 1.
fn error<const D: usize>(n: i32) -> f64 {
    let h = 1.0 / f64::from(n);
    let quarter = std::f64::consts::FRAC_PI_2;
    // Ghost cells mirror the value beyond the surface: distance h/2 to u = 0.
    let dirichlet = |cell: [i32; D]| 2.0 * cell.iter().filter(|&&i| i == n - 1).count() as f64;
    let system = region([n; D], |_| true, |_, _| 1.0, dirichlet);
    let exact: Vec<f64> = system
        .cells
        .iter()
        .map(|cell| {
            cell.iter()
                .map(|&i| (quarter * (f64::from(i) + 0.5) * h).cos())
                .product()
        })
        .collect();
    let f = D as f64 * quarter * quarter;
    let b: Vec<f64> = exact.iter().map(|u| f * u * h * h).collect();
    let mut x = vec![0.0; b.len()];
    let options = Options {
        tolerance: 1e-9,
        ..Options::default()
    };
    solve(&system, &b, &mut x, &options).unwrap();
    x.iter()
        .zip(&exact)
        .fold(0.0, |error, (x, exact)| (x - exact).abs().max(error))
}

#[test]
fn second_order_in_two_and_three_dimensions() {
    for errors in [
        [error::<2>(16), error::<2>(32), error::<2>(64)],
        [error::<3>(8), error::<3>(16), error::<3>(32)],
    ] {
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((order - 2.0).abs() < 0.1, "{errors:?}");
        }
    }
}
