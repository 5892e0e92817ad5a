//! Axes: ranges, ticks at round numbers, and their labels.

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Factors evenly; for positive numbers.
    Log,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Numbers at its ends.
    pub range: [f64; 2],
    /// Its scale.
    pub scale: Scale,
    /// Ticks, from low to high.
    pub ticks: Vec<f64>,
    /// Labels are multiples of ten to this power; 0 on a logarithmic axis, whose labels are powers.
    pub exponent: i32,
    step: f64,
}

/// Margin at either end, as a share of the range of the data.
const MARGIN: f64 = 0.05;
/// The least range of an axis, of its largest number: beyond, labels would be all digits.
const LEAST_RANGE: f64 = 1e-4;
/// A ratio of largest to smallest from which on factors matter more than differences.
const LOG_RATIO: f64 = 20.0;

impl Axis {
    /// An axis that covers numbers, with about so many ticks. Numbers that are none do not count;
    /// without any, it goes from 0 to 1.
    pub fn covering(values: impl Iterator<Item = f64>, about: usize) -> Self {
        let [low, high] = span(values);
        let size = low.abs().max(high.abs());
        let least = if size > 0.0 { LEAST_RANGE * size } else { 1.0 };
        let mut range = [low, high];
        if high - low < least {
            let middle = 0.5 * (low + high);
            // A constant has its line in the middle.
            let half = if high > low {
                0.5 * least
            } else {
                0.05 * size.max(10.0 * least)
            };
            range = [middle - half, middle + half];
        }
        let margin = MARGIN * (range[1] - range[0]);
        range = [range[0] - margin, range[1] + margin];
        // Numbers near zero are seen against it.
        if low >= 0.0 && low < 0.3 * high {
            range[0] = 0.0;
        }
        Self::linear(range, about)
    }

    /// An axis that covers positive numbers: logarithmic if they differ by large factors. Others do
    /// not count.
    pub fn covering_positive(values: impl Iterator<Item = f64>, about: usize) -> Self {
        let positive: Vec<f64> = values.filter(|x| *x > 0.0 && x.is_finite()).collect();
        let [low, high] = span(positive.iter().copied());
        if positive.is_empty() || high < LOG_RATIO * low {
            return Self::covering(positive.into_iter(), about);
        }
        let margin = (high / low).powf(MARGIN);
        Self::log([low / margin, high * margin])
    }

    /// A linear axis from end to end.
    pub fn linear(range: [f64; 2], about: usize) -> Self {
        let [low, high] = range;
        let step = nice((high - low) / about.max(1) as f64);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let ticks: Vec<f64> = (first..=last).map(|k| k as f64 * step).collect();
        let largest = low.abs().max(high.abs());
        let power = largest.log10().floor() as i32;
        let exponent = if (-2..=3).contains(&power) {
            0
        } else {
            power.div_euclid(3) * 3
        };
        Self {
            range,
            scale: Scale::Linear,
            ticks,
            exponent,
            step,
        }
    }

    fn log(range: [f64; 2]) -> Self {
        let [first, last] = range.map(f64::log10);
        let decades: Vec<i32> = (first.floor() as i32..=last.ceil() as i32).collect();
        let between: &[f64] = match last - first {
            few if few < 3.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let ticks = decades
            .iter()
            .flat_map(|decade| between.iter().map(|m| m * 10f64.powi(*decade)))
            .filter(|tick| (range[0]..=range[1]).contains(tick));
        Self {
            range,
            scale: Scale::Log,
            ticks: ticks.collect(),
            exponent: 0,
            step: 0.0,
        }
    }

    /// Position of a number: 0 at the low end, 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => (value / low).ln() / (high / low).ln(),
        }
    }

    /// The label of a tick; what is between `^{` and `}` is raised.
    pub fn label(&self, tick: f64) -> String {
        if self.scale == Scale::Log {
            let power = (tick.log10() + 1e-9).floor() as i32;
            let digit = (tick / 10f64.powi(power)).round();
            return match (digit as i64, power) {
                (_, -1..=2) => minus(&trimmed(tick)),
                (1, _) => format!("10^{{{}}}", minus(&power.to_string())),
                (digit, _) => format!("{digit}×10^{{{}}}", minus(&power.to_string())),
            };
        }
        let unit = 10f64.powi(self.exponent);
        let step = self.step / unit;
        let digits = (0..9).find(|d| {
            let shifted = step * 10f64.powi(*d);
            (shifted - shifted.round()).abs() < 1e-6 * shifted
        });
        let digits = digits.unwrap_or(9) as usize;
        let text = format!("{:.digits$}", tick / unit);
        let is_nothing = text.chars().all(|c| "-0.".contains(c));
        if is_nothing {
            "0".to_owned()
        } else {
            minus(&text)
        }
    }

    /// Title of the axis: name and unit with the power of ten of the labels.
    pub fn title(&self, name: &str, unit: &str) -> String {
        let unit = match (self.exponent, unit) {
            (0, "") => return name.to_owned(),
            (0, unit) => unit.to_owned(),
            (power, "") => format!("10^{{{}}}", minus(&power.to_string())),
            (power, unit) => format!("10^{{{}}} {unit}", minus(&power.to_string())),
        };
        format!("{name} [{unit}]")
    }
}

/// Smallest and largest of the finite numbers; 0 and 0 without any, so that there is an axis.
fn span(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let finite = values.filter(|x| x.is_finite());
    let found = finite.fold(none, |[low, high], x| [low.min(x), high.max(x)]);
    if found == none { [0.0, 0.0] } else { found }
}

/// The next of …, 1, 2, 2.5, 5, 10, … that is not smaller.
fn nice(step: f64) -> f64 {
    let unit = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0]
        .into_iter()
        .find(|f| f * unit >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * unit
}

/// A number with the sign that mathematics has for it.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// Digits without zeros behind them.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| axis.label(*tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        let axis = Axis::linear([-0.13, 1.02], 5);
        assert_eq!(labels(&axis), ["0", "0.25", "0.50", "0.75", "1.00"]);
        let axis = Axis::linear([-3.0e5, 1.0e5], 4);
        assert_eq!(axis.exponent, 3);
        assert_eq!(labels(&axis), ["−300", "−200", "−100", "0", "100"]);
        assert_eq!(axis.title("energy", "J"), "energy [10^{3} J]");
        let axis = Axis::linear([0.0, 4.4e-5], 4);
        assert_eq!(axis.title("time step", "s"), "time step [10^{−6} s]");
        assert_eq!(labels(&axis), ["0", "20", "40"]);
        assert_eq!(Axis::linear([0.0, 8.0], 4).title("J", ""), "J");
    }

    #[test]
    fn axes_cover_their_numbers() {
        for values in [
            vec![3.0],
            vec![0.0],
            vec![-5.0, -5.0],
            vec![1.0, 1.0 + 1e-12],
            vec![0.001, 7.0],
            vec![-2.0, f64::NAN, 1e6],
            vec![1e-300, 1e-290],
            vec![1e200, -1e200],
            vec![],
        ] {
            let axis = Axis::covering(values.iter().copied(), 5);
            let [low, high] = axis.range;
            assert!(
                low < high && low.is_finite() && high.is_finite(),
                "{values:?} {axis:?}"
            );
            assert!((1..=14).contains(&axis.ticks.len()), "{values:?} {axis:?}");
            for value in values.iter().filter(|x| x.is_finite()) {
                assert!(
                    (0.0..=1.0).contains(&axis.place(*value)),
                    "{values:?} {axis:?}"
                );
            }
        }
        assert_eq!(Axis::covering([1.0, 8.0].into_iter(), 5).range[0], 0.0);
        assert!(Axis::covering([6.0, 8.0].into_iter(), 5).range[0] > 5.0);
    }

    #[test]
    fn large_factors_make_a_logarithmic_axis() {
        let axis = Axis::covering_positive([0.0, 1e-5, 3e-3].into_iter(), 5);
        assert_eq!(axis.scale, Scale::Log);
        assert!(axis.place(1e-5) > 0.0 && axis.place(3e-3) < 1.0);
        assert!((axis.place((1e-5f64 * 3e-3).sqrt()) - 0.5).abs() < 1e-12);
        assert_eq!(labels(&axis)[..3], ["10^{−5}", "2×10^{−5}", "5×10^{−5}"]);
        let even = Axis::covering_positive([1e-5, 3e-5].into_iter(), 5);
        assert_eq!(even.scale, Scale::Linear);
        let near_one = Axis::covering_positive([0.1, 300.0].into_iter(), 5);
        assert_eq!(labels(&near_one), ["0.1", "1", "10", "100"]);
        assert_eq!(
            Axis::covering_positive([0.0, -1.0].into_iter(), 5).scale,
            Scale::Linear
        );
    }
}
