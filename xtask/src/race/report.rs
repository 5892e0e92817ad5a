//! The report of a race: speeds, their ratio, whether the results agree, and the verdict.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::contestant::{Lap, Outcome};
use super::event::Event;
use crate::table;

/// Largest relative difference of the centres of mass. Both programs compute in single precision,
/// and sum in another order.
const COM_Y_LIMIT: f64 = 1e-4;
/// Largest relative difference of the kinetic energies.
const KINETIC_LIMIT: f64 = 1e-3;

/// One program in one heat.
pub struct Entry {
    outcome: Outcome,
    laps: Vec<Lap>,
    updates_per_lap: f64,
}

impl Entry {
    /// The laps, of `updates_per_lap` particle-updates each, and what had been computed after them.
    pub fn new(outcome: Outcome, laps: Vec<Lap>, updates_per_lap: f64) -> Self {
        Self {
            outcome,
            laps,
            updates_per_lap,
        }
    }

    /// Particle-updates per second of each lap, slowest first.
    fn rates(&self) -> Vec<f64> {
        let mut rates: Vec<f64> = self
            .laps
            .iter()
            .map(|lap| self.updates_per_lap / lap.seconds)
            .collect();
        rates.sort_by(f64::total_cmp);
        rates
    }

    fn best(&self) -> f64 {
        self.rates().last().copied().unwrap_or(f64::NAN)
    }

    fn median(&self) -> f64 {
        let rates = self.rates();
        match rates.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => rates[n / 2],
            n => 0.5 * (rates[n / 2 - 1] + rates[n / 2]),
        }
    }

    /// Least processor time of a particle-update, in nanoseconds.
    fn cpu_nanoseconds(&self) -> f64 {
        let least = self
            .laps
            .iter()
            .map(|lap| lap.cpu_seconds)
            .fold(f64::INFINITY, f64::min);
        least / self.updates_per_lap * 1e9
    }

    /// Best and median, in millions per second.
    fn speed(&self) -> String {
        format!("{:.2} ({:.2})", self.best() / 1e6, self.median() / 1e6)
    }

    fn to_json(&self) -> Value {
        json!({
            "program": self.outcome.program,
            "seconds": self.laps.iter().map(|lap| lap.seconds).collect::<Vec<_>>(),
            "cpu_seconds": self.laps.iter().map(|lap| lap.cpu_seconds).collect::<Vec<_>>(),
            "updates_per_second_best": self.best(),
            "updates_per_second_median": self.median(),
            "cpu_nanoseconds_per_update": self.cpu_nanoseconds(),
            "com_y": self.outcome.com_y,
            "kinetic": self.outcome.kinetic,
        })
    }
}

/// Both programs in one event on one number of threads.
pub struct Heat {
    /// The event.
    pub event: Event,
    /// Threads of each program.
    pub threads: u32,
    /// Particles of each program.
    pub particles: u64,
    /// This project.
    pub thixo: Entry,
    /// The peer.
    pub taichi: Entry,
}

impl Heat {
    /// Best speed of `thixo` over best speed of Taichi.
    fn ratio(&self) -> f64 {
        self.thixo.best() / self.taichi.best()
    }

    /// The same for processor time, which depends less on what else the machine does.
    fn cpu_ratio(&self) -> f64 {
        self.taichi.cpu_nanoseconds() / self.thixo.cpu_nanoseconds()
    }

    fn is_fast_enough(&self) -> bool {
        self.ratio() >= self.event.required_ratio()
    }

    fn com_y_difference(&self) -> f64 {
        relative_difference(self.thixo.outcome.com_y, self.taichi.outcome.com_y)
    }

    fn kinetic_difference(&self) -> f64 {
        relative_difference(self.thixo.outcome.kinetic, self.taichi.outcome.kinetic)
    }

    fn agrees(&self) -> bool {
        self.com_y_difference() <= COM_Y_LIMIT && self.kinetic_difference() <= KINETIC_LIMIT
    }

    fn passed(&self) -> bool {
        self.is_fast_enough() && self.agrees()
    }

    /// The heat in a few words.
    pub fn summary(&self) -> String {
        format!(
            "thixo {} M/s, {} {} M/s, ratio {:.2}, results {}",
            self.thixo.speed(),
            self.taichi.outcome.program,
            self.taichi.speed(),
            self.ratio(),
            self.agreement(),
        )
    }

    fn agreement(&self) -> &'static str {
        if self.agrees() { "agree" } else { "DIFFER" }
    }

    fn row(&self) -> [String; 15] {
        [
            self.event.name().to_owned(),
            self.particles.to_string(),
            self.threads.to_string(),
            self.thixo.speed(),
            self.taichi.speed(),
            format!("{:.2}", self.ratio()),
            format!(">= {}", self.event.required_ratio()),
            format!("{:.2}", self.cpu_ratio()),
            format!("{:.6}", self.thixo.outcome.com_y),
            format!("{:.6}", self.taichi.outcome.com_y),
            format!("{:.6}", self.thixo.outcome.kinetic),
            format!("{:.6}", self.taichi.outcome.kinetic),
            format!(
                "{:.0e}, {:.0e}",
                self.com_y_difference(),
                self.kinetic_difference()
            ),
            self.agreement().to_owned(),
            if self.is_fast_enough() {
                "pass"
            } else {
                "MISS"
            }
            .to_owned(),
        ]
    }

    fn to_json(&self) -> Value {
        json!({
            "event": self.event.name(),
            "threads": self.threads,
            "particles": self.particles,
            "thixo": self.thixo.to_json(),
            "taichi": self.taichi.to_json(),
            "ratio": self.ratio(),
            "required_ratio": self.event.required_ratio(),
            "cpu_ratio": self.cpu_ratio(),
            "fast_enough": self.is_fast_enough(),
            "com_y_difference": self.com_y_difference(),
            "kinetic_difference": self.kinetic_difference(),
            "results_agree": self.agrees(),
        })
    }
}

/// A whole race.
pub struct Report {
    /// Time steps in a lap.
    pub steps: u32,
    /// Time steps before the first lap.
    pub warmup: u32,
    /// Laps of each program in each heat.
    pub repeats: u32,
    /// One per event and number of threads.
    pub heats: Vec<Heat>,
}

impl Report {
    /// True if every heat was fast enough and its results agree.
    pub fn passed(&self) -> bool {
        self.heats.iter().all(Heat::passed)
    }

    /// A table and what its columns mean.
    pub fn to_text(&self) -> String {
        let header = [
            "<event",
            "particles",
            "threads",
            "thixo M/s",
            "Taichi M/s",
            "ratio",
            "required",
            "CPU ratio",
            "com_y thixo",
            "Taichi",
            "kinetic thixo",
            "Taichi",
            "differences",
            "<results",
            "<speed",
        ];
        let rows: Vec<_> = self.heats.iter().map(Heat::row).collect();
        let mut text = table::render(header, &rows);
        let _ = write!(
            text,
            "\nM/s: million particle-updates per second of wall time, best (median)\n\
             of {} laps of {} steps after {} steps; ratio of the best, in wall time (required) and in processor time.\n\
             com_y [m] and kinetic [J] after the last step agree up to relative differences of {COM_Y_LIMIT:e} and {KINETIC_LIMIT:e}.\n",
            self.repeats, self.steps, self.warmup,
        );
        text
    }

    /// Everything that was measured.
    pub fn to_json(&self) -> Value {
        json!({
            "steps": self.steps,
            "warmup": self.warmup,
            "repeats": self.repeats,
            "required": {
                "com_y_difference": COM_Y_LIMIT,
                "kinetic_difference": KINETIC_LIMIT,
            },
            "heats": self.heats.iter().map(Heat::to_json).collect::<Vec<_>>(),
            "passed": self.passed(),
        })
    }
}

/// Difference as a fraction of the larger magnitude; zero for equal numbers.
fn relative_difference(a: f64, b: f64) -> f64 {
    if a == b {
        0.0
    } else {
        (a - b).abs() / a.abs().max(b.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(seconds: &[f64], com_y: f64, kinetic: f64) -> Entry {
        let laps = seconds
            .iter()
            .map(|&seconds| Lap {
                seconds,
                cpu_seconds: 2.0 * seconds,
            })
            .collect();
        Entry::new(
            Outcome {
                program: "x".to_owned(),
                com_y,
                kinetic,
            },
            laps,
            1e6,
        )
    }

    fn heat(seconds: f64, com_y: f64, kinetic: f64) -> Heat {
        Heat {
            event: Event::ThreeSquares,
            threads: 1,
            particles: 8,
            thixo: entry(&[seconds], com_y, kinetic),
            taichi: entry(&[1.0], 0.5, 0.25),
        }
    }

    #[test]
    fn best_median_and_processor_time_are_per_update() {
        let entry = entry(&[0.5, 0.25, 1.0], 0.0, 0.0);
        assert_eq!((entry.best(), entry.median()), (4e6, 2e6));
        assert_eq!(entry.cpu_nanoseconds(), 500.0);
        let even = self::entry(&[0.5, 0.25, 1.0, 0.5], 0.0, 0.0);
        assert_eq!(even.median(), 2e6);
    }

    #[test]
    fn a_race_is_won_by_speed_and_the_same_result() {
        assert!(heat(0.25, 0.5, 0.25).passed());
        assert!(!heat(0.26, 0.5, 0.25).is_fast_enough());
        assert!(!heat(0.1, 0.5001, 0.25).agrees());
        assert!(!heat(0.1, 0.5, 0.2505).agrees());
        assert!(heat(0.1, 0.50001, 0.2502).agrees());
        assert!(!heat(0.1, f64::NAN, 0.25).agrees());
    }

    #[test]
    fn the_report_says_what_failed() {
        let report = Report {
            steps: 1,
            warmup: 1,
            repeats: 1,
            heats: vec![heat(0.5, 0.4, 0.25)],
        };
        let text = report.to_text();
        assert!(text.contains("MISS") && text.contains("DIFFER"), "{text}");
        assert_eq!(report.to_json()["heats"][0]["results_agree"], false);
        assert_eq!(report.to_json()["passed"], false);
    }
}
