//! Directions and places in space.

use thixo_math::{Real, Vector};

/// Three numbers: a place \[m\], a direction, or a colour in linear light.
pub type Vec3 = Vector<f32, 3>;

/// The vector at right angles to two others.
#[inline]
pub fn cross<T: Real>(a: Vector<T, 3>, b: Vector<T, 3>) -> Vector<T, 3> {
    Vector([
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ])
}

/// The direction of a vector, or `otherwise` if it has none.
#[inline]
pub fn unit_or(a: Vec3, otherwise: Vec3) -> Vec3 {
    let length = a.norm();
    if length > 0.0 && length.is_finite() {
        a * (1.0 / length)
    } else {
        otherwise
    }
}

/// a + s (b − a).
#[inline]
pub fn mix(a: Vec3, b: Vec3, s: f32) -> Vec3 {
    a + (b - a) * s
}

/// Component by component.
#[inline]
pub fn times(a: Vec3, b: Vec3) -> Vec3 {
    Vector([a[0] * b[0], a[1] * b[1], a[2] * b[2]])
}
