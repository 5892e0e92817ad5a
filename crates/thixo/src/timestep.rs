//! Choice of the time step, equation (15), errata E31.

use thixo_par::Scalar;

use crate::error::{BuildError, StepError};
use crate::grid::Geometry;
use crate::kernel::KernelKind;
use crate::material::Limits;
use crate::transfer::Transfer;

/// Largest ratio of an explicit step to the one before \[–\].
pub(crate) const GROWTH: f64 = 1.1;
/// Largest ratio of an implicit step to the one before \[–\]; the step recovers soon after one that
/// had to be shorter.
pub(crate) const IMPLICIT_GROWTH: f64 = 1.5;
/// Fraction of the CFL number that a step aims at, which leaves a margin for acceleration within
/// the step.
const AIM: f64 = 0.9;

/// Parameters of the choice of the time step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TimeStep {
    /// Largest fraction of a cell that a particle may cross in a step, ν \[–\]; above 0, at most
    /// 0.9. Steps aim at nine tenths of it.
    pub cfl: f64,
    /// Fraction of the combined stability limit of stiffness and viscosity that is used \[–\];
    /// above 0, at most 1.
    pub safety: f64,
    /// Longest step \[s\]; above 0, infinite for no limit.
    pub longest: f64,
    /// Length of every step \[s\], but for the last of a frame, which may be shorter; above 0.
    /// None leaves it to the limits. A step above the limit of stability or of speed is an error,
    /// and none is repeated with a shorter one.
    pub fixed: Option<f64>,
}

impl Default for TimeStep {
    fn default() -> Self {
        Self {
            cfl: 0.6,
            safety: 0.5,
            longest: f64::INFINITY,
            fixed: None,
        }
    }
}

builder! {
    impl TimeStep {
        with_cfl(cfl: f64);
        with_safety(safety: f64);
        with_longest(longest: f64);
        with_fixed(fixed: Option<f64>);
    }
}

impl TimeStep {
    /// Refuses numbers outside their ranges.
    pub fn check(&self) -> Result<(), BuildError> {
        let in_range = |key, quantity, value: f64, high: f64, range| {
            if value > 0.0 && value <= high {
                Ok(())
            } else {
                Err(BuildError::OutOfRange {
                    key,
                    quantity,
                    value,
                    range,
                })
            }
        };
        in_range(
            "cfl",
            "CFL number",
            self.cfl,
            0.9,
            "above 0 and at most 0.9",
        )?;
        in_range(
            "safety",
            "safety of the time step",
            self.safety,
            1.0,
            "above 0 and at most 1",
        )?;
        in_range(
            "longest_step",
            "longest time step [s]",
            self.longest,
            f64::INFINITY,
            "above 0",
        )?;
        let (fixed, finite) = (self.fixed.unwrap_or(1.0), "above 0 and finite");
        in_range("step", "fixed time step [s]", fixed, f64::MAX, finite)
    }
}

/// The limit that decides a time step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The end of the frame.
    #[default]
    Frame,
    /// Particles must not cross too much of a cell.
    Speed,
    /// Stiffness of a material.
    Stiffness,
    /// Viscosity of a material.
    Viscosity,
    /// The longest step permitted by the user.
    Longest,
    /// A step before that was taken back; steps grow slowly after it.
    TakenBack,
    /// Growth relative to the step before.
    Growth,
    /// The length that the user fixed.
    Fixed,
}

impl Limit {
    /// Name of the limit, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "the end of the frame",
            Self::Speed => "the speed of particles (CFL number)",
            Self::Stiffness => "the stiffness of a material",
            Self::Viscosity => "the viscosity of a material",
            Self::Longest => "the longest step allowed",
            Self::TakenBack => "a step before that was taken back",
            Self::Growth => "growth from the step before",
            Self::Fixed => "the fixed length of steps",
        }
    }
}

/// The stability constant κ of a kernel \[–\], equation (15): the largest eigenvalue of M⁻¹K is at
/// most κ M/(ρ h²). The linear kernel has no bound; its value is an estimate backed by the
/// acceptance rule.
pub(crate) fn kappa(kernel: KernelKind, transfer: Transfer) -> f64 {
    match (kernel, transfer) {
        (KernelKind::Quadratic, Transfer::Mls) => 4.0,
        (KernelKind::Quadratic, _) => 6.0,
        (KernelKind::Cubic, Transfer::Mls) => 3.0,
        // The largest value found is 3.136.
        (KernelKind::Cubic, _) => 3.15,
        (KernelKind::Linear, _) => 12.0,
    }
}

/// Largest stable step \[s\] for stiffness and viscosity together, (Δt/Δt_w)² + Δt/Δt_v = 1, and
/// the dominant one of the two.
pub(crate) fn stability_limit<T: Scalar>(
    limits: &Limits<T>,
    spacing: f64,
    kappa: f64,
) -> (f64, Limit) {
    let stiffness = limits.stiffness_per_density.to_f64();
    let viscosity = limits.kinematic_viscosity.to_f64();
    // a Δt² + b Δt = 1 with a = 1/Δt_w², b = 1/Δt_v.
    let a = kappa * stiffness / (4.0 * spacing * spacing);
    let b = kappa * viscosity / (spacing * spacing);
    let dt = 2.0 / (b + (b * b + 4.0 * a).sqrt());
    let which = if b * b > 4.0 * a {
        Limit::Viscosity
    } else {
        Limit::Stiffness
    };
    (dt, which)
}

/// Bounds of the squared angular frequencies of meshes and of their damping \[1/s²\], \[1/s\] as
/// the M/ρ \[m²/s²\] and the kinematic viscosity \[m²/s\] that have the same limit: 2/ω, and 2
/// over the rate of damping.
///
/// Vertices move with Σ w v, so that no velocity of the nodes has more elastic power for its
/// kinetic energy than the vertices by themselves: Σ m_p |Σ w v|² ≤ Σ m_i |v_i|². The limit of the
/// mesh is that of the step, whatever the grid, equation (64a).
pub(crate) fn limits_of_frequencies<const D: usize>(
    [frequency_squared, damping_rate]: [f64; 2],
    geometry: &Geometry<D>,
    transfer: Transfer,
) -> [f64; 2] {
    let factor = geometry.spacing().powi(2) / kappa(geometry.kernel(), transfer);
    [factor * frequency_squared, 0.5 * factor * damping_rate]
}

/// Memory of the choice of time steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepControl {
    /// The step before, as it would have been without the end of the frame \[s\].
    pub previous: Option<f64>,
    /// Cap after rejected steps \[s\].
    pub cap: f64,
}

impl Default for StepControl {
    fn default() -> Self {
        Self {
            previous: None,
            cap: f64::INFINITY,
        }
    }
}

/// State of the choice of the next time step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeStepState<T> {
    /// Limits of the materials after the last step.
    pub limits: Limits<T>,
    /// Largest speed of a particle \[m/s\].
    pub speed: f64,
    /// Largest speed at which an obstacle comes towards matter \[m/s\].
    pub closing_speed: f64,
    /// The step before, and the cap.
    pub control: StepControl,
    /// Particles were inserted or removed since the limits were computed.
    pub limits_stale: bool,
}

impl<T: Scalar> Default for TimeStepState<T> {
    fn default() -> Self {
        Self {
            limits: Limits::none(),
            speed: 0.0,
            closing_speed: 0.0,
            control: StepControl::default(),
            limits_stale: true,
        }
    }
}

/// Input of the choice of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepInputs {
    /// Largest stable step \[s\], and the limit that causes it.
    pub stable: (f64, Limit),
    /// Largest speed of a particle \[m/s\].
    pub speed: f64,
    /// Acceleration that matter may undergo during the step \[m/s²\]; may be zero for steps that
    /// are short for another reason.
    pub acceleration: f64,
    /// Time for which that holds \[s\]; infinite for ever.
    pub horizon: f64,
    /// Largest ratio to the step before \[–\].
    pub growth: f64,
    /// Grid spacing \[m\].
    pub spacing: f64,
    /// Time to the end of the frame \[s\].
    pub remaining: f64,
}

impl StepControl {
    /// Chooses the next step \[s\] and returns the limit that decides it.
    pub fn choose(&mut self, rule: &TimeStep, inputs: StepInputs) -> (f64, Limit) {
        let mut dt = (f64::INFINITY, Limit::Frame);
        let candidates = [
            (rule.safety * inputs.stable.0, inputs.stable.1),
            (
                time_to_cross(AIM * rule.cfl * inputs.spacing, &inputs),
                Limit::Speed,
            ),
            (inputs.horizon, Limit::Speed),
            (rule.longest, Limit::Longest),
            (self.cap, Limit::TakenBack),
            (
                self.previous.map_or(f64::INFINITY, |dt| inputs.growth * dt),
                Limit::Growth,
            ),
        ];
        for candidate in candidates {
            // A limit that is not a number stays, for the caller to refuse.
            if candidate.0.is_nan() || candidate.0 < dt.0 {
                dt = candidate;
            }
        }
        self.previous = Some(dt.0);
        // Two steps to go: make them equal instead of leaving a tiny last one.
        if inputs.remaining <= dt.0 {
            (inputs.remaining, Limit::Frame)
        } else if inputs.remaining < 2.0 * dt.0 {
            (0.5 * inputs.remaining, Limit::Frame)
        } else {
            dt
        }
    }
}

/// A fixed step above a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FixedTooLong {
    dt: f64,
    limit: f64,
    which: Limit,
}

impl FixedTooLong {
    /// The error at a time \[s\].
    pub fn at(self, time: f64) -> StepError {
        StepError::FixedStepTooLong {
            dt: self.dt,
            limit: self.limit,
            which: self.which.name(),
            time,
        }
    }
}

/// The step of fixed length, where there is one; refused above the limit of stability, which is not
/// reduced by the safety here, or of speed.
pub(crate) fn fixed_step(
    rule: &TimeStep,
    inputs: &StepInputs,
) -> Option<Result<(f64, Limit), FixedTooLong>> {
    let fixed = rule.fixed?;
    // Sums of steps miss the end of a frame by rounding.
    let is_last = inputs.remaining <= fixed * (1.0 + 1e-9);
    let dt = if is_last { inputs.remaining } else { fixed };
    let speed = (
        time_to_cross(rule.cfl * inputs.spacing, inputs),
        Limit::Speed,
    );
    let (limit, which) = if speed.0 < inputs.stable.0 {
        speed
    } else {
        inputs.stable
    };
    if dt > limit * (1.0 + 1e-9) {
        return Some(Err(FixedTooLong { dt, limit, which }));
    }
    Some(Ok((dt, if is_last { Limit::Frame } else { Limit::Fixed })))
}

/// Looks at the acceleration of body forces during a step, besides that at its beginning.
const LOOKS: u32 = 8;

impl StepInputs {
    /// The same with the largest acceleration by body forces within the step, from that at a time
    /// \[s\] after its beginning: a force may begin within it.
    ///
    /// Looks at the longest step that is possible, and at shorter ones as long as matter would
    /// cross too much of a cell in them.
    pub fn with_acceleration(self, rule: &TimeStep, acceleration: impl Fn(f64) -> f64) -> Self {
        let first = acceleration(0.0);
        let crossing = |acceleration| {
            let inputs = Self {
                acceleration,
                ..self
            };
            time_to_cross(AIM * rule.cfl * inputs.spacing, &inputs)
        };
        let longest = rule.fixed.unwrap_or(rule.longest).min(self.remaining);
        let mut span = crossing(first).min(longest);
        let mut horizon = f64::INFINITY;
        loop {
            let looks = (1..=LOOKS).map(|k| acceleration(span * f64::from(k) / f64::from(LOOKS)));
            let largest = looks.fold(first, f64::max);
            let allowed = crossing(largest);
            // A fixed step is not made shorter; comparisons with what is not a number are false.
            if allowed < span && rule.fixed.is_none() {
                span = allowed.max(0.5 * span);
                horizon = span;
            } else {
                return Self {
                    acceleration: largest,
                    horizon,
                    ..self
                };
            }
        }
    }
}

/// Time \[s\] in which a particle at the largest speed, accelerated, covers a distance \[m\]:
/// (v + a Δt) Δt.
fn time_to_cross(distance: f64, inputs: &StepInputs) -> f64 {
    let (v, a) = (inputs.speed, inputs.acceleration);
    if a == 0.0 {
        distance / v
    } else {
        2.0 * distance / (v + (v * v + 4.0 * a * distance).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(stiffness: f64, viscosity: f64) -> Limits<f64> {
        Limits {
            stiffness_per_density: stiffness,
            kinematic_viscosity: viscosity,
            ..Limits::none()
        }
    }

    #[test]
    fn pure_limits_are_those_of_the_theory() {
        let (dt, which) = stability_limit(&limits(100.0, 0.0), 0.1, 4.0);
        assert!((dt - 2.0 * 0.1 / (4.0f64 * 100.0).sqrt()).abs() < 1e-15);
        assert_eq!(which, Limit::Stiffness);
        let (dt, which) = stability_limit(&limits(0.0, 0.5), 0.1, 4.0);
        assert!((dt - 0.01 / (4.0 * 0.5)).abs() < 1e-15);
        assert_eq!(which, Limit::Viscosity);
        assert_eq!(
            stability_limit(&limits(0.0, 0.0), 0.1, 4.0).0,
            f64::INFINITY
        );
    }

    #[test]
    fn both_limits_together_fill_the_sum_to_one() {
        let (s, v) = (50.0, 0.3);
        let (dt, _) = stability_limit(&limits(s, v), 0.1, 6.0);
        let wave = 2.0 * 0.1 / (6.0f64 * s).sqrt();
        let viscous = 0.01 / (6.0 * v);
        assert!(((dt / wave).powi(2) + dt / viscous - 1.0).abs() < 1e-12);
    }

    #[test]
    fn steps_grow_slowly_and_land_on_the_end_of_the_frame() {
        let rule = TimeStep::default();
        let mut control = StepControl {
            previous: Some(1e-3),
            ..StepControl::default()
        };
        let inputs = |remaining| StepInputs {
            stable: (1.0, Limit::Stiffness),
            speed: 0.0,
            acceleration: 0.0,
            horizon: f64::INFINITY,
            growth: GROWTH,
            spacing: 0.1,
            remaining,
        };
        assert_eq!(control.choose(&rule, inputs(1.0)), (1.1e-3, Limit::Growth));
        let (half, _) = control.choose(&rule, inputs(2e-3));
        assert_eq!(half, 1e-3);
        assert_eq!(control.choose(&rule, inputs(half)), (half, Limit::Frame));
    }

    #[test]
    fn an_acceleration_that_begins_within_the_step_counts() {
        let rule = TimeStep::default();
        let inputs = StepInputs {
            stable: (f64::INFINITY, Limit::Longest),
            speed: 0.0,
            acceleration: 0.0,
            horizon: f64::INFINITY,
            growth: IMPLICIT_GROWTH,
            spacing: 0.1,
            remaining: 10.0,
        };
        let cell = AIM * rule.cfl * 0.1;
        let ways = [
            |t: f64| 10.0 * t,
            |t: f64| if t < 0.3 { 0.0 } else { 10.0 },
            |_: f64| 10.0,
            |_: f64| 0.0,
        ];
        for (k, way) in ways.into_iter().enumerate() {
            let inputs = inputs.with_acceleration(&rule, way);
            let (dt, _) = StepControl::default().choose(&rule, inputs);
            let largest = way(dt).max(way(0.0));
            assert!(largest * dt * dt <= cell * (1.0 + 1e-12), "{k}: {dt} s");
            // Not much shorter than need be.
            let longer = 2.5 * dt;
            let too_far = way(longer) * longer * longer > cell;
            assert!(too_far || dt == inputs.remaining, "{k}: {dt} s");
        }
        let fixed = rule.with_fixed(Some(0.2));
        let jump = |t: f64| if t < 0.3 { 0.0 } else { 10.0 };
        assert_eq!(inputs.with_acceleration(&fixed, jump).acceleration, 0.0);
    }

    #[test]
    fn matter_that_is_let_fall_crosses_no_more_than_it_may() {
        let rule = TimeStep::default();
        let inputs = StepInputs {
            stable: (f64::INFINITY, Limit::Longest),
            speed: 0.0,
            acceleration: 10.0,
            horizon: f64::INFINITY,
            growth: IMPLICIT_GROWTH,
            spacing: 0.1,
            remaining: 10.0,
        };
        let (dt, limit) = StepControl::default().choose(&rule, inputs);
        assert_eq!(limit, Limit::Speed);
        assert!((10.0 * dt * dt - AIM * rule.cfl * 0.1).abs() < 1e-15);
        let moving = StepInputs {
            speed: 3.0,
            ..inputs
        };
        let (dt, _) = StepControl::default().choose(&rule, moving);
        assert!(((3.0 + 10.0 * dt) * dt - AIM * rule.cfl * 0.1).abs() < 1e-15);
    }
}
