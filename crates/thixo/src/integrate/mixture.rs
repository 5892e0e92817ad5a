//! The explicit step of a mixture: the stages of `explicit.rs` for every phase, and between them
//! what phases do to each other.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::grid_update::{Velocities, meet_obstacles, update_grid, wall_reaction};
use super::setup::CheckedSetup;
use super::stopwatch::{StageSeconds, Stopwatch};
use crate::collide::{self, ContactImpulses};
use crate::force::{self, LoadedSurface};
use crate::grid::{Field, Grid, MASS, PhaseFields, Tiles};
use crate::material::Strain;
use crate::particles::{Particles, Schema};
use crate::porous::{
    CheckedMixture, Motion, NodeVolumes, PorePressure, Relaxation, exchange_momentum, fill_shares,
    solid_flux, solid_share, stiffening, wetness,
};
use crate::state::State;
use crate::transfer::{
    self, FluidMeans, GridVelocities, Medium, Momentum, StepOutcome, StressForce, TransferContext,
    scatter_pressure,
};
use crate::workspace::Workspace;

/// Step tⁿ → tⁿ⁺¹ of phases with a velocity each; numbers are those of `docs/algorithm.md`.
///
/// Expects the particles in order. The caller decides whether what moved is accepted, equation
/// (16).
pub(super) fn step<T: Scalar, const D: usize>(
    (setup, mixture): (&CheckedSetup<T, D>, &CheckedMixture<D>),
    state: &mut State<T, D>,
    work: &mut Workspace<T, D>,
    dt: f64,
    seconds: &mut StageSeconds,
) -> StepOutcome<T> {
    let mut watch = Stopwatch::start(seconds);
    let State {
        particles,
        loads,
        contact_impulses,
        ..
    } = state;
    let Workspace {
        order,
        grid,
        phases,
        pressure_tiles,
        ..
    } = work;
    phases.resize_with(mixture.walls.len(), PhaseFields::new);
    let context = setup.context(order, state.time, dt);

    // Particles → grid, phase by phase: mass and momentum                        (1)(2)
    let momentum = Momentum::new(context.transfer, context.step.geometry);
    transfer::scatter(momentum, particles, &mut grid.tiles, &context);
    for (index, phase) in phases.iter_mut().enumerate() {
        let is_own = |material: usize| mixture.phase_of[material] == index;
        phase.grid.nodes.pull_of(order, &grid.tiles, is_own);
        sum_of_substances(mixture, index, phase, (grid, &context));
        keep_before(setup, &mut phase.grid, &context);
        let materials = (setup.materials.len(), is_own);
        let masses = (&mut phase.grid.material_masses, &grid.tiles);
        collide::weigh_materials_of(&setup.colliders, materials, masses, &context.step);
    }
    watch.particles();

    // Shares of space that phases fill                                          (74)
    if mixture.needs_shares() {
        fill_shares(mixture, phases, &context.step);
        surround(mixture, phases, &context);
    }

    // Forces: stress of the particles; momentum at the end of the step       (3)(4)(6)
    let stress = StressForce::new(context.transfer, context.step.geometry);
    let is_locked = mixture.mixture.relaxation == Relaxation::Locked;
    if is_locked {
        sum_of_all(setup, grid, phases, &context);
    }
    transfer::scatter(stress, particles, &mut grid.tiles, &context);
    for (index, phase) in phases.iter_mut().enumerate() {
        let is_own = |material: usize| mixture.phase_of[material] == index;
        phase.grid.force.pull_of(order, &grid.tiles, is_own);
    }
    // Pressure of fluids on solids                                                (72)
    if mixture.mixture.pore_pressure != PorePressure::None {
        let tiles = (&mut grid.tiles, pressure_tiles);
        press((setup, mixture), phases, particles, tiles, &context);
    }
    for phase in phases.iter_mut() {
        phase.unforced.clone_from(&phase.grid.nodes);
        phase.grid.add_impulse_of_force(dt);
    }
    watch.particles();

    // Gravity, walls, drag, obstacles                        (5)(6)(7)(71)(8)
    let outside = (&mut loads[..], contact_impulses);
    let closing_speed = match is_locked {
        true => move_together(
            (setup, particles),
            grid,
            phases,
            outside,
            &context,
            &mut watch,
        ),
        false => move_apart((setup, mixture), phases, outside, &context, &mut watch),
    };
    let Some(closing_speed) = closing_speed else {
        return StepOutcome::lost();
    };

    // Solids that give fluids room or take it                                     (73)
    if mixture.shares_space() {
        for fluid in mixture.fluids() {
            let mut medium = core::mem::take(&mut phases[fluid].medium);
            match is_locked {
                true => shared_flux(grid, &mut medium),
                false => solid_flux(mixture, phases, &mut medium),
            }
            phases[fluid].medium = medium;
        }
    }

    // Grid → particles, each from its phase: velocity, affine matrix, position   (9)(10)
    // not through obstacles                                                    (8b)(8c)
    // deformation, return mapping, stress                                     (11)–(13)
    let Grid {
        nodes,
        before,
        tiles,
        ..
    } = grid;
    let wetness = mixture.mixture.wetness.as_ref();
    let columns = columns_of(setup, wetness.map(|column| &column.name));
    let pore_column = mixture.mixture.pore_pressure_column.as_ref();
    let pore_columns = columns_of(setup, pore_column.filter(|_| mixture.needs_pressure()));
    let velocities = |material: usize| {
        let phase = mixture.phase_of[material];
        let own = &phases[phase].grid;
        let (column, pore_column) = (columns[material], pore_columns[material]);
        let is_solid = mixture.is_pressed(phase);
        let is_compressed = is_solid && mixture.shares_space();
        let means = (is_solid && mixture.needs_pressure()).then(|| FluidMeans {
            field: &phases[phase].pressure,
            smoothing: match keeps_growth(setup, material) {
                true => mixture.mixture.pressure_smoothing,
                false => 0.0,
            },
        });
        let is_asked = column.is_some() || pore_column.is_some() || means.is_some();
        let medium = (is_compressed || is_asked).then(|| Medium {
            field: &phases[phase].medium,
            is_solid,
            is_compressed,
            column,
            pore_column,
            means,
        });
        let (after, before) = match is_locked {
            true => (&*nodes, before.as_ref()),
            false => (&own.nodes, own.before.as_ref()),
        };
        GridVelocities {
            after,
            before,
            medium,
        }
    };
    let gathered = (velocities, Some(mixture));
    let mut outcome = transfer::gather_by_material(gathered, particles, tiles, &context);
    if mixture.shares_space() {
        let factor = T::from_f64(stiffening(mixture, phases));
        outcome.limits.stiffness_per_density *= factor;
    }
    watch.particles();
    StepOutcome {
        closing_speed,
        ..outcome
    }
}

/// The hot column in which particles of each material keep a carried quantity.
fn columns_of<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    name: Option<&String>,
) -> Vec<Option<usize>> {
    let column = |schema: Schema<D>| schema.carried(name?);
    setup.schemas().map(column).collect()
}

/// True if a material is a fluid that keeps its volume alone, as J − 1.
fn keeps_growth<T: Scalar, const D: usize>(setup: &CheckedSetup<T, D>, material: usize) -> bool {
    setup.materials[material].state_layout().strain == Strain::VolumeRatio
}

/// What surrounds the particles of every phase: solids around fluids, wetness around solids.
fn surround<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    phases: &mut [PhaseFields<T, D>],
    context: &TransferContext<'_, T, D>,
) {
    let step = &context.step;
    for index in 0..phases.len() {
        let mut medium = core::mem::take(&mut phases[index].medium);
        if mixture.is_pressed(index) {
            solid_share(mixture, phases, &mut medium, step);
        } else {
            let measure = mixture
                .mixture
                .wetness
                .as_ref()
                .map(|column| column.measure);
            wetness((mixture, measure), phases, &mut medium, step);
        }
        phases[index].medium = medium;
    }
}

/// Adds the forces of the pressure of fluids on solids, equation (72).
fn press<T: Scalar, const D: usize>(
    (setup, mixture): (&CheckedSetup<T, D>, &CheckedMixture<D>),
    phases: &mut [PhaseFields<T, D>],
    particles: &mut Particles<T, D>,
    (tiles, pressure_tiles): (&mut Tiles<T, 4, D>, &mut Tiles<T, 4, D>),
    context: &TransferContext<'_, T, D>,
) {
    let order = context.step.order;
    pressure_tiles.resize(order);
    let form = mixture.mixture.pore_pressure;
    let (mut on_fluid, mut on_solid) = (Field::default(), Field::default());
    for fluid in mixture.fluids() {
        let is_own = |material: usize| mixture.is_of(material, fluid);
        let medium = &phases[fluid].medium;
        let both = (&mut *tiles, &mut *pressure_tiles);
        let keeps_growth = |material: usize| keeps_growth(setup, material);
        scatter_pressure((is_own, keeps_growth), medium, particles, both, context);
        on_fluid.pull_of(order, tiles, is_own);
        on_solid.pull_of(order, pressure_tiles, is_own);
        if mixture.needs_pressure() {
            let PhaseFields { grid, pressure, .. } = &mut phases[fluid];
            mean_over_fluid(grid, [&on_fluid, &on_solid], pressure, context);
        }
        match form {
            PorePressure::Shared => {
                add(&mut phases[fluid].grid.force, &on_fluid, |_| T::one());
                for solid in mixture.solids() {
                    let PhaseFields { grid, share, .. } = &mut phases[solid];
                    add(&mut grid.force, &on_solid, |k| share.values()[k][0]);
                }
            }
            // Equal and opposite at every node that has both phases.
            PorePressure::Exchanged | PorePressure::Printed => {
                let sign = match form {
                    PorePressure::Printed => -T::one(),
                    _ => T::one(),
                };
                for solid in mixture.solids() {
                    let weights: Vec<T> = {
                        let fluid = phases[fluid].grid.nodes.values().iter();
                        let solid = phases[solid].grid.nodes.values();
                        let both = fluid.zip(solid);
                        both.map(|(f, s)| match f[MASS] > T::zero() && s[MASS] > T::zero() {
                            true => sign,
                            false => T::zero(),
                        })
                        .collect()
                    };
                    add(&mut phases[fluid].grid.force, &on_fluid, |k| weights[k]);
                    add(&mut phases[solid].grid.force, &on_fluid, |k| -weights[k]);
                }
            }
            PorePressure::None => {}
        }
    }
    if mixture.needs_pressure() {
        press_pores(mixture, phases);
    }
}

/// The means of J − 1 and of the pressure over the particles of a fluid, by mass, from the sums
/// that come with the forces, equation (73a).
fn mean_over_fluid<T: Scalar, const D: usize>(
    grid: &Grid<T, D>,
    [growths, pressures]: [&Field<T, 4>; 2],
    means: &mut Field<T, 4>,
    context: &TransferContext<'_, T, D>,
) {
    means.resize(context.step.order);
    let masses = grid.nodes.values();
    means.blocks_mut().for_each(|(block, nodes)| {
        let first = block * nodes.len();
        for (k, node) in nodes.iter_mut().enumerate() {
            *node = [T::zero(); 4];
            let mass = masses[first + k][MASS];
            if mass > T::zero() {
                node[0] = pressures.values()[first + k][MASS] / mass;
                node[MASS] = growths.values()[first + k][MASS] / mass;
            }
        }
    });
}

/// Writes the pressure of the fluids at the nodes to what surrounds the particles of the others:
/// the mean by mass, zero where there is none.
fn press_pores<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    phases: &mut [PhaseFields<T, D>],
) {
    for index in (0..phases.len()).filter(|&index| !mixture.is_pressed(index)) {
        let mut medium = core::mem::take(&mut phases[index].medium);
        medium.blocks_mut().for_each(|(block, nodes)| {
            let first = block * nodes.len();
            for (k, node) in nodes.iter_mut().enumerate() {
                let (mut sum, mut total) = (T::zero(), T::zero());
                for fluid in mixture.fluids() {
                    let PhaseFields { grid, pressure, .. } = &phases[fluid];
                    let mass = grid.nodes.values()[first + k][MASS];
                    sum += mass * pressure.values()[first + k][0];
                    total += mass;
                }
                if total > T::zero() {
                    node[0] = sum / total;
                }
            }
        });
        phases[index].medium = medium;
    }
}

/// Adds a field times a factor that depends on the node.
fn add<T: Scalar>(to: &mut Field<T, 4>, from: &Field<T, 4>, factor: impl Fn(usize) -> T + Sync) {
    let from = from.values();
    to.blocks_mut().for_each(|(block, nodes)| {
        let first = block * nodes.len();
        for (k, node) in nodes.iter_mut().enumerate() {
            let factor = factor(first + k);
            for a in 0..MASS {
                node[a] += factor * from[first + k][a];
            }
        }
    });
}

/// The flux φ_s v of solids that are locked to the fluid.
fn shared_flux<T: Scalar, const D: usize>(grid: &Grid<T, D>, medium: &mut Field<T, 4>) {
    let velocities = grid.nodes.values();
    medium.blocks_mut().for_each(|(block, nodes)| {
        let first = block * nodes.len();
        for (k, node) in nodes.iter_mut().enumerate() {
            for a in 0..D {
                node[a] = node[MASS] * velocities[first + k][a];
            }
        }
    });
}

/// Densities of the substance at the nodes, where the constituents of a phase differ.
fn sum_of_substances<T: Scalar, const D: usize>(
    mixture: &CheckedMixture<D>,
    index: usize,
    fields: &mut PhaseFields<T, D>,
    (grid, context): (&Grid<T, D>, &TransferContext<'_, T, D>),
) {
    let phase = &mixture.mixture.phases[index];
    if phase.uniform_substance().is_none() {
        let specific_volume = |material| phase.specific_volume(material);
        fields.sum_substance(context.step.order, &grid.tiles, specific_volume);
    }
}

/// Stores the momentum before the step where transfer or damping need it.
fn keep_before<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
) {
    let is_damped = setup.damping.local_at(context.step.time).is_some();
    if is_damped || setup.transfer.needs_velocity_before() {
        grid.keep_before();
    } else {
        grid.before = None;
    }
}

/// The masses and momenta of all phases on one grid.
fn sum_of_all<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    grid: &mut Grid<T, D>,
    phases: &[PhaseFields<T, D>],
    context: &TransferContext<'_, T, D>,
) {
    let fields = phases.iter().map(|phase| &phase.grid.nodes);
    sum(&mut grid.nodes, fields);
    keep_before(setup, grid, context);
    let materials = setup.materials.len();
    collide::weigh_materials(&setup.colliders, materials, grid, &context.step);
}

/// Sums fields node by node, in their order.
fn sum<'a, T: Scalar>(to: &mut Field<T, 4>, mut fields: impl Iterator<Item = &'a Field<T, 4>>) {
    if let Some(first) = fields.next() {
        to.clone_from(first);
    }
    for field in fields {
        let from = field.values();
        to.blocks_mut().for_each(|(block, nodes)| {
            let first = block * nodes.len();
            for (k, node) in nodes.iter_mut().enumerate() {
                for c in 0..=MASS {
                    node[c] += from[first + k][c];
                }
            }
        });
    }
}

/// The velocities of phases that are locked to each other: those of one grid. None if they are not
/// finite.
fn move_together<T: Scalar, const D: usize>(
    (setup, particles): (&CheckedSetup<T, D>, &Particles<T, D>),
    grid: &mut Grid<T, D>,
    phases: &[PhaseFields<T, D>],
    outside: (&mut [LoadedSurface<D>], &mut ContactImpulses<D>),
    context: &TransferContext<'_, T, D>,
    watch: &mut Stopwatch<'_>,
) -> Option<f64> {
    sum(
        &mut grid.nodes,
        phases.iter().map(|phase| &phase.grid.nodes),
    );
    let explicit = Velocities::Explicit { particles };
    match update_grid(setup, grid, outside, context, explicit, watch) {
        Ok(update) if update.is_finite => Some(update.closing_speed),
        _ => None,
    }
}

/// The velocities of phases that move apart; none if they are not finite.
fn move_apart<T: Scalar, const D: usize>(
    (setup, mixture): (&CheckedSetup<T, D>, &CheckedMixture<D>),
    phases: &mut [PhaseFields<T, D>],
    (loads, impulses): (&mut [LoadedSurface<D>], &mut ContactImpulses<D>),
    context: &TransferContext<'_, T, D>,
    watch: &mut Stopwatch<'_>,
) -> Option<f64> {
    let step = &context.step;
    let loaded = mixture.mixture.loaded_phase;
    let is_held = |index: usize| mixture.mixture.phases[index].motion == Motion::Held;
    let mut reactions = Vec::with_capacity(phases.len());
    for (index, phase) in phases.iter_mut().enumerate() {
        // Gravity and other accelerations of all matter                              (5)
        force::accelerate(&setup.body_force, &mut phase.grid, step);
        // Tractions on surfaces                                                     (22)
        if index == loaded {
            force::load(loads, &mut phase.grid, step);
        }
        // Walls on lines of nodes, and from momentum to velocity                  (6)(7)
        let walls = &mixture.walls[index];
        reactions.push(wall_reaction(setup, walls, &phase.grid, step));
        let both = (&mut phase.grid, &mut phase.unforced);
        collide::reflect_with_unforced(walls, both, &mut impulses.walls, step);
        let is_finite = phase.grid.divide_by_mass() && phase.unforced.divide_by_mass();
        if !is_finite {
            return None;
        }
        if is_held(index) {
            for field in [&mut phase.grid.nodes, &mut phase.unforced] {
                stop(field);
            }
        }
    }
    // Drag between the phases                                                   (70)(71)
    let volumes = NodeVolumes::new(&setup.walls, step);
    exchange_momentum(&mixture.mixture, phases, &volumes, step);
    watch.grid();

    let mut closing_speed: f64 = 0.0;
    for ((index, phase), reaction) in phases.iter_mut().enumerate().zip(reactions) {
        if !is_held(index) {
            // Damping; obstacles by level sets: non-penetration, friction     (5a)(8)(8a)
            let walls = (&mixture.walls[index][..], reaction);
            let closing = meet_obstacles(setup, &mut phase.grid, walls, impulses, step);
            closing_speed = closing_speed.max(closing);
        }
        // Surfaces under load move with the matter                                  (22)
        if index == loaded {
            force::advect(loads, &phase.grid, step);
        }
    }
    watch.obstacles();
    Some(closing_speed)
}

/// Brings all nodes to rest.
fn stop<T: Scalar>(field: &mut Field<T, 4>) {
    field.blocks_mut().for_each(|(_, nodes)| {
        for node in nodes {
            node[..MASS].fill(T::zero());
        }
    });
}
