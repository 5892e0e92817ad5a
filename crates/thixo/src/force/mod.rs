//! Forces on the grid: internal stress, and accelerations of all matter.

mod body;
mod stress;

pub use body::BodyForce;
pub(crate) use body::accelerate;
pub(crate) use stress::scatter_stress;
