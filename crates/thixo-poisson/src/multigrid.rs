//! A V-cycle of multigrid, as an approximate inverse of the system.
//!
//! Down: relax red and black cells, send the residual to the coarser level. Up: add its correction,
//! relax black and red cells. The coarsest level has no face that conducts and is solved exactly.
//! The way up is the adjoint of the way down, so that the cycle is a symmetric operator; and it is
//! positive definite whatever the factor of coarse conductances is, which a W-cycle is not: a
//! factor too small throws corrections to the other side of the solution, and applied twice they
//! change its sign.

use crate::aggregation::{Aggregation, aggregate, coarse_coefficients};
use crate::coefficients::Coefficients;
use crate::level::{Level, finest};
use crate::rows::Layout;
use crate::smoother::{relax, relax_from_zero};
use crate::transfer::{prolong, restrict};

/// Colours in the order of the way down.
const RED: usize = 0;
const BLACK: usize = 1;

/// Sweeps on the finest level, on the way down and on the way up.
const SWEEPS: usize = 2;

/// Most sweeps on a coarser level.
const MOST_SWEEPS: usize = 8;

/// Levels of a system.
pub(crate) struct Multigrid<const D: usize> {
    /// From fine to coarse, at least one.
    pub levels: Vec<Level<D>>,
    /// Between each level and the next one.
    aggregations: Vec<Aggregation>,
}

impl<const D: usize> Multigrid<D> {
    /// The levels of a system whose conductances are divided by `scale`.
    pub fn new(
        layout: &Layout<D>,
        coefficients: &Coefficients<f64, D>,
        scale: f64,
        most_levels: usize,
    ) -> Self {
        let mut layout = layout.clone();
        let mut coefficients = finest(&layout, coefficients, scale);
        let mut multigrid = Self {
            levels: Vec::new(),
            aggregations: Vec::new(),
        };
        while multigrid.levels.len() + 1 < most_levels && coefficients.conducts() {
            let (coarse, aggregation) = aggregate(&layout, &coefficients.upper);
            let sums = coarse_coefficients(&layout, &coefficients, &coarse, &aggregation);
            multigrid.levels.push(Level::new(layout, coefficients));
            multigrid.aggregations.push(aggregation);
            (layout, coefficients) = (coarse, sums);
        }
        multigrid.levels.push(Level::new(layout, coefficients));
        multigrid
    }

    /// Replaces x of the finest level by an approximate solution for its b.
    pub fn cycle(&mut self) {
        let last = self.levels.len() - 1;
        for l in 0..last {
            let (fine, coarse) = self.levels.split_at_mut(l + 1);
            let fine = &mut fine[l];
            relax_from_zero(fine, RED);
            relax(fine, BLACK);
            for _ in 1..sweeps(l) {
                relax(fine, RED);
                relax(fine, BLACK);
            }
            restrict(fine, &self.aggregations[l], &mut coarse[0]);
        }
        relax_from_zero(&mut self.levels[last], RED);
        relax_from_zero(&mut self.levels[last], BLACK);
        for l in (0..last).rev() {
            let (fine, coarse) = self.levels.split_at_mut(l + 1);
            let fine = &mut fine[l];
            prolong(fine, &self.aggregations[l], &coarse[0]);
            for _ in 0..sweeps(l) {
                relax(fine, BLACK);
                relax(fine, RED);
            }
        }
    }
}

/// Sweeps on the way down, and as many on the way up: twice as many on each coarser level, where
/// they cost a quarter or an eighth \[Bramble1987\].
fn sweeps(level: usize) -> usize {
    MOST_SWEEPS.min(SWEEPS << level.min(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Places;
    use crate::system::CellSystem;

    /// A number in 0 .. 1 for each seed.
    fn noise(seed: u64) -> f64 {
        let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A periodic box with holes, closed faces and conductances over three decades.
    fn porous<const D: usize>(sides: [i32; D]) -> CellSystem<D> {
        let seed = |cell: [i32; D]| cell.iter().fold(1, |h, &i| h * 641 + i as u64);
        let inside = |cell: [i32; D]| noise(seed(cell)) < 0.8;
        let mut system = CellSystem::<D>::new();
        system.periods = sides.map(|n| Some(n as u32));
        for index in 0..sides.iter().product::<i32>() {
            let mut rest = index;
            let cell = sides.map(|n| {
                let i = rest % n;
                rest /= n;
                i
            });
            if !inside(cell) {
                continue;
            }
            let h = 7 * seed(cell);
            system.cells.push(cell);
            system.upper.push(std::array::from_fn(|a| {
                let mut next = cell;
                next[a] = (next[a] + 1) % sides[a];
                let k = 10_f64.powf(-3.0 * noise(h + a as u64));
                if inside(next) && noise(h + 4) < 0.9 {
                    k
                } else {
                    0.0
                }
            }));
            system.diagonal.push(if noise(h + 5) < 0.05 {
                20.0 * noise(h + 6)
            } else {
                0.0
            });
        }
        system
    }

    fn is_symmetric_and_positive<const D: usize>(system: &CellSystem<D>) {
        let places = Places::new(system).unwrap();
        let coefficients = Coefficients::new(system, &places).unwrap();
        let mut multigrid = Multigrid::new(&places.layout, &coefficients, 1.0, 40);
        let n = system.len();
        let mut apply = |v: &[f64]| {
            let single: Vec<f32> = v.iter().map(|&v| v as f32).collect();
            multigrid.levels[0].b = places.collect(&single);
            multigrid.cycle();
            let mut z = vec![0.0; n];
            places.distribute(system, &multigrid.levels[0].x, &mut z);
            z.iter().map(|&z| f64::from(z)).collect::<Vec<f64>>()
        };
        let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
        for seed in 0..5 {
            let vector = |s: u64| (0..n as u64).map(|c| noise(99 * (c + s)) - 0.5).collect();
            let (u, v): (Vec<f64>, Vec<f64>) = (vector(1 + seed), vector(1000 + seed));
            let (m_u, m_v) = (apply(&u), apply(&v));
            let (uu, vv) = (dot(&u, &m_u), dot(&v, &m_v));
            assert!(uu > 0.0 && vv > 0.0, "{uu} {vv}");
            let (uv, vu) = (dot(&m_u, &v), dot(&u, &m_v));
            assert!(
                (uv - vu).abs() < 1e-5 * (uu * vv).sqrt(),
                "{uv} {vu} of {uu} {vv}"
            );
        }
    }

    #[test]
    fn a_cycle_is_symmetric_and_positive() {
        is_symmetric_and_positive(&porous([40, 20]));
        is_symmetric_and_positive(&porous([12, 10, 16]));
        is_symmetric_and_positive(&porous([6, 8, 14]));
    }
}
