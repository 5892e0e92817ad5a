//! How far to go downhill: the strong Wolfe conditions, \[Nocedal2006\] algorithms 3.5 and 3.6.

/// Share of the first slope by which the value must fall.
const SUFFICIENT: f64 = 1e-4;
/// Share of the first slope that may be left.
const FLAT: f64 = 0.9;
/// Values asked for, at most.
const MOST: u32 = 40;
/// A step that is this much shorter than the first one leads nowhere.
const SHORTEST: f64 = 1e-12;

/// Value and slope along the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Where.
    pub at: f64,
    /// φ; infinite where nothing can be.
    pub value: f64,
    /// dφ/dα.
    pub slope: f64,
}

/// Why no step was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoStep;

/// A step along a line on which φ falls from `start`, and how often φ was asked for. `noise` is what φ is known to: where values differ by less, slopes decide.
/// The last value asked for is that of the step.
pub(super) fn search(
    start: Point,
    noise: f64,
    mut at: impl FnMut(f64) -> Point,
) -> Result<(Point, u32), NoStep> {
    let falls = |p: &Point| {
        let enough = p.value <= start.value + SUFFICIENT * p.at * start.slope;
        let unknown = (p.value - start.value).abs() <= noise
            && p.slope <= (2.0 * SUFFICIENT - 1.0) * start.slope;
        p.value.is_finite() && (enough || unknown)
    };
    let is_flat = |p: &Point| p.slope.abs() <= -FLAT * start.slope;
    let mut asked = 0;
    let mut previous = start;
    let mut next = at(1.0);
    asked += 1;
    loop {
        if !falls(&next) || (next.value > previous.value + noise && asked > 1) {
            return zoom(start, noise, (previous, next), asked, &mut at);
        }
        if is_flat(&next) {
            return Ok((next, asked));
        }
        if next.slope >= 0.0 {
            return zoom(start, noise, (next, previous), asked, &mut at);
        }
        if asked >= MOST / 2 {
            return Ok((next, asked));
        }
        previous = next;
        next = at(2.0 * previous.at);
        asked += 1;
    }
}

/// Between a point that falls enough and one beyond a minimum.
fn zoom(
    start: Point,
    noise: f64,
    (mut low, mut high): (Point, Point),
    mut asked: u32,
    at: &mut impl FnMut(f64) -> Point,
) -> Result<(Point, u32), NoStep> {
    while asked < MOST && (high.at - low.at).abs() > SHORTEST {
        let trial = at(between(&low, &high));
        asked += 1;
        let enough = trial.value <= start.value + SUFFICIENT * trial.at * start.slope;
        let unknown = (trial.value - start.value).abs() <= noise
            && trial.slope <= (2.0 * SUFFICIENT - 1.0) * start.slope;
        let is_high =
            !(trial.value.is_finite() && (enough || unknown) && trial.value <= low.value + noise);
        if is_high {
            high = trial;
            continue;
        }
        if trial.slope.abs() <= -FLAT * start.slope {
            return Ok((trial, asked));
        }
        if trial.slope * (high.at - low.at) >= 0.0 {
            high = low;
        }
        low = trial;
    }
    // A point that falls, if not as flat as it should be, is better than none.
    if low.at > 0.0 && low.value <= start.value {
        return Ok((at(low.at), asked + 1));
    }
    Err(NoStep)
}

/// The minimum of the parabola through both points and the slope at the first, away from the ends; the middle where there is none.
fn between(low: &Point, high: &Point) -> f64 {
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
        let (step, asked) = found.unwrap();
        assert!(step.value <= start.value + SUFFICIENT * step.at * start.slope);
        assert!(step.slope.abs() <= -FLAT * start.slope, "{step:?}");
        assert!(asked < 20, "{asked}");
        step.at
    }

    #[test]
    fn a_newton_step_of_a_parabola_is_taken_at_once() {
        let (found, _) = along(|x| (0.5 * (x - 1.0).powi(2), x - 1.0));
        let (step, asked) = found.unwrap();
        assert_eq!((step.at, asked), (1.0, 1));
    }

    #[test]
    fn steps_grow_and_shrink_until_the_conditions_hold() {
        assert!(conditions_hold(|x| (0.5 * (x - 50.0).powi(2), x - 50.0)) > 4.0);
        assert!(conditions_hold(|x| (0.5 * (x - 0.01).powi(2), x - 0.01)) < 0.02);
        conditions_hold(|x| (x.powi(4) - x, 4.0 * x.powi(3) - 1.0));
        conditions_hold(|x| (-(2.0 * x).sin() + 0.1 * x, -2.0 * (2.0 * x).cos() + 0.1));
    }

    #[test]
    fn what_cannot_be_is_never_accepted() {
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
    fn there_is_no_step_uphill() {
        let (found, _) = along(|x| (x, -1e-3));
        assert_eq!(found, Err(NoStep));
    }
}
