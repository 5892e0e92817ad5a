//! Wall time of the stages of a step.

use std::time::Instant;

/// Seconds of wall time spent in the stages of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StageSeconds {
    /// Ordering particles.
    pub sort: f64,
    /// Passes over particles: transfers and constitutive laws.
    pub particles: f64,
    /// Passes over the grid: sums of tiles, forces, velocities.
    pub grid: f64,
    /// Contact on the grid.
    pub obstacles: f64,
    /// Solving implicit steps.
    pub solve: f64,
    /// Of that, linear solves.
    pub linear: f64,
    /// Conduction of heat.
    pub heat: f64,
}

impl core::ops::Add for StageSeconds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let Self {
            sort,
            particles,
            grid,
            obstacles,
            solve,
            linear,
            heat,
        } = other;
        Self {
            sort: self.sort + sort,
            particles: self.particles + particles,
            grid: self.grid + grid,
            obstacles: self.obstacles + obstacles,
            solve: self.solve + solve,
            linear: self.linear + linear,
            heat: self.heat + heat,
        }
    }
}

impl core::ops::Div<f64> for StageSeconds {
    type Output = Self;

    fn div(self, divisor: f64) -> Self {
        Self {
            sort: self.sort / divisor,
            particles: self.particles / divisor,
            grid: self.grid / divisor,
            obstacles: self.obstacles / divisor,
            solve: self.solve / divisor,
            linear: self.linear / divisor,
            heat: self.heat / divisor,
        }
    }
}

/// A clock that puts the time since it was last looked at down to one stage.
pub(crate) struct Stopwatch<'a> {
    seconds: &'a mut StageSeconds,
    since: Instant,
}

impl<'a> Stopwatch<'a> {
    /// A clock that starts now.
    pub fn start(seconds: &'a mut StageSeconds) -> Self {
        let since = Instant::now();
        Self { seconds, since }
    }
    /// Books the time since the last call as a sort.
    pub fn sort(&mut self) {
        self.seconds.sort += self.lap();
    }
    /// Books it as a pass over particles.
    pub fn particles(&mut self) {
        self.seconds.particles += self.lap();
    }
    /// Books it as a pass over the grid.
    pub fn grid(&mut self) {
        self.seconds.grid += self.lap();
    }
    /// Books it as contact.
    pub fn obstacles(&mut self) {
        self.seconds.obstacles += self.lap();
    }
    /// Books it as the solve of an implicit step, of which `linear` seconds are linear solves.
    pub fn solve(&mut self, linear: f64) {
        self.seconds.solve += self.lap();
        self.seconds.linear += linear;
    }
    /// Books it as conduction of heat.
    pub fn heat(&mut self) {
        self.seconds.heat += self.lap();
    }
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.since).as_secs_f64();
        self.since = now;
        seconds
    }
}
