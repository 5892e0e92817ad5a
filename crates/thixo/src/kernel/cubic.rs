//! The cubic B-spline, \[Jiang2016\] eq. (122).

use thixo_math::Real;

use super::{AxisWeights, Spline};

/// Weights (2 − f)³/6, 2/3 − s² + s³/2 for the two inner nodes at distance s, and (f − 1)³/6, for f
/// in [1, 2).
#[derive(Clone, Copy, Debug)]
pub struct Cubic;

impl Spline for Cubic {
    const WIDTH: usize = 4;
    const BASE_OFFSET: f64 = 1.0;
    const INERTIA: Option<f64> = Some(1.0 / 3.0);

    #[inline(always)]
    fn weights<R: Real>(f: R) -> AxisWeights<R> {
        let near = f - R::one(); // distance to node 1, in [0, 1)
        let far = R::splat(2.0) - f; // distance to node 2, in (0, 1]
        let sixth = R::splat(1.0 / 6.0);
        let half = R::splat(0.5);
        let two = R::splat(2.0);
        let (near_2, far_2) = (near * near, far * far);
        let first = sixth * far_2 * far;
        let last = sixth * near_2 * near;
        AxisWeights {
            // The inner weights 2/3 − s² + s³/2 in the form that makes Σ w = 1 and Σ w i = f
            // whatever the rounding of the outer ones: with the rounded constants 1/6 and 2/3 the
            // sum is off by always the same amount, and momentum drifts step by step.
            value: [
                first,
                far + (last - two * first),
                near + (first - two * last),
                last,
            ],
            slope: [
                -half * far_2,
                near * (R::splat(1.5) * near - R::splat(2.0)),
                -(far * (R::splat(1.5) * far - R::splat(2.0))),
                half * near_2,
            ],
        }
    }
}
