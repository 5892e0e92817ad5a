//! The files of a run.

mod assets;
mod atomic_file;
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
mod writer;

pub use atomic_file::AtomicFile;
pub use differences::differences;
pub use directory::{Existing, RunDirectory};
pub use error::OutputError;
pub use frame_file::{FrameColumn, FrameFile, FrameFileError};
pub use past::{Checkpoints, PastError, PastRun};
pub use record::{RunRecord, RunState, Seconds, Solves};
pub use request::{Format, Output};
pub use writer::FrameWriter;
