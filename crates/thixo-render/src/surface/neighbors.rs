//! Neighbour search: the particles within reach of a point.

use rayon::prelude::*;

use super::Point;

/// Particles ordered by cubic cells whose edge is the distance up to which neighbours are looked
/// for.
#[derive(Clone, Debug)]
pub struct Neighbors {
    reach: f64,
    corner: Point,
    /// Cells with particles, in order.
    cells: Vec<u64>,
    /// Index of the first particle of each cell, and the end of all.
    starts: Vec<u32>,
    /// Particles cell by cell: index, place.
    particles: Vec<(u32, Point)>,
}

/// Bits of a cell's number along an axis.
const BITS: u32 = 21;

/// A particle near a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// Its index.
    pub index: usize,
    /// From the place to it \[m\].
    pub offset: Point,
    /// Square of its distance over that of the reach, below 1.
    pub share: f64,
}

impl Neighbors {
    /// Orders particles, all of which are less than 2²⁰ reaches \[m\] apart.
    pub fn new(positions: &[Point], reach: f64) -> Self {
        let mut corner = positions.first().copied().unwrap_or(Point::zero());
        for x in positions {
            for a in 0..3 {
                corner[a] = corner[a].min(x[a]);
            }
        }
        let mut order: Vec<(u64, u32)> = positions
            .par_iter()
            .enumerate()
            .map(|(k, x)| (key(cell(*x, corner, reach)), k as u32))
            .collect();
        order.par_sort_unstable();
        let mut cells = Vec::new();
        let mut starts = Vec::new();
        for (place, (cell, _)) in (0..).zip(&order) {
            if cells.last() != Some(cell) {
                cells.push(*cell);
                starts.push(place);
            }
        }
        starts.push(order.len() as u32);
        let place = |(_, k): &(u64, u32)| (*k, positions[*k as usize]);
        let particles = order.par_iter().map(place).collect();
        Self {
            reach,
            corner,
            cells,
            starts,
            particles,
        }
    }

    /// All particles within reach of a place, always in the same order.
    pub fn near(&self, x: Point, found: &mut Vec<Neighbor>) {
        found.clear();
        let [i, j, k] = cell(x, self.corner, self.reach);
        let per_square = 1.0 / (self.reach * self.reach);
        for i in i - 1..=i + 1 {
            for j in j - 1..=j + 1 {
                // Cells along the last axis have numbers one after the other.
                let last = key([i, j, k + 1]);
                let first = self.cells.partition_point(|own| *own < key([i, j, k - 1]));
                let beyond = self.cells[first..].iter().take(3);
                let count = beyond.take_while(|own| **own <= last).count();
                let [from, to] = [first, first + count].map(|c| self.starts[c] as usize);
                for (index, position) in &self.particles[from..to] {
                    let offset = *position - x;
                    let share = offset.norm_squared() * per_square;
                    if share < 1.0 {
                        let index = *index as usize;
                        found.push(Neighbor {
                            index,
                            offset,
                            share,
                        });
                    }
                }
            }
        }
    }
}

/// The cell of a place; one and more from the lowest particle on, so that there is one below.
fn cell(x: Point, corner: Point, reach: f64) -> [i64; 3] {
    let within = |number: f64| number.clamp(-1.0, f64::from(1u32 << BITS) - 4.0) as i64;
    let number = |a: usize| within(((x[a] - corner[a]) / reach).floor()) + 2;
    [number(0), number(1), number(2)]
}

/// The cell as one number.
fn key([i, j, k]: [i64; 3]) -> u64 {
    (i as u64) << (2 * BITS) | (j as u64) << BITS | k as u64
}

#[cfg(test)]
mod tests {
    use thixo_math::Vector;

    use super::*;

    #[test]
    fn neighbours_are_those_of_a_search_through_all() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let positions: Vec<Point> = (0..500)
            .map(|_| Vector([random() - 9.0, 2.0 * random(), 1e3 + random()]))
            .collect();
        let reach = 0.31;
        let neighbors = Neighbors::new(&positions, reach);
        let mut found = Vec::new();
        let outside = Vector([-9.2, -0.1, 1000.5]);
        for x in positions.iter().copied().take(50).chain([outside]) {
            neighbors.near(x, &mut found);
            let mut indices: Vec<usize> = found.iter().map(|n| n.index).collect();
            indices.sort_unstable();
            let is_near = |k: &usize| (positions[*k] - x).norm() < reach;
            let expected: Vec<usize> = (0..positions.len()).filter(is_near).collect();
            assert_eq!(indices, expected);
        }
        neighbors.near(Vector([1e9, -1e9, 0.0]), &mut found);
        assert!(found.is_empty());
        Neighbors::new(&[], 1.0).near(Point::zero(), &mut found);
        assert!(found.is_empty());
    }
}
