//! Matter that yields.

mod snow;

pub use snow::{PlasticVolume, Snow};
