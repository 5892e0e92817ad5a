//! Budgets of every frame: `stats.csv`.

use thiserror::Error;
use thixo::{Audit, ContactImpulses, FrameReport};

use crate::scene::Scene;

/// The first line.
pub const HEADER: &str = "frame,time,steps,dt_min,dt_max,particles,mass,px,py,pz,lx,ly,lz,kinetic,elastic,potential,max_speed,j_min,j_max,wall_seconds,retries,newton,linear,line_search,sweeps,residual,volume,filled_volume,pressure,divergence";

/// Columns at its end that older files do not have.
const ADDED: [&str; 4] = ["volume", "filled_volume", "pressure", "divergence"];

/// Components of the force \[N\] and of its moment about the origin \[N m\] that a wall or collider
/// exerts on the matter, after its name: `walls[0].fx`.
const FORCE: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];

/// The first line of a run with some walls and colliders: [`HEADER`], and columns with their
/// forces.
pub fn header(walls: usize, colliders: usize) -> String {
    let mut header = HEADER.to_owned();
    for (name, count) in [("walls", walls), ("colliders", colliders)] {
        for index in 0..count {
            for component in FORCE {
                header.push_str(&format!(",{name}[{index}].{component}"));
            }
        }
    }
    header
}

/// Heat of the matter \[J\], mass of the liquid \[kg\], extremes of the temperature \[K\], and heat
/// received since the start \[J\], of runs that conduct heat.
const HEAT: [&str; 9] = [
    "enthalpy",
    "latent_heat",
    "liquid_mass",
    "temperature_min",
    "temperature_max",
    "heat_from_walls",
    "heat_from_colliders",
    "heat_from_air",
    "heat_from_sources",
];

/// The first line of a run of a scene: [`header`], and where it conducts heat the columns of that.
pub fn header_of(scene: &Scene) -> String {
    let mut header = header(scene.walls.len(), scene.colliders.len());
    if scene.heat.is_some() {
        for name in HEAT {
            header.push(',');
            header.push_str(name);
        }
    }
    header
}

/// Columns of heat, with a comma before each number; nothing where none is conducted.
pub fn heat<const D: usize>(audit: &Audit<D>) -> String {
    let Some(heat) = &audit.heat else {
        return String::new();
    };
    let numbers = [
        heat.enthalpy,
        heat.latent,
        heat.liquid_mass,
        heat.coldest,
        heat.hottest,
        heat.received.walls,
        heat.received.colliders,
        heat.received.air,
        heat.received.sources,
    ];
    numbers
        .iter()
        .map(|number| format!(",{number:?}"))
        .collect()
}

/// Mean forces of walls and colliders between two times, with a comma before each number: the
/// change of their impulses over the duration \[s\]; zero where that is zero.
pub fn forces<const D: usize>(
    before: &ContactImpulses<D>,
    after: &ContactImpulses<D>,
    duration: f64,
) -> String {
    let mut out = String::new();
    let lists = [
        (&before.walls, &after.walls),
        (&before.colliders, &after.colliders),
    ];
    for (before, after) in lists {
        for (before, after) in before.iter().zip(after) {
            let mut numbers = [0.0; 6];
            numbers[..D].copy_from_slice(&(after.linear - before.linear).0);
            for k in 0..3 {
                numbers[3 + k] = after.angular[k] - before.angular[k];
            }
            for number in numbers {
                let mean = if duration > 0.0 {
                    number / duration
                } else {
                    0.0
                };
                out.push_str(&format!(",{mean:?}"));
            }
        }
    }
    out
}

/// The line of a frame: its number, the budgets at its end, and what it took. Steps, their shortest
/// and longest \[s\], the wall time, and from `retries` on what solving implicit steps took are
/// those since the frame before; zero for frame 0. At the end there are the volume Σ J V⁰ and the
/// volume that the particles fill \[m³\], `NaN` where that is unknown, and of projections the
/// iterations of pressure solves and the largest change of volume that they left \[–\].
pub fn row<const D: usize>(
    frame: u32,
    audit: &Audit<D>,
    filled_volume: Option<f64>,
    report: Option<&FrameReport>,
    wall_seconds: f64,
) -> String {
    let mut momentum = [0.0; 3];
    momentum[..D].copy_from_slice(&audit.momentum);
    let [px, py, pz] = momentum;
    let [lx, ly, lz] = audit.angular_momentum;
    let (steps, dt_min, dt_max) = report.map_or((0, 0.0, 0.0), |report| {
        (report.steps, report.dt_min, report.dt_max)
    });
    let (retries, effort) =
        report.map_or_else(Default::default, |report| (report.retries, report.effort));
    let numbers = [
        audit.mass,
        px,
        py,
        pz,
        lx,
        ly,
        lz,
        audit.kinetic,
        audit.elastic,
        audit.potential,
        audit.max_speed,
        audit.j_min,
        audit.j_max,
    ];
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
    format!(
        "{frame},{:?},{steps},{dt_min:?},{dt_max:?},{},{},{wall_seconds:.6},{retries},{},{},{},{},{:?},{:?},{:?},{},{:?}",
        audit.time,
        audit.particles,
        numbers.join(","),
        effort.newton,
        effort.linear,
        effort.line_search,
        effort.sweeps,
        effort.residual,
        audit.volume,
        filled_volume.unwrap_or(f64::NAN),
        effort.pressure,
        effort.divergence
    )
}

/// The lines of a file up to that of `frame`, for a run whose first line is `header`; where one is
/// missing or out of order, its number. Columns that an older file lacks at its end are added,
/// without numbers.
pub fn until(text: &str, frame: u32, header: &str) -> Result<String, u32> {
    let mut lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let mut kept = String::new();
    let missing = header.strip_prefix(lines.next().map_or("", str::trim_end));
    let missing = missing.filter(|rest| rest.is_empty() || rest.starts_with(','));
    let added = ",NaN".repeat(missing.ok_or(0u32)?.matches(',').count());
    if !header.starts_with(HEADER) || missing.is_some_and(|rest| rest.len() == header.len()) {
        return Err(0);
    }
    kept.push_str(header);
    kept.push('\n');
    for number in 0..=frame {
        let is_next = |line: &&str| line.split(',').next() == Some(number.to_string().as_str());
        let line = lines.next().filter(is_next).ok_or(number)?;
        kept.push_str(line.trim_end());
        kept.push_str(&added);
        kept.push('\n');
    }
    Ok(kept)
}

/// Errors of tables of budgets that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The names of the columns are not there.
    #[error("its first line should name the columns and lacks {name:?}")]
    NoColumn {
        /// The first that is missing.
        name: &'static str,
    },
    /// A line is too short or too long.
    #[error("line {line} has {found} fields, {expected} columns are named")]
    Fields {
        /// From 1 on.
        line: usize,
        /// Fields in the line.
        found: usize,
        /// Names in the first line.
        expected: usize,
    },
    /// Not a number.
    #[error("line {line} has {text:?} as {name}, which is not a number")]
    NotANumber {
        /// From 1 on.
        line: usize,
        /// The column.
        name: String,
        /// The field.
        text: String,
    },
}

/// `stats.csv`, read again: a row per frame, columns by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a file. A last line without its end is being written, and is left out. Columns besides
    /// those of [`HEADER`] are welcome, and the volumes at its end may be missing.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut lines = text
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'));
        let names: Vec<String> = lines
            .next()
            .unwrap_or_default()
            .trim_end()
            .split(',')
            .map(str::to_owned)
            .collect();
        let mut required = HEADER.split(',').filter(|name| !ADDED.contains(name));
        if let Some(name) = required.find(|n| !names.iter().any(|m| m == n)) {
            return Err(TableError::NoColumn { name });
        }
        let mut rows = Vec::new();
        for (line, text) in (2..).zip(lines) {
            let fields: Vec<&str> = text.trim_end().split(',').collect();
            if fields.len() != names.len() {
                let (found, expected) = (fields.len(), names.len());
                return Err(TableError::Fields {
                    line,
                    found,
                    expected,
                });
            }
            let number = |(name, field): (&String, &str)| {
                field.parse().map_err(|_| TableError::NotANumber {
                    line,
                    name: name.clone(),
                    text: field.to_owned(),
                })
            };
            let row = names.iter().zip(fields).map(number);
            rows.push(row.collect::<Result<_, _>>()?);
        }
        Ok(Self { names, rows })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if no frame has been written yet.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The numbers of a column in the order of the rows; empty where there is no such column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let index = self.names.iter().position(|n| n == name);
        index.map_or_else(Vec::new, |k| self.rows.iter().map(|row| row[k]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line of files without the columns that were added.
    fn older_header() -> String {
        let names = HEADER.split(',').filter(|name| !ADDED.contains(name));
        names.collect::<Vec<_>>().join(",")
    }

    #[test]
    fn a_table_is_read_by_name_and_says_where_it_is_damaged() {
        let line = "7,0.5,3,1e-3,2e-3,9,8.0,1,2,3,4,5,6,1,2,3,4,0.9,1.1,0.25,0,0,0,0,0,0,2,NaN,0,0";
        let table = Table::parse(&format!("{HEADER},extra\n{line},NaN\n8,0.6")).unwrap();
        assert_eq!(table.len(), 1);
        assert_eq!(table.column("frame"), [7.0]);
        assert_eq!(table.column("j_max"), [1.1]);
        assert!(table.column("extra")[0].is_nan() && table.column("other").is_empty());
        assert_eq!(table.column("volume"), [2.0]);
        assert!(table.column("filled_volume")[0].is_nan());
        let error = |text: &str| Table::parse(text).unwrap_err().to_string();
        assert_eq!(
            error(""),
            "its first line should name the columns and lacks \"frame\""
        );
        assert_eq!(
            error(&format!("{HEADER}\n{line}\n1,2\n")),
            "line 3 has 2 fields, 30 columns are named"
        );
        assert_eq!(
            error(&format!("{HEADER}\n{}\n", line.replace("8.0", "eight"))),
            "line 2 has \"eight\" as mass, which is not a number"
        );
    }

    #[test]
    fn budgets_are_cut_behind_a_frame_and_half_a_line_does_not_count() {
        let text = format!("{HEADER}\n0,a\n1,b\n2,c\n3,");
        assert_eq!(
            until(&text, 1, HEADER).unwrap(),
            format!("{HEADER}\n0,a\n1,b\n")
        );
        assert_eq!(
            until(&text, 2, HEADER).unwrap(),
            format!("{HEADER}\n0,a\n1,b\n2,c\n")
        );
        assert_eq!(until(&text, 3, HEADER), Err(3));
        assert_eq!(until("", 0, HEADER), Err(0));
        assert_eq!(until(&format!("{HEADER}\n0,a\n2,c\n"), 2, HEADER), Err(1));
    }

    #[test]
    fn forces_are_changes_of_impulse_over_time() {
        let before = ContactImpulses::<2>::zero(1, 1);
        let mut after = before.clone();
        let (position, impulse) = (
            thixo_math::Vector([2.0, 0.0]),
            thixo_math::Vector([0.0, 3.0]),
        );
        after.colliders[0].add(position, impulse);
        assert_eq!(
            forces(&before, &after, 0.5),
            ",0.0,0.0,0.0,0.0,0.0,0.0,0.0,6.0,0.0,0.0,0.0,12.0"
        );
        let header = header(1, 1);
        assert!(header.ends_with(",colliders[0].mx,colliders[0].my,colliders[0].mz"));
        let text = format!("{header}\n0,a\n1,b\n");
        assert_eq!(
            until(&text, 0, &header).unwrap(),
            format!("{header}\n0,a\n")
        );
        let older = format!("{HEADER}\n0,a\n");
        let kept = until(&older, 0, &header).unwrap();
        assert_eq!(kept, format!("{header}\n0,a{}\n", ",NaN".repeat(12)));
    }

    #[test]
    fn budgets_of_older_runs_are_read_and_go_on() {
        let older = older_header();
        assert!(older.ends_with(",sweeps,residual"));
        let line = "0,0.5,3,1e-3,2e-3,9,8.0,1,2,3,4,5,6,1,2,3,4,0.9,1.1,0.25,0,0,0,0,0,0";
        let text = format!("{older}\n{line}\n");
        let table = Table::parse(&text).unwrap();
        assert!(table.len() == 1 && table.column("volume").is_empty());
        let kept = until(&text, 0, HEADER).unwrap();
        assert_eq!(
            kept,
            format!("{HEADER}\n{line}{}\n", ",NaN".repeat(ADDED.len()))
        );
        assert!(Table::parse(&kept).unwrap().column("volume")[0].is_nan());
    }
}
