//! From a scene to a simulation. Everything that can be refused is refused with the key it came from.

use std::sync::Arc;

use thixo::{BuildError, Instance, Isa, Setup, Simulation};
use thixo_par::Pool;

use crate::carried::CarriedFormulas;
use crate::emitter::{FrameClock, Stream, rounded};
use crate::error::{Problem, SceneError};
use crate::fill::MOST_PARTICLES;
use crate::material::{Material, Own, Refusal};
use crate::object::{Object, Objects};
use crate::sampling::{Palette, Pattern};
use crate::scene::Scene;
use crate::shape::{Region, Warning};

/// A simulation at its start, whose particle is whose, and what enters and leaves: [`advance`](Self::advance) takes it to the next frame.
#[derive(Debug)]
pub struct Built<T: Instance<D>, const D: usize> {
    /// The simulation.
    pub simulation: Simulation<T, D>,
    /// Owners and colours of particles.
    pub objects: Objects,
    /// What is doubtful about the scene's meshes.
    pub warnings: Vec<Warning>,
    /// The owners before the first frame.
    pub(crate) objects_at_start: Objects,
    /// Mass of a particle of every object, in the precision of the run \[kg\]; none where they differ.
    pub(crate) masses: Vec<Option<f64>>,
    pub(crate) streams: Vec<Stream<D>>,
    pub(crate) sinks: Vec<Arc<dyn Region<D>>>,
    pub(crate) clock: FrameClock,
    pub(crate) carried: CarriedFormulas,
}

/// A precision and dimension for which scenes can be built: `f32` and `f64`, 2 and 3.
pub trait Precise<const D: usize>: Instance<D> {
    #[doc(hidden)]
    fn material(material: &Material) -> Result<Box<dyn thixo::Material<Self, D>>, Refusal>;
    #[doc(hidden)]
    fn own_material(material: &Material) -> Result<Box<dyn thixo::Material<Self, D>>, Refusal>;
}

macro_rules! precise {
    ($($t:ident $d:literal),*) => {$(
        impl Precise<$d> for $t {
            fn material(
                material: &Material,
            ) -> Result<Box<dyn thixo::Material<$t, $d>>, Refusal> {
                material.law($d)
            }
            fn own_material(
                material: &Material,
            ) -> Result<Box<dyn thixo::Material<$t, $d>>, Refusal> {
                material.law($d).map(|Own(material)| material)
            }
        }
    )*};
}

precise!(f32 2, f32 3, f64 2, f64 3);

impl Scene {
    /// Checks every value that can be checked without sampling the objects.
    pub fn check(&self) -> Result<(), SceneError> {
        match self.dimension {
            2 => self.check_in::<2>(),
            3 => self.check_in::<3>(),
            other => Err(self.out_of_range("dimension", other, "2 or 3")),
        }
    }

    /// About how many particles the scene has, with all that is emitted until its last frame.
    pub fn particle_bound(&self) -> Result<f64, SceneError> {
        match self.dimension {
            2 => self.bound_in::<2>(),
            _ => self.bound_in::<3>(),
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
        self.check()?;
        let mut setup = self.setup::<D>()?;
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
            let law = material.engine::<T, D>();
            materials.push(law.map_err(|error| self.refused_material(name, error))?);
        }
        setup.loads = self.loaded_surfaces(&setup)?;
        let engine = |cause| self.source.error_at(None, Problem::Engine { cause });
        let simulation = Simulation::new(setup.clone(), materials);
        // What else of the setup comes from the scene has been checked: threads and instruction set are left.
        let simulation = simulation.map_err(|cause| match &cause {
            BuildError::BadCarried { name, .. } => self.refused(&format!("carried.{name}"), cause),
            _ => engine(cause),
        })?;
        let pool = Pool::new(simulation.threads());
        let pool = pool.map_err(|error| engine(BuildError::Threads(error.to_string())))?;
        pool.run(|| self.populate(&setup, simulation))
    }

    /// Fills the simulation, and makes what will go on filling it.
    fn populate<T: Precise<D>, const D: usize>(
        &self,
        setup: &Setup<D>,
        mut simulation: Simulation<T, D>,
    ) -> Result<Built<T, D>, SceneError> {
        let mut objects = Objects::new(self.palettes()?);
        let mut masses = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            let key = format!("objects[{index}]");
            let (count, mass) = self.fill(&key, object, setup, &mut simulation)?;
            objects.give(index, count);
            masses.push(mass.map(rounded::<T, D>));
        }
        let mut streams = Vec::new();
        for index in 0..self.emitters.len() {
            let stream = self.stream(index, setup)?;
            masses.push(stream.mass().map(rounded::<T, D>));
            streams.push(stream);
        }
        let mut sinks = Vec::new();
        for (index, sink) in self.sinks.iter().enumerate() {
            sinks.push(self.region(&format!("sinks[{index}].shape"), &sink.shape)?);
        }
        Ok(Built {
            simulation,
            objects_at_start: objects.clone(),
            objects,
            masses,
            streams,
            sinks,
            clock: FrameClock {
                frame: self.time.frame_seconds(),
                spacing: setup.spacing,
            },
            warnings: self.warnings(),
            carried: self.carried_formulas::<D>()?,
        })
    }

    /// The colours of objects and emitters.
    fn palettes(&self) -> Result<Vec<Option<Palette>>, SceneError> {
        let mut palettes = Vec::new();
        for (index, body) in self.objects.iter().enumerate() {
            let seed = body.sampling.map_or(0, |sampling| sampling.seed());
            let key = format!("objects[{index}]");
            palettes.push(self.palette(&key, body.color, &body.colors, seed)?);
        }
        for (index, body) in self.emitters.iter().enumerate() {
            let seed = body.sampling.map_or(0, |sampling| sampling.seed());
            let key = format!("emitters[{index}]");
            palettes.push(self.palette(&key, body.color, &body.colors, seed)?);
        }
        Ok(palettes)
    }

    fn check_in<const D: usize>(&self) -> Result<(), SceneError> {
        let setup = self.setup::<D>()?;
        let fps = self.time.fps;
        if !(fps > 0.0 && fps.is_finite() && self.time.frame_seconds().is_finite()) {
            return Err(self.number_out_of_range("time.fps", fps, "positive and finite"));
        }
        self.check_output()?;
        self.check_render::<D>()?;
        for (name, material) in &self.materials {
            material.check(&self.source, name, D)?;
            self.own_parameters::<D>(name, material)?;
        }
        if self.objects.is_empty() && self.emitters.is_empty() {
            return Err(self.source.error_at_key("objects", Problem::Empty));
        }
        for (index, object) in self.objects.iter().enumerate() {
            self.check_object(&format!("objects[{index}]"), object, &setup)?;
        }
        self.palettes()?;
        self.check_loads::<D>()?;
        self.carried_formulas::<D>()?;
        if self.bound_in::<D>()? > MOST_PARTICLES {
            let range = format!("fewer than {MOST_PARTICLES:e} particles together");
            return Err(self.out_of_range("objects", "too much matter", range));
        }
        Ok(())
    }

    fn bound_in<const D: usize>(&self) -> Result<f64, SceneError> {
        let setup = self.setup::<D>()?;
        let mut sum = self.check_emitters(&setup)?;
        for (index, object) in self.objects.iter().enumerate() {
            let key = format!("objects[{index}]");
            let plan = self.fill_plan(&key, &object.shape, object.sampling, &setup)?;
            // Of other samplings the number is about the same.
            sum += Pattern::lattice(plan.pitch).bound(&plan.bounds);
        }
        Ok(sum)
    }

    fn check_object<const D: usize>(
        &self,
        key: &str,
        object: &Object,
        setup: &Setup<D>,
    ) -> Result<(), SceneError> {
        self.check_material_name(key, &object.material)?;
        self.initial_velocity::<D>(key, object)?;
        self.spin::<D>(key, object)?;
        let plan = self.fill_plan(key, &object.shape, object.sampling, setup);
        plan.map(drop)
    }

    /// Refuses a material that the scene does not have.
    pub(crate) fn check_material_name(&self, key: &str, name: &str) -> Result<(), SceneError> {
        match self.materials.contains_key(name) {
            true => Ok(()),
            false => Err(self.unknown_material(key, name)),
        }
    }

    /// A material that the scene does not have.
    pub(crate) fn unknown_material(&self, key: &str, name: &str) -> SceneError {
        let key = format!("{key}.material");
        let known = self.material_names();
        let suggestion = crate::nearest(name, known.iter().map(String::as_str));
        let problem = Problem::UnknownChoice {
            suggestion: suggestion.map(str::to_owned),
            key: key.clone(),
            value: name.to_owned(),
            known,
        };
        self.source.error_at_key(&key, problem)
    }
}
