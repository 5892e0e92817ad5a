//! Why a picture cannot be made.

use std::path::{Path, PathBuf};

use thiserror::Error;
use thixo_scene::{FrameFile, FrameFileError, PastError, SceneError, nearest};

/// Why a picture cannot be made.
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
    /// Frames lack what is needed to draw them, or what they should be coloured by.
    #[error("{} has no column \"{column}\"{}; it has {}", path.display(), suggested(suggestion), known.join(", "))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        column: String,
        /// What sounds like it.
        suggestion: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
}

impl RenderError {
    /// A frame does not have a column; `speed` is known besides those that it has.
    pub(crate) fn no_column(frame: &FrameFile, path: &Path, column: &str) -> Self {
        let mut known = frame.names().to_vec();
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
