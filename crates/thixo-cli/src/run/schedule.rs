//! Intervals at which checkpoints and pictures are made beside the simulation. Results do not
//! depend on them.

use std::time::{Duration, Instant};

/// Decides after which frames something is due.
#[derive(Debug)]
pub struct Schedule {
    every: Option<u32>,
    /// At least this long apart …
    apart: Duration,
    /// … and at least this many times as long as the last one took.
    share: u32,
    last: Instant,
    took: Duration,
}

impl Schedule {
    /// Of checkpoints: every so many frames, or by the clock.
    pub fn of_checkpoints(every: Option<u32>) -> Self {
        Self::new(every, Duration::from_secs(30), 20)
    }

    /// Of pictures while the run goes on: they take a tenth of its time at most, and the first one
    /// is due at once.
    pub fn of_pictures() -> Self {
        Self::new(None, Duration::ZERO, 9)
    }

    fn new(every: Option<u32>, apart: Duration, share: u32) -> Self {
        Self {
            every,
            apart,
            share,
            last: Instant::now(),
            took: Duration::ZERO,
        }
    }

    /// True if one is due after a frame.
    pub fn is_due(&self, frame: u32) -> bool {
        match self.every {
            Some(every) => frame.is_multiple_of(every.max(1)),
            None => self.last.elapsed() >= self.apart.max(self.took * self.share),
        }
    }

    /// Takes note of one that was begun at `start` and is done.
    pub fn done(&mut self, start: Instant) {
        self.took = start.elapsed();
        self.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_wait_nine_times_as_long_as_they_took() {
        let mut schedule = Schedule::of_pictures();
        assert!(schedule.is_due(0));
        schedule.took = Duration::from_secs(60);
        assert!(!schedule.is_due(1));
        schedule.took = Duration::from_millis(1);
        std::thread::sleep(Duration::from_millis(9));
        assert!(schedule.is_due(1));
    }

    #[test]
    fn checkpoints_come_when_the_scene_wants_them() {
        let schedule = Schedule::of_checkpoints(Some(3));
        let due: Vec<u32> = (1..8).filter(|frame| schedule.is_due(*frame)).collect();
        assert_eq!(due, [3, 6]);
        assert!(!Schedule::of_checkpoints(None).is_due(3));
    }
}
