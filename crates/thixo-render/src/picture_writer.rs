//! Pictures to files, beside the drawing: a thread writes what was drawn while the next picture is
//! being drawn.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use thixo_scene::AtomicFile;

use crate::apng::Animation;
use crate::contact_sheet::ContactSheet;
use crate::error::RenderError;
use crate::picture::{Picture, png_file};
use crate::video::Video;

/// A picture, and what becomes of it.
#[derive(Clone, Debug)]
pub struct QueuedPicture {
    /// The picture.
    pub picture: Picture,
    /// The PNG file that it becomes, if it does.
    pub file: Option<PathBuf>,
    /// Duration in video and animation \[ticks\]; none if it is in neither.
    pub ticks: Option<u32>,
    /// The words below it on the contact sheet, if it comes there.
    pub caption: Option<String>,
}

/// Files made of many pictures: video, animation, contact sheet.
#[derive(Default)]
pub struct Outputs {
    video: Option<Video>,
    animation: Option<Animation>,
    sheet: Option<(ContactSheet, PathBuf)>,
}

impl Outputs {
    /// Also makes a video.
    #[must_use]
    pub fn with_video(mut self, video: Video) -> Self {
        self.video = Some(video);
        self
    }

    /// Also makes an animation.
    #[must_use]
    pub fn with_animation(mut self, animation: Animation) -> Self {
        self.animation = Some(animation);
        self
    }

    /// Also makes a contact sheet.
    #[must_use]
    pub fn with_sheet(mut self, sheet: ContactSheet, path: &Path) -> Self {
        self.sheet = Some((sheet, path.to_owned()));
        self
    }

    fn add(&mut self, queued: &QueuedPicture) -> Result<(), RenderError> {
        let QueuedPicture { picture, .. } = queued;
        let srgb = picture.to_srgb();
        if let Some(ticks) = queued.ticks {
            if let Some(video) = &mut self.video {
                video.add(picture, &srgb, ticks)?;
            }
            if let Some(animation) = &mut self.animation {
                animation.add(picture, &srgb, ticks)?;
            }
        }
        if let (Some(caption), Some((sheet, _))) = (&queued.caption, &mut self.sheet) {
            sheet.add(picture, caption);
        }
        match &queued.file {
            Some(path) => write_png(path, picture, &srgb),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<(), RenderError> {
        if let Some((sheet, path)) = &self.sheet {
            let sheet = sheet.picture();
            write_png(path, sheet, &sheet.to_srgb())?;
        }
        if let Some(animation) = self.animation {
            animation.finish()?;
        }
        match self.video {
            Some(video) => video.finish(),
            None => Ok(()),
        }
    }
}

fn write_png(path: &Path, picture: &Picture, srgb: &[u8]) -> Result<(), RenderError> {
    let bytes = png_file([picture.width(), picture.height()], srgb);
    let written =
        bytes.and_then(|bytes| AtomicFile::write_whole(path, |file| file.write_all(&bytes)));
    written.map_err(|cause| RenderError::write(path, cause))
}

/// A thread that writes pictures in the order in which they come. Of two at most a copy exists: the
/// one that is being written and the one that waits. If it is not finished, no video, animation or
/// sheet appears.
#[derive(Debug)]
pub struct PictureWriter {
    /// None once the thread has ended.
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    jobs: SyncSender<Job>,
    thread: JoinHandle<Result<(), RenderError>>,
}

#[derive(Debug)]
enum Job {
    Write(Box<QueuedPicture>),
    Finish,
}

impl PictureWriter {
    /// Starts the thread.
    pub fn start(outputs: Outputs) -> Result<Self, RenderError> {
        let (jobs, received) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("thixo-pictures".to_owned())
            .spawn(move || write_all(outputs, &received))
            .map_err(|_| RenderError::Writer)?;
        Ok(Self {
            running: Some(Running { jobs, thread }),
        })
    }

    /// Hands over a picture; waits while two others are not written yet. What could not be written
    /// is reported by a later call.
    pub fn add(&mut self, queued: QueuedPicture) -> Result<(), RenderError> {
        self.send(Job::Write(Box::new(queued)))
    }

    /// Waits until everything is written.
    pub fn finish(mut self) -> Result<(), RenderError> {
        self.send(Job::Finish)?;
        self.end()
    }

    fn send(&mut self, job: Job) -> Result<(), RenderError> {
        let running = self.running.as_ref().ok_or(RenderError::Writer)?;
        match running.jobs.send(job) {
            Ok(()) => Ok(()),
            Err(_) => self.end().and(Err(RenderError::Writer)),
        }
    }

    /// Waits for the thread, and says what became of it.
    fn end(&mut self) -> Result<(), RenderError> {
        let Some(Running { jobs, thread }) = self.running.take() else {
            return Err(RenderError::Writer);
        };
        drop(jobs);
        thread.join().unwrap_or(Err(RenderError::Writer))
    }
}

impl Drop for PictureWriter {
    fn drop(&mut self) {
        // The thread removes what it could not finish; what else went wrong does not matter any
        // more.
        let _ = self.end();
    }
}

/// The loop of the thread.
fn write_all(mut outputs: Outputs, jobs: &Receiver<Job>) -> Result<(), RenderError> {
    for job in jobs {
        match job {
            Job::Write(queued) => outputs.add(&queued)?,
            Job::Finish => return outputs.finish(),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Vec3;

    #[test]
    fn an_error_names_the_file() {
        let picture = Picture::filled(2, 2, Vec3::zero());
        let path = std::env::temp_dir().join("thixo-no-such-directory/no/picture.png");
        let error = write_png(&path, &picture, &picture.to_srgb()).unwrap_err();
        assert!(error.to_string().contains("no/picture.png"), "{error}");
    }
}
