//! Budgets that are watched while a run goes on, and again when its files are read: is the run to
//! be trusted?

use std::fmt;

use serde::{Deserialize, Serialize};
use thixo::Audit;

use super::compression_watch::{CompressionWatch, CrushedMatter};
use super::energy_watch::{EnergyGrowth, EnergyWatch};
use super::stats::Table;
use super::volume_watch::{VolumeMismatch, VolumeWatch};
use crate::scene::Scene;

/// Cells that matter at rest may move in a frame, by rounding \[–\].
const REST: f64 = 1e-3;

/// The budgets of a frame that are watched.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrameBudget {
    /// Number of the frame.
    pub frame: u32,
    /// Simulated time \[s\].
    pub time: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Elastic energy \[J\].
    pub elastic: f64,
    /// Potential energy \[J\].
    pub potential: f64,
    /// Volume Σ J V⁰ \[m³\]; none in the files of older runs.
    pub volume: Option<f64>,
    /// Volume that the particles fill \[m³\]; none where it is unknown.
    pub filled_volume: Option<f64>,
    /// Smallest volume ratio J of a particle \[–\]; none where it is unknown.
    pub smallest_volume_ratio: Option<f64>,
}

impl FrameBudget {
    /// The budget of a frame, with the volume that its particles fill \[m³\] where it is known.
    pub fn new<const D: usize>(frame: u32, audit: &Audit<D>, filled_volume: Option<f64>) -> Self {
        Self {
            frame,
            time: audit.time,
            mass: audit.mass,
            kinetic: audit.kinetic,
            elastic: audit.elastic,
            potential: audit.potential,
            volume: Some(audit.volume),
            filled_volume,
            smallest_volume_ratio: Some(audit.j_min),
        }
    }

    /// The budgets of all frames in a table.
    fn of_table(table: &Table) -> Vec<Self> {
        let [
            frame,
            time,
            mass,
            kinetic,
            elastic,
            potential,
            volume,
            filled,
            j_min,
        ] = [
            "frame",
            "time",
            "mass",
            "kinetic",
            "elastic",
            "potential",
            "volume",
            "filled_volume",
            "j_min",
        ]
        .map(|name| table.column(name));
        let known = |column: &[f64], row: usize| column.get(row).copied().filter(|x| !x.is_nan());
        (0..table.len())
            .map(|row| Self {
                frame: frame[row] as u32,
                time: time[row],
                mass: mass[row],
                kinetic: kinetic[row],
                elastic: elastic[row],
                potential: potential[row],
                volume: known(&volume, row),
                filled_volume: known(&filled, row),
                smallest_volume_ratio: known(&j_min, row),
            })
            .collect()
    }
}

/// A reason not to trust the numbers of a run. The text states the remedy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunWarning {
    /// Energy appeared from nowhere.
    EnergyGrowth(EnergyGrowth),
    /// Particles fill another volume than their volume ratios say.
    VolumeMismatch(VolumeMismatch),
    /// A particle has next to no volume left.
    CrushedMatter(CrushedMatter),
}

impl fmt::Display for RunWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EnergyGrowth(growth) => growth.fmt(f),
            Self::VolumeMismatch(mismatch) => mismatch.fmt(f),
            Self::CrushedMatter(crushed) => crushed.fmt(f),
        }
    }
}

/// The watch over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunWatch {
    /// None where energy may come from outside: in scenes that are
    /// [driven](Scene::is_driven) or [open](Scene::is_open).
    energy: Option<EnergyWatch>,
    volume: VolumeWatch,
    compression: CompressionWatch,
}

impl RunWatch {
    /// The watch over a run of a scene, before its first frame.
    pub fn new(scene: &Scene) -> Self {
        let rest_speed = REST * scene.grid.spacing * scene.time.fps;
        let is_closed = !(scene.is_driven() || scene.is_open());
        Self {
            energy: is_closed.then(|| EnergyWatch::new(rest_speed)),
            volume: VolumeWatch::default(),
            compression: CompressionWatch::default(),
        }
    }

    /// The same after the frames in a table, as if they had just been made.
    #[must_use]
    pub fn after(mut self, table: &Table) -> Self {
        for budget in FrameBudget::of_table(table) {
            self.observe(&budget);
        }
        self
    }

    /// Takes note of the next frame; returns what is noticed for the first time.
    pub fn observe(&mut self, budget: &FrameBudget) -> Vec<RunWarning> {
        let energy = self.energy.as_mut().and_then(|watch| watch.observe(budget));
        let volume = self.volume.observe(budget);
        let crushed = self.compression.observe(budget);
        let energy = energy.map(RunWarning::EnergyGrowth);
        let volume = volume.map(RunWarning::VolumeMismatch);
        let crushed = crushed.map(RunWarning::CrushedMatter);
        energy.into_iter().chain(volume).chain(crushed).collect()
    }

    /// Everything that was noticed, with the largest numbers up to now.
    pub fn warnings(&self) -> Vec<RunWarning> {
        let energy = self.energy_growth().map(RunWarning::EnergyGrowth);
        let volume = self.volume.mismatch().map(RunWarning::VolumeMismatch);
        let crushed = self.compression.crushed().map(RunWarning::CrushedMatter);
        energy.into_iter().chain(volume).chain(crushed).collect()
    }

    /// Energy that appeared from nowhere, if any did.
    pub fn energy_growth(&self) -> Option<EnergyGrowth> {
        self.energy.as_ref().and_then(EnergyWatch::growth)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stats;
    use super::*;

    fn scene(more: &str) -> Scene {
        let text = format!(
            "dimension = 2\n[grid]\nspacing = 0.1\n[time]\nframes = 3\n[materials.m]\n\
             model = 'fluid'\ndensity = 1\nbulk_modulus = 1\n[[objects]]\nmaterial = 'm'\n\
             shape = {{ sphere = {{ center = [9, 9], radius = 1 }} }}\n{more}"
        );
        Scene::parse(&text, "s.toml").unwrap()
    }

    /// The budgets of a run that goes wrong: energy grows by 0.14 J of 10 J in every frame.
    fn audit(frame: u32) -> Audit<2> {
        let t = f64::from(frame);
        let mut audit = scene("").build::<f64, 2>(1).unwrap().simulation.audit();
        audit.time = t / 3.0;
        audit.mass = 1.0;
        audit.kinetic = 10.0 + 0.07 * t;
        audit.elastic = 0.1 * t;
        audit.potential = -0.03 * t;
        audit.volume = 1.0 + 0.1 * t;
        audit
    }

    fn filled(frame: u32) -> Option<f64> {
        (frame > 0).then(|| 1.01 * audit(frame).volume * 1.03_f64.powi(frame as i32))
    }

    /// A run that is interrupted anywhere and goes on from its budgets says the same.
    #[test]
    fn warnings_do_not_depend_on_interruptions() {
        let scene = scene("");
        let mut whole = RunWatch::new(&scene);
        let mut table = format!("{}\n", stats::HEADER);
        for frame in 0..6 {
            let table_so_far = Table::parse(&table).unwrap();
            assert_eq!(RunWatch::new(&scene).after(&table_so_far), whole);
            let (audit, filled) = (audit(frame), filled(frame));
            whole.observe(&FrameBudget::new(frame, &audit, filled));
            table += &format!("{}\n", stats::row(frame, &audit, filled, None, 0.0));
        }
        let kinds: Vec<String> = whole
            .warnings()
            .iter()
            .map(|warning| serde_json::to_value(warning).unwrap()["kind"].to_string())
            .collect();
        assert_eq!(kinds, ["\"energy_growth\"", "\"volume_mismatch\""]);
        let text = serde_json::to_string(&whole.warnings()).unwrap();
        let again: Vec<RunWarning> = serde_json::from_str(&text).unwrap();
        assert_eq!(again, whole.warnings());
    }

    #[test]
    fn energy_is_watched_only_where_none_comes_from_outside() {
        let driven = "[physics]\ngravity = ['sin(t)', 0]\n";
        let sink = "[[sinks]]\nshape = { sphere = { center = [0, 0], radius = 1 } }\n";
        for (more, is_watched) in [("", true), (driven, false), (sink, false)] {
            let mut watch = RunWatch::new(&scene(more));
            for frame in 0..6 {
                watch.observe(&FrameBudget::new(frame, &audit(frame), None));
            }
            assert_eq!(watch.energy_growth().is_some(), is_watched, "{more}");
        }
    }

    /// Budgets of runs that know no volumes.
    #[test]
    fn tables_without_volumes_are_watched_as_far_as_they_go() {
        let mut table = format!("{}\n", stats::HEADER);
        for frame in 0..6 {
            table += &format!("{}\n", stats::row(frame, &audit(frame), None, None, 0.0));
        }
        let cut = |line: &str| line.rsplitn(3, ',').last().map(str::to_owned);
        let older: Vec<String> = table.lines().filter_map(cut).collect();
        let table = Table::parse(&(older.join("\n") + "\n")).unwrap();
        assert_eq!(RunWatch::new(&scene("")).after(&table).warnings().len(), 1);
    }
}
