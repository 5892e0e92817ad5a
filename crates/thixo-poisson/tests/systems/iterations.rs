//! Iterations that hardly grow with the number of cells.

use thixo_poisson::{CellSystem, Options, Preconditioner, solve};

use crate::region::liquid;

fn iterations<const D: usize>(system: &CellSystem<D>, preconditioner: Preconditioner) -> u32 {
    let b = vec![1.0; system.len()];
    let options = Options {
        preconditioner,
        ..Options::default()
    };
    solve(system, &b, &mut vec![0.0; b.len()], &options)
        .unwrap()
        .iterations
}

#[test]
fn ten_iterations_whatever_the_size() {
    for n in [32, 64, 128, 256, 512] {
        let found = iterations(&liquid::<2>(n), Preconditioner::Multigrid);
        assert!(found <= 10, "{n}²: {found}");
    }
    for n in [16, 32, 64] {
        let found = iterations(&liquid::<3>(n), Preconditioner::Multigrid);
        assert!(found <= 10, "{n}³: {found}");
    }
}

#[test]
fn the_plain_preconditioner_needs_twice_as_many_for_twice_the_cells_along_an_edge() {
    let [coarse, fine] = [32, 64].map(|n| iterations(&liquid::<2>(n), Preconditioner::Jacobi));
    assert!(
        fine as f64 > 1.7 * coarse as f64 && fine > 150,
        "{coarse} {fine}"
    );
}
