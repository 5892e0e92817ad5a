//! The files of a run, read again: while it goes on, or long after.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::checkpoint::Checkpoint;
use super::directory::{CHECKPOINTS, PARTICLES, RECORD, SCENE, STATS, checkpoints_in, numbered};
use super::lock::Lock;
use super::{Format, OutputError, RunRecord, stats};
use crate::scene::Scene;

/// Errors of runs whose files cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PastError {
    /// There is no such directory.
    #[error("there is no directory {}; `thixo run` makes one, out/NAME unless told otherwise", path.display())]
    NoDirectory {
        /// Its path.
        path: PathBuf,
    },
    /// A directory of something else.
    #[error("there is no run in {}: it has no {RECORD}", path.display())]
    NoRun {
        /// Its path.
        path: PathBuf,
    },
    /// One of its files is gone.
    #[error("{} is missing; the run cannot be described without it", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file is not what it should be.
    #[error("{} is damaged: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        message: String,
    },
    /// The operating system says no.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// The directory of a run. It is only looked at: other runs may write into it meanwhile.
#[derive(Clone, Debug)]
pub struct PastRun {
    path: PathBuf,
}

/// Checkpoints of a run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Checkpoints {
    /// The last frame from which a run can go on.
    pub frame: Option<u32>,
    /// Problems of later ones.
    pub problems: Vec<String>,
}

impl PastRun {
    /// A directory that holds a run.
    pub fn open(path: &Path) -> Result<Self, PastError> {
        let path = path.to_owned();
        if !path.is_dir() {
            return Err(PastError::NoDirectory { path });
        }
        if !path.join(RECORD).is_file() {
            return Err(PastError::NoRun { path });
        }
        Ok(Self { path })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The record of the run. While it goes on, this is as old as its last checkpoint.
    pub fn record(&self) -> Result<RunRecord, PastError> {
        let text = self.read(RECORD)?;
        serde_json::from_str(&text).map_err(|error| self.damaged(RECORD, error))
    }

    /// The scene as run. The files that it needs are not looked for.
    pub fn scene(&self) -> Result<Scene, PastError> {
        let text = self.read(SCENE)?;
        toml::from_str(&text).map_err(|error| self.damaged(SCENE, error.message()))
    }

    /// The scene as run, with the files that it needs: it can be built again.
    pub fn scene_with_files(&self) -> Result<Scene, PastError> {
        let text = self.read(SCENE)?;
        let name = self.path.join(SCENE);
        let scene = Scene::parse_in(&text, &name.display().to_string(), &self.path);
        scene.map_err(|error| self.damaged(SCENE, error))
    }

    /// Number and path of the particles of all frames so far that [`FrameFile`](super::FrameFile)
    /// can read, in order.
    pub fn frame_files(&self) -> Result<Vec<(u32, PathBuf)>, PastError> {
        let mut files = numbered(&self.path.join(PARTICLES), &[Format::Ply.extension()])?;
        files.sort();
        Ok(files)
    }

    /// The budgets of all frames so far.
    pub fn budgets(&self) -> Result<stats::Table, PastError> {
        let text = self.read(STATS)?;
        stats::Table::parse(&text).map_err(|error| self.damaged(STATS, error))
    }

    /// From where it can go on. Checkpoints are read and their sums compared.
    pub fn checkpoints(&self) -> Result<Checkpoints, PastError> {
        let mut found = Checkpoints::default();
        for (frame, path) in checkpoints_in(&self.path)? {
            match Checkpoint::open(&path) {
                Ok(_) => {
                    found.frame = Some(frame);
                    break;
                }
                // A run that goes on removes old ones.
                Err(_) if !path.exists() => {}
                Err(error) => found.problems.push(format!("{}: {error}", path.display())),
            }
        }
        Ok(found)
    }

    /// The process that writes into it now.
    pub fn owner(&self) -> Option<String> {
        Lock::owner(&self.path)
    }

    /// Bytes of all files in it.
    pub fn bytes(&self) -> Result<u64, PastError> {
        Ok(bytes(&self.path)?)
    }

    /// Bytes of its checkpoints.
    pub fn checkpoint_bytes(&self) -> Result<u64, PastError> {
        let path = self.path.join(CHECKPOINTS);
        Ok(if path.is_dir() { bytes(&path)? } else { 0 })
    }

    fn read(&self, name: &str) -> Result<String, PastError> {
        let path = self.path.join(name);
        if !path.exists() {
            return Err(PastError::Missing { path });
        }
        let bytes = fs::read(&path).map_err(|cause| OutputError::io("read", &path, cause))?;
        String::from_utf8(bytes).map_err(|_| self.damaged(name, "it is not text"))
    }

    fn damaged(&self, name: &str, message: impl ToString) -> PastError {
        let path = self.path.join(name);
        let message = message.to_string().trim_end().replace('\n', "; ");
        PastError::Damaged { path, message }
    }
}

/// Bytes of the files in a directory and those below; links are not followed.
fn bytes(directory: &Path) -> Result<u64, OutputError> {
    let failure = |cause| OutputError::io("read", directory, cause);
    let mut sum = 0;
    for entry in fs::read_dir(directory).map_err(failure)? {
        let entry = entry.map_err(failure)?;
        // A file that a run removed since the listing has no size.
        let Ok(about) = entry.metadata() else {
            continue;
        };
        sum += if about.is_dir() {
            bytes(&entry.path())?
        } else {
            about.len()
        };
    }
    Ok(sum)
}
