//! A ball; a disc in 2D.

use thixo_math::Vector;

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// All points within a radius of a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere<const D: usize> {
    center: [f64; D],
    radius: f64,
}

impl<const D: usize> Sphere<D> {
    /// Around a centre \[m\] with a radius > 0 \[m\].
    pub fn new(center: [f64; D], radius: f64) -> Result<Self, BuildError> {
        Ok(Self {
            center: finite("center", "center of the sphere [m]", center)?,
            radius: positive("radius", "radius of the sphere [m]", radius)?,
        })
    }
}

impl<const D: usize> LevelSet<D> for Sphere<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let from_center = Vector(position) - Vector(self.center);
        let length = from_center.norm();
        let mut normal = [0.0; D];
        if length > 0.0 {
            normal = (from_center * (1.0 / length)).0;
        } else {
            // At the centre every direction is a normal.
            normal[0] = 1.0;
        }
        Surface {
            distance: length - self.radius,
            normal,
        }
    }
    fn thickness(&self) -> f64 {
        2.0 * self.radius
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
    fn a_ball_and_a_disc_are_level_sets() {
        conformance::check(&Sphere::new([0.1, 0.2, 0.3], 0.7).unwrap(), 2.0);
        conformance::check(&Sphere::new([0.1, 0.2], 0.7).unwrap(), 2.0);
        assert!(Sphere::new([0.0; 2], -1.0).is_err());
    }
}
