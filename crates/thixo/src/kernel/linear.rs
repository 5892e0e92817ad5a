//! The linear B-spline, [Jiang2016] eq. (121).

use thixo_math::Real;

use super::{AxisWeights, Spline};

/// Hat functions: weights 1 − f and f.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

impl Spline for Linear {
    const WIDTH: usize = 2;
    const BASE_OFFSET: f64 = 0.0;
    const INERTIA: Option<f64> = None;

    #[inline(always)]
    fn weights<R: Real>(f: R) -> AxisWeights<R> {
        let (zero, one) = (R::zero(), R::one());
        AxisWeights {
            value: [one - f, f, zero, zero],
            slope: [-one, one, zero, zero],
        }
    }
}
