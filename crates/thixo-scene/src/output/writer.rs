//! Writing beside the simulation: frames are handed over to a thread, which puts them on the disk
//! in order.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thixo::Scalar;

use super::frame::Frame;
use super::{Format, OutputError, RunDirectory};

/// A thread that writes frames and budgets. Of two frames at most a copy exists: the one that is
/// being written and the one that waits.
#[derive(Debug)]
pub struct FrameWriter<T> {
    /// None once the thread has ended.
    running: Option<Running<T>>,
}

#[derive(Debug)]
struct Running<T> {
    jobs: SyncSender<Job<T>>,
    thread: JoinHandle<Result<Duration, OutputError>>,
}

#[derive(Debug)]
enum Job<T> {
    /// The particles of a frame, unless they are left out, and the line of its budgets.
    Frame(Option<Frame<T>>, String),
    /// Says when everything before is on the disk.
    Sync(SyncSender<()>),
}

impl<T: Scalar> FrameWriter<T> {
    /// Starts the thread.
    pub fn start(directory: Arc<RunDirectory>, formats: Vec<Format>) -> Result<Self, OutputError> {
        // Without a queue: a frame that nobody writes yet would only take memory.
        let (jobs, received) = sync_channel(0);
        let path = directory.path().to_owned();
        let thread = std::thread::Builder::new()
            .name("thixo-output".to_owned())
            .spawn(move || write_all(&directory, &formats, &received))
            .map_err(|cause| OutputError::io("start a thread to write", &path, cause))?;
        Ok(Self {
            running: Some(Running { jobs, thread }),
        })
    }

    /// Hands over the particles of a frame and the line of its budgets; waits while the frame
    /// before is being written. What could not be written is reported by the next call.
    pub fn hand_over(&mut self, frame: Option<Frame<T>>, row: String) -> Result<(), OutputError> {
        self.send(Job::Frame(frame, row))
    }

    /// Waits until everything handed over is on the disk.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        let (done, waiting) = sync_channel(1);
        self.send(Job::Sync(done))?;
        match waiting.recv() {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failure()),
        }
    }

    /// Waits until everything is written; returns how long the thread has worked.
    pub fn finish(mut self) -> Result<Duration, OutputError> {
        match self.running.take() {
            None => Err(OutputError::Writer),
            Some(running) => running.end(),
        }
    }

    fn send(&mut self, job: Job<T>) -> Result<(), OutputError> {
        let running = self.running.as_ref().ok_or(OutputError::Writer)?;
        match running.jobs.send(job) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failure()),
        }
    }

    /// The reason for which the thread has ended.
    fn failure(&mut self) -> OutputError {
        let outcome = self.running.take().map(Running::end);
        outcome.and_then(Result::err).unwrap_or(OutputError::Writer)
    }
}

impl<T> Running<T> {
    fn end(self) -> Result<Duration, OutputError> {
        drop(self.jobs);
        self.thread.join().unwrap_or(Err(OutputError::Writer))
    }
}

/// The work of the thread.
fn write_all<T: Scalar>(
    directory: &RunDirectory,
    formats: &[Format],
    jobs: &Receiver<Job<T>>,
) -> Result<Duration, OutputError> {
    let mut busy = Duration::ZERO;
    for job in jobs {
        let start = Instant::now();
        match job {
            Job::Frame(frame, row) => {
                for format in formats {
                    if let Some(frame) = &frame {
                        directory.write_frame(frame, *format)?;
                    }
                }
                directory.append_stats(&row)?;
                if frame.is_some() {
                    for format in formats {
                        directory.write_series(*format)?;
                    }
                }
            }
            Job::Sync(done) => {
                directory.sync_stats()?;
                // If nobody waits any more, nobody needs to know.
                let _ = done.send(());
            }
        }
        busy += start.elapsed();
    }
    Ok(busy)
}
