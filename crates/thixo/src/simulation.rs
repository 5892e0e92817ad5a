//! A simulation: particles, materials, grid and obstacles, and what moves them on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thixo_math::Matrix;
use thixo_par::{Isa, Pool, Scalar};

use crate::audit::{self, Audit};
use crate::collide::{Collider, Wall};
use crate::error::{BuildError, IsaError, StepError};
use crate::force::{BodyForce, LoadedSurface};
use crate::grid::{Geometry, Grid};
use crate::integrate::timestep::{StepControl, TimeStep};
use crate::integrate::{self, Forecast, FrameReport, Integrator};
use crate::kernel::KernelKind;
use crate::material::{Limits, Material, Memory};
use crate::particles::{Order, Particle, Particles, SORT_BYTES_PER_SLOT, Seed, wrap_positions};
use crate::transfer::{Transfer, fused, volume};
use crate::warning::Warning;

/// Which of the two implementations of the step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Path {
    /// One pass over the particles per step, where transfer and kernel allow it.
    #[default]
    Fused,
    /// Stage by stage: the specification, and the fall-back after a rejected step.
    Staged,
}

/// Everything about a simulation but its matter. Set the fields, then give it to [`Simulation::new`].
#[derive(Clone, Debug)]
pub struct Setup<const D: usize> {
    /// Grid spacing h > 0 \[m\].
    pub spacing: f64,
    /// Kernel between particles and grid.
    pub kernel: KernelKind,
    /// Exchange of velocity between particles and grid.
    pub transfer: Transfer,
    /// Cells after which an axis repeats, a multiple of 4; none for an open axis. A periodic axis starts at 0.
    pub periods: [Option<u32>; D],
    /// Gravity, or an acceleration field \[m/s²\].
    pub body_force: BodyForce<D>,
    /// Pressures and tractions on surfaces.
    pub loads: Vec<LoadedSurface<D>>,
    /// Walls on node lines.
    pub walls: Vec<Wall<D>>,
    /// Obstacles by level sets.
    pub colliders: Vec<Collider<D>>,
    /// How velocities at the end of a step are found.
    pub integrator: Integrator,
    /// How long steps may be.
    pub time_step: TimeStep,
    /// Which implementation of the step.
    pub path: Path,
    /// Threads; 0 asks for one per processor. Results do not depend on it.
    pub threads: usize,
    /// Instruction set; none takes what `THIXO_ISA` says, or the fastest there is.
    pub isa: Option<Isa>,
}

impl<const D: usize> Setup<D> {
    /// Defaults on a grid of the given spacing \[m\]: MLS on quadratic splines, no gravity, no obstacles, automatic time step.
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
            integrator: Integrator::default(),
            time_step: TimeStep::default(),
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

/// A [`Setup`] that has been checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked<const D: usize> {
    pub geometry: Geometry<D>,
    pub transfer: Transfer,
    pub body_force: BodyForce<D>,
    pub walls: Vec<Wall<D>>,
    pub colliders: Vec<Collider<D>>,
    pub integrator: Integrator,
    pub time_step: TimeStep,
    pub path: Path,
}

/// What the choice of the next time step remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace<T> {
    pub limits: Limits<T>,
    /// Largest speed of a particle \[m/s\].
    pub speed: f64,
    /// Largest speed at which an obstacle comes towards matter \[m/s\].
    pub approach: f64,
    /// Cells that particles may have moved since they were sorted.
    pub drift: f64,
    pub control: StepControl,
    /// Particles were added or removed since limits were known.
    pub is_fresh: bool,
}

/// Matter in motion, in precision `T` (`f32` or `f64`) and `D` = 2 or 3 dimensions.
#[derive(Debug)]
pub struct Simulation<T: Scalar, const D: usize> {
    pub(crate) particles: Particles<T, D>,
    pub(crate) materials: Vec<Box<dyn Material<T, D>>>,
    pub(crate) setup: Checked<D>,
    pub(crate) loads: Vec<LoadedSurface<D>>,
    pub(crate) order: Order<D>,
    pub(crate) grid: Grid<T, D>,
    pub(crate) pace: Pace<T>,
    pub(crate) isa: Isa,
    pub(crate) time: f64,
    /// Why steps of a fixed length failed half-way, if they did.
    pub(crate) wreck: Option<StepError>,
    /// Where somebody may ask for an early end.
    stop: Arc<AtomicBool>,
    pool: Pool,
}

/// A precision and dimension for which this crate holds compiled code: `f32` and `f64`, 2 and 3.
pub trait Instance<const D: usize>: Scalar {
    #[doc(hidden)]
    fn advance(sim: &mut Simulation<Self, D>, duration: f64) -> Result<FrameReport, StepError>;
    #[doc(hidden)]
    fn run_steps(
        sim: &mut Simulation<Self, D>,
        dt: f64,
        count: u64,
    ) -> Result<FrameReport, StepError>;
    #[doc(hidden)]
    fn estimate_rest_volumes(sim: &mut Simulation<Self, D>) -> Result<(), StepError>;
    #[doc(hidden)]
    fn forecast(sim: &mut Simulation<Self, D>) -> Result<Forecast, StepError>;
    #[doc(hidden)]
    fn audit(sim: &Simulation<Self, D>) -> Audit<D>;
}

macro_rules! instances {
    ($($t:ident $d:literal),*) => {$(
        impl Instance<$d> for $t {
            fn advance(sim: &mut Simulation<$t, $d>, duration: f64) -> Result<FrameReport, StepError> {
                integrate::advance(sim, duration)
            }
            fn run_steps(sim: &mut Simulation<$t, $d>, dt: f64, count: u64) -> Result<FrameReport, StepError> {
                integrate::run_steps(sim, dt, count)
            }
            fn estimate_rest_volumes(sim: &mut Simulation<$t, $d>) -> Result<(), StepError> {
                integrate::prepare(sim)?;
                volume::estimate_rest_volumes(sim);
                // The limits of the time step depend on the volumes.
                sim.pace.is_fresh = true;
                Ok(())
            }
            fn forecast(sim: &mut Simulation<$t, $d>) -> Result<Forecast, StepError> {
                integrate::forecast(sim)
            }
            fn audit(sim: &Simulation<$t, $d>) -> Audit<$d> {
                audit::audit(sim)
            }
        }
    )*};
}

instances!(f32 2, f32 3, f64 2, f64 3);

impl<T: Instance<D>, const D: usize> Simulation<T, D> {
    /// Checks the setup and makes an empty simulation with the given materials.
    pub fn new(
        setup: Setup<D>,
        materials: Vec<Box<dyn Material<T, D>>>,
    ) -> Result<Self, BuildError> {
        let geometry = Geometry::new(setup.spacing, setup.kernel, setup.periods)?;
        setup.transfer.check(setup.kernel)?;
        setup.time_step.check()?;
        setup.integrator.check()?;
        setup.integrator.check_periods(&geometry)?;
        if !setup.integrator.is_explicit()
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
            check_finite::<T>("velocity of the wall [m/s]", &wall.velocity)?;
        }
        for index in setup.colliders.iter().filter_map(Collider::last_material) {
            if index >= materials.len() {
                let count = materials.len();
                return Err(BuildError::NoSuchMaterial { index, count });
            }
        }
        if let BodyForce::Uniform(g) = setup.body_force {
            check_finite::<T>("gravity [m/s²]", &g)?;
        }
        if setup.threads > MOST_THREADS {
            return Err(BuildError::OutOfRange {
                quantity: "number of threads",
                value: setup.threads as f64,
                range: "at most 4096 (0 asks for one per processor)",
            });
        }
        let isa = setup.instruction_set()?;
        let pool = Pool::new(setup.threads).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self {
            particles: Particles::new(&materials),
            materials,
            setup: Checked {
                geometry,
                transfer: setup.transfer,
                body_force: setup.body_force,
                walls: setup.walls,
                colliders: setup.colliders,
                integrator: setup.integrator,
                time_step: setup.time_step,
                path: setup.path,
            },
            loads: setup.loads,
            order: Order::default(),
            grid: Grid::new(),
            pace: Pace::default(),
            isa,
            time: 0.0,
            wreck: None,
            stop: Arc::default(),
            pool,
        })
    }

    /// Adds particles of a material, by index, and returns the identifier of the first; the others follow. On error none is added.
    pub fn add(&mut self, material: usize, seeds: &[Seed<D>]) -> Result<u32, BuildError> {
        self.add_particles(material, seeds, None)
    }

    /// Adds particles with parameters of their own to a material made of [`PerParticle`](crate::material::PerParticle): `parameters` holds,
    /// seed after seed, the numbers of [`Constitutive::parameters`](crate::material::Constitutive::parameters). On error none is added.
    pub fn add_with_parameters(
        &mut self,
        material: usize,
        seeds: &[Seed<D>],
        parameters: &[f64],
    ) -> Result<u32, BuildError> {
        self.add_particles(material, seeds, Some(parameters))
    }

    fn add_particles(
        &mut self,
        material: usize,
        seeds: &[Seed<D>],
        parameters: Option<&[f64]>,
    ) -> Result<u32, BuildError> {
        let Some(law) = self.materials.get(material) else {
            return Err(BuildError::NoSuchMaterial {
                index: material,
                count: self.materials.len(),
            });
        };
        let own = law.own_parameters().len();
        if let Some(parameters) = parameters {
            check_parameters::<T>(parameters, seeds.len(), own)?;
        }
        let first = self.particles.next_id();
        let limit = u32::MAX as usize - 1;
        let asked = first as usize + seeds.len();
        if asked > limit {
            return Err(BuildError::TooManyParticles { asked, limit });
        }
        let reach = self.setup.geometry.reach();
        let mut state = Vec::with_capacity(seeds.len() * law.state_columns());
        for (index, seed) in seeds.iter().enumerate() {
            check_seed::<T, D>(index, seed, reach)?;
            let own = parameters.map(|all| &all[index * own..(index + 1) * own]);
            state.extend(law.state(&Matrix(seed.deformation_gradient), own));
        }
        let (transfer, geometry) = (self.setup.transfer, &self.setup.geometry);
        let keeps_moment = transfer.keeps_moment(geometry.kernel());
        let h = geometry.spacing();
        let group = self.particles.append(material, seeds, &state, |seed| {
            // D_p = h² f (1 − f) along each axis for the linear kernel, equation (14).
            let moment = keeps_moment.then(|| {
                let f = seed.position.map(|x| x / h - (x / h).floor());
                f.map(|f| h * h * f * (1.0 - f))
            });
            transfer.keep(Matrix(seed.velocity_gradient), moment)
        });
        let species = &mut self.particles.species[material];
        integrate::stress_of_newcomers(species, law.as_ref(), group, seeds);
        wrap_positions(&mut self.particles, &self.setup.geometry);
        self.pace.is_fresh = true;
        Ok(first)
    }

    /// Removes the particles for which `goes` holds, given identifier and position \[m\]; returns how many went.
    pub fn remove(&mut self, mut goes: impl FnMut(u32, [f64; D]) -> bool) -> usize {
        self.pace.is_fresh = true;
        let geometry = &self.setup.geometry;
        let to_f64 = |x| geometry.into_first_period::<T>(x).0.map(T::to_f64);
        self.particles.remove(|id, x| goes(id, to_f64(x)))
    }

    /// Advances by `duration` > 0 seconds in as many steps as stability needs. On error the state is that before the call.
    pub fn advance(&mut self, duration: f64) -> Result<FrameReport, StepError> {
        self.check_run("duration [s]", duration)?;
        self.in_pool(|sim| T::advance(sim, duration))
    }

    /// Lets `duration` > 0 seconds pass while there is no matter: before the first is added, or after all was removed. Refused where there
    /// is some, which must be moved by [`advance`](Self::advance).
    pub fn wait(&mut self, duration: f64) -> Result<FrameReport, StepError> {
        if !(duration > 0.0 && duration.is_finite()) {
            let (quantity, value) = ("duration [s]", duration);
            return Err(BuildError::NotPositive { quantity, value }.into());
        }
        if !self.is_empty() {
            return Err(BuildError::NotEmpty { count: self.len() }.into());
        }
        self.time += duration;
        Ok(FrameReport::default())
    }

    /// From now on [`advance`](Self::advance) gives up with [`StepError::Stopped`], within a step and with the state before the call, when
    /// `asked` is set.
    pub fn stop_when(&mut self, asked: Arc<AtomicBool>) {
        self.stop = asked;
    }

    /// Makes `count` > 0 steps of exactly `dt` > 0 seconds without asking whether that is stable: for benchmarks and studies. Nothing is
    /// taken back: after an error the particles are those of the failed step, and the simulation refuses to go on.
    pub fn run_steps(&mut self, dt: f64, count: u64) -> Result<FrameReport, StepError> {
        self.check_run("time step [s]", dt)?;
        if count == 0 {
            return Err(StepError::Input(BuildError::NotPositive {
                quantity: "number of steps",
                value: 0.0,
            }));
        }
        self.in_pool(|sim| T::run_steps(sim, dt, count))
    }

    /// Replaces every rest volume by an estimate from the density on the grid, equation (20). Particles at a free surface get too much;
    /// prefer volumes from the sampling.
    pub fn estimate_rest_volumes(&mut self) -> Result<(), StepError> {
        self.check_run("grid spacing [m]", self.setup.geometry.spacing())?;
        self.in_pool(T::estimate_rest_volumes)
    }

    /// The time step that the present state asks for, and who decides it; nothing moves.
    pub fn forecast(&mut self) -> Result<Forecast, StepError> {
        self.check_run("grid spacing [m]", self.setup.geometry.spacing())?;
        self.in_pool(T::forecast)
    }

    /// Conserved quantities and extremes at the present time.
    pub fn audit(&self) -> Audit<D> {
        self.pool.run(|| T::audit(self))
    }

    /// All particles, by identifier.
    pub fn particles(&self) -> Vec<Particle<T, D>> {
        let mut out = Vec::with_capacity(self.particles.len());
        self.visit(|particle, _| out.push(*particle));
        out
    }

    /// Calls `see` for every particle, by identifier, with its state: what the columns of a state are says [`memories`](Self::memories).
    pub fn visit(&self, mut see: impl FnMut(&Particle<T, D>, &[f64])) {
        let mut state = Vec::new();
        for (id, material, slot) in self.particles.by_id() {
            let species = &self.particles.species[material];
            species.read_state(slot, &mut state);
            let ratio = self.materials[material].volume_ratio(&state);
            let x = species.position(slot);
            let particle = Particle {
                id,
                material,
                position: self.setup.geometry.into_first_period(x),
                velocity: species.velocity(slot),
                affine: species.affine(slot),
                mass: species.mass(slot),
                rest_volume: species.rest_volume(slot),
                volume_ratio: T::from_f64(ratio),
                kirchhoff_stress: species.stress(slot),
            };
            see(&particle, &state);
        }
    }

    /// What each material remembers of its particles, by index of the material.
    pub fn memories(&self) -> Vec<Memory> {
        self.materials.iter().map(|m| m.memory()).collect()
    }

    /// The surfaces under load, where they are now.
    pub fn loads(&self) -> &[LoadedSurface<D>] {
        &self.loads
    }
    /// What may not come out as expected, though it can be simulated.
    pub fn warnings(&self) -> Vec<Warning> {
        let spacing = self.setup.geometry.spacing();
        let colliders = self.setup.colliders.iter().enumerate();
        colliders
            .filter(|(_, collider)| collider.is_thin(spacing))
            .map(|(index, collider)| Warning::ThinCollider {
                index,
                thickness: collider.thickness(),
                spacing,
            })
            .collect()
    }
    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.particles.len()
    }
    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }
    /// Names of the materials, by index.
    pub fn material_names(&self) -> Vec<&'static str> {
        self.materials.iter().map(|m| m.name()).collect()
    }
    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }
    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }
    /// Bytes held by particles, grid and tiles.
    pub fn bytes(&self) -> usize {
        self.particles.bytes() + self.grid.bytes() + self.order.blocks.bytes()
    }

    /// Bytes held at most while a frame is made: what is needed to take the frame back, and room for sorting.
    pub fn peak_bytes(&self) -> usize {
        let bytes = self.particles.table_bytes();
        let sort = bytes.slots * SORT_BYTES_PER_SLOT;
        let tiles = self.grid.tiles.bytes();
        let room = match self.path() {
            // The fused path leaves the cold columns to the snapshot: it sorts without them, and makes new ones in the last step. Tiles give way to both.
            Path::Fused => bytes.cold.max(bytes.hot + sort).max(tiles) - tiles,
            Path::Staged => bytes.cold + (bytes.cold.max(bytes.hot) + sort).max(tiles) - tiles,
        };
        let solve =
            bytes.slots * integrate::implicit::bytes_per_particle::<T, D>(&self.setup.integrator);
        self.bytes() + bytes.hot + bytes.ids + room + solve
    }

    fn check_run(&self, quantity: &'static str, value: f64) -> Result<(), StepError> {
        if !(value > 0.0 && value.is_finite()) {
            return Err(BuildError::NotPositive { quantity, value }.into());
        }
        if self.particles.is_empty() {
            return Err(BuildError::Empty.into());
        }
        match &self.wreck {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Runs work on this simulation inside its thread pool.
    fn in_pool<R: Send>(&mut self, work: impl FnOnce(&mut Self) -> R + Send) -> R {
        let pool = self.pool.clone();
        pool.run(|| work(self))
    }
}

impl<T: Scalar, const D: usize> Simulation<T, D> {
    /// Whether somebody wants an early end.
    pub(crate) fn is_asked_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
    /// The strongest acceleration \[m/s²\] by body forces at the blocks that hold matter.
    pub(crate) fn body_acceleration(&self) -> f64 {
        let blocks = &self.order.blocks;
        let geometry = &self.setup.geometry;
        let corners = (0..blocks.len()).map(|b| geometry.node_position(blocks.coordinate(b), 0));
        self.setup.body_force.strongest(corners, self.time)
    }
    /// The path that serves the setup.
    pub(crate) fn path(&self) -> Path {
        let is_explicit = self.setup.integrator.is_explicit();
        if is_explicit && fused::serves(self.setup.transfer, &self.setup.geometry) {
            self.setup.path
        } else {
            Path::Staged
        }
    }
}

/// More threads than this are a mistake.
const MOST_THREADS: usize = 4096;

/// Refuses numbers that are not finite in precision `T`.
fn check_finite<T: Scalar>(quantity: &'static str, values: &[f64]) -> Result<(), BuildError> {
    match values.iter().find(|x| !T::from_f64(**x).is_finite()) {
        Some(&value) => Err(BuildError::OutOfRange {
            quantity,
            value,
            range: "finite in the precision of the simulation",
        }),
        None => Ok(()),
    }
}

/// Refuses parameters that are not as many as the particles need, or not finite in precision `T`.
fn check_parameters<T: Scalar>(
    parameters: &[f64],
    particles: usize,
    own: usize,
) -> Result<(), BuildError> {
    if own == 0 || parameters.len() != particles * own {
        return Err(BuildError::ParameterCount {
            given: parameters.len(),
            particles,
            own,
        });
    }
    // Infinity is the value of some, such as a bound that is never reached; the law knows which.
    let unusable = |x: &f64| x.is_nan() || x.is_finite() && !T::from_f64(*x).is_finite();
    match parameters.iter().position(unusable) {
        None => Ok(()),
        Some(k) => Err(BuildError::NonFinite {
            quantity: "parameters",
            index: k / own,
            value: parameters[k / own * own..][..own].to_vec(),
        }),
    }
}

/// Refuses a seed that cannot be simulated in precision `T`.
fn check_seed<T: Scalar, const D: usize>(
    index: usize,
    seed: &Seed<D>,
    reach: f64,
) -> Result<(), BuildError> {
    let representable = |x: &f64| T::from_f64(*x).is_finite();
    for (quantity, value) in [
        ("position [m]", seed.position.as_slice()),
        ("velocity [m/s]", seed.velocity.as_slice()),
        (
            "velocity gradient [1/s]",
            seed.velocity_gradient.as_flattened(),
        ),
        (
            "deformation gradient",
            seed.deformation_gradient.as_flattened(),
        ),
    ] {
        if !value.iter().all(representable) {
            return Err(BuildError::NonFinite {
                quantity,
                index,
                value: value.to_vec(),
            });
        }
    }
    // Positive in double precision is not enough if single precision rounds it to zero.
    let determinant = Matrix(seed.deformation_gradient.map(|row| row.map(T::from_f64)))
        .determinant()
        .to_f64();
    // Nodes get small parts of a mass; they must not round to zero either.
    let lightest = T::MIN_POSITIVE / (T::EPSILON * T::EPSILON);
    for (quantity, value, least) in [
        ("mass [kg]", seed.mass, lightest),
        ("rest volume [m³]", seed.rest_volume, T::MIN_POSITIVE),
        (
            "determinant of the deformation gradient",
            determinant,
            T::MIN_POSITIVE,
        ),
    ] {
        if !(value >= least && representable(&value)) {
            return Err(BuildError::BadParticle {
                quantity,
                index,
                value,
                least,
            });
        }
    }
    if seed.position.iter().any(|x| x.abs() >= reach) {
        return Err(BuildError::TooFar {
            index,
            position: seed.position.to_vec(),
            reach,
        });
    }
    Ok(())
}
