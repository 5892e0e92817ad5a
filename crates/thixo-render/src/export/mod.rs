//! Runs as one file for other programs: animations in [`usd`], columns over time in [`vtkhdf`].

mod error;
pub mod hdf5;
pub mod usd;
pub mod vtkhdf;

pub use error::ExportError;
