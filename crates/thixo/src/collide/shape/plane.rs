//! A half-space.

use thixo_math::Vector;

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// The half-space behind a plane (a line in 2D).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<const D: usize> {
    point: [f64; D],
    normal: [f64; D],
}

impl<const D: usize> Plane<D> {
    /// Through a point \[m\], solid on the side opposite to the normal. The normal need not have
    /// length 1.
    pub fn new(point: [f64; D], normal: [f64; D]) -> Result<Self, BuildError> {
        positive("normal", "length of the plane's normal", largest(normal))?;
        // Scaled first, so that squares neither vanish nor overflow.
        let scaled = Vector(normal.map(|n| n / largest(normal)));
        Ok(Self {
            point: finite("point", "point of the plane [m]", point)?,
            normal: scaled.0.map(|n| n / scaled.norm()),
        })
    }
}

/// The largest component by magnitude; NaN where there is one.
fn largest<const D: usize>(vector: [f64; D]) -> f64 {
    vector.into_iter().fold(0.0, |m: f64, n| {
        if m.is_nan() || n.is_nan() {
            f64::NAN
        } else {
            m.max(n.abs())
        }
    })
}

impl<const D: usize> LevelSet<D> for Plane<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        Surface {
            distance: (Vector(position) - Vector(self.point)).dot(Vector(self.normal)),
            normal: self.normal,
        }
    }
    fn thickness(&self) -> f64 {
        f64::INFINITY
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
    fn a_plane_is_a_level_set() {
        conformance::check(&Plane::new([0.1, 0.2, 0.3], [1.0, 2.0, -2.0]).unwrap(), 2.0);
        assert!(Plane::new([0.0; 2], [0.0; 2]).is_err());
        assert!(Plane::new([f64::NAN, 0.0], [0.0, 1.0]).is_err());
    }
}
