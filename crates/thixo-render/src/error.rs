//! Why a picture cannot be made.

use std::path::PathBuf;

use thiserror::Error;
use thixo_scene::{FrameFileError, PastError, SceneError};

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
    /// Frames lack a quantity that they hold only on request.
    #[error("{} does not hold the quantity \"{quantity}\"; add it to output.columns of the scene, output.columns = [\"{quantity}\"], and run that again", path.display())]
    NotInFrames {
        /// The file.
        path: PathBuf,
        /// What the scene must ask for.
        quantity: &'static str,
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

fn suggested(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => String::new(),
    }
}
