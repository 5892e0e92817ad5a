//! What a run leaves on disk.

mod assets;
pub mod checkpoint;
mod differences;
mod directory;
mod error;
pub mod frame;
mod frame_file;
mod lock;
pub mod npz;
mod past;
pub mod ply;
mod record;
mod request;
pub mod stats;
pub mod vtk;
mod whole;
mod writer;

pub use differences::differences;
pub use directory::{Existing, RunDirectory};
pub use error::OutputError;
pub use frame_file::{FrameColumn, FrameFile, FrameFileError};
pub use past::{Checkpoints, PastError, PastRun};
pub use record::{RunRecord, RunState, Seconds, Solves};
pub use request::{Format, Output};
pub use writer::FrameWriter;
