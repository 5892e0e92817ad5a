//! Coefficients and shapes that defeat simple solvers.

use thixo_poisson::{CellSystem, Options, Preconditioner, Solved, solve};

use crate::random::Random;
use crate::region::{largest_residual, liquid, region};

/// Solves for noise and checks the solution by its residual, and against the plain preconditioner.
fn solved<const D: usize>(name: &str, system: &CellSystem<D>, most: u32) -> Solved {
    let mut random = Random(7);
    let mut b: Vec<f64> = (0..system.len()).map(|_| random.unit() - 0.5).collect();
    let components = thixo_poisson::components(system).unwrap();
    let sums = components.imbalances(&b);
    for (b, &i) in b.iter_mut().zip(&components.of_cell) {
        let component = components.list[i as usize];
        if component.sealed {
            *b -= sums[i as usize] / component.cells as f64;
        }
    }
    let mut x = vec![0.0; b.len()];
    let options = Options {
        tolerance: 1e-8,
        ..Options::default()
    };
    let solved = solve(system, &b, &mut x, &options).unwrap();
    let plain = Options {
        preconditioner: Preconditioner::Jacobi,
        iterations: 100_000,
        ..options
    };
    let mut plain_x = vec![0.0; b.len()];
    let twin = solve(system, &b, &mut plain_x, &plain).unwrap();
    println!(
        "{name}: {} cells, {} iterations, Jacobi {}",
        b.len(),
        solved.iterations,
        twin.iterations
    );
    assert!(
        solved.iterations <= most,
        "{name}: {} iterations",
        solved.iterations
    );
    let norm = b.iter().map(|b| b * b).sum::<f64>().sqrt();
    assert!(
        largest_residual(system, &x, &b) <= 1.001e-8 * norm,
        "{name}"
    );
    let largest = plain_x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (x, plain) in x.iter().zip(&plain_x) {
        assert!(
            (x - plain).abs() <= 1e-4 * largest,
            "{name}: {x} {plain} of {largest}"
        );
    }
    solved
}

fn open_above<const D: usize>(n: i32) -> impl Fn([i32; D]) -> f64 {
    move |cell| if cell[D - 1] == n - 1 { 2.0 } else { 0.0 }
}

#[test]
fn bubbles_of_a_thousandth_of_the_density() {
    let n = 32;
    let gas = |cell: [i32; 3]| {
        let wave = cell.map(|i| (f64::from(i) * 0.45).sin());
        wave.iter().product::<f64>() > 0.1
    };
    let conductance = |cell: [i32; 3], a: usize| {
        let mut next = cell;
        next[a] += 1;
        let rho = |gas: bool| if gas { 1.0 } else { 1000.0 };
        2000.0 / (rho(gas(cell)) + rho(gas(next)))
    };
    let system = region([n; 3], |_| true, conductance, open_above(n));
    solved("bubbles", &system, 90);
}

#[test]
fn face_fractions_down_to_a_thousandth() {
    for seed in 0..3 {
        let fraction = |cell: [i32; 3], a: usize| {
            let hash = cell
                .iter()
                .fold(seed * 3 + a as u64, |h, &i| h * 1009 + i as u64);
            10_f64.powf(-3.0 * Random(hash).unit())
        };
        let system = region([24; 3], |_| true, fraction, open_above(24));
        solved("face fractions", &system, 40);
    }
}

#[test]
fn a_thin_wall_within_the_liquid() {
    for place in [11, 15] {
        let face = move |cell: [i32; 3], a: usize| {
            if a == 0 && cell[0] == place && cell[2] < 24 {
                0.0
            } else {
                1.0
            }
        };
        let system = region([32; 3], |_| true, face, open_above(32));
        solved("thin wall", &system, 15);
    }
}

#[test]
fn closed_columns_that_aggregates_straddle() {
    let face = |cell: [i32; 3], a: usize| if a < 2 && cell[a] % 3 == 1 { 0.0 } else { 1.0 };
    let system = region([24; 3], |_| true, face, open_above(24));
    solved("columns", &system, 90);
}

#[test]
fn sheets_of_one_cell() {
    let sheet = |cell: [i32; 3]| {
        let x = f64::from(cell[0]);
        let y = f64::from(cell[1]);
        cell[2] == (8.0 + 6.0 * (0.3 * x).sin() * (0.2 * y).cos()).floor() as i32
    };
    let hold = |cell: [i32; 3]| if cell[0] == 0 { 1.0 } else { 0.0 };
    let system = region([48, 48, 16], sheet, |_, _| 1.0, hold);
    solved("curved sheet in pieces", &system, 40);
    let flat = region(
        [64, 64, 1],
        |_| true,
        |_, _| 1.0,
        |cell| f64::from(cell[0] == 0),
    );
    solved("flat sheet", &flat, 25);
    let upright = region(
        [1, 64, 64],
        |_| true,
        |_, _| 1.0,
        |cell| f64::from(cell[1] == 0),
    );
    solved("upright sheet", &upright, 25);
}

#[test]
fn a_channel_of_one_cell_that_winds() {
    // Corridors along the first axis, joined at alternating ends.
    let n = 41;
    let channel =
        |cell: [i32; 2]| cell[1] % 2 == 0 || cell[0] == if cell[1] % 4 == 1 { n - 1 } else { 0 };
    let system = region(
        [n; 2],
        channel,
        |_, _| 1.0,
        |cell| f64::from(cell == [0, 0]),
    );
    solved("winding channel", &system, 60);
    let straight = region(
        [1, 1, 1000],
        |_| true,
        |_, _| 1.0,
        |cell| f64::from(cell[2] == 0),
    );
    solved("straight channel", &straight, 25);
    let across = region(
        [1000, 1, 1],
        |_| true,
        |_, _| 1.0,
        |cell| f64::from(cell[0] == 0),
    );
    solved("straight channel across rows", &across, 25);
}

#[test]
fn diagonals_from_nothing_to_rigid() {
    let diagonal = |cell: [i32; 3]| match cell[0] / 6 {
        0 => 0.0,
        1 => 1e-9,
        2 => 1.0,
        3 => 1e6,
        _ => 1e40,
    };
    let system = region([30, 16, 16], |_| true, |_, _| 1.0, diagonal);
    let mut random = Random(3);
    let b: Vec<f64> = (0..system.len()).map(|_| random.unit() - 0.5).collect();
    let mut x = vec![0.0; b.len()];
    let solved = solve(&system, &b, &mut x, &Options::default()).unwrap();
    assert!(solved.iterations <= 20, "{solved:?}");
    assert!(
        x.iter()
            .zip(&system.cells)
            .all(|(x, cell)| cell[0] < 24 || x.abs() < 1e-30)
    );
}

#[test]
fn heat_with_steps_from_short_to_long() {
    for capacity in [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e9] {
        let system = region([24; 3], |_| true, |_, _| 1.0, |_| capacity);
        solved("heat", &system, 20);
    }
}

#[test]
fn nearly_closed_boxes() {
    for compliance in [1e-6, 1e-10, 1e-11, 1e-13, 1e-15, 1e-36, 1e-300] {
        let system = region([64; 2], |_| true, |_, _| 1.0, |_| compliance);
        let mut b: Vec<f64> = system
            .cells
            .iter()
            .map(|cell| (f64::from(cell[0]) * 0.2).sin())
            .collect();
        let mean = b.iter().sum::<f64>() / b.len() as f64;
        // Beyond this, numbers as large as mean / compliance have no digits left for differences.
        let kept = if compliance >= 1e-10 { 1.0 } else { 0.0 };
        b.iter_mut().for_each(|b| *b -= (1.0 - kept) * mean);
        let mut x = vec![0.0; b.len()];
        let solved = solve(&system, &b, &mut x, &Options::default())
            .unwrap_or_else(|error| panic!("{compliance}: {error}"));
        println!("compliance {compliance}: {solved:?}");
        assert!(solved.iterations <= 12, "{compliance}: {solved:?}");
        let found = compliance * x.iter().sum::<f64>() / x.len() as f64;
        assert!(
            (found - kept * mean).abs() < 1e-5 * mean,
            "{compliance}: {found} {mean}"
        );
    }
}

#[test]
fn systems_of_no_cell_one_cell_and_two() {
    let empty = CellSystem::<3>::new();
    assert_eq!(
        solve(&empty, &[], &mut [], &Options::default())
            .unwrap()
            .iterations,
        0
    );
    let mut one = CellSystem::<3>::new();
    one.cells = vec![[-5, 7, -9]];
    one.upper = vec![[0.0; 3]];
    one.diagonal = vec![4.0];
    let mut x = [0.0];
    solve(&one, &[2.0], &mut x, &Options::default()).unwrap();
    assert!((x[0] - 0.5).abs() < 1e-6);
    let system = CellSystem {
        cells: vec![[0, 0], [-1, 0], [7, 7]],
        upper: vec![[0.0; 2], [3.0, 0.0], [0.0; 2]],
        diagonal: vec![1.0, 0.0, 1e-15],
        periods: [None; 2],
    };
    let mut x = [0.0; 3];
    solve(&system, &[0.0, 3.0, 2.0], &mut x, &Options::default()).unwrap();
    for (x, exact) in x.iter().zip([3.0, 4.0, 2e15]) {
        assert!((x / exact - 1.0).abs() < 1e-5, "{x} {exact}");
    }
}

#[test]
fn cells_at_the_ends_of_the_world_cost_nothing_between() {
    let far = 1 << 29;
    let mut system = CellSystem::<3>::new();
    for corner in 0..8 {
        let origin: [i32; 3] =
            std::array::from_fn(|a| if corner >> a & 1 == 1 { far - 8 } else { -far });
        for cell in region([8; 3], |_| true, |_, _| 1.0, open_above(8)).cells {
            let open = f64::from(cell[2] == 7);
            let upper = cell.map(|i| f64::from(i < 7));
            system
                .cells
                .push(std::array::from_fn(|a| origin[a] + cell[a]));
            system.upper.push(upper);
            system.diagonal.push(open);
        }
    }
    solved("far corners", &system, 20);
}

#[test]
fn spray_above_a_pool() {
    let drop = |cell: [i32; 3]| {
        let hash = cell.iter().fold(5, |h, &i| h * 1009 + (i / 2) as u64);
        cell[2] > 6 && Random(hash).unit() < 0.05
    };
    let system = region(
        [40; 3],
        |cell| cell[2] < 5 || drop(cell),
        |_, _| 1.0,
        |cell| if cell[2] < 4 { 0.0 } else { 2.0 },
    );
    solved("spray", &system, 15);
}

#[test]
fn units_of_any_size() {
    let reference = liquid::<2>(32);
    let b: Vec<f64> = reference
        .cells
        .iter()
        .map(|cell| f64::from(cell[0] % 5))
        .collect();
    let mut x = vec![0.0; b.len()];
    let expected = solve(&reference, &b, &mut x, &Options::default()).unwrap();
    for (matrix, vector) in [
        (1e90, 1e-200),
        (1e-90, 1e200),
        (1e-60, 1e-200),
        (1e60, 1e250),
    ] {
        let mut system = reference.clone();
        system.upper.iter_mut().flatten().for_each(|k| *k *= matrix);
        system.diagonal.iter_mut().for_each(|s| *s *= matrix);
        let b: Vec<f64> = b.iter().map(|b| b * vector).collect();
        let mut scaled = vec![0.0; b.len()];
        let solved = solve(&system, &b, &mut scaled, &Options::default()).unwrap();
        assert_eq!(solved.iterations, expected.iterations);
        for (scaled, x) in scaled.iter().zip(&x) {
            assert!(
                (scaled * (matrix / vector) - x).abs() <= 1e-4 * x.abs(),
                "{scaled} {x}"
            );
        }
    }
}

#[test]
fn a_first_guess_helps_if_it_is_good_and_does_no_harm_if_not() {
    let system = liquid::<3>(24);
    let b = vec![1.0; system.len()];
    let mut x = vec![0.0; b.len()];
    let cold = solve(&system, &b, &mut x, &Options::default()).unwrap();
    let mut near: Vec<f64> = x.iter().map(|x| x * 1.001).collect();
    let warm = solve(&system, &b, &mut near, &Options::default()).unwrap();
    assert!(warm.iterations < cold.iterations, "{warm:?} {cold:?}");
    let mut exact = x.clone();
    assert_eq!(
        solve(&system, &b, &mut exact, &Options::default())
            .unwrap()
            .iterations,
        0
    );
    assert_eq!(exact, x);
    for bad in [1e30, 1e300, f64::MAX] {
        let mut guess = vec![bad; b.len()];
        assert_eq!(
            solve(&system, &b, &mut guess, &Options::default()).unwrap(),
            cold
        );
    }
}
