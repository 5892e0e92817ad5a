//! Showing how far a run is: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use thixo::FrameReport;

use crate::console::warn;

/// Display of progress.
pub enum Progress {
    /// Nowhere.
    Silent,
    /// Lines on standard error.
    Lines {
        /// Number of the last frame.
        frames: u32,
    },
    /// A bar on a terminal.
    Bar(ProgressBar),
}

/// A frame that is done.
pub struct FrameDone<'a> {
    /// Its number.
    pub frame: u32,
    /// Simulated time \[s\].
    pub time: f64,
    /// Steps of the run so far.
    pub steps: u64,
    /// Of this frame.
    pub report: &'a FrameReport,
    /// Particles times steps per second.
    pub updates_per_second: f64,
}

impl Progress {
    /// A bar if standard error is a terminal, lines if not, for the frames after `first`.
    pub fn new(first: u32, frames: u32) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Lines { frames };
        }
        let bar = ProgressBar::new(u64::from(frames));
        let template = "frame {pos}/{len} {bar:30} {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_position(u64::from(first));
        bar.reset_eta();
        bar.set_message("starting");
        bar.tick();
        Self::Bar(bar)
    }

    /// Shows a frame.
    pub fn show(&self, done: &FrameDone<'_>) {
        let text = format!(
            "t = {:.4} s, {} steps, dt {:.2e} s, {:.1} M updates/s",
            done.time,
            done.steps,
            done.report.dt_min,
            done.updates_per_second / 1e6
        );
        self.tell(done.frame, &text);
    }

    /// Says something about a frame that is done.
    pub fn tell(&self, frame: u32, text: &str) {
        match self {
            Self::Silent => {}
            Self::Lines { frames } => {
                // That nobody reads it any more is no reason to stop.
                let _ = writeln!(std::io::stderr(), "frame {frame}/{frames}: {text}");
            }
            Self::Bar(bar) => {
                bar.set_position(u64::from(frame));
                bar.set_message(text.to_owned());
            }
        }
    }

    /// Says that something is not as it should be.
    pub fn warn(&self, text: &str) {
        match self {
            Self::Silent => {}
            Self::Lines { .. } => warn(text),
            Self::Bar(bar) => bar.suspend(|| warn(text)),
        }
    }

    /// Ends the display.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
