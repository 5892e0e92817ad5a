//! Errors of surface reconstruction.

use std::path::PathBuf;

use thiserror::Error;
use thixo_scene::{FrameFileError, PastError};

use crate::error::RenderError;

/// Errors of surface reconstruction.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// The run cannot be read.
    #[error(transparent)]
    Past(#[from] PastError),
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameFileError),
    /// A frame lacks a column.
    #[error(transparent)]
    Column(#[from] RenderError),
    /// Plane matter has no surface in space.
    #[error("{} is a run in 2D, and surfaces are made of runs in 3D; `thixo render` draws this one", path.display())]
    Plane {
        /// The run.
        path: PathBuf,
    },
    /// A number of the options is of no use.
    #[error("the {quantity} is {value}; it must be {range}")]
    Options {
        /// Name of the parameter.
        quantity: &'static str,
        /// The number.
        value: f64,
        /// Range that it must be in.
        range: &'static str,
    },
    /// Particles have no size.
    #[error(
        "{}: the volumes of the particles of {group} give no radius (their median is {volume} m³); give one with --radius", path.display()
    )]
    NoRadius {
        /// The frame.
        path: PathBuf,
        /// Object or material.
        group: String,
        /// The median \[m³\].
        volume: f64,
    },
    /// More vertices than an index can count.
    #[error(
        "{}: the surface of {group} has {vertices} vertices, more than files can hold; take larger cubes with --cube-size", path.display()
    )]
    TooLarge {
        /// The frame.
        path: PathBuf,
        /// Object or material.
        group: String,
        /// Number of vertices.
        vertices: usize,
    },
    /// The level set could not be triangulated.
    #[error("{}: the surface of {group} could not be made: {message}", path.display())]
    Reconstruction {
        /// The frame.
        path: PathBuf,
        /// Object or material.
        group: String,
        /// Message of the library.
        message: String,
    },
}
