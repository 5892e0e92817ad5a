//! Shapes in which particles are drawn.

use thixo_math::{Matrix, Vector};

use crate::vector::Vec3;

/// Shapes in which particles are drawn.
#[derive(Clone, Copy, Debug)]
pub enum SplatShape<'a> {
    /// Balls.
    Ball,
    /// Flat discs of a radius \[samples\].
    Point(f32),
    /// Icosahedra of the balls' volumes, each with its rotation.
    Icosahedron(&'a [Matrix<f32, 3>]),
}

/// Circumscribed radius of an icosahedron over that of the ball of its volume.
pub(super) const CIRCUMSCRIBED: f32 = 1.182;
/// Distance of its faces from its middle over the radius of that ball.
const INSCRIBED: f32 = 0.939_3;

/// 1/√3 and, times the golden ratio and its inverse, the other components of its faces' normals.
const A: f32 = 0.577_350_26;
const B: f32 = 0.934_172_4;
const C: f32 = 0.356_822_1;

/// Normals of its faces, one of each opposite pair: the corners of a dodecahedron.
const NORMALS: [Vec3; 10] = [
    Vector([A, A, A]),
    Vector([A, A, -A]),
    Vector([A, -A, A]),
    Vector([-A, A, A]),
    Vector([0.0, C, B]),
    Vector([0.0, C, -B]),
    Vector([C, B, 0.0]),
    Vector([C, -B, 0.0]),
    Vector([B, 0.0, C]),
    Vector([B, 0.0, -C]),
];

/// An icosahedron as a view sees it.
pub(super) struct Icosahedron {
    /// Its normals along the view's axes.
    normals: [[f32; 3]; 10],
    inscribed: f32,
}

impl Icosahedron {
    /// That of the volume of a ball of a radius \[m\], turned.
    pub fn new(rotation: &Matrix<f32, 3>, axes: [Vec3; 3], radius: f32) -> Self {
        let turned = NORMALS.map(|normal| *rotation * normal);
        Self {
            normals: turned.map(|normal| axes.map(|axis| axis.dot(normal))),
            inscribed: INSCRIBED * radius,
        }
    }

    /// Distance of the front surface before the middle at an offset to the right and upwards \[m\].
    pub fn front(&self, right: f32, up: f32) -> Option<f32> {
        let (mut near, mut far) = (f32::NEG_INFINITY, f32::INFINITY);
        for [a, b, c] in self.normals {
            // |a right + b up + c s| ≤ inscribed radius.
            let base = a * right + b * up;
            if c.abs() < 1e-7 {
                if base.abs() > self.inscribed {
                    return None;
                }
                continue;
            }
            let (s, t) = ((-self.inscribed - base) / c, (self.inscribed - base) / c);
            near = near.max(s.min(t));
            far = far.min(s.max(t));
        }
        (near < far).then_some(-near)
    }
}

/// The normal of the face of an icosahedron on which a point lies, given from its middle.
pub fn face_normal(rotation: &Matrix<f32, 3>, from_middle: Vec3) -> Vec3 {
    let mut best = (f32::NEG_INFINITY, from_middle);
    for normal in NORMALS.map(|normal| *rotation * normal) {
        let along = normal.dot(from_middle);
        if along.abs() > best.0 {
            best = (along.abs(), if along < 0.0 { -normal } else { normal });
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icosahedron_has_the_volume_of_its_ball() {
        let axes = [
            Vector([1.0, 0.0, 0.0]),
            Vector([0.0, 1.0, 0.0]),
            Vector([0.0, 0.0, 1.0]),
        ];
        let (sine, cosine) = 0.4f32.sin_cos();
        let rotation = Matrix([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]);
        let seen = Icosahedron::new(&rotation, axes, 1.0);
        // It is its own mirror image: twice the front half is the whole.
        let n = 400;
        let place = |k: usize| (k as f32 + 0.5) / n as f32 * 2.6 - 1.3;
        let fronts = (0..n * n).filter_map(|k| seen.front(place(k % n), place(k / n)));
        let back = (0..n * n).filter_map(|k| seen.front(-place(k % n), -place(k / n)));
        let sum: f32 = fronts.chain(back).sum();
        let volume = sum * (2.6 / n as f32).powi(2);
        let expected = 4.0 / 3.0 * std::f32::consts::PI;
        assert!((volume - expected).abs() < 0.01 * expected, "{volume}");
        for normal in NORMALS {
            assert!((normal.norm() - 1.0).abs() < 1e-5);
            let turned = rotation * normal;
            assert!((face_normal(&rotation, turned * 2.0) - turned).norm() < 1e-5);
        }
    }
}
