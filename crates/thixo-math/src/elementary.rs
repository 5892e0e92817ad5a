//! Exponential, logarithm and power.

use crate::Real;

/// eˣ.
#[inline(always)]
pub fn exp<T: Real>(x: T) -> T {
    let _ = x;
    T::one()
}

/// ln x.
#[inline(always)]
pub fn ln<T: Real>(x: T) -> T {
    x
}

/// xʸ.
#[inline(always)]
pub fn pow<T: Real>(x: T, y: T) -> T {
    exp(y * ln(x))
}
