//! Energy that appears from nowhere: how much of it a run has by now.
//!
//! With E = kinetic + elastic + potential energy of a frame, a run without drivers has gained
//!
//! > ΔE(t) = E(t) − E(0)
//!
//! of the energy that there was for it to handle,
//!
//! > A(t) = K(0) + El(0) + P(0) − min P,
//!
//! where the smallest potential energy is that of all frames so far. Friction, flow and transfers
//! between particles and grid make ΔE negative. Where it exceeds a hundredth of A, the numbers of
//! the run are not to be trusted.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::run_watch::FrameBudget;

/// Share of the available energy that a run may gain \[–\].
const TOLERANCE: f64 = 0.01;

/// Follows the energy of a run without drivers, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyWatch {
    /// Speed below which matter counts as at rest \[m/s\].
    rest_speed: f64,
    /// Energies of the first frame, and the least potential energy so far.
    known: Option<Known>,
    growth: Option<EnergyGrowth>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    /// K(0) + El(0) \[J\].
    stored: f64,
    /// P(0) \[J\].
    potential: f64,
    /// min P \[J\].
    lowest: f64,
}

/// Energy that a run without drivers has gained: more than a hundredth of what it had to handle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnergyGrowth {
    /// The first frame in which that was so.
    pub frame: u32,
    /// Simulated time of that frame \[s\].
    pub time: f64,
    /// The frame of the largest gain so far.
    pub worst_frame: u32,
    /// Energy gained in that frame since frame 0 \[J\], above 0.
    pub gained: f64,
    /// Energy that was available up to that frame: kinetic and elastic energy of frame 0, and the
    /// potential energy given up since \[J\]; 0 or more.
    pub available: f64,
}

impl EnergyWatch {
    /// At the start; matter slower than `rest_speed` ≥ 0 \[m/s\] is at rest, and its energy is
    /// rounding.
    pub fn new(rest_speed: f64) -> Self {
        Self {
            rest_speed,
            known: None,
            growth: None,
        }
    }

    /// Takes note of the next frame, from the first on. Returns the growth in the frame in which it
    /// is noticed, and none before and after.
    pub fn observe(&mut self, budget: &FrameBudget) -> Option<EnergyGrowth> {
        let stored = budget.kinetic + budget.elastic;
        let known = self.known.get_or_insert(Known {
            stored,
            potential: budget.potential,
            lowest: budget.potential,
        });
        known.lowest = known.lowest.min(budget.potential);
        let gained = (stored - known.stored) + (budget.potential - known.potential);
        let available = known.stored + (known.potential - known.lowest);
        let rounding = 0.5 * budget.mass * self.rest_speed * self.rest_speed;
        if let Some(growth) = &mut self.growth {
            if gained > growth.gained {
                growth.worst_frame = budget.frame;
                growth.gained = finite(gained);
                growth.available = finite(available);
            }
            return None;
        }
        if gained > TOLERANCE * available + rounding {
            self.growth = Some(EnergyGrowth {
                frame: budget.frame,
                time: budget.time,
                worst_frame: budget.frame,
                gained: finite(gained),
                available: finite(available),
            });
        }
        self.growth
    }

    /// The growth up to now, if there was any.
    pub fn growth(&self) -> Option<EnergyGrowth> {
        self.growth
    }
}

/// An energy that JSON can hold, which has no infinity.
fn finite(energy: f64) -> f64 {
    energy.min(f64::MAX)
}

impl fmt::Display for EnergyGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            frame,
            time,
            worst_frame,
            gained,
            available,
        } = self;
        write!(f, "energy grew by {gained:.4e} J up to frame {worst_frame}")?;
        if *available > 0.0 {
            let percent = 100.0 * gained / available;
            write!(
                f,
                ", {percent:.3} % of the {available:.4e} J that there were"
            )?;
        } else {
            write!(f, ", though there was none")?;
        }
        write!(
            f,
            " (by more than 1 % since frame {frame}, t = {time:.4} s), and nothing in the scene \
             gives any: do not trust what follows. Make steps shorter (time.safety, time.cfl, \
             time.longest_step), choose another physics.transfer (\"mls\" or \"apic\"), make \
             contacts softer (\"slip\", less friction); if nothing helps, report it"
        )
    }
}

/// Error of a run that was to stop where its energy grows, `time.stop_on_energy_growth`.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("time.stop_on_energy_growth ends the run: {growth}")]
pub struct StoppedOnGrowth {
    /// The growth.
    pub growth: EnergyGrowth,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A budget of 2 kg at a frame, with kinetic, elastic and potential energy \[J\].
    fn budget(frame: u32, [kinetic, elastic, potential]: [f64; 3]) -> FrameBudget {
        FrameBudget {
            frame,
            time: 0.5 * f64::from(frame),
            mass: 2.0,
            kinetic,
            elastic,
            potential,
            volume: None,
            filled_volume: None,
            smallest_volume_ratio: None,
        }
    }

    fn watched(frames: &[[f64; 3]]) -> (EnergyWatch, Vec<u32>) {
        let mut watch = EnergyWatch::new(1e-3);
        let mut noticed = Vec::new();
        for (frame, energies) in (0..).zip(frames) {
            if watch.observe(&budget(frame, *energies)).is_some() {
                noticed.push(frame);
            }
        }
        (watch, noticed)
    }

    #[test]
    fn a_fall_that_loses_energy_is_no_growth_wherever_heights_are_measured_from() {
        for shift in [0.0, 1e4, -1e4] {
            let fall = [
                [0.0, 0.0, 100.0 + shift],
                [59.0, 0.0, 40.0 + shift],
                [10.0, 60.0, 10.0 + shift],
                [40.0, 0.0, 50.0 + shift],
            ];
            let (watch, noticed) = watched(&fall);
            assert!(noticed.is_empty() && watch.growth().is_none());
        }
    }

    /// Of 60 J that were handled, 0.61 J are more than a hundredth and 0.59 J are less, however
    /// large the potential energy is.
    #[test]
    fn growth_is_measured_by_the_energy_that_was_there_to_handle() {
        let after = |kinetic: f64| {
            let start = [0.0, 0.0, 1e5 + 60.0];
            watched(&[start, [60.0, 0.0, 1e5], [kinetic, 0.0, 1e5]])
        };
        assert!(after(60.59).1.is_empty());
        let (watch, noticed) = after(60.61);
        assert_eq!(noticed, [2]);
        let growth = watch.growth().unwrap();
        assert_eq!((growth.frame, growth.time), (2, 1.0));
        assert!((growth.gained - 0.61).abs() < 1e-9 && (growth.available - 60.0).abs() < 1e-9);
    }

    #[test]
    fn growth_is_told_once_and_its_largest_value_is_kept() {
        let (watch, noticed) = watched(&[
            [1.0, 1.0, 0.0],
            [1.5, 0.6, 0.0],
            [4.0, 1.0, 1.0],
            [1.0, 0.0, 0.0],
        ]);
        assert_eq!(noticed, [1]);
        let growth = watch.growth().unwrap();
        assert_eq!((growth.frame, growth.worst_frame), (1, 2));
        assert_eq!((growth.gained, growth.available), (4.0, 2.0));
        let text = growth.to_string();
        assert!(
            text.contains("4.0000e0 J up to frame 2, 200.000 %"),
            "{text}"
        );
        assert!(
            text.contains("time.cfl") && text.contains("physics.transfer"),
            "{text}"
        );
        let stopped = StoppedOnGrowth { growth }.to_string();
        assert!(
            stopped.starts_with("time.stop_on_energy_growth ends the run: energy grew by"),
            "{stopped}"
        );
    }

    /// 2 kg at a millimetre per second have 1e-6 J.
    #[test]
    fn rounding_of_matter_at_rest_is_no_growth() {
        assert!(watched(&[[0.0; 3], [0.9e-6, 0.0, 0.0]]).1.is_empty());
        let (watch, noticed) = watched(&[[0.0; 3], [1.1e-6, 0.0, 0.0]]);
        assert_eq!(noticed, [1]);
        assert!(
            watch
                .growth()
                .unwrap()
                .to_string()
                .contains("there was none")
        );
    }

    #[test]
    fn numbers_that_overflow_stay_writable() {
        let (watch, _) = watched(&[[1.0, 0.0, 0.0], [f64::INFINITY, 0.0, 0.0]]);
        let growth = watch.growth().unwrap();
        assert_eq!(growth.gained, f64::MAX);
        let text = serde_json::to_string(&growth).unwrap();
        assert_eq!(serde_json::from_str::<EnergyGrowth>(&text).unwrap(), growth);
        assert!(
            watched(&[[1.0, 0.0, 0.0], [f64::NAN, 0.0, 0.0]])
                .1
                .is_empty()
        );
    }
}
