//! The X-PBD integrator: nonlinear Gauss-Seidel on the velocities of the nodes, particle by
//! particle. \[Qu2023\] §5, \[Macklin2016\].
//!
//! Backward Euler as a minimum, E(v) = Σ_i ½ m_i |v_i − v*_i|² + Σ_p V⁰_p ψ_p(Δt∇v) (eq. (23)).
//! Every particle exerts an impulse S_p∇w_ip on its nodes,
//!
//! v = v* + M⁻¹ Σ_p S_p ∇w_ip, and at the minimum S_p = −Δt V⁰_p G_p, G = ∂ψ/∂M.
//!
//! A sweep updates all particles: each gathers the velocity gradient that the others have left, and
//! changes its S by equation (25) of the paper for the constraint √ψ with compliance 1/(2V⁰). Where
//! matter flows, G is that of the stress after the return mapping: flow is part of the solve. A
//! step makes a number of sweeps, and more where they leave forces unbalanced. Contacts are
//! satisfied after every colour of a sweep.
//!
//! | concept | file |
//! |---|---|
//! | clusters of particles and their colours | `cluster.rs`, `colour.rs` |
//! | clusters in SIMD lanes | `lane_batch.rs` |
//! | the sweep: gather, update, apply | `sweep.rs`, `node_kernels.rs` |
//! | the update of a constraint | `constraint_update.rs` |
//! | velocities and contacts | `velocities.rs` |
//! | contacts that follow image points | `surface_contact.rs` |
//! | repeated transfers, equation (25) | `transfers.rs` |

mod cluster;
mod colour;
mod constraint_update;
mod lane_batch;
mod node_kernels;
mod surface_contact;
mod sweep;
mod transfers;
mod velocities;

use rayon::prelude::*;
use thixo_par::Scalar;

pub(super) use self::colour::cluster_reach;
use self::lane_batch::{ColourPass, LaneBatch, RowLayout, passes};
use self::sweep::{Scratch, Stiffness, Sweep, Update};
pub use self::transfers::Transfers;
use self::velocities::Velocities;
use super::solution::{NotConverged, Solution};
use super::system::System;
use crate::material::potential::Reference;
use crate::particles::Layout;
use crate::transfer::TransferContext;

/// The update of a particle's impulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// The whole impulse moves towards −Δt V⁰G: sweeps converge to the minimum of eq. (23)
    /// (errata E29).
    #[default]
    Replaced,
    /// The impulse changes along the present ∇C by the change of the multiplier, as in eq. (25) of
    /// \[Qu2023\]. Sweeps converge as well, but not to the minimum: the parts that were added along
    /// earlier gradients stay.
    QuEq25,
}

/// Largest residual of an accepted step, relative to the momenta and forces at work.
///
/// Steps of columns of fluid and rubber that come out wrong by more than 1 % have residuals between
/// 1 and 100; where columns come out right most are below 0.1, and of collapsing sand below 0.02.
const ACCEPTABLE: f64 = 0.25;
/// A step makes at most so many times the sweeps that are set before it is refused. To repeat it at
/// half the length takes as many.
const MOST_ROUNDS: usize = 4;
/// Relaxation: share of the change of a particle's impulse that a sweep makes \[–\]. Whole changes
/// overshoot in sand, whose flow is not associated: the residual of one step in twenty of a
/// collapsing column grows with the number of sweeps. In columns of fluid and rubber eight tenths
/// converge as fast as the whole. It is halved where the residual grows all the same.
const RELAXATION: f64 = 0.8;

/// Residual at which a step is so well solved, relative to the momenta and forces at work, that the
/// sweeps it took serve the steps after it, too: these may take four times as many.
const WELL_SOLVED: f64 = 0.1 * ACCEPTABLE;
/// Most updates of particles in the search for the sweeps that solve a step: some ten seconds.
const MOST_UPDATES: usize = 200_000_000;

/// Sweeps that a step may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::integrate) enum Patience {
    /// As many as are set, and up to four times as many where that will do.
    Usual,
    /// As many as solve the step well, to find out how many these are.
    Endless,
}

/// Parameters of the X-PBD integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Xpbd {
    /// Sweeps over all particles in a step; at least 1. A step whose forces do not balance after
    /// them makes up to four times as many, and is refused after that.
    pub iterations: u32,
    /// Form of the update.
    pub form: Form,
    /// Transfers between particles and grid in a step.
    pub transfers: Transfers,
}

impl Default for Xpbd {
    fn default() -> Self {
        Self {
            iterations: 10,
            form: Form::Replaced,
            transfers: Transfers::AsExplicit,
        }
    }
}

builder! {
    impl Xpbd {
        with_iterations(iterations: u32);
        with_form(form: Form);
        with_transfers(transfers: Transfers);
    }
}

/// Numbers per particle in the tables of the sweeps, for a material whose state is as large as the
/// reference of a potential.
pub(super) fn columns<T: Scalar, const D: usize>() -> usize {
    let reference = Reference::<T, D>::COLUMNS;
    let hot = Layout::<D>::STATE + reference;
    RowLayout::<D> { hot, reference }.stride::<T>() / T::LANES
}

/// Velocities after all sweeps. They satisfy the active constraints; the active set is updated
/// after every sweep.
pub(super) fn solve<T: Scalar, const D: usize>(
    system: &mut System<'_, T, D>,
    options: &Xpbd,
    patience: Patience,
) -> Result<Solution<T, D>, NotConverged> {
    let references = system.objective.particles.references();
    let context = references.context;
    let mut passes: Vec<ColourPass<T, D>> = passes(&references, options.form);
    let sweep = Sweep::new(context, options.form);
    let boundary = surface_contact::boundary_nodes(&system.constraints);
    let mut velocities = Velocities::new(system, &boundary);
    for pass in &mut passes {
        for_each_batch(pass, &context, |batch, scratch| {
            sweep.prepare(batch, &velocities.constrained, scratch);
        });
    }
    if options.form == Form::Replaced {
        let share = velocities.first_guess(system);
        scale_impulses(&mut passes, share);
    }

    let mut sweeps = 0;
    let mut relaxation = RELAXATION;
    let mut history: Vec<f64> = Vec::new();
    loop {
        for _ in 0..options.iterations {
            // Trial steps are half of the work: every second sweep does without.
            let stiffness = match sweeps % 2 {
                0 => Stiffness::Measured,
                _ => Stiffness::Reused,
            };
            sweeps += 1;
            for pass in &mut passes {
                for_each_batch(pass, &context, |batch, scratch| {
                    let update = Update {
                        stiffness,
                        relaxation,
                    };
                    sweep.update(batch, &velocities.constrained, scratch, update);
                });
                velocities.add_changes(pass, &context, system);
            }
            velocities.update_active_set(system);
        }
        let residual = match options.form {
            Form::Replaced => {
                for pass in &mut passes {
                    for_each_batch(pass, &context, |batch, scratch| {
                        sweep.residual(batch, &velocities.constrained, scratch);
                    });
                }
                velocities.residual(&passes, &context, system)
            }
            Form::QuEq25 => velocities.residual_of_energy(system),
        };
        let has_grown = history
            .last()
            .is_some_and(|last| residual.relative >= *last);
        history.push(residual.relative);
        let (acceptable, goes_on) = match patience {
            Patience::Usual => (ACCEPTABLE, sweeps_on(&history)),
            Patience::Endless => {
                let updates = sweeps as usize * rows(&passes) * T::LANES;
                let is_finite = residual.relative.is_finite();
                (WELL_SOLVED, is_finite && updates < MOST_UPDATES)
            }
        };
        // The printed form is there for comparison, and its residual to be looked at.
        if residual.relative <= acceptable || options.form == Form::QuEq25 {
            return velocities.solution(system, (sweeps, residual));
        }
        if has_grown {
            relaxation *= 0.5;
        }
        if !goes_on {
            return Err(velocities.refused(&residual, &history));
        }
    }
}

/// True if a step with these residuals, each after as many sweeps as are set, makes as many again:
/// where a few times as many will do, that is cheaper than to repeat the step at half its length.
fn sweeps_on(history: &[f64]) -> bool {
    let rounds = history.len();
    let will_do = match rounds_to(ACCEPTABLE, history) {
        Some(needed) => needed <= MOST_ROUNDS,
        // It is not known yet, or sweeps overshoot and will be relaxed further.
        None => true,
    };
    rounds < MOST_ROUNDS && will_do && history.iter().all(|x| x.is_finite())
}

/// Rounds of sweeps after which the residual would be `goal`, if it went on to fall as it did last.
/// It falls more slowly from round to round, so that these are the fewest.
fn rounds_to(goal: f64, history: &[f64]) -> Option<usize> {
    let [.., before, last] = *history else {
        return None;
    };
    let rate = (before / last).ln();
    let more = (last / goal).ln() / rate;
    let done = history.len() as f64;
    (rate > 0.0 && more.is_finite()).then(|| (done + more).ceil() as usize)
}

/// Rows of particles in the tables of all passes.
fn rows<T: Scalar, const D: usize>(passes: &[ColourPass<T, D>]) -> usize {
    let batches = passes.iter().flat_map(|pass| &pass.batches);
    let rows = batches.map(|batch| batch.table.len() / batch.row.stride::<T>());
    rows.sum()
}

/// Calls `work` for all batches of a pass, in parallel.
fn for_each_batch<T: Scalar, const D: usize>(
    pass: &mut ColourPass<T, D>,
    context: &TransferContext<'_, T, D>,
    work: impl Fn(&mut LaneBatch<T, D>, &mut Scratch<T, D>) + Sync,
) {
    let batches = pass.batches.par_iter_mut();
    batches.for_each_init(
        || Scratch::new(context),
        |scratch, batch| work(batch, scratch),
    );
}

/// Multiplies the impulses of all particles by a share.
fn scale_impulses<T: Scalar, const D: usize>(passes: &mut [ColourPass<T, D>], share: f64) {
    let share = T::from_f64(share);
    let batches = passes.par_iter_mut().flat_map(|pass| &mut pass.batches);
    batches.for_each(|batch| {
        let first = batch.row.impulse() * T::LANES;
        let stride = batch.row.stride::<T>();
        for row in batch.table.chunks_exact_mut(stride) {
            for x in &mut row[first..first + D * D * T::LANES] {
                *x *= share;
            }
        }
    });
}
