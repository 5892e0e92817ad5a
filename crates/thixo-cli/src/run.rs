//! `thixo run`: from a scene to the files of a run.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Error, anyhow};
use clap::{Args, ValueEnum};
use thixo_scene::{
    Built, Existing, Precise, Precision, RunDirectory, RunRecord, RunState, Scene, Seconds,
    gallery, stats,
};

use crate::exit::Failure;
use crate::progress::{FrameDone, Progress};

const EXAMPLE: &str = "\
Examples:
  thixo run jelly-drop
  thixo run my-scene.toml --out out/test --frames 10 --precision f64 --overwrite

DIR then holds scene.toml (the scene as run), run.json (what the run was), stats.csv (budgets of
every frame) and particles/frame_00000.ply, … (frame 0 is the initial state).

Exit codes: 0 done, 1 the simulation failed (what was written stays), 2 bad input or usage.";

/// Options of `thixo run`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Run {
    /// A scene file, or the name of a built-in scene: dam-break, jelly-cube, jelly-drop, sand-column, snowball.
    scene: String,
    /// Where to write; must not exist [default: out/<scene name>].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// End after frame N instead of the scene's last.
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Threads; 0 for one per processor. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Numbers of 32 or 64 bits, instead of what the scene says.
    #[arg(long, value_enum)]
    precision: Option<PrecisionChoice>,
    /// Replace the run in a directory that exists already.
    #[arg(long)]
    overwrite: bool,
    /// Print nothing but errors.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object at the end, and nothing else.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum PrecisionChoice {
    /// Single.
    F32,
    /// Double.
    F64,
}

impl Run {
    /// Runs the scene.
    pub fn run(&self) -> Result<(), Failure> {
        let (name, scene) = self.scene().map_err(Failure::Input)?;
        match (scene.precision, scene.dimension) {
            (Precision::F32, 2) => self.simulate::<f32, 2>(&name, &scene),
            (Precision::F32, _) => self.simulate::<f32, 3>(&name, &scene),
            (Precision::F64, 2) => self.simulate::<f64, 2>(&name, &scene),
            (Precision::F64, _) => self.simulate::<f64, 3>(&name, &scene),
        }
    }

    /// Name and scene, with what the command line changes.
    fn scene(&self) -> Result<(String, Scene), Error> {
        let path = Path::new(&self.scene);
        let built_in = gallery::find(&self.scene).filter(|_| !path.is_file());
        let (name, mut scene) = if let Some(built_in) = built_in {
            let file = format!("{}.toml (built in)", built_in.name);
            (self.scene.clone(), Scene::parse(built_in.text, &file)?)
        } else if path.is_file() {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            let scene = Scene::parse_in(&text, &self.scene, folder)?;
            (name.into_owned(), scene)
        } else {
            return Err(self.unknown_scene());
        };
        if let Some(frames) = self.frames {
            scene.time.frames = frames;
        }
        if let Some(precision) = self.precision {
            scene.precision = match precision {
                PrecisionChoice::F32 => Precision::F32,
                PrecisionChoice::F64 => Precision::F64,
            };
        }
        Ok((name, scene))
    }

    fn unknown_scene(&self) -> Error {
        let known: Vec<&str> = gallery::SCENES.iter().map(|scene| scene.name).collect();
        let known = known.join(", ");
        let scene = &self.scene;
        match gallery::nearest(scene) {
            Some(nearest) => anyhow!(
                "there is no file and no built-in scene \"{scene}\"; did you mean \"{nearest}\"?"
            ),
            None => anyhow!(
                "there is no file and no built-in scene \"{scene}\"; the built-in ones are {known}"
            ),
        }
    }

    fn simulate<T: Precise<D>, const D: usize>(
        &self,
        name: &str,
        scene: &Scene,
    ) -> Result<(), Failure> {
        let input = |error: Error| Failure::Input(error);
        let begun = Instant::now();
        let built = scene
            .build::<T, D>(usize::from(self.threads))
            .map_err(|e| input(e.into()))?;
        for warning in &built.warnings {
            eprintln!("warning: {warning}");
        }
        let text = scene.to_toml().map_err(|e| input(e.into()))?;
        let path = self
            .out
            .clone()
            .unwrap_or_else(|| Path::new("out").join(name));
        let existing = if self.overwrite {
            Existing::Replace
        } else {
            Existing::Refuse
        };
        let directory = RunDirectory::create(&path, existing).map_err(|e| input(e.into()))?;
        let mut record = self.record(scene, &built);
        let outcome = directory
            .write_scene(&text)
            .map_err(Error::from)
            .and_then(|()| self.frames(scene, built, &directory, &mut record));
        record.seconds.total = begun.elapsed().as_secs_f64();
        record.state = if outcome.is_ok() {
            RunState::Done
        } else {
            RunState::Failed
        };
        record.message = outcome.as_ref().err().map(|error| format!("{error:#}"));
        let recorded = directory.write_record(&record).map_err(Error::from);
        self.summarise(&directory, &record).map_err(Failure::Run)?;
        outcome.and(recorded).map_err(Failure::Run)
    }

    fn record<T: Precise<D>, const D: usize>(
        &self,
        scene: &Scene,
        built: &Built<T, D>,
    ) -> RunRecord {
        RunRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: std::env::args_os()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
            title: scene.title.clone(),
            dimension: scene.dimension,
            precision: T::NAME.to_owned(),
            threads: built.simulation.threads(),
            instruction_set: built.simulation.isa().name().to_owned(),
            particles: built.simulation.len(),
            materials: scene.material_names(),
            objects: scene.object_names(),
            frames: scene.time.frames,
            last_frame: 0,
            time: 0.0,
            steps: 0,
            retries: 0,
            seconds: Seconds::default(),
            particle_updates_per_second: 0.0,
            state: RunState::Running,
            message: None,
        }
    }

    /// Simulates and writes all frames.
    fn frames<T: Precise<D>, const D: usize>(
        &self,
        scene: &Scene,
        built: Built<T, D>,
        directory: &RunDirectory,
        record: &mut RunRecord,
    ) -> Result<(), Error> {
        let Built {
            simulation: mut sim,
            objects,
            ..
        } = built;
        let progress = if self.quiet || self.json {
            Progress::Silent
        } else {
            say(&greeting(scene, record));
            Progress::new(scene.time.frames)
        };
        directory.write_record(record)?;
        directory.write_frame(0, sim.time(), &sim.particles(), &objects)?;
        directory.append_stats(&stats::row(0, &sim.audit(), None, 0.0))?;
        for frame in 1..=scene.time.frames {
            let start = Instant::now();
            let report = sim.advance(scene.time.frame_seconds());
            let report = report.inspect_err(|_| progress.finish())?;
            let stepping = start.elapsed().as_secs_f64();
            record.add_frame(&report, sim.time(), stepping);
            let start = Instant::now();
            directory.write_frame(frame, sim.time(), &sim.particles(), &objects)?;
            directory.append_stats(&stats::row(frame, &sim.audit(), Some(&report), stepping))?;
            record.last_frame = frame;
            record.seconds.output += start.elapsed().as_secs_f64();
            progress.show(&FrameDone {
                frame,
                time: sim.time(),
                steps: record.steps,
                report: &report,
                updates_per_second: record.particles as f64 * report.steps as f64 / stepping,
            });
        }
        progress.finish();
        Ok(())
    }

    /// The last words on standard output.
    fn summarise(&self, directory: &RunDirectory, record: &RunRecord) -> Result<(), Error> {
        if self.json {
            let mut value = serde_json::to_value(record)?;
            value["directory"] = directory.path().to_string_lossy().into();
            say(&value.to_string());
        } else if !self.quiet && record.state == RunState::Done {
            say(&format!(
                "{} frames, {} steps in {:.1} s ({:.1} million particle-updates/s); written to {}",
                record.last_frame + 1,
                record.steps,
                record.seconds.total,
                record.particle_updates_per_second / 1e6,
                directory.path().display()
            ));
        }
        Ok(())
    }
}

/// A line on standard output. That nobody reads it any more is no reason to stop.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// What is about to run.
fn greeting(scene: &Scene, record: &RunRecord) -> String {
    format!(
        "{}: {} particles, {}D, {}, {} threads, {}",
        scene.title,
        record.particles,
        record.dimension,
        record.precision,
        record.threads,
        record.instruction_set
    )
}
