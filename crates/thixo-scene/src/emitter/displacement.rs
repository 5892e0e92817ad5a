//! Displacement of a stream: steady, or at a rate that is a formula of the time.

use std::ops::Range;

use crate::expression::Expression;

/// Cells per frame in which the rate is averaged.
pub(crate) const CELLS: f64 = 32.0;
/// Gauss's three points in a cell, with their weights: exact for rates of fifth degree.
pub(super) const NODES: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// The displacement ℓ(t) = speed × ∫ rate dt since the start \[m\], which never falls.
#[derive(Clone, Debug)]
pub(crate) struct Displacement {
    speed: f64,
    active: Range<f64>,
    rate: Option<Rate>,
}

/// A rate, averaged in cells of time: between their ends ℓ is straight, so that any displacement
/// has one time.
#[derive(Clone, Debug)]
struct Rate {
    formula: Expression,
    start: f64,
    /// Length of a cell \[s\].
    cell: f64,
    /// ∫ rate dt from the start to the end of every cell up to the last frame \[s\].
    sums: Vec<f64>,
}

/// The times of a cell's nodes \[s\].
pub(super) fn nodes(start: f64, cell: f64, index: usize) -> [f64; 3] {
    NODES.map(|(share, _)| start + (index as f64 + share) * cell)
}

impl Displacement {
    /// At a speed \[m/s\] for a time \[s\].
    pub fn new(speed: f64, active: Range<f64>) -> Self {
        Self {
            speed,
            active,
            rate: None,
        }
    }

    /// With a rate, a formula of t, in `count` cells \[s\] from the start on, and as many more as
    /// are asked for.
    pub fn with_rate(mut self, formula: Expression, cell: f64, count: usize) -> Self {
        let mut rate = Rate {
            formula,
            start: self.active.start,
            cell,
            sums: vec![0.0],
        };
        for index in 0..count {
            let sum = rate.sum(index + 1);
            rate.sums.push(sum);
        }
        self.rate = Some(rate);
        self
    }

    /// The times at which a rate is asked for in `count` cells from a start on \[s\].
    pub fn times(start: f64, cell: f64, count: usize) -> Vec<f64> {
        (0..count).flat_map(|k| nodes(start, cell, k)).collect()
    }

    /// ℓ at a time \[m\].
    pub fn at(&self, time: f64) -> f64 {
        let elapsed = (time.min(self.active.end) - self.active.start).max(0.0);
        match &self.rate {
            None => self.speed * elapsed,
            Some(rate) => self.speed * rate.integral(elapsed),
        }
    }

    /// Time at which ℓ reached a displacement, after the start \[s\], and the rate then.
    pub fn reached(&self, displacement: f64) -> (f64, f64) {
        match &self.rate {
            None => (displacement / self.speed, 1.0),
            Some(rate) => rate.inverse(displacement / self.speed),
        }
    }

    /// Largest speed between two times \[m/s\], if it is active then.
    pub fn fastest(&self, from: f64, to: f64) -> Option<f64> {
        let is_active = self.active.start < to && from < self.active.end;
        let most = match &self.rate {
            None => 1.0,
            Some(rate) => {
                let cell = |time: f64| ((time - rate.start) / rate.cell).max(0.0) as usize;
                let cells = cell(from)..=cell(to);
                cells.map(|k| rate.mean(k)).fold(0.0, f64::max)
            }
        };
        is_active.then_some(self.speed * most)
    }
}

impl Rate {
    /// Mean rate in a cell.
    fn mean(&self, index: usize) -> f64 {
        let times = nodes(self.start, self.cell, index);
        let values = times.iter().zip(NODES);
        // A rate that is negative or not a number, which is refused up to the last frame, lets
        // nothing out.
        values
            .map(|(time, (_, weight))| weight * self.formula.evaluate(&[*time]).max(0.0))
            .sum()
    }

    /// ∫ rate dt over the first cells \[s\].
    fn sum(&self, count: usize) -> f64 {
        let known = count.min(self.sums.len() - 1);
        let rest = (known..count).map(|k| self.mean(k) * self.cell);
        self.sums[known] + rest.sum::<f64>()
    }

    /// ∫ rate dt over a time since the start \[s\].
    fn integral(&self, elapsed: f64) -> f64 {
        let cells = elapsed / self.cell;
        let index = cells as usize;
        self.sum(index) + (cells - index as f64) * self.cell * self.mean(index)
    }

    /// Time at which the integral reaches a value, and the rate there.
    fn inverse(&self, value: f64) -> (f64, f64) {
        let mut index = self.sums.partition_point(|&sum| sum <= value).max(1) - 1;
        // Beyond the last frame, cell by cell.
        while index + 1 >= self.sums.len() && self.mean(index) > 0.0 && self.sum(index + 1) <= value
        {
            index += 1;
        }
        let mean = self.mean(index);
        let part = if mean > 0.0 {
            (value - self.sum(index)) / mean
        } else {
            0.0
        };
        (index as f64 * self.cell + part, mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn displacement(text: &str) -> Displacement {
        let rate = Expression::parse(text, &["t"]).unwrap();
        Displacement::new(2.0, 0.1..5.0).with_rate(rate, 0.01, 100)
    }

    #[test]
    fn the_way_is_the_integral_of_the_rate() {
        let displacement = displacement("3 * t^2");
        for cells in [0, 1, 7, 100, 130] {
            let t = 0.1 + 0.01 * f64::from(cells);
            let expected = 2.0 * (t.powi(3) - 0.001);
            assert!((displacement.at(t) - expected).abs() < 1e-13, "{t}");
        }
        assert_eq!(displacement.at(0.05), 0.0);
        assert_eq!(displacement.at(6.0), displacement.at(5.0));
        assert!((displacement.fastest(0.2, 0.5).unwrap() / (6.0 * 0.25) - 1.0).abs() < 0.05);
        assert_eq!(displacement.fastest(5.0, 6.0), None);
    }

    #[test]
    fn the_time_of_a_way_is_the_inverse() {
        for text in ["3 * t^2", "1 + sin(9 * t)", "t > 0.5 ? 1 : 0.2"] {
            let displacement = displacement(text);
            for k in 1..120 {
                let time = 0.1 + 0.00937 * f64::from(k);
                let (elapsed, rate) = displacement.reached(displacement.at(time));
                assert!(
                    (elapsed + 0.1 - time).abs() < 1e-12,
                    "{text} {time} {elapsed}"
                );
                assert!(rate >= 0.0);
            }
        }
    }

    #[test]
    fn nothing_leaves_while_the_rate_is_zero() {
        let displacement = displacement("t < 0.3 ? 1 : 0");
        assert_eq!(displacement.at(0.4), displacement.at(0.9));
    }
}
