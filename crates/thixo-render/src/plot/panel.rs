//! One quantity over time.

use super::axis::Axis;
use super::marks::{Anchor, Mark, Sheet, TextDirection};
use super::{INKS, Ink};
use crate::text::{OutlineFont, Weight};

/// Numbers over time, and how they are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend of its panel; empty for none.
    pub name: String,
    /// Name in the title of the line, with that of the run.
    pub full_name: String,
    /// Index of the colour.
    pub color: usize,
    /// Index of the pattern of dashes; 0 is a line without gaps.
    pub pattern: usize,
    /// Time \[s\] and value; the line has gaps where one is no number.
    pub points: Vec<[f64; 2]>,
}

/// A quantity, with all lines that show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its name in names of files.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// Its lines.
    pub series: Vec<Series>,
    /// True if its numbers may differ by factors, as those of time steps do.
    pub is_positive: bool,
}

/// Dashes and gaps of the patterns.
const PATTERNS: [&[f64]; 4] = [&[], &[7.0, 3.5], &[2.5, 2.5], &[9.0, 3.0, 2.5, 3.0]];

pub(super) const TEXT: Ink = [0x22, 0x26, 0x2b];
const SOFT: Ink = [0x5f, 0x66, 0x6d];
const GRID: Ink = [0xe4, 0xe7, 0xea];
const FRAME: Ink = [0x8a, 0x91, 0x98];
/// Sizes of letters.
const HEADING: f64 = 15.0;
const LABEL: f64 = 12.0;
/// From the edge of the panel to that of the plot: left, above, right, below.
const MARGINS: [f64; 4] = [72.0, 34.0, 16.0, 46.0];
/// About how many ticks there are beside a panel.
const TICKS: usize = 6;
/// Length of a line in a legend.
pub(super) const SAMPLE: f64 = 22.0;
/// Width of lines that show something.
pub(super) const WIDTH: f64 = 2.0;

impl Series {
    /// Its colour.
    pub fn ink(&self) -> Ink {
        INKS[self.color % INKS.len()]
    }

    /// The points that can be drawn.
    fn finite(&self) -> impl Iterator<Item = [f64; 2]> {
        let points = self.points.iter().copied();
        points.filter(|[t, value]| t.is_finite() && value.is_finite())
    }
}

impl Panel {
    /// True if there is nothing to be seen.
    pub fn is_empty(&self) -> bool {
        self.series
            .iter()
            .all(|series| series.finite().next().is_none())
    }

    /// The axis of time \[s\].
    pub fn time_axis(&self) -> Axis {
        // All frames, also those without a value: panels of a run have the same times.
        let times = self
            .series
            .iter()
            .flat_map(|s| s.points.iter().map(|p| p[0]));
        let times = times.filter(|t| t.is_finite());
        let [low, high] = times.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], t| {
            [low.min(t), high.max(t)]
        });
        if low < high {
            Axis::linear([low, high], 6)
        } else {
            Axis::covering([low].into_iter(), 3)
        }
    }

    /// The axis of the quantity.
    pub fn value_axis(&self) -> Axis {
        let values = self.series.iter().flat_map(|s| s.finite().map(|p| p[1]));
        if self.is_positive {
            Axis::covering_positive(values, TICKS)
        } else {
            Axis::covering(values, TICKS)
        }
    }

    /// Draws it on a sheet, into a rectangle with its upper left corner at `corner`.
    pub fn draw(&self, sheet: &mut Sheet, corner: [f64; 2], size: [f64; 2]) {
        let [left, above, right, below] = MARGINS;
        let plot = Plot {
            left: corner[0] + left,
            right: corner[0] + size[0] - right,
            top: corner[1] + above,
            bottom: corner[1] + size[1] - below,
            times: self.time_axis(),
            values: self.value_axis(),
        };
        plot.draw_axes(sheet, &plot.values.title(self.title, self.unit));
        let heading = [plot.left - 52.0, corner[1] + 18.0];
        sheet.write(
            self.title,
            (heading, Anchor::Start),
            HEADING,
            (TEXT, Weight::Medium),
        );
        self.draw_legend(sheet, plot.right, corner[1] + 18.0);
        for series in &self.series {
            plot.draw_series(sheet, series);
        }
    }

    /// The names of its lines, right of the heading.
    fn draw_legend(&self, sheet: &mut Sheet, right: f64, y: f64) {
        let font = OutlineFont::new(Weight::Regular);
        let mut seen: Vec<&Series> = Vec::new();
        for series in &self.series {
            if !series.name.is_empty() && seen.iter().all(|s| s.name != series.name) {
                seen.push(series);
            }
        }
        let has_namesake = |a: &Series| {
            let mut others = self.series.iter();
            others.any(|b| b.name == a.name && b.color != a.color)
        };
        let mut x = right;
        for series in seen.into_iter().rev() {
            x -= font.width(&series.name, LABEL);
            sheet.write(
                &series.name,
                ([x, y], Anchor::Start),
                LABEL,
                (SOFT, Weight::Regular),
            );
            x -= SAMPLE + 5.0;
            // No colour stands for all runs if every run has such a line.
            let ink = if has_namesake(series) {
                SOFT
            } else {
                series.ink()
            };
            sheet.marks.push(Mark::Line {
                name: String::new(),
                points: vec![[x, y - 4.0], [x + SAMPLE, y - 4.0]],
                ink,
                width: WIDTH,
                dashes: dashes(series.pattern),
            });
            x -= 14.0;
        }
    }
}

/// Rectangle and axes of a panel.
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    times: Axis,
    values: Axis,
}

impl Plot {
    fn x(&self, time: f64) -> f64 {
        self.left + (self.right - self.left) * self.times.place(time)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom + (self.top - self.bottom) * self.values.place(value)
    }

    fn draw_axes(&self, sheet: &mut Sheet, title: &str) {
        let mut line = |points: Vec<[f64; 2]>, ink: Ink| {
            sheet.marks.push(Mark::Line {
                name: String::new(),
                points,
                ink,
                width: 1.0,
                dashes: Vec::new(),
            });
        };
        for tick in &self.values.ticks {
            let y = self.y(*tick);
            line(vec![[self.left, y], [self.right, y]], GRID);
        }
        for tick in &self.times.ticks {
            let x = self.x(*tick);
            line(vec![[x, self.top], [x, self.bottom]], GRID);
            line(vec![[x, self.bottom], [x, self.bottom + 4.0]], FRAME);
        }
        // Zero is seen where it is not at the edge.
        let [low, high] = self.values.range;
        if low < 0.0 && high > 0.0 {
            let y = self.y(0.0);
            line(vec![[self.left, y], [self.right, y]], [0xb4, 0xba, 0xc0]);
        }
        line(
            vec![[self.left, self.bottom], [self.right, self.bottom]],
            FRAME,
        );
        let soft = (SOFT, Weight::Regular);
        for tick in &self.values.ticks {
            let at = [self.left - 8.0, self.y(*tick) + 4.0];
            sheet.write(&self.values.label(*tick), (at, Anchor::End), LABEL, soft);
        }
        for tick in &self.times.ticks {
            let at = [self.x(*tick), self.bottom + 18.0];
            sheet.write(&self.times.label(*tick), (at, Anchor::Middle), LABEL, soft);
        }
        let below = [0.5 * (self.left + self.right), self.bottom + 36.0];
        let time = self.times.title("time", "s");
        sheet.write(&time, (below, Anchor::Middle), LABEL, soft);
        sheet.marks.push(Mark::Text {
            text: title.to_owned(),
            at: [self.left - 57.0, 0.5 * (self.top + self.bottom)],
            anchor: Anchor::Middle,
            size: LABEL,
            ink: SOFT,
            weight: Weight::Regular,
            direction: TextDirection::Up,
        });
    }

    fn draw_series(&self, sheet: &mut Sheet, series: &Series) {
        let is_drawn = |[t, value]: &[f64; 2]| {
            let has_place = value.is_finite() && self.values.place(*value).is_finite();
            t.is_finite() && has_place
        };
        for stretch in series.points.split(|point| !is_drawn(point)) {
            let places = stretch
                .iter()
                .map(|[t, value]| [self.x(*t), self.y(*value)]);
            let points: Vec<[f64; 2]> = places.collect();
            let name = series.full_name.clone();
            let ink = series.ink();
            match points[..] {
                [] => {}
                [at] => sheet.marks.push(Mark::Dot {
                    name,
                    at,
                    ink,
                    radius: 3.5,
                }),
                _ => sheet.marks.push(Mark::Line {
                    name,
                    points,
                    ink,
                    width: WIDTH,
                    dashes: dashes(series.pattern),
                }),
            }
        }
    }
}

/// Dashes and gaps of a pattern.
pub(super) fn dashes(pattern: usize) -> Vec<f64> {
    PATTERNS[pattern % PATTERNS.len()].to_vec()
}
