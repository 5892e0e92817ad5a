//! A stream whose velocity is a formula of place and time: every column of it has a displacement of
//! its own.

use std::ops::Range;

use super::displacement::{CELLS, NODES, nodes};
use super::velocity::OutflowVelocity;
use crate::shape::Bounds;

/// The most displacements that are kept: what has more gets longer cells of time, a frame at most.
const MOST_DISPLACEMENTS: f64 = 1e7;

/// The displacements ℓ(q, t) = ∫ max(v(q, t') · n, 0) dt' since the start \[m\] that columns q of a
/// stream have moved along the normal n of the opening. They are kept for a lattice of columns at
/// the ends of cells of time, and are linear in between, so that any displacement has one time.
/// After the last frame of the scene nothing comes.
#[derive(Clone, Debug)]
pub(crate) struct VelocityProfile<const D: usize> {
    pub velocity: OutflowVelocity<D>,
    start: f64,
    /// Length of a cell of time \[s\]; how long it lasts \[s\].
    cell: f64,
    lasts: f64,
    columns: ColumnLattice<D>,
    /// Ways of all columns at the start, then at the end of each cell \[m\].
    displacements: Vec<Vec<f64>>,
    /// Largest speed in each cell \[m/s\].
    fastest: Vec<f64>,
}

/// A lattice across the stream; a single column where all are the same.
#[derive(Clone, Debug)]
struct ColumnLattice<const D: usize> {
    first: [i64; D],
    /// Columns along each axis; one along the stream.
    size: [usize; D],
    spacing: f64,
}

impl<const D: usize> ColumnLattice<D> {
    fn new(bounds: &Bounds<D>, spacing: f64) -> Self {
        let index = |x: f64| (x / spacing).floor() as i64;
        let first = bounds.min.map(index);
        let mut size = [1; D];
        for a in 0..D - 1 {
            size[a] = (index(bounds.max[a]) - first[a] + 2) as usize;
        }
        Self {
            first,
            size,
            spacing,
        }
    }
    fn single() -> Self {
        Self {
            first: [0; D],
            size: [1; D],
            spacing: f64::INFINITY,
        }
    }
    fn count(&self) -> usize {
        self.size.iter().product()
    }
    /// A column's place in the frame of the stream, where that has passed the plane at `front`.
    fn place(&self, number: usize, front: f64, middle: [f64; D]) -> [f64; D] {
        let mut place = middle;
        place[D - 1] = front;
        if self.count() > 1 {
            let mut rest = number;
            for a in 0..D - 1 {
                let step = (rest % self.size[a]) as i64;
                place[a] = (self.first[a] + step) as f64 * self.spacing;
                rest /= self.size[a];
            }
        }
        place
    }
    /// A value between columns, from those of all columns.
    fn between(&self, values: &[f64], point: [f64; D]) -> f64 {
        if let [value] = values {
            return *value;
        }
        let mut sum = 0.0;
        for corner in 0..1usize << (D - 1) {
            let (mut weight, mut number, mut stride) = (1.0, 0, 1);
            for a in 0..D - 1 {
                let last = self.size[a] - 2;
                let at = point[a] / self.spacing - self.first[a] as f64;
                let cell = (at.max(0.0) as usize).min(last);
                let part = (at - cell as f64).clamp(0.0, 1.0);
                let high = corner >> a & 1;
                weight *= if high == 1 { part } else { 1.0 - part };
                number += stride * (cell + high);
                stride *= self.size[a];
            }
            sum += weight * values[number];
        }
        sum
    }
    /// The least and the most of the columns around a box.
    fn extremes(&self, values: &[f64], low: [f64; D], high: [f64; D]) -> [f64; 2] {
        let is_near = |number: usize| {
            let place = self.place(number, 0.0, low);
            let reach = |a: usize| low[a] - self.spacing..=high[a] + self.spacing;
            self.count() == 1 || (0..D - 1).all(|a| reach(a).contains(&place[a]))
        };
        let near = (0..values.len()).filter(|&k| is_near(k));
        near.fold([f64::INFINITY, 0.0], |[least, most], k| {
            [least.min(values[k]), most.max(values[k])]
        })
    }
}

impl<const D: usize> VelocityProfile<D> {
    /// Of a stream with the given box in its own frame, whose unit vectors are `axes`; it is active
    /// for a time \[s\] within frames of a length \[s\].
    pub fn new(
        velocity: OutflowVelocity<D>,
        (bounds, axes): (&Bounds<D>, &[[f64; D]; D]),
        pitch: f64,
        active: Range<f64>,
        frame: f64,
    ) -> Self {
        let columns = match velocity.differs() {
            true => ColumnLattice::new(bounds, pitch),
            false => ColumnLattice::single(),
        };
        let lasts = (active.end - active.start).max(0.0);
        let frames = lasts / frame;
        let cells = if velocity.changes() {
            let most = MOST_DISPLACEMENTS / (columns.count() as f64 * frames.max(1.0));
            (frames * most.clamp(1.0, CELLS).floor()).ceil().max(1.0)
        } else {
            1.0
        };
        let mut profile = Self {
            velocity,
            start: active.start,
            cell: lasts / cells,
            lasts,
            displacements: vec![vec![0.0; columns.count()]],
            fastest: Vec::new(),
            columns,
        };
        let middle = core::array::from_fn(|a| 0.5 * (bounds.min[a] + bounds.max[a]));
        let place = |k: usize| {
            let place = profile.columns.place(k, bounds.max[D - 1], middle);
            core::array::from_fn(|a| (0..D).map(|k| place[k] * axes[k][a]).sum())
        };
        let places: Vec<[f64; D]> = (0..profile.columns.count()).map(place).collect();
        for cell in 0..cells as usize {
            profile.add_cell(cell, &places, axes[D - 1]);
        }
        profile
    }

    fn add_cell(&mut self, cell: usize, places: &[[f64; D]], normal: [f64; D]) {
        let times = nodes(self.start, self.cell, cell);
        let mut fastest = 0.0f64;
        let mut displacements = Vec::with_capacity(places.len());
        for (place, before) in places.iter().zip(&self.displacements[cell]) {
            let mut mean = 0.0;
            for (time, (_, weight)) in times.into_iter().zip(NODES) {
                let velocity = self.velocity.at(*place, time);
                let along: f64 = (0..D).map(|a| velocity[a] * normal[a]).sum();
                // Matter that flows back, or a velocity that is not a number, lets nothing out.
                mean += weight * along.max(0.0);
                let speed = velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
                fastest = fastest.max(speed);
            }
            displacements.push(before + mean * self.cell);
        }
        self.displacements.push(displacements);
        self.fastest.push(fastest);
    }

    /// The cell of a time since the start, and the part of it that has passed.
    fn cell_of(&self, elapsed: f64) -> (usize, f64) {
        let cells = if self.cell > 0.0 {
            elapsed / self.cell
        } else {
            0.0
        };
        let index = (cells as usize).min(self.fastest.len() - 1);
        (index, (cells - index as f64).clamp(0.0, 1.0))
    }

    fn elapsed(&self, time: f64) -> f64 {
        (time - self.start).clamp(0.0, self.lasts)
    }

    /// The displacement of a column at a time \[m\].
    pub fn displacement(&self, point: [f64; D], time: f64) -> f64 {
        let (cell, part) = self.cell_of(self.elapsed(time));
        let [low, high] =
            [cell, cell + 1].map(|k| self.columns.between(&self.displacements[k], point));
        low + part * (high - low)
    }

    /// The least and the most that columns of a box have moved at a time \[m\].
    pub fn displacements(&self, low: [f64; D], high: [f64; D], time: f64) -> [f64; 2] {
        let (cell, part) = self.cell_of(self.elapsed(time));
        let ends =
            [cell, cell + 1].map(|k| self.columns.extremes(&self.displacements[k], low, high));
        [0, 1].map(|which| ends[0][which] + part * (ends[1][which] - ends[0][which]))
    }

    /// The most that any column has moved at a time \[m\].
    pub fn largest_displacement(&self, time: f64) -> f64 {
        let (cell, part) = self.cell_of(self.elapsed(time));
        let ends =
            [cell, cell + 1].map(|k| self.displacements[k].iter().copied().fold(0.0, f64::max));
        ends[0] + part * (ends[1] - ends[0])
    }

    /// Time at which a column reached a displacement \[s\].
    pub fn reached(&self, point: [f64; D], displacement: f64) -> f64 {
        let at = |k: usize| self.columns.between(&self.displacements[k], point);
        let (mut low, mut high) = (0, self.fastest.len());
        while high - low > 1 {
            let middle = (low + high) / 2;
            match at(middle) <= displacement {
                true => low = middle,
                false => high = middle,
            }
        }
        let (before, after) = (at(low), at(low + 1));
        let part = if after > before {
            ((displacement - before) / (after - before)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.start + (low as f64 + part) * self.cell
    }

    /// Largest speed between two times \[m/s\], if it is active then.
    pub fn fastest(&self, from: f64, to: f64) -> Option<f64> {
        let is_active = self.start < to && from < self.start + self.lasts;
        let [first, last] = [from, to].map(|time| self.cell_of(self.elapsed(time)).0);
        let speeds = self.fastest[first..=last].iter().copied();
        is_active.then(|| speeds.fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression;
    use crate::number::VectorOf;
    use crate::points;

    fn profile(formula: [&str; 2]) -> VelocityProfile<2> {
        let variables = points::place_and_time::<2>();
        let formula = formula.map(|text| Expression::parse(text, &variables).unwrap());
        let velocity = OutflowVelocity {
            formula: VectorOf::new(formula),
            rate: None,
        };
        let bounds = Bounds {
            min: [-0.5, 0.0],
            max: [0.5, 0.1],
        };
        // A frame whose last axis is y.
        let axes = [[1.0, 0.0], [0.0, 1.0]];
        VelocityProfile::new(velocity, (&bounds, &axes), 0.05, 0.2..2.2, 0.1)
    }

    #[test]
    fn every_column_moves_by_the_integral_of_its_velocity() {
        let profile = profile(["3", "(1 - 4 * x^2) * t"]);
        for x in [-0.45, -0.2, 0.0, 0.05, 0.4] {
            for time in [0.2, 0.7, 1.1, 2.2] {
                let exact = (1.0 - 4.0 * x * x) * 0.5 * (time * time - 0.04);
                let displacement = profile.displacement([x, 0.0], time);
                assert!(
                    (displacement - exact).abs() < 1e-12,
                    "{x} {time} {displacement} {exact}"
                );
                if displacement > 0.0 {
                    assert!((profile.reached([x, 0.0], displacement) - time).abs() < 1e-9);
                }
            }
        }
        // Between the columns of the lattice, here at 0.1 and 0.15, displacements are linear: the
        // mean of 0.96 and 0.91, not 0.9375.
        let between = profile.displacement([0.125, 0.0], 2.2);
        assert!((between - 2.4 * 0.935).abs() < 1e-12, "{between}");
        let [least, most] = profile.displacements([-0.1, 0.0], [0.1, 0.0], 2.2);
        assert!(least <= profile.displacement([0.1, 0.0], 2.2) && most >= 2.4 - 1e-12);
        assert_eq!(
            profile.largest_displacement(2.2),
            profile.displacement([0.0, 0.0], 2.2)
        );
        assert_eq!(
            profile.displacement([0.0, 0.0], 9.0),
            profile.displacement([0.0, 0.0], 2.2)
        );
    }

    #[test]
    fn what_flows_back_does_not_count() {
        let profile = profile(["0", "cos(pi * (t - 0.2))"]);
        // Half a second out, a second back, half a second out.
        assert!((profile.displacement([0.0, 0.0], 0.7) - 1.0 / std::f64::consts::PI).abs() < 1e-6);
        assert_eq!(
            profile.displacement([0.3, 0.0], 0.9),
            profile.displacement([0.0, 0.0], 1.6)
        );
        assert!((profile.displacement([0.0, 0.0], 2.2) - 2.0 / std::f64::consts::PI).abs() < 1e-6);
        assert!((profile.fastest(0.2, 0.3).unwrap() - 1.0).abs() < 1e-3);
        assert_eq!(profile.fastest(0.0, 0.1), None);
    }
}
