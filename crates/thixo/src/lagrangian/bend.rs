//! Bending of rods that are straight at rest: Φ = EI/(2l) |t_jk − t_ij|², equation (61), with the
//! tangents t = Δx/l⁰ of the two edges at a vertex and the mean l of their lengths.
//!
//! The difference of the tangents over l is the curvature. It is linear in the positions, so that
//! forces are linear and the stiffness is constant; its norm does not change by rotations.

use thixo_math::Vector;

use super::element::{Element, Response};
use crate::material::potential::Definiteness;

/// Resistance of three vertices in a row to bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// The vertices, the middle one second.
    pub vertices: [u32; 3],
    /// Bending stiffness EI ≥ 0 \[N m²\]; per metre of thickness \[N m\] in 2D.
    pub stiffness: f64,
    /// Lengths of the two edges at rest > 0 \[m\].
    pub lengths: [f64; 2],
    pub(super) inverse_masses: [f64; 3],
}

impl Bend {
    /// Resistance to bending of a stiffness EI \[N m²\], between edges of lengths \[m\].
    pub fn new(vertices: [u32; 3], stiffness: f64, lengths: [f64; 2]) -> Self {
        Self {
            vertices,
            stiffness,
            lengths,
            inverse_masses: [0.0; 3],
        }
    }
    /// Coefficients of the positions in the difference of the tangents \[1/m\].
    fn coefficients(&self) -> [f64; 3] {
        let [a, b] = self.lengths.map(|l| 1.0 / l);
        [a, -(a + b), b]
    }
    /// EI over the length that the vertex stands for \[N m\].
    fn modulus(&self) -> f64 {
        2.0 * self.stiffness / (self.lengths[0] + self.lengths[1])
    }
    /// Gradient by the positions of what is quadratic in Σ c x.
    fn linear<const D: usize>(&self, x: &[Vector<f64, D>; 3]) -> [Vector<f64, D>; 3] {
        let c = self.coefficients();
        // From differences, so that a translation gives nothing at all.
        let turn = (x[0] - x[1]) * c[0] + (x[2] - x[1]) * c[2];
        let force = turn * self.modulus();
        let ends = [force * c[0], force * c[2]];
        [ends[0], -(ends[0] + ends[1]), ends[1]]
    }
}

impl<const D: usize> Element<D, 3> for Bend {
    type Tangent = ();

    fn vertices(&self) -> [u32; 3] {
        self.vertices
    }
    fn response(&self, x: &[Vector<f64, D>; 3]) -> Response<D, 3> {
        let c = self.coefficients();
        let turn = (x[0] - x[1]) * c[0] + (x[2] - x[1]) * c[2];
        let shares = (0..3).map(|k| c[k] * c[k] * self.inverse_masses[k]);
        Response {
            energy: 0.5 * self.modulus() * turn.norm_squared(),
            gradient: self.linear(x),
            frequency_squared: self.modulus() * shares.sum::<f64>(),
        }
    }
    fn tangent(&self, _x: &[Vector<f64, D>; 3], _definiteness: Definiteness) {}
    fn product(&self, _tangent: &(), dx: &[Vector<f64, D>; 3]) -> [Vector<f64, D>; 3] {
        self.linear(dx)
    }
    fn set_inverse_masses(&mut self, inverse_masses: [f64; 3]) {
        self.inverse_masses = inverse_masses;
    }
}
