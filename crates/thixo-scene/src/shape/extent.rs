//! Bounds and volumes of the primitives in closed form.

use std::f64::consts::PI;

use super::region::Bounds;

/// Volume of the ball of radius 1 in D dimensions.
fn unit_ball(dimension: usize) -> f64 {
    if dimension == 2 { PI } else { 4.0 / 3.0 * PI }
}

/// Bounds and volume of a primitive. In 2D, solids of revolution are the sections through their
/// axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<const D: usize> {
    pub bounds: Bounds<D>,
    pub volume: f64,
}

impl<const D: usize> Extent<D> {
    pub fn cuboid(min: [f64; D], max: [f64; D]) -> Self {
        Self {
            bounds: Bounds { min, max },
            volume: (0..D).map(|a| max[a] - min[a]).product(),
        }
    }

    pub fn ellipsoid(center: [f64; D], radii: [f64; D]) -> Self {
        Self {
            bounds: around(center, radii),
            volume: unit_ball(D) * radii.into_iter().product::<f64>(),
        }
    }

    pub fn capsule(start: [f64; D], end: [f64; D], radius: f64) -> Self {
        let (_, length) = axis(start, end);
        let ends = [start, end].map(|point| around(point, [radius; D]));
        Self {
            bounds: ends[0].union(ends[1]),
            volume: length * disc(radius, D) + unit_ball(D) * radius.powi(D as i32),
        }
    }

    pub fn cylinder(start: [f64; D], end: [f64; D], radius: f64) -> Self {
        let (direction, length) = axis(start, end);
        let half = disc_half_width(direction, radius);
        Self {
            bounds: around(start, half).union(around(end, half)),
            volume: length * disc(radius, D),
        }
    }

    pub fn cone(base: [f64; D], tip: [f64; D], radius: f64) -> Self {
        let (direction, length) = axis(base, tip);
        let half = disc_half_width(direction, radius);
        Self {
            bounds: around(base, half).union(around(tip, [0.0; D])),
            volume: length * disc(radius, D) / D as f64,
        }
    }

    pub fn torus(center: [f64; D], direction: [f64; D], ring: f64, tube: f64) -> Self {
        let (direction, _) = axis([0.0; D], direction);
        let half = disc_half_width(direction, ring).map(|w| w + tube);
        let section = PI * tube * tube;
        Self {
            bounds: around(center, half),
            volume: if D == 2 {
                2.0 * section
            } else {
                2.0 * PI * ring * section
            },
        }
    }
}

/// The box of a half width around a point.
fn around<const D: usize>(center: [f64; D], half: [f64; D]) -> Bounds<D> {
    Bounds {
        min: std::array::from_fn(|a| center[a] - half[a]),
        max: std::array::from_fn(|a| center[a] + half[a]),
    }
}

/// Unit direction and length from one point to another.
fn axis<const D: usize>(start: [f64; D], end: [f64; D]) -> ([f64; D], f64) {
    let along: [f64; D] = std::array::from_fn(|a| end[a] - start[a]);
    let largest = along.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let length = largest
        * along
            .iter()
            .map(|x| (x / largest).powi(2))
            .sum::<f64>()
            .sqrt();
    (along.map(|x| x / length), length)
}

/// Half the width along every axis of a disc across a direction.
fn disc_half_width<const D: usize>(direction: [f64; D], radius: f64) -> [f64; D] {
    direction.map(|n| radius * (1.0 - n * n).max(0.0).sqrt())
}

/// Area of a disc; in 2D its diameter.
fn disc(radius: f64, dimension: usize) -> f64 {
    if dimension == 2 {
        2.0 * radius
    } else {
        PI * radius * radius
    }
}

impl<const D: usize> Bounds<D> {
    /// The box around both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            min: std::array::from_fn(|a| self.min[a].min(other.min[a])),
            max: std::array::from_fn(|a| self.max[a].max(other.max[a])),
        }
    }
    /// The intersection of both; a box without volume where they do not meet.
    pub(crate) fn intersection(self, other: Self) -> Self {
        let min: [f64; D] = std::array::from_fn(|a| self.min[a].max(other.min[a]));
        let max = std::array::from_fn(|a| self.max[a].min(other.max[a]).max(min[a]));
        Self { min, max }
    }
    /// Its corners.
    pub(crate) fn corners(self) -> impl Iterator<Item = [f64; D]> {
        (0..1usize << D).map(move |corner| {
            std::array::from_fn(|a| match corner >> a & 1 {
                0 => self.min[a],
                _ => self.max[a],
            })
        })
    }
}
