//! Solutions against a dense factorisation, on small systems of any kind.

use proptest::prelude::*;

use crate::random::{dense_solution, random_system};

use thixo_poisson::{Options, Preconditioner, components, solve};

fn agrees_with_dense<const D: usize>(seed: u64, preconditioner: Preconditioner) {
    let (system, b) = random_system::<D>(seed);
    let options = Options {
        tolerance: 1e-11,
        preconditioner,
        ..Options::default()
    };
    let mut x = vec![0.0; b.len()];
    solve(&system, &b, &mut x, &options).unwrap();
    let exact = dense_solution(&system, &components(&system).unwrap(), &b);
    let scale = exact.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
    for (x, exact) in x.iter().zip(&exact) {
        assert!(
            (x - exact).abs() <= 1e-6 * scale,
            "{x} {exact} {scale} (seed {seed})"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn jacobi_agrees_with_a_dense_factorisation_in_2d(seed: u64) {
        agrees_with_dense::<2>(seed, Preconditioner::Jacobi);
    }

    #[test]
    fn jacobi_agrees_with_a_dense_factorisation_in_3d(seed: u64) {
        agrees_with_dense::<3>(seed, Preconditioner::Jacobi);
    }

    #[test]
    fn multigrid_agrees_with_a_dense_factorisation_in_2d(seed: u64) {
        agrees_with_dense::<2>(seed, Preconditioner::Multigrid);
    }

    #[test]
    fn multigrid_agrees_with_a_dense_factorisation_in_3d(seed: u64) {
        agrees_with_dense::<3>(seed, Preconditioner::Multigrid);
    }
}
