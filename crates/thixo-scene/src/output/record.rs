//! The record of a run: `run.json`.

use serde::{Deserialize, Serialize};
use thixo::{FrameReport, Instance, Simulation};

use super::RunWarning;
use crate::scene::Scene;
use crate::shape::PackedAsset;

/// The contents of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunRecord {
    /// Version of the program.
    pub version: String,
    /// Identity of the build: programs that agree in it give the same numbers.
    #[serde(default)]
    pub build: String,
    /// Commit that it was built from, with `-dirty` if files differed from it.
    #[serde(default)]
    pub commit: String,
    /// The command line.
    pub command: Vec<String>,
    /// Title of the scene.
    pub title: String,
    /// 2 or 3.
    pub dimension: u32,
    /// `"f32"` or `"f64"`.
    pub precision: String,
    /// Threads used.
    pub threads: usize,
    /// Instruction set used.
    pub instruction_set: String,
    /// Number of particles in the last frame.
    pub particles: usize,
    /// Names of the materials, by index.
    pub materials: Vec<String>,
    /// Names of the objects, by index.
    pub objects: Vec<String>,
    /// The meshes and images of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<PackedAsset>,
    /// Number of the last frame that was asked for.
    pub frames: u32,
    /// Number of the last frame that was written.
    pub last_frame: u32,
    /// Simulated time reached \[s\].
    pub time: f64,
    /// Time steps made.
    pub steps: u64,
    /// Frames that were taken back and repeated with shorter steps.
    pub retries: u64,
    /// Effort of implicit steps; none of explicit ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solves: Option<Solves>,
    /// Wall time.
    pub seconds: Seconds,
    /// Mass that emitters added \[kg\].
    #[serde(default)]
    pub emitted_mass: f64,
    /// Mass that sinks removed \[kg\].
    #[serde(default)]
    pub removed_mass: f64,
    /// Particles times steps.
    #[serde(default)]
    pub particle_updates: f64,
    /// Particles times steps over the time they took \[1/s\].
    pub particle_updates_per_second: f64,
    /// State at its end.
    pub state: RunState,
    /// Reason for which it failed or stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Reasons not to trust its numbers.
    #[serde(default)]
    pub warnings: Vec<RunWarning>,
}

/// Effort of the solves of implicit steps, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Solves {
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Iterations of linear solves.
    pub linear_iterations: u64,
    /// Energies that line searches asked for.
    pub line_search_energies: u64,
    /// Sweeps of X-PBD over all particles.
    #[serde(default)]
    pub sweeps: u64,
    /// Iterations of the pressure solves of projections.
    #[serde(default)]
    pub pressure_iterations: u64,
    /// The largest error that was left, relative to the momenta and forces at work, and for
    /// semi-implicit steps to the right-hand side.
    pub largest_residual: f64,
}

/// Wall time of the stages of a run \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seconds {
    /// Ordering particles.
    pub sort: f64,
    /// Passes over particles.
    pub particles: f64,
    /// Passes over the grid.
    pub grid: f64,
    /// Contact with obstacles on the grid.
    #[serde(default)]
    pub obstacles: f64,
    /// Solving implicit steps.
    #[serde(default)]
    pub solve: f64,
    /// Of that, linear solves.
    #[serde(default)]
    pub linear: f64,
    /// All of stepping.
    pub stepping: f64,
    /// Copying frames and waiting for the disk: what output costs the simulation.
    pub output: f64,
    /// Writing frames beside the simulation.
    #[serde(default)]
    pub writing: f64,
    /// Writing checkpoints.
    #[serde(default)]
    pub checkpoints: f64,
    /// Drawing frames while the run goes on.
    #[serde(default)]
    pub drawing: f64,
    /// Everything.
    pub total: f64,
}

/// The state of a run at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Not yet.
    Running,
    /// All frames are there.
    Done,
    /// It stopped with a diagnosis.
    Failed,
    /// Somebody asked it to stop; it can go on.
    Interrupted,
}

impl RunRecord {
    /// The record of a run before its first frame. Version, build, command line and
    /// assets are empty.
    pub fn new<T: Instance<D>, const D: usize>(
        scene: &Scene,
        simulation: &Simulation<T, D>,
    ) -> Self {
        Self {
            version: String::new(),
            build: String::new(),
            commit: String::new(),
            command: Vec::new(),
            title: scene.title.clone(),
            dimension: scene.dimension,
            precision: T::NAME.to_owned(),
            threads: simulation.threads(),
            instruction_set: simulation.isa().name().to_owned(),
            particles: simulation.len(),
            materials: scene.material_names(),
            objects: scene.object_names(),
            assets: Vec::new(),
            frames: scene.time.frames,
            last_frame: 0,
            time: 0.0,
            steps: 0,
            retries: 0,
            solves: None,
            seconds: Seconds::default(),
            emitted_mass: 0.0,
            removed_mass: 0.0,
            particle_updates: 0.0,
            particle_updates_per_second: 0.0,
            state: RunState::Running,
            message: None,
            warnings: Vec::new(),
        }
    }

    /// Takes note of a frame that ended with so many particles at a simulated time \[s\] and took
    /// `stepping` seconds.
    pub fn add_frame(&mut self, report: &FrameReport, particles: usize, time: f64, stepping: f64) {
        self.particles = particles;
        self.time = time;
        self.steps += report.steps;
        self.particle_updates += particles as f64 * report.steps as f64;
        self.retries += u64::from(report.retries);
        let effort = &report.effort;
        if effort.newton > 0 || effort.sweeps > 0 || effort.pressure > 0 {
            let solves = self.solves.get_or_insert_default();
            solves.newton_iterations += u64::from(report.effort.newton);
            solves.linear_iterations += u64::from(report.effort.linear);
            solves.line_search_energies += u64::from(report.effort.line_search);
            solves.sweeps += u64::from(report.effort.sweeps);
            solves.pressure_iterations += u64::from(report.effort.pressure);
            solves.largest_residual = solves.largest_residual.max(report.effort.residual);
        }
        self.seconds.sort += report.seconds.sort;
        self.seconds.particles += report.seconds.particles;
        self.seconds.grid += report.seconds.grid;
        self.seconds.obstacles += report.seconds.obstacles;
        self.seconds.solve += report.seconds.solve;
        self.seconds.linear += report.seconds.linear;
        self.seconds.stepping += stepping;
        if self.seconds.stepping > 0.0 {
            self.particle_updates_per_second = self.particle_updates / self.seconds.stepping;
        }
    }

    /// Goes on with the counts of the same run before it was stopped.
    pub fn go_on(&mut self, before: &Self) {
        self.particles = before.particles;
        self.last_frame = before.last_frame;
        self.time = before.time;
        self.steps = before.steps;
        self.retries = before.retries;
        self.solves = before.solves;
        self.seconds = before.seconds;
        self.emitted_mass = before.emitted_mass;
        self.removed_mass = before.removed_mass;
        self.particle_updates = before.particle_updates;
        self.particle_updates_per_second = before.particle_updates_per_second;
    }
}
