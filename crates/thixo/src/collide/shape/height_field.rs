//! Ground given by its height over a lattice.

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// Solid below a surface of heights along the second axis, interpolated linearly between lattice
/// points (bilinearly in 3D) and continued at constant height beyond the lattice. Depths are
/// vertical ones times the cosine of the steepest slope, less than the true depth where the ground
/// is less steep.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    origin: [f64; 2],
    spacing: f64,
    counts: [usize; 2],
    heights: Vec<f64>,
    /// 1/√(1 + s²) for the steepest slope s: converts heights above the ground to distances of
    /// slope at most 1.
    scale: f64,
}

impl HeightField {
    /// Heights \[m\] at `origin + spacing (i, k)` along the first and third axis, `i` slowest; in
    /// 2D there is one `k`. At least two heights.
    pub fn new(
        origin: [f64; 2],
        spacing: f64,
        counts: [usize; 2],
        heights: Vec<f64>,
    ) -> Result<Self, BuildError> {
        finite("origin", "origin of the height field [m]", origin)?;
        positive("spacing", "spacing of the height field [m]", spacing)?;
        let expected = counts[0] * counts[1];
        if counts[0] < 2 || counts[1] == 0 || heights.len() != expected {
            return Err(BuildError::OutOfRange {
                key: "heights",
                quantity: "number of heights",
                value: heights.len() as f64,
                range: "the product of the counts, at least 2 along the first axis",
            });
        }
        if let Some(&value) = heights.iter().find(|h| !h.is_finite()) {
            return Err(BuildError::OutOfRange {
                key: "heights",
                quantity: "height [m]",
                value,
                range: "finite",
            });
        }
        let mut field = Self {
            origin,
            spacing,
            counts,
            heights,
            scale: 1.0,
        };
        field.scale = 1.0 / (1.0 + field.steepest().powi(2)).sqrt();
        Ok(field)
    }
    fn height(&self, i: usize, k: usize) -> f64 {
        let [n, m] = self.counts;
        self.heights[i.min(n - 1) * m + k.min(m - 1)]
    }
    /// An upper bound of the slope of the surface.
    fn steepest(&self) -> f64 {
        let mut along = [0.0f64; 2];
        for i in 0..self.counts[0] {
            for k in 0..self.counts[1] {
                let here = self.height(i, k);
                along[0] = along[0].max((self.height(i + 1, k) - here).abs());
                along[1] = along[1].max((self.height(i, k + 1) - here).abs());
            }
        }
        along[0].hypot(along[1]) / self.spacing
    }
    /// Lower bound of the thickness \[m\]: gentle ground is a half-space; a steep ridge or gully
    /// between neighbouring lattice points is on average one spacing wide.
    fn narrowest(&self) -> f64 {
        if self.steepest() <= 1.0 {
            f64::INFINITY
        } else {
            self.spacing
        }
    }
    /// Height of the ground \[m\] and its slopes along the first and third axis \[–\].
    fn ground(&self, place: [f64; 2]) -> (f64, [f64; 2]) {
        let mut cell = [0; 2];
        let mut part = [0.0; 2];
        let mut free = [1.0; 2];
        for a in 0..2 {
            let last = (self.counts[a] - 1) as f64;
            let at = (place[a] - self.origin[a]) / self.spacing;
            let held = at.clamp(0.0, last);
            free[a] = if at == held { 1.0 } else { 0.0 };
            cell[a] = (held as usize).min(self.counts[a].saturating_sub(2));
            part[a] = held - cell[a] as f64;
        }
        let [i, k] = cell;
        let corners = [
            [self.height(i, k), self.height(i, k + 1)],
            [self.height(i + 1, k), self.height(i + 1, k + 1)],
        ];
        let [s, t] = part;
        let near = corners[0][0] * (1.0 - t) + corners[0][1] * t;
        let far = corners[1][0] * (1.0 - t) + corners[1][1] * t;
        let across =
            (corners[0][1] - corners[0][0]) * (1.0 - s) + (corners[1][1] - corners[1][0]) * s;
        let slopes = [
            free[0] * (far - near) / self.spacing,
            free[1] * across / self.spacing,
        ];
        (near * (1.0 - s) + far * s, slopes)
    }
}

impl<const D: usize> LevelSet<D> for HeightField {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let depth = if D == 3 {
            position[D - 1]
        } else {
            self.origin[1]
        };
        let (height, slopes) = self.ground([position[0], depth]);
        let mut normal = [0.0; D];
        normal[0] = -slopes[0];
        if D == 3 {
            normal[D - 1] = -slopes[1];
        }
        normal[1] = 1.0;
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        Surface {
            distance: (position[1] - height) * self.scale,
            normal: normal.map(|n| n / length),
        }
    }
    fn thickness(&self) -> f64 {
        self.narrowest()
    }
    fn clearance(&self) -> f64 {
        self.narrowest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_a_plane() {
        let field = HeightField::new([0.0, 0.0], 1.0, [3, 1], vec![0.0, 0.5, 1.0]).unwrap();
        let on: Surface<2> = field.surface([1.3, 0.65], 0.0);
        assert!(on.distance.abs() < 1e-15);
        let slope = 0.5f64;
        let expected = 1.0 / (1.0 + slope * slope).sqrt();
        assert!((on.normal[1] - expected).abs() < 1e-15 && on.normal[0] < 0.0);
        let above: Surface<2> = field.surface([1.0, 1.5], 0.0);
        assert!(
            (above.distance - expected).abs() < 1e-15,
            "the distance to an infinite slope"
        );
    }

    #[test]
    fn distances_never_have_a_slope_above_one() {
        let heights: Vec<f64> = (0..25).map(|k| (f64::from(k) * 1.7).sin()).collect();
        let field = HeightField::new([-1.0, -1.0], 0.5, [5, 5], heights).unwrap();
        let at = |k: i32| [0.37, 0.61, 0.23].map(|s| 1.5 * (f64::from(k) * s).sin());
        for k in 0..2000 {
            let (x, y) = (at(k), at(k + 1));
            let a: Surface<3> = field.surface(x, 0.0);
            let b: Surface<3> = field.surface(y, 0.0);
            let apart = x
                .iter()
                .zip(y)
                .map(|(x, y)| (x - y).powi(2))
                .sum::<f64>()
                .sqrt();
            assert!((a.distance - b.distance).abs() <= apart * (1.0 + 1e-12));
        }
    }

    #[test]
    fn impossible_fields_are_refused() {
        assert!(HeightField::new([0.0; 2], 1.0, [1, 1], vec![0.0]).is_err());
        assert!(HeightField::new([0.0; 2], 0.0, [2, 1], vec![0.0; 2]).is_err());
        assert!(HeightField::new([0.0; 2], 1.0, [2, 1], vec![0.0, f64::NAN]).is_err());
        assert!(HeightField::new([0.0; 2], 1.0, [2, 2], vec![0.0; 3]).is_err());
    }
}
