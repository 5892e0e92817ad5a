//! An ellipsoid along the axes; an ellipse in 2D.

use thixo_math::Vector;

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// Most steps of Newton's method; it took at most 15 for 20 000 random ellipsoids and points, with
/// radii up to 3000 times apart.
const MOST_ITERATIONS: usize = 100;

/// All points with Σ (xₐ − cₐ)² / eₐ² ≤ 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid<const D: usize> {
    center: [f64; D],
    radii: [f64; D],
}

impl<const D: usize> Ellipsoid<D> {
    /// Around a centre \[m\] with a radius > 0 along every axis \[m\]; the longest may be at most a
    /// million times the shortest.
    pub fn new(center: [f64; D], radii: [f64; D]) -> Result<Self, BuildError> {
        for radius in radii {
            positive("radii", "radius of the ellipsoid [m]", radius)?;
        }
        let longest = radii.into_iter().fold(0.0, f64::max);
        let shortest = radii.into_iter().fold(f64::INFINITY, f64::min);
        if longest > 1e6 * shortest {
            return Err(BuildError::OutOfRange {
                key: "radii",
                quantity: "radius of the ellipsoid [m]",
                value: longest,
                range: "at most a million times the shortest",
            });
        }
        Ok(Self {
            center: finite("center", "center of the ellipsoid [m]", center)?,
            radii,
        })
    }

    /// The nearest point of the surface to a point in the first orthant, both relative to the
    /// centre.
    ///
    /// It is yₐ = eₐ² xₐ / (s + eₐ² − 1) for the largest root s of Σ (eₐ xₐ / (s + eₐ² − 1))² = 1,
    /// all lengths in units of the shortest radius; no root below zero counts. The sum falls with s
    /// and is convex, so Newton's method from below approaches the root from below.
    fn nearest(&self, place: Vector<f64, D>) -> Vector<f64, D> {
        let shortest = self.radii.into_iter().fold(f64::INFINITY, f64::min);
        let e = self.radii.map(|radius| radius / shortest);
        let x = place * (1.0 / shortest);
        let below = |a: usize, s: f64| s + (e[a] * e[a] - 1.0);
        // A single term is at least 1 here.
        let starts = (0..D).map(|a| e[a] * x[a] - (e[a] * e[a] - 1.0));
        let mut s = starts.fold(0.0, f64::max);
        for _ in 0..MOST_ITERATIONS {
            let (mut sum, mut slope) = (0.0, 0.0);
            for a in (0..D).filter(|&a| x[a] > 0.0) {
                let term = (e[a] * x[a] / below(a, s)).powi(2);
                sum += term;
                slope += 2.0 * term / below(a, s);
            }
            let next = s + (sum - 1.0) / slope;
            // At the root, or not a number.
            if !(sum > 1.0 && next > s) {
                break;
            }
            s = next;
        }
        let mut y = Vector::<f64, D>::zero();
        for a in 0..D {
            let below = below(a, s);
            y[a] = if x[a] > 0.0 && below > 0.0 {
                e[a] * e[a] * x[a] / below
            } else {
                0.0
            };
        }
        // Without a root above zero x is on the plane normal to a shortest axis, and y leaves that
        // plane.
        let covered: f64 = (0..D).map(|a| (y[a] / e[a]).powi(2)).sum();
        if s <= 0.0
            && covered < 1.0
            && let Some(a) = (0..D).find(|&a| e[a] == 1.0 && x[a] <= 0.0)
        {
            y[a] = (1.0 - covered).sqrt();
        }
        y * shortest
    }
}

impl<const D: usize> LevelSet<D> for Ellipsoid<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let from_center = Vector(position) - Vector(self.center);
        let place = Vector(from_center.0.map(f64::abs));
        let nearest = self.nearest(place);
        let level: f64 = (0..D).map(|a| (place[a] / self.radii[a]).powi(2)).sum();
        let sign = if level < 1.0 { -1.0 } else { 1.0 };
        // The gradient of the level function is the normal, also on the surface and at the centre.
        let shortest = self.radii.into_iter().fold(f64::INFINITY, f64::min);
        let mut normal = Vector::<f64, D>::zero();
        for a in 0..D {
            let relative = self.radii[a] / shortest;
            normal[a] = (nearest[a] / shortest / (relative * relative)).copysign(from_center[a]);
        }
        Surface {
            distance: sign * (place - nearest).norm(),
            normal: (normal * (1.0 / normal.norm())).0,
        }
    }
    fn thickness(&self) -> f64 {
        2.0 * self.radii.into_iter().fold(f64::INFINITY, f64::min)
    }
    fn clearance(&self) -> f64 {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::{Sphere, conformance};

    #[test]
    fn ellipsoids_and_ellipses_are_level_sets() {
        conformance::check(
            &Ellipsoid::new([0.1, 0.2, 0.3], [0.4, 0.9, 0.6]).unwrap(),
            2.0,
        );
        conformance::check(&Ellipsoid::new([0.1, 0.2], [1.1, 0.4]).unwrap(), 2.0);
        assert!(Ellipsoid::new([0.0; 2], [1.0, 0.0]).is_err());
        assert!(Ellipsoid::new([0.0; 2], [1.0, 1e7]).is_err());
        assert!(Ellipsoid::new([f64::NAN, 0.0], [1.0, 1.0]).is_err());
    }

    #[test]
    fn equal_radii_are_a_ball() {
        let round = Ellipsoid::new([0.1, -0.2, 0.3], [0.7; 3]).unwrap();
        let ball = Sphere::new([0.1, -0.2, 0.3], 0.7).unwrap();
        for x in [[0.5, 0.1, 0.2], [2.0, -1.0, 0.3], [0.1, -0.2, 0.9]] {
            let (a, b) = (round.surface(x, 0.0), ball.surface(x, 0.0));
            assert!((a.distance - b.distance).abs() < 1e-12);
            assert!((Vector(a.normal) - Vector(b.normal)).norm() < 1e-12);
        }
    }

    #[test]
    fn distances_along_the_axes_are_known() {
        let egg = Ellipsoid::new([0.0; 3], [1.0, 2.0, 3.0]).unwrap();
        let distance = |x| egg.surface(x, 0.0).distance;
        assert!((distance([4.0, 0.0, 0.0]) - 3.0).abs() < 1e-12);
        assert!((distance([0.0, 0.0, -5.0]) - 2.0).abs() < 1e-12);
        // From the centre, and near it on the longest axis, the nearest points are across the
        // shortest.
        assert!((distance([0.0, 0.0, 0.0]) + 1.0).abs() < 1e-12);
        let t = 0.1f64;
        // Of all points of the section (sin u, 3 cos u) the nearest to (0, t): cos u = 3 t / 8.
        let cosine = 3.0 * t / 8.0;
        let expected = ((1.0 - cosine * cosine) + (3.0 * cosine - t).powi(2)).sqrt();
        assert!((distance([0.0, 0.0, t]) + expected).abs() < 1e-12);
    }
}
