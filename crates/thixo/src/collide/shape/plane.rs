//! A half-space.

use thixo_math::Vector;

use super::{Surface, finite, positive};
use crate::collide::LevelSet;
use crate::error::BuildError;

/// The half-space behind a plane (a line in 2D).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<const D: usize> {
    point: [f64; D],
    normal: [f64; D],
}

impl<const D: usize> Plane<D> {
    /// Through a point \[m\], solid on the side the normal points away from. The normal need not have length 1.
    pub fn new(point: [f64; D], normal: [f64; D]) -> Result<Self, BuildError> {
        let length = positive("length of the plane's normal", Vector(normal).norm())?;
        Ok(Self {
            point: finite("point of the plane [m]", point)?,
            normal: normal.map(|n| n / length),
        })
    }
}

impl<const D: usize> LevelSet<D> for Plane<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        Surface {
            distance: (Vector(position) - Vector(self.point)).dot(Vector(self.normal)),
            normal: self.normal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::conformance;

    #[test]
    fn a_plane_is_a_level_set() {
        conformance::check(&Plane::new([0.1, 0.2, 0.3], [1.0, 2.0, -2.0]).unwrap(), 2.0);
        assert!(Plane::new([0.0; 2], [0.0; 2]).is_err());
        assert!(Plane::new([f64::NAN, 0.0], [0.0, 1.0]).is_err());
    }
}
