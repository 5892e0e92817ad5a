//! Columns of frame files, with an error that names the one that is missing.

use std::path::Path;

use thixo_scene::{FrameColumn, FrameFile};

use crate::error::RenderError;

/// A column that cannot be done without. `path` is the name of the frame in messages.
pub fn needed<'a>(
    frame: &'a FrameFile,
    path: &Path,
    column: &str,
) -> Result<FrameColumn<'a>, RenderError> {
    frame
        .column(column)
        .ok_or_else(|| RenderError::no_column(frame, path, column))
}

/// Three columns as a vector of every particle.
pub fn vector<'a>(
    frame: &'a FrameFile,
    path: &Path,
    names: [&str; 3],
) -> Result<impl Fn(usize) -> [f64; 3] + use<'a>, RenderError> {
    let [x, y, z] = [
        needed(frame, path, names[0])?,
        needed(frame, path, names[1])?,
        needed(frame, path, names[2])?,
    ];
    Ok(move |k: usize| [x.get(k), y.get(k), z.get(k)])
}
