//! Systems of boxes and other regions.

use thixo_poisson::CellSystem;

/// The system of the cells of `sides` that are `inside`, with conductances from `face`, of the cell
/// and the axis of its upper face, and diagonals from `diagonal`. Cells are in lexicographic order.
pub fn region<const D: usize>(
    sides: [i32; D],
    inside: impl Fn([i32; D]) -> bool,
    face: impl Fn([i32; D], usize) -> f64,
    diagonal: impl Fn([i32; D]) -> f64,
) -> CellSystem<D> {
    let mut system = CellSystem::<D>::new();
    let volume: i32 = sides.iter().product();
    for index in 0..volume {
        let mut rest = index;
        let mut cell = [0; D];
        for a in (0..D).rev() {
            cell[a] = rest % sides[a];
            rest /= sides[a];
        }
        if !inside(cell) {
            continue;
        }
        let upper = std::array::from_fn(|a| {
            let mut next = cell;
            next[a] += 1;
            if next[a] < sides[a] && inside(next) {
                face(cell, a)
            } else {
                0.0
            }
        });
        system.cells.push(cell);
        system.upper.push(upper);
        system.diagonal.push(diagonal(cell));
    }
    system
}

/// Liquid in a box of `n` cells with closed walls below a wavy free surface, with ghost-fluid
/// coefficients 1/θ up to 20.
pub fn liquid<const D: usize>(n: i32) -> CellSystem<D> {
    let phi = |cell: [i32; D]| {
        let x = cell.map(|i| (f64::from(i) + 0.5) / f64::from(n));
        let wave = 0.1 * (8.0 * x[0] + 0.4).sin() + 0.07 * (13.0 * x[D - 2]).cos();
        (x[D - 1] - 0.75 - wave) * f64::from(n)
    };
    region(
        [n; D],
        |cell| phi(cell) < 0.0,
        |_, _| 1.0,
        |cell| {
            let mut s = 0.0;
            for (a, step) in (0..D).flat_map(|a| [(a, -1), (a, 1)]) {
                let mut next = cell;
                next[a] += step;
                if (0..n).contains(&next[a]) && phi(next) >= 0.0 {
                    s += 1.0 / (phi(cell) / (phi(cell) - phi(next))).max(0.05);
                }
            }
            s
        },
    )
}

/// Largest component of b − A x.
pub fn largest_residual<const D: usize>(system: &CellSystem<D>, x: &[f64], b: &[f64]) -> f64 {
    let mut cells = std::collections::HashMap::new();
    for (c, &cell) in system.cells.iter().enumerate() {
        cells.insert(cell, c);
    }
    let mut r: Vec<f64> = (0..b.len())
        .map(|c| b[c] - system.diagonal[c] * x[c])
        .collect();
    for (c, cell) in system.cells.iter().enumerate() {
        for a in (0..D).filter(|&a| system.upper[c][a] > 0.0) {
            let mut next = *cell;
            next[a] += 1;
            let n = cells[&next];
            let flow = system.upper[c][a] * (x[c] - x[n]);
            r[c] -= flow;
            r[n] += flow;
        }
    }
    r.iter().fold(0.0, |largest, r| r.abs().max(largest))
}
