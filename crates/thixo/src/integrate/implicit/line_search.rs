//! Line search for the strong Wolfe conditions, \[Nocedal2006\] algorithms 3.5 and 3.6.

/// Constant c₁ of the sufficient decrease (Armijo) condition, φ(α) ≤ φ(0) + c₁ α φ'(0).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Constant c₂ of the curvature condition, |φ'(α)| ≤ c₂ |φ'(0)|.
const CURVATURE: f64 = 0.9;
/// Evaluations, at most.
const EVALUATIONS: u32 = 40;
/// Shortest bracket, relative to the first trial step.
const SHORTEST: f64 = 1e-12;

/// Value and derivative at a point of the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Step length α.
    pub at: f64,
    /// φ(α); infinite outside the domain of the objective.
    pub value: f64,
    /// φ'(α).
    pub slope: f64,
}

/// No step length satisfies the sufficient decrease condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoStep;

/// Finds a step along a line on which φ decreases from `start`; returns it with the number of
/// evaluations of φ, the last of which is at the step. `rounding` is the error of values of φ:
/// where they differ by less, derivatives decide (approximate Wolfe conditions).
pub(super) fn search(
    start: Point,
    rounding: f64,
    mut evaluate: impl FnMut(f64) -> Point,
) -> Result<(Point, u32), NoStep> {
    let wolfe = Wolfe { start, rounding };
    let mut evaluations = 0;
    let mut previous = start;
    let mut next = evaluate(1.0);
    evaluations += 1;
    loop {
        let rises = next.value > previous.value + rounding && evaluations > 1;
        if !wolfe.is_decrease_sufficient(&next) || rises {
            return zoom(&wolfe, (previous, next), evaluations, &mut evaluate);
        }
        if wolfe.is_flat(&next) {
            return Ok((next, evaluations));
        }
        if next.slope >= 0.0 {
            return zoom(&wolfe, (next, previous), evaluations, &mut evaluate);
        }
        if evaluations >= EVALUATIONS / 2 {
            return Ok((next, evaluations));
        }
        previous = next;
        next = evaluate(2.0 * previous.at);
        evaluations += 1;
    }
}

/// The strong Wolfe conditions.
struct Wolfe {
    start: Point,
    rounding: f64,
}

impl Wolfe {
    /// The sufficient decrease condition, by derivatives where values are equal up to rounding.
    fn is_decrease_sufficient(&self, p: &Point) -> bool {
        let start = &self.start;
        let decreases = p.value <= start.value + SUFFICIENT_DECREASE * p.at * start.slope;
        let decreases_by_slope = (p.value - start.value).abs() <= self.rounding
            && p.slope <= (2.0 * SUFFICIENT_DECREASE - 1.0) * start.slope;
        p.value.is_finite() && (decreases || decreases_by_slope)
    }
    /// The curvature condition.
    fn is_flat(&self, p: &Point) -> bool {
        p.slope.abs() <= -CURVATURE * self.start.slope
    }
}

/// Shrinks a bracket between a point of sufficient decrease and one beyond a minimum.
fn zoom(
    wolfe: &Wolfe,
    (mut low, mut high): (Point, Point),
    mut evaluations: u32,
    evaluate: &mut impl FnMut(f64) -> Point,
) -> Result<(Point, u32), NoStep> {
    while evaluations < EVALUATIONS && (high.at - low.at).abs() > SHORTEST {
        let trial = evaluate(interpolate(&low, &high));
        evaluations += 1;
        let is_low =
            wolfe.is_decrease_sufficient(&trial) && trial.value <= low.value + wolfe.rounding;
        if !is_low {
            high = trial;
            continue;
        }
        if wolfe.is_flat(&trial) {
            return Ok((trial, evaluations));
        }
        if trial.slope * (high.at - low.at) >= 0.0 {
            high = low;
        }
        low = trial;
    }
    // A point of decrease that misses the curvature condition is better than none.
    if low.at > 0.0 && low.value <= wolfe.start.value {
        return Ok((evaluate(low.at), evaluations + 1));
    }
    Err(NoStep)
}

/// Quadratic interpolation: the minimum of the parabola through both points with the derivative at
/// the first, away from the ends; the middle where there is none.
fn interpolate(low: &Point, high: &Point) -> f64 {
    let width = high.at - low.at;
    let middle = low.at + 0.5 * width;
    if !high.value.is_finite() {
        return middle;
    }
    let curvature = high.value - low.value - low.slope * width;
    if curvature <= 0.0 {
        return middle;
    }
    let part = -0.5 * low.slope * width / curvature;
    low.at + width * part.clamp(0.1, 0.9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(f: impl Fn(f64) -> (f64, f64)) -> (Result<(Point, u32), NoStep>, Point) {
        let point = |at: f64| {
            let (value, slope) = f(at);
            Point { at, value, slope }
        };
        let start = point(0.0);
        (search(start, 0.0, point), start)
    }

    fn conditions_hold(f: impl Fn(f64) -> (f64, f64)) -> f64 {
        let (found, start) = along(f);
        let (step, evaluations) = found.unwrap();
        assert!(step.value <= start.value + SUFFICIENT_DECREASE * step.at * start.slope);
        assert!(step.slope.abs() <= -CURVATURE * start.slope, "{step:?}");
        assert!(evaluations < 20, "{evaluations}");
        step.at
    }

    #[test]
    fn a_newton_step_of_a_parabola_is_taken_at_once() {
        let (found, _) = along(|x| (0.5 * (x - 1.0).powi(2), x - 1.0));
        let (step, evaluations) = found.unwrap();
        assert_eq!((step.at, evaluations), (1.0, 1));
    }

    #[test]
    fn steps_grow_and_shrink_until_the_conditions_hold() {
        assert!(conditions_hold(|x| (0.5 * (x - 50.0).powi(2), x - 50.0)) > 4.0);
        assert!(conditions_hold(|x| (0.5 * (x - 0.01).powi(2), x - 0.01)) < 0.02);
        conditions_hold(|x| (x.powi(4) - x, 4.0 * x.powi(3) - 1.0));
        conditions_hold(|x| (-(2.0 * x).sin() + 0.1 * x, -2.0 * (2.0 * x).cos() + 0.1));
    }

    #[test]
    fn steps_stay_within_the_domain() {
        let barrier = |x: f64| {
            if x >= 0.3 {
                (f64::INFINITY, f64::NAN)
            } else {
                (-x - 0.1 * (0.3 - x).ln(), -1.0 + 0.1 / (0.3 - x))
            }
        };
        assert!(conditions_hold(barrier) < 0.3);
    }

    #[test]
    fn there_is_no_step_in_an_ascent_direction() {
        let (found, _) = along(|x| (x, -1e-3));
        assert_eq!(found, Err(NoStep));
    }
}
