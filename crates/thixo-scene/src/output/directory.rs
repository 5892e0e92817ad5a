//! The directory of a run. Every file appears under its name only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;
use thixo::{Particle, Scalar};

use super::{RunRecord, ply, stats};
use crate::object::Objects;

/// What to do with a directory that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    Refuse,
    /// Remove the files of the run in it.
    Replace,
}

/// A file that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// There is something already.
    #[error("{} exists already; choose another directory or replace it with --overwrite", path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The operating system says no.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// Why not.
        #[source]
        cause: io::Error,
    },
}

/// The directory of a run.
#[derive(Clone, Debug)]
pub struct RunDirectory {
    path: PathBuf,
}

const SCENE: &str = "scene.toml";
const RECORD: &str = "run.json";
const STATS: &str = "stats.csv";
const PARTICLES: &str = "particles";

impl RunDirectory {
    /// Makes the directory, or empties it of an earlier run.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, OutputError> {
        let there = fs::symlink_metadata(path).is_ok();
        if there && existing == Existing::Refuse {
            let path = path.to_owned();
            return Err(OutputError::Exists { path });
        }
        let directory = Self {
            path: path.to_owned(),
        };
        if there {
            directory.remove_run()?;
        }
        let particles = path.join(PARTICLES);
        fs::create_dir_all(&particles).map_err(|cause| failure("create", &particles, cause))?;
        directory.write_whole(STATS, |out| writeln!(out, "{}", stats::HEADER))?;
        Ok(directory)
    }

    /// Removes what an earlier run wrote, and nothing else.
    fn remove_run(&self) -> Result<(), OutputError> {
        let frames = self.path.join(PARTICLES);
        let is_frame = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("frame_") && name.ends_with(".ply"))
        };
        let mut old: Vec<PathBuf> = [RECORD, STATS, SCENE]
            .map(|name| self.path.join(name))
            .into();
        if frames.is_dir() {
            let entries = fs::read_dir(&frames).map_err(|cause| failure("read", &frames, cause))?;
            for entry in entries {
                let path = entry
                    .map_err(|cause| failure("read", &frames, cause))?
                    .path();
                if is_frame(&path) {
                    old.push(path);
                }
            }
        }
        for path in old {
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    return Err(failure("remove", &path, cause));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the scene as run.
    pub fn write_scene(&self, text: &str) -> Result<(), OutputError> {
        self.write_whole(SCENE, |out| out.write_all(text.as_bytes()))
    }

    /// Writes or replaces the record of the run.
    pub fn write_record(&self, record: &RunRecord) -> Result<(), OutputError> {
        self.write_whole(RECORD, |out| {
            serde_json::to_writer_pretty(&mut *out, record)?;
            writeln!(out)
        })
    }

    /// Writes the particles of a frame at a simulated time \[s\].
    pub fn write_frame<T: Scalar, const D: usize>(
        &self,
        frame: u32,
        time: f64,
        particles: &[Particle<T, D>],
        objects: &Objects,
    ) -> Result<(), OutputError> {
        let name = format!("{PARTICLES}/frame_{frame:05}.ply");
        self.write_whole(&name, |out| ply::write(out, time, particles, objects))
    }

    /// Adds a line to the statistics in one piece.
    pub fn append_stats(&self, row: &str) -> Result<(), OutputError> {
        let path = self.path.join(STATS);
        let append = || {
            let mut file = OpenOptions::new().append(true).open(&path)?;
            file.write_all(format!("{row}\n").as_bytes())
        };
        append().map_err(|cause| failure("append to", &path, cause))
    }

    /// Writes a file under another name and renames it.
    fn write_whole(
        &self,
        name: &str,
        contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let path = self.path.join(name);
        let temporary = path.with_added_extension("part");
        let write = || {
            let mut out = BufWriter::new(File::create(&temporary)?);
            contents(&mut out)?;
            out.flush()?;
            drop(out);
            fs::rename(&temporary, &path)
        };
        write().map_err(|cause| {
            // What is left of the file helps nobody; that it cannot be removed either is not the error to report.
            let _ = fs::remove_file(&temporary);
            failure("write", &path, cause)
        })
    }
}

fn failure(action: &'static str, path: &Path, cause: io::Error) -> OutputError {
    let path = path.to_owned();
    OutputError::Io {
        action,
        path,
        cause,
    }
}
