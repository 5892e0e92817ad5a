//! Solids of revolution: a profile in the half-plane of distance from an axis and height along it.
//!
//! In 2D "revolution" means reflection at the axis: a cylinder is a rectangle, a cone a triangle, a
//! torus two discs.

use thixo_math::Vector;

use super::{Surface, finite};
use crate::collide::LevelSet;
use crate::error::{BuildError, positive};

/// A point of the half-plane: distance from the axis, height.
type Flat = Vector<f64, 2>;

/// Position and direction of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis<const D: usize> {
    origin: [f64; D],
    direction: [f64; D],
}

impl<const D: usize> Axis<D> {
    /// The axis from one point to another \[m\], and their distance \[m\]. Refusals carry the keys
    /// of the two points.
    fn between(
        start: [f64; D],
        end: [f64; D],
        [start_key, end_key]: [&'static str; 2],
    ) -> Result<(Self, f64), BuildError> {
        finite(start_key, "end of the axis [m]", start)?;
        finite(end_key, "end of the axis [m]", end)?;
        let along = Vector(end) - Vector(start);
        let length = positive(end_key, "length of the axis [m]", along.norm())?;
        let axis = Self {
            origin: start,
            direction: (along * (1.0 / length)).0,
        };
        Ok((axis, length))
    }
    /// The distance and normal of a profile, transformed back into space.
    fn surface(&self, position: [f64; D], profile: impl Fn(Flat) -> (f64, Flat)) -> Surface<D> {
        let from_origin = Vector(position) - Vector(self.origin);
        let direction = Vector(self.direction);
        let height = from_origin.dot(direction);
        let across = from_origin - direction * height;
        let radius = across.norm();
        let outward = if radius > 0.0 {
            across * (1.0 / radius)
        } else {
            self.any_perpendicular()
        };
        let (distance, slope) = profile(Vector([radius, height]));
        Surface {
            distance,
            normal: (outward * slope[0] + direction * slope[1]).0,
        }
    }
    /// A unit vector normal to the axis, for points on it.
    fn any_perpendicular(&self) -> Vector<f64, D> {
        let direction = Vector(self.direction);
        let smallest = (0..D).min_by(|&a, &b| direction[a].abs().total_cmp(&direction[b].abs()));
        let mut unit = Vector::<f64, D>::zero();
        unit[smallest.unwrap_or(0)] = 1.0;
        let across = unit - direction * direction.dot(unit);
        across * (1.0 / across.norm())
    }
}

/// Signed distance and normal from the nearest point of the profile's outline, given whether the
/// point is inside.
fn from_outline(place: Flat, nearest: Flat, inside: bool, fallback: Flat) -> (f64, Flat) {
    let away = place - nearest;
    let length = away.norm();
    let sign = if inside { -1.0 } else { 1.0 };
    // On the outline itself the normal is that of the outline.
    let normal = if length > 0.0 {
        away * (sign / length)
    } else {
        fallback
    };
    (sign * length, normal)
}

/// All points within a radius of a line segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule<const D: usize> {
    axis: Axis<D>,
    length: f64,
    radius: f64,
}

impl<const D: usize> Capsule<D> {
    /// Around the line segment from `start` to `end` \[m\] with a radius > 0 \[m\].
    pub fn new(start: [f64; D], end: [f64; D], radius: f64) -> Result<Self, BuildError> {
        let (axis, length) = Axis::between(start, end, ["start", "end"])?;
        let radius = positive("radius", "radius of the capsule [m]", radius)?;
        Ok(Self {
            axis,
            length,
            radius,
        })
    }
}

impl<const D: usize> LevelSet<D> for Capsule<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        self.axis.surface(position, |place| {
            let nearest = Vector([0.0, place[1].clamp(0.0, self.length)]);
            let (distance, normal) = from_outline(place, nearest, false, Vector([1.0, 0.0]));
            (distance - self.radius, normal)
        })
    }
    fn thickness(&self) -> f64 {
        2.0 * self.radius
    }
    fn clearance(&self) -> f64 {
        f64::INFINITY
    }
}

/// A cylinder with flat ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder<const D: usize> {
    axis: Axis<D>,
    length: f64,
    radius: f64,
}

impl<const D: usize> Cylinder<D> {
    /// From the centre of one end to that of the other \[m\], with a radius > 0 \[m\].
    pub fn new(start: [f64; D], end: [f64; D], radius: f64) -> Result<Self, BuildError> {
        let (axis, length) = Axis::between(start, end, ["start", "end"])?;
        let radius = positive("radius", "radius of the cylinder [m]", radius)?;
        Ok(Self {
            axis,
            length,
            radius,
        })
    }
}

impl<const D: usize> LevelSet<D> for Cylinder<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let half = 0.5 * self.length;
        self.axis.surface(position, |place| {
            let beyond = Vector([place[0] - self.radius, (place[1] - half).abs() - half]);
            let up = 1f64.copysign(place[1] - half);
            if beyond[0] <= 0.0 && beyond[1] <= 0.0 {
                return if beyond[0] > beyond[1] {
                    (beyond[0], Vector([1.0, 0.0]))
                } else {
                    (beyond[1], Vector([0.0, up]))
                };
            }
            let outside = Vector([beyond[0].max(0.0), beyond[1].max(0.0)]);
            let length = outside.norm();
            let normal = Vector([outside[0], outside[1] * up]) * (1.0 / length);
            (length, normal)
        })
    }
    fn thickness(&self) -> f64 {
        self.length.min(2.0 * self.radius)
    }
    fn clearance(&self) -> f64 {
        f64::INFINITY
    }
}

/// A cone with a flat base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone<const D: usize> {
    axis: Axis<D>,
    height: f64,
    radius: f64,
}

impl<const D: usize> Cone<D> {
    /// From the centre of the base to the tip \[m\], with a radius > 0 of the base \[m\].
    pub fn new(base: [f64; D], tip: [f64; D], radius: f64) -> Result<Self, BuildError> {
        let (axis, height) = Axis::between(base, tip, ["base", "tip"])?;
        let radius = positive("radius", "radius of the cone [m]", radius)?;
        Ok(Self {
            axis,
            height,
            radius,
        })
    }
}

impl<const D: usize> LevelSet<D> for Cone<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        let rim = Vector([self.radius, 0.0]);
        let tip = Vector([0.0, self.height]);
        let flank = tip - rim;
        let outward = Vector([self.height, self.radius]) * (1.0 / flank.norm());
        self.axis.surface(position, |place| {
            let along = ((place - rim).dot(flank) / flank.norm_squared()).clamp(0.0, 1.0);
            let on_flank = rim + flank * along;
            let on_base = Vector([place[0].min(self.radius), 0.0]);
            let inside = place[1] >= 0.0 && (place - rim).dot(outward) <= 0.0;
            let to_flank = (place - on_flank).norm_squared();
            let to_base = (place - on_base).norm_squared();
            if to_base < to_flank {
                from_outline(place, on_base, inside, Vector([0.0, -1.0]))
            } else {
                from_outline(place, on_flank, inside, outward)
            }
        })
    }
    fn thickness(&self) -> f64 {
        // Twice the radius of the largest inscribed sphere.
        2.0 * self.radius * self.height / (self.radius + self.radius.hypot(self.height))
    }
    fn clearance(&self) -> f64 {
        f64::INFINITY
    }
}

/// A ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus<const D: usize> {
    axis: Axis<D>,
    ring: f64,
    tube: f64,
}

impl<const D: usize> Torus<D> {
    /// Around a centre \[m\] and an axis, with the radius of the ring's centre line and that of its
    /// tube \[m\], 0 < tube < ring.
    pub fn new(center: [f64; D], axis: [f64; D], ring: f64, tube: f64) -> Result<Self, BuildError> {
        let end = (Vector(center) + Vector(axis)).0;
        let (axis, _) = Axis::between(center, end, ["center", "axis"])?;
        let ring = positive("ring", "radius of the torus [m]", ring)?;
        let tube = positive("tube", "radius of the tube of the torus [m]", tube)?;
        if tube >= ring {
            return Err(BuildError::OutOfRange {
                key: "tube",
                quantity: "radius of the tube of the torus [m]",
                value: tube,
                range: "below that of the ring",
            });
        }
        Ok(Self { axis, ring, tube })
    }
}

impl<const D: usize> LevelSet<D> for Torus<D> {
    fn surface(&self, position: [f64; D], _time: f64) -> Surface<D> {
        self.axis.surface(position, |place| {
            let middle = Vector([self.ring, 0.0]);
            let (distance, normal) = from_outline(place, middle, false, Vector([1.0, 0.0]));
            (distance - self.tube, normal)
        })
    }
    fn thickness(&self) -> f64 {
        2.0 * self.tube
    }
    fn clearance(&self) -> f64 {
        2.0 * (self.ring - self.tube)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::shape::conformance;

    #[test]
    fn solids_of_revolution_are_level_sets() {
        let (a, b) = ([0.1, -0.3, 0.2], [0.4, 0.5, -0.1]);
        conformance::check(&Capsule::new(a, b, 0.3).unwrap(), 2.0);
        conformance::check(&Cylinder::new(a, b, 0.3).unwrap(), 2.0);
        conformance::check(&Cone::new(a, b, 0.3).unwrap(), 2.0);
        conformance::check(&Torus::new(a, b, 0.6, 0.2).unwrap(), 2.0);
        let (a, b) = ([0.1, -0.3], [0.4, 0.5]);
        conformance::check(&Capsule::new(a, b, 0.3).unwrap(), 2.0);
        conformance::check(&Cylinder::new(a, b, 0.3).unwrap(), 2.0);
        conformance::check(&Cone::new(a, b, 0.3).unwrap(), 2.0);
        conformance::check(&Torus::new(a, b, 0.6, 0.2).unwrap(), 2.0);
    }

    #[test]
    fn known_distances() {
        let up = ([0.0, 0.0, 0.0], [0.0, 0.0, 2.0]);
        let at = |solid: &dyn LevelSet<3>, x| solid.surface(x, 0.0).distance;
        let cylinder = Cylinder::new(up.0, up.1, 1.0).unwrap();
        assert!((at(&cylinder, [3.0, 0.0, 1.0]) - 2.0).abs() < 1e-15);
        assert!((at(&cylinder, [0.0, 0.0, 1.5]) + 0.5).abs() < 1e-15);
        assert!((at(&cylinder, [4.0, 0.0, 6.0]) - 5.0).abs() < 1e-15);
        let cone = Cone::new(up.0, up.1, 1.0).unwrap();
        assert!((at(&cone, [0.0, 0.0, 3.0]) - 1.0).abs() < 1e-15);
        assert!((at(&cone, [0.0, 0.0, -1.0]) - 1.0).abs() < 1e-15);
        assert!(at(&cone, [0.3, 0.0, 0.5]) < 0.0 && at(&cone, [0.9, 0.0, 0.5]) > 0.0);
        let torus = Torus::new(up.0, up.1, 2.0, 0.5).unwrap();
        assert!((at(&torus, [0.0, 0.0, 0.0]) - 1.5).abs() < 1e-15);
        assert!((at(&torus, [2.0, 0.0, 0.0]) + 0.5).abs() < 1e-15);
    }

    #[test]
    fn solids_are_as_thick_as_their_narrowest_side() {
        let (a, b) = ([0.0; 3], [0.0, 0.0, 4.0]);
        assert_eq!(Capsule::new(a, b, 1.0).unwrap().thickness(), 2.0);
        assert_eq!(Cylinder::new(a, b, 3.0).unwrap().thickness(), 4.0);
        // The largest inscribed sphere of a cone of sides 3, 4, 5 has radius 3/2.
        let cone = Cone::new(a, b, 3.0).unwrap();
        assert!((cone.thickness() - 3.0).abs() < 1e-12);
        let center = [0.0, 0.0, 0.5 * cone.thickness()];
        assert!((cone.surface(center, 0.0).distance + 1.5).abs() < 1e-12);
        let torus = Torus::new(a, b, 3.0, 1.0).unwrap();
        assert_eq!((torus.thickness(), torus.clearance()), (2.0, 4.0));
    }

    #[test]
    fn impossible_solids_are_refused() {
        assert!(Capsule::new([0.0; 2], [0.0; 2], 1.0).is_err());
        assert!(Cylinder::new([0.0; 2], [1.0; 2], 0.0).is_err());
        assert!(Cone::new([0.0; 2], [1.0; 2], f64::NAN).is_err());
        assert!(Torus::new([0.0; 3], [0.0, 0.0, 1.0], 1.0, 1.0).is_err());
    }
}
