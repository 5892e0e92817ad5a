//! Frames: as many steps as they need, accepted or taken back, equation (16).

use rayon::prelude::*;
use thixo_par::Scalar;

use super::implicit::{Effort, Integrator, NotConverged};
use super::snapshot::Snapshot;
use super::stopwatch::{StageSeconds, Stopwatch};
use super::timestep::{GROWTH, IMPLICIT_GROWTH, Known, Limit, StepControl};
use super::timestep::{kappa, stability_limit};
use super::{explicit, fused, repeat};
use crate::collide;
use crate::error::StepError;
use crate::material::{Batch, Limits, Material};
use crate::particles::{Columns, Layout, PADDING, Seed, Species, order, wrap_positions};
use crate::simulation::{Pace, Path, Simulation};
use crate::transfer::Moved;

/// Retries of a frame, or of an implicit step, with a smaller cap on the time step before a run gives up.
pub(super) const RETRIES: u32 = 8;
/// Cells that particles may drift between sorts; tiles have a margin of one.
const DRIFT: f64 = 1.0;
/// A frame may not need more steps than this.
const MOST_STEPS: f64 = 1e8;

/// What a frame took; the default is that of a frame without steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Accepted steps.
    pub steps: u64,
    /// Shortest step \[s\].
    pub dt_min: f64,
    /// Longest step \[s\].
    pub dt_max: f64,
    /// What decided the shortest step.
    pub limit: Limit,
    /// How often particles were sorted.
    pub sorts: u64,
    /// How often a particle was held back from getting too deep into an obstacle, or through a thin one.
    pub held_back: u64,
    /// How often the frame, or an implicit step, was taken back and repeated with shorter steps.
    pub retries: u32,
    /// What implicit solves took, of all accepted steps; the residual is the largest of them.
    pub effort: Effort,
    /// Wall time.
    pub seconds: StageSeconds,
}

/// Counts of a frame in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally {
    pub seconds: StageSeconds,
    steps: u64,
    sorts: u64,
    held_back: u64,
    dt_min: f64,
    dt_max: f64,
    limit: Limit,
    /// What implicit solves took.
    pub effort: Effort,
    /// Steps that were repeated on their own.
    pub repeated: u32,
    /// The step that is being tried.
    pub trying: f64,
}

impl Tally {
    fn new() -> Self {
        Self {
            seconds: StageSeconds::default(),
            steps: 0,
            sorts: 0,
            held_back: 0,
            dt_min: f64::INFINITY,
            dt_max: 0.0,
            limit: Limit::Frame,
            effort: Effort::default(),
            repeated: 0,
            trying: f64::INFINITY,
        }
    }
    fn report(&self, retries: u32) -> FrameReport {
        FrameReport {
            steps: self.steps,
            dt_min: self.dt_min,
            dt_max: self.dt_max,
            limit: self.limit,
            sorts: self.sorts,
            held_back: self.held_back,
            retries: retries + self.repeated,
            effort: self.effort,
            seconds: self.seconds,
        }
    }
}

/// Why a step was not accepted.
#[derive(Clone, Debug)]
pub(super) enum Rejection {
    /// A number that is not finite, or a volume that is not positive.
    Unsound,
    /// A particle crossed this much of a cell.
    TooFast { cells: f64, dt: f64 },
    /// An implicit solve did not come to its end.
    NotConverged { dt: f64, cause: NotConverged },
    /// Shorter steps cannot help.
    Final(StepError),
}

/// The steps that are to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    kind: Kind,
    /// What decided the step last chosen.
    limit: Limit,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// To the end of a frame, in steps of our choice.
    Frame { length: f64, remaining: f64 },
    /// A number of equal steps.
    Steps { dt: f64, left: u64 },
}

impl Schedule {
    /// Whether a step that is not accepted may be made shorter.
    pub fn may_be_shortened(&self) -> bool {
        matches!(self.kind, Kind::Frame { .. })
    }
    /// Whether every step has been handed out.
    pub fn is_over(&self) -> bool {
        match self.kind {
            Kind::Frame { remaining, .. } => remaining <= 0.0,
            Kind::Steps { left, .. } => left == 0,
        }
    }

    /// The next step \[s\].
    pub fn next_step<T: Scalar, const D: usize>(
        &mut self,
        sim: &mut Simulation<T, D>,
    ) -> Result<f64, Rejection> {
        match &mut self.kind {
            Kind::Steps { dt, left } => {
                *left -= 1;
                Ok(*dt)
            }
            Kind::Frame { length, remaining } => {
                if sim.is_asked_to_stop() {
                    let time = sim.time;
                    return Err(Rejection::Final(StepError::Stopped { time }));
                }
                let geometry = &sim.setup.geometry;
                let kappa = kappa(geometry.kernel(), sim.setup.transfer);
                let known = Known {
                    stable: stability_limit(&sim.pace.limits, geometry.spacing(), kappa),
                    speed: sim.pace.speed.max(sim.pace.approach),
                    acceleration: 0.0,
                    growth: GROWTH,
                    spacing: geometry.spacing(),
                    remaining: *remaining,
                };
                let known = match sim.setup.integrator {
                    Integrator::Explicit => known,
                    _ => Known {
                        stable: (f64::INFINITY, Limit::Longest),
                        acceleration: sim.body_acceleration(),
                        growth: IMPLICIT_GROWTH,
                        ..known
                    },
                };
                let (dt, limit) = sim.pace.control.choose(&sim.setup.time_step, known);
                if dt.is_nan() || dt <= *length / MOST_STEPS {
                    return Err(Rejection::Final(StepError::StepTooSmall {
                        dt,
                        frame: *length,
                        limit: limit.name(),
                        time: sim.time,
                    }));
                }
                *remaining -= dt;
                self.limit = limit;
                Ok(dt)
            }
        }
    }

    /// Largest part of a cell that a particle may cross in a step.
    fn cfl<T: Scalar, const D: usize>(&self, sim: &Simulation<T, D>) -> f64 {
        match self.kind {
            Kind::Frame { .. } => sim.setup.time_step.cfl,
            Kind::Steps { .. } => DRIFT,
        }
    }

    /// Sorts the particles if one of them could leave the margin of its tile in the coming step. The grid's velocities come along.
    pub fn sort_if_needed<T: Scalar, const D: usize>(
        &self,
        sim: &mut Simulation<T, D>,
        dt: f64,
        tally: &mut Tally,
    ) -> Result<(), Rejection> {
        let speed = sim.pace.speed.max(sim.pace.approach);
        let expected = speed * dt / sim.setup.geometry.spacing();
        let reach = (2.0 * expected + 0.05).min(self.cfl(sim));
        if sim.pace.drift + reach < DRIFT {
            return Ok(());
        }
        let mut watch = Stopwatch::start(&mut tally.seconds);
        sim.grid.tiles.release();
        let sorted = order(&mut sim.particles, &sim.setup.geometry, sim.time);
        let sorted = sorted.map_err(Rejection::Final)?;
        sim.grid.carry(&sim.order, &sorted);
        sim.order = sorted;
        sim.pace.drift = 0.0;
        watch.sort();
        tally.sorts += 1;
        Ok(())
    }

    /// Takes note of a step, or refuses it.
    pub fn accept<T: Scalar, const D: usize>(
        &self,
        sim: &mut Simulation<T, D>,
        moved: Moved<T>,
        dt: f64,
        tally: &mut Tally,
    ) -> Result<(), Rejection> {
        let speed = moved.speed_squared.to_f64().sqrt();
        let cells = speed * dt / sim.setup.geometry.spacing();
        if cells > self.cfl(sim) {
            return Err(Rejection::TooFast { cells, dt });
        }
        // An obstacle that comes faster than this can pass particles between two looks at them.
        let comes = moved.approach * dt / sim.setup.geometry.spacing();
        if comes > DRIFT {
            return Err(Rejection::TooFast { cells: comes, dt });
        }
        if !(moved.contained && moved.limits.sound) {
            return Err(Rejection::Unsound);
        }
        sim.time += dt;
        sim.pace.limits = moved.limits;
        sim.pace.speed = speed;
        sim.pace.approach = moved.approach;
        sim.pace.drift += cells;
        tally.steps += 1;
        tally.held_back += moved.held_back;
        tally.dt_max = tally.dt_max.max(dt);
        if dt < tally.dt_min {
            tally.dt_min = dt;
            tally.limit = self.limit;
        }
        Ok(())
    }
}

/// Where particles have come or gone, or were brought back into the first period, puts them in order and finds the limits of the first step.
pub(crate) fn prepare<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
) -> Result<(), StepError> {
    let is_periodic = sim.setup.geometry.is_periodic();
    if is_periodic || sim.pace.is_fresh || sim.order.blocks.is_empty() {
        begin(sim)?;
    }
    Ok(())
}

/// Puts all particles in order, and finds the limits of the first step where particles have come or gone.
///
/// Every frame begins so: the order of sums in it is then a function of the particles alone, and a run that goes on from saved particles
/// has the same.
fn begin<T: Scalar, const D: usize>(sim: &mut Simulation<T, D>) -> Result<(), StepError> {
    sim.grid.tiles.release();
    sim.order = order(&mut sim.particles, &sim.setup.geometry, sim.time)?;
    sim.grid.resize(&sim.order);
    sim.pace.drift = 0.0;
    if sim.pace.is_fresh {
        sim.pace.limits = present_limits(sim);
        sim.pace.speed = largest_speed(sim);
        sim.pace.approach = present_approach(sim);
        sim.pace.is_fresh = false;
    }
    Ok(())
}

/// Groups that are asked for their limits at a time.
const CHUNK: usize = 256;

/// Limits of the present state of all particles. Their stress stays as it is: it may hold a viscous part of the last step.
fn present_limits<T: Scalar, const D: usize>(sim: &mut Simulation<T, D>) -> Limits<T> {
    let species = sim.particles.species.iter_mut().zip(&sim.materials);
    species
        .map(|(species, material)| limits_of(species, material.as_ref()))
        .fold(Limits::none(), Limits::merge)
}

/// Limits of the present state of the particles of a material.
pub(super) fn limits_of<T: Scalar, const D: usize>(
    species: &mut Species<T, D>,
    material: &dyn Material<T, D>,
) -> Limits<T> {
    let hot_stride = species.hot.stride();
    let stress_stride = Layout::<D>::SYMMETRIC * T::LANES;
    let chunks = species.hot.data_mut().par_chunks_mut(CHUNK * hot_stride);
    chunks
        .map_init(
            || vec![T::zero(); CHUNK * (D * D * T::LANES + stress_stride)],
            |scratch, hot| {
                let (gradient, stress) = scratch.split_at_mut(CHUNK * D * D * T::LANES);
                let groups = hot.len() / hot_stride;
                let batch = Batch {
                    hot,
                    hot_stride,
                    velocity_gradient: &gradient[..groups * D * D * T::LANES],
                    stress: &mut stress[..groups * stress_stride],
                    stress_stride,
                    stress_first: 0,
                };
                material.stress(batch)
            },
        )
        .reduce(Limits::none, Limits::merge)
}

/// The largest speed at which an obstacle comes towards matter that it can meet in a first step \[m/s\].
fn present_approach<T: Scalar, const D: usize>(sim: &Simulation<T, D>) -> f64 {
    let geometry = &sim.setup.geometry;
    let kappa = kappa(geometry.kernel(), sim.setup.transfer);
    let (stable, _) = stability_limit(&sim.pace.limits, geometry.spacing(), kappa);
    let longest = stable.min(sim.setup.time_step.longest);
    let blocks = &sim.order.blocks;
    collide::approach(&sim.setup.colliders, blocks, geometry, [sim.time, longest])
}

/// The largest speed of a particle \[m/s\].
pub(super) fn largest_speed<T: Scalar, const D: usize>(sim: &Simulation<T, D>) -> f64 {
    let squared = sim.particles.species.iter().map(|species| {
        let slots = (0..species.ids.len()).into_par_iter();
        slots
            .filter(|slot| species.ids[*slot] != PADDING)
            .map(|slot| species.velocity(slot).norm_squared().to_f64())
            .reduce(|| 0.0, f64::max)
    });
    squared.fold(0.0, f64::max).sqrt()
}

/// Computes the stress of particles that were appended from group `first` on, with the velocity gradients of their seeds.
pub(crate) fn stress_of_newcomers<T: Scalar, const D: usize>(
    species: &mut Species<T, D>,
    material: &dyn Material<T, D>,
    first: usize,
    seeds: &[Seed<D>],
) {
    let groups = species.hot.groups() - first;
    let mut gradient = Columns::<T>::zeros(D * D, groups);
    for (slot, seed) in seeds.iter().enumerate() {
        for (column, &x) in seed.velocity_gradient.as_flattened().iter().enumerate() {
            gradient.set(slot, column, T::from_f64(x));
        }
    }
    let (hot_stride, stress_stride) = (species.hot.stride(), species.cold.stride());
    let batch = Batch {
        hot: &mut species.hot.data_mut()[first * hot_stride..],
        hot_stride,
        velocity_gradient: gradient.data(),
        stress: &mut species.cold.data_mut()[first * stress_stride..],
        stress_stride,
        stress_first: Layout::<D>::STRESS * T::LANES,
    };
    if groups > 0 {
        material.stress(batch);
    }
}

/// Advances by `duration` seconds, repeating the frame with shorter steps where one is not accepted.
pub(crate) fn advance<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    duration: f64,
) -> Result<FrameReport, StepError> {
    let mut tally = Tally::new();
    let mut watch = Stopwatch::start(&mut tally.seconds);
    begin(sim)?;
    watch.sort();
    let mut snapshot = Snapshot::of(sim);
    let mut path = sim.path();
    let mut retries = 0;
    let mut cap = sim.pace.control.cap;
    loop {
        if path == Path::Staged {
            snapshot.copy_cold(&sim.particles);
        }
        sim.pace.control.cap = cap;
        let mut schedule = Schedule {
            kind: Kind::Frame {
                length: duration,
                remaining: duration,
            },
            limit: Limit::Frame,
        };
        let leave = |cold| snapshot.keep_cold(cold);
        let rejection = match run(sim, path, &mut schedule, &mut tally, leave) {
            Ok(()) => {
                // Sums of many steps do not add up to the frame exactly.
                sim.time = snapshot.time + duration;
                wrap_positions(&mut sim.particles, &sim.setup.geometry);
                sim.pace.control.cap = f64::INFINITY;
                return Ok(tally.report(retries));
            }
            Err(rejection) => rejection,
        };
        let tried = tally.trying.min(duration);
        let diagnosis = diagnose(sim, &rejection, tried);
        snapshot.restore(sim);
        retries += 1;
        if retries > RETRIES || matches!(rejection, Rejection::Final(_)) {
            return Err(diagnosis);
        }
        cap = 0.5 * tried;
        path = Path::Staged;
        tally = Tally::new();
    }
}

/// Makes `count` steps of `dt` seconds, however long that is for the material; nothing is repeated or taken back.
pub(crate) fn run_steps<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    dt: f64,
    count: u64,
) -> Result<FrameReport, StepError> {
    prepare(sim)?;
    let mut schedule = Schedule {
        kind: Kind::Steps { dt, left: count },
        limit: Limit::Longest,
    };
    let mut tally = Tally::new();
    let path = sim.path();
    match run(sim, path, &mut schedule, &mut tally, drop) {
        Ok(()) => {
            wrap_positions(&mut sim.particles, &sim.setup.geometry);
            Ok(tally.report(0))
        }
        Err(rejection) => {
            let error = diagnose(sim, &rejection, dt);
            // Nobody knows the velocities in the middle of fused steps.
            sim.particles.make_cold(T::from_f64(f64::NAN));
            sim.wreck = Some(error.clone());
            Err(error)
        }
    }
}

fn run<T: Scalar, const D: usize>(
    sim: &mut Simulation<T, D>,
    path: Path,
    schedule: &mut Schedule,
    tally: &mut Tally,
    leave: impl FnOnce(Vec<Columns<T>>),
) -> Result<(), Rejection> {
    sim.grid.resize(&sim.order);
    if path == Path::Fused {
        return fused::run_frame(sim, schedule, tally, leave);
    }
    if !sim.setup.integrator.is_explicit() {
        return repeat::step_by_step(sim, schedule, tally);
    }
    while !schedule.is_over() {
        let dt = schedule.next_step(sim)?;
        tally.trying = dt;
        schedule.sort_if_needed(sim, dt, tally)?;
        let moved = explicit::step(sim, dt, &mut tally.seconds);
        schedule.accept(sim, moved, dt, tally)?;
    }
    Ok(())
}

/// Names what went wrong, with the first particle that shows it.
pub(super) fn diagnose<T: Scalar, const D: usize>(
    sim: &Simulation<T, D>,
    rejection: &Rejection,
    dt: f64,
) -> StepError {
    let time = sim.time;
    match rejection {
        Rejection::Final(error) => return error.clone(),
        Rejection::TooFast { cells, dt } => {
            return StepError::TooFast {
                cells: *cells,
                time,
                dt: *dt,
            };
        }
        Rejection::NotConverged { dt, cause } => {
            let blocks = &sim.order.blocks;
            let per_block = blocks.nodes_per_block();
            let block = blocks.coordinate(cause.node / per_block);
            let position = sim
                .setup
                .geometry
                .node_position(block, cause.node % per_block);
            return StepError::NotConverged {
                integrator: sim.setup.integrator.name(),
                unsolved: cause.unsolved,
                history: cause.history.clone(),
                position: position.to_vec(),
                time,
                dt: *dt,
            };
        }
        Rejection::Unsound => {}
    }
    let mut found: Option<(u32, StepError)> = None;
    for (species, material) in sim.particles.species.iter().zip(&sim.materials) {
        for slot in species.occupied() {
            let particle = species.ids[slot];
            if found.as_ref().is_some_and(|(id, _)| *id < particle) {
                continue;
            }
            let name = material.name().to_owned();
            let lost = |x: &f64| !x.is_finite();
            let position = species.position(slot).0.map(T::to_f64);
            let state = species.state(slot);
            let volume_ratio = material.volume_ratio(&state);
            // Within fused steps velocity and stress are not kept.
            let (mut velocity, mut stress) = ([0.0; D], [[0.0; D]; D]);
            if species.has_cold() {
                velocity = species.velocity(slot).0.map(T::to_f64);
                stress = species.stress(slot).0.map(|row| row.map(T::to_f64));
            }
            let (quantity, value) = if let Some(&x) = position.iter().find(|x| lost(x)) {
                ("position [m]", x)
            } else if let Some(&x) = state.iter().find(|x| lost(x)) {
                ("deformation", x)
            } else if let Some(&x) = velocity.iter().find(|x| lost(x)) {
                ("velocity [m/s]", x)
            } else if let Some(&x) = stress.as_flattened().iter().find(|x| lost(x)) {
                ("stress [Pa]", x)
            } else if volume_ratio <= 0.0 {
                let error = StepError::Inverted {
                    particle,
                    material: name,
                    volume_ratio,
                    time,
                    dt,
                };
                found = Some((particle, error));
                continue;
            } else {
                continue;
            };
            let error = StepError::NonFinite {
                particle,
                material: name,
                quantity,
                value,
                time,
                dt,
            };
            found = Some((particle, error));
        }
    }
    found.map_or(StepError::GridNonFinite { time, dt }, |(_, error)| error)
}

impl<T: Scalar> Default for Pace<T> {
    fn default() -> Self {
        Self {
            limits: Limits::none(),
            speed: 0.0,
            approach: 0.0,
            drift: 0.0,
            control: StepControl::default(),
            is_fresh: true,
        }
    }
}
