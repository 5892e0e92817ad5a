//! A box along the axes.

use thixo_math::Vector;

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// All points between two corners; a rectangle in 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid<const D: usize> {
    center: [f64; D],
    half: [f64; D],
}

impl<const D: usize> Cuboid<D> {
    /// Between the lowest and the highest corner \[m\].
    pub fn new(min: [f64; D], max: [f64; D]) -> Result<Self, BuildError> {
        finite("min", "corner of the box [m]", min)?;
        finite("max", "corner of the box [m]", max)?;
        let mut center = [0.0; D];
        let mut half = [0.0; D];
        for a in 0..D {
            center[a] = 0.5 * (min[a] + max[a]);
            half[a] = 0.5 * positive("max", "edge of the box [m]", max[a] - min[a])?;
        }
        Ok(Self { center, half })
    }
}

impl<const D: usize> LevelSet<D> for Cuboid<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let mut beyond = Vector::<f64, D>::zero();
        let mut deepest = (f64::NEG_INFINITY, 0);
        let from_center = Vector(position) - Vector(self.center);
        for a in 0..D {
            let depth = from_center[a].abs() - self.half[a];
            beyond[a] = depth.max(0.0).copysign(from_center[a]);
            if depth > deepest.0 {
                deepest = (depth, a);
            }
        }
        let outside = beyond.norm();
        if outside > 0.0 {
            return Surface {
                distance: outside,
                normal: (beyond * (1.0 / outside)).0,
            };
        }
        let mut normal = [0.0; D];
        normal[deepest.1] = 1f64.copysign(from_center[deepest.1]);
        Surface {
            distance: deepest.0,
            normal,
        }
    }
    fn thickness(&self) -> f64 {
        2.0 * self.half.into_iter().fold(f64::INFINITY, f64::min)
    }
    fn clearance(&self) -> f64 {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::conformance;

    #[test]
    fn a_box_and_a_rectangle_are_level_sets() {
        conformance::check(
            &Cuboid::new([-0.5, -0.2, 0.0], [0.5, 0.9, 0.3]).unwrap(),
            2.0,
        );
        conformance::check(&Cuboid::new([-0.5, -0.2], [0.5, 0.9]).unwrap(), 2.0);
        assert!(Cuboid::new([0.0; 2], [1.0, 0.0]).is_err());
    }

    #[test]
    fn distances_are_those_of_the_nearest_face_edge_and_corner() {
        let cube = Cuboid::new([-1.0; 3], [1.0; 3]).unwrap();
        let distance = |x| cube.surface(x, 0.0).distance;
        assert_eq!(distance([3.0, 0.0, 0.0]), 2.0);
        assert_eq!(distance([4.0, 5.0, 0.0]), 5.0);
        assert!((distance([2.0, 2.0, 2.0]) - 3f64.sqrt()).abs() < 1e-15);
        assert_eq!(distance([0.0, 0.75, 0.0]), -0.25);
    }
}
