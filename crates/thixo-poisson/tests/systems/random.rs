//! Random small systems, and their solution by a dense Cholesky factorisation.

use thixo_poisson::{CellSystem, Components};

/// The generator SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in 0 .. 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform among 0 .. n.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }
}

/// A sparse random set of cells in random order, periodic or not, with conductances over three
/// decades, closed faces, few or no Dirichlet neighbours; and a right-hand side that sums to zero
/// on sealed components.
pub fn random_system<const D: usize>(seed: u64) -> (CellSystem<D>, Vec<f64>) {
    let mut random = Random(seed);
    let extent = [2, 4, 6, 8][random.below(4) as usize];
    let mut system = CellSystem::<D>::new();
    let mut sides = [extent; D];
    for a in 0..D {
        if random.below(3) == 0 {
            system.periods[a] = Some(extent as u32);
        } else if random.below(3) == 0 {
            sides[a] = 2 * extent + 1;
        }
    }
    let share = 0.2 + 0.8 * random.unit();
    let origin: [i32; D] = std::array::from_fn(|_| random.below(40) as i32 - 20);
    let volume: i32 = sides.iter().product();
    let mut inside = vec![false; volume as usize];
    let coordinates = |i: i32| {
        let mut rest = i;
        let local: [i32; D] = std::array::from_fn(|a| {
            let l = rest % sides[a];
            rest /= sides[a];
            l
        });
        local
    };
    let index = |l: [i32; D]| (0..D).rev().fold(0, |i, a| i * sides[a] + l[a]);
    let mut cells: Vec<i32> = Vec::new();
    for i in 0..volume {
        if cells.len() < 160 && random.unit() < share {
            inside[i as usize] = true;
            cells.push(i);
        }
    }
    for i in (1..cells.len()).rev() {
        cells.swap(i, random.below(i as u64 + 1) as usize);
    }
    let open = [0.0, 0.02, 0.3][random.below(3) as usize];
    for &i in &cells {
        let local = coordinates(i);
        let mut upper = [0.0; D];
        for a in 0..D {
            let mut next = local;
            next[a] += 1;
            if system.periods[a].is_some() {
                next[a] %= sides[a];
            }
            if next[a] < sides[a] && inside[index(next) as usize] && random.unit() < 0.9 {
                upper[a] = 10f64.powf(3.0 * random.unit() - 3.0);
            }
        }
        let mut cell = local;
        for a in 0..D {
            cell[a] += origin[a];
        }
        system.cells.push(cell);
        system.upper.push(upper);
        let s = if random.unit() < open {
            20.0 * random.unit()
        } else {
            0.0
        };
        system.diagonal.push(s);
    }
    let mut b: Vec<f64> = (0..cells.len()).map(|_| random.unit() - 0.5).collect();
    if let Ok(components) = thixo_poisson::components(&system) {
        let sums = components.imbalances(&b);
        for (b, &i) in b.iter_mut().zip(&components.of_cell) {
            let component = components.list[i as usize];
            if component.sealed {
                *b -= sums[i as usize] / component.cells as f64;
                if component.cells == 1 {
                    *b = 0.0;
                }
            }
        }
    }
    (system, b)
}

/// The matrix of a system, by rows.
pub fn dense_matrix<const D: usize>(system: &CellSystem<D>) -> Vec<Vec<f64>> {
    let n = system.len();
    let wrap = |mut cell: [i32; D]| {
        for a in 0..D {
            if let Some(period) = system.periods[a] {
                cell[a] = cell[a].rem_euclid(period as i32);
            }
        }
        cell
    };
    let mut matrix = vec![vec![0.0; n]; n];
    for c in 0..n {
        matrix[c][c] += system.diagonal[c];
        for a in 0..D {
            let k = system.upper[c][a];
            if k > 0.0 {
                let mut next = system.cells[c];
                next[a] += 1;
                let next = wrap(next);
                let n = system
                    .cells
                    .iter()
                    .position(|&cell| wrap(cell) == next)
                    .unwrap();
                matrix[c][c] += k;
                matrix[n][n] += k;
                matrix[c][n] -= k;
                matrix[n][c] -= k;
            }
        }
    }
    matrix
}

/// Solution by Cholesky's factorisation. On a sealed component, a conductance of 1 is added to its
/// first cell, which changes the solution there by a constant only, and the mean is taken out.
pub fn dense_solution<const D: usize>(
    system: &CellSystem<D>,
    components: &Components,
    b: &[f64],
) -> Vec<f64> {
    let n = system.len();
    let mut l = dense_matrix(system);
    for component in components.list.iter().filter(|component| component.sealed) {
        l[component.first][component.first] += 1.0;
    }
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|m| l[i][m] * l[j][m]).sum();
            l[i][j] = if i == j {
                (l[i][i] - sum).sqrt()
            } else {
                (l[i][j] - sum) / l[j][j]
            };
        }
    }
    let mut x = b.to_vec();
    for i in 0..n {
        let sum: f64 = (0..i).map(|m| l[i][m] * x[m]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|m| l[m][i] * x[m]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    let sums = components.imbalances(&x);
    for (x, &i) in x.iter_mut().zip(&components.of_cell) {
        let component = components.list[i as usize];
        if component.sealed {
            *x -= sums[i as usize] / component.cells as f64;
        }
    }
    x
}
