//! Filling the objects of a scene with particles.

use std::sync::Arc;

use thixo::grid::Geometry;
use thixo::{BuildError, Seed, Setup, Side, Simulation};

use crate::build::Precise;
use crate::error::{Problem, SceneError};
use crate::material::Material;
use crate::object::{Object, Rotation, Sampling};
use crate::sample::Lattice;
use crate::scene::{Kernel, Scene, Transfer};
use crate::shape::Region;

/// Particles handed to the engine at a time.
const CHUNK: usize = 1 << 14;

impl Scene {
    /// Region and lattice of an object.
    pub(crate) fn lattice<const D: usize>(
        &self,
        key: &str,
        object: &Object,
        setup: &Setup<D>,
    ) -> Result<(Arc<dyn Region<D>>, Lattice<D>), SceneError> {
        let region = self.region::<D>(&format!("{key}.shape"), &object.shape)?;
        let problem = |problem: Problem| {
            let at = match &problem {
                Problem::OutOfRange { key, .. } | Problem::Refused { key, .. } => key.clone(),
                _ => key.to_owned(),
            };
            self.source.error_at_key(&at, problem)
        };
        let sampling = object.sampling.unwrap_or(Sampling::default_in(D as u32));
        let per_axis = sampling.per_axis(key, D as u32).map_err(problem)?;
        let geometry = Geometry::new(setup.spacing, setup.kernel, setup.periods)
            .map_err(|error| self.refused("grid.spacing", error))?;
        let lattice = Lattice::new(
            key,
            region.clone(),
            setup.spacing,
            per_axis,
            geometry.reach(),
        );
        Ok((region, lattice.map_err(problem)?))
    }

    /// Adds the particles of an object; returns the identifier of the first.
    pub(crate) fn fill<T: Precise<D>, const D: usize>(
        &self,
        key: &str,
        object: &Object,
        setup: &Setup<D>,
        simulation: &mut Simulation<T, D>,
    ) -> Result<u32, SceneError> {
        let (region, lattice) = self.lattice(key, object, setup)?;
        let total = lattice.points().count();
        if total == 0 {
            let problem = Problem::NoParticle {
                key: format!("{key}.shape"),
                distance: lattice.distance(),
            };
            return Err(self.source.error_at_key(&format!("{key}.shape"), problem));
        }
        self.check_buried(key, &lattice, setup, total)?;
        let names = self.material_names();
        let index = names.iter().position(|name| *name == object.material);
        let index = index.unwrap_or(usize::MAX);
        let material = self.materials.get(&object.material);
        let density = material.map_or(f64::NAN, Material::density);
        let packing = material.map_or(f64::NAN, Material::initial_volume_ratio);
        // Where the volume is not known, every particle stands for the cell of the lattice around it.
        let share = match region.volume() {
            Some(volume) => volume / total as f64,
            None => lattice.distance().powi(D as i32),
        };
        let volume = share / packing;
        let velocity = self.vector_or_zero::<D>(&format!("{key}.velocity"), &object.velocity)?;
        let spin = self.spin::<D>(key, object)?;
        let middle = region.bounds().map_or([0.0; D], |bounds| {
            std::array::from_fn(|a| 0.5 * (bounds.min[a] + bounds.max[a]))
        });
        let seed = |x: [f64; D]| {
            let mut seed = Seed::new(x, velocity, density * volume, volume);
            for i in 0..D {
                for j in 0..D {
                    seed.velocity[i] += spin[i][j] * (x[j] - middle[j]);
                }
            }
            if self.keeps_affine_motion() {
                seed.velocity_gradient = spin;
            }
            seed
        };
        let first = simulation.len() as u32;
        let mut points = lattice.points();
        loop {
            let seeds: Vec<_> = points.by_ref().take(CHUNK).map(seed).collect();
            if seeds.is_empty() {
                return Ok(first);
            }
            simulation.add(index, &seeds).map_err(|error| {
                let at = match &error {
                    BuildError::BadParticle { quantity, .. } if quantity.starts_with("mass") => {
                        format!("materials.{}.density", object.material)
                    }
                    BuildError::NonFinite { quantity, .. } if quantity.starts_with("velocity") => {
                        format!("{key}.velocity")
                    }
                    _ => format!("{key}.shape"),
                };
                self.refused(&at, error)
            })?;
        }
    }

    /// Whether particles carry an affine velocity, so that a rotation is theirs from the start.
    fn keeps_affine_motion(&self) -> bool {
        let is_affine = !matches!(
            self.physics.transfer,
            Transfer::Pic | Transfer::Flip | Transfer::FlipPic { .. }
        );
        is_affine && self.physics.kernel != Kernel::Linear
    }

    /// Refuses an object that starts behind a wall or inside a collider.
    fn check_buried<const D: usize>(
        &self,
        key: &str,
        lattice: &Lattice<D>,
        setup: &Setup<D>,
        total: usize,
    ) -> Result<(), SceneError> {
        let refuse = |obstacle: String, count: usize| {
            let key = format!("{key}.shape");
            let problem = Problem::Buried {
                key: key.clone(),
                obstacle,
                count,
                total,
            };
            match count {
                0 => Ok(()),
                _ => Err(self.source.error_at_key(&key, problem)),
            }
        };
        for (index, wall) in setup.walls.iter().enumerate() {
            let is_behind = |x: &[f64; D]| match wall.matter {
                Side::Above => x[wall.axis] < wall.position,
                Side::Below => x[wall.axis] > wall.position,
            };
            refuse(
                format!("walls[{index}]"),
                lattice.points().filter(is_behind).count(),
            )?;
        }
        for index in 0..self.colliders.len() {
            let solid = self.solid::<D>(index)?;
            let is_behind = |x: &[f64; D]| thixo::LevelSet::surface(&solid, *x, 0.0).distance < 0.0;
            refuse(
                format!("colliders[{index}]"),
                lattice.points().filter(is_behind).count(),
            )?;
        }
        Ok(())
    }

    /// The velocity gradient of an object's rotation \[1/s\].
    pub(crate) fn spin<const D: usize>(
        &self,
        key: &str,
        object: &Object,
    ) -> Result<[[f64; D]; D], SceneError> {
        let key = format!("{key}.angular_velocity");
        let about = self.turn::<D>(&key, object.angular_velocity.as_ref())?;
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
    pub(crate) fn turn<const D: usize>(
        &self,
        key: &str,
        rotation: Option<&Rotation>,
    ) -> Result<[f64; 3], SceneError> {
        let about = match (rotation, D) {
            (None, _) => [0.0; 3],
            (Some(Rotation::Plane(rate)), 2) => [0.0, 0.0, *rate],
            (Some(Rotation::Space(rates)), 3) => self.vector::<3>(key, rates)?,
            (Some(Rotation::Plane(rate)), _) => {
                let range = "a list of 3 numbers in dimension 3";
                return Err(self.number_out_of_range(key, *rate, range));
            }
            (Some(Rotation::Space(rates)), _) => {
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
