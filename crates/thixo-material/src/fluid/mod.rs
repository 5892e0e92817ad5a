//! Fluids.

pub(crate) mod oldroyd_b;
mod oldroyd_potential;
mod positive;
mod pressure_potential;
mod relaxation;
pub(crate) mod weakly_compressible;

pub use oldroyd_b::{FadingStrain, OldroydB, OldroydForm};
pub use oldroyd_potential::OldroydPotential;
pub use pressure_potential::PressurePotential;
pub use weakly_compressible::{PressureLaw, Tension, WeaklyCompressible};
