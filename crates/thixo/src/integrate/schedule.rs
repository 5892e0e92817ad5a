//! The steps that are to be made, and whether each is accepted: equation (16).

use std::sync::atomic::{AtomicBool, Ordering};

use thixo_par::Scalar;

use super::Integrator;
use super::diagnose::Rejection;
use super::report::FrameProgress;
use super::setup::CheckedSetup;
use super::stopwatch::Stopwatch;
use crate::error::StepError;
use crate::particles::order;
use crate::state::State;
use crate::timestep::{
    GROWTH, IMPLICIT_GROWTH, Limit, StepInputs, fixed_step, kappa, stability_limit,
};
use crate::transfer::StepOutcome;
use crate::workspace::Workspace;

/// Cells that particles may drift between sorts; tiles have a margin of one.
const DRIFT: f64 = 1.0;
/// A frame may not need more steps than this.
const MOST_STEPS: f64 = 1e8;

/// Refuses a step that is too short to reach the end of a frame of `length` seconds.
pub(super) fn reaches_end(
    (dt, limit): (f64, Limit),
    length: f64,
    time: f64,
) -> Result<(), StepError> {
    if dt.is_nan() || dt <= length / MOST_STEPS {
        return Err(StepError::StepTooSmall {
            dt,
            frame: length,
            limit: limit.name(),
            time,
        });
    }
    Ok(())
}

/// The steps that are to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule<'a> {
    steps: Steps,
    /// The limit that decided the step last chosen.
    limit: Limit,
    /// The flag by which an early end is requested.
    stop: &'a AtomicBool,
}

#[derive(Clone, Copy, Debug)]
enum Steps {
    /// To the end of a frame, in steps of our choice.
    Frame { length: f64, remaining: f64 },
    /// A number of equal steps.
    Equal { dt: f64, left: u64 },
}

impl<'a> Schedule<'a> {
    /// To the end of a frame of `length` seconds, unless somebody asks for an early end.
    pub fn frame(length: f64, stop: &'a AtomicBool) -> Self {
        Self {
            steps: Steps::Frame {
                length,
                remaining: length,
            },
            limit: Limit::Frame,
            stop,
        }
    }
    /// A number of steps of `dt` seconds.
    pub fn equal(dt: f64, left: u64, stop: &'a AtomicBool) -> Self {
        Self {
            steps: Steps::Equal { dt, left },
            limit: Limit::Longest,
            stop,
        }
    }
    /// True if a step that is not accepted may be made shorter.
    pub fn may_be_shortened<T: Scalar, const D: usize>(&self, setup: &CheckedSetup<T, D>) -> bool {
        matches!(self.steps, Steps::Frame { .. }) && setup.time_step.fixed.is_none()
    }
    /// True if every step has been handed out.
    pub fn is_over(&self) -> bool {
        match self.steps {
            Steps::Frame { remaining, .. } => remaining <= 0.0,
            Steps::Equal { left, .. } => left == 0,
        }
    }

    /// The next step \[s\].
    pub fn next_step<T: Scalar, const D: usize>(
        &mut self,
        setup: &CheckedSetup<T, D>,
        state: &mut State<T, D>,
        work: &Workspace<T, D>,
    ) -> Result<f64, Rejection> {
        match &mut self.steps {
            Steps::Equal { dt, left } => {
                *left -= 1;
                Ok(*dt)
            }
            Steps::Frame { length, remaining } => {
                let time = state.time;
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Rejection::Final(StepError::Stopped { time }));
                }
                let geometry = &setup.geometry;
                let kappa = kappa(geometry.kernel(), setup.transfer);
                let memory = &mut state.time_step;
                let inputs = StepInputs {
                    stable: stability_limit(&memory.limits, geometry.spacing(), kappa),
                    speed: memory.speed.max(memory.closing_speed),
                    acceleration: 0.0,
                    horizon: f64::INFINITY,
                    growth: GROWTH,
                    spacing: geometry.spacing(),
                    remaining: *remaining,
                };
                let inputs = match setup.integrator {
                    Integrator::Explicit => inputs,
                    // Shear waves and viscosity, where nothing solves for them.
                    Integrator::Projection(options) => StepInputs {
                        stable: options.deviatoric.stable_step(
                            &memory.limits,
                            geometry.spacing(),
                            kappa,
                        ),
                        acceleration: setup.body_acceleration(&work.order, time),
                        growth: IMPLICIT_GROWTH,
                        ..inputs
                    },
                    _ => StepInputs {
                        stable: (f64::INFINITY, Limit::Longest),
                        growth: IMPLICIT_GROWTH,
                        ..inputs
                    },
                };
                // Steps that no stiffness limits are so long that matter is accelerated in them.
                let is_empty = setup.integrator.is_explicit() && work.order.blocks.is_empty();
                let inputs = match inputs.stable.0.is_finite() || is_empty {
                    true => inputs,
                    false => inputs.with_acceleration(&setup.time_step, |after| {
                        setup.body_acceleration(&work.order, time + after)
                    }),
                };
                let (dt, limit) = match fixed_step(&setup.time_step, &inputs) {
                    None => memory.control.choose(&setup.time_step, inputs),
                    Some(Ok(step)) => step,
                    Some(Err(error)) => return Err(Rejection::Final(error.at(time))),
                };
                let ends = reaches_end((dt, limit), *length, time);
                ends.map_err(Rejection::Final)?;
                *remaining -= dt;
                self.limit = limit;
                Ok(dt)
            }
        }
    }

    /// Largest part of a cell that a particle may cross in a step.
    fn cfl<T: Scalar, const D: usize>(&self, setup: &CheckedSetup<T, D>) -> f64 {
        match self.steps {
            Steps::Frame { .. } => setup.time_step.cfl,
            Steps::Equal { .. } => DRIFT,
        }
    }

    /// Sorts the particles if one of them could leave the margin of its tile in the coming step.
    /// The grid's velocities come along.
    pub fn sort_if_needed<T: Scalar, const D: usize>(
        &self,
        setup: &CheckedSetup<T, D>,
        state: &mut State<T, D>,
        work: &mut Workspace<T, D>,
        dt: f64,
        progress: &mut FrameProgress,
    ) -> Result<(), Rejection> {
        let speed = state.time_step.speed.max(state.time_step.closing_speed);
        let expected = speed * dt / setup.geometry.spacing();
        let reach = (2.0 * expected + 0.05).min(self.cfl(setup)) + setup.shift();
        if work.drift + reach < DRIFT {
            return Ok(());
        }
        let mut watch = Stopwatch::start(&mut progress.done.seconds);
        work.grid.tiles.release();
        let sorted = order(&mut state.particles, &setup.geometry, state.time);
        let sorted = sorted.map_err(Rejection::Final)?;
        if setup.integrator.projection().is_none() {
            work.grid.carry(&work.order, &sorted);
        }
        work.order = sorted;
        work.drift = 0.0;
        watch.sort();
        progress.done.sorts += 1;
        Ok(())
    }

    /// Takes note of a step, or refuses it.
    pub fn accept<T: Scalar, const D: usize>(
        &self,
        setup: &CheckedSetup<T, D>,
        state: &mut State<T, D>,
        work: &mut Workspace<T, D>,
        (outcome, dt): (StepOutcome<T>, f64),
        progress: &mut FrameProgress,
    ) -> Result<(), Rejection> {
        let speed = outcome.speed_squared.to_f64().sqrt();
        let cells = speed * dt / setup.geometry.spacing();
        if cells > self.cfl(setup) {
            return Err(Rejection::TooFast { cells, dt });
        }
        // An obstacle that comes faster than this can pass particles between two looks at them.
        let comes = outcome.closing_speed * dt / setup.geometry.spacing();
        if comes > DRIFT {
            return Err(Rejection::TooFast { cells: comes, dt });
        }
        if !(outcome.contained && outcome.limits.sound) {
            return Err(Rejection::Unsound);
        }
        outcome.add_guard_impulses(&mut state.contact_impulses);
        state.time += dt;
        state.heat.pass(dt, cells);
        state.time_step.limits = outcome.limits;
        state.time_step.speed = speed;
        state.time_step.closing_speed = outcome.closing_speed;
        work.drift += cells + setup.shift();
        progress.add_step(dt, self.limit, &outcome);
        Ok(())
    }
}
