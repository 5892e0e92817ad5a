//! The equation of drag within a step, equation (71).
//!
//! A relative velocity r that drag brings to rest at the rate x/Δt while forces add Δr in the step
//! obeys Δt dr/dt = −x r + Δr, whose solution is
//! r ← e⁻ˣ r + (1 − e⁻ˣ)/x Δr. In steady flow r = Δr/x whatever x: Darcy's law. The bare e⁻ˣ
//! (r + Δr) that errata E19 names has the steady flow x/(eˣ − 1) times that, next to none for long
//! steps.

use crate::error::BuildError;
use thixo_math::elementary::exp_m1;

/// Solution of the equation of drag in a step: what becomes of the relative velocity r before the
/// forces of the step, and of the Δr that they add.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Relaxation {
    /// Exact for forces that are constant in the step: e⁻ˣ r + (1 − e⁻ˣ)/x Δr.
    #[default]
    Exact,
    /// (r + Δr)/(1 + x): exact in steady flow, first order in time.
    BackwardEuler,
    /// e⁻ˣ (r + Δr), errata E19: for comparison. Flow through a solid is too slow.
    BareExponential,
    /// (1 − x)(r + Δr), \[Nilles2020\] eq. (103): for comparison. Limits the time step.
    Explicit,
    /// (1 − min(x, f))(r + Δr), \[Nilles2020\] eq. (109); f = 1 stops the relative motion at once,
    /// f = ½ is the limit as printed (errata E18).
    Clamped {
        /// The largest part f of the relative velocity that a step may take, above 0 and at most 1
        /// \[–\].
        largest: f64,
    },
    /// Both phases move with one velocity: the mixture on one grid.
    Locked,
}

/// Shares that a step leaves of the relative velocity before it, and of that which forces add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Remainder {
    /// Factor of the velocity before the forces \[–\].
    pub before: f64,
    /// Factor of the velocity that forces add \[–\].
    pub added: f64,
}

impl Relaxation {
    /// Refuses a share outside (0, 1].
    pub(super) fn check(self) -> Result<(), BuildError> {
        match self {
            Self::Clamped { largest } if !(largest > 0.0 && largest <= 1.0) => {
                Err(BuildError::OutOfRange {
                    key: "largest",
                    quantity: "largest part of the relative velocity that drag takes in a step",
                    value: largest,
                    range: "above 0 and at most 1",
                })
            }
            _ => Ok(()),
        }
    }
    /// The remainder of a step with x = rate × Δt ≥ 0.
    pub(super) fn remainder(self, x: f64) -> Remainder {
        let same = |factor| Remainder {
            before: factor,
            added: factor,
        };
        match self {
            Self::Exact => {
                let lost = -exp_m1(-x);
                Remainder {
                    before: 1.0 - lost,
                    added: if x > 0.0 { lost / x } else { 1.0 },
                }
            }
            Self::BackwardEuler => same(1.0 / (1.0 + x)),
            Self::BareExponential => same(1.0 + exp_m1(-x)),
            Self::Explicit => same(1.0 - x),
            Self::Clamped { largest } => same(1.0 - x.min(largest)),
            Self::Locked => same(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steady velocity in units of Δr/x: r = before r + added Δr.
    fn steady(relaxation: Relaxation, x: f64) -> f64 {
        let Remainder { before, added } = relaxation.remainder(x);
        x * added / (1.0 - before)
    }

    #[test]
    fn steady_flow_is_darcys_for_any_rate() {
        for x in [1e-9, 0.01, 0.1, 1.0, 10.0, 1e3, 1e9] {
            for relaxation in [Relaxation::Exact, Relaxation::BackwardEuler] {
                let flow = steady(relaxation, x);
                assert!((flow - 1.0).abs() < 1e-6, "{relaxation:?} {x}: {flow}");
            }
        }
        // The control: 0.95, 0.58 and 0.034 of the flow.
        for (x, share) in [(0.1, 0.950_833), (1.0, 0.581_977), (5.0, 0.033_918)] {
            let flow = steady(Relaxation::BareExponential, x);
            assert!((flow - share).abs() < 1e-6, "{x}: {flow}");
        }
    }
}
