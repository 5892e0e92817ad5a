//! The X-PBD integrator: Gauss-Seidel on the velocities of the nodes, particle after particle. \[Qu2023\] §5, \[Macklin2016\].
//!
//! Backward Euler as a minimum, E(v) = Σ_i ½ m_i |v_i − v*_i|² + Σ_p V⁰_p ψ_p(Δt∇v) (eq. (23)). Every particle pushes its nodes by an impulse of its own,
//!
//! v = v* + M⁻¹ Σ_p S_p ∇w_ip, and at the minimum S_p = −Δt V⁰_p G_p, G = ∂ψ/∂M.
//!
//! A sweep visits all particles. Each looks at the velocities as the others have left them and changes its S by what equation (25) says for the constraint
//! √ψ with compliance 1/(2V⁰). Where matter flows, G is that of the stress after the return mapping: flow is part of the solve. A few sweeps make a step, however far from the minimum they end: more sweeps make matter stiffer. Contacts are satisfied
//! after every colour of a sweep.

mod answer;
mod bundle;
mod colour;
mod part;
mod transfers;
mod velocity;
mod visit;

use rayon::prelude::*;
use thixo_par::Scalar;

use self::bundle::{Bundle, Pass, Row, passes};
pub(super) use self::colour::cluster_reach;
pub use self::transfers::Transfers;
use self::velocity::Velocities;
use self::visit::{Room, Stiffness, Visit};
use super::solution::{NotConverged, Solution};
use super::system::System;
use crate::material::potential::Reference;
use crate::particles::Layout;
use crate::transfer::TransferContext;

/// What a particle changes in a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// Its whole impulse moves towards what its energy asks for: sweeps converge to the minimum of eq. (23) (errata E29).
    #[default]
    Replaced,
    /// Its impulse grows along the present gradient by the change of the multiplier, eq. (25) of \[Qu2023\] as printed. Sweeps converge as well, but
    /// not to the minimum: what was added along earlier gradients stays.
    AsPrinted,
}

/// How the X-PBD integrator works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xpbd {
    /// Sweeps over all particles in a step; at least 1.
    pub iterations: u32,
    /// What a visit changes.
    pub form: Form,
    /// How often velocities go to the grid and back.
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

/// Numbers per particle that sweeps need, for a material whose state is as large as the reference of a potential.
pub(super) fn columns<T: Scalar, const D: usize>() -> usize {
    let reference = Reference::<T, D>::COLUMNS;
    let hot = Layout::<D>::STATE + reference;
    Row::<D> { hot, reference }.stride::<T>() / T::LANES
}

/// Velocities after some sweeps; they satisfy all constraints, which let go and hold between sweeps.
pub(super) fn sweep<T: Scalar, const D: usize>(
    system: &mut System<'_, T, D>,
    options: &Xpbd,
) -> Result<Solution<T, D>, NotConverged> {
    let ground = system.objective.particles.references();
    let context = ground.context;
    let cell_per_step = context.step.geometry.spacing() / context.step.dt;
    let mut passes: Vec<Pass<T, D>> = passes(&ground, options.form);
    let visit = Visit::new(context, options.form);
    let mut velocities = Velocities::new(system);
    for pass in &mut passes {
        each_bundle(pass, &context, |bundle, room| {
            visit.prepare(bundle, &velocities.held, room);
        });
    }
    if options.form == Form::Replaced {
        let share = velocities.begin(system);
        scale_impulses(&mut passes, share);
    }

    let mut history = Vec::new();
    let mut before = velocities.held.clone();
    for iteration in 0..options.iterations {
        let held = velocities.held.values();
        before.values_mut().copy_from_slice(held);
        // Trials are half of the work: every second sweep does without.
        let stiffness = match iteration % 2 {
            0 => Stiffness::Measured,
            _ => Stiffness::Remembered,
        };
        for pass in &mut passes {
            each_bundle(pass, &context, |bundle, room| {
                visit.sweep(bundle, &velocities.held, room, stiffness);
            });
            velocities.collect(pass, &context, system);
        }
        velocities.revise(system);
        history.push(velocities.moved_since(&before, system) / cell_per_step);
    }
    velocities.solution(system, history)
}

/// Works on all bundles of a pass at the same time.
fn each_bundle<T: Scalar, const D: usize>(
    pass: &mut Pass<T, D>,
    context: &TransferContext<'_, T, D>,
    work: impl Fn(&mut Bundle<T, D>, &mut Room<T, D>) + Sync,
) {
    let bundles = pass.bundles.par_iter_mut();
    bundles.for_each_init(|| Room::new(context), |room, bundle| work(bundle, room));
}

/// Takes a share of the impulses of the beginning.
fn scale_impulses<T: Scalar, const D: usize>(passes: &mut [Pass<T, D>], share: f64) {
    let share = T::from_f64(share);
    let bundles = passes.par_iter_mut().flat_map(|pass| &mut pass.bundles);
    bundles.for_each(|bundle| {
        let first = bundle.row.impulse() * T::LANES;
        let stride = bundle.row.stride::<T>();
        for row in bundle.table.chunks_exact_mut(stride) {
            for x in &mut row[first..first + D * D * T::LANES] {
                *x *= share;
            }
        }
    });
}
