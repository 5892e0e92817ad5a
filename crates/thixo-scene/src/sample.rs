//! Filling shapes with particles.

use std::sync::Arc;

use thixo::BuildError;

use crate::error::Problem;
use crate::object::Sampling;
use crate::shape::{Bounds, Region};

/// The most particles of one scene.
pub(crate) const MOST_PARTICLES: f64 = 1e8;
/// The most particles per cell and axis.
const MOST_PER_AXIS: u32 = 16;

/// The points (i + ½) d inside a region, where d divides the grid spacing.
#[derive(Clone, Debug)]
pub(crate) struct Lattice<const D: usize> {
    region: Arc<dyn Region<D>>,
    distance: f64,
    first: [i64; D],
    size: [i64; D],
}

impl<const D: usize> Lattice<D> {
    /// For `per_axis` points per cell along each axis. `reach` is how far from the origin the grid goes \[m\].
    pub fn new(
        key: &str,
        region: Arc<dyn Region<D>>,
        spacing: f64,
        per_axis: u32,
        reach: f64,
    ) -> Result<Self, Problem> {
        let Some(Bounds { min, max }) = region.bounds() else {
            return Err(Problem::OutOfRange {
                key: format!("{key}.shape"),
                value: "without end".to_owned(),
                range: "a shape with an end: intersect it with a box".to_owned(),
            });
        };
        if min.iter().chain(&max).any(|x| x.abs() >= reach) {
            let position = if max.iter().any(|x| x.abs() >= reach) {
                max
            } else {
                min
            };
            let cause = BuildError::TooFar {
                index: 0,
                position: position.to_vec(),
                reach,
            };
            let key = format!("{key}.shape");
            return Err(Problem::Refused { key, cause });
        }
        let distance = spacing / f64::from(per_axis);
        let index = |x: f64| (x / distance - 0.5).ceil() as i64;
        let first = min.map(index);
        let size = std::array::from_fn(|a| (index(max[a]) - first[a]).max(0));
        let lattice = Self {
            region,
            distance,
            first,
            size,
        };
        let count: f64 = size.iter().map(|&n| n as f64).product();
        if count > MOST_PARTICLES {
            return Err(Problem::OutOfRange {
                key: format!("{key}.shape"),
                value: format!("a region of {count:.3e} particles"),
                range: format!("at most {MOST_PARTICLES:e} particles; use a larger grid spacing"),
            });
        }
        Ok(lattice)
    }

    /// Distance of neighbouring points \[m\].
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// At most how many points there are.
    pub fn bound(&self) -> f64 {
        self.size.iter().map(|&n| n as f64).product()
    }

    /// The points, the last axis fastest.
    pub fn points(&self) -> impl Iterator<Item = [f64; D]> + use<'_, D> {
        let Self {
            region,
            distance,
            first,
            size,
        } = self;
        let count: i64 = size.iter().product();
        (0..count).filter_map(move |number| {
            let mut rest = number;
            let mut x = [0.0; D];
            for a in (0..D).rev() {
                x[a] = ((first[a] + rest % size[a]) as f64 + 0.5) * distance;
                rest /= size[a];
            }
            (region.surface(x, 0.0).distance <= 0.0).then_some(x)
        })
    }
}

impl Sampling {
    /// Particles per cell and axis.
    pub(crate) fn per_axis(self, key: &str, dimension: u32) -> Result<u32, Problem> {
        let Self::Grid { per_cell } = self;
        let allowed = (1..=MOST_PER_AXIS).map(|n| (n, n.pow(dimension)));
        let nearest = allowed.min_by_key(|(_, count)| count.abs_diff(per_cell));
        match nearest {
            Some((n, count)) if count == per_cell => Ok(n),
            nearest => {
                let nearest = nearest.map_or(1, |(_, count)| count);
                let power = if dimension == 2 { "square" } else { "cube" };
                Err(Problem::OutOfRange {
                    key: format!("{key}.sampling.grid.per_cell"),
                    value: per_cell.to_string(),
                    range: format!(
                        "the {power} of a number from 1 to {MOST_PER_AXIS} in dimension {dimension}; the nearest is {nearest}"
                    ),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    fn region<const D: usize>(shape: &str) -> Arc<dyn Region<D>> {
        #[derive(serde::Deserialize)]
        struct Table {
            shape: crate::Shape,
        }
        let shape = toml::from_str::<Table>(&format!("shape = {shape}"))
            .unwrap()
            .shape;
        Scene::parse(crate::gallery::SCENES[0].text, "any")
            .unwrap()
            .region("shape", &shape)
            .unwrap()
    }

    fn count<const D: usize>(region: Arc<dyn Region<D>>, spacing: f64, per_axis: u32) -> usize {
        let lattice = Lattice::new("o", region, spacing, per_axis, 1e6).unwrap();
        lattice.points().count()
    }

    #[test]
    fn a_box_of_whole_cells_has_exactly_its_share_of_particles() {
        let cube = "{ box = { min = [0.1, 0.0, -0.3], max = [0.4, 0.2, 0.3] } }";
        assert_eq!(count(region::<3>(cube), 0.1, 2), 3 * 2 * 6 * 8);
        let square = "{ box = { min = [-0.05, 0.0], max = [0.05, 0.15] } }";
        assert_eq!(count(region::<2>(square), 0.05, 3), 2 * 3 * 9);
    }

    #[test]
    fn balls_have_about_their_volume_in_particles() {
        let ball = region::<3>("{ sphere = { center = [0, 0, 0], radius = 0.5 } }");
        let expected = ball.volume().unwrap() / 0.05f64.powi(3) * 8.0;
        let found = count(ball, 0.05, 2) as f64;
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }

    #[test]
    fn particles_per_cell_must_fill_a_cell_evenly() {
        let sampling = |per_cell| Sampling::Grid { per_cell };
        assert_eq!(sampling(8).per_axis("o", 3), Ok(2));
        assert_eq!(sampling(9).per_axis("o", 2), Ok(3));
        assert!(sampling(0).per_axis("o", 3).is_err());
        assert!(sampling(u32::MAX).per_axis("o", 2).is_err());
        let message = sampling(10).per_axis("o", 3).unwrap_err().to_string();
        assert_eq!(
            message,
            "o.sampling.grid.per_cell is 10; it must be the cube of a number from 1 to 16 in dimension 3; the nearest is 8"
        );
    }
}
