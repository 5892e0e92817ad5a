//! Forces on the grid: internal stress, accelerations of all matter, and tractions on its surface.

mod body;
mod stress;
mod traction;

pub use body::BodyForce;
pub(crate) use body::accelerate;
pub(crate) use stress::scatter_stress;
pub use traction::{Load, LoadedSurface, SurfaceElement, sample_surface};
pub(crate) use traction::{advect, load};
