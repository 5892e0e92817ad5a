//! Fluids.

mod oldroyd_b;
mod weakly_compressible;

pub use oldroyd_b::{FadingStrain, OldroydB, OldroydForm};
pub use weakly_compressible::{PressureLaw, Tension, WeaklyCompressible};
