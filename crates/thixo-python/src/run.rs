//! Runs of scenes into directories, as `thixo run` makes them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pyo3::prelude::*;
use thixo::{ContactImpulses, FrameReport, StepError};
use thixo_scene::checkpoint::Header;
use thixo_scene::frame::Capture;
use thixo_scene::{
    Built, Existing, FrameBudget, FrameWriter, OutputError, Precise, RunDirectory, RunRecord,
    RunState, RunWatch, Scene, stats, with_instance,
};

use crate::errors;
use crate::interrupt::{Outcome, interruptible};

/// Simulates all frames and writes their files. `progress` is called with frame, last frame and
/// time after every one.
pub fn run(
    py: Python<'_>,
    scene: &Scene,
    out: &Path,
    (threads, overwrite): (usize, bool),
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let instance = (scene.precision, scene.dimension);
    with_instance!(instance, |T, D| {
        let built = py.detach(|| scene.build::<T, D>(threads));
        let built = built.map_err(|error| errors::of_scene(py, &error))?;
        let existing = if overwrite {
            Existing::Replace
        } else {
            Existing::Refuse
        };
        let begun = Frames::<T, D>::begin(scene, built, out, existing);
        let mut frames = begun.map_err(|error| errors::of_run(py, error))?;
        let ended = frames.run(py, progress);
        frames.finish(py, ended)
    })
}

/// A run that is being made.
struct Frames<'a, T: Precise<D>, const D: usize> {
    scene: &'a Scene,
    text: String,
    built: Built<T, D>,
    directory: Arc<RunDirectory>,
    record: RunRecord,
    writer: FrameWriter<T>,
    watch: RunWatch,
    begun: Instant,
    /// Impulses of walls and colliders up to the beginning of the frame, and its time [s].
    before: (ContactImpulses<D>, f64),
}

/// What ends a frame early.
enum FrameError {
    Step(StepError),
    Output(OutputError),
}

impl<'a, T: Precise<D>, const D: usize> Frames<'a, T, D> {
    fn begin(
        scene: &'a Scene,
        built: Built<T, D>,
        out: &Path,
        existing: Existing,
    ) -> Result<Self, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let packed = scene.packed(RunDirectory::ASSETS).map_err(|e| said(&e))?;
        let text = packed.0.to_toml().map_err(|e| said(&e))?;
        let mut record = RunRecord::new(scene, &built.simulation);
        record.version = env!("CARGO_PKG_VERSION").to_owned();
        record.command = vec!["thixo (Python)".to_owned()];
        record.assets = packed.1;
        let header = stats::header(scene.walls.len(), scene.colliders.len());
        let directory = RunDirectory::create(out, existing, &header).map_err(|e| said(&e))?;
        directory
            .write_assets(&record.assets)
            .map_err(|e| said(&e))?;
        directory.write_scene(&text).map_err(|e| said(&e))?;
        directory.write_record(&record).map_err(|e| said(&e))?;
        let directory = Arc::new(directory);
        let formats = scene.output.formats.clone();
        let writer = FrameWriter::start(Arc::clone(&directory), formats).map_err(|e| said(&e))?;
        let before = (built.simulation.contact_impulses().clone(), 0.0);
        Ok(Self {
            before,
            scene,
            text,
            built,
            directory,
            record,
            writer,
            watch: RunWatch::new(scene),
            begun: Instant::now(),
        })
    }

    /// Simulates the frames; an exception if a signal or an error ends it early.
    fn run(&mut self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let stop = Arc::new(AtomicBool::new(false));
        self.built.simulation.stop_when(Arc::clone(&stop));
        self.write(0, None, 0.0)
            .map_err(|error| errors::of_run(py, error))?;
        for frame in 1..=self.scene.time.frames {
            let Outcome { result, signal } = interruptible(py, &stop, || self.frame(frame))?;
            if let Some(signal) = signal {
                self.record.state = RunState::Interrupted;
                return Err(signal);
            }
            match result {
                Ok(()) => {}
                Err(FrameError::Step(error)) => {
                    self.record.state = RunState::Failed;
                    self.record.message = Some(error.to_string());
                    return Err(errors::of_step(py, &error));
                }
                Err(FrameError::Output(error)) => return Err(errors::of_run(py, error)),
            }
            if let Some(progress) = &progress {
                let said = (frame, self.scene.time.frames, self.record.time);
                progress.call1(py, said)?;
            }
        }
        self.record.state = RunState::Done;
        Ok(())
    }

    fn frame(&mut self, frame: u32) -> Result<(), FrameError> {
        let start = Instant::now();
        let sim = &self.built.simulation;
        self.before = (sim.contact_impulses().clone(), sim.time());
        let outcome = self.built.advance(frame).map_err(FrameError::Step)?;
        let stepping = start.elapsed().as_secs_f64();
        let sim = &self.built.simulation;
        self.record
            .add_frame(&outcome.report, sim.len(), sim.time(), stepping);
        self.record.emitted_mass += outcome.flow.emitted_mass;
        self.record.removed_mass += outcome.flow.removed_mass;
        let written = self.write(frame, Some(&outcome.report), stepping);
        self.record.last_frame = frame;
        written.map_err(FrameError::Output)
    }
}

impl<T: Precise<D>, const D: usize> Frames<'_, T, D> {
    /// Hands a frame and its budgets to the writer.
    fn write(
        &mut self,
        frame: u32,
        report: Option<&FrameReport>,
        stepping: f64,
    ) -> Result<(), OutputError> {
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
        let (impulses, time) = &self.before;
        row += &stats::forces(impulses, sim.contact_impulses(), sim.time() - time);
        self.writer.hand_over(particles, row)?;
        self.watch
            .observe(&FrameBudget::new(frame, &audit, filled_volume));
        self.record.warnings = self.watch.warnings();
        Ok(())
    }

    /// Saves the state where the run can go on from it, and ends the files.
    fn finish(mut self, py: Python<'_>, ended: PyResult<()>) -> PyResult<()> {
        let saved = py.detach(|| self.save());
        let closed = saved.and_then(|()| {
            self.writer.finish()?;
            self.directory.write_record(&self.record)
        });
        ended?;
        closed.map_err(|error| errors::of_run(py, error))
    }

    fn save(&mut self) -> Result<(), OutputError> {
        self.writer.sync()?;
        self.record.seconds.total = self.begun.elapsed().as_secs_f64();
        let header = Header {
            frame: self.record.last_frame,
            scene: self.text.clone(),
            record: self.record.clone(),
        };
        // Frames with emitters are made in parts: between them is nothing to go on from.
        let is_whole = self.built.simulation.time() == self.record.time;
        if is_whole && self.record.state != RunState::Failed {
            self.directory
                .write_checkpoint(&header, &self.built.simulation)?;
        }
        Ok(())
    }
}
