//! Axis-aligned bounding boxes.

use thixo_math::Vector;

use crate::vector::Vec3;

/// An axis-aligned bounding box \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

/// Largest ratio of the length of all matter to that of its bulk; beyond, stray particles are left
/// out of sight.
const STRAY: f32 = 1.4;
/// Share of the particles that may be stray at either end.
const STRAY_SHARE: f64 = 0.01;

impl Extent {
    /// A box that holds nothing yet.
    pub const EMPTY: Self = Self {
        min: Vector([f32::INFINITY; 3]),
        max: Vector([f32::NEG_INFINITY; 3]),
    };

    /// The box around both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let mut both = self;
        for a in 0..3 {
            both.min[a] = both.min[a].min(other.min[a]);
            both.max[a] = both.max[a].max(other.max[a]);
        }
        both
    }

    /// True if it holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|a| self.min[a] > self.max[a])
    }

    /// The box around particles; few that are far away from all others do not count, nor does what
    /// is not finite.
    pub fn of_bulk(centers: &[Vec3]) -> Self {
        let mut extent = Self::EMPTY;
        for a in 0..3 {
            let finite = centers.iter().map(|x| x[a]).filter(|x| x.is_finite());
            let mut all: Vec<f32> = finite.collect();
            if all.is_empty() {
                return Self::EMPTY;
            }
            let count = all.len();
            let rank = (count as f64 * STRAY_SHARE) as usize;
            let mut ranked = |rank: usize| *all.select_nth_unstable_by(rank, f32::total_cmp).1;
            let (low, high) = (ranked(0), ranked(count - 1));
            let (inner_low, inner_high) = (ranked(rank), ranked(count - 1 - rank));
            let is_stray = high - low > STRAY * (inner_high - inner_low) && rank > 0;
            (extent.min[a], extent.max[a]) = if is_stray && inner_high > inner_low {
                (inner_low, inner_high)
            } else {
                (low, high)
            };
        }
        extent
    }

    /// The point in its middle.
    pub fn middle(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// From corner to corner \[m\].
    pub fn diagonal(&self) -> f32 {
        (self.max - self.min).norm()
    }

    /// Larger by a length on all sides \[m\].
    #[must_use]
    pub fn grown(mut self, by: f32) -> Self {
        for a in 0..3 {
            self.min[a] -= by;
            self.max[a] += by;
        }
        self
    }

    /// Its corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            Vector(std::array::from_fn(|a| {
                if k >> a & 1 == 0 {
                    self.min[a]
                } else {
                    self.max[a]
                }
            }))
        })
    }

    /// Interval of a ray inside the box: from and to, in lengths of its direction.
    pub fn passage(&self, start: Vec3, direction: Vec3) -> Option<(f32, f32)> {
        let (mut enters, mut leaves) = (0.0f32, f32::INFINITY);
        for a in 0..3 {
            let (p, q) = (self.min[a] - start[a], self.max[a] - start[a]);
            if direction[a] == 0.0 {
                if p > 0.0 || q < 0.0 {
                    return None;
                }
                continue;
            }
            let (s, t) = (p / direction[a], q / direction[a]);
            enters = enters.max(s.min(t));
            leaves = leaves.min(s.max(t));
        }
        (enters < leaves).then_some((enters, leaves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_particle_does_not_count() {
        let mut centers: Vec<Vec3> = (0..1000)
            .map(|k| Vector([k as f32 * 1e-3, (k % 7) as f32 * 0.1, 0.0]))
            .collect();
        centers.push(Vector([1e6, f32::NAN, 0.0]));
        let extent = Extent::of_bulk(&centers);
        assert!(extent.max[0] < 1.0 && extent.max[1] < 0.7, "{extent:?}");
        assert!(Extent::of_bulk(&[]).is_empty());
        let lattice: Vec<Vec3> = (0..40_000)
            .map(|k| Vector([(k % 200) as f32, (k / 200) as f32, 0.0]))
            .collect();
        let whole = Extent::of_bulk(&lattice);
        assert_eq!(whole.max, Vector([199.0, 199.0, 0.0]));
        let one = Extent::of_bulk(&[Vector([1.0, 2.0, 3.0])]);
        assert_eq!(one.middle(), Vector([1.0, 2.0, 3.0]));
    }

    #[test]
    fn rays_enter_and_leave() {
        let extent = Extent {
            min: Vector([-1.0; 3]),
            max: Vector([1.0; 3]),
        };
        let along = Vector([1.0, 0.0, 0.0]);
        let passage = extent.passage(Vector([-3.0, 0.0, 0.0]), along);
        assert_eq!(passage, Some((2.0, 4.0)));
        assert_eq!(extent.passage(Vec3::zero(), along), Some((0.0, 1.0)));
        assert_eq!(extent.passage(Vector([-3.0, 2.0, 0.0]), along), None);
    }
}
