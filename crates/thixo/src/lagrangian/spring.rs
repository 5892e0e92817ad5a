//! Springs between two vertices: Φ = ½ c (|x_i − x_j| − l)², equation (60).

use thixo_math::{Matrix, Vector};

use super::element::{Element, Response};
use crate::material::potential::Definiteness;

/// A linear spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its two vertices.
    pub vertices: [u32; 2],
    /// Stiffness c > 0 \[N/m\]; per metre of thickness in 2D.
    pub stiffness: f64,
    /// Length at rest l > 0 \[m\].
    pub length: f64,
    pub(super) inverse_masses: [f64; 2],
}

impl Spring {
    /// A spring of a stiffness \[N/m\] and a length at rest \[m\].
    pub fn new(vertices: [u32; 2], stiffness: f64, length: f64) -> Self {
        Self {
            vertices,
            stiffness,
            length,
            inverse_masses: [0.0; 2],
        }
    }
}

impl<const D: usize> Element<D, 2> for Spring {
    type Tangent = Matrix<f64, D>;

    fn vertices(&self) -> [u32; 2] {
        self.vertices
    }

    fn response(&self, x: &[Vector<f64, D>; 2]) -> Response<D, 2> {
        let r = x[0] - x[1];
        let length = r.norm();
        let stretch = length - self.length;
        // Ends in one place have no direction to be pushed apart in.
        let direction = r * (1.0 / length.max(f64::MIN_POSITIVE));
        let force = direction * (self.stiffness * stretch);
        Response {
            energy: 0.5 * self.stiffness * stretch * stretch,
            gradient: [force, -force],
            // Across the spring the stiffness is c (1 − l/|r|), above c never.
            frequency_squared: self.stiffness * (self.inverse_masses[0] + self.inverse_masses[1]),
        }
    }

    /// c (d dᵀ + (1 − l/|r|)(I − d dᵀ)); the second part is negative where the spring is shorter
    /// than at rest.
    fn tangent(&self, x: &[Vector<f64, D>; 2], definiteness: Definiteness) -> Matrix<f64, D> {
        let r = x[0] - x[1];
        let length = r.norm().max(f64::MIN_POSITIVE);
        let d = r * (1.0 / length);
        let mut across = 1.0 - self.length / length;
        if definiteness == Definiteness::Projected {
            across = across.max(0.0);
        }
        let along = d.outer(d);
        (along + (Matrix::identity() - along) * across) * self.stiffness
    }

    fn product(&self, tangent: &Matrix<f64, D>, dx: &[Vector<f64, D>; 2]) -> [Vector<f64, D>; 2] {
        let force = *tangent * (dx[0] - dx[1]);
        [force, -force]
    }

    fn set_inverse_masses(&mut self, inverse_masses: [f64; 2]) {
        self.inverse_masses = inverse_masses;
    }
}
