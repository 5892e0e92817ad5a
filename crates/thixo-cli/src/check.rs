//! `thixo check`: what a scene would take, and who decides its time step; nothing is written.

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use thixo::integrate::Forecast;
use thixo::timestep::Limit;
use thixo_scene::frame::Capture;
use thixo_scene::{Built, Integrator, LongSteps, Precise, Scene, with_instance};

use crate::console::{print_line, warn};
use crate::exit::Failure;
use crate::scene_argument::{NamedScene, SceneArgument};

const EXAMPLE: &str = "\
Examples:
  thixo check snowball
  thixo check my-scene.toml --set grid.spacing=0.01

Exit codes: 0 the scene can be run, 2 it cannot.";

/// Options of `thixo check`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Check {
    #[command(flatten)]
    scene: SceneArgument,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Costs of a scene: time step, particles, memory, disk.
struct Findings {
    /// At the first frame that has matter.
    forecast: Forecast,
    /// That frame; 0 unless all matter comes from emitters.
    frame: u32,
    /// Then.
    particles: usize,
    /// At the end there are about so many at most.
    most_particles: f64,
    memory: usize,
    frame_bytes: u64,
    warnings: Vec<String>,
}

impl Check {
    /// Checks the scene.
    pub fn run(&self) -> Result<(), Failure> {
        let NamedScene { name, scene } = self.scene.load().map_err(Failure::Input)?;
        let instance = (scene.precision, scene.dimension);
        let findings = with_instance!(instance, |T, D| find::<T, D>(&scene));
        let findings = findings.map_err(Failure::Input)?;
        if self.json {
            print_line(&findings.as_json(&name, &scene).to_string());
        } else {
            print_line(&findings.in_words(&name, &scene));
        }
        Ok(())
    }
}

/// Builds the scene and asks it.
fn find<T: Precise<D>, const D: usize>(scene: &Scene) -> Result<Findings> {
    let most_particles = scene.particle_bound()?;
    if most_particles > WORTH_SAYING {
        warn(&format!("sampling up to {most_particles:.2e} particles"));
    }
    let mut built = scene.build::<T, D>(0)?;
    // If all matter comes from emitters, there is none to ask before they begin.
    let mut frame = 0;
    while built.simulation.is_empty() && frame < scene.time.frames {
        frame += 1;
        built.advance(frame)?;
    }
    let Built {
        mut simulation,
        objects,
        warnings: doubts,
        ..
    } = built;
    if simulation.is_empty() {
        bail!(
            "no emitter begins before the last frame, {}; the scene has no matter",
            scene.time.frames
        );
    }
    let forecast = simulation.forecast()?;
    forecast.check_frame(scene.time.frame_seconds())?;
    let capture = Capture {
        number: frame,
        simulation: &simulation,
        objects: &objects,
        columns: &scene.output.columns,
    };
    let particles = capture.take();
    let mut bytes = Counter(0);
    for format in &scene.output.formats {
        format.write(&mut bytes, &particles)?;
    }
    let warnings = simulation.warnings().into_iter().map(|w| w.to_string());
    Ok(Findings {
        forecast,
        frame,
        most_particles,
        particles: simulation.len(),
        memory: simulation.peak_bytes(),
        frame_bytes: bytes.0,
        warnings: warnings
            .chain(doubts.iter().map(ToString::to_string))
            .collect(),
    })
}

/// Number of particles that take seconds to sample, so that it is said.
const WORTH_SAYING: f64 = 2e6;
/// Explicit steps beyond which an implicit one may be faster: as 7 to 12 were measured for snow
/// (`thixo bench --integrators`), some sixty for foam that flows and rubs.
const WORTHWHILE: f64 = 30.0;
/// Explicit steps in one of X-PBD in which sand runs as far as in those, within 5 %
/// (`validation/src/integrators.rs`); with some more for rounding.
const LONGEST_FOR_SAND: f64 = 10.5;

/// Weight of something known against long steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caveat {
    /// They are not advised.
    Against,
    /// It is said beside the advice.
    Beside,
}

/// Counts what is written to it.
struct Counter(u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Findings {
    /// The first step, at most as long as a frame \[s\], and the name of the limit that decides it.
    fn step(&self, scene: &Scene) -> (f64, &'static str) {
        let frame = scene.time.frame_seconds();
        if self.forecast.step > frame {
            return (frame, Limit::Frame.name());
        }
        (self.forecast.step, self.forecast.limit.name())
    }

    /// About how many steps the scene takes if nothing gets faster or stiffer.
    fn steps(&self, scene: &Scene) -> f64 {
        let per_frame = (scene.time.frame_seconds() / self.step(scene).0).ceil();
        per_frame.max(1.0) * f64::from(scene.time.frames)
    }

    /// Name of the material or mesh that decides the step, if one does.
    fn deciding(&self, scene: &Scene) -> Option<String> {
        let (decided, _) = self.step(scene);
        let is_deciding = |step: f64| step == decided;
        let index = self
            .forecast
            .materials
            .iter()
            .position(|m| is_deciding(m.step));
        let mut meshes = self.forecast.meshes.iter();
        let mesh = || Some(meshes.find(|mesh| is_deciding(mesh.step))?.name.clone());
        let material = index.and_then(|index| scene.material_names().get(index).cloned());
        material.or_else(mesh)
    }

    /// The step that explicit forces of materials and meshes allow \[s\].
    fn explicit_step(&self) -> f64 {
        let materials = self.forecast.materials.iter().map(|found| found.step);
        let meshes = self.forecast.meshes.iter().map(|found| found.step);
        materials.chain(meshes).fold(f64::INFINITY, f64::min)
    }

    /// Number of explicit steps that fit into one that only the speed of the matter and the frame
    /// limit.
    fn gain(&self, scene: &Scene) -> f64 {
        let explicit = self.explicit_step();
        let frame = scene.time.frame_seconds();
        let longest = scene.time.longest_step.min(frame);
        self.forecast.step_of_speed.min(longest) / explicit.min(longest)
    }

    /// Advice on the integrator, with its reason: only what was measured to be right for the
    /// matter.
    fn advice(&self, scene: &Scene) -> String {
        let gain = self.gain(scene);
        let fit = format!(
            "at {} {gain:.0} explicit steps fit into an implicit one",
            self.when()
        );
        let caveat = self.caveat(scene);
        match &scene.physics.integrator {
            Integrator::Explicit if gain < WORTHWHILE => {
                format!("explicit: {fit}, which takes as long as 7 to 60 of them")
            }
            Integrator::Explicit => match caveat {
                Some((Caveat::Against, why)) => format!("explicit: {fit}, but {why}"),
                Some((Caveat::Beside, why)) => {
                    format!("explicit; {{ optimization = {{}} }} may be faster: {fit}; but {why}")
                }
                None => format!("explicit; {{ optimization = {{}} }} may be faster: {fit}"),
            },
            Integrator::Xpbd(_) => {
                let is_sand = |name: &LongSteps| *name == LongSteps::Laborious;
                if gain <= LONGEST_FOR_SAND && self.long_steps(scene).all(|long| is_sand(&long)) {
                    format!("xpbd; \"explicit\" takes less time: {fit}")
                } else {
                    format!(
                        "xpbd: {fit}; it was measured for sand in steps of ten explicit ones \
                         (time.longest_step), and makes steps shorter that it does not solve"
                    )
                }
            }
            Integrator::Projection(_) => format!(
                "projection: speeds and waves of shear limit the step, sound does not; a step solves \
                 for the pressure of every filled cell by about ten iterations of multigrid, and for \
                 viscosity where steps are longer than {:.1e} s",
                self.explicit_step()
            ),
            _ if gain < WORTHWHILE => {
                format!("implicit; \"explicit\" may be faster, unless matter hardens: {fit}")
            }
            _ => match caveat {
                Some((_, why)) => format!("implicit: {fit}, but {why}"),
                None => format!("implicit may be faster than \"explicit\": {fit}"),
            },
        }
    }

    /// What is known against long steps of the matter at hand.
    fn caveat(&self, scene: &Scene) -> Option<(Caveat, String)> {
        let first = |long| self.first_that_is(long, scene);
        if let Some(sand) = first(LongSteps::Laborious) {
            let why = format!("{sand} takes longer by it, and runs up to a quarter too far");
            return Some((Caveat::Against, why));
        }
        if let Some(unknown) = first(LongSteps::Unproven) {
            let why = format!("such steps were not shown to be right for {unknown}");
            return Some((Caveat::Against, why));
        }
        let snow = first(LongSteps::YieldsAfter)?;
        let why = format!("{snow} yields only after it, and breaks less");
        Some((Caveat::Beside, why))
    }

    /// How long steps serve each material with particles.
    fn long_steps<'a>(&'a self, scene: &'a Scene) -> impl Iterator<Item = LongSteps> + 'a {
        let materials = scene.materials.iter().zip(&self.forecast.materials);
        let present = materials.filter(|(_, found)| found.particles > 0);
        present.map(|((_, of), _)| of.law.in_long_steps())
    }

    /// The first material with particles that long steps serve so.
    fn first_that_is(&self, long: LongSteps, scene: &Scene) -> Option<String> {
        let materials = scene.materials.iter().zip(&self.forecast.materials);
        let mut such = materials
            .filter(|((_, of), found)| found.particles > 0 && of.law.in_long_steps() == long);
        such.next().map(|((name, _), _)| name.clone())
    }

    fn disk(&self, scene: &Scene) -> u64 {
        self.frame_bytes * self.frames_written(scene)
    }

    fn frames_written(&self, scene: &Scene) -> u64 {
        let frames = 0..=scene.time.frames;
        frames.filter(|&frame| scene.output.writes(frame)).count() as u64
    }

    /// Time that the numbers are about.
    fn when(&self) -> String {
        match self.frame {
            0 => "the start".to_owned(),
            frame => format!("frame {frame}, the first with matter"),
        }
    }

    fn in_words(&self, name: &str, scene: &Scene) -> String {
        let forecast = &self.forecast;
        let mut lines = vec![format!("{name}: {}", scene.title)];
        lines.push(format!(
            "particles  {} in {}D, grid spacing {} m",
            self.particles, scene.dimension, scene.grid.spacing
        ));
        let (step, limit) = self.step(scene);
        let decided = match self.deciding(scene) {
            Some(material) => format!("{limit}: {material}"),
            None => limit.to_owned(),
        };
        lines.push(format!(
            "time step  {step:.3e} s at {}, decided by {decided}",
            self.when()
        ));
        for (material, found) in scene.material_names().iter().zip(&forecast.materials) {
            if found.particles == 0 {
                lines.push(format!("           {material}: no particles yet"));
                continue;
            }
            let viscosity = if found.kinematic_viscosity > 0.0 {
                format!(
                    ", kinematic viscosity {:.3e} m²/s",
                    found.kinematic_viscosity
                )
            } else {
                String::new()
            };
            lines.push(format!(
                "           {material}: {} particles allow {:.3e} s (waves up to {:.4} m/s{viscosity})",
                found.particles, found.step, found.wave_speed
            ));
        }
        for mesh in &forecast.meshes {
            lines.push(format!(
                "           {}: {} vertices and {} elements of up to {:.3e} per second allow {:.3e} s",
                mesh.name, mesh.vertices, mesh.elements, mesh.frequency, mesh.step
            ));
        }
        if forecast.speed > 0.0 {
            lines.push(format!(
                "           the largest speed, {:.4} m/s, allows {:.3e} s",
                forecast.speed, forecast.step_of_speed
            ));
        }
        lines.push(format!("integrator {}", self.advice(scene)));
        lines.push(format!(
            "steps      about {} for {} frames of {:.4} s; more where matter gets faster or stiffer",
            self.steps(scene),
            scene.time.frames,
            scene.time.frame_seconds()
        ));
        lines.push(format!(
            "memory     {} while it runs",
            size(self.memory as f64)
        ));
        lines.push(format!(
            "disk       {} for {} frames of {}",
            size(self.disk(scene) as f64),
            self.frames_written(scene),
            size(self.frame_bytes as f64)
        ));
        if !scene.emitters.is_empty() {
            lines.push(format!(
                "emitters   up to about {:.0} particles at the end; memory and disk, given for {}, grow with them",
                self.most_particles,
                self.when()
            ));
        }
        for warning in &self.warnings {
            lines.push(format!("warning    {warning}"));
        }
        lines.join("\n")
    }

    fn as_json(&self, name: &str, scene: &Scene) -> Value {
        let forecast = &self.forecast;
        let (step, limit) = self.step(scene);
        let materials: Vec<Value> = scene
            .material_names()
            .iter()
            .zip(&forecast.materials)
            .map(|(name, found)| {
                json!({
                    "name": name,
                    "particles": found.particles,
                    "step": finite(found.step),
                    "limit": found.limit.name(),
                    "wave_speed": found.wave_speed,
                    "kinematic_viscosity": found.kinematic_viscosity,
                })
            })
            .collect();
        let meshes: Vec<Value> = forecast
            .meshes
            .iter()
            .map(|found| {
                json!({
                    "name": found.name,
                    "vertices": found.vertices,
                    "elements": found.elements,
                    "step": finite(found.step),
                    "limit": found.limit.name(),
                    "frequency": found.frequency,
                })
            })
            .collect();
        json!({
            "scene": name,
            "title": scene.title,
            "dimension": scene.dimension,
            "frame": self.frame,
            "particles": self.particles,
            "most_particles": self.most_particles,
            "step": step,
            "limit": limit,
            "limiting_material": self.deciding(scene),
            "materials": materials,
            "meshes": meshes,
            "speed": forecast.speed,
            "step_of_speed": finite(forecast.step_of_speed),
            "explicit_steps_per_implicit_step": self.gain(scene),
            "steps": self.steps(scene),
            "frames": scene.time.frames,
            "memory_bytes": self.memory,
            "disk_bytes": self.disk(scene),
            "warnings": self.warnings,
        })
    }
}

/// A number, or null where there is no limit: JSON has no infinity.
fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// Bytes in readable units.
pub fn size(bytes: f64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let power = if bytes < 1.0 {
        0.0
    } else {
        (bytes.log2() / 10.0).floor()
    };
    let unit = units[(power as usize).min(units.len() - 1)];
    let number = bytes / 1024f64.powi((power as i32).min(units.len() as i32 - 1));
    if unit == "bytes" {
        format!("{number} bytes")
    } else {
        format!("{number:.1} {unit}")
    }
}
