//! Objects of a scene before they are filled with particles.

use std::sync::Arc;

use rayon::prelude::*;
use thixo::grid::Geometry;
use thixo::{BuildError, LevelSet, Setup, Side};

use crate::checked::{CheckedScene, CheckedSetup};
use crate::error::{Problem, SceneError};
use crate::expression::Scratch;
use crate::initial_state::InitialFormulas;
use crate::initial_velocity::InitialVelocity;
use crate::object::{AngularVelocity, Object};
use crate::obstacle::Contact;
use crate::particle_file::{FileParticles, ParticleTable, ParticleVolume};
use crate::points::VariableColumns;
use crate::sampling::{MOST_PER_AXIS, NUDGE, Pattern, Sampling};
use crate::scene::Scene;
use crate::shape::{Bounds, Shape, SharedRegion};

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
    pub material: usize,
    pub velocity: InitialVelocity<D>,
    /// State at the start, where the object gives one.
    pub initial: Option<InitialFormulas>,
    pub matter: MatterSource<D>,
}

/// Source of the particles of an object.
#[derive(Debug)]
pub(crate) enum MatterSource<const D: usize> {
    /// They fill a shape.
    Shape(FillPlan<D>),
    /// They stand in a file.
    File(FilePlan<D>),
}

/// Particles of a file.
#[derive(Debug)]
pub(crate) struct FilePlan<const D: usize> {
    pub table: Arc<ParticleTable>,
    /// Their positions \[m\].
    pub positions: Vec<[f64; D]>,
}

impl<const D: usize> MatterSource<D> {
    /// About the number of particles; of other samplings than a lattice it is about the same.
    pub fn particle_bound(&self) -> f64 {
        match self {
            Self::Shape(plan) => Pattern::lattice(plan.pitch).bound(&plan.bounds),
            Self::File(plan) => plan.positions.len() as f64,
        }
    }
    /// The middle of the box around the matter \[m\].
    pub fn middle(&self) -> [f64; D] {
        match self {
            Self::Shape(plan) => plan.middle(),
            Self::File(plan) => core::array::from_fn(|a| {
                let values = plan.positions.iter().map(|x| x[a]);
                let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
                    (l.min(x), h.max(x))
                });
                0.5 * (low + high)
            }),
        }
    }
    /// The key of an object that says so.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Shape(_) => "shape",
            Self::File(_) => "particles.file",
        }
    }
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
        let matter = self.matter_source(key, object, setup)?;
        let velocity = InitialVelocity::new(key, velocity, spin, matter.middle());
        let initial = match &object.initial {
            Some(initial) => Some(self.initial_formulas::<D>(key, initial)?),
            None => None,
        };
        if let (Some(ParticleVolume::Each(volume)), MatterSource::Shape(_)) =
            (object.volume, &matter)
        {
            let range = "\"sampling\" or \"grid\" for a shape, whose volume is known";
            return Err(self.number_out_of_range(&format!("{key}.volume"), volume, range));
        }
        let share = object.share;
        let range = match &matter {
            _ if !(share > 0.0 && share <= 1.0) => Some("above 0 and at most 1"),
            MatterSource::File(_) if share != 1.0 => {
                Some("absent: particles of a file have masses")
            }
            _ => None,
        };
        if let Some(range) = range {
            return Err(self.number_out_of_range(&format!("{key}.share"), share, range));
        }
        Ok(CheckedObject {
            material,
            velocity,
            initial,
            matter,
        })
    }

    /// The shape or the file that an object is made of.
    fn matter_source<const D: usize>(
        &self,
        key: &str,
        object: &Object,
        setup: &Setup<D>,
    ) -> Result<MatterSource<D>, SceneError> {
        match (&object.shape, &object.particles) {
            (Some(shape), None) => {
                let plan = self.fill_plan(key, shape, object.sampling, setup)?;
                Ok(MatterSource::Shape(plan))
            }
            (None, Some(source)) => {
                if object.sampling.is_some() {
                    let range = "left out beside particles, which are there already";
                    return Err(self.out_of_range(&format!("{key}.sampling"), "given", range));
                }
                let table = self.particle_table(key, source)?;
                let particles = FileParticles::<D>::new(&table, source.state);
                let positions = particles.positions();
                let positions = positions.map_err(|row| self.refused_row(key, source, row))?;
                Ok(MatterSource::File(FilePlan { table, positions }))
            }
            (Some(_), Some(_)) => {
                let range = "left out beside shape: an object has one of them";
                Err(self.out_of_range(&format!("{key}.particles"), "given", range))
            }
            (None, None) => {
                let problem = Problem::MissingKey {
                    key: "shape".to_owned(),
                    table: format!("[{key}]"),
                };
                Err(self.source.error_at_key(key, problem))
            }
        }
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

    /// Refuses an object, by the key of its matter, that starts behind a wall or inside a collider,
    /// unless that is glued to it and grips what reaches into it. Points that sampling finds inside
    /// of a shape may be outside by as much as [`NUDGE`] pitches along every axis: a face that
    /// exactly touches an obstacle is allowed.
    pub fn check_buried(&self, key: &str, points: &[[f64; D]]) -> Result<(), SceneError> {
        let CheckedSetup { engine, solids, .. } = &self.setup;
        // Twice the diagonal of the longest pitch, for the rounding of positions and distances.
        let pitch = f64::from(MOST_PER_AXIS) * engine.spacing;
        let touching = 2.0 * NUDGE * pitch * (D as f64).sqrt();
        let refuse = |obstacle: String, count: usize| {
            let key = key.to_owned();
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
            if self.scene.colliders[index].contact == Contact::Glued {
                continue;
            }
            let is_behind = |x: &&[f64; D]| solid.surface(**x, 0.0).distance < -touching;
            refuse(
                format!("colliders[{index}]"),
                points.par_iter().filter(is_behind).count(),
            )?;
        }
        Ok(())
    }
}
