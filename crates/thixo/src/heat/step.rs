//! A step of conduction, and when it is due: equations (50)–(57).

use thixo_par::Scalar;
use thixo_poisson::SolveError;

use super::boundary::exchanges;
use super::budget::Received;
use super::cells::Cells;
use super::conduction::conduct;
use super::phase_change::take_up;
use super::setup::Heat;
use crate::collide::Solids;
use crate::grid::NeighbourNodes;
use crate::material::Material;
use crate::particles::Particles;
use crate::step_context::StepContext;

/// Longest step of conduction, in times h²/a that heat takes from cell to cell. Stefan's front does
/// not depend on it up to twice as much.
const LONGEST: f64 = 0.5;
/// Motion of matter between two steps of conduction \[cells\].
const FARTHEST: f64 = 0.5;

/// State of heat between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HeatState {
    /// Time that has passed since the last step of conduction \[s\].
    pub since: f64,
    /// Motion of the fastest matter in that time \[cells\].
    pub moved: f64,
    /// Largest diffusivity a = κ/(ρ c) of the last step of conduction \[m²/s\]; zero before it.
    pub diffusivity: f64,
    /// Heat received since the start.
    pub received: Received,
}

impl HeatState {
    /// Its numbers, as they are saved.
    pub fn numbers(&self) -> [f64; 7] {
        let Self {
            since,
            moved,
            diffusivity,
            received,
        } = *self;
        let Received {
            walls,
            colliders,
            air,
            sources,
        } = received;
        [since, moved, diffusivity, walls, colliders, air, sources]
    }
    /// From its numbers.
    pub fn of_numbers(
        [since, moved, diffusivity, walls, colliders, air, sources]: [f64; 7],
    ) -> Self {
        Self {
            since,
            moved,
            diffusivity,
            received: Received {
                walls,
                colliders,
                air,
                sources,
            },
        }
    }
    /// Takes note of a step of the matter of `dt` \[s\] in which it moved by `cells`.
    pub fn pass(&mut self, dt: f64, cells: f64) {
        self.since += dt;
        self.moved += cells;
    }
    /// The longest step of conduction \[s\].
    fn longest<const D: usize>(&self, heat: &Heat<D>, spacing: f64) -> f64 {
        let own = match self.diffusivity > 0.0 {
            true => LONGEST * spacing * spacing / self.diffusivity,
            false => f64::INFINITY,
        };
        heat.longest_step.unwrap_or(own)
    }
    /// True if heat must be conducted before matter moves on, or at the end of a frame.
    pub fn is_due<const D: usize>(&self, heat: &Heat<D>, spacing: f64, is_last: bool) -> bool {
        let first = self.diffusivity == 0.0;
        let is_late = self.since >= (1.0 - 1e-9) * self.longest(heat, spacing);
        self.since > 0.0 && (is_last || first || is_late || self.moved >= FARTHEST)
    }
}

/// Conducts the heat of the time since the last step of conduction, which ends with the step; in
/// several steps where that is long. Returns for each material whether some particle has changed
/// its phase.
pub(crate) fn conduct_heat<T: Scalar, const D: usize>(
    heat: &Heat<D>,
    state: &mut HeatState,
    particles: &mut Particles<T, D>,
    materials: &[Box<dyn Material<T, D>>],
    solids: Solids<'_, D>,
    step: &StepContext<'_, D>,
) -> Result<Vec<bool>, SolveError> {
    let end = step.time + step.dt;
    let length = core::mem::take(&mut state.since);
    state.moved = 0.0;
    let spacing = step.geometry.spacing();
    let mut changed = vec![false; materials.len()];
    if state.diffusivity == 0.0 {
        // Before the first step nobody knows how long one may be.
        let nothing = StepContext { dt: 0.0, ..*step };
        conduct_once(heat, state, particles, materials, solids, &nothing)?;
        if state.diffusivity == 0.0 {
            return Ok(changed);
        }
    }
    let mut done = 0.0;
    while done < length * (1.0 - 1e-9) {
        let left = length - done;
        let parts = (left / state.longest(heat, spacing)).ceil().max(1.0);
        let dt = left / parts;
        let step = StepContext {
            time: end - left,
            dt,
            ..*step
        };
        let now = conduct_once(heat, state, particles, materials, solids, &step)?;
        for (changed, now) in changed.iter_mut().zip(now) {
            *changed |= now;
        }
        done += dt;
    }
    Ok(changed)
}

/// A step of conduction; without length it only finds the diffusivity.
fn conduct_once<T: Scalar, const D: usize>(
    heat: &Heat<D>,
    state: &mut HeatState,
    particles: &mut Particles<T, D>,
    materials: &[Box<dyn Material<T, D>>],
    solids: Solids<'_, D>,
    step: &StepContext<'_, D>,
) -> Result<Vec<bool>, SolveError> {
    // Particles → cells: heat capacity, temperature, volume, conductivity              (50)
    let cells = Cells::new(heat, particles, solids.walls, step);
    let volume = step.geometry.spacing().powi(D as i32);
    let diffusivity =
        |cell: usize| cells.conductivity[cell] * cells.fill[cell] * volume / cells.capacity[cell];
    state.diffusivity = (0..cells.len()).map(diffusivity).fold(0.0, f64::max);
    if step.dt == 0.0 || cells.len() == 0 {
        return Ok(vec![false; materials.len()]);
    }

    // Walls, obstacles, free surface, sources                                          (52)
    let neighbours = NeighbourNodes::new(&step.order.blocks);
    let exchanges = exchanges(heat, &cells, solids, &neighbours, step);
    let source = sources(heat, &cells, step);

    // Conduction                                                                       (51)
    let conducted = conduct(&cells, &exchanges, &source, &neighbours, step)?;
    state.received.add(&conducted.received);

    // Cells → particles: temperature, latent heat, phase, its mechanics          (53)–(55)
    let read = cells.at_particles(
        |cell| {
            let change = conducted.change[cell];
            [change, cells.temperature[cell] + change]
        },
        particles,
        step,
    );
    // Of the slowest matter: what FLIP lacks diffuses heat, and would do it faster than that does.
    let slowest = (0..cells.len()).map(diffusivity);
    let slowest = slowest.filter(|a| *a > 0.0).fold(f64::INFINITY, f64::min);
    let times = slowest * step.dt / step.geometry.spacing().powi(2);
    let flip = 1.0 - (1.0 - heat.flip) * times.min(1.0);
    Ok(take_up(heat, flip, particles, materials, &read))
}

/// Heat generated in the cells \[W\].
fn sources<const D: usize>(heat: &Heat<D>, cells: &Cells, step: &StepContext<'_, D>) -> Vec<f64> {
    let Some(source) = &heat.source else {
        return vec![0.0; cells.len()];
    };
    let h = step.geometry.spacing();
    let volume = h.powi(D as i32);
    let of_cell = |cell: usize| {
        let corner = step.node_position(cells.node[cell] as usize);
        let centre = corner.0.map(|x| x + 0.5 * h);
        source.at(centre, step.time + step.dt) * cells.fill[cell] * volume
    };
    (0..cells.len()).map(of_cell).collect()
}
