//! A simulation whose precision and dimension are known only at run time.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use thixo::particles::Shape;
use thixo::{BuildError, FrameReport, Seed, StepError};
use thixo_scene::{Built, Precise, Scene, SceneError, with_instance};

/// Numbers of all particles with the extents of their array.
pub struct Array {
    pub numbers: Numbers,
    pub extents: Vec<usize>,
}

/// Numbers in the precision of the run, or whole ones.
pub enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    U32(Vec<u32>),
}

/// Sums and extremes by name.
pub type Budgets = Vec<(&'static str, Vec<f64>)>;

/// A simulation of any precision and dimension.
pub trait Engine: Send + Sync {
    fn len(&self) -> usize;
    fn time(&self) -> f64;
    fn dimension(&self) -> usize;
    fn precision(&self) -> &'static str;
    fn threads(&self) -> usize;
    fn frame(&self) -> u32;
    /// True if matter enters or leaves between frames.
    fn flows(&self) -> bool;
    fn materials(&self) -> Vec<String>;
    /// Name, unit and meaning of all quantities that can be read.
    fn quantities(&self) -> Vec<(String, String, &'static str)>;
    /// The values of a quantity; none where there is no such quantity.
    fn read(&self, name: &str) -> Option<Array>;
    fn set_velocities(&mut self, values: &[f64]) -> Result<(), BuildError>;
    fn stop_when(&mut self, stop: Arc<AtomicBool>);
    fn advance(&mut self, duration: f64) -> Result<FrameReport, StepError>;
    fn next_frame(&mut self) -> Result<FrameReport, StepError>;
    /// Steps of a length, or of the length that the state allows.
    fn steps(&mut self, dt: Option<f64>, count: u64) -> Result<FrameReport, StepError>;
    fn audit(&self) -> Budgets;
    /// Adds particles; positions and velocities have as many numbers as the dimension each.
    fn add(&mut self, material: usize, particles: &NewParticles) -> Result<u32, BuildError>;
    /// Removes particles by identifier, ascending.
    fn remove(&mut self, ids: &[u32]) -> usize;
    fn save(&self, path: &Path) -> std::io::Result<()>;
    fn restore(&mut self, path: &Path) -> Result<(), String>;
}

/// Particles to be added, with a mass \[kg\] and a volume \[m³\] each.
pub struct NewParticles {
    pub positions: Vec<f64>,
    pub velocities: Vec<f64>,
    pub mass: Vec<f64>,
    pub volume: Vec<f64>,
}

/// Builds a scene.
pub fn build(scene: &Scene, threads: usize) -> Result<Box<dyn Engine>, SceneError> {
    let instance = (scene.precision, scene.dimension);
    with_instance!(instance, |T, D| {
        let built = scene.build::<T, D>(threads)?;
        Ok(Box::new(Held {
            flows: !scene.emitters.is_empty() || !scene.sinks.is_empty(),
            materials: scene.material_names(),
            built,
            frame: 0,
        }))
    })
}

struct Held<T: Precise<D>, const D: usize> {
    built: Built<T, D>,
    materials: Vec<String>,
    flows: bool,
    frame: u32,
}

/// Numbers of the engine as those of an array, without a copy.
fn numbers<T: 'static>(values: Vec<T>) -> Option<Numbers> {
    let values: Box<dyn std::any::Any> = Box::new(values);
    match values.downcast::<Vec<f32>>() {
        Ok(single) => Some(Numbers::F32(*single)),
        Err(other) => Some(Numbers::F64(*other.downcast().ok()?)),
    }
}

impl<T: Precise<D>, const D: usize> Engine for Held<T, D> {
    fn len(&self) -> usize {
        self.built.simulation.len()
    }
    fn time(&self) -> f64 {
        self.built.simulation.time()
    }
    fn dimension(&self) -> usize {
        D
    }
    fn precision(&self) -> &'static str {
        T::NAME
    }
    fn threads(&self) -> usize {
        self.built.simulation.threads()
    }
    fn frame(&self) -> u32 {
        self.frame
    }
    fn flows(&self) -> bool {
        self.flows
    }
    fn materials(&self) -> Vec<String> {
        self.materials.clone()
    }
    fn quantities(&self) -> Vec<(String, String, &'static str)> {
        let all = self.built.simulation.quantities().quantities().into_iter();
        all.map(|q| (q.name.into_owned(), q.unit.into_owned(), q.about))
            .collect()
    }
    fn read(&self, name: &str) -> Option<Array> {
        let reader = self.built.simulation.quantities();
        let count = self.len();
        let whole = |numbers: Vec<u32>| {
            Some(Array {
                numbers: Numbers::U32(numbers),
                extents: vec![count],
            })
        };
        match name {
            "id" => return whole(reader.ids().collect()),
            "material" => return whole(reader.materials().collect()),
            _ => {}
        }
        let quantity = reader.find(name)?;
        let extents = match quantity.shape {
            Shape::Scalar => vec![count],
            Shape::Vector => vec![count, D],
            Shape::Matrix | Shape::SymmetricMatrix => vec![count, D, D],
        };
        Some(Array {
            numbers: numbers(reader.read(&quantity))?,
            extents,
        })
    }
    fn set_velocities(&mut self, values: &[f64]) -> Result<(), BuildError> {
        self.built.simulation.set_velocities(values)
    }
    fn stop_when(&mut self, stop: Arc<AtomicBool>) {
        self.built.simulation.stop_when(stop);
    }
    fn advance(&mut self, duration: f64) -> Result<FrameReport, StepError> {
        self.built.simulation.advance(duration)
    }
    fn next_frame(&mut self) -> Result<FrameReport, StepError> {
        let report = self.built.advance(self.frame + 1)?.report;
        self.frame += 1;
        Ok(report)
    }
    fn steps(&mut self, dt: Option<f64>, count: u64) -> Result<FrameReport, StepError> {
        let simulation = &mut self.built.simulation;
        if let Some(dt) = dt {
            return simulation.run_steps(dt, count);
        }
        let mut all: Option<FrameReport> = None;
        for _ in 0..count {
            let dt = simulation.forecast()?.step;
            let one = simulation.run_steps(dt, 1)?;
            all = Some(all.map_or(one, |before| before.then(one)));
        }
        Ok(all.unwrap_or_default())
    }
    fn audit(&self) -> Budgets {
        let audit = self.built.simulation.audit();
        vec![
            ("time", vec![audit.time]),
            ("particles", vec![audit.particles as f64]),
            ("mass", vec![audit.mass]),
            ("centre_of_mass", audit.centre_of_mass.to_vec()),
            ("momentum", audit.momentum.to_vec()),
            ("angular_momentum", audit.angular_momentum.to_vec()),
            ("kinetic", vec![audit.kinetic]),
            ("elastic", vec![audit.elastic]),
            ("potential", vec![audit.potential]),
            ("max_speed", vec![audit.max_speed]),
            ("volume", vec![audit.volume]),
            ("j_min", vec![audit.j_min]),
            ("j_max", vec![audit.j_max]),
        ]
    }
    fn add(&mut self, material: usize, particles: &NewParticles) -> Result<u32, BuildError> {
        let vector = |numbers: &[f64], k: usize| core::array::from_fn(|i| numbers[k * D + i]);
        let seeds: Vec<Seed<D>> = (0..particles.mass.len())
            .map(|k| {
                Seed::new(
                    vector(&particles.positions, k),
                    vector(&particles.velocities, k),
                    particles.mass[k],
                    particles.volume[k],
                )
            })
            .collect();
        self.built.simulation.add(material, &seeds)
    }
    fn remove(&mut self, ids: &[u32]) -> usize {
        let goes = |id: u32, _| ids.binary_search(&id).is_ok();
        self.built.simulation.remove(goes)
    }
    fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(&self.frame.to_le_bytes())?;
        self.built.simulation.save(&mut out)?;
        out.into_inner()?.sync_all()
    }
    fn restore(&mut self, path: &Path) -> Result<(), String> {
        let mut input = BufReader::new(File::open(path).map_err(|error| error.to_string())?);
        let mut frame = [0; 4];
        std::io::Read::read_exact(&mut input, &mut frame).map_err(|error| error.to_string())?;
        let simulation = &mut self.built.simulation;
        simulation
            .restore(&mut input)
            .map_err(|error| error.to_string())?;
        self.frame = u32::from_le_bytes(frame);
        self.built.resume(self.frame);
        Ok(())
    }
}
