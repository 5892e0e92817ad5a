//! What a run leaves on disk.

mod directory;
pub mod ply;
mod record;
pub mod stats;

pub use directory::{Existing, OutputError, RunDirectory};
pub use record::{RunRecord, RunState, Seconds};
