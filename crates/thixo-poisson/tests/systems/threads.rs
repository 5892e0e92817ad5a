//! The same bits on any number of threads.

use thixo_poisson::{CellSystem, Options, Solved, solve};

use crate::region::liquid;

fn bits<const D: usize>(system: &CellSystem<D>, threads: usize) -> (Vec<u64>, Solved) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let b: Vec<f64> = system
        .cells
        .iter()
        .map(|cell| (0.1 * f64::from(cell[0])).cos() + f64::from(cell[D - 1] % 3))
        .collect();
    let mut x = vec![0.0; b.len()];
    let solved = pool.install(|| solve(system, &b, &mut x, &Options::default()).unwrap());
    (x.iter().map(|x| x.to_bits()).collect(), solved)
}

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let (plane, space) = (liquid::<2>(256), liquid::<3>(40));
    let (one_2d, one_3d) = (bits(&plane, 1), bits(&space, 1));
    for threads in [2, 3] {
        assert!(bits(&plane, threads) == one_2d);
        assert!(bits(&space, threads) == one_3d);
    }
}
