//! Small dense mathematics for the material point method, written once for scalars and for SIMD lanes.
//!
//! [`Real`] is a number or a register of numbers; [`Vector`] and [`Matrix`] have their size as a
//! constant parameter. Everything here is a pure function without dependencies.

pub mod elementary;
mod matrix;
mod real;
#[cfg(test)]
mod reference;
mod vector;

pub use matrix::Matrix;
pub use real::{Lanes, Mask, Real};
pub use vector::Vector;
