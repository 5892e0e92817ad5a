//! When checkpoints are written. Results do not depend on it.

use std::time::{Duration, Instant};

/// Without a wish of the scene: at least this long apart …
const APART: Duration = Duration::from_secs(30);
/// … and at least this many times as long as the last one took.
const SHARE: u32 = 20;

/// Decides after which frames a checkpoint is due.
#[derive(Debug)]
pub struct CheckpointPace {
    every: Option<u32>,
    last: Instant,
    took: Duration,
}

impl CheckpointPace {
    /// Every so many frames, or by the clock.
    pub fn new(every: Option<u32>) -> Self {
        Self {
            every,
            last: Instant::now(),
            took: Duration::ZERO,
        }
    }

    /// Whether one is due after a frame.
    pub fn is_due(&self, frame: u32) -> bool {
        match self.every {
            Some(every) => frame.is_multiple_of(every.max(1)),
            None => self.last.elapsed() >= APART.max(self.took * SHARE),
        }
    }

    /// Takes note of one that was begun at `start` and is done.
    pub fn done(&mut self, start: Instant) {
        self.took = start.elapsed();
        self.last = Instant::now();
    }
}
