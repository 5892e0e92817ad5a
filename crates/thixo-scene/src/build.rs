//! From a scene to a simulation. Everything that can be refused is refused with the key it came from.

use thixo::{BuildError, Instance, Setup, Simulation};

use crate::error::{Problem, SceneError};
use crate::material::{Contradiction, Material};
use crate::object::{Object, Objects};
use crate::sample::MOST_PARTICLES;
use crate::scene::Scene;

/// A simulation at its start, and whose particle is whose.
#[derive(Debug)]
pub struct Built<T: Instance<D>, const D: usize> {
    /// The simulation.
    pub simulation: Simulation<T, D>,
    /// Particles of every object.
    pub objects: Objects,
}

/// A precision and dimension for which scenes can be built: `f32` and `f64`, 2 and 3.
pub trait Precise<const D: usize>: Instance<D> {
    #[doc(hidden)]
    fn material(
        material: &Material,
    ) -> Result<Box<dyn thixo::Material<Self, D>>, (&'static str, BuildError)>;
}

macro_rules! precise {
    ($($t:ident $d:literal),*) => {$(
        impl Precise<$d> for $t {
            fn material(
                material: &Material,
            ) -> Result<Box<dyn thixo::Material<$t, $d>>, (&'static str, BuildError)> {
                material.law($d)
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

    /// About how many particles the scene has: an upper bound.
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
        if self.dimension as usize != D {
            let scene = self.dimension;
            let problem = Problem::Dimension { scene, asked: D };
            return Err(self.source.error_at_key("dimension", problem));
        }
        self.check()?;
        let mut setup = self.setup::<D>()?;
        setup.threads = threads;
        let mut materials = Vec::new();
        for (name, material) in &self.materials {
            for (key, value) in material.numbers() {
                if !T::from_f64(value).is_finite() {
                    let key = format!("materials.{name}.{key}");
                    let range = format!("a number that {} can hold", T::NAME);
                    return Err(self.number_out_of_range(&key, value, range));
                }
            }
            let law = T::material(material);
            materials.push(law.map_err(|error| self.refused_material(name, error))?);
        }
        let simulation = Simulation::new(setup.clone(), materials);
        // Everything of the setup that comes from the scene has been checked: threads and instruction set are left.
        let mut simulation =
            simulation.map_err(|cause| self.source.error_at(None, Problem::Engine { cause }))?;
        let mut ranges = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            let key = format!("objects[{index}]");
            let first = self.fill(&key, object, &setup, &mut simulation)?;
            let count = simulation.len() as u32;
            ranges.push(first..count);
        }
        Ok(Built {
            simulation,
            objects: Objects::new(ranges),
        })
    }

    fn check_in<const D: usize>(&self) -> Result<(), SceneError> {
        let setup = self.setup::<D>()?;
        let fps = self.time.fps;
        if !(fps > 0.0 && fps.is_finite() && self.time.frame_seconds().is_finite()) {
            return Err(self.number_out_of_range("time.fps", fps, "positive and finite"));
        }
        self.check_output()?;
        for (name, material) in &self.materials {
            self.check_material(name, material)?;
        }
        if self.objects.is_empty() {
            return Err(self.source.error_at_key("objects", Problem::Empty));
        }
        for (index, object) in self.objects.iter().enumerate() {
            self.check_object(&format!("objects[{index}]"), object, &setup)?;
        }
        if self.bound_in::<D>()? > MOST_PARTICLES {
            let range = format!("fewer than {MOST_PARTICLES:e} particles together");
            return Err(self.out_of_range("objects", "too much matter", range));
        }
        Ok(())
    }

    fn bound_in<const D: usize>(&self) -> Result<f64, SceneError> {
        let setup = self.setup::<D>()?;
        let mut sum = 0.0;
        for (index, object) in self.objects.iter().enumerate() {
            let key = format!("objects[{index}]");
            sum += self.lattice(&key, object, &setup)?.1.bound();
        }
        Ok(sum)
    }

    fn check_material(&self, name: &str, material: &Material) -> Result<(), SceneError> {
        let density = material.density();
        if !(density > 0.0 && density.is_finite()) {
            let key = format!("materials.{name}.density");
            return Err(self.number_out_of_range(&key, density, "positive and finite"));
        }
        let path = |key: &str| format!("materials.{name}.{key}");
        match material.contradiction() {
            None => {}
            Some(Contradiction::Superfluous { key, value, range }) => {
                return Err(self.number_out_of_range(&path(key), value, range));
            }
            Some(Contradiction::Missing { key }) => {
                let problem = Problem::MissingKey {
                    key: key.to_owned(),
                    table: format!("[materials.{name}]"),
                };
                return Err(self.source.error_at_key(&path(key), problem));
            }
        }
        // What is refused depends neither on the precision nor on the dimension of the box.
        let law = material.law::<Box<dyn thixo::Material<f64, 3>>>(self.dimension as usize);
        law.map(drop)
            .map_err(|error| self.refused_material(name, error))
    }

    fn check_object<const D: usize>(
        &self,
        key: &str,
        object: &Object,
        setup: &Setup<D>,
    ) -> Result<(), SceneError> {
        if !self.materials.contains_key(&object.material) {
            let key = format!("{key}.material");
            let known = self.material_names();
            let value = object.material.clone();
            let suggestion = crate::nearest(&value, known.iter().map(String::as_str));
            let problem = Problem::UnknownChoice {
                suggestion: suggestion.map(str::to_owned),
                key: key.clone(),
                value,
                known,
            };
            return Err(self.source.error_at_key(&key, problem));
        }
        self.vector_or_zero::<D>(&format!("{key}.velocity"), &object.velocity)?;
        self.spin::<D>(key, object)?;
        self.lattice(key, object, setup).map(drop)
    }
}
