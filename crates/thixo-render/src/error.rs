//! Errors of drawing and writing pictures.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use thixo_scene::{FrameFile, FrameFileError, PastError, SceneError, nearest};

/// Errors of drawing and writing pictures.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The run cannot be read.
    #[error(transparent)]
    Past(#[from] PastError),
    /// The scene of the run cannot be built again.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// There are no particles to draw.
    #[error("{} has no frames as PLY files to draw; run the scene with \"ply\" among output.formats", path.display())]
    NoFrames {
        /// The run.
        path: PathBuf,
    },
    /// Frames lack a quantity that they hold only on request.
    #[error("{} does not hold the quantity \"{quantity}\"; add it to output.columns of the scene, output.columns = [\"{quantity}\"], and run that again", path.display())]
    NotInFrames {
        /// The file.
        path: PathBuf,
        /// The quantity that the scene must ask for.
        quantity: &'static str,
    },
    /// Frames lack what is needed to draw them, or what they should be coloured by.
    #[error("{} has no column \"{column}\"{}; it has {}", path.display(), suggested(suggestion), known.join(", "))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column that was asked for.
        column: String,
        /// The nearest name.
        suggestion: Option<String>,
        /// Names of the columns that it has.
        known: Vec<String>,
    },
    /// A picture or a video cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The encoder of videos gives up.
    #[error("{} cannot be encoded: {message}; draw without it: --formats png,contact", path.display())]
    Encoder {
        /// The video.
        path: PathBuf,
        /// Message of the encoder.
        message: String,
    },
    /// The thread that writes is gone.
    #[error("the thread that writes pictures ended unexpectedly; draw them again with --overwrite")]
    Writer,
}

impl RenderError {
    pub(crate) fn write(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        Self::Write { path, cause }
    }

    pub(crate) fn encoder(path: &Path, error: &openh264::Error) -> Self {
        Self::Encoder {
            path: path.to_owned(),
            message: error.to_string(),
        }
    }
}

impl RenderError {
    /// A frame does not have a column; `speed` is known besides those that it has.
    pub(crate) fn no_column(frame: &FrameFile, path: &Path, column: &str) -> Self {
        let mut known: Vec<String> = frame.names().map(str::to_owned).collect();
        known.push("speed".to_owned());
        Self::NoColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            suggestion: nearest(column, known.iter().map(String::as_str)).map(str::to_owned),
            known,
        }
    }
}

fn suggested(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => String::new(),
    }
}
