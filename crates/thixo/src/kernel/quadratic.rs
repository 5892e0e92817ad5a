//! The quadratic B-spline, [Jiang2016] eq. (123).

use thixo_math::Real;

use super::{AxisWeights, Spline};

/// Weights ½(3/2 − f)², 3/4 − (f − 1)², ½(f − ½)² for f in [½, 3/2).
#[derive(Clone, Copy, Debug)]
pub struct Quadratic;

impl Spline for Quadratic {
    const WIDTH: usize = 3;
    const BASE_OFFSET: f64 = 0.5;
    const INERTIA: Option<f64> = Some(0.25);

    #[inline(always)]
    fn weights<R: Real>(f: R) -> AxisWeights<R> {
        let left = R::splat(1.5) - f;
        let centre = f - R::one();
        let right = f - R::splat(0.5);
        let half = R::splat(0.5);
        AxisWeights {
            value: [
                half * left * left,
                (-centre).mul_add(centre, R::splat(0.75)),
                half * right * right,
                R::zero(),
            ],
            slope: [-left, R::splat(-2.0) * centre, right, R::zero()],
        }
    }
}
