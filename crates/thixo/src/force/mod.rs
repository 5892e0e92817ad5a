//! Forces on the grid: internal stress and bodies.

mod body;
mod stress;

pub use body::{BodyForce, apply as apply_body};
pub use stress::stress;
