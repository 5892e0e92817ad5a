//! Forces on the grid: internal stress, accelerations of all matter, tractions on its surface, and
//! damping.

mod body;
mod damping;
mod stress;
mod traction;

pub use body::BodyForce;
pub(crate) use body::accelerate;
pub use damping::Damping;
pub(crate) use damping::{KineticPeak, damp};
pub(crate) use stress::scatter_stress;
pub use traction::{Load, LoadedSurface, SurfaceElement, sample_surface};
pub(crate) use traction::{advect, load};
