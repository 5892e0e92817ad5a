//! From a scene to a simulation. Everything that can be refused is refused with the key it came
//! from.

use thixo::material::Meshed;
use thixo::material::law::{Compiled, Law};
use thixo::{BuildError, Instance, Isa, Simulation, StepError};

use crate::carried::CarriedFormulas;
use crate::checked::CheckedScene;
use crate::emitter::{FrameClock, Stream, rounded};
use crate::error::{Problem, SceneError};
use crate::heat::Temperatures;
use crate::machine_memory::machine_memory;
use crate::memory_estimate::{ESTIMATED_FROM, MemoryEstimate};
use crate::object::Objects;
use crate::particle_file::ParticleVolume;
use crate::read::unknown_choice;
use crate::sampling::Palette;
use crate::scene::Scene;
use crate::shape::{SharedRegion, Warning};

/// Share of the memory above which a scene is warned of.
const TIGHT: f64 = 0.8;

/// A simulation at its start, whose particle is whose, and what enters and leaves:
/// [`advance`](Self::advance) takes it to the next frame.
#[derive(Debug)]
#[non_exhaustive]
pub struct Built<T: Instance<D>, const D: usize> {
    /// The simulation.
    pub simulation: Simulation<T, D>,
    /// Owners and colours of particles.
    pub objects: Objects,
    /// Warnings about the scene's meshes and matter.
    pub warnings: Vec<Warning>,
    /// The owners before the first frame.
    pub(crate) objects_at_start: Objects,
    /// Mass of a particle of every object, in the precision of the run \[kg\]; none where they
    /// differ.
    pub(crate) masses: Vec<Option<f64>>,
    pub(crate) streams: Vec<Stream<D>>,
    pub(crate) sinks: Vec<SharedRegion<D>>,
    pub(crate) clock: FrameClock,
    pub(crate) carried: CarriedFormulas,
    pub(crate) temperatures: Temperatures,
}

/// A precision and dimension for which scenes can be built: `f32` and `f64`, 2 and 3.
pub trait Precise<const D: usize>: Instance<D> {
    #[doc(hidden)]
    fn material(law: &dyn Law) -> Box<dyn thixo::Material<Self, D>>;
    #[doc(hidden)]
    fn per_particle_material(law: &dyn Law) -> Box<dyn thixo::Material<Self, D>>;
}

macro_rules! precise {
    ($($t:ident $d:literal),*) => {$(
        impl Precise<$d> for $t {
            fn material(law: &dyn Law) -> Box<dyn thixo::Material<$t, $d>> {
                Compiled::material(law)
            }
            fn per_particle_material(law: &dyn Law) -> Box<dyn thixo::Material<$t, $d>> {
                Compiled::per_particle_material(law)
            }
        }
    )*};
}

precise!(f32 2, f32 3, f64 2, f64 3);

impl Scene {
    /// Checks every value that can be checked without sampling the objects.
    pub fn check(&self) -> Result<(), SceneError> {
        match self.dimension {
            2 => CheckedScene::<2>::new(self).map(drop),
            3 => CheckedScene::<3>::new(self).map(drop),
            other => Err(self.out_of_range("dimension", other, "2 or 3")),
        }
    }

    /// About how many particles the scene has, with all that is emitted until its last frame.
    pub fn particle_bound(&self) -> Result<f64, SceneError> {
        match self.dimension {
            2 => CheckedScene::<2>::new(self).map(|checked| checked.particle_bound),
            _ => CheckedScene::<3>::new(self).map(|checked| checked.particle_bound),
        }
    }

    /// Samples the objects and makes a simulation on `threads` threads (0: one per processor).
    pub fn build<T: Precise<D>, const D: usize>(
        &self,
        threads: usize,
    ) -> Result<Built<T, D>, SceneError> {
        self.build_for(threads, None)
    }

    /// The same for an instruction set; none takes what `THIXO_ISA` says, or the fastest there is.
    pub fn build_for<T: Precise<D>, const D: usize>(
        &self,
        threads: usize,
        isa: Option<Isa>,
    ) -> Result<Built<T, D>, SceneError> {
        if self.dimension as usize != D {
            let scene = self.dimension;
            let problem = Problem::Dimension { scene, asked: D };
            return Err(self.source.error_at_key("dimension", problem));
        }
        let mut checked = CheckedScene::<D>::new(self)?;
        let tight = if checked.particle_bound > ESTIMATED_FROM {
            self.check_memory::<T, D>(&mut checked, (threads, isa))?
        } else {
            None
        };
        let simulation = self.empty_simulation(&checked, (threads, isa))?;
        let pool = simulation.pool().clone();
        let mut built = pool.run(|| checked.populate(simulation))?;
        built.warnings.extend(tight);
        Ok(built)
    }

    /// Refuses a scene that needs more memory than there is, before it is sampled; warns where it
    /// needs most of it.
    fn check_memory<T: Precise<D>, const D: usize>(
        &self,
        checked: &mut CheckedScene<'_, D>,
        on: (usize, Option<Isa>),
    ) -> Result<Option<Warning>, SceneError> {
        let sample = self.empty_simulation::<T, D>(checked, on)?;
        let pool = sample.pool().clone();
        let estimate = pool.run(|| checked.memory_estimate(sample));
        let (Some(estimate), Some(available)) = (estimate, machine_memory()) else {
            return Ok(None);
        };
        let MemoryEstimate { particles, bytes } = estimate;
        let available = available as f64;
        if bytes > available {
            let problem = Problem::TooLittleMemory {
                particles,
                bytes,
                available,
            };
            return Err(self.source.error_at_key("grid.spacing", problem));
        }
        Ok((bytes > TIGHT * available).then_some(Warning::Memory { bytes, available }))
    }

    /// The simulation of a scene before anything is in it.
    fn empty_simulation<T: Precise<D>, const D: usize>(
        &self,
        checked: &CheckedScene<'_, D>,
        (threads, isa): (usize, Option<Isa>),
    ) -> Result<Simulation<T, D>, SceneError> {
        let mut setup = checked.setup.engine.clone();
        setup.threads = threads;
        setup.isa = isa;
        let mut materials = Vec::new();
        for (name, material) in &self.materials {
            for (key, value) in material.law.numbers() {
                if value.is_finite() && !T::from_f64(value).is_finite() {
                    let key = format!("materials.{name}.{key}");
                    let range = format!("a number that {} can hold", T::NAME);
                    return Err(self.number_out_of_range(&key, value, range));
                }
            }
            let law = material.engine::<T, D>(self.own_parameters(name));
            materials.push(law.map_err(|error| self.refused_material(name, error))?);
        }
        // The vertices of meshes are a material of their own, after those of the scene.
        if !checked.meshes.is_empty() {
            materials.push(T::material(&Meshed));
        }
        setup.loads = checked.loaded_surfaces()?;
        let engine = |cause| self.source.error_at(None, Problem::Engine { cause });
        let laws: Vec<&'static str> = materials.iter().map(|law| law.name()).collect();
        let simulation = Simulation::new(setup, materials);
        // All else of the setup comes from the scene and has been checked: threads and instruction
        // set are left.
        simulation.map_err(|cause| match &cause {
            BuildError::BadCarried { name, .. } => self.refused(&format!("carried.{name}"), cause),
            BuildError::CannotMelt { .. } => self.refused_melt(cause),
            // What the integrator cannot do with a law.
            BuildError::NoSplit { material }
            | BuildError::NoPotential { material, .. }
            | BuildError::Incompressible { material, .. } => {
                let of = laws.iter().position(|law| law == material);
                match of.and_then(|index| self.materials.keys().nth(index)) {
                    Some(name) => self.refused(&format!("materials.{name}"), cause),
                    None => engine(cause),
                }
            }
            _ => engine(cause),
        })
    }

    /// A key with which the simulation cannot start.
    pub(crate) fn refused_step(&self, key: &str, error: &StepError) -> SceneError {
        let problem = Problem::Other {
            key: key.to_owned(),
            message: error.to_string(),
        };
        self.source.error_at_key(key, problem)
    }

    /// The colours of objects, meshes and emitters.
    pub(crate) fn palettes(&self) -> Result<Vec<Option<Palette>>, SceneError> {
        let mut palettes = Vec::new();
        for (index, body) in self.objects.iter().enumerate() {
            let key = format!("objects[{index}]");
            palettes.push(self.palette(&key, body.color, &body.colors, body.sampling)?);
        }
        for (index, body) in self.meshes.iter().enumerate() {
            let key = format!("meshes[{index}]");
            palettes.push(self.palette(&key, body.color, &[], None)?);
        }
        for (index, body) in self.emitters.iter().enumerate() {
            let key = format!("emitters[{index}]");
            palettes.push(self.palette(&key, body.color, &body.colors, body.sampling)?);
        }
        Ok(palettes)
    }

    /// Index of a material; refuses one that the scene does not have.
    pub(crate) fn material_index(&self, key: &str, name: &str) -> Result<usize, SceneError> {
        let index = self.materials.keys().position(|known| known == name);
        index.ok_or_else(|| self.unknown_material(key, name))
    }

    /// A material that the scene does not have.
    pub(crate) fn unknown_material(&self, key: &str, name: &str) -> SceneError {
        let key = format!("{key}.material");
        let problem = unknown_choice(&key, name, self.material_names());
        self.source.error_at_key(&key, problem)
    }
}

impl<const D: usize> CheckedScene<'_, D> {
    /// Fills the simulation, and makes what will go on filling it.
    fn populate<T: Precise<D>>(
        mut self,
        mut simulation: Simulation<T, D>,
    ) -> Result<Built<T, D>, SceneError> {
        let mut objects = Objects::new(std::mem::take(&mut self.palettes));
        let mut masses = Vec::new();
        let mut warnings = self.scene.warnings();
        for index in 0..self.objects.len() {
            let filled = self.fill(index, &mut simulation)?;
            objects.give(index, filled.count);
            masses.push(filled.mass.map(rounded::<T, D>));
            let object = &self.scene.objects[index];
            let warning = Warning::cut_hardening(&object.material, filled.cut_hardening);
            warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
        }
        let first = self.objects.len();
        let material = self.scene.materials.len();
        for (index, part) in std::mem::take(&mut self.meshes).into_iter().enumerate() {
            let count = part.mesh.vertices() as u32;
            let outcome = simulation.add_mesh(material, part.mesh, &part.velocities);
            let key = format!("meshes[{index}].shape");
            outcome.map_err(|error| self.scene.refused(&key, error))?;
            objects.give(first + index, count);
            masses.push(None);
        }
        self.volumes_from_grid(&objects, &mut simulation)?;
        self.check_fixed_step(&mut simulation)?;
        let mut streams = Vec::new();
        for (index, emitter) in std::mem::take(&mut self.emitters).into_iter().enumerate() {
            let (stream, cut) = self.stream(index, emitter)?;
            let warning = Warning::cut_hardening(&self.scene.emitters[index].material, cut);
            warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
            masses.push(stream.mass().map(rounded::<T, D>));
            streams.push(stream);
        }
        Ok(Built {
            simulation,
            objects_at_start: objects.clone(),
            objects,
            masses,
            streams,
            sinks: self.sinks,
            clock: FrameClock {
                frame: self.scene.time.frame_seconds(),
                spacing: self.setup.engine.spacing,
            },
            warnings,
            carried: self.carried,
            temperatures: self.temperatures,
        })
    }

    /// Gives the particles of objects that ask for it volumes from the density on the grid.
    fn volumes_from_grid<T: Precise<D>>(
        &self,
        objects: &Objects,
        simulation: &mut Simulation<T, D>,
    ) -> Result<(), SceneError> {
        let scene = self.scene;
        let asks = |object: &crate::object::Object| object.volume == Some(ParticleVolume::Grid);
        let Some(first) = scene.objects.iter().position(asks) else {
            return Ok(());
        };
        let is_asked = |id| {
            let owner = objects.of_particle(id).and_then(|k| scene.objects.get(k));
            owner.is_some_and(asks)
        };
        let outcome = simulation.estimate_rest_volumes_of(&is_asked);
        outcome.map_err(|error| scene.refused_step(&format!("objects[{first}].volume"), &error))
    }

    /// Refuses a fixed step above the limits of the first.
    fn check_fixed_step<T: Precise<D>>(
        &self,
        simulation: &mut Simulation<T, D>,
    ) -> Result<(), SceneError> {
        if self.scene.time.step.is_none() || simulation.is_empty() {
            return Ok(());
        }
        let forecast = simulation.forecast();
        let refused = |error| self.scene.refused_step("time.step", &error);
        forecast.map(drop).map_err(refused)
    }
}
