//! A simulation: setup, state, and the workspace of its steps.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use thixo_par::{Isa, Pool, Scalar};

use crate::audit::{self, Audit};
use crate::collide::ContactImpulses;
use crate::error::{BuildError, SeedQuantity, StepError, positive};
use crate::force::LoadedSurface;
use crate::integrate::{self, CheckedSetup, Forecast, FrameReport, Path, Setup};
use crate::lagrangian::Mesh;
use crate::material::{Material, StateLayout};
use crate::particles::{Particle, Particles, SORT_BYTES_PER_SLOT, Seed};
use crate::quantity::{QuantityReader, check_carried};
use crate::state::{InsertRules, Insertion, State};
use crate::transfer::volume;
use crate::warning::Warning;
use crate::workspace::Workspace;

/// A simulation of matter in motion, in precision `T` (`f32` or `f64`) and `D` = 2 or 3 dimensions.
#[derive(Debug)]
pub struct Simulation<T: Scalar, const D: usize> {
    /// The checked setup, which does not change.
    pub(crate) setup: CheckedSetup<T, D>,
    /// Everything that a resumed run needs.
    pub(crate) state: State<T, D>,
    /// Working memory of the steps.
    pub(crate) work: Workspace<T, D>,
    /// The error that ended a series of steps of fixed length half-way, if there was one.
    pub(crate) failed: Option<StepError>,
    /// Flag by which another thread requests an early end.
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
    fn estimate_rest_volumes(
        sim: &mut Simulation<Self, D>,
        is_asked: &(dyn Fn(u32) -> bool + Sync),
    ) -> Result<(), StepError>;
    #[doc(hidden)]
    fn forecast(sim: &mut Simulation<Self, D>) -> Result<Forecast, StepError>;
    #[doc(hidden)]
    fn audit(sim: &Simulation<Self, D>) -> Audit<D>;
    #[doc(hidden)]
    fn filled_volume(sim: &Simulation<Self, D>) -> Option<f64>;
}

macro_rules! instances {
    ($($t:ident $d:literal),*) => {$(
        impl Instance<$d> for $t {
            fn advance(sim: &mut Simulation<$t, $d>, duration: f64) -> Result<FrameReport, StepError> {
                let Simulation { setup, state, work, stop, .. } = sim;
                integrate::advance(setup, state, work, duration, stop)
            }
            fn run_steps(sim: &mut Simulation<$t, $d>, dt: f64, count: u64) -> Result<FrameReport, StepError> {
                let Simulation { setup, state, work, stop, failed, .. } = sim;
                integrate::prepare(setup, state, work)?;
                let outcome = integrate::run_steps(setup, state, work, (dt, count), stop);
                *failed = outcome.as_ref().err().cloned();
                outcome
            }
            fn estimate_rest_volumes(
                sim: &mut Simulation<$t, $d>,
                is_asked: &(dyn Fn(u32) -> bool + Sync),
            ) -> Result<(), StepError> {
                let Simulation { setup, state, work, .. } = sim;
                integrate::prepare(setup, state, work)?;
                let Workspace { order, grid, .. } = work;
                let context = setup.context(order, state.time, 0.0);
                volume::estimate_rest_volumes(&mut state.particles, grid, &context, is_asked);
                // The stability limits of the time step depend on the volumes.
                state.time_step.limits_stale = true;
                Ok(())
            }
            fn forecast(sim: &mut Simulation<$t, $d>) -> Result<Forecast, StepError> {
                let Simulation { setup, state, work, .. } = sim;
                integrate::forecast(setup, state, work)
            }
            fn audit(sim: &Simulation<$t, $d>) -> Audit<$d> {
                audit::audit(&sim.setup, &sim.state)
            }
            fn filled_volume(sim: &Simulation<$t, $d>) -> Option<f64> {
                audit::filled_volume(&sim.setup, &sim.state)
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
        let threads = setup.threads;
        let (setup, loads) = CheckedSetup::new(setup, materials)?;
        check_carried((&setup.carried, setup.heat.is_some()), &setup.materials)?;
        let pool = Pool::new(threads).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self {
            state: State::new(
                Particles::new(setup.schemas()),
                loads,
                ContactImpulses::zero(setup.walls.len(), setup.colliders.len()),
            ),
            setup,
            work: Workspace::new(),
            failed: None,
            stop: Arc::default(),
            pool,
        })
    }

    /// Adds particles of a material, by index, and returns the identifier of the first; the others
    /// follow. On error none is added.
    pub fn add(&mut self, material: usize, seeds: &[Seed<D>]) -> Result<u32, BuildError> {
        self.insert(Insertion::new(material, seeds))
    }

    /// Adds particles with parameters of their own and carried values; returns the identifier of
    /// the first. On error none is added.
    pub fn insert(&mut self, insertion: Insertion<'_, D>) -> Result<u32, BuildError> {
        let setup = &self.setup;
        let rules = InsertRules {
            materials: &setup.materials,
            transfer: setup.transfer,
            geometry: &setup.geometry,
            carried: &setup.carried,
            heat: setup.heat.as_ref(),
        };
        self.state.insert(insertion, rules)
    }

    /// Adds a mesh, whose vertices are particles of a material, by index, and start with given
    /// velocities \[m/s\], one for each or none; returns the identifier of the first. The material
    /// is [`Meshed`](crate::material::Meshed), unless the vertices are to have stress of their own
    /// besides. On error none is added.
    pub fn add_mesh(
        &mut self,
        material: usize,
        mesh: Mesh<D>,
        velocities: &[[f64; D]],
    ) -> Result<u32, BuildError> {
        let integrator = &self.setup.integrator;
        if !integrator.serves_meshes() {
            return Err(BuildError::MeshIntegrator {
                name: mesh.name().to_owned(),
                integrator: integrator.name(),
            });
        }
        if self.setup.mixture.is_some() {
            let name = mesh.name().to_owned();
            return Err(BuildError::MeshInMixture { name });
        }
        let (masses, volumes) = mesh.masses_and_volumes();
        let seeds = mesh.start().iter().enumerate().map(|(k, &position)| {
            let velocity = velocities.get(k).copied().unwrap_or([0.0; D]);
            Seed::new(position, velocity, masses[k], volumes[k])
        });
        let seeds: Vec<_> = seeds.collect();
        let first = self.add(material, &seeds)?;
        self.setup.meshes.push(mesh.placed(material, first));
        Ok(first)
    }

    /// The meshes, in the order in which they were added.
    pub fn meshes(&self) -> &[Mesh<D>] {
        &self.setup.meshes
    }

    /// Removes the particles for which `goes` holds, given identifier and position \[m\]; returns
    /// the number of particles removed. Vertices of meshes stay, whatever `goes` says: no element
    /// loses its ends.
    pub fn remove(&mut self, mut goes: impl FnMut(u32, [f64; D]) -> bool) -> usize {
        self.state.time_step.limits_stale = true;
        let geometry = &self.setup.geometry;
        let particles = &mut self.state.particles;
        let meshes = &self.setup.meshes;
        particles.remove(geometry, |id, x| {
            let is_vertex = meshes.iter().any(|mesh| mesh.ids().contains(&id));
            !is_vertex && goes(id, geometry.into_first_period(x).0)
        })
    }

    /// Replaces the velocities of all particles \[m/s\], given particle after particle in the order
    /// of their identifiers. On error none is replaced.
    pub fn set_velocities(&mut self, velocities: &[f64]) -> Result<(), BuildError> {
        let expected = self.len() * D;
        if velocities.len() != expected {
            let found = velocities.len();
            return Err(BuildError::NumberOfValues { found, expected });
        }
        for (index, velocity) in velocities.chunks_exact(D).enumerate() {
            if !velocity.iter().all(|v| T::from_f64(*v).is_finite()) {
                return Err(BuildError::NonFinite {
                    quantity: SeedQuantity::Velocity,
                    index,
                    value: velocity.to_vec(),
                });
            }
        }
        let slots: Vec<_> = self.state.particles.by_id().collect();
        for ((_, material, slot), velocity) in slots.into_iter().zip(velocities.chunks_exact(D)) {
            self.state.particles.species[material].set_velocity(slot, velocity);
        }
        self.state.time_step.limits_stale = true;
        Ok(())
    }

    /// Advances by `duration` > 0 \[s\] in as many steps as stability needs. On error the state is
    /// that before the call.
    pub fn advance(&mut self, duration: f64) -> Result<FrameReport, StepError> {
        positive("duration", "duration [s]", duration)?;
        self.check_runnable()?;
        self.in_pool(|sim| T::advance(sim, duration))
    }

    /// Lets `duration` > 0 \[s\] pass while there is no matter: before the first particle is added,
    /// or after all were removed. Refused while there are particles, which must be moved by
    /// [`advance`](Self::advance).
    pub fn wait(&mut self, duration: f64) -> Result<FrameReport, StepError> {
        positive("duration", "duration [s]", duration)?;
        if !self.is_empty() {
            return Err(BuildError::NotEmpty { count: self.len() }.into());
        }
        self.state.time += duration;
        Ok(FrameReport::default())
    }

    /// From now on [`advance`](Self::advance) ends with [`StepError::Stopped`], within a step and
    /// with the state before the call, once `stop` is set.
    pub fn stop_when(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Makes `count` > 0 steps of exactly `dt` > 0 \[s\] without a check of stability: for
    /// benchmarks and studies. There is no retry: after an error the particles are those of the
    /// failed step, and the simulation refuses to continue.
    pub fn run_steps(&mut self, dt: f64, count: u64) -> Result<FrameReport, StepError> {
        positive("dt", "time step [s]", dt)?;
        self.check_runnable()?;
        positive("count", "number of steps", count as f64)?;
        self.in_pool(|sim| T::run_steps(sim, dt, count))
    }

    /// Replaces every rest volume by an estimate from the density on the grid, equation (20).
    /// Volumes at a free surface are overestimated; prefer those of the sampling.
    pub fn estimate_rest_volumes(&mut self) -> Result<(), StepError> {
        self.estimate_rest_volumes_of(&|_| true)
    }

    /// The same for the particles whose identifier is asked for; all matter counts in the density.
    pub fn estimate_rest_volumes_of(
        &mut self,
        is_asked: &(dyn Fn(u32) -> bool + Sync),
    ) -> Result<(), StepError> {
        self.check_runnable()?;
        self.in_pool(|sim| T::estimate_rest_volumes(sim, is_asked))
    }

    /// The time step that the present state allows, and the limit that decides it; the state does
    /// not change.
    pub fn forecast(&mut self) -> Result<Forecast, StepError> {
        self.check_runnable()?;
        self.in_pool(T::forecast)
    }

    /// Conserved quantities and extremes at the present time.
    pub fn audit(&self) -> Audit<D> {
        self.pool.run(|| T::audit(self))
    }

    /// The volume that the particles fill \[m³\], equation (19d): an estimate from their positions
    /// by the grid, beside Σ J V⁰ of the [audit](Self::audit), which knows nothing of positions.
    /// None where fewer than eight nodes have matter all around them: in drops, sheets and spray;
    /// for a mixture, whose phases fill the same space; and with meshes, whose vertices have no
    /// volume that follows their elements.
    ///
    /// Costs about as much as a staged transfer to the grid; the state does not change.
    pub fn filled_volume(&self) -> Option<f64> {
        self.pool.run(|| T::filled_volume(self))
    }

    /// All particles, by identifier.
    pub fn particles(&self) -> Vec<Particle<T, D>> {
        let mut out = Vec::with_capacity(self.state.particles.len());
        self.visit(|particle, _| out.push(*particle));
        out
    }

    /// Calls `see` for every particle, by identifier, with its state;
    /// [`state_layouts`](Self::state_layouts) describes the columns of a state.
    pub fn visit(&self, mut see: impl FnMut(&Particle<T, D>, &[f64])) {
        let mut state = Vec::new();
        for (id, material, slot) in self.state.particles.by_id() {
            let species = &self.state.particles.species[material];
            species.read_state(slot, &mut state);
            let ratio = self.setup.materials[material].volume_ratio(&state);
            let x = species.position(slot, &self.setup.geometry);
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

    /// Bulk access: the values of quantities of all particles, by identifier.
    pub fn quantities(&self) -> QuantityReader<'_, T, D> {
        QuantityReader::new(&self.setup, &self.state, &self.pool)
    }

    /// The state variables that each material stores for its particles, by index of the material.
    pub fn state_layouts(&self) -> Vec<StateLayout> {
        self.setup
            .materials
            .iter()
            .map(|m| m.state_layout())
            .collect()
    }

    /// The surfaces under load, at their present positions.
    pub fn loads(&self) -> &[LoadedSurface<D>] {
        &self.state.loads
    }
    /// Impulses of walls and obstacles on the matter, with their moments about the origin, since
    /// the start: they are the change of its momentum, but for that by gravity and loads.
    pub fn contact_impulses(&self) -> &ContactImpulses<D> {
        &self.state.contact_impulses
    }
    /// No impulses, of the walls and obstacles of the setup.
    pub(crate) fn no_contact_impulses(&self) -> ContactImpulses<D> {
        ContactImpulses::zero(self.setup.walls.len(), self.setup.colliders.len())
    }
    /// Properties of the setup that can be simulated but may give unexpected results.
    pub fn warnings(&self) -> Vec<Warning> {
        let spacing = self.setup.geometry.spacing();
        let colliders = self.setup.colliders.iter().enumerate();
        let thin = colliders
            .filter(|(_, collider)| collider.is_thin(spacing))
            .map(|(index, collider)| Warning::ThinCollider {
                index,
                thickness: collider.thickness(),
                spacing,
            });
        let meshes = self.setup.meshes.iter().filter_map(|mesh| {
            let (mean, longest) = mesh.edge_lengths();
            let name = || mesh.name().to_owned();
            if longest > 2.0 * spacing {
                let name = name();
                return Some(Warning::CoarseMesh {
                    name,
                    longest,
                    spacing,
                });
            }
            (mean < 0.25 * spacing).then(|| Warning::FineMesh {
                name: name(),
                mean,
                spacing,
            })
        });
        thin.chain(meshes).collect()
    }
    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.state.particles.len()
    }
    /// True if there is no particle.
    pub fn is_empty(&self) -> bool {
        self.state.particles.is_empty()
    }
    /// Names of the materials, by index.
    pub fn material_names(&self) -> Vec<&'static str> {
        self.setup.materials.iter().map(|m| m.name()).collect()
    }
    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.setup.isa
    }
    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }
    /// Bytes held by particles, grid and tiles.
    pub fn bytes(&self) -> usize {
        self.state.particles.bytes() + self.work.bytes()
    }

    /// Largest number of bytes held while a frame is computed: the present storage, snapshots for
    /// the retry of frames and of implicit steps, storage for sorting, and the vectors of implicit
    /// solves.
    pub fn peak_bytes(&self) -> usize {
        let bytes = self.state.particles.table_bytes();
        let sort = bytes.slots * SORT_BYTES_PER_SLOT;
        let tiles = self.work.grid.tiles.bytes();
        // Frames with damping take the staged path.
        let path = self.setup.path_between(self.state.time, f64::INFINITY);
        let temporary = match path {
            // The fused path leaves the cold columns to the snapshot: it sorts without them, and
            // allocates new ones in the last step. Tiles are released for both.
            Path::Fused => bytes.cold.max(bytes.hot + sort).max(tiles) - tiles,
            Path::Staged => bytes.cold + (bytes.cold.max(bytes.hot) + sort).max(tiles) - tiles,
        };
        let snapshot_of_frame = bytes.hot + bytes.ids;
        let snapshot_of_step = match self.setup.integrator.is_explicit() {
            true => 0,
            false => bytes.hot + bytes.cold + bytes.ids,
        };
        let solve = integrate::implicit::bytes_per_particle::<T, D>(&self.setup.integrator);
        let faces = match self.setup.integrator.projection() {
            Some(_) => self.work.staggered.bytes_for(&self.work.order),
            None => 0,
        };
        let matter = self.bytes() + snapshot_of_frame + snapshot_of_step;
        matter + temporary + faces + bytes.slots * solve
    }

    /// Refuses to run without particles, or after a failure that left the state damaged.
    fn check_runnable(&self) -> Result<(), StepError> {
        if self.state.particles.is_empty() {
            return Err(BuildError::Empty.into());
        }
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Threads that the simulation runs on; a clone is another handle of the same threads.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Runs work on this simulation inside its thread pool.
    fn in_pool<R: Send>(&mut self, work: impl FnOnce(&mut Self) -> R + Send) -> R {
        let pool = self.pool.clone();
        pool.run(|| work(self))
    }
}
