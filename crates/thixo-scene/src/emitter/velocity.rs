//! Velocity of the matter that leaves an emitter: numbers or formulas, and a rate.

use thixo::Setup;

use super::displacement::{CELLS, Displacement};
use super::profile::VelocityProfile;
use super::stream::{Stream, StreamMotion};
use super::{Emitter, MOST_CELLS};
use crate::error::SceneError;
use crate::expression::{Expression, Scratch};
use crate::fill::FillPlan;
use crate::number::{Number, VectorOf};
use crate::points::{self, VariableColumns};
use crate::scene::Scene;

/// Places and times at which the formula of a velocity is checked at most.
const MOST_CHECKS: usize = 1_000_000;

/// The velocity of the matter of an emitter.
#[derive(Clone, Debug)]
pub(crate) struct OutflowVelocity<const D: usize> {
    /// A formula of place and time \[m/s\].
    pub formula: VectorOf<D>,
    /// A factor, a formula of the time.
    pub rate: Option<Expression>,
}

impl<const D: usize> OutflowVelocity<D> {
    /// At a place and time \[m/s\].
    pub fn at(&self, place: [f64; D], time: f64) -> [f64; D] {
        let rate = self
            .rate
            .as_ref()
            .map_or(1.0, |rate| rate.evaluate(&[time]));
        let velocity = self.formula.evaluate(&points::at(place, time));
        velocity.map(|v| v * rate)
    }
    /// True if it changes with the time.
    pub fn changes(&self) -> bool {
        self.rate.is_some() || self.formula.uses("t")
    }
    /// True if it differs from place to place.
    pub fn differs(&self) -> bool {
        ["x", "y", "z"]
            .into_iter()
            .any(|axis| self.formula.uses(axis))
    }
}

/// A list of numbers and formulas as it is written.
pub(super) fn written(vector: &[Number]) -> String {
    let parts: Vec<String> = vector.iter().map(Number::to_string).collect();
    format!("[{}]", parts.join(", "))
}

fn length<const D: usize>(vector: [f64; D]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Scene {
    /// The stream of an emitter as its velocity, rate and direction say.
    pub(super) fn moving_stream<const D: usize>(
        &self,
        key: &str,
        emitter: &Emitter,
        velocity: OutflowVelocity<D>,
        plan: &FillPlan<D>,
        setup: &Setup<D>,
    ) -> Result<Stream<D>, SceneError> {
        let start = emitter.start;
        if let (Some(constant), None) = (velocity.formula.constant(), &emitter.direction) {
            let displacement = Displacement::new(length(constant), start..emitter.end);
            let displacement = match velocity.rate {
                Some(rate) => {
                    let (cell, count) = self.rate_cells(emitter);
                    displacement.with_rate(rate, cell, count)
                }
                None => displacement,
            };
            return Ok(Stream::new(plan, constant, setup, |_, _| {
                StreamMotion::Uniform {
                    velocity: constant,
                    start,
                    displacement,
                }
            }));
        }
        self.check_outflow(key, emitter, &velocity, &[plan.middle()])?;
        let direction = self.direction(key, emitter, &velocity, plan.middle())?;
        let frame = self.time.frame_seconds();
        let end = emitter.end.min(frame * f64::from(self.time.frames));
        Ok(Stream::new(plan, direction, setup, |bounds, axes| {
            let active = start..end.max(start);
            let profile = VelocityProfile::new(velocity, (bounds, axes), plan.pitch, active, frame);
            StreamMotion::Profile(profile)
        }))
    }

    /// The velocity of an emitter's matter with its rate. Numbers must not all be zero, and no rate
    /// may be negative.
    pub(super) fn outflow<const D: usize>(
        &self,
        key: &str,
        emitter: &Emitter,
    ) -> Result<OutflowVelocity<D>, SceneError> {
        let variables = points::place_and_time::<D>();
        let velocity_key = format!("{key}.velocity");
        let formula = self.vector_expression::<D>(&velocity_key, &emitter.velocity, &variables)?;
        if let Some(constant) = formula.constant() {
            let speed = length(constant);
            if !(speed > 0.0 && speed.is_finite()) {
                let value = format!("{constant:?}");
                return Err(self.out_of_range(&velocity_key, value, "other than zero, and finite"));
            }
        }
        let rate = match &emitter.rate {
            Some(rate) => Some(self.checked_rate(&format!("{key}.rate"), emitter, rate)?),
            None => None,
        };
        Ok(OutflowVelocity { formula, rate })
    }

    /// Length and number of the cells of time in which the rate of an emitter is averaged.
    fn rate_cells(&self, emitter: &Emitter) -> (f64, usize) {
        let cell = self.time.frame_seconds() / CELLS;
        let last = self.time.frame_seconds() * f64::from(self.time.frames);
        let count = ((last.min(emitter.end) - emitter.start).max(0.0) / cell).ceil();
        (cell, count.min(MOST_CELLS) as usize)
    }

    fn checked_rate(
        &self,
        key: &str,
        emitter: &Emitter,
        rate: &Number,
    ) -> Result<Expression, SceneError> {
        let rate = self.expression(key, rate, &["t"])?;
        let (cell, count) = self.rate_cells(emitter);
        let times = VariableColumns::of_times(Displacement::times(emitter.start, cell, count));
        let values = self.finite_values(key, &rate, &times, &mut Scratch::default())?;
        let allowed = (|value| value >= 0.0, "zero or positive");
        self.check_values(key, &rate, &times.slices(), &values, allowed)?;
        Ok(rate)
    }

    /// Refuses a velocity by formula that is not finite at some place at some time at which it is
    /// asked for.
    pub(super) fn check_outflow<const D: usize>(
        &self,
        key: &str,
        emitter: &Emitter,
        velocity: &OutflowVelocity<D>,
        places: &[[f64; D]],
    ) -> Result<(), SceneError> {
        let (cell, count) = self.rate_cells(emitter);
        let mut times = vec![emitter.start];
        if velocity.changes() {
            times.extend(Displacement::times(emitter.start, cell, count));
        }
        let places = match velocity.differs() {
            true => places,
            false => &places[..places.len().min(1)],
        };
        let every = (times.len() * places.len()).div_ceil(MOST_CHECKS).max(1);
        let mut scratch = Scratch::default();
        for time in times.into_iter().step_by(every) {
            let columns = VariableColumns::with_time(places, time);
            for (axis, component) in velocity.formula.components().iter().enumerate() {
                let key = format!("{key}.velocity[{axis}]");
                self.finite_values(&key, component, &columns, &mut scratch)?;
            }
        }
        Ok(())
    }

    /// Direction that the opening of an emitter faces.
    fn direction<const D: usize>(
        &self,
        key: &str,
        emitter: &Emitter,
        velocity: &OutflowVelocity<D>,
        middle: [f64; D],
    ) -> Result<[f64; D], SceneError> {
        let (key, direction, range) = match &emitter.direction {
            Some(direction) => {
                let key = format!("{key}.direction");
                let direction = self.vector::<D>(&key, direction)?;
                (key, direction, "longer than 0")
            }
            None => {
                let at_start = velocity
                    .formula
                    .evaluate(&points::at(middle, emitter.start));
                let range = "other than zero in the middle of the shape at the start, to say which way the opening faces; else give its direction";
                (format!("{key}.velocity"), at_start, range)
            }
        };
        let size = length(direction);
        if size > 0.0 && size.is_finite() {
            return Ok(direction);
        }
        Err(self.out_of_range(&key, format!("{direction:?}"), range))
    }
}
