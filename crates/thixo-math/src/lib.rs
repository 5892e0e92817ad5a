//! Small dense mathematics for the material point method, written once for scalars and for SIMD
//! lanes.
//!
//! [`Real`] is a number or a register of numbers; [`Vector`] and [`Matrix`] have their size as a
//! constant parameter. Everything here is a pure function without dependencies.

mod eigen;
pub mod elementary;
mod matrix;
mod polar;
mod real;
#[cfg(test)]
mod reference;
mod rotation;
mod svd;
mod vector;

pub use eigen::{SymmetricEigen, symmetric_eigen};
pub use matrix::Matrix;
pub use polar::{Polar, polar};
pub use real::{Lanes, Mask, Real};
pub use rotation::Rotation;
pub use svd::{Svd, svd};
pub use vector::Vector;
