//! Errors of files for other programs.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use thixo_scene::{FrameFileError, PastError};

use crate::error::RenderError;
use crate::surface::SurfaceError;

/// Errors of files for other programs.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Past(#[from] PastError),
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// A frame lacks a column.
    #[error(transparent)]
    Column(#[from] RenderError),
    /// A surface cannot be made.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// A frame does not say when it was.
    #[error("{} does not say its time; write the frame again", path.display())]
    NoTime {
        /// The frame.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
}

impl ExportError {
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |cause| Self::Write {
            path: path.clone(),
            cause,
        }
    }
}
