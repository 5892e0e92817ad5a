//! Bending of cloth about the edge between two triangles: Φ = B |e|²/(2(A₁ + A₂)) (θ − θ⁰)²,
//! equation (62), with the edge e and the areas A at rest and the angle θ between the normals.
//!
//! For a sheet of equilateral triangles this is ½ B κ² per area, whatever the direction in which it
//! is bent to a cylinder. The derivative of the angle is that of \[Bridson2003\]; the tangent keeps
//! its square and leaves out the curvature of the angle itself, so that it is positive.

use thixo_math::Vector;

use super::element::{Element, Response};
use crate::material::potential::Definiteness;

/// The edge between two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The two ends of the edge, then the vertices opposite to it.
    pub vertices: [u32; 4],
    /// B |e|²/(A₁ + A₂) \[N m\].
    pub modulus: f64,
    /// Angle at rest θ⁰ \[rad\].
    pub angle: f64,
    pub(super) inverse_masses: [f64; 4],
}

impl Hinge {
    /// A hinge with a bending stiffness B ≥ 0 \[N m\] that is at rest at positions \[m\].
    pub fn new(vertices: [u32; 4], stiffness: f64, rest: [[f64; 3]; 4]) -> Self {
        let x = rest.map(Vector);
        let edge = (x[1] - x[0]).norm_squared();
        let doubled =
            cross(x[0] - x[2], x[1] - x[2]).norm() + cross(x[1] - x[3], x[0] - x[3]).norm();
        Self {
            vertices,
            modulus: 2.0 * stiffness * edge / doubled,
            angle: angle(&x).0,
            inverse_masses: [0.0; 4],
        }
    }
    fn derivatives<const D: usize>(x: &[Vector<f64, D>; 4]) -> (f64, [Vector<f64, D>; 4]) {
        let mut space = [Vector::<f64, 3>::zero(); 4];
        for (to, from) in space.iter_mut().zip(x) {
            to.0[..D].copy_from_slice(&from.0);
        }
        let (theta, gradient) = angle(&space);
        let mut out = [Vector::zero(); 4];
        for (to, from) in out.iter_mut().zip(gradient) {
            to.0.copy_from_slice(&from.0[..D]);
        }
        (theta, out)
    }
}

/// a × b.
pub(super) fn cross(a: Vector<f64, 3>, b: Vector<f64, 3>) -> Vector<f64, 3> {
    Vector([
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ])
}

/// The angle between the normals of two triangles at an edge, from −π to π \[rad\], and its
/// derivatives by the positions \[1/m\]; zero where a triangle has no area.
fn angle(x: &[Vector<f64, 3>; 4]) -> (f64, [Vector<f64, 3>; 4]) {
    let edge = x[1] - x[0];
    let length = edge.norm();
    let normal_a = cross(x[2] - x[0], x[2] - x[1]);
    let normal_b = cross(x[3] - x[1], x[3] - x[0]);
    let (squared_a, squared_b) = (normal_a.norm_squared(), normal_b.norm_squared());
    if !(length > 0.0 && squared_a > 0.0 && squared_b > 0.0) {
        return (0.0, [Vector::zero(); 4]);
    }
    let along = edge * (1.0 / length);
    let sine = cross(normal_b, normal_a).dot(along);
    let theta = sine.atan2(normal_a.dot(normal_b));
    let (a, b) = (normal_a * (1.0 / squared_a), normal_b * (1.0 / squared_b));
    let opposite = [a * length, b * length];
    let first = a * (x[2] - x[1]).dot(along) + b * (x[3] - x[1]).dot(along);
    // The sum is zero: a translation changes no angle.
    let second = -(first + opposite[0] + opposite[1]);
    (theta, [first, second, opposite[0], opposite[1]])
}

impl<const D: usize> Element<D, 4> for Hinge {
    type Tangent = [Vector<f64, D>; 4];

    fn vertices(&self) -> [u32; 4] {
        self.vertices
    }
    fn response(&self, x: &[Vector<f64, D>; 4]) -> Response<D, 4> {
        let (theta, slope) = Self::derivatives(x);
        let turn = theta - self.angle;
        let shares = (0..4).map(|k| slope[k].norm_squared() * self.inverse_masses[k]);
        Response {
            energy: 0.5 * self.modulus * turn * turn,
            gradient: slope.map(|slope| slope * (self.modulus * turn)),
            frequency_squared: self.modulus * shares.sum::<f64>(),
        }
    }
    fn tangent(&self, x: &[Vector<f64, D>; 4], _: Definiteness) -> [Vector<f64, D>; 4] {
        Self::derivatives(x).1
    }
    fn product(
        &self,
        slope: &[Vector<f64, D>; 4],
        dx: &[Vector<f64, D>; 4],
    ) -> [Vector<f64, D>; 4] {
        let turn: f64 = (0..4).map(|k| slope[k].dot(dx[k])).sum();
        slope.map(|slope| slope * (self.modulus * turn))
    }
    fn set_inverse_masses(&mut self, inverse_masses: [f64; 4]) {
        self.inverse_masses = inverse_masses;
    }
}
