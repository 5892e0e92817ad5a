//! Particles in order, and the limits of the first step.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::grid_update::limits_of_meshes;
use super::setup::CheckedSetup;
use crate::collide::{self, Solids};
use crate::error::StepError;
use crate::grid::BlockOrder;
use crate::lagrangian;
use crate::material::{Batch, Limits, Material};
use crate::particles::{Layout, PADDING, Particles, Species, order};
use crate::state::State;
use crate::timestep::{kappa, limits_of_frequencies, stability_limit};
use crate::workspace::Workspace;

/// Puts particles in order where some have come or gone, and finds the limits of the first step.
pub(crate) fn prepare<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
) -> Result<(), StepError> {
    if state.time_step.limits_stale || work.order.blocks.is_empty() {
        begin(setup, state, work)?;
    }
    Ok(())
}

/// Puts all particles in order, and finds the limits of the first step where particles have come or
/// gone.
///
/// Every frame begins so: the order of sums in it is then a function of the particles alone, and a
/// run that goes on from saved particles has the same.
pub(super) fn begin<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
) -> Result<(), StepError> {
    work.grid.tiles.release();
    work.order = order(&mut state.particles, &setup.geometry, state.time)?;
    if setup.integrator.projection().is_none() {
        work.grid.resize(&work.order);
    }
    work.drift = 0.0;
    if state.time_step.limits_stale {
        let of_meshes = present_limits_of_meshes(setup, state);
        let limits = present_limits(setup, &mut state.particles);
        state.time_step.limits = limits.merge(of_meshes);
        state.time_step.speed = largest_speed(&state.particles);
        state.time_step.closing_speed = present_closing_speed(setup, state, &work.order);
        state.time_step.limits_stale = false;
    }
    Ok(())
}

/// Groups that are asked for their limits at a time.
const CHUNK: usize = 256;

/// Limits of the present state of all particles. Their stress stays as it is: it may hold a viscous
/// part of the last step.
fn present_limits<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    particles: &mut Particles<T, D>,
) -> Limits<T> {
    let species = particles.species.iter_mut().zip(&setup.materials);
    species
        .map(|(species, material)| limits_of(species, material.as_ref()))
        .fold(Limits::none(), Limits::merge)
}

/// Limits of the present state of all meshes.
fn present_limits_of_meshes<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &State<T, D>,
) -> Limits<T> {
    let (geometry, time) = (&setup.geometry, state.time);
    let bounds = lagrangian::frequency_squared(&setup.meshes, &state.particles, geometry, time);
    let limits = bounds
        .into_iter()
        .map(|bounds| limits_of_meshes(limits_of_frequencies(bounds, geometry, setup.transfer)));
    limits.fold(Limits::none(), Limits::merge)
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

/// The largest speed at which an obstacle comes towards matter that it can meet in a first step
/// \[m/s\]; that of solids that pull matter along, too, where no sound limits the step.
fn present_closing_speed<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &State<T, D>,
    order: &BlockOrder<D>,
) -> f64 {
    let geometry = &setup.geometry;
    let kappa = kappa(geometry.kernel(), setup.transfer);
    let (stable, _) = stability_limit(&state.time_step.limits, geometry.spacing(), kappa);
    let longest = stable.min(setup.time_step.longest);
    let times = [state.time, longest];
    let closing = collide::closing_speed(&setup.colliders, &order.blocks, geometry, times);
    if setup.integrator.projection().is_none() {
        return closing;
    }
    let solids = Solids {
        walls: &setup.walls,
        colliders: &setup.colliders,
    };
    closing.max(collide::holding_speed(
        solids,
        &order.blocks,
        geometry,
        state.time,
    ))
}

/// The largest speed of a particle \[m/s\].
pub(super) fn largest_speed<T: Scalar, const D: usize>(particles: &Particles<T, D>) -> f64 {
    let squared = particles.species.iter().map(|species| {
        let slots = (0..species.ids.len()).into_par_iter();
        slots
            .filter(|slot| species.ids[*slot] != PADDING)
            .map(|slot| species.velocity(slot).norm_squared().to_f64())
            .reduce(|| 0.0, f64::max)
    });
    squared.fold(0.0, f64::max).sqrt()
}
