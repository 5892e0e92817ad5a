//! `thixo run`: from a scene to the files of a run.

mod colors;
mod frames;
pub mod interrupt;
mod live_preview;
mod messages;
mod resume;
mod schedule;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Error, anyhow};
use clap::Args;
use thixo_scene::{
    Built, Existing, Format, PackedAsset, PastRun, Precise, RunDirectory, RunRecord, RunState,
    RunWatch, Scene, StoppedOnGrowth, stats, with_instance,
};

use self::colors::check_colors;
use self::frames::{Before, Ending, Frames};
use self::live_preview::LivePreview;
use self::resume::resume;
use crate::console::{print_line, warn};
use crate::exit::Failure;
use crate::precision::PrecisionChoice;
use crate::progress::Progress;
use crate::render::{Job, RenderSummary};
use crate::scene_argument::{NamedScene, SceneArgument};

const EXAMPLE: &str = "\
Examples:
  thixo run jelly-drop
  thixo run my-scene.toml --out out/test --frames 10 --precision f64 --overwrite
  thixo run my-scene.toml --out out/test --resume
  thixo run snowball --render

DIR then holds scene.toml (the scene as run, with copies of its meshes and images in assets/:
`thixo run DIR/scene.toml` repeats the run bit for bit), run.json (what the run was), stats.csv
(budgets of every frame), particles/frame_00000.ply, … (frame 0 is the initial state; [output] of
the scene says what frames hold and in which formats) and checkpoint/, from which --resume goes on
bit for bit. Ctrl-C saves the last frame first (with emitters, the frame in progress is finished);
a second Ctrl-C ends at once.

With --render, pictures appear in DIR/images while the run goes on: of every frame, or of fewer where
they would take more than a tenth of the time. They are seen from where the matter so far is seen
best. When the run is done, or has failed, all frames are drawn anew from one place, as `thixo render
DIR` would: images/ and video.mp4. A run that is interrupted keeps the pictures that it has.

A run says when its numbers are not to be trusted: while it goes on, at its end, in `thixo info` and
in `warnings` of run.json. Energy grew by more than 1 % though nothing gives any (with
time.stop_on_energy_growth = true the run then fails), or particles have spread or clumped by more
than 2 % of the volume that they should fill.

Exit codes: 0 done, 1 the simulation failed (what was written stays), 2 bad input or usage,
130 interrupted (go on with --resume).";

/// Options of `thixo run`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Run {
    #[command(flatten)]
    scene: SceneArgument,
    /// Directory to write to; must not exist yet, unless with --overwrite or --resume [default:
    /// out/<scene name>].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// End after frame N instead of the scene's last.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    frames: Option<u32>,
    /// Threads; 0 for one per processor. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Numbers of 32 or 64 bits, instead of what the scene says.
    #[arg(long, value_enum)]
    precision: Option<PrecisionChoice>,
    /// Go on with the run in DIR from its last good checkpoint.
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Replace the run in a directory that exists already.
    #[arg(long)]
    overwrite: bool,
    /// Draw pictures while the run goes on, and all of them and a video when it is done, as
    /// [render] of the scene says.
    #[arg(long)]
    render: bool,
    /// Print nothing but errors.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object at the end, and nothing else.
    #[arg(long)]
    json: bool,
}

/// A run before its next frame, with everything written that a run writes at the start.
struct Prepared<T: Precise<D>, const D: usize> {
    directory: Arc<RunDirectory>,
    record: RunRecord,
    built: Built<T, D>,
    /// The scene as run.
    text: String,
}

impl<T: Precise<D>, const D: usize> Prepared<T, D> {
    fn new(
        directory: RunDirectory,
        record: RunRecord,
        built: Built<T, D>,
        text: String,
    ) -> Result<Self, Error> {
        directory.write_assets(&record.assets)?;
        // The record goes first: a scene without one was not written by a run.
        directory.write_record(&record)?;
        directory.write_scene(&text)?;
        Ok(Self {
            directory: Arc::new(directory),
            record,
            built,
            text,
        })
    }
}

impl Run {
    /// A run of a scene into its default directory.
    pub fn with_defaults(scene: SceneArgument, quiet: bool) -> Self {
        Self {
            scene,
            out: None,
            frames: None,
            threads: 0,
            precision: None,
            resume: false,
            overwrite: false,
            render: false,
            quiet,
            json: false,
        }
    }

    /// Runs the scene.
    pub fn run(&self) -> Result<(), Failure> {
        let NamedScene { name, scene } = self.scene().map_err(Failure::Input)?;
        if self.render && !scene.output.formats.contains(&Format::Ply) {
            let message = "--render draws frames from PLY files; put \"ply\" among output.formats";
            return Err(Failure::Input(anyhow!(message)));
        }
        let instance = (scene.precision, scene.dimension);
        with_instance!(instance, |T, D| self.simulate::<T, D>(&name, &scene))
    }

    /// True if nothing is printed while it runs.
    fn is_silent(&self) -> bool {
        self.quiet || self.json
    }

    /// Name and scene, with what the command line changes.
    fn scene(&self) -> Result<NamedScene, Error> {
        let mut named = self.scene.load()?;
        let scene = &mut named.scene;
        if let Some(frames) = self.frames {
            scene.time.frames = frames;
        }
        if let Some(precision) = self.precision {
            scene.precision = precision.into();
        }
        Ok(named)
    }

    fn simulate<T: Precise<D>, const D: usize>(
        &self,
        name: &str,
        scene: &Scene,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let stop = interrupt::flag().map_err(Failure::Run)?;
        let prepared = self.prepare::<T, D>(name, scene).map_err(Failure::Input)?;
        let Prepared {
            directory,
            mut record,
            mut built,
            text,
        } = prepared;
        // Frames with emitters are made in parts: between them is nothing that a run can go on
        // from, so that a frame which has begun is finished.
        let stop_between_frames = match scene.emitters.is_empty() {
            true => {
                built.simulation.stop_when(stop);
                None
            }
            false => Some(stop),
        };
        let clock = (begun, record.seconds.total);
        let scene_as_run = (scene, &text[..]);
        let outcome = self.frames(
            scene_as_run,
            built,
            &directory,
            &mut record,
            (clock, stop_between_frames),
        );
        record.seconds.total = clock.1 + begun.elapsed().as_secs_f64();
        (record.state, record.message) = match &outcome {
            Ok(Ending::Done) => (RunState::Done, None),
            Ok(Ending::Interrupted) => {
                let mut message = messages::interrupted(record.last_frame, &record.command);
                if self.render {
                    message += &messages::pictures_so_far(directory.path());
                }
                (RunState::Interrupted, Some(message))
            }
            Err(error) => (RunState::Failed, Some(format!("{error:#}"))),
        };
        let recorded = directory.write_record(&record).map_err(Error::from);
        if !self.is_silent() && record.state == RunState::Done {
            print_line(&messages::summary(&record, directory.path()));
        }
        // The error says it already.
        let stopped = |error: &Error| error.is::<StoppedOnGrowth>();
        if !(self.quiet || outcome.as_ref().is_err_and(stopped)) {
            for warning in &record.warnings {
                warn(&format!("warning: {warning}"));
            }
        }
        let outcome = match outcome.and_then(|ending| recorded.map(|()| ending)) {
            Ok(Ending::Done) => Ok(()),
            Ok(Ending::Interrupted) => Err(Failure::Interrupted(
                record.message.clone().unwrap_or_default(),
            )),
            Err(error) => Err(Failure::Run(error)),
        };
        // A run that failed is worth seeing; a user who interrupts one does not want to wait.
        let is_drawn = self.render && !matches!(outcome, Err(Failure::Interrupted(_)));
        let drawn = is_drawn.then(|| self.draw(&directory)).transpose();
        if self.json {
            let drawn = drawn.as_ref().ok().and_then(Option::as_ref);
            self.print(&directory, &record, drawn)
                .map_err(Failure::Run)?;
        }
        match (outcome, drawn) {
            (Err(failure), Err(second)) => {
                second.report();
                Err(failure)
            }
            (outcome, drawn) => outcome.and(drawn.map(|_| ())),
        }
    }

    /// Pictures and a video of a run that is over, in place of those that are there.
    ///
    /// All are drawn anew: those that were drawn while the run went on were seen from where the
    /// matter up to then was seen best, and so were those of a run that was interrupted and goes
    /// on.
    fn draw(&self, directory: &RunDirectory) -> Result<RenderSummary, Failure> {
        if !self.is_silent() {
            print_line("drawing the frames");
        }
        let job = Job::new(directory.path()).map_err(Failure::Input)?;
        let drawn = job.replacing().draw().map_err(|failure| match failure {
            Failure::Input(error) => {
                Failure::Input(error.context("the run is over, but cannot be drawn"))
            }
            other => other,
        })?;
        if !self.is_silent() {
            drawn.print();
        }
        Ok(drawn)
    }

    /// A run at the start, or where it goes on. Up to here everything that goes wrong is the fault
    /// of the input.
    fn prepare<T: Precise<D>, const D: usize>(
        &self,
        name: &str,
        scene: &Scene,
    ) -> Result<Prepared<T, D>, Error> {
        let default = || Path::new("out").join(name);
        let path = self.out.clone().unwrap_or_else(default);
        if self.resume {
            // The wrong directory is worth saying before a long sampling.
            let directory = RunDirectory::open(&path)?;
            let mut built = self.build::<T, D>(scene)?;
            let (packed, assets) = scene.packed(RunDirectory::ASSETS)?;
            let text = packed.to_toml()?;
            let mut record = self.record(scene, assets, &built);
            resume((scene, &text), &mut built, &directory, &mut record)?;
            return Prepared::new(directory, record, built, text);
        }
        let built = self.build::<T, D>(scene)?;
        let existing = if self.overwrite {
            Existing::Replace
        } else {
            Existing::Refuse
        };
        let (packed, assets) = scene.packed(RunDirectory::ASSETS)?;
        let text = packed.to_toml()?;
        let scene_file = Path::new(self.scene.as_given());
        RunDirectory::refuse_own_input(&path, (scene_file, &text), &assets)?;
        let record = self.record(scene, assets, &built);
        let header = stats::header_of(scene);
        let directory = RunDirectory::create(&path, existing, &header)?;
        Prepared::new(directory, record, built, text)
    }

    /// The simulation at its start, whose frames can be drawn if they are to be.
    fn build<T: Precise<D>, const D: usize>(&self, scene: &Scene) -> Result<Built<T, D>, Error> {
        let built = scene.build::<T, D>(usize::from(self.threads))?;
        if self.render {
            check_colors(scene, &built)?;
        }
        Ok(built)
    }

    fn record<T: Precise<D>, const D: usize>(
        &self,
        scene: &Scene,
        assets: Vec<PackedAsset>,
        built: &Built<T, D>,
    ) -> RunRecord {
        let mut record = RunRecord::new(scene, &built.simulation);
        record.version = env!("CARGO_PKG_VERSION").to_owned();
        record.build = env!("THIXO_BUILD").to_owned();
        record.commit = env!("THIXO_COMMIT").to_owned();
        let arguments = std::env::args_os();
        let lossy = arguments.map(|argument| argument.to_string_lossy().into_owned());
        record.command = lossy.collect();
        record.assets = assets;
        record
    }

    /// Simulates and writes the frames.
    fn frames<T: Precise<D>, const D: usize>(
        &self,
        (scene, text): (&Scene, &str),
        built: Built<T, D>,
        directory: &Arc<RunDirectory>,
        record: &mut RunRecord,
        (clock, stop_between_frames): ((Instant, f64), Option<Arc<AtomicBool>>),
    ) -> Result<Ending, Error> {
        if !self.quiet {
            let engine = built.simulation.warnings().into_iter();
            let shapes = built.warnings.iter();
            let warnings = engine
                .map(|w| w.to_string())
                .chain(shapes.map(ToString::to_string));
            for warning in warnings {
                warn(&format!("warning: {warning}"));
            }
        }
        let live_preview = self.render.then(|| LivePreview::new(directory.path()));
        let progress = if self.is_silent() {
            Progress::Silent
        } else {
            print_line(&messages::greeting(record));
            if self.render {
                print_line(&messages::where_pictures_are(directory.path()));
            }
            Progress::new(record.last_frame, scene.time.frames)
        };
        let mut watch = RunWatch::new(scene);
        if self.resume {
            watch = watch.after(&PastRun::open(directory.path())?.budgets()?);
            record.warnings = watch.warnings();
        }
        let before = Before::of(&built.simulation);
        let frames = Frames {
            scene,
            text,
            built,
            directory,
            resumed: self.resume.then_some(record.last_frame),
            record,
            clock,
            stop_between_frames,
            progress,
            live_preview: live_preview.transpose()?,
            watch,
            before,
        };
        frames.run()
    }

    /// Everything about the run as JSON.
    fn print(
        &self,
        directory: &RunDirectory,
        record: &RunRecord,
        drawn: Option<&RenderSummary>,
    ) -> Result<(), Error> {
        let mut value = serde_json::to_value(record)?;
        value["directory"] = directory.path().to_string_lossy().into();
        if let Some(drawn) = drawn {
            value["drawn"] = drawn.json();
        }
        print_line(&value.to_string());
        Ok(())
    }
}
