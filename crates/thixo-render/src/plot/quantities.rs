//! Budgets of runs that are plotted.

use thixo_scene::stats::Table;

use super::panel::{Panel, Series};

/// A run and its budgets.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Name in legends.
    pub name: String,
    /// 2 or 3.
    pub dimension: u32,
    /// `stats.csv`.
    pub budgets: Table,
}

/// A line: its name in the legend, and its values frame by frame.
type Line = (&'static str, fn(&Table) -> Vec<f64>);

/// A panel: key, heading, unit, lines.
struct Quantity {
    key: &'static str,
    title: &'static str,
    unit: &'static str,
    lines: &'static [Line],
    /// Decides which lines are drawn in 2D, and whether the axis may be logarithmic.
    nature: Nature,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nature {
    Plain,
    /// Positive numbers that may differ by factors; zeros say that there was nothing to measure.
    Positive,
    /// Three components of a vector, the last zero in 2D.
    Vector,
    /// Three components, the first two zero in 2D.
    Axial,
    /// A smallest and a largest number that belong together.
    Pair,
    /// The same, positive.
    PositivePair,
}

const QUANTITIES: [Quantity; 10] = [
    Quantity {
        key: "energy",
        title: "energy",
        unit: "J",
        lines: &[
            ("kinetic", |t| t.column("kinetic")),
            ("elastic", |t| t.column("elastic")),
            ("potential", |t| t.column("potential")),
            ("total", total),
        ],
        nature: Nature::Plain,
    },
    Quantity {
        key: "momentum",
        title: "momentum",
        unit: "kg m/s",
        lines: &[
            ("x", |t| t.column("px")),
            ("y", |t| t.column("py")),
            ("z", |t| t.column("pz")),
        ],
        nature: Nature::Vector,
    },
    Quantity {
        key: "angular_momentum",
        title: "angular momentum",
        unit: "kg m²/s",
        lines: &[
            ("x", |t| t.column("lx")),
            ("y", |t| t.column("ly")),
            ("z", |t| t.column("lz")),
        ],
        nature: Nature::Axial,
    },
    Quantity {
        key: "volume_ratio",
        title: "volume ratio J",
        unit: "",
        lines: &[
            ("smallest", |t| t.column("j_min")),
            ("largest", |t| t.column("j_max")),
        ],
        nature: Nature::Pair,
    },
    Quantity {
        key: "volume",
        title: "volume",
        unit: "m³",
        lines: &[
            ("by J", |t| t.column("volume")),
            ("filled", |t| t.column("filled_volume")),
        ],
        nature: Nature::Pair,
    },
    Quantity {
        key: "mass",
        title: "mass",
        unit: "kg",
        lines: &[("", |t| t.column("mass"))],
        nature: Nature::Plain,
    },
    Quantity {
        key: "speed",
        title: "largest speed",
        unit: "m/s",
        lines: &[("", |t| t.column("max_speed"))],
        nature: Nature::Plain,
    },
    Quantity {
        key: "time_step",
        title: "time step",
        unit: "s",
        lines: &[
            ("shortest", |t| t.column("dt_min")),
            ("longest", |t| t.column("dt_max")),
        ],
        nature: Nature::PositivePair,
    },
    Quantity {
        key: "updates",
        title: "particle-updates",
        unit: "1/s",
        lines: &[("", updates)],
        nature: Nature::Positive,
    },
    Quantity {
        key: "wall_time",
        title: "wall time",
        unit: "s",
        lines: &[("", wall_time)],
        nature: Nature::Plain,
    },
];

/// Headings of the lines of a panel, where several runs give each a panel of its own.
const SINGLE: [(&str, &str, &str, &str); 10] = [
    ("energy", "kinetic", "kinetic_energy", "kinetic energy"),
    ("energy", "elastic", "elastic_energy", "elastic energy"),
    (
        "energy",
        "potential",
        "potential_energy",
        "potential energy",
    ),
    ("energy", "total", "total_energy", "total energy"),
    ("momentum", "x", "momentum_x", "momentum, x"),
    ("momentum", "y", "momentum_y", "momentum, y"),
    ("momentum", "z", "momentum_z", "momentum, z"),
    (
        "angular_momentum",
        "x",
        "angular_momentum_x",
        "angular momentum, x",
    ),
    (
        "angular_momentum",
        "y",
        "angular_momentum_y",
        "angular momentum, y",
    ),
    (
        "angular_momentum",
        "z",
        "angular_momentum_z",
        "angular momentum, z",
    ),
];

/// Panels of the budgets of runs. Of one run, kinds of energy and components share a panel and have
/// a colour each; of several, each has a panel, and runs have the colours.
pub fn panels(runs: &[Run]) -> Vec<Panel> {
    let is_plane = runs.iter().all(|run| run.dimension == 2);
    let mut panels = Vec::new();
    for quantity in &QUANTITIES {
        let lines = quantity.lines.iter().enumerate();
        let lines: Vec<(usize, &Line)> = lines
            .filter(|(k, _)| match quantity.nature {
                Nature::Vector => !(is_plane && *k == 2),
                Nature::Axial => !(is_plane && *k < 2),
                _ => true,
            })
            .collect();
        if let [run] = runs {
            let series = lines.iter().map(|(k, line)| quantity.of_one(run, *k, line));
            panels.push(quantity.panel((quantity.key, quantity.title), series.collect()));
        } else if quantity.is_pair() || quantity.lines.len() == 1 {
            let series = lines
                .iter()
                .flat_map(|(k, line)| quantity.of_all(runs, *k, line));
            panels.push(quantity.panel((quantity.key, quantity.title), series.collect()));
        } else {
            for (_, line) in &lines {
                let found = SINGLE.iter().find(|s| s.0 == quantity.key && s.1 == line.0);
                if let Some((_, _, key, title)) = found {
                    let mut series = quantity.of_all(runs, 0, line);
                    for own in &mut series {
                        own.name.clear();
                    }
                    panels.push(quantity.panel((key, title), series));
                }
            }
        }
    }
    panels.retain(|panel| !panel.is_empty());
    panels
}

impl Quantity {
    fn is_pair(&self) -> bool {
        matches!(self.nature, Nature::Pair | Nature::PositivePair)
    }

    fn is_positive(&self) -> bool {
        matches!(self.nature, Nature::Positive | Nature::PositivePair)
    }

    fn panel(&self, (key, title): (&'static str, &'static str), series: Vec<Series>) -> Panel {
        Panel {
            key,
            title,
            unit: self.unit,
            series,
            is_positive: self.is_positive(),
        }
    }

    /// A line of one run: a colour for each.
    fn of_one(&self, run: &Run, index: usize, (name, values): &Line) -> Series {
        // The total is dark.
        let color = if *name == "total" {
            super::INKS.len() - 1
        } else {
            index
        };
        let full_name = if name.is_empty() { self.title } else { name };
        self.series(run, values, (name, full_name.to_owned(), color, 0))
    }

    /// A line of every run: a colour for each run; the second of a pair is dashed.
    fn of_all(&self, runs: &[Run], index: usize, (name, values): &Line) -> Vec<Series> {
        let colors = super::INKS.len();
        let series = |(k, run): (usize, &Run)| {
            let full_name = format!("{} {name}", run.name).trim_end().to_owned();
            // Dashes tell runs apart when colours are used up.
            let pattern = if self.is_pair() { index } else { k / colors };
            self.series(run, values, (name, full_name, k % colors, pattern))
        };
        runs.iter().enumerate().map(series).collect()
    }

    fn series(
        &self,
        run: &Run,
        values: &fn(&Table) -> Vec<f64>,
        (name, full_name, color, pattern): (&str, String, usize, usize),
    ) -> Series {
        let times = run.budgets.column("time").into_iter();
        let points = times.zip(values(&run.budgets)).map(|(time, value)| {
            let is_measured = !self.is_positive() || value > 0.0;
            [time, if is_measured { value } else { f64::NAN }]
        });
        Series {
            name: name.to_owned(),
            full_name,
            color,
            pattern,
            points: points.collect(),
        }
    }
}

fn total(table: &Table) -> Vec<f64> {
    let [kinetic, elastic, potential] =
        ["kinetic", "elastic", "potential"].map(|name| table.column(name));
    let all = kinetic.iter().zip(&elastic).zip(&potential);
    all.map(|((k, e), p)| k + e + p).collect()
}

/// Particles times steps of every frame over the time it took \[1/s\]; 0 where there was none.
fn updates(table: &Table) -> Vec<f64> {
    let [particles, steps, seconds] =
        ["particles", "steps", "wall_seconds"].map(|name| table.column(name));
    let all = particles.iter().zip(&steps).zip(&seconds);
    let rate = |((particles, steps), seconds): ((&f64, &f64), &f64)| {
        if *seconds > 0.0 {
            particles * steps / seconds
        } else {
            0.0
        }
    };
    all.map(rate).collect()
}

/// Time that the run took up to every frame \[s\].
fn wall_time(table: &Table) -> Vec<f64> {
    let mut sum = 0.0;
    let seconds = table.column("wall_seconds").into_iter();
    seconds
        .map(|own| {
            sum += own;
            sum
        })
        .collect()
}
