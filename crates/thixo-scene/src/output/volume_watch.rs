//! Volume that particles fill against the volume that they say they have.
//!
//! Particles that spread or clump while their volume ratios J stay as they are fill another volume
//! than Σ J V⁰. Both are in the budgets; their quotient is watched from the first frame in which
//! the filled volume is known, since samplings that are not lattices begin a little off 1.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::run_watch::FrameBudget;

/// Relative change of the quotient of filled and own volume that passes unsaid \[–\].
const TOLERANCE: f64 = 0.02;

/// Follows the volumes of a run, frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeWatch {
    /// Quotient in the first frame in which it is known \[–\].
    first: Option<f64>,
    mismatch: Option<VolumeMismatch>,
}

/// Particles that fill another volume than their volume ratios add up to, by more than a fiftieth
/// beyond what it was at first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VolumeMismatch {
    /// The first frame in which that was so.
    pub frame: u32,
    /// Simulated time of that frame \[s\].
    pub time: f64,
    /// The frame of the largest difference so far.
    pub worst_frame: u32,
    /// Volume that the particles filled in that frame \[m³\], above 0.
    pub filled_volume: f64,
    /// Volume Σ J V⁰ in that frame \[m³\], above 0.
    pub volume: f64,
    /// Quotient of the two in the first frame in which it was known \[–\], above 0.
    pub first_ratio: f64,
}

impl VolumeMismatch {
    /// Room that the particles take in the worst frame, over the room that they took at first for
    /// the same volume ratios \[–\]: above 1 where they have spread, below where they have clumped.
    pub fn spread(&self) -> f64 {
        self.filled_volume / self.volume / self.first_ratio
    }
}

impl VolumeWatch {
    /// Takes note of the next frame. Returns the mismatch in the frame in which it is noticed, and
    /// none before and after.
    pub fn observe(&mut self, budget: &FrameBudget) -> Option<VolumeMismatch> {
        let is_volume = |v: &f64| v.is_finite() && *v > 0.0;
        let filled_volume = budget.filled_volume.filter(is_volume)?;
        let volume = budget.volume.filter(is_volume)?;
        let first_ratio = *self.first.get_or_insert(filled_volume / volume);
        let now = VolumeMismatch {
            frame: budget.frame,
            time: budget.time,
            worst_frame: budget.frame,
            filled_volume,
            volume,
            first_ratio,
        };
        let size = |mismatch: &VolumeMismatch| mismatch.spread().ln().abs();
        if let Some(before) = &mut self.mismatch {
            if size(&now) > size(before) {
                let VolumeMismatch { frame, time, .. } = *before;
                *before = VolumeMismatch { frame, time, ..now };
            }
            return None;
        }
        if (now.spread() - 1.0).abs() > TOLERANCE {
            self.mismatch = Some(now);
        }
        self.mismatch
    }

    /// The mismatch up to now, if there was any.
    pub fn mismatch(&self) -> Option<VolumeMismatch> {
        self.mismatch
    }
}

impl fmt::Display for VolumeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            frame,
            time,
            worst_frame,
            filled_volume,
            volume,
            ..
        } = self;
        let change = 100.0 * (self.spread() - 1.0);
        let (more, moved) = match change > 0.0 {
            true => ("more", "spread"),
            false => ("less", "clumped"),
        };
        write!(
            f,
            "in frame {worst_frame} particles fill {filled_volume:.4e} m³ while their volume \
             ratios add up to {volume:.4e} m³, {:.2} % {more} than at first (by more than 2 % \
             since frame {frame}, t = {time:.4} s): they have {moved}, and their J did not follow, \
             so that volume, density and pressure do not belong together. Make steps shorter \
             (time.cfl, time.longest_step) or explicit (physics.integrator), or take more \
             particles per cell",
            change.abs()
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn budget(frame: u32, volume: f64, filled_volume: Option<f64>) -> FrameBudget {
        FrameBudget {
            frame,
            time: 0.25 * f64::from(frame),
            mass: 1.0,
            kinetic: 0.0,
            elastic: 0.0,
            potential: 0.0,
            volume: Some(volume),
            filled_volume,
            smallest_volume_ratio: None,
        }
    }

    fn watched(frames: &[(f64, Option<f64>)]) -> (VolumeWatch, Vec<u32>) {
        let mut watch = VolumeWatch::default();
        let mut noticed = Vec::new();
        for (frame, (volume, filled)) in (0..).zip(frames) {
            if watch.observe(&budget(frame, *volume, *filled)).is_some() {
                noticed.push(frame);
            }
        }
        (watch, noticed)
    }

    /// Compression that J knows of is none of its business.
    #[test]
    fn volumes_that_change_together_are_right() {
        let frames = [
            (2.0, None),
            (2.0, Some(2.06)),
            (1.0, Some(1.02)),
            (3.0, Some(3.13)),
            (3.0, None),
        ];
        let (watch, noticed) = watched(&frames);
        assert!(noticed.is_empty() && watch.mismatch().is_none());
    }

    #[test]
    fn particles_that_spread_or_clump_are_noticed_once_and_the_worst_is_kept() {
        let (watch, noticed) = watched(&[
            (2.0, Some(2.0)),
            (2.0, Some(2.05)),
            (2.1, Some(4.2)),
            (2.0, Some(2.1)),
        ]);
        assert_eq!(noticed, [1]);
        let found = watch.mismatch().unwrap();
        assert_eq!((found.frame, found.time, found.worst_frame), (1, 0.25, 2));
        assert!((found.spread() - 2.0).abs() < 1e-12);
        let text = found.to_string();
        assert!(
            text.contains("100.00 % more") && text.contains("have spread"),
            "{text}"
        );
        assert!(text.contains("time.cfl"), "{text}");

        let (watch, noticed) = watched(&[(2.0, Some(2.0)), (2.0, Some(1.9))]);
        assert_eq!(noticed, [1]);
        let text = watch.mismatch().unwrap().to_string();
        assert!(
            text.contains("5.00 % less") && text.contains("have clumped"),
            "{text}"
        );
    }
}
