//! Everything about a simulation but its state.

use thixo_par::{Isa, Scalar};

use super::Integrator;
use crate::collide::{Collider, Wall};
use crate::error::{BuildError, IsaError};
use crate::force::{BodyForce, Damping, LoadedSurface};
use crate::grid::{BlockOrder, Geometry, Lattice};
use crate::heat::Heat;
use crate::kernel::KernelKind;
use crate::lagrangian::Mesh;
use crate::material::{Material, law_columns};
use crate::particles::{Carried, Schema};
use crate::porous::{CheckedMixture, Mixture};
use crate::step_context::StepContext;
use crate::timestep::TimeStep;
use crate::transfer::{Transfer, TransferContext, fused};

/// The implementation of the explicit step: staged or fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Path {
    /// One pass over the particles per step, where transfer and kernel allow it.
    #[default]
    Fused,
    /// Stage by stage: the specification, and the fall-back after a rejected step.
    Staged,
}

/// Everything about a simulation but its matter. Set the fields, by themselves or with the methods
/// `with_…`, then give it to [`Simulation::new`](crate::Simulation::new).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup<const D: usize> {
    /// Grid spacing h > 0 \[m\].
    pub spacing: f64,
    /// Kernel between particles and grid.
    pub kernel: KernelKind,
    /// Exchange of velocity between particles and grid.
    pub transfer: Transfer,
    /// Cells after which an axis repeats, a multiple of 4; none for an open axis. A periodic axis
    /// starts at 0.
    pub periods: [Option<u32>; D],
    /// Gravity, or an acceleration field \[m/s²\].
    pub body_force: BodyForce<D>,
    /// Pressures and tractions on surfaces.
    pub loads: Vec<LoadedSurface<D>>,
    /// Walls on node lines.
    pub walls: Vec<Wall<D>>,
    /// Obstacles by level sets.
    pub colliders: Vec<Collider<D>>,
    /// Phases with a velocity each; none for matter that shares one.
    pub mixture: Option<Mixture<D>>,
    /// Scalars that particles carry along, such as a dye; see [`Carried`].
    pub carried: Vec<Carried>,
    /// Conduction of heat, melting and freezing; none where temperatures do not matter.
    pub heat: Option<Heat<D>>,
    /// Time integration of the velocities.
    pub integrator: Integrator,
    /// Limits of the length of steps.
    pub time_step: TimeStep,
    /// Damping that brings matter to rest, in explicit steps.
    pub damping: Damping,
    /// Implementation of the explicit step.
    pub path: Path,
    /// Threads; 0 asks for one per processor. Results do not depend on it.
    pub threads: usize,
    /// Instruction set; none takes what `THIXO_ISA` says, or the fastest there is.
    pub isa: Option<Isa>,
}

impl<const D: usize> Setup<D> {
    /// Defaults on a grid of the given spacing \[m\]: MLS on quadratic splines, no gravity, no
    /// obstacles, automatic time step.
    pub fn new(spacing: f64) -> Self {
        Self {
            spacing,
            kernel: KernelKind::default(),
            transfer: Transfer::default(),
            periods: [None; D],
            body_force: BodyForce::default(),
            loads: Vec::new(),
            walls: Vec::new(),
            colliders: Vec::new(),
            mixture: None,
            carried: Vec::new(),
            heat: None,
            integrator: Integrator::default(),
            time_step: TimeStep::default(),
            damping: Damping::default(),
            path: Path::default(),
            threads: 0,
            isa: None,
        }
    }
    /// The instruction set that a simulation will use.
    pub fn instruction_set(&self) -> Result<Isa, IsaError> {
        match self.isa {
            Some(isa) => Ok(isa),
            None => Isa::from_environment().map_err(|e| IsaError(e.to_string())),
        }
    }
}

builder! {
    impl Setup<D> {
        with_kernel(kernel: KernelKind);
        with_transfer(transfer: Transfer);
        with_periods(periods: [Option<u32>; D]);
        with_body_force(body_force: BodyForce<D>);
        with_loads(loads: Vec<LoadedSurface<D>>);
        with_walls(walls: Vec<Wall<D>>);
        with_colliders(colliders: Vec<Collider<D>>);
        with_mixture(mixture: Option<Mixture<D>>);
        with_carried(carried: Vec<Carried>);
        with_heat(heat: Option<Heat<D>>);
        with_integrator(integrator: Integrator);
        with_time_step(time_step: TimeStep);
        with_damping(damping: Damping);
        with_path(path: Path);
        with_threads(threads: usize);
        with_isa(isa: Option<Isa>);
    }
}

/// Materials whose pressure is left to a projection; refuses those that have none apart.
fn deviatoric_parts<T: Scalar, const D: usize>(
    materials: Vec<Box<dyn Material<T, D>>>,
) -> Result<Vec<Box<dyn Material<T, D>>>, BuildError> {
    let part = |material: Box<dyn Material<T, D>>| {
        let name = material.name();
        let part = material.deviatoric();
        part.ok_or(BuildError::NoSplit { material: name })
    };
    materials.into_iter().map(part).collect()
}

/// More threads than this are a mistake.
const MOST_THREADS: usize = 4096;

/// A [`Setup`] that has been checked, without the loads, which are part of the state; and the
/// materials.
#[derive(Debug)]
pub(crate) struct CheckedSetup<T: Scalar, const D: usize> {
    pub geometry: Geometry<D>,
    pub transfer: Transfer,
    pub body_force: BodyForce<D>,
    pub walls: Vec<Wall<D>>,
    pub colliders: Vec<Collider<D>>,
    pub integrator: Integrator,
    pub time_step: TimeStep,
    pub damping: Damping,
    pub path: Path,
    pub materials: Vec<Box<dyn Material<T, D>>>,
    pub mixture: Option<CheckedMixture<D>>,
    pub carried: Vec<Carried>,
    pub heat: Option<Heat<D>>,
    /// Meshes whose vertices have been added.
    pub meshes: Vec<Mesh<D>>,
    pub isa: Isa,
}

impl<T: Scalar, const D: usize> CheckedSetup<T, D> {
    /// Checks a setup; returns the loads beside it.
    pub fn new(
        setup: Setup<D>,
        materials: Vec<Box<dyn Material<T, D>>>,
    ) -> Result<(Self, Vec<LoadedSurface<D>>), BuildError> {
        let geometry = Geometry::new(setup.spacing, setup.kernel, setup.periods)?;
        setup.transfer.check(setup.kernel)?;
        setup.time_step.check()?;
        setup.damping.check()?;
        if setup.damping.exists() && !setup.integrator.is_explicit() {
            return Err(BuildError::DampingNeedsExplicit {
                integrator: setup.integrator.name(),
            });
        }
        setup.integrator.check()?;
        setup.integrator.check_kernel(setup.kernel)?;
        setup.integrator.check_periods(&geometry)?;
        let (geometry, materials) = match setup.integrator.projection() {
            Some(_) => (
                geometry.covering(&Lattice::cell_centres(setup.spacing)),
                deviatoric_parts(materials)?,
            ),
            None => (geometry, materials),
        };
        let geometry = match &setup.heat {
            Some(heat) => {
                heat.check(materials.len())?;
                for (thermal, law) in heat.materials.iter().zip(&materials) {
                    thermal.check_law(law.as_ref())?;
                }
                geometry.covering(&Lattice::cell_centres(setup.spacing))
            }
            None => geometry,
        };
        if let Some(material) = materials.iter().find(|m| m.is_incompressible())
            && setup.integrator.projection().is_none()
        {
            return Err(BuildError::Incompressible {
                material: material.name(),
                integrator: setup.integrator.name(),
            });
        }
        if !setup.integrator.is_explicit()
            && setup.integrator.projection().is_none()
            && let Some(material) = materials.iter().find(|m| !m.has_potential())
        {
            return Err(BuildError::NoPotential {
                material: material.name(),
                integrator: setup.integrator.name(),
            });
        }
        for wall in &setup.walls {
            wall.check(setup.spacing)?;
            if setup.periods[wall.axis].is_some() {
                return Err(BuildError::WallOnPeriodicAxis { axis: wall.axis });
            }
            check_finite::<T>("velocity", "velocity of the wall [m/s]", &wall.velocity)?;
        }
        if setup.integrator.projection().is_some()
            && let Some(index) = setup
                .colliders
                .iter()
                .position(Collider::distinguishes_materials)
        {
            return Err(BuildError::ContactByMaterial { index });
        }
        for index in setup.colliders.iter().filter_map(Collider::last_material) {
            if index >= materials.len() {
                let count = materials.len();
                return Err(BuildError::NoSuchMaterial { index, count });
            }
        }
        if let BodyForce::Uniform(g) = setup.body_force {
            check_finite::<T>("gravity", "gravity [m/s²]", &g)?;
        }
        if setup.threads > MOST_THREADS {
            return Err(BuildError::OutOfRange {
                key: "threads",
                quantity: "number of threads",
                value: setup.threads as f64,
                range: "at most 4096 (0 asks for one per processor)",
            });
        }
        let isa = setup.instruction_set()?;
        let mixture = match setup.mixture {
            Some(_) if !setup.integrator.is_explicit() => {
                return Err(BuildError::MixtureNeedsExplicit {
                    integrator: setup.integrator.name(),
                });
            }
            Some(mixture) => Some(CheckedMixture::new(
                mixture,
                &materials,
                (&setup.walls, &setup.carried),
            )?),
            None => None,
        };
        let checked = Self {
            geometry,
            transfer: setup.transfer,
            body_force: setup.body_force,
            walls: setup.walls,
            colliders: setup.colliders,
            integrator: setup.integrator,
            time_step: setup.time_step,
            damping: setup.damping,
            path: setup.path,
            materials,
            mixture,
            carried: setup.carried,
            heat: setup.heat,
            meshes: Vec::new(),
            isa,
        };
        Ok((checked, setup.loads))
    }
    /// Largest displacement of particles in a step besides their motion, along an axis \[cells\].
    pub fn shift(&self) -> f64 {
        match self.integrator.projection() {
            Some(options) => options.farthest_shift(),
            None => 0.0,
        }
    }
    /// The columns of the particles of each material.
    pub fn schemas(&self) -> impl Iterator<Item = Schema<D>> {
        let laws = self.materials.iter();
        laws.map(|law| {
            let schema = Schema::new(law_columns(law.as_ref()), &self.carried);
            match self.heat {
                Some(_) => schema.with_heat(),
                None => schema,
            }
        })
    }
    /// The context of transfers in a step of `dt` seconds.
    pub fn context<'a>(
        &'a self,
        order: &'a BlockOrder<D>,
        time: f64,
        dt: f64,
    ) -> TransferContext<'a, T, D> {
        TransferContext {
            step: StepContext {
                order,
                geometry: &self.geometry,
                isa: self.isa,
                time,
                dt,
            },
            transfer: self.transfer,
            advection: self.integrator.advection(),
            materials: &self.materials,
            colliders: &self.colliders,
        }
    }
    /// The implementation that serves the setup; phases need the staged one.
    pub fn path(&self) -> Path {
        let is_served = self.integrator.is_explicit() && self.mixture.is_none();
        if is_served && fused::serves(self.transfer, &self.geometry) {
            self.path
        } else {
            Path::Staged
        }
    }
    /// The implementation that serves the steps between two times \[s\]: local damping needs the
    /// forces of the staged path.
    pub fn path_between(&self, from: f64, to: f64) -> Path {
        match self.damping.acts_within(from, to) {
            true => Path::Staged,
            false => self.path(),
        }
    }
    /// The strongest acceleration \[m/s²\] by body forces at the blocks that hold matter.
    pub fn body_acceleration(&self, order: &BlockOrder<D>, time: f64) -> f64 {
        let blocks = &order.blocks;
        let corner = |b| self.geometry.node_position(blocks.coordinate(b), 0);
        let corners = (0..blocks.len()).map(corner);
        self.body_force.strongest(corners, time)
    }
}

/// Refuses numbers that are not finite in precision `T`.
fn check_finite<T: Scalar>(
    key: &'static str,
    quantity: &'static str,
    values: &[f64],
) -> Result<(), BuildError> {
    match values.iter().find(|x| !T::from_f64(**x).is_finite()) {
        Some(&value) => Err(BuildError::OutOfRange {
            key,
            quantity,
            value,
            range: "finite in the precision of the simulation",
        }),
        None => Ok(()),
    }
}
