//! A frame of a scene: matter moves, enters and leaves.

use thixo::{FrameReport, Instance, StepError};

use super::{Flow, Stream};
use crate::build::Built;

/// Parts of a frame: with more, the speed of the stream asks for more steps than anyone waits for.
const MOST_PARTS: f64 = 1e5;

/// The outcome of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrameOutcome {
    /// Report of the engine.
    pub report: FrameReport,
    /// Matter that entered and left.
    pub flow: Flow,
}

/// Times of frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameClock {
    /// Between frames \[s\].
    pub frame: f64,
    /// Grid spacing \[m\].
    pub spacing: f64,
}

impl FrameClock {
    /// The parts of a frame after which matter is emitted \[s\]. No stream moves more than half a
    /// cell in a part, so that new particles appear close to their inlet and not inside of what
    /// lies further on.
    pub fn parts<const D: usize>(
        self,
        frame: u32,
        streams: &[Stream<D>],
    ) -> impl Iterator<Item = [f64; 2]> + use<D> {
        let before = f64::from(frame) - 1.0;
        let (from, to) = (before * self.frame, f64::from(frame) * self.frame);
        let speeds = streams.iter().filter_map(|s| s.speed_between(from, to));
        let fastest = speeds.fold(0.0, f64::max);
        let count = fastest * self.frame / (0.5 * self.spacing);
        let count = count.ceil().clamp(1.0, MOST_PARTS);
        // The ends of frames are the same numbers for both frames they belong to.
        let time = move |k: u32| (before + f64::from(k) / count) * self.frame;
        (0..count as u32).map(move |k| [time(k), time(k + 1)])
    }
}

impl<T: Instance<D>, const D: usize> Built<T, D> {
    /// Simulates from the end of the frame before to the end of this one, from 1 on; emits what the
    /// emitters emit in that time and, at the end, removes what is inside of sinks. What is emitted
    /// depends on the scene and the number of the frame alone, so a run that goes on from a saved
    /// state needs to know nothing but the frame ([`resume`](Self::resume)).
    ///
    /// On error the state is that at the start of the part of the frame that failed: matter that
    /// entered stays.
    pub fn advance(&mut self, frame: u32) -> Result<FrameOutcome, StepError> {
        let mut flow = Flow::default();
        let mut report: Option<FrameReport> = None;
        let parts: Vec<[f64; 2]> = self.clock.parts(frame, &self.streams).collect();
        let duration = self.clock.frame / parts.len() as f64;
        for &[from, to] in &parts {
            let part = if self.simulation.is_empty() {
                self.simulation.wait(duration)?
            } else {
                self.simulation.advance(duration)?
            };
            report = Some(report.map_or(part, |before| before.then(part)));
            self.emit(from, to, &mut flow)?;
        }
        self.drain(f64::from(frame) * self.clock.frame, &mut flow);
        match report {
            Some(report) => Ok(FrameOutcome { report, flow }),
            None => Err(thixo::BuildError::Empty.into()),
        }
    }
}
