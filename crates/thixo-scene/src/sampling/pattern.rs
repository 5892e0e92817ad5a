//! Endless patterns of points, and the part of them that lies in a region.

use std::sync::Arc;

use rayon::prelude::*;

use super::disk::Tile;
use super::random::Random;
use crate::shape::{Bounds, Region};

/// Cells of a pattern that are looked at as one piece of work.
const CHUNK: usize = 4096;
/// Points on a face are inside on the low side and outside on the high side: regions are looked at
/// this far beside a point, in pitches.
pub(crate) const NUDGE: f64 = 1e-6;
/// Points of a Poisson disk tile, at least and at most: what is larger gets copies.
const TILE: [f64; 2] = [512.0, 32768.0];

/// Points without end, on average one per cube of edge `pitch`. Space is divided into cells, each
/// with points of its own.
#[derive(Clone, Debug)]
pub(crate) struct Pattern<const D: usize> {
    arrangement: Arrangement<D>,
    /// Edge of the cube that a point stands for \[m\].
    pitch: f64,
    /// Edge of a cell \[m\].
    edge: f64,
}

#[derive(Clone, Debug)]
enum Arrangement<const D: usize> {
    /// The middle of every cell.
    Lattice,
    /// Anywhere in every cell.
    Stratified { seed: u32 },
    /// Independent points, as many per cell as chance says.
    Random { seed: u32 },
    /// Copies of a tile.
    Disks(Arc<Tile<D>>),
}

impl<const D: usize> Pattern<D> {
    pub fn lattice(pitch: f64) -> Self {
        Self {
            arrangement: Arrangement::Lattice,
            pitch,
            edge: pitch,
        }
    }
    pub fn stratified(pitch: f64, seed: u32) -> Self {
        Self {
            arrangement: Arrangement::Stratified { seed },
            pitch,
            edge: pitch,
        }
    }
    pub fn random(pitch: f64, seed: u32) -> Self {
        Self {
            arrangement: Arrangement::Random { seed },
            pitch,
            edge: 2.0 * pitch,
        }
    }
    /// Poisson disks for a region that about `bound` of them fill.
    pub fn disks(pitch: f64, seed: u32, bound: f64) -> Self {
        let tile = Tile::<D>::new(seed, bound.clamp(TILE[0], TILE[1]));
        Self {
            pitch,
            edge: pitch * (tile.points.len() as f64).powf(1.0 / D as f64),
            arrangement: Arrangement::Disks(Arc::new(tile)),
        }
    }

    /// Edge of the cube that a point stands for \[m\].
    pub fn pitch(&self) -> f64 {
        self.pitch
    }
    /// Edge of a cell \[m\].
    pub fn edge(&self) -> f64 {
        self.edge
    }
    /// Distance beside a point at which a region is looked at \[m\].
    pub fn nudge(&self) -> f64 {
        NUDGE * self.pitch
    }
    /// After how many cells a pattern may repeat itself without being seen to; that of a lattice or
    /// a tile is the same in all cells.
    pub fn repeat(&self) -> i64 {
        match self.arrangement {
            Arrangement::Lattice | Arrangement::Disks(_) => 1,
            Arrangement::Stratified { .. } => 32,
            Arrangement::Random { .. } => 16,
        }
    }

    /// Calls `take` with the points of a cell, which are those of the cell `twin` if that is
    /// another.
    pub fn points(&self, cell: [i64; D], twin: [i64; D], mut take: impl FnMut([f64; D])) {
        let mut put = |u: [f64; D]| {
            let mut x = [0.0; D];
            for a in 0..D {
                x[a] = (cell[a] as f64 + u[a]) * self.edge;
            }
            take(x);
        };
        match &self.arrangement {
            Arrangement::Lattice => put([0.5; D]),
            Arrangement::Stratified { seed } => put(Random::new(*seed, &twin).point()),
            Arrangement::Random { seed } => {
                let mut random = Random::new(*seed, &twin);
                for _ in 0..random.events((1 << D) as f64) {
                    put(random.point());
                }
            }
            Arrangement::Disks(tile) => tile.points.iter().for_each(|&u| put(u)),
        }
    }

    /// At most about how many points lie in a box.
    pub fn bound(&self, bounds: &Bounds<D>) -> f64 {
        // Those of a lattice can be counted.
        let index = |x: f64| (x / self.pitch - 0.5).ceil();
        let extra = match self.arrangement {
            Arrangement::Lattice => 0.0,
            _ => 1.0,
        };
        (0..D)
            .map(|a| (index(bounds.max[a]) - index(bounds.min[a])).max(0.0) + extra)
            .product()
    }

    /// The points inside a region within a box, in an order of their own: the cells' one after the
    /// other.
    pub fn fill(&self, region: &dyn Region<D>, bounds: &Bounds<D>) -> Vec<[f64; D]> {
        let cells = Cells::around(bounds, self.edge);
        let nudge = self.nudge();
        let half_diagonal = 0.5 * self.edge * (D as f64).sqrt();
        let has_many = self.edge > self.pitch;
        let part = |chunk: usize| {
            let mut inside = Vec::new();
            for k in chunk * CHUNK..((chunk + 1) * CHUNK).min(cells.count()) {
                let cell = cells.cell(k);
                if has_many {
                    let middle = cell.map(|i| (i as f64 + 0.5) * self.edge);
                    if region.surface(middle, 0.0).distance > half_diagonal {
                        continue;
                    }
                }
                self.points(cell, cell, |x| {
                    if region.surface(x.map(|x| x + nudge), 0.0).distance < 0.0 {
                        inside.push(x);
                    }
                });
            }
            inside
        };
        let parts: Vec<Vec<[f64; D]>> = (0..cells.count().div_ceil(CHUNK))
            .into_par_iter()
            .map(part)
            .collect();
        parts.concat()
    }
}

/// The cells that overlap a box, the last axis fastest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells<const D: usize> {
    first: [i64; D],
    size: [usize; D],
}

impl<const D: usize> Cells<D> {
    /// The cells of an edge \[m\] around a box.
    pub fn around(bounds: &Bounds<D>, edge: f64) -> Self {
        let index = |x: f64| (x / edge).floor() as i64;
        let first = bounds.min.map(index);
        let mut size = [0; D];
        for a in 0..D {
            size[a] = (index(bounds.max[a]) - first[a] + 1).max(0) as usize;
        }
        Self { first, size }
    }
    /// Their number.
    pub fn count(&self) -> usize {
        self.size.iter().product()
    }
    /// The cell of a number.
    pub fn cell(&self, number: usize) -> [i64; D] {
        let mut rest = number;
        let mut cell = self.first;
        for a in (0..D).rev() {
            cell[a] += (rest % self.size[a]) as i64;
            rest /= self.size[a];
        }
        cell
    }
}
