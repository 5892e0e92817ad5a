//! One measurement: what runs, and what it took.

use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use thixo::{FrameReport, KernelKind, Path, Simulation, Transfer};
use thixo_scene::{Precision, with_instance};

use super::matter::{Matter, Measured};
use super::scenes::{Scene, build, step_size};
use crate::precision::PrecisionChoice;

/// Parameters of a measurement.
#[derive(Args, Clone, Copy, Debug)]
pub struct Case {
    /// The scene.
    #[arg(long, value_enum, default_value = "falling-cube")]
    pub scene: Scene,
    /// Material of the cube, or of the dust.
    #[arg(long, value_enum, default_value = "neo_hookean")]
    pub material: Matter,
    /// Cells along the box.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(16..=2048))]
    pub cells: u32,
    /// 2 or 3; three-squares is 2D whatever is said here.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=3))]
    pub dimension: u32,
    /// Numbers of 32 or 64 bits.
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionChoice,
    /// Threads; 0 for one per processor.
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// One pass over the particles per step, or stage by stage.
    #[arg(long, value_enum, default_value = "fused")]
    pub path: PathChoice,
    /// The kernel; others than quadratic run stage by stage.
    #[arg(long, value_enum, default_value = "quadratic")]
    pub kernel: KernelChoice,
    /// The transfer; others than mls run stage by stage.
    #[arg(long, value_enum, default_value = "mls")]
    pub transfer: TransferChoice,
    /// Order in which the particles are given.
    #[arg(long, value_enum, default_value = "sorted")]
    pub order: Order,
    /// Particles of the cube per cell and axis.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub per_axis: u32,
    /// Steps before the clock starts.
    #[arg(long, default_value_t = 40)]
    pub warmup: u64,
    /// Steps per lap.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// Laps; the best one counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
}

/// Implementation of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathChoice {
    /// One pass.
    Fused,
    /// Stage by stage.
    Staged,
}

impl From<PathChoice> for Path {
    fn from(choice: PathChoice) -> Self {
        match choice {
            PathChoice::Fused => Self::Fused,
            PathChoice::Staged => Self::Staged,
        }
    }
}

/// Kernel between particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelChoice {
    /// Hat functions.
    Linear,
    /// Quadratic B-splines.
    Quadratic,
    /// Cubic B-splines.
    Cubic,
}

impl From<KernelChoice> for KernelKind {
    fn from(choice: KernelChoice) -> Self {
        match choice {
            KernelChoice::Linear => Self::Linear,
            KernelChoice::Quadratic => Self::Quadratic,
            KernelChoice::Cubic => Self::Cubic,
        }
    }
}

/// Exchange of velocities between particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TransferChoice {
    /// Particle in cell.
    Pic,
    /// Fluid implicit particle.
    Flip,
    /// Rigid particle in cell.
    Rpic,
    /// Affine particle in cell.
    Apic,
    /// Moving least squares.
    Mls,
}

impl From<TransferChoice> for Transfer {
    fn from(choice: TransferChoice) -> Self {
        match choice {
            TransferChoice::Pic => Self::Pic,
            TransferChoice::Flip => Self::Flip,
            TransferChoice::Rpic => Self::Rpic,
            TransferChoice::Apic => Self::Apic,
            TransferChoice::Mls => Self::Mls,
        }
    }
}

/// Order of the particles at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Cell by cell.
    Sorted,
    /// Any.
    Shuffled,
}

/// Result of a measurement; times are nanoseconds of wall time per particle-update.
#[derive(Clone, Debug)]
pub struct Row {
    pub case: Case,
    pub dimension: usize,
    pub threads: usize,
    pub particles: usize,
    pub nanoseconds: f64,
    pub median: f64,
    pub stages: Stages,
    pub sorts: u64,
    pub bytes_per_particle: f64,
    pub com_y: f64,
    pub kinetic: f64,
}

/// Nanoseconds per particle-update of the stages of the best lap.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    pub particles: f64,
    pub grid: f64,
    pub obstacles: f64,
    pub sort: f64,
}

impl Row {
    /// Million particle-updates per second.
    pub fn rate(&self) -> f64 {
        1e3 / self.nanoseconds
    }

    /// All of it.
    pub fn to_json(&self) -> Value {
        json!({
            "scene": name(self.case.scene),
            "material": name(self.case.material),
            "dimension": self.dimension,
            "precision": name(self.case.precision),
            "path": name(self.case.path),
            "kernel": name(self.case.kernel),
            "transfer": name(self.case.transfer),
            "order": name(self.case.order),
            "particles_per_cell": self.case.per_axis.pow(self.dimension as u32),
            "threads": self.threads,
            "particles": self.particles,
            "million_updates_per_second": self.rate(),
            "nanoseconds_per_update": self.nanoseconds,
            "median_nanoseconds_per_update": self.median,
            "particles_nanoseconds": self.stages.particles,
            "grid_nanoseconds": self.stages.grid,
            "obstacles_nanoseconds": self.stages.obstacles,
            "sort_nanoseconds": self.stages.sort,
            "sorts": self.sorts,
            "bytes_per_particle": self.bytes_per_particle,
            "com_y": self.com_y,
            "kinetic": self.kinetic,
        })
    }
}

/// The name of a choice on the command line.
pub fn name<E: ValueEnum>(choice: E) -> String {
    let value = choice.to_possible_value();
    value.map_or_else(String::new, |v| v.get_name().to_owned())
}

impl Case {
    /// Runs the laps.
    pub fn measure(&self) -> Result<Row> {
        with_instance!(self.instance(), |T, D| self.laps::<T, D>())
    }

    /// Precision and dimension of the scene.
    pub fn instance(&self) -> (Precision, u32) {
        let dimension = match self.scene {
            Scene::ThreeSquares => 2,
            _ => self.dimension,
        };
        (self.precision.into(), dimension)
    }

    /// The scene after its first steps, and the time step \[s\].
    pub fn warmed_up<T: Measured<D>, const D: usize>(&self) -> Result<(Simulation<T, D>, f64)> {
        let mut sim = build::<T, D>(self)?;
        let dt = step_size(self.cells)?;
        if self.warmup > 0 {
            sim.run_steps(dt, self.warmup)?;
        }
        Ok((sim, dt))
    }

    /// Laps by the clock.
    fn laps<T: Measured<D>, const D: usize>(&self) -> Result<Row> {
        let (mut sim, dt) = self.warmed_up::<T, D>()?;
        let updates = sim.len() as f64 * self.steps as f64;
        let nanoseconds = |seconds: f64| 1e9 * seconds / updates;
        let mut laps: Vec<(f64, FrameReport)> = Vec::new();
        for _ in 0..self.repeats {
            let start = Instant::now();
            let report = sim.run_steps(dt, self.steps)?;
            laps.push((nanoseconds(start.elapsed().as_secs_f64()), report));
        }
        laps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (best, report) = laps.first().context("no lap was run")?;
        let audit = sim.audit();
        Ok(Row {
            case: *self,
            dimension: D,
            threads: sim.threads(),
            particles: sim.len(),
            nanoseconds: *best,
            median: laps[laps.len() / 2].0,
            stages: Stages {
                particles: nanoseconds(report.seconds.particles),
                grid: nanoseconds(report.seconds.grid),
                obstacles: nanoseconds(report.seconds.obstacles),
                sort: nanoseconds(report.seconds.sort),
            },
            sorts: report.sorts,
            bytes_per_particle: sim.bytes() as f64 / sim.len().max(1) as f64,
            com_y: audit.centre_of_mass[1],
            kinetic: audit.kinetic,
        })
    }
}
