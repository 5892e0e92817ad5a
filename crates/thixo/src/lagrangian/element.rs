//! Elements: energies of a few vertices, with forces, tangents and stiffness.

use thixo_math::Vector;
use thixo_par::Isa;

use super::assembly::{Periods, of_element};
use crate::material::potential::Definiteness;

/// The response of an element at positions of its vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Response<const D: usize, const N: usize> {
    /// Energy Φ_e \[J\].
    pub energy: f64,
    /// ∂Φ_e/∂x of every vertex \[N\]; the forces are its negative.
    pub gradient: [Vector<f64, D>; N],
    /// Bound of the largest eigenvalue of ∂²Φ_e/∂x² with respect to the element's
    /// [shares](super::Mesh) of the masses \[1/s²\].
    pub frequency_squared: f64,
}

/// An energy of `N` vertices in `D` dimensions, unchanged by translations and rotations of all of
/// them (anchors excepted).
pub(crate) trait Element<const D: usize, const N: usize>: Sync {
    /// Second derivative at some positions, for products.
    type Tangent: Copy + Send + Sync;

    /// Its vertices.
    fn vertices(&self) -> [u32; N];
    /// Energy, gradient and stiffness.
    fn response(&self, x: &[Vector<f64, D>; N]) -> Response<D, N>;
    /// Calls `each` with the number, the positions and the response of all elements, at positions
    /// of all vertices.
    fn respond(
        elements: &[Self],
        (x, periods): (&[Vector<f64, D>], &Periods<D>),
        _isa: Isa,
        mut each: impl FnMut(usize, &[Vector<f64, D>; N], Response<D, N>),
    ) where
        Self: Sized,
    {
        for (number, element) in elements.iter().enumerate() {
            let own = of_element(element.vertices(), x, periods);
            each(number, &own, element.response(&own));
        }
    }
    /// ∂²Φ_e/∂x², exact or without its negative eigenvalues.
    fn tangent(&self, x: &[Vector<f64, D>; N], definiteness: Definiteness) -> Self::Tangent;
    /// ∂²Φ_e/∂x² δx.
    fn product(&self, tangent: &Self::Tangent, dx: &[Vector<f64, D>; N]) -> [Vector<f64, D>; N];
    /// Sets the reciprocals of the shares that the element has of its vertices' masses \[1/kg\].
    fn set_inverse_masses(&mut self, inverse_masses: [f64; N]);
}
