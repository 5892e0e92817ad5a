//! Matter that is compressed beyond what any law is made for.
//!
//! Obstacles that are driven through each other leave matter between them no room, and so do loads
//! and steps that are too much for it. Laws go on to have a stress at a hundredth of the volume,
//! but nothing that they were measured for.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::run_watch::FrameBudget;

/// Smallest volume ratio that passes unsaid \[–\]: snow packs to a quarter of its volume at most.
const LEAST_RATIO: f64 = 0.1;

/// Follows the smallest volume ratio of a run, frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompressionWatch {
    crushed: Option<CrushedMatter>,
}

/// A particle with less than a tenth of its volume at rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CrushedMatter {
    /// The first frame in which that was so.
    pub frame: u32,
    /// Simulated time of that frame \[s\].
    pub time: f64,
    /// The frame of the smallest volume ratio so far.
    pub worst_frame: u32,
    /// The volume ratio J of a particle in that frame \[–\], below 0.1.
    pub volume_ratio: f64,
}

impl CompressionWatch {
    /// Takes note of the next frame. Returns the compression in the frame in which it is noticed,
    /// and none before and after.
    pub fn observe(&mut self, budget: &FrameBudget) -> Option<CrushedMatter> {
        let volume_ratio = budget.smallest_volume_ratio?;
        // Matter that is not there has no smallest ratio, and what is not a number none either.
        if volume_ratio >= LEAST_RATIO || volume_ratio.is_nan() {
            return None;
        }
        let now = CrushedMatter {
            frame: budget.frame,
            time: budget.time,
            worst_frame: budget.frame,
            volume_ratio,
        };
        match &mut self.crushed {
            Some(before) => {
                if volume_ratio < before.volume_ratio {
                    let CrushedMatter { frame, time, .. } = *before;
                    *before = CrushedMatter { frame, time, ..now };
                }
                None
            }
            None => {
                self.crushed = Some(now);
                self.crushed
            }
        }
    }

    /// The compression up to now, if there was any.
    pub fn crushed(&self) -> Option<CrushedMatter> {
        self.crushed
    }
}

impl fmt::Display for CrushedMatter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            frame,
            time,
            worst_frame,
            volume_ratio,
        } = self;
        write!(
            f,
            "in frame {worst_frame} a particle is compressed to {:.2} % of its volume at rest (below \
             10 % since frame {frame}, t = {time:.4} s): no law holds there. Look for colliders \
             that close on each other or on a wall and leave matter no room, and for loads that \
             it cannot bear",
            100.0 * volume_ratio
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::volume_watch::tests::budget;
    use super::*;

    #[test]
    fn crushed_matter_is_noticed_once_and_the_worst_is_kept() {
        let mut watch = CompressionWatch::default();
        let ratios = [1.0, 0.11, 0.05, 0.03, 0.2];
        let mut noticed = Vec::new();
        for (frame, ratio) in (0..).zip(ratios) {
            let budget = FrameBudget {
                smallest_volume_ratio: Some(ratio),
                ..budget(frame, 1.0, None)
            };
            noticed.extend(watch.observe(&budget).map(|_| frame));
        }
        assert_eq!(noticed, [2]);
        let crushed = watch.crushed().unwrap();
        assert_eq!((crushed.frame, crushed.worst_frame), (2, 3));
        assert_eq!(crushed.volume_ratio, 0.03);
        assert!(crushed.to_string().contains("3.00 %"), "{crushed}");
    }
}
