//! A periodic tile of points of which no two are nearer than a radius: Poisson disk sampling on a
//! torus.
//!
//! Points are found by the active list of \[Bridson2007\], with distances taken around the tile, so
//! that copies of the tile side by side keep the radius across their seams; then darts are thrown
//! into what is still empty. The tile is scaled to the wanted number density afterwards: the mean
//! number of points per volume is exact, and the radius follows from how densely the points
//! happened to lie.

use super::random::Random;

/// Candidates around a point before it is given up.
const CANDIDATES: usize = 30;
/// Darts thrown into every empty cell at the end.
const DARTS: usize = 12;
/// Points per cube of the radius that the search ends with, about, in 2D and 3D: to choose the size
/// of a tile.
const CROWDING: [f64; 2] = [0.637, 0.632];
/// Smallest edge of a tile in radii.
const SMALLEST: f64 = 4.0;

/// Points of a unit tile that may be repeated in all directions.
#[derive(Clone, Debug)]
pub(crate) struct Tile<const D: usize> {
    /// Points, coordinates in \[0, 1).
    pub points: Vec<[f64; D]>,
}

/// The cells in which points are looked up: so small that each holds at most one.
struct Lookup<const D: usize> {
    edge: f64,
    cells: usize,
    held: Vec<Option<[f64; D]>>,
    /// Offsets of cells that may hold a point nearer than 1, the nearest first: there the search
    /// mostly ends.
    near: Vec<[usize; D]>,
}

impl<const D: usize> Lookup<D> {
    fn new(edge: f64) -> Self {
        let cells = (edge * (D as f64).sqrt()).ceil() as usize;
        let cell = edge / cells as f64;
        let reach = (1.0 / cell).ceil() as i32;
        let width = 2 * reach + 1;
        let mut near: Vec<(i32, [usize; D])> = Vec::new();
        for k in 0..width.pow(D as u32) {
            let mut rest = k;
            let (mut gap, mut squared) = (0, 0);
            let mut around = [0; D];
            for a in 0..D {
                let offset = rest % width - reach;
                rest /= width;
                gap += (offset.abs() - 1).max(0).pow(2);
                squared += offset * offset;
                // The other way round the tile, so that it is not negative.
                around[a] = offset.rem_euclid(cells as i32) as usize;
            }
            if f64::from(gap).sqrt() * cell < 1.0 {
                near.push((squared, around));
            }
        }
        near.sort();
        Self {
            edge,
            cells,
            held: vec![None; cells.pow(D as u32)],
            near: near.into_iter().map(|(_, around)| around).collect(),
        }
    }

    fn cell(&self, x: [f64; D]) -> [usize; D] {
        x.map(|x| ((x / self.edge * self.cells as f64) as usize).min(self.cells - 1))
    }

    fn index(&self, cell: [usize; D]) -> usize {
        cell.iter().fold(0, |index, c| index * self.cells + c)
    }

    /// True if a point is at least 1 away from all others, around the tile.
    fn is_free(&self, x: [f64; D]) -> bool {
        let cell = self.cell(x);
        self.near.iter().all(|offset| {
            let mut other = [0; D];
            for a in 0..D {
                let wrapped = cell[a] + offset[a];
                other[a] = if wrapped < self.cells {
                    wrapped
                } else {
                    wrapped - self.cells
                };
            }
            let Some(y) = self.held[self.index(other)] else {
                return true;
            };
            let squared: f64 = (0..D)
                .map(|a| {
                    let d = (x[a] - y[a]).abs();
                    d.min(self.edge - d).powi(2)
                })
                .sum();
            squared >= 1.0
        })
    }

    /// A random point of the cell of an index.
    fn dart(&self, index: usize, random: &mut Random) -> [f64; D] {
        let mut rest = index;
        let mut x = random.point::<D>();
        for a in (0..D).rev() {
            x[a] = (x[a] + (rest % self.cells) as f64) * self.edge / self.cells as f64;
            rest /= self.cells;
        }
        x
    }

    fn put(&mut self, x: [f64; D]) {
        let index = self.index(self.cell(x));
        self.held[index] = Some(x);
    }
}

impl<const D: usize> Tile<D> {
    /// A tile of about `count` points.
    pub fn new(seed: u32, count: f64) -> Self {
        let edge = (count / CROWDING[D.min(3) - 2]).powf(1.0 / D as f64);
        let edge = edge.max(SMALLEST);
        let mut random = Random::new(seed, &[D as i64]);
        let mut lookup = Lookup::<D>::new(edge);
        let first = random.point::<D>().map(|x| x * edge);
        lookup.put(first);
        let mut points = vec![first];
        let mut active = vec![first];
        while !active.is_empty() {
            let k = random.below(active.len());
            let found = (0..CANDIDATES).find_map(|_| {
                let x = around(active[k], edge, &mut random);
                lookup.is_free(x).then_some(x)
            });
            match found {
                Some(x) => {
                    lookup.put(x);
                    points.push(x);
                    active.push(x);
                }
                None => {
                    active.swap_remove(k);
                }
            }
        }
        for _ in 0..DARTS {
            for cell in 0..lookup.held.len() {
                if lookup.held[cell].is_none() {
                    let x = lookup.dart(cell, &mut random);
                    if lookup.is_free(x) {
                        lookup.put(x);
                        points.push(x);
                    }
                }
            }
        }
        for x in &mut points {
            // Division may round up to the edge, which is the first point of the next tile.
            *x = x.map(|x| (x / edge).min(1.0 - f64::EPSILON));
        }
        Self { points }
    }
}

/// A point at a distance from 1 to 2, uniform by volume, around the tile.
fn around<const D: usize>(x: [f64; D], edge: f64, random: &mut Random) -> [f64; D] {
    loop {
        let offset = random.point::<D>().map(|u| 4.0 * u - 2.0);
        let squared: f64 = offset.iter().map(|o| o * o).sum();
        if (1.0..4.0).contains(&squared) {
            let mut y = x;
            for a in 0..D {
                y[a] = (x[a] + offset[a]).rem_euclid(edge);
            }
            return y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squared distance around a unit tile.
    fn squared<const D: usize>(x: &[f64; D], y: &[f64; D]) -> f64 {
        let around = |a: usize| {
            let d = (x[a] - y[a]).abs();
            d.min(1.0 - d)
        };
        (0..D).map(|a| around(a).powi(2)).sum()
    }

    fn check<const D: usize>(count: f64, smallest: f64) {
        let tile = Tile::<D>::new(3, count);
        let n = tile.points.len();
        assert!((n as f64 / count - 1.0).abs() < 0.1, "{n} of {count}");
        let mut least = 1.0f64;
        for (k, x) in tile.points.iter().enumerate() {
            assert!(x.iter().all(|x| (0.0..1.0).contains(x)));
            for y in &tile.points[..k] {
                least = least.min(squared(x, y));
            }
        }
        // The radius with which the search gives that many points.
        let pitch = (n as f64).powf(-1.0 / D as f64);
        assert!(least.sqrt() > smallest * pitch, "{} {pitch}", least.sqrt());
        // Hardly anywhere would one more point have found room.
        let mut random = Random::new(1, &[]);
        let probes = 20_000;
        let holes = (0..probes)
            .filter(|_| {
                let x = random.point::<D>();
                tile.points.iter().all(|y| squared(&x, y) > least)
            })
            .count();
        assert!(holes < probes / 100, "{holes} of {probes}");
    }

    #[test]
    fn points_keep_their_distance_across_seams_and_leave_no_room() {
        check::<2>(1000.0, 0.78);
        check::<3>(1000.0, 0.84);
    }

    #[test]
    fn a_tile_depends_on_its_seed_alone() {
        let tile = |seed| Tile::<3>::new(seed, 600.0).points;
        assert_eq!(tile(1), tile(1));
        assert_ne!(tile(1), tile(2));
    }
}
