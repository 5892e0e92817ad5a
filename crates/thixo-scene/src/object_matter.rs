//! Filling the objects of a scene with particles, of shapes or of files.

use thixo::material::description::CutHardening;
use thixo::{BuildError, Insertion, Material, Seed, SeedQuantity, Simulation};

use crate::build::Precise;
use crate::checked::CheckedScene;
use crate::error::SceneError;
use crate::expression::Scratch;
use crate::fill::{CheckedObject, FilePlan, MatterSource};
use crate::initial_state::{Asked, InitialFormulas, InitialStates};
use crate::material::per_particle::{ParticleProperties, harder};
use crate::particle_file::{FileParticles, ParticleFile, ParticleVolume};
use crate::sampling::volume;
use crate::shape::Bounds;

/// Particles handed to the engine at a time.
const CHUNK: usize = 1 << 14;

/// Masses and volumes of some particles, and their states where these are given.
struct Matter<const D: usize> {
    mass: Vec<f64>,
    rest_volume: Vec<f64>,
    deformation: Option<Vec<[[f64; D]; D]>>,
    history: Option<Vec<f64>>,
}

/// The particles of an object, added.
pub(crate) struct Filled {
    /// Their number.
    pub count: u32,
    /// The mass of each, where all have the same \[kg\].
    pub mass: Option<f64>,
    /// The largest hardening of their start that a limit cuts off.
    pub cut_hardening: Option<CutHardening>,
}

/// Particles of an object that are made together.
struct Part<'a, const D: usize> {
    index: usize,
    points: &'a [[f64; D]],
    properties: &'a ParticleProperties,
}

impl<const D: usize> CheckedScene<'_, D> {
    /// Adds the particles of an object.
    pub fn fill<T: Precise<D>>(
        &self,
        index: usize,
        simulation: &mut Simulation<T, D>,
    ) -> Result<Filled, SceneError> {
        let scene = self.scene;
        let key = format!("objects[{index}]");
        let CheckedObject {
            material,
            velocity: motion,
            matter,
            ..
        } = &self.objects[index];
        let sampled;
        let (points, each, chunk) = match matter {
            MatterSource::Shape(plan) => {
                let region = plan.region.as_ref();
                let pattern = plan.sampling.pattern(plan.pitch, &plan.bounds);
                sampled = pattern.fill(region, &plan.bounds);
                if sampled.is_empty() {
                    return Err(scene.no_particle(&key, plan.pitch));
                }
                let share = scene.objects[index].share;
                let each = share * volume(region, &plan.bounds) / sampled.len() as f64;
                (sampled.as_slice(), each, CHUNK)
            }
            // Columns of a file are looked at as a whole.
            MatterSource::File(plan) => (plan.positions.as_slice(), 0.0, plan.positions.len()),
        };
        self.check_buried(&format!("{key}.{}", matter.key()), points)?;
        let own = &self.materials[*material];
        let mut masses = (None, true);
        let mut cut_hardening = None;
        let mut scratch = Scratch::default();
        for chunk in points.chunks(chunk) {
            self.check_gravity(chunk, &mut scratch)?;
            let mut velocities = motion.velocities(scene, chunk, &mut scratch)?;
            let mut gradients = motion.gradients(scene, chunk, &mut scratch)?;
            let properties =
                scene.particle_properties(own, chunk, matter.middle(), &mut scratch)?;
            let part = Part {
                index,
                points: chunk,
                properties: &properties,
            };
            let made = self.matter_of::<T>(&part, each, &mut scratch)?;
            let cut = match &made.history {
                // The one number of the history of laws that harden so.
                Some(ratios) => own.cut_hardening(ratios),
                None => properties.cut_hardening,
            };
            cut_hardening = harder(cut_hardening, cut);
            let mut carried = scene.carried_at(&self.carried, chunk, 0.0, &mut scratch)?;
            if let (MatterSource::File(plan), Some(source)) =
                (matter, &scene.objects[index].particles)
            {
                let moved = (&mut velocities[..], &mut gradients[..]);
                self.take_columns((&key, source), plan, moved, carried.as_mut())?;
            }
            let temperatures = self.temperatures.of_owner(index, chunk, 0.0, &mut scratch);
            let melting_points =
                self.temperatures
                    .melting_points(*material, chunk, 0.0, &mut scratch);
            let mut seeds = Vec::with_capacity(chunk.len());
            for k in 0..chunk.len() {
                let mut seed =
                    Seed::new(chunk[k], velocities[k], made.mass[k], made.rest_volume[k]);
                // Transfers take what they keep of it, and viscous fluids their first stress.
                seed.velocity_gradient = gradients[k];
                if let Some(deformation) = &made.deformation {
                    seed.deformation_gradient = deformation[k];
                }
                let first = *masses.0.get_or_insert(seed.mass);
                masses.1 &= first == seed.mass;
                seeds.push(seed);
            }
            let insertion = Insertion::new(*material, &seeds)
                .with_parameters(properties.parameters.as_deref())
                .with_history(made.history.as_deref())
                .carrying(carried.as_deref())
                .at_temperatures(temperatures.as_deref())
                .melting_at(melting_points.as_deref());
            let outcome = simulation.insert(insertion);
            outcome.map_err(|error| scene.refused(&self.key_of_refused(index, &error), error))?;
        }
        let mass = masses.0.filter(|_| masses.1 && !own.mass_varies());
        Ok(Filled {
            count: points.len() as u32,
            mass,
            cut_hardening,
        })
    }

    /// Masses, volumes and states of some particles of an object; `each` is the volume of a
    /// particle of a shape \[m³\].
    fn matter_of<T: Precise<D>>(
        &self,
        part: &Part<'_, D>,
        each: f64,
        scratch: &mut Scratch,
    ) -> Result<Matter<D>, SceneError> {
        let Part {
            index, properties, ..
        } = *part;
        let CheckedObject {
            initial, matter, ..
        } = &self.objects[index];
        let given = match initial {
            Some(formulas) => {
                let law = self.law_of::<T>(index)?;
                Some(self.given_states(formulas, &*law, part, scratch)?)
            }
            None => None,
        };
        let (density, ratio) = (&properties.density, &properties.volume_ratio);
        let count = part.points.len();
        let of_file = match (matter, &self.scene.objects[index].particles) {
            (MatterSource::File(plan), Some(source)) => {
                let law = self.law_of::<T>(index)?;
                Some(self.matter_of_file(part, (plan, source), &*law, given.as_ref())?)
            }
            _ => None,
        };
        Ok(match (of_file, given) {
            (Some(of_file), _) => of_file,
            (None, Some(given)) => Matter {
                mass: given.density.iter().map(|rho| rho * each).collect(),
                rest_volume: given.rest_volume_ratio.iter().map(|j| each / j).collect(),
                deformation: Some(given.deformation),
                history: given.history,
            },
            (None, None) => {
                let rest_volume: Vec<f64> = ratio.iter().map(|j| each / j).collect();
                let mass = (0..count).map(|k| density[k] * rest_volume[k]);
                Matter {
                    mass: mass.collect(),
                    rest_volume,
                    deformation: None,
                    history: None,
                }
            }
        })
    }

    /// The law of an object's material.
    fn law_of<T: Precise<D>>(&self, index: usize) -> Result<Box<dyn Material<T, D>>, SceneError> {
        let name = &self.scene.objects[index].material;
        let Some(material) = self.scene.materials.get(name) else {
            return Err(self
                .scene
                .unknown_material(&format!("objects[{index}]"), name));
        };
        let law = self.scene.engine_material::<T, D>(name, material);
        law.map_err(|error| self.scene.refused_material(name, error))
    }

    /// The states that an object gives its particles.
    fn given_states<T: Precise<D>>(
        &self,
        formulas: &InitialFormulas,
        law: &dyn Material<T, D>,
        part: &Part<'_, D>,
        scratch: &mut Scratch,
    ) -> Result<InitialStates<D>, SceneError> {
        let matter = &self.objects[part.index].matter;
        let gravity = self.setup.gravity.constant().unwrap_or([0.0; D]);
        let mut depths = Vec::new();
        if let Some((geostatic, key)) = formulas.geostatic() {
            let region = match matter {
                MatterSource::Shape(plan) => {
                    let Bounds { min, max } = plan.bounds;
                    Some((
                        plan.region.as_ref() as _,
                        Bounds { min, max },
                        0.5 * plan.pitch,
                    ))
                }
                MatterSource::File(_) => None,
            };
            let given = (gravity, &mut *scratch);
            depths = self.scene.depths(
                (geostatic, &key),
                (part.points, matter.middle()),
                region,
                given,
            )?;
        }
        let asked = Asked {
            points: part.points,
            middle: matter.middle(),
            density: &part.properties.density,
            parameters: part.properties.parameters.as_deref(),
            depths: &depths,
            gravity,
        };
        self.scene.initial_states(formulas, law, asked, scratch)
    }

    /// Masses, volumes and states of the particles of a file.
    fn matter_of_file<T: Precise<D>>(
        &self,
        part: &Part<'_, D>,
        (plan, source): (&FilePlan<D>, &ParticleFile),
        law: &dyn Material<T, D>,
        given: Option<&InitialStates<D>>,
    ) -> Result<Matter<D>, SceneError> {
        let scene = self.scene;
        let key = format!("objects[{}]", part.index);
        let ParticleProperties {
            density,
            volume_ratio,
            parameters,
            ..
        } = part.properties;
        let refused = |row| scene.refused_row(&key, source, row);
        let file = FileParticles::<D>::new(&plan.table, source.state);
        let formulas = self.objects[part.index].initial.as_ref();
        let states = match formulas.is_some_and(InitialFormulas::gives_state) {
            true => None,
            false => file.states(law, parameters.as_deref()).map_err(refused)?,
        };
        // Present volume over V⁰, and mass over present volume.
        let count = part.points.len();
        let (mut ratio, mut now) = match given {
            Some(given) => (given.rest_volume_ratio.clone(), given.density.clone()),
            None => {
                let now = density.iter().zip(volume_ratio).map(|(rho, j)| rho / j);
                (volume_ratio.clone(), now.collect::<Vec<f64>>())
            }
        };
        if let (Some(states), None) = (&states, given) {
            ratio = file.volume_ratios(law, parameters.as_deref(), states);
            now = (0..count).map(|k| density[k] / ratio[k]).collect();
        }
        let masses = file.positive("mass").map_err(refused)?;
        let volumes = file.positive("volume").map_err(refused)?;
        let volume = match (volumes, masses, scene.objects[part.index].volume) {
            (_, _, Some(ParticleVolume::Each(volume))) => {
                if !(volume > 0.0 && volume.is_finite()) {
                    let range = "positive and finite";
                    return Err(scene.number_out_of_range(&format!("{key}.volume"), volume, range));
                }
                vec![volume; count]
            }
            (Some(volumes), ..) => volumes.to_vec(),
            (None, Some(masses), _) => (0..count).map(|k| masses[k] / now[k]).collect(),
            (None, None, _) => {
                let place = "its columns".to_owned();
                let message = "there is neither volume nor mass; name them with columns = { volume = \"…\" }, or give \
                               the object volume = … in m³, the same for all";
                return Err(refused((place, message.to_owned())));
            }
        };
        let mass = match masses {
            Some(masses) => masses.to_vec(),
            None => (0..count).map(|k| now[k] * volume[k]).collect(),
        };
        let (deformation, history) = match (states, given) {
            (Some(states), _) => (Some(states.deformation), states.history),
            (None, Some(given)) => (Some(given.deformation.clone()), given.history.clone()),
            (None, None) => (None, None),
        };
        Ok(Matter {
            mass,
            rest_volume: (0..count).map(|k| volume[k] / ratio[k]).collect(),
            deformation,
            history,
        })
    }

    /// Adds the velocities of a file, and takes from it what particles carry.
    fn take_columns(
        &self,
        (key, source): (&str, &ParticleFile),
        plan: &FilePlan<D>,
        (velocities, gradients): (&mut [[f64; D]], &mut [[[f64; D]; D]]),
        carried: Option<&mut Vec<f64>>,
    ) -> Result<(), SceneError> {
        let refused = |row| self.scene.refused_row(key, source, row);
        let file = FileParticles::<D>::new(&plan.table, source.state);
        if let Some(own) = file.velocities().map_err(refused)? {
            for (velocity, own) in velocities.iter_mut().zip(own) {
                for a in 0..D {
                    velocity[a] += own[a];
                }
            }
        }
        if let Some(own) = file.matrices("velocity_gradient").map_err(refused)? {
            for (gradient, own) in gradients.iter_mut().zip(own) {
                for i in 0..D {
                    for j in 0..D {
                        gradient[i][j] += own[i][j];
                    }
                }
            }
        }
        let Some(carried) = carried else {
            return Ok(());
        };
        let count = self.scene.carried.len();
        for (index, name) in self.scene.carried.keys().enumerate() {
            if let Some(column) = file.carried(name).map_err(refused)? {
                for (row, value) in column.iter().enumerate() {
                    carried[row * count + index] = *value;
                }
            }
        }
        Ok(())
    }

    /// The key that decides what the engine refuses of the particles of an object.
    fn key_of_refused(&self, object: usize, error: &BuildError) -> String {
        let material = &self.scene.objects[object].material;
        let shape = || format!("objects[{object}].{}", self.objects[object].matter.key());
        let (BuildError::NonFinite { quantity, .. } | BuildError::BadParticle { quantity, .. }) =
            error
        else {
            return shape();
        };
        match *quantity {
            SeedQuantity::Mass => format!("materials.{material}.density"),
            SeedQuantity::Parameters => format!("materials.{material}"),
            SeedQuantity::Velocity | SeedQuantity::VelocityGradient => {
                format!("objects[{object}].velocity")
            }
            SeedQuantity::Carried { index } => {
                self.carried.key(index).map_or_else(shape, str::to_owned)
            }
            SeedQuantity::Temperature => self
                .temperatures
                .key(object)
                .map_or_else(shape, str::to_owned),
            SeedQuantity::MeltingPoint => format!("heat.materials.{material}.melting_point"),
            _ => shape(),
        }
    }
}
