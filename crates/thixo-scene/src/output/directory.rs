//! The directory of a run.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thixo::Scalar;

use super::assets::former_assets;
use super::atomic_file::{TEMPORARY, remove_file, write_whole};
use super::frame::Frame;
use super::lock::Lock;
use super::{Format, OutputError, RunRecord, pvd, stats};
use crate::shape::PackedAsset;

/// Treatment of a directory that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    Refuse,
    /// Remove the files of the run in it.
    Replace,
}

/// The directory of a run, which nobody else may write into as long as this lives.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Copies of the files that the run before needed.
    pub(super) former_assets: Vec<String>,
    _lock: Lock,
}

pub(super) const SCENE: &str = "scene.toml";
pub(super) const RECORD: &str = "run.json";
pub(super) const STATS: &str = "stats.csv";
pub(super) const PARTICLES: &str = "particles";
pub(super) const CHECKPOINTS: &str = "checkpoint";
/// Folders of what is made from a run afterwards: pictures, surfaces, plots.
const IMAGES: &str = "images";
const MESH: &str = "mesh";
const PLOTS: &str = "plots";
const EXPORT: &str = "export";
const CHECKPOINT: &str = "thixo";

impl RunDirectory {
    /// The folder in it with copies of the files that the scene needs.
    pub const ASSETS: &str = "assets";
    /// The folder in it with pictures of the frames.
    pub const IMAGES: &str = IMAGES;
    /// The file in [`IMAGES`](Self::IMAGES) with several times of the run in one picture.
    pub const CONTACT_SHEET: &str = "contact.png";
    /// The file in it with the pictures as a video.
    pub const VIDEO: &str = "video.mp4";
    /// The file in it with the pictures as an animation.
    pub const ANIMATION: &str = "animation.png";

    /// Refuses to put a run into a directory where it would replace what it is made from: the scene
    /// in `scene_file`, unless it holds `text`, the scene as run, already; or one of the `assets`,
    /// unless it is a copy that a run made, and that stays until the next has its own.
    pub fn refuse_own_input(
        path: &Path,
        (scene_file, text): (&Path, &str),
        assets: &[PackedAsset],
    ) -> Result<(), OutputError> {
        let Ok(place) = fs::canonicalize(path) else {
            return Ok(());
        };
        let refused = |path: &Path| {
            let path = path.to_owned();
            Err(OutputError::OwnInput { path })
        };
        let is_there = |file: &Path, is_replaced: &dyn Fn(&Path) -> bool| {
            let file = fs::canonicalize(file);
            file.is_ok_and(|file| file.strip_prefix(&place).is_ok_and(is_replaced))
        };
        let is_scene = is_there(scene_file, &|file| file == Path::new(SCENE));
        if is_scene && fs::read(scene_file).is_ok_and(|now| now != text.as_bytes()) {
            return refused(scene_file);
        }
        let is_of_run = |file: &Path| {
            let folder = file.parent().unwrap_or(Path::new(""));
            [PARTICLES, CHECKPOINTS, IMAGES, MESH, PLOTS]
                .map(Path::new)
                .contains(&folder)
        };
        match assets
            .iter()
            .find(|asset| is_there(&asset.source, &is_of_run))
        {
            Some(asset) => refused(&asset.source),
            None => Ok(()),
        }
    }

    /// Makes the directory, or empties it of an earlier run. `stats_header` is the first line of
    /// its budgets, see [`stats::header`].
    pub fn create(
        path: &Path,
        existing: Existing,
        stats_header: &str,
    ) -> Result<Self, OutputError> {
        let there = fs::symlink_metadata(path).is_ok();
        if there && existing == Existing::Refuse {
            let path = path.to_owned();
            return Err(OutputError::Exists { path });
        }
        if path.join(SCENE).exists() && !path.join(RECORD).exists() {
            let path = path.join(SCENE);
            return Err(OutputError::NotOfARun { path });
        }
        fs::create_dir_all(path).map_err(|cause| OutputError::io("create", path, cause))?;
        let directory = Self {
            path: path.to_owned(),
            _lock: Lock::take(path)?,
            former_assets: former_assets(path),
        };
        if there {
            directory.remove_run()?;
        }
        for part in [PARTICLES, CHECKPOINTS] {
            let part = path.join(part);
            fs::create_dir_all(&part).map_err(|cause| OutputError::io("create", &part, cause))?;
        }
        write_whole(&directory.stats(), |out| writeln!(out, "{stats_header}"))?;
        Ok(directory)
    }

    /// The directory of a run that is to go on.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        if !path.join(SCENE).is_file() {
            let path = path.to_owned();
            return Err(OutputError::NoRun { path });
        }
        let directory = Self {
            path: path.to_owned(),
            _lock: Lock::take(path)?,
            former_assets: former_assets(path),
        };
        for file in directory.unfinished()? {
            remove_file(&file)?;
        }
        Ok(directory)
    }

    /// Removes what an earlier run wrote, and nothing else. Its assets stay until those of the next
    /// are there.
    fn remove_run(&self) -> Result<(), OutputError> {
        // Checkpoints go first: as long as there is one, everything before it must be there, too.
        let mut old: Vec<PathBuf> = self.checkpoints()?.into_iter().map(|c| c.1).collect();
        old.extend([RECORD, STATS, SCENE].map(|name| self.path.join(name)));
        old.extend(self.frames()?.into_iter().map(|frame| frame.1));
        old.extend(Format::ALL.map(|format| self.series(format)));
        old.extend(self.products()?);
        old.extend(self.unfinished()?);
        old.iter().try_for_each(|path| remove_file(path))?;
        for folder in [IMAGES, MESH, PLOTS, EXPORT] {
            // A file that somebody else put there stays, and the folder with it.
            let _ = fs::remove_dir(self.path.join(folder));
        }
        Ok(())
    }

    /// Pictures, video, surfaces and plots of the run: of frames that are about to be others.
    fn products(&self) -> Result<Vec<PathBuf>, OutputError> {
        let mut found: Vec<PathBuf> = [Self::VIDEO, Self::ANIMATION]
            .map(|name| self.path.join(name))
            .into();
        found.push(self.path.join(IMAGES).join(Self::CONTACT_SHEET));
        found.extend(self.pictures()?.into_iter().map(|picture| picture.1));
        let is_frame = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("frame_") && path.is_file()
        };
        found.extend(files(&self.path.join(MESH))?.into_iter().filter(is_frame));
        found.push(self.path.join(MESH).join("surfaces.usdc"));
        let exported = ["particles.usdc", "particles.vtkhdf"];
        found.extend(exported.map(|name| self.path.join(EXPORT).join(name)));
        let is_plot = |path: &PathBuf| {
            let end = path.extension().unwrap_or_default();
            (end == "png" || end == "svg" || end == "csv") && path.is_file()
        };
        found.extend(files(&self.path.join(PLOTS))?.into_iter().filter(is_plot));
        Ok(found)
    }

    /// Removes particles and pictures of frames after `last`: of a run that once went further.
    pub fn remove_frames_after(&self, last: u32) -> Result<(), OutputError> {
        for (frame, path) in self.frames()?.into_iter().chain(self.pictures()?) {
            if frame > last {
                remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the scene as run.
    pub fn write_scene(&self, text: &str) -> Result<(), OutputError> {
        let path = self.path.join(SCENE);
        write_whole(&path, |out| out.write_all(text.as_bytes()))
    }

    /// Writes or replaces the record of the run.
    pub fn write_record(&self, record: &RunRecord) -> Result<(), OutputError> {
        write_whole(&self.path.join(RECORD), |out| {
            serde_json::to_writer_pretty(&mut *out, record)?;
            writeln!(out)
        })
    }

    /// Writes a frame in a format.
    pub fn write_frame<T: Scalar>(
        &self,
        frame: &Frame<T>,
        format: Format,
    ) -> Result<(), OutputError> {
        let name = format!("frame_{:05}.{}", frame.number, format.extension());
        let path = self.path.join(PARTICLES).join(name);
        write_whole(&path, |out| format.write(out, frame))
    }

    /// Writes the collection of the frames of a format that has one: of all that are there and in
    /// the budgets.
    pub fn write_series(&self, format: Format) -> Result<(), OutputError> {
        if !format.has_series() {
            return Ok(());
        }
        let stats = self.stats();
        let text = fs::read_to_string(&stats).map_err(|e| OutputError::io("read", &stats, e))?;
        let mut times: BTreeMap<u32, f64> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let mut fields = line.split(',');
            let frame: Option<u32> = fields.next().and_then(|field| field.parse().ok());
            let time: Option<f64> = fields.next().and_then(|field| field.parse().ok());
            times.extend(frame.zip(time));
        }
        let mut frames = numbered(&self.path.join(PARTICLES), &[format.extension()])?;
        frames.sort();
        let file = |(number, path): (u32, PathBuf)| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((*times.get(&number)?, name))
        };
        let files: Vec<(f64, String)> = frames.into_iter().filter_map(file).collect();
        write_whole(&self.series(format), |out| pvd::write(out, &files))
    }

    fn series(&self, format: Format) -> PathBuf {
        let name = format!("series_{}.pvd", format.extension());
        self.path.join(PARTICLES).join(name)
    }

    /// Adds a line to the budgets in one piece.
    pub fn append_stats(&self, row: &str) -> Result<(), OutputError> {
        let append = |mut file: File| file.write_all(format!("{row}\n").as_bytes());
        self.with_stats(append)
    }

    /// Makes sure that the budgets are on the disk.
    pub fn sync_stats(&self) -> Result<(), OutputError> {
        self.with_stats(|file| file.sync_all())
    }

    /// Cuts the budgets behind the line of a frame; `header` is the first line of the run that goes
    /// on.
    pub fn cut_stats(&self, frame: u32, header: &str) -> Result<(), OutputError> {
        let path = self.stats();
        let text = fs::read(&path).map_err(|cause| OutputError::io("read", &path, cause))?;
        let text = String::from_utf8_lossy(&text);
        match stats::until(&text, frame, header) {
            Ok(kept) => write_whole(&path, |out| out.write_all(kept.as_bytes())),
            Err(frame) => Err(OutputError::MissingStats { path, frame }),
        }
    }

    fn stats(&self) -> PathBuf {
        self.path.join(STATS)
    }

    fn with_stats(&self, work: impl FnOnce(File) -> io::Result<()>) -> Result<(), OutputError> {
        let path = self.stats();
        let file = OpenOptions::new().append(true).open(&path);
        file.and_then(work)
            .map_err(|cause| OutputError::io("append to", &path, cause))
    }

    /// Name of the checkpoint of a frame.
    pub(super) fn checkpoint(&self, frame: u32) -> PathBuf {
        let name = format!("frame_{frame:05}.{CHECKPOINT}");
        self.path.join(CHECKPOINTS).join(name)
    }

    /// Frame and path of all checkpoints, the last first.
    pub(super) fn checkpoints(&self) -> Result<Vec<(u32, PathBuf)>, OutputError> {
        checkpoints_in(&self.path)
    }

    /// Frame and path of all particle files.
    fn frames(&self) -> Result<Vec<(u32, PathBuf)>, OutputError> {
        let formats = Format::ALL.map(Format::extension);
        numbered(&self.path.join(PARTICLES), &formats)
    }

    /// Frame and path of all pictures.
    fn pictures(&self) -> Result<Vec<(u32, PathBuf)>, OutputError> {
        numbered(&self.path.join(IMAGES), &["png"])
    }

    /// Files of which only a part was written when a run was killed.
    fn unfinished(&self) -> Result<Vec<PathBuf>, OutputError> {
        let mut found = Vec::new();
        for part in ["", Self::ASSETS, PARTICLES, CHECKPOINTS, IMAGES] {
            found.extend(files(&self.path.join(part))?);
        }
        found.retain(|path| path.extension().is_some_and(|end| end == TEMPORARY));
        Ok(found)
    }
}

/// Frame and path of all checkpoints in the directory of a run, the last first.
pub(super) fn checkpoints_in(path: &Path) -> Result<Vec<(u32, PathBuf)>, OutputError> {
    let mut found = numbered(&path.join(CHECKPOINTS), &[CHECKPOINT])?;
    found.sort_by(|a, b| b.cmp(a));
    Ok(found)
}

/// Paths in a directory that may be absent.
fn files(directory: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let failure = |cause| OutputError::io("read", directory, cause);
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(directory).map_err(failure)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<Result<_, _>>().map_err(failure)
}

/// Files `frame_00012.ext` of a directory with their numbers.
pub(super) fn numbered(
    directory: &Path,
    extensions: &[&str],
) -> Result<Vec<(u32, PathBuf)>, OutputError> {
    let number = |path: &Path| {
        let (name, extension) = path.file_name()?.to_str()?.split_once('.')?;
        let is_ours = extensions.contains(&extension);
        name.strip_prefix("frame_")?
            .parse()
            .ok()
            .filter(|_| is_ours)
    };
    let paths = files(directory)?.into_iter();
    Ok(paths
        .filter_map(|path| Some((number(&path)?, path)))
        .collect())
}
