//! Fluids.

mod weakly_compressible;

pub use weakly_compressible::{PressureLaw, Tension, WeaklyCompressible};
