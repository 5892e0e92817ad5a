//! `thixo info`: what a run is, how it ended, and what became of its budgets.

use std::path::PathBuf;

use anyhow::{Error, anyhow};
use clap::Args;
use serde_json::{Value, json};
use thixo_scene::stats::Table;
use thixo_scene::{Checkpoints, PastRun, RunRecord, RunState, RunWarning, RunWatch, Scene};

use crate::check::size;
use crate::console::print_line;
use crate::exit::Failure;

const EXAMPLE: &str = "\
Examples:
  thixo info out/snowball
  thixo info out/snowball --json

Budgets are those of the first and the last frame; stats.csv has those between. Nothing is changed,
and the run may still be going on.

Exit codes: 0 the run is described, 2 there is none, or a file of it is missing or damaged.";

/// Options of `thixo info`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Info {
    /// The directory of a run, such as out/snowball.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Info {
    /// Describes the run.
    pub fn run(&self) -> Result<(), Failure> {
        let input = |error: Error| Failure::Input(error);
        let found = Findings::of(&self.directory).map_err(input)?;
        if self.json {
            print_line(&found.as_json().to_string());
        } else {
            print_line(&found.in_words());
        }
        found.verdict().map_err(input)
    }
}

/// Contents of the files of a run.
struct Findings {
    directory: String,
    record: RunRecord,
    scene: Scene,
    budgets: Table,
    /// Reasons not to trust its numbers, from the budgets of all frames so far.
    warnings: Vec<RunWarning>,
    checkpoints: Checkpoints,
    /// The process that writes now.
    owner: Option<String>,
    bytes: u64,
    checkpoint_bytes: u64,
}

impl Findings {
    fn of(directory: &std::path::Path) -> Result<Self, Error> {
        let run = PastRun::open(directory)?;
        let record = run.record()?;
        let is_running = record.state == RunState::Running;
        let (scene, budgets) = (run.scene()?, run.budgets()?);
        Ok(Self {
            directory: directory.display().to_string(),
            warnings: RunWatch::new(&scene).after(&budgets).warnings(),
            scene,
            budgets,
            checkpoints: run.checkpoints()?,
            owner: is_running.then(|| run.owner()).flatten(),
            bytes: run.bytes()?,
            checkpoint_bytes: run.checkpoint_bytes()?,
            record,
        })
    }

    /// A run that has checkpoints, none of which is good, is a damaged one.
    fn verdict(&self) -> Result<(), Error> {
        let Checkpoints { frame, problems } = &self.checkpoints;
        if frame.is_some() || problems.is_empty() {
            return Ok(());
        }
        Err(anyhow!(
            "the run cannot go on, it has no good checkpoint: {}",
            problems.join(", ")
        ))
    }

    /// State of the run in a word.
    fn state(&self) -> &'static str {
        match self.record.state {
            RunState::Done => "done",
            RunState::Failed => "failed",
            RunState::Interrupted => "interrupted",
            RunState::Running if self.owner.is_some() => "running",
            RunState::Running => "killed",
        }
    }

    fn state_in_words(&self) -> String {
        let message = self.record.message.as_deref().unwrap_or_default();
        match (self.state(), &self.owner) {
            ("running", Some(owner)) => format!("running ({owner})"),
            ("killed", _) => {
                let way_on = match self.checkpoints.frame {
                    Some(_) => "--resume goes on from a checkpoint",
                    None => "there is no checkpoint yet; start again with --overwrite",
                };
                format!("killed: no process writes here, and none said how it ended; {way_on}")
            }
            (state, _) if message.is_empty() => state.to_owned(),
            (state, _) => format!("{state}: {message}"),
        }
    }

    fn first(&self, name: &str) -> Option<f64> {
        // A sum of nothing may be −0.
        self.budgets.column(name).first().map(|x| x + 0.0)
    }

    fn last(&self, name: &str) -> Option<f64> {
        self.budgets.column(name).last().copied()
    }

    fn smallest(&self, name: &str) -> Option<f64> {
        let values = self.budgets.column(name).into_iter();
        // Frame 0 is made in no steps, and reports none.
        values.filter(|x| *x > 0.0).reduce(f64::min)
    }

    fn largest(&self, name: &str) -> Option<f64> {
        self.budgets.column(name).into_iter().reduce(f64::max)
    }

    fn steps(&self) -> u64 {
        self.budgets.column("steps").iter().sum::<f64>() as u64
    }

    /// A count in the last frame.
    fn last_count(&self, name: &str) -> Option<u64> {
        self.last(name).map(|number| number as u64)
    }

    fn vector(&self, names: [&str; 3], of: impl Fn(&str) -> Option<f64>) -> Option<[f64; 3]> {
        Some([of(names[0])?, of(names[1])?, of(names[2])?])
    }

    /// Mass that has no origin, as a share of all that there was. Unknown while a run with emitters
    /// or sinks goes on: its record is behind.
    fn mass_drift(&self) -> Option<f64> {
        let (first, last) = (self.first("mass")?, self.last("mass")?);
        let is_closed = self.scene.emitters.is_empty() && self.scene.sinks.is_empty();
        let is_current = self.last("frame") == Some(f64::from(self.record.last_frame));
        if !(is_closed || is_current) {
            return None;
        }
        let entered = first + self.record.emitted_mass;
        if entered == 0.0 {
            return Some(last);
        }
        Some((last + self.record.removed_mass - entered) / entered)
    }

    fn in_words(&self) -> String {
        let record = &self.record;
        let mut lines = vec![format!("{}: {}", self.directory, record.title)];
        let mut line = |head: &str, text: String| lines.push(format!("{head:10} {text}"));
        line("state", self.state_in_words());
        line(
            "particles",
            format!(
                "{} in {}D, {}, grid spacing {} m",
                self.last("particles").unwrap_or(record.particles as f64),
                record.dimension,
                record.precision,
                self.scene.grid.spacing
            ),
        );
        line("materials", record.materials.join(", "));
        line("objects", record.objects.join(", "));
        match (self.last("frame"), self.last("time")) {
            (Some(frame), Some(time)) => {
                line(
                    "frames",
                    format!("{frame} of {}, and frame 0", record.frames),
                );
                line(
                    "time",
                    format!(
                        "{time:.4} s simulated, {} frames per second",
                        self.scene.time.fps
                    ),
                );
            }
            _ => line("frames", format!("none yet of {}", record.frames)),
        }
        let lengths = match (self.smallest("dt_min"), self.largest("dt_max")) {
            (Some(least), Some(most)) => format!(" of {least:.3e} to {most:.3e} s"),
            _ => String::new(),
        };
        let retries = match record.retries {
            0 => String::new(),
            n => {
                format!("; {n} times a frame, or an implicit step, was repeated with shorter steps")
            }
        };
        line("steps", format!("{}{lengths}{retries}", self.steps()));
        let s = &record.seconds;
        let drawing = match s.drawing {
            0.0 => String::new(),
            seconds => format!(", drawing {seconds:.2} s"),
        };
        line(
            "wall time",
            format!(
                "{:.2} s: stepping {:.2} s (particles {:.2}, grid {:.2}, obstacles {:.2}, solving {:.2}, sorting {:.2}), output {:.2} s, checkpoints {:.2} s{}; writing beside it {:.2} s",
                s.total,
                s.stepping,
                s.particles,
                s.grid,
                s.obstacles,
                s.solve,
                s.sort,
                s.output,
                s.checkpoints,
                drawing,
                s.writing
            ),
        );
        line(
            "speed",
            format!(
                "{:.1} million particle-updates/s, {} threads, {}",
                record.particle_updates_per_second / 1e6,
                record.threads,
                record.instruction_set
            ),
        );
        for (head, text) in self.budgets_in_words() {
            line(head, text);
        }
        for warning in &self.warnings {
            line("warning", warning.to_string());
        }
        line(
            "checkpoint",
            match self.checkpoints.frame {
                Some(frame) => format!("frame {frame}"),
                None => "none: --resume has nothing to go on from".to_owned(),
            },
        );
        for problem in &self.checkpoints.problems {
            line("warning", problem.clone());
        }
        line(
            "disk",
            format!(
                "{}, of which {} checkpoints",
                size(self.bytes as f64),
                size(self.checkpoint_bytes as f64)
            ),
        );
        lines.join("\n")
    }

    /// Budgets, each with its first and last value.
    fn budgets_in_words(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        let change = |name: &str| Some((self.first(name)?, self.last(name)?));
        if let Some((first, last)) = change("mass") {
            let drift = match self.mass_drift() {
                Some(0.0) => "drift 0".to_owned(),
                Some(drift) => format!("drift {drift:.1e}"),
                None => "drift unknown until the run ends".to_owned(),
            };
            let RunRecord {
                emitted_mass: emitted,
                removed_mass: removed,
                ..
            } = self.record;
            let flow = if emitted > 0.0 || removed > 0.0 {
                format!(", {emitted:.6} kg emitted, {removed:.6} kg removed")
            } else {
                String::new()
            };
            lines.push(("mass", format!("{first:.6} → {last:.6} kg{flow}, {drift}")));
        }
        for (head, names, unit) in [
            ("momentum", MOMENTUM, "kg m/s"),
            ("spin", ANGULAR_MOMENTUM, "kg m²/s about the origin"),
        ] {
            let first = self.vector(names, |name| self.first(name));
            let last = self.vector(names, |name| self.last(name));
            if let (Some([a, b, c]), Some([p, q, r])) = (first, last) {
                let text = format!("[{a:.4}, {b:.4}, {c:.4}] → [{p:.4}, {q:.4}, {r:.4}] {unit}");
                lines.push((head, text));
            }
        }
        for name in ENERGIES {
            if let Some((first, last)) = change(name) {
                lines.push((name, format!("{first:.4} → {last:.4} J")));
            }
        }
        let lowest = self.budgets.column("j_min").into_iter().reduce(f64::min);
        if let (Some(((a, b), (p, q))), Some(lowest), Some(highest)) = (
            change("j_min")
                .zip(change("j_max"))
                .map(|((a, p), (b, q))| ((a, b), (p, q))),
            lowest,
            self.largest("j_max"),
        ) {
            let text = format!(
                "{a:.4} to {b:.4} → {p:.4} to {q:.4} of the volume at rest, within {lowest:.4} to {highest:.4} all the time"
            );
            lines.push(("volume", text));
        }
        if let (Some((a, p)), Some((b, q))) = (change("filled_volume"), change("volume")) {
            let known = |filled: f64| match filled.is_nan() {
                true => "unknown".to_owned(),
                false => format!("{filled:.6}"),
            };
            let (a, p) = (known(a), known(p));
            let text = format!("{a} → {p} m³ by the grid, {b:.6} → {q:.6} m³ by J");
            lines.push(("filled", text));
        }
        if let (Some((first, last)), Some(most)) = (change("max_speed"), self.largest("max_speed"))
        {
            let text = format!("{first:.4} → {last:.4} m/s, at most {most:.4} m/s");
            lines.push(("max speed", text));
        }
        lines
    }

    fn as_json(&self) -> Value {
        let change = |name: &str| json!({ "first": self.first(name), "last": self.last(name) });
        let vectors = |names| {
            json!({
                "first": self.vector(names, |name| self.first(name)),
                "last": self.vector(names, |name| self.last(name)),
            })
        };
        let mut budgets = json!({
            "mass": change("mass"),
            "momentum": vectors(MOMENTUM),
            "angular_momentum": vectors(ANGULAR_MOMENTUM),
            "max_speed": change("max_speed"),
            "j_min": change("j_min"),
            "j_max": change("j_max"),
            "volume": change("volume"),
            "filled_volume": change("filled_volume"),
        });
        for name in ENERGIES {
            budgets[name] = change(name);
        }
        budgets["mass"]["drift"] = json!(self.mass_drift());
        budgets["max_speed"]["largest"] = json!(self.largest("max_speed"));
        let lowest = self.budgets.column("j_min").into_iter().reduce(f64::min);
        budgets["j_min"]["smallest"] = json!(lowest);
        budgets["j_max"]["largest"] = json!(self.largest("j_max"));
        let record = &self.record;
        json!({
            "directory": self.directory,
            "title": record.title,
            "version": record.version,
            "build": record.build,
            "commit": record.commit,
            "state": self.state(),
            "message": record.message,
            "process": self.owner,
            "dimension": record.dimension,
            "precision": record.precision,
            "spacing": self.scene.grid.spacing,
            "threads": record.threads,
            "instruction_set": record.instruction_set,
            "particles": self.last_count("particles"),
            "materials": record.materials,
            "objects": record.objects,
            "frames": record.frames,
            "last_frame": self.last_count("frame"),
            "time": self.last("time"),
            "steps": self.steps(),
            "retries": record.retries,
            "dt_min": self.smallest("dt_min"),
            "dt_max": self.largest("dt_max").filter(|dt| *dt > 0.0),
            "seconds": {
                "sort": record.seconds.sort,
                "particles": record.seconds.particles,
                "grid": record.seconds.grid,
                "obstacles": record.seconds.obstacles,
                "solve": record.seconds.solve,
                "linear": record.seconds.linear,
                "stepping": record.seconds.stepping,
                "output": record.seconds.output,
                "writing": record.seconds.writing,
                "checkpoints": record.seconds.checkpoints,
                "drawing": record.seconds.drawing,
                "total": record.seconds.total,
            },
            "particle_updates_per_second": record.particle_updates_per_second,
            "emitted_mass": record.emitted_mass,
            "removed_mass": record.removed_mass,
            "budgets": budgets,
            "warnings": self.warnings,
            "checkpoint": { "frame": self.checkpoints.frame, "problems": self.checkpoints.problems },
            "disk_bytes": self.bytes,
        })
    }
}

const MOMENTUM: [&str; 3] = ["px", "py", "pz"];
const ANGULAR_MOMENTUM: [&str; 3] = ["lx", "ly", "lz"];
const ENERGIES: [&str; 3] = ["kinetic", "elastic", "potential"];
