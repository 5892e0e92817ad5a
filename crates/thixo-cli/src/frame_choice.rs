//! `--frames A..B --every N`: which frames of a run a command is about.

use std::path::PathBuf;

use anyhow::{Error, bail};
use clap::Args;
use thixo_scene::PastRun;

use crate::console::warn;
use crate::frame_range::FrameRange;

/// Choice of frames.
#[derive(Args, Clone, Copy, Debug)]
pub struct FrameChoice {
    /// Take only frames A to B, both included: 10..20, 10.., ..20, or 7.
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    frames: Option<FrameRange>,
    /// Take every Nth of these frames.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
}

impl Default for FrameChoice {
    /// All.
    fn default() -> Self {
        Self {
            frames: None,
            every: 1,
        }
    }
}

impl FrameChoice {
    /// The distance of the chosen ones in a run that writes frames a distance apart.
    pub fn spacing(&self, written: u32) -> u32 {
        written.saturating_mul(self.every)
    }

    /// Number and file of the frames. Those that should be there and are not are said; `written` is
    /// the distance of frames that the run writes.
    pub fn of(&self, run: &PastRun, written: u32) -> Result<Vec<(u32, PathBuf)>, Error> {
        let all = run.frame_files()?;
        let (Some((first, _)), Some((last, _))) = (all.first(), all.last()) else {
            bail!(
                "{} has no frames as PLY files; run the scene with \"ply\" among output.formats",
                run.path().display()
            );
        };
        let (first, last) = (*first, *last);
        let range = self.frames.unwrap_or_default();
        let missing: Vec<String> = (first..last)
            .step_by(written.max(1) as usize)
            .filter(|number| range.contains(*number))
            .filter(|number| all.iter().all(|(own, _)| own != number))
            .map(|number| number.to_string())
            .collect();
        let said = match &missing[..] {
            [] => None,
            [one] => Some(format!("the file of frame {one} is missing")),
            more => Some(format!(
                "the files of frames {} are missing",
                more.join(", ")
            )),
        };
        if let Some(said) = said {
            warn(&format!("warning: {said}; the others are taken"));
        }
        let chosen = all.into_iter().filter(|frame| range.contains(frame.0));
        let chosen: Vec<_> = chosen.step_by(self.every as usize).collect();
        if chosen.is_empty() {
            bail!("no frame is within --frames {range}; the run has frames {first} to {last}");
        }
        Ok(chosen)
    }
}
