//! The files of a run.

mod assets;
mod atomic_file;
pub mod checkpoint;
mod compression_watch;
mod differences;
mod directory;
mod energy_watch;
mod error;
pub mod frame;
mod frame_file;
mod lock;
pub mod npz;
mod past;
pub mod ply;
pub mod pvd;
mod record;
mod request;
mod run_watch;
pub mod stats;
mod volume_watch;
pub mod vtk;
mod writer;

pub use atomic_file::AtomicFile;
pub use compression_watch::{CompressionWatch, CrushedMatter};
pub use differences::differences;
pub use directory::{Existing, RunDirectory};
pub use energy_watch::{EnergyGrowth, EnergyWatch, StoppedOnGrowth};
pub use error::OutputError;
pub use frame_file::{FrameColumn, FrameFile, FrameFileError};
pub use past::{Checkpoints, PastError, PastRun};
pub use record::{RunRecord, RunState, Seconds, Solves};
pub use request::{Format, Output};
pub use run_watch::{FrameBudget, RunWarning, RunWatch};
pub use volume_watch::{VolumeMismatch, VolumeWatch};
pub use writer::FrameWriter;
