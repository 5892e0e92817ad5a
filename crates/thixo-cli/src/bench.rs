//! `thixo bench`: particle-updates per second on a scene that other programs run too.
//!
//! The falling cube: in a unit box of N³ cells (N² in 2D) a cube of half the box's edge, 2 particles per cell and axis with hashed
//! jitter, falls at 2 m/s onto the floor. ρ = 1, E = 1000, ν = 0.2, g = 9.8, frictionless walls 3 cells thick that only stop outward motion,
//! Δt = 0.3 h over the P-wave speed.

use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{
    BodyForce, Collider, Contact, FrameReport, Instance, Material, Path, Plane, Seed, Setup,
    Simulation,
};

const WALL_CELLS: f64 = 3.0;
const GRAVITY: f64 = 9.8;
const FALL_SPEED: f64 = 2.0;
const YOUNG_MODULUS: f64 = 1000.0;
const POISSON_RATIO: f64 = 0.2;

/// Options of `thixo bench`.
#[derive(Args)]
pub struct Bench {
    /// The scene.
    #[arg(long, value_enum, default_value = "falling-cube")]
    scene: Scene,
    /// The cube's material.
    #[arg(long, value_enum, default_value = "neo_hookean")]
    material: Cube,
    /// Cells along the box.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(16..=1024))]
    cells: u32,
    /// 2 or 3.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=3))]
    dimension: u32,
    /// Numbers of 32 or 64 bits.
    #[arg(long, value_enum, default_value = "f32")]
    precision: Precision,
    /// Threads; 0 for one per processor.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// One pass over the particles per step, or stage by stage.
    #[arg(long, value_enum, default_value = "fused")]
    path: PathChoice,
    /// Steps before the clock starts.
    #[arg(long, default_value_t = 40)]
    warmup: u64,
    /// Steps per lap.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Laps; the best one counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Run a lap for every line on standard input, for races against other programs.
    #[arg(long)]
    interactive: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scene {
    /// A cube falls into a box.
    FallingCube,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Cube {
    /// Rubber.
    NeoHookean,
    /// Water by the Tait equation, γ = 7.
    Fluid,
}

#[derive(Clone, Copy, ValueEnum)]
enum Precision {
    /// Single.
    F32,
    /// Double.
    F64,
}

#[derive(Clone, Copy, ValueEnum)]
enum PathChoice {
    /// One pass.
    Fused,
    /// Stage by stage.
    Staged,
}

impl Bench {
    /// Runs the benchmark.
    pub fn run(&self) -> Result<()> {
        let Scene::FallingCube = self.scene;
        match (self.precision, self.dimension) {
            (Precision::F32, 2) => self.measure::<f32, 2>(),
            (Precision::F32, _) => self.measure::<f32, 3>(),
            (Precision::F64, 2) => self.measure::<f64, 2>(),
            (Precision::F64, _) => self.measure::<f64, 3>(),
        }
    }

    fn measure<T: Instance<D>, const D: usize>(&self) -> Result<()>
    where
        Box<dyn Material<T, D>>: From<NeoHookean> + From<WeaklyCompressible>,
    {
        let mut sim = self.falling_cube::<T, D>()?;
        let dt = self.step_size()?;
        if self.warmup > 0 {
            sim.run_steps(dt, self.warmup)?;
        }
        if self.interactive {
            return self.race(&mut sim, dt);
        }
        let mut laps = Vec::new();
        for _ in 0..self.repeats {
            let start = Instant::now();
            let report = sim.run_steps(dt, self.steps)?;
            laps.push((start.elapsed().as_secs_f64(), report));
        }
        self.print(&sim, &laps)
    }

    /// A lap for every line read, then a line with the result.
    fn race<T: Instance<D>, const D: usize>(
        &self,
        sim: &mut Simulation<T, D>,
        dt: f64,
    ) -> Result<()> {
        let mut out = std::io::stdout();
        let mut say = |line: serde_json::Value| -> Result<()> {
            writeln!(out, "{line}")?;
            out.flush().context("standard output is closed")
        };
        say(json!({"ready": true, "particles": sim.len()}))?;
        let mut total = self.warmup;
        for line in std::io::stdin().lock().lines() {
            line?;
            let (start, cpu) = (Instant::now(), cpu_seconds());
            sim.run_steps(dt, self.steps)?;
            total += self.steps;
            let seconds = start.elapsed().as_secs_f64();
            say(json!({"seconds": seconds, "cpu_seconds": cpu_seconds() - cpu}))?;
        }
        let audit = sim.audit();
        say(json!({
            "com_y": audit.centre_of_mass[1],
            "kinetic": audit.kinetic,
            "total_steps": total,
        }))
    }

    fn print<T: Instance<D>, const D: usize>(
        &self,
        sim: &Simulation<T, D>,
        laps: &[(f64, FrameReport)],
    ) -> Result<()> {
        let Some((seconds, report)) = laps.iter().min_by(|a, b| a.0.total_cmp(&b.0)) else {
            bail!("no lap was run");
        };
        let updates = sim.len() as f64 * self.steps as f64;
        let audit = sim.audit();
        let nanoseconds = |seconds: f64| 1e9 * seconds / updates;
        let row = json!({
            "dimension": D,
            "precision": T::NAME,
            "instruction_set": sim.isa().name(),
            "threads": sim.threads(),
            "particles": sim.len(),
            "million_updates_per_second": updates / seconds / 1e6,
            "nanoseconds_per_update": nanoseconds(*seconds),
            "particles_nanoseconds": nanoseconds(report.seconds.particles),
            "grid_nanoseconds": nanoseconds(report.seconds.grid),
            "sort_nanoseconds": nanoseconds(report.seconds.sort),
            "sorts": report.sorts,
            "bytes_per_particle": sim.bytes() as f64 / sim.len() as f64,
            "com_y": audit.centre_of_mass[1],
            "kinetic": audit.kinetic,
        });
        if self.json {
            println!("{row}");
            return Ok(());
        }
        for (key, value) in row.as_object().into_iter().flatten() {
            println!("{key:28} {value}");
        }
        Ok(())
    }

    /// Δt = 0.3 h over the speed of P-waves \[s\].
    fn step_size(&self) -> Result<f64> {
        let (mu, lambda) = thixo::material::elastic::lame(YOUNG_MODULUS, POISSON_RATIO)?;
        Ok(0.3 / f64::from(self.cells) / (lambda + 2.0 * mu).sqrt())
    }

    fn falling_cube<T: Instance<D>, const D: usize>(&self) -> Result<Simulation<T, D>>
    where
        Box<dyn Material<T, D>>: From<NeoHookean> + From<WeaklyCompressible>,
    {
        let n = self.cells;
        let h = 1.0 / f64::from(n);
        let mut setup = Setup::<D>::new(h);
        setup.threads = self.threads;
        setup.path = match self.path {
            PathChoice::Fused => Path::Fused,
            PathChoice::Staged => Path::Staged,
        };
        let mut gravity = [0.0; D];
        gravity[1] = -GRAVITY;
        setup.body_force = BodyForce::Uniform(gravity);
        for axis in 0..D {
            for (position, direction) in [
                (WALL_CELLS - 0.5, 1.0),
                (f64::from(n) - WALL_CELLS + 0.5, -1.0),
            ] {
                let mut point = [0.0; D];
                let mut normal = [0.0; D];
                point[axis] = position * h;
                normal[axis] = direction;
                let frictionless = Contact::Separating { friction: 0.0 };
                let wall = Collider::new(Plane::new(point, normal)?, frictionless)?;
                setup.colliders.push(wall);
            }
        }
        let material: Box<dyn Material<T, D>> = match self.material {
            Cube::NeoHookean => {
                NeoHookean::from_young_poisson(YOUNG_MODULUS, POISSON_RATIO)?.into()
            }
            Cube::Fluid => {
                let (mu, lambda) = thixo::material::elastic::lame(YOUNG_MODULUS, POISSON_RATIO)?;
                let law = PressureLaw::Tait { exponent: 7.0 };
                WeaklyCompressible::new(lambda + 2.0 / 3.0 * mu, 0.0, law)?.into()
            }
        };
        let mut sim = Simulation::new(setup, vec![material])?;
        sim.add(0, &cube::<D>(n))?;
        Ok(sim)
    }
}

/// Particles of the cube: cell-major, last axis fastest, 2 per cell and axis, jittered by a hash of their number.
fn cube<const D: usize>(n: u32) -> Vec<Seed<D>> {
    let side = n / 2;
    let h = 1.0 / f64::from(n);
    let mut origin = [(n - side) / 2; D];
    origin[1] = WALL_CELLS as u32 + 1;
    let mut velocity = [0.0; D];
    velocity[1] = -FALL_SPEED;
    let per_cell = 1 << D;
    let volume = h.powi(D as i32) / f64::from(per_cell);
    (0..side.pow(D as u32) * per_cell)
        .map(|index| {
            let mut cell = index / per_cell;
            let corner = index % per_cell;
            let mut position = [0.0; D];
            for axis in (0..D).rev() {
                let half = f64::from((corner >> (D - 1 - axis)) & 1);
                let hash = hash(index.wrapping_mul(D as u32).wrapping_add(axis as u32));
                let jitter = f64::from(hash >> 16) / 65536.0 - 0.5;
                let place = f64::from(cell % side + origin[axis]);
                position[axis] = (place + 0.25 + 0.5 * half + 0.2 * jitter) * h;
                cell /= side;
            }
            // Positions of the other programs are single precision numbers.
            let position = position.map(|x| f64::from(x as f32));
            Seed::new(position, velocity, volume, volume)
        })
        .collect()
}

/// A 32-bit mixing function with low bias.
fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// CPU time of this process \[s\], where the system tells; 0 elsewhere.
fn cpu_seconds() -> f64 {
    // Fields 14 and 15 of /proc/self/stat are user and system time in ticks of 10 ms.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}
