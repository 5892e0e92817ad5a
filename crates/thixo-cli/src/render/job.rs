//! Drawing a run: one frame after the other, while a thread writes those that are drawn.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context, Error};
use thixo_render::apng::Animation;
use thixo_render::contact_sheet::{ContactSheet, choice};
use thixo_render::picture_writer::{Outputs, PictureWriter, QueuedPicture};
use thixo_render::timeline::{FrameSequence, Timeline};
use thixo_render::video::{Quality, Video};
use thixo_render::{Coloring, RunRenderer};
use thixo_scene::{Existing, PastRun, Render as Looks, RunDirectory, Scene};

use super::format::PictureFormat;
use super::summary::{MovingPicture, RenderSummary};
use crate::console::print_line;
use crate::exit::Failure;
use crate::frame_choice::FrameChoice;
use crate::overwrite::refuse_existing;
use crate::run::interrupt;

/// Pictures on a contact sheet unless told otherwise.
pub const ON_SHEET: u16 = 6;

/// A job of drawing: the run, its frames, and the files to make of them.
pub struct Job {
    run: PastRun,
    scene: Scene,
    /// The `[render]` table; that of the scene unless changed.
    pub looks: Looks,
    /// Frames to draw.
    pub frames: FrameChoice,
    /// Formats of the files.
    pub formats: Vec<PictureFormat>,
    /// Quality of the video.
    pub quality: Quality,
    /// Pictures on the contact sheet.
    pub on_sheet: u16,
    /// Treatment of files that exist already.
    pub existing: Existing,
    /// Messages while it draws.
    pub verbosity: Verbosity,
}

/// Messages while pictures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing.
    Silent,
    /// The name of every picture.
    EveryPicture,
}

/// Path of the picture of a frame of the run in a directory.
pub fn picture_file(directory: &Path, frame: u32) -> PathBuf {
    let images = directory.join(RunDirectory::IMAGES);
    images.join(format!("frame_{frame:05}.png"))
}

/// A frame, and the file of its particles.
type Frame = (u32, PathBuf);

/// Files that the drawing leaves.
struct Targets {
    pictures: Vec<PathBuf>,
    sheet: Option<PathBuf>,
    video: Option<PathBuf>,
    animation: Option<PathBuf>,
}

impl Job {
    /// All frames of a run, drawn as its scene says.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        let run = PastRun::open(directory)?;
        let scene = run.scene()?;
        Ok(Self {
            run,
            looks: scene.render.clone(),
            scene,
            frames: FrameChoice::default(),
            formats: PictureFormat::USUAL.into(),
            quality: Quality::default(),
            on_sheet: ON_SHEET,
            existing: Existing::Refuse,
            verbosity: Verbosity::Silent,
        })
    }

    /// The same, in place of what is there already.
    #[must_use]
    pub fn replacing(mut self) -> Self {
        self.existing = Existing::Replace;
        self
    }

    /// Dimension of the run.
    pub fn dimension(&self) -> usize {
        self.scene.dimension as usize
    }

    /// Draws. Interrupted, it keeps the pictures that are drawn, and the video that was there
    /// before.
    pub fn draw(&self) -> Result<RenderSummary, Failure> {
        let stop = interrupt::flag().map_err(Failure::Run)?;
        let begun = Instant::now();
        let (frames, targets, renderer) = self.prepare().map_err(Failure::Input)?;
        let numbers: Vec<u32> = frames.iter().map(|frame| frame.0).collect();
        let sequence = FrameSequence {
            numbers: &numbers,
            spacing: self.frames.spacing(self.scene.output.every),
            rate: self.scene.time.fps,
        };
        let timeline = Timeline::new(sequence, self.looks.speed);
        let (mut writer, mut drawn) = self
            .begin(&targets, &timeline, frames.len())
            .map_err(Failure::Input)?;
        let on_sheet = choice(frames.len(), usize::from(self.on_sheet));
        let is_moving = targets.video.is_some() || targets.animation.is_some();
        for (k, (number, path)) in frames.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted(format!(
                    "interrupted after {k} of {} frames; their pictures stay, and no video was made: draw again with thixo render {} --overwrite",
                    frames.len(),
                    self.run.path().display()
                )));
            }
            let file = targets.pictures.get(k);
            let ticks = timeline.ticks(k).filter(|_| is_moving);
            let on_sheet = targets.sheet.is_some() && on_sheet.contains(&k);
            if file.is_none() && ticks.is_none() && !on_sheet {
                continue;
            }
            let (picture, time) = renderer.draw(path).map_err(|e| Failure::Input(e.into()))?;
            let time = time.map_or(String::new(), |t| format!(", t = {t:.3} s"));
            let queued = QueuedPicture {
                picture,
                file: file.cloned(),
                ticks,
                caption: on_sheet.then(|| format!("frame {number}{time}")),
            };
            writer.add(queued).map_err(|e| Failure::Input(e.into()))?;
            if self.verbosity == Verbosity::EveryPicture {
                let file = file.map_or(String::new(), |path| format!(": {}", path.display()));
                print_line(&format!("frame {number}{file}"));
            }
        }
        writer.finish().map_err(|e| Failure::Input(e.into()))?;
        drawn.seconds = begun.elapsed().as_secs_f64();
        drawn.range = match renderer.coloring() {
            Coloring::Column(_, bar) => Some(bar.range),
            _ => None,
        };
        drawn.pictures = targets.pictures;
        Ok(drawn)
    }

    /// Everything that is found out before the first picture is drawn.
    fn prepare(&self) -> Result<(Vec<Frame>, Targets, RunRenderer), Error> {
        let frames = self.frames.of(&self.run, self.scene.output.every)?;
        let targets = self.targets(&frames);
        if self.existing == Existing::Refuse {
            let pictures = targets.pictures.iter().chain(&targets.sheet);
            refuse_existing(pictures.chain(&targets.video).chain(&targets.animation))?;
        }
        let paths: Vec<PathBuf> = frames.iter().map(|frame| frame.1.clone()).collect();
        let renderer = RunRenderer::new(&self.run, &paths, self.looks.clone())?;
        let images = self.run.path().join(RunDirectory::IMAGES);
        if !targets.pictures.is_empty() || targets.sheet.is_some() {
            fs::create_dir_all(&images)
                .with_context(|| format!("cannot create {}", images.display()))?;
        }
        Ok((frames, targets, renderer))
    }

    fn targets(&self, frames: &[Frame]) -> Targets {
        let directory = self.run.path();
        let images = directory.join(RunDirectory::IMAGES);
        let wants = |format| self.formats.contains(&format);
        let named = |format, path| wants(format).then_some(path);
        let picture = |frame: &Frame| picture_file(directory, frame.0);
        let sheet = named(
            PictureFormat::Contact,
            images.join(RunDirectory::CONTACT_SHEET),
        );
        Targets {
            pictures: match wants(PictureFormat::Png) {
                true => frames.iter().map(picture).collect(),
                false => Vec::new(),
            },
            sheet: sheet.filter(|_| self.on_sheet > 0),
            video: named(PictureFormat::Mp4, directory.join(RunDirectory::VIDEO)),
            animation: named(PictureFormat::Apng, directory.join(RunDirectory::ANIMATION)),
        }
    }

    /// Begins the files that all pictures go into.
    fn begin(
        &self,
        targets: &Targets,
        timeline: &Timeline,
        frames: usize,
    ) -> Result<(PictureWriter, RenderSummary), Error> {
        let size = self.looks.size.map(|n| n as usize);
        let spacing = f64::from(self.frames.spacing(self.scene.output.every));
        let mut drawn = RenderSummary::new(timeline, frames, spacing / self.scene.time.fps);
        let mut outputs = Outputs::default();
        if let Some(path) = &targets.video {
            let video = Video::create(path, size, self.quality, timeline.rate())?;
            drawn.video = Some(MovingPicture::new(path, video.size(), size));
            outputs = outputs.with_video(video);
        }
        if let Some(path) = &targets.animation {
            let animation = Animation::create(path, size, timeline.pictures())?;
            drawn.animation = Some(MovingPicture::new(path, animation.size(), size));
            outputs = outputs.with_animation(animation);
        }
        if let Some(path) = &targets.sheet {
            let count = usize::from(self.on_sheet).min(frames);
            outputs = outputs.with_sheet(ContactSheet::new(count, size, size[0]), path);
            drawn.sheet = Some(path.clone());
        }
        Ok((PictureWriter::start(outputs)?, drawn))
    }
}
