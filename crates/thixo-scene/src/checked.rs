//! A scene with everything that its checks work out: `check`, `particle_bound` and `build` share
//! it.

use thixo::Setup;

use crate::carried::CarriedFormulas;
use crate::elastic_mesh::CheckedMesh;
use crate::emitter::CheckedEmitter;
use crate::error::{Problem, SceneError};
use crate::fill::{CheckedObject, MOST_PARTICLES};
use crate::heat::Temperatures;
use crate::load::CheckedLoad;
use crate::material::per_particle::MaterialFormulas;
use crate::number::VectorOf;
use crate::sampling::Palette;
use crate::scene::Scene;
use crate::shape::SharedRegion;
use crate::solid::Solid;

/// A scene whose values are all allowed. Every shape is baked and every formula is read once.
#[derive(Debug)]
pub(crate) struct CheckedScene<'a, const D: usize> {
    pub scene: &'a Scene,
    pub setup: CheckedSetup<D>,
    /// Formulas of the materials, in the order of their names.
    pub materials: Vec<MaterialFormulas>,
    pub objects: Vec<CheckedObject<D>>,
    /// Colours of the objects, then of the meshes and the emitters.
    pub palettes: Vec<Option<Palette>>,
    pub meshes: Vec<CheckedMesh<D>>,
    pub loads: Vec<CheckedLoad<D>>,
    pub carried: CarriedFormulas,
    pub temperatures: Temperatures,
    pub emitters: Vec<CheckedEmitter<D>>,
    pub sinks: Vec<SharedRegion<D>>,
    /// About the number of particles, with all that is emitted until the last frame.
    pub particle_bound: f64,
}

/// The engine's setup, with gravity and solids as the scene gives them.
#[derive(Debug)]
pub(crate) struct CheckedSetup<const D: usize> {
    pub engine: Setup<D>,
    /// The acceleration of all matter as formulas of place and time \[m/s²\].
    pub gravity: VectorOf<D>,
    /// The solids of the colliders with their motions.
    pub solids: Vec<Solid<D>>,
}

impl<'a, const D: usize> CheckedScene<'a, D> {
    /// Checks every value that can be checked without sampling the objects.
    pub fn new(scene: &'a Scene) -> Result<Self, SceneError> {
        let setup = scene.setup::<D>()?;
        let fps = scene.time.fps;
        if !(fps > 0.0 && fps.is_finite() && scene.time.frame_seconds().is_finite()) {
            return Err(scene.number_out_of_range("time.fps", fps, "positive and finite"));
        }
        scene.check_output()?;
        scene.check_render::<D>()?;
        let mut materials = Vec::new();
        for (name, material) in &scene.materials {
            material.check(&scene.source, name, D)?;
            materials.push(scene.material_formulas::<D>(name, material)?);
        }
        let has_bodies = !(scene.objects.is_empty() && scene.meshes.is_empty());
        if !has_bodies && scene.emitters.is_empty() {
            return Err(scene.source.error_at_key("objects", Problem::Empty));
        }
        let mut objects = Vec::new();
        for (index, object) in scene.objects.iter().enumerate() {
            let key = format!("objects[{index}]");
            objects.push(scene.checked_object(&key, object, &setup.engine)?);
        }
        let meshes = scene.checked_meshes::<D>()?;
        let palettes = scene.palettes()?;
        let loads = scene.checked_loads::<D>()?;
        let carried = scene.carried_formulas::<D>()?;
        let temperatures = scene.temperatures::<D>()?;
        let (emitters, emitted) = scene.checked_emitters(&setup.engine)?;
        let sinks = scene.sink_regions::<D>()?;
        let mut particle_bound = emitted;
        for CheckedObject { matter, .. } in &objects {
            particle_bound += matter.particle_bound();
        }
        for CheckedMesh { mesh, .. } in &meshes {
            particle_bound += mesh.vertices() as f64;
        }
        if particle_bound > MOST_PARTICLES {
            let range = format!("fewer than {MOST_PARTICLES:e} particles together");
            return Err(scene.out_of_range("objects", "too much matter", range));
        }
        Ok(Self {
            scene,
            setup,
            materials,
            objects,
            palettes,
            meshes,
            loads,
            carried,
            temperatures,
            emitters,
            sinks,
            particle_bound,
        })
    }
}
