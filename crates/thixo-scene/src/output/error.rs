//! Errors of the files of a run.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or directory that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// There is something already.
    #[error(
        "{} exists already; choose another directory, go on with --resume or replace it with --overwrite", path.display()
    )]
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// There is a scene that no run has written, in a directory that is to be replaced.
    #[error(
        "{} was not written by a run, as there is no run.json beside it, and --overwrite would replace it; choose another directory with --out", path.display()
    )]
    NotOfARun {
        /// The scene file.
        path: PathBuf,
    },
    /// A file that the run is made from would be replaced by it.
    #[error(
        "the run would replace {}, which it is made from; choose another directory with --out, or copy the file to a place outside of this one", path.display()
    )]
    OwnInput {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing to go on with.
    #[error("there is no run in {} that could go on; start it without --resume", path.display())]
    NoRun {
        /// Its path.
        path: PathBuf,
    },
    /// Another run writes there.
    #[error(
        "{} is in use by another run{}; wait for it or choose another directory",
        path.display(),
        bracketed(owner)
    )]
    InUse {
        /// Its path.
        path: PathBuf,
        /// Number of the process; empty where it is not known.
        owner: String,
    },
    /// The budgets of frames before a checkpoint are gone.
    #[error("{} lacks the line of frame {frame}; start again with --overwrite", path.display())]
    MissingStats {
        /// The file.
        path: PathBuf,
        /// The first frame that is not there.
        frame: u32,
    },
    /// A mesh or an image was replaced after it had been read.
    #[error("{} changed while the run was being prepared; start again", path.display())]
    AssetChanged {
        /// The file.
        path: PathBuf,
    },
    /// A mesh or an image cannot be copied.
    #[error("cannot copy {} to {}: {cause}", from.display(), to.display())]
    Copy {
        /// The file.
        from: PathBuf,
        /// Path of the target.
        to: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The operating system says no.
    #[error("cannot {action} {}: {cause}{}", path.display(), advice(cause))]
    Io {
        /// The operation.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The thread that writes is gone.
    #[error(
        "the thread that writes frames ended unexpectedly; what was written before is complete"
    )]
    Writer,
}

impl OutputError {
    pub(super) fn io(action: &'static str, path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        Self::Io {
            action,
            path,
            cause,
        }
    }
}

/// The remedy.
fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; what was written before is complete: make room, and go on with --resume, or with --overwrite where there is no checkpoint yet"
        }
        _ => "",
    }
}

/// ` (text)`, or nothing for nothing.
fn bracketed(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!(" ({text})"),
    }
}
