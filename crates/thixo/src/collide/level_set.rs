//! Solids by a signed distance. \[Jiang2016\] §12.1.

use core::fmt;

use super::shape::Surface;

/// A solid region of space, given by the signed distance from its surface.
pub trait LevelSet<const D: usize>: Send + Sync + fmt::Debug {
    /// Signed distance and normal of the surface as seen from a position \[m\] at a time \[s\].
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D>;
    /// Velocity of the solid at a position \[m\] and time \[s\] \[m/s\].
    fn velocity(&self, _position: [f64; D], _time: f64) -> [f64; D] {
        [0.0; D]
    }
    /// A lower bound of the solid's thickness at all times \[m\]: the distance between opposite
    /// surfaces, edges and tips excepted. Infinite for a half-space, zero if unknown. Solids of
    /// less than two cells are treated as [thin](super::Collider::is_thin).
    fn thickness(&self) -> f64;
    /// The same for the space outside \[m\], which is the solid of a
    /// [`Complement`](super::shape::Complement): infinite around a convex solid.
    fn clearance(&self) -> f64;
}
