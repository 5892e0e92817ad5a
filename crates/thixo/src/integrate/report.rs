//! The report of a frame: steps, retries, effort.

use super::implicit::Effort;
use super::stopwatch::StageSeconds;
use crate::force::KineticPeak;
use crate::timestep::Limit;
use crate::transfer::StepOutcome;

/// The report of a frame; the default is that of a frame without steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FrameReport {
    /// Accepted steps.
    pub steps: u64,
    /// Shortest step \[s\].
    pub dt_min: f64,
    /// Longest step \[s\].
    pub dt_max: f64,
    /// The limit that decided the shortest step.
    pub limit: Limit,
    /// Number of sorts of the particles.
    pub sorts: u64,
    /// Number of contact corrections: times that a particle was kept from getting too deep into an
    /// obstacle, or through a thin one.
    pub contact_corrections: u64,
    /// Largest depth behind the surface (8b), which particles do not cross, to which obstacles that
    /// close on each other have pressed a particle \[m\]; 0 if every particle had a place outside.
    pub crush_depth: f64,
    /// Number of times that the frame, or an implicit step, was taken back and repeated with
    /// shorter steps.
    pub retries: u32,
    /// Effort of the implicit solves of all accepted steps; the residual is the largest of them.
    pub effort: Effort,
    /// Wall time.
    pub seconds: StageSeconds,
}

impl FrameReport {
    /// Of this part of a frame and the next.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let Self {
            steps,
            dt_min,
            dt_max,
            limit,
            sorts,
            contact_corrections,
            crush_depth,
            retries,
            effort,
            seconds,
        } = next;
        let is_shorter = steps > 0 && (self.steps == 0 || dt_min < self.dt_min);
        Self {
            steps: self.steps + steps,
            dt_min: if is_shorter { dt_min } else { self.dt_min },
            dt_max: self.dt_max.max(dt_max),
            limit: if is_shorter { limit } else { self.limit },
            sorts: self.sorts + sorts,
            contact_corrections: self.contact_corrections + contact_corrections,
            crush_depth: self.crush_depth.max(crush_depth),
            retries: self.retries + retries,
            effort: self.effort.and(effort),
            seconds: self.seconds + seconds,
        }
    }
}

/// Counts of a frame in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameProgress {
    /// Steps that were accepted so far; steps that were repeated on their own count as retries.
    pub done: FrameReport,
    /// The step that is being tried \[s\].
    pub trying: f64,
    /// Watch of kinetic damping.
    pub kinetic_peak: KineticPeak,
}

impl FrameProgress {
    pub fn new() -> Self {
        Self {
            done: FrameReport {
                dt_min: f64::INFINITY,
                ..FrameReport::default()
            },
            trying: f64::INFINITY,
            kinetic_peak: KineticPeak::default(),
        }
    }
    /// Adds an accepted step of `dt` seconds that was as long as a limit let it be.
    pub fn add_step<T>(&mut self, dt: f64, limit: Limit, outcome: &StepOutcome<T>) {
        self.done.steps += 1;
        self.done.contact_corrections += outcome.contact_corrections;
        self.done.crush_depth = self.done.crush_depth.max(outcome.crush_depth);
        self.done.dt_max = self.done.dt_max.max(dt);
        if dt < self.done.dt_min {
            self.done.dt_min = dt;
            self.done.limit = limit;
        }
    }
    /// The report after the frame as a whole was repeated so many times.
    pub fn report(&self, retries: u32) -> FrameReport {
        FrameReport {
            retries: retries + self.done.retries,
            ..self.done
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_frame_add_up() {
        let part = |steps, dt_min, limit| FrameReport {
            steps,
            dt_min,
            dt_max: 2.0 * dt_min,
            limit,
            sorts: 1,
            contact_corrections: 2,
            crush_depth: dt_min,
            retries: 3,
            effort: Effort {
                newton: 4,
                linear: 5,
                line_search: 6,
                sweeps: 7,
                pressure: 8,
                divergence: dt_min,
                residual: dt_min,
            },
            seconds: StageSeconds {
                sort: 1.0,
                particles: 2.0,
                grid: 3.0,
                obstacles: 4.0,
                solve: 5.0,
                linear: 6.0,
                heat: 7.0,
            },
        };
        let sum = part(3, 0.2, Limit::Speed).then(part(5, 0.1, Limit::Stiffness));
        assert_eq!((sum.steps, sum.dt_min, sum.dt_max), (8, 0.1, 0.4));
        assert_eq!(
            (sum.limit, sum.sorts, sum.contact_corrections, sum.retries),
            (Limit::Stiffness, 2, 4, 6)
        );
        assert_eq!(sum.crush_depth, 0.2);
        let Effort {
            newton,
            linear,
            line_search,
            sweeps,
            pressure,
            divergence,
            residual,
        } = sum.effort;
        assert_eq!((newton, linear, line_search, sweeps), (8, 10, 12, 14));
        assert_eq!((pressure, divergence, residual), (16, 0.2, 0.2));
        let StageSeconds {
            sort,
            particles,
            grid,
            obstacles,
            solve,
            linear,
            heat,
        } = sum.seconds;
        let seconds = [sort, particles, grid, obstacles, solve, linear, heat];
        assert_eq!(seconds, [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
        // A part without steps says nothing about how long steps were.
        let waited = FrameReport::default().then(part(5, 0.1, Limit::Speed));
        assert_eq!((waited.dt_min, waited.limit), (0.1, Limit::Speed));
        let waits = part(5, 0.1, Limit::Speed).then(FrameReport::default());
        assert_eq!((waits.dt_min, waits.limit), (0.1, Limit::Speed));
    }
}
