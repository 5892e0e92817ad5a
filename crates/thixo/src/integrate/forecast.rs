//! Forecast of the next time step and of the limit that decides it, without making the step.

use thixo_par::Scalar;

use super::grid_update::limits_of_meshes;
use super::prepare::{largest_speed, limits_of, prepare};
use super::schedule::reaches_end;
use super::setup::CheckedSetup;
use crate::error::StepError;
use crate::lagrangian;
use crate::state::State;
use crate::timestep::{
    Limit, StepControl, StepInputs, fixed_step, kappa, limits_of_frequencies, stability_limit,
};
use crate::workspace::Workspace;

/// The time step that the present state asks for, equation (15).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// The step \[s\].
    pub step: f64,
    /// The limit that decides it.
    pub limit: Limit,
    /// Simulated time at which it begins \[s\].
    pub time: f64,
    /// Limits of each material by itself, by index.
    pub materials: Vec<MaterialForecast>,
    /// Limits of each mesh by itself, in the order in which they were added.
    pub meshes: Vec<MeshForecast>,
    /// Largest speed of a particle, or of an obstacle that comes towards one \[m/s\].
    pub speed: f64,
    /// Limit by that speed \[s\]; infinite at rest.
    pub step_of_speed: f64,
}

impl Forecast {
    /// Refuses a frame of `length` seconds that steps of this length cannot reach the end of, as
    /// the frame itself would.
    pub fn check_frame(&self, length: f64) -> Result<(), StepError> {
        reaches_end((self.step, self.limit), length, self.time)
    }
}

/// The time step that a material allows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MaterialForecast {
    /// Its particles.
    pub particles: usize,
    /// The step that its stiffness and viscosity together allow, safety included \[s\]; infinite
    /// without particles.
    pub step: f64,
    /// The one of the two that dominates.
    pub limit: Limit,
    /// Speed that its stiffness stands for, √(M/ρ), an upper bound of its waves' \[m/s\].
    pub wave_speed: f64,
    /// Kinematic viscosity \[m²/s\].
    pub kinematic_viscosity: f64,
}

/// The time step that a mesh allows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshForecast {
    /// Its name.
    pub name: String,
    /// Its vertices.
    pub vertices: usize,
    /// Its elements.
    pub elements: usize,
    /// The step that its stiffness and damping together allow, safety included \[s\].
    pub step: f64,
    /// The one of the two that dominates.
    pub limit: Limit,
    /// Bound of the angular frequency of its elements \[1/s\].
    pub frequency: f64,
}

/// Asks all particles, after putting them in order.
pub(crate) fn forecast<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
) -> Result<Forecast, StepError> {
    prepare(setup, state, work)?;
    let rule = setup.time_step;
    let spacing = setup.geometry.spacing();
    let kappa = kappa(setup.geometry.kernel(), setup.transfer);
    let mut materials = Vec::new();
    let mut stable = (f64::INFINITY, Limit::Frame);
    for (species, material) in state.particles.species.iter_mut().zip(&setup.materials) {
        let limits = limits_of(species, material.as_ref());
        let (step, limit) = stability_limit(&limits, spacing, kappa);
        // Not a number counts as a limit, too.
        if step.is_nan() || step < stable.0 {
            stable = (step, limit);
        }
        materials.push(MaterialForecast {
            particles: species.occupied().count(),
            step: rule.safety * step,
            limit,
            wave_speed: limits.stiffness_per_density.to_f64().sqrt(),
            kinematic_viscosity: limits.kinematic_viscosity.to_f64(),
        });
    }
    let mut meshes = Vec::new();
    let particles = &state.particles;
    let bounds =
        lagrangian::frequency_squared(&setup.meshes, particles, &setup.geometry, state.time);
    for (mesh, bounds) in setup.meshes.iter().zip(bounds) {
        let limits = limits_of_frequencies(bounds, &setup.geometry, setup.transfer);
        let (step, limit) = stability_limit(&limits_of_meshes::<f64>(limits), spacing, kappa);
        if step.is_nan() || step < stable.0 {
            stable = (step, limit);
        }
        meshes.push(MeshForecast {
            name: mesh.name().to_owned(),
            vertices: mesh.vertices(),
            elements: mesh.elements(),
            step: rule.safety * step,
            limit,
            frequency: bounds[0].sqrt(),
        });
    }
    let falls = setup.body_acceleration(&work.order, state.time);
    let mut acceleration = 0.0;
    if !setup.integrator.is_explicit() {
        stable = match setup.integrator.projection() {
            Some(options) => {
                let limits = &state.time_step.limits;
                options.deviatoric.stable_step(limits, spacing, kappa)
            }
            None => (f64::INFINITY, Limit::Longest),
        };
        acceleration = falls;
    }
    // Obstacles that come towards matter count like matter that moves.
    let speed = largest_speed(&state.particles).max(state.time_step.closing_speed);
    let inputs = StepInputs {
        stable,
        speed,
        acceleration,
        horizon: f64::INFINITY,
        growth: f64::INFINITY,
        spacing,
        remaining: f64::INFINITY,
    };
    let (step, limit) = match fixed_step(&rule, &inputs) {
        None => StepControl::default().choose(&rule, inputs),
        Some(step) => step.map_err(|error| error.at(state.time))?,
    };
    let at_speed = StepInputs {
        stable: (f64::INFINITY, Limit::Frame),
        acceleration: falls,
        ..inputs
    };
    let (step_of_speed, _) = StepControl::default().choose(&rule, at_speed);
    Ok(Forecast {
        step,
        limit,
        time: state.time,
        materials,
        meshes,
        speed,
        step_of_speed,
    })
}
