//! Filling the objects of a scene with particles.

use rayon::prelude::*;
use thixo::grid::Geometry;
use thixo::transfer::AffineColumn;
use thixo::{BuildError, Insertion, LevelSet, Seed, SeedQuantity, Setup, Side, Simulation};

use crate::build::Precise;
use crate::checked::{CheckedScene, CheckedSetup};
use crate::error::{Problem, SceneError};
use crate::expression::Scratch;
use crate::initial_velocity::InitialVelocity;
use crate::object::{AngularVelocity, Object};
use crate::points::VariableColumns;
use crate::sampling::{NUDGE, Pattern, Sampling, volume};
use crate::scene::Scene;
use crate::shape::{Bounds, Shape, SharedRegion};

/// Particles handed to the engine at a time.
const CHUNK: usize = 1 << 14;
/// The most particles of one scene.
pub(crate) const MOST_PARTICLES: f64 = 1e8;

/// A region that is to be filled.
#[derive(Debug)]
pub(crate) struct FillPlan<const D: usize> {
    pub region: SharedRegion<D>,
    pub bounds: Bounds<D>,
    pub sampling: Sampling,
    /// Edge of the cube that a particle stands for \[m\].
    pub pitch: f64,
}

impl<const D: usize> FillPlan<D> {
    /// The middle of the shape's box \[m\].
    pub fn middle(&self) -> [f64; D] {
        let Bounds { min, max } = self.bounds;
        core::array::from_fn(|a| 0.5 * (min[a] + max[a]))
    }
}

/// An object before it is filled with particles.
#[derive(Debug)]
pub(crate) struct CheckedObject<const D: usize> {
    /// Index of its material.
    material: usize,
    velocity: InitialVelocity<D>,
    pub plan: FillPlan<D>,
}

impl Scene {
    /// Region and sampling of an object or emitter.
    pub(crate) fn fill_plan<const D: usize>(
        &self,
        key: &str,
        shape: &Shape,
        sampling: Option<Sampling>,
        setup: &Setup<D>,
    ) -> Result<FillPlan<D>, SceneError> {
        let shape_key = format!("{key}.shape");
        let region = self.region::<D>(&shape_key, shape)?;
        let Some(bounds) = region.bounds() else {
            let range = "a shape with an end: intersect it with a box";
            return Err(self.out_of_range(&shape_key, "without end", range));
        };
        let sampling = sampling.unwrap_or(Sampling::default_in(D as u32));
        let pitch = self.pitch::<D>(key, &sampling)?;
        let geometry = Geometry::new(setup.spacing, setup.kernel, setup.periods)
            .map_err(|error| self.refused("grid.spacing", error))?;
        let reach = geometry.reach();
        // Not a number is too far as well.
        let is_far = |corner: &[f64; D]| !corner.iter().all(|x| x.abs() < reach);
        if let Some(position) = [bounds.max, bounds.min].into_iter().find(is_far) {
            let cause = BuildError::TooFar {
                index: 0,
                position: position.to_vec(),
                reach,
            };
            return Err(self.refused(&shape_key, cause));
        }
        let count = Pattern::lattice(pitch).bound(&bounds);
        if count > MOST_PARTICLES {
            let value = format!("a region of {count:.3e} particles");
            let range = format!("at most {MOST_PARTICLES:e} particles; use a larger grid spacing");
            return Err(self.out_of_range(&shape_key, value, range));
        }
        Ok(FillPlan {
            region,
            bounds,
            sampling,
            pitch,
        })
    }

    /// Checks what can be checked of an object without sampling it.
    pub(crate) fn checked_object<const D: usize>(
        &self,
        key: &str,
        object: &Object,
        setup: &Setup<D>,
    ) -> Result<CheckedObject<D>, SceneError> {
        let material = self.material_index(key, &object.material)?;
        let velocity = self.initial_velocity(key, object)?;
        let spin = self.spin(key, object)?;
        let plan = self.fill_plan(key, &object.shape, object.sampling, setup)?;
        let velocity = InitialVelocity::new(key, velocity, spin, plan.middle());
        Ok(CheckedObject {
            material,
            velocity,
            plan,
        })
    }

    /// A shape between whose walls no particle fits.
    pub(crate) fn no_particle(&self, key: &str, distance: f64) -> SceneError {
        let key = format!("{key}.shape");
        let problem = Problem::NoParticle {
            key: key.clone(),
            distance,
        };
        self.source.error_at_key(&key, problem)
    }

    /// The velocity gradient of an object's rotation \[1/s\].
    pub(crate) fn spin<const D: usize>(
        &self,
        key: &str,
        object: &Object,
    ) -> Result<[[f64; D]; D], SceneError> {
        let key = format!("{key}.angular_velocity");
        let about = self.angular_velocity::<D>(&key, object.angular_velocity.as_ref())?;
        let mut spin = [[0.0; D]; D];
        // ω × r: row i of the gradient is ε_ikj ω_k.
        for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            if i < D && j < D {
                spin[i][j] = -about[k];
                spin[j][i] = about[k];
            }
        }
        Ok(spin)
    }

    /// An angular velocity in space \[rad/s\].
    pub(crate) fn angular_velocity<const D: usize>(
        &self,
        key: &str,
        rotation: Option<&AngularVelocity>,
    ) -> Result<[f64; 3], SceneError> {
        let about = match (rotation, D) {
            (None, _) => [0.0; 3],
            (Some(AngularVelocity::Plane(rate)), 2) => [0.0, 0.0, *rate],
            (Some(AngularVelocity::Space(rates)), 3) => self.vector::<3>(key, rates)?,
            (Some(AngularVelocity::Plane(rate)), _) => {
                let range = "a list of 3 numbers in dimension 3";
                return Err(self.number_out_of_range(key, *rate, range));
            }
            (Some(AngularVelocity::Space(rates)), _) => {
                let value = format!("{rates:?}");
                return Err(self.out_of_range(key, value, "one number in dimension 2"));
            }
        };
        match about.iter().find(|rate| !rate.is_finite()) {
            None => Ok(about),
            Some(rate) => Err(self.number_out_of_range(key, *rate, "finite")),
        }
    }
}

impl<const D: usize> CheckedScene<'_, D> {
    /// Adds the particles of an object; returns their number and, where all have the same, the mass
    /// of each \[kg\].
    pub fn fill<T: Precise<D>>(
        &self,
        index: usize,
        simulation: &mut Simulation<T, D>,
    ) -> Result<(u32, Option<f64>), SceneError> {
        let (scene, setup) = (self.scene, &self.setup.engine);
        let key = format!("objects[{index}]");
        let CheckedObject {
            material,
            velocity: motion,
            plan,
        } = &self.objects[index];
        let region = plan.region.as_ref();
        let pattern = plan.sampling.pattern(plan.pitch, &plan.bounds);
        let points = pattern.fill(region, &plan.bounds);
        if points.is_empty() {
            return Err(scene.no_particle(&key, plan.pitch));
        }
        self.check_buried(&key, &points, plan.pitch)?;
        let own = &self.materials[*material];
        let volume = volume(region, &plan.bounds) / points.len() as f64;
        let mut mass = None;
        let geometry = Geometry::new(setup.spacing, setup.kernel, setup.periods)
            .map_err(|error| scene.refused("grid.spacing", error))?;
        let affine = setup.transfer.affine_column(&geometry);
        let mut scratch = Scratch::default();
        for chunk in points.chunks(CHUNK) {
            self.check_gravity(chunk, &mut scratch)?;
            let velocities = motion.velocities(scene, chunk, &mut scratch)?;
            let properties = scene.particle_properties(own, chunk, plan.middle(), &mut scratch)?;
            let seed = |(k, (x, v)): (usize, (&[f64; D], &[f64; D]))| {
                let volume = volume / properties.volume_ratio[k];
                Seed::new(*x, *v, properties.density[k] * volume, volume)
            };
            let places = chunk.iter().zip(&velocities).enumerate();
            let mut seeds: Vec<_> = places.map(seed).collect();
            mass = seeds.first().map(|seed| seed.mass);
            if affine != AffineColumn::Nothing {
                let gradients = motion.gradients(scene, chunk, &mut scratch)?;
                for (seed, gradient) in seeds.iter_mut().zip(gradients) {
                    seed.velocity_gradient = gradient;
                }
            }
            let carried = scene.carried_at(&self.carried, chunk, 0.0, &mut scratch)?;
            let insertion = Insertion::new(*material, &seeds)
                .with_parameters(properties.parameters.as_deref())
                .carrying(carried.as_deref());
            let outcome = simulation.insert(insertion);
            outcome.map_err(|error| scene.refused(&self.key_of_refused(index, &error), error))?;
        }
        Ok((points.len() as u32, mass.filter(|_| !own.mass_varies())))
    }

    /// The key that decides what the engine refuses of the particles of an object.
    fn key_of_refused(&self, object: usize, error: &BuildError) -> String {
        let material = &self.scene.objects[object].material;
        let shape = || format!("objects[{object}].shape");
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
            _ => shape(),
        }
    }

    /// Refuses gravity that is not finite where matter starts.
    pub fn check_gravity(
        &self,
        points: &[[f64; D]],
        scratch: &mut Scratch,
    ) -> Result<(), SceneError> {
        let gravity = &self.setup.gravity;
        if gravity.constant().is_some() {
            return Ok(());
        }
        let columns = VariableColumns::with_time(points, 0.0);
        for (axis, component) in gravity.components().iter().enumerate() {
            let key = format!("physics.gravity[{axis}]");
            self.scene
                .finite_values(&key, component, &columns, scratch)?;
        }
        Ok(())
    }

    /// Refuses an object that starts behind a wall or inside a collider. Points of a pattern with a
    /// pitch \[m\] that are inside of a shape may be outside by as much as [`NUDGE`] along every
    /// axis: a face that exactly touches an obstacle is allowed.
    pub fn check_buried(
        &self,
        key: &str,
        points: &[[f64; D]],
        pitch: f64,
    ) -> Result<(), SceneError> {
        let CheckedSetup { engine, solids, .. } = &self.setup;
        // Twice the diagonal, for the rounding of positions and distances.
        let touching = 2.0 * NUDGE * pitch * (D as f64).sqrt();
        let refuse = |obstacle: String, count: usize| {
            let key = format!("{key}.shape");
            let problem = Problem::Buried {
                key: key.clone(),
                obstacle,
                count,
                total: points.len(),
            };
            match count {
                0 => Ok(()),
                _ => Err(self.scene.source.error_at_key(&key, problem)),
            }
        };
        for (index, wall) in engine.walls.iter().enumerate() {
            let is_behind = |x: &&[f64; D]| match wall.matter {
                Side::Above => x[wall.axis] < wall.position - touching,
                Side::Below => x[wall.axis] > wall.position + touching,
            };
            refuse(
                format!("walls[{index}]"),
                points.par_iter().filter(is_behind).count(),
            )?;
        }
        for (index, solid) in solids.iter().enumerate() {
            let is_behind = |x: &&[f64; D]| solid.surface(**x, 0.0).distance < -touching;
            refuse(
                format!("colliders[{index}]"),
                points.par_iter().filter(is_behind).count(),
            )?;
        }
        Ok(())
    }
}
