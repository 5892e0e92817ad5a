//! Anchors: springs of no length that hold a vertex at a place, which may move with time.
//!
//! An anchor is as stiff as the elements at its vertex together: the place yields by about as much
//! as the first element stretches, and no step gets much shorter.

use thixo_math::Vector;

use super::element::{Element, Response};
use crate::material::potential::Definiteness;

/// A vertex tied to a point: Φ = ½ k |x − a|².
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Anchor<const D: usize> {
    pub vertex: u32,
    /// k \[N/m\].
    pub stiffness: f64,
    /// a \[m\].
    pub place: Vector<f64, D>,
    pub inverse_mass: f64,
}

impl<const D: usize> Element<D, 1> for Anchor<D> {
    type Tangent = ();

    fn vertices(&self) -> [u32; 1] {
        [self.vertex]
    }
    fn response(&self, x: &[Vector<f64, D>; 1]) -> Response<D, 1> {
        let away = x[0] - self.place;
        Response {
            energy: 0.5 * self.stiffness * away.norm_squared(),
            gradient: [away * self.stiffness],
            frequency_squared: self.stiffness * self.inverse_mass,
        }
    }
    fn tangent(&self, _x: &[Vector<f64, D>; 1], _definiteness: Definiteness) {}
    fn product(&self, _tangent: &(), dx: &[Vector<f64, D>; 1]) -> [Vector<f64, D>; 1] {
        [dx[0] * self.stiffness]
    }
    fn set_inverse_masses(&mut self, [inverse_mass]: [f64; 1]) {
        self.inverse_mass = inverse_mass;
    }
}
