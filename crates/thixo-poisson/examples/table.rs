//! Iterations and times for a box of liquid with a wavy free surface.
//!
//! The box has closed walls at the sides and below; above the liquid, pressures vanish on a surface
//! that lies between the centres of cells (ghost-fluid coefficients 1/θ up to 20). Cells come in
//! the order of sparse blocks of 4^D. There are three right-hand sides: `gravity`, which acts where
//! the ground stops a fall; `uniform`, the same in every cell; `noise`. `processor` is the time of
//! all threads with setup, which other programs on the machine hardly change; `Jacobi` are the
//! iterations that the plain preconditioner needs.
//!
//! ```sh
//! cargo run --release -p thixo-poisson --example table [largest N in 3D] [largest N in 2D]
//! ```

use std::time::Instant;

use thixo_poisson::{CellSystem, Options, Preconditioner, Solver, solve};

/// Height of the free surface above the ground, in cells, for a box of `n` cells.
fn height<const D: usize>(n: f64, x: [f64; D]) -> f64 {
    let wave = (2.0 * std::f64::consts::PI * 1.3 * x[0] / n + 0.4).sin();
    let ripple = 0.8 * (1.7 * x[0]).sin();
    let across = match D {
        3 => (2.0 * std::f64::consts::PI * 2.1 * x[1] / n).cos(),
        _ => 0.0,
    };
    n * (0.75 + 0.1 * wave + 0.07 * across) + ripple
}

/// The cells of `n`^D below the surface.
fn liquid<const D: usize>(n: i32) -> CellSystem<D> {
    let inside = |cell: [i32; D]| {
        let x = cell.map(|i| f64::from(i) + 0.5);
        x[D - 1] - height(f64::from(n), x)
    };
    let mut system = CellSystem::<D>::new();
    let blocks = n / 4;
    for block in 0..blocks.pow(D as u32) {
        for local in 0..4_i32.pow(D as u32) {
            let digit =
                |number: i32, base: i32, a: usize| number / base.pow((D - 1 - a) as u32) % base;
            let cell = std::array::from_fn(|a| 4 * digit(block, blocks, a) + digit(local, 4, a));
            let phi = inside(cell);
            if phi >= 0.0 {
                continue;
            }
            let (mut upper, mut diagonal) = ([0.0; D], 0.0);
            for a in 0..D {
                for step in [-1, 1] {
                    let mut next = cell;
                    next[a] += step;
                    if !(0..n).contains(&next[a]) {
                        continue;
                    }
                    let phi_next = inside(next);
                    if phi_next >= 0.0 {
                        diagonal += 1.0 / (phi / (phi - phi_next)).max(0.05);
                    } else if step == 1 {
                        upper[a] = 1.0;
                    }
                }
            }
            system.cells.push(cell);
            system.upper.push(upper);
            system.diagonal.push(diagonal);
        }
    }
    system
}

/// The three right-hand sides.
fn right_hand_sides<const D: usize>(system: &CellSystem<D>) -> [(&'static str, Vec<f64>); 3] {
    let gravity = |cell: &[i32; D]| if cell[D - 1] == 0 { 1.0 } else { 0.0 };
    let mut state = 1_u64;
    let noise = |_: &[i32; D]| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    [
        ("gravity", system.cells.iter().map(gravity).collect()),
        ("uniform", vec![1.0; system.len()]),
        ("noise", system.cells.iter().map(noise).collect()),
    ]
}

/// Processor time of all threads so far, where Linux tells it [s].
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    // User and system time, in hundredths of a second.
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// One size: a line for each right-hand side.
fn measure<const D: usize>(n: i32) -> Result<(), thixo_poisson::SolveError> {
    let system = liquid::<D>(n);
    for (name, b) in right_hand_sides(&system) {
        let (start, processor) = (Instant::now(), processor_seconds());
        let mut solver = Solver::new(&system, Options::default())?;
        let setup = start.elapsed().as_secs_f64();
        let mut x = vec![0.0; b.len()];
        let solved = solver.solve(&b, &mut x)?;
        let total = start.elapsed().as_secs_f64();
        let processor = processor_seconds()
            .zip(processor)
            .map_or(f64::NAN, |(end, start)| end - start);
        drop(solver);
        let jacobi = if system.len() <= 300_000 {
            let options = Options {
                preconditioner: Preconditioner::Jacobi,
                iterations: 100_000,
                ..Options::default()
            };
            solve(&system, &b, &mut vec![0.0; b.len()], &options)?
                .iterations
                .to_string()
        } else {
            "-".into()
        };
        println!(
            "| {n}^{D} | {} | {name} | {setup:.3} | {} | {:.3} | {:.2} \
             | {processor:.2} | {jacobi} |",
            system.len(),
            solved.iterations,
            total - setup,
            system.len() as f64 / total / 1e6,
        );
    }
    Ok(())
}

fn main() -> Result<(), thixo_poisson::SolveError> {
    let largest: Vec<i32> = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse().ok())
        .collect();
    let (largest_3d, largest_2d) = (
        *largest.first().unwrap_or(&256),
        *largest.get(1).unwrap_or(&2048),
    );
    println!(
        "| box | cells | right-hand side | setup [s] | iterations | solve [s] | 10^6 cells/s \
         | processor [s] | Jacobi |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for n in [64, 128, 256, 512, 1024, 2048]
        .into_iter()
        .filter(|&n| n <= largest_2d)
    {
        measure::<2>(n)?;
    }
    for n in [32, 64, 128, 256].into_iter().filter(|&n| n <= largest_3d) {
        measure::<3>(n)?;
    }
    Ok(())
}
