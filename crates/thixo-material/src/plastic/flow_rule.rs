//! The flow rule of Herschel and Bulkley over a step: the overstress that remains
//! after plastic flow.
//!
//! An excess X = s_trial − s_Y over the yield stress drives the plastic rate g = (x/η)^{1/h},
//! which in the time Δt takes a g, a = 2μΔt, from it: x + a (x/η)^{1/h} = X.
//! The unknown is x for h ≤ 1 and g for h > 1, so that the power p (1/h or h) is at least 1;
//! scaled by its upper bound it reads A z + B z^p = 1 with A, B ≤ 1, one of them 1, and ½ ≤ z ≤ 1.
//! The left side is convex, so Newton's method from z = 1 descends to the root without safeguards;
//! for h = 1 its first step is the closed form x = X/(1 + a/η). A and B come from logarithms:
//! nothing overflows, whatever the units. Errata E30.

#![allow(non_snake_case)]

use thixo_math::Real;

/// Newton steps for A z + B z^p = 1; enough for full double precision at every p
/// (see the tests of Herschel-Bulkley matter).
const NEWTON_STEPS: usize = 8;
/// Logarithms of viscosities below this stand for η = 0.
const LOG_INVISCID: f64 = -1e30;

/// Flow rule of matter above its yield stress, for one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowRule<R> {
    /// ln a of the shear modulus times time a = 2μΔt > 0 \[Pa s\].
    pub log_rate: R,
    /// ln η, η \[Pa s^h\]; see [`log_viscosity`].
    pub log_viscosity: R,
    /// Exponent h > 0 \[–\].
    pub exponent: R,
}

/// ln η for a flow rule, of a viscosity η ≥ 0.
#[inline(always)]
pub(super) fn log_viscosity<R: Real>(viscosity: R) -> R {
    R::select(
        viscosity.gt(R::zero()),
        viscosity.ln(),
        R::splat(2.0 * LOG_INVISCID),
    )
}

impl<R: Real> FlowRule<R> {
    /// Overstress left of an excess X > 0: the x in \[0, X\] with x + a (x/η)^{1/h} = X \[Pa\];
    /// zero without viscosity.
    #[inline(always)]
    pub fn remaining_excess(&self, X: R) -> R {
        let one = R::one();
        let zero = R::zero();
        let h = self.exponent;
        // For h ≤ 1 the unknown is y = x/X in y + (a/X)(X/η)^p y^p = 1; for h > 1 it is y = a g/X
        // with a and η exchanged.
        let thins = h.le(one);
        let p = R::select(thins, one / h, h);
        let log_X = X.ln();
        let log_first = R::select(thins, self.log_rate, self.log_viscosity);
        let log_second = R::select(thins, self.log_viscosity, self.log_rate);
        let log_c = p.mul_add(log_X - log_second, log_first - log_X);
        // y = A z: A and B z^p are the two shares of 1.
        let A = R::select(log_c.gt(zero), -(log_c / p), zero).exp();
        let B = R::select(log_c.lt(zero), log_c, zero).exp();
        let p_less_one = p - one;
        let mut z = one;
        for _ in 0..NEWTON_STEPS {
            let slope = B * z.powf(p_less_one);
            z = (p_less_one * slope).mul_add(z, one) / p.mul_add(slope, A);
        }
        let share = R::select(thins, A * z, B * z.powf(p));
        R::select(
            self.log_viscosity.gt(R::splat(LOG_INVISCID)),
            X * share,
            zero,
        )
    }
}
