//! Live preview: pictures of frames while the run goes on, to see where it is heading.
//!
//! The camera that sees all matter and the range of the colour map are known only when the last
//! frame is there. A preview is drawn as the frames so far suggest: a camera fitted to them may
//! stand elsewhere in the next picture. When the run is over, all frames are drawn again as the
//! whole suggests, which `thixo render` does as well, and with the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Error};
use thixo_render::RunRenderer;
use thixo_render::contact_sheet::choice;
use thixo_render::picture_writer::{Outputs, PictureWriter, QueuedPicture};
use thixo_scene::{PastRun, Render, RunDirectory};

use super::schedule::Schedule;
use crate::render::picture_file;

/// Frames that are looked at to fit a camera.
const MOST_FRAMES: usize = 24;

/// Draws frames of a run that goes on.
pub struct LivePreview {
    run: PastRun,
    looks: Render,
    writer: PictureWriter,
    schedule: Schedule,
}

impl LivePreview {
    /// For the run in a directory, drawn as its scene says.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        let run = PastRun::open(directory)?;
        Ok(Self {
            looks: run.scene()?.render,
            writer: PictureWriter::start(Outputs::default())?,
            schedule: Schedule::of_pictures(),
            run,
        })
    }

    /// True if a picture would not take too much of the run's time now.
    pub fn is_due(&self, frame: u32) -> bool {
        self.schedule.is_due(frame)
    }

    /// Draws a frame that is on the disk. Its file appears a little later.
    pub fn draw(&mut self, number: u32) -> Result<(), Error> {
        let start = Instant::now();
        let mut frames = self.run.frame_files()?;
        // A run that goes on finds frames that it is about to make again.
        frames.retain(|frame| frame.0 <= number);
        let some = choice(frames.len(), MOST_FRAMES);
        let paths: Vec<PathBuf> = some.into_iter().map(|k| frames[k].1.clone()).collect();
        if let Some(newest) = paths.last() {
            let renderer = RunRenderer::new(&self.run, &paths, self.looks.clone())?;
            let (picture, _) = renderer.draw(newest)?;
            let images = self.run.path().join(RunDirectory::IMAGES);
            fs::create_dir_all(&images)
                .with_context(|| format!("cannot create {}", images.display()))?;
            self.writer.add(QueuedPicture {
                picture,
                file: Some(picture_file(self.run.path(), number)),
                ticks: None,
                caption: None,
            })?;
        }
        self.schedule.done(start);
        Ok(())
    }
}
