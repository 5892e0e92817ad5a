//! The frames of a run: simulated one after the other, written beside, saved now and then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Error;
use thixo::{ContactImpulses, FrameReport, Scalar, Simulation, StepError};
use thixo_scene::checkpoint::Header;
use thixo_scene::frame::Capture;
use thixo_scene::{
    Built, FrameBudget, FrameWriter, OutputError, Precise, RunDirectory, RunRecord, RunWatch,
    Scene, SceneError, StoppedOnGrowth, stats,
};

use super::live_preview::LivePreview;
use super::schedule::Schedule;
use crate::progress::{FrameDone, Progress};

/// End of the frames of a run, if not by an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All are there.
    Done,
    /// Somebody asked to stop; the state is saved.
    Interrupted,
}

/// A run in progress.
pub struct Frames<'a, T: Precise<D>, const D: usize> {
    /// The scene.
    pub scene: &'a Scene,
    /// The scene as run.
    pub text: &'a str,
    /// The simulation at frame `record.last_frame`.
    pub built: Built<T, D>,
    /// Directory of the run.
    pub directory: &'a Arc<RunDirectory>,
    /// The frame of the checkpoint that it goes on from; none at the start.
    pub resumed: Option<u32>,
    /// Record of the run so far.
    pub record: &'a mut RunRecord,
    /// Since when it runs, and for how long it had run before \[s\].
    pub clock: (Instant, f64),
    /// A request to end after the frame in progress; without it, requests reach the simulation.
    pub stop_between_frames: Option<Arc<AtomicBool>>,
    /// Display of progress.
    pub progress: Progress,
    /// Pictures while it runs, if they are wanted.
    pub live_preview: Option<LivePreview>,
    /// The watch over its budgets, up to the frame before.
    pub watch: RunWatch,
    /// Contact up to the beginning of the frame in progress.
    pub before: Before<D>,
}

/// Impulses of walls and colliders up to a time \[s\].
pub struct Before<const D: usize> {
    impulses: ContactImpulses<D>,
    time: f64,
}

impl<const D: usize> Before<D> {
    /// Those of a simulation up to now.
    pub fn of<T: Precise<D>>(simulation: &Simulation<T, D>) -> Self {
        Self {
            impulses: simulation.contact_impulses().clone(),
            time: simulation.time(),
        }
    }
}

impl<T: Precise<D>, const D: usize> Frames<'_, T, D> {
    /// Simulates and writes the frames that are missing.
    pub fn run(mut self) -> Result<Ending, Error> {
        let formats = self.scene.output.formats.clone();
        let mut writer = FrameWriter::start(Arc::clone(self.directory), formats)?;
        let ending = self.simulate(&mut writer);
        self.progress.finish();
        let ending = ending?;
        self.record.seconds.writing += writer.finish()?.as_secs_f64();
        Ok(ending)
    }

    fn simulate(&mut self, writer: &mut FrameWriter<T>) -> Result<Ending, Error> {
        let mut schedule = Schedule::of_checkpoints(self.scene.output.checkpoint_every);
        let mut saved = self.resumed;
        if self.resumed.is_none() {
            self.write(0, None, 0.0, writer)?;
            self.draw(0, writer)?;
            if !self.scene.emitters.is_empty() {
                self.save(writer, &mut schedule)?;
                saved = Some(0);
            }
        }
        for frame in self.record.last_frame + 1..=self.scene.time.frames {
            let start = Instant::now();
            self.before = Before::of(&self.built.simulation);
            let (report, flow) = match self.built.advance(frame) {
                Ok(done) => (done.report, done.flow),
                Err(StepError::Stopped { .. }) => {
                    self.save(writer, &mut schedule)?;
                    return Ok(Ending::Interrupted);
                }
                Err(error) => {
                    let cause = self.scene.formula_at_fault(&self.built, frame, &error);
                    return Err(keep(diagnosis(error, cause), writer));
                }
            };
            let stepping = start.elapsed().as_secs_f64();
            let sim = &self.built.simulation;
            self.record
                .add_frame(&report, sim.len(), sim.time(), stepping);
            self.record.emitted_mass += flow.emitted_mass;
            self.record.removed_mass += flow.removed_mass;
            self.write(frame, Some(&report), stepping, writer)?;
            self.record.last_frame = frame;
            self.progress.show(&FrameDone {
                frame,
                time: self.record.time,
                steps: self.record.steps,
                report: &report,
                updates_per_second: self.record.particles as f64 * report.steps as f64 / stepping,
            });
            self.draw(frame, writer)?;
            if self.scene.time.stop_on_energy_growth
                && let Some(growth) = self.watch.energy_growth()
            {
                return Err(keep(StoppedOnGrowth { growth }.into(), writer));
            }
            let is_asked_to_stop = |stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed);
            if self
                .stop_between_frames
                .as_ref()
                .is_some_and(is_asked_to_stop)
            {
                self.save(writer, &mut schedule)?;
                return Ok(Ending::Interrupted);
            }
            if schedule.is_due(frame) {
                self.save(writer, &mut schedule)?;
                saved = Some(frame);
            }
        }
        if saved != Some(self.record.last_frame) {
            self.save(writer, &mut schedule)?;
        }
        Ok(Ending::Done)
    }

    /// Hands a frame and its budgets to the writer, and says what is wrong with them.
    fn write(
        &mut self,
        frame: u32,
        report: Option<&FrameReport>,
        stepping: f64,
        writer: &mut FrameWriter<T>,
    ) -> Result<(), OutputError> {
        let start = Instant::now();
        let sim = &self.built.simulation;
        let output = &self.scene.output;
        let capture = Capture {
            number: frame,
            simulation: sim,
            objects: &self.built.objects,
            columns: &output.columns,
        };
        let particles = output.writes(frame).then(|| capture.take());
        let (audit, filled_volume) = (sim.audit(), sim.filled_volume());
        let mut row = stats::row(frame, &audit, filled_volume, report, stepping);
        let Before { impulses, time } = &self.before;
        row += &stats::forces(impulses, sim.contact_impulses(), sim.time() - time);
        row += &stats::heat(&audit);
        writer.hand_over(particles, row)?;
        let budget = FrameBudget::new(frame, &audit, filled_volume);
        for warning in self.watch.observe(&budget) {
            self.progress.warn(&format!("warning: {warning}"));
        }
        self.record.warnings = self.watch.warnings();
        self.record.seconds.output += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Draws the frame that was handed over last, if it is time to. That it cannot be drawn is no
    /// reason to stop simulating.
    fn draw(&mut self, frame: u32, writer: &mut FrameWriter<T>) -> Result<(), OutputError> {
        let is_written = self.scene.output.writes(frame);
        let Some(live_preview) = self
            .live_preview
            .as_mut()
            .filter(|r| is_written && r.is_due(frame))
        else {
            return Ok(());
        };
        let start = Instant::now();
        writer.sync()?;
        if let Err(error) = live_preview.draw(frame) {
            let message = "the run goes on, without pictures until it is done";
            self.progress.warn(&format!(
                "warning: cannot draw frame {frame}: {error:#}; {message}"
            ));
            self.live_preview = None;
        }
        self.record.seconds.drawing += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Writes a checkpoint of the last frame, once everything before it is on the disk.
    fn save(&mut self, writer: &mut FrameWriter<T>, schedule: &mut Schedule) -> Result<(), Error> {
        let start = Instant::now();
        writer.sync()?;
        let (begun, before) = self.clock;
        self.record.seconds.total = before + begun.elapsed().as_secs_f64();
        let header = Header {
            frame: self.record.last_frame,
            scene: self.text.to_owned(),
            record: self.record.clone(),
        };
        self.directory
            .write_checkpoint(&header, &self.built.simulation)?;
        self.directory.write_record(self.record)?;
        schedule.done(start);
        self.record.seconds.checkpoints += start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// The diagnosis of a simulation that failed, with the formula that caused it if one did.
fn diagnosis(error: StepError, cause: Option<SceneError>) -> Error {
    match cause {
        Some(cause) => Error::from(cause).context(error),
        None => error.into(),
    }
}

/// The reason for which a run ends. What was handed over before must still reach the disk; if not
/// even that, both are told.
fn keep<T: Scalar>(reason: Error, writer: &mut FrameWriter<T>) -> Error {
    match writer.sync() {
        Ok(()) => reason,
        Err(error) => reason.context(error),
    }
}
