//! Repeated transfers: as many as explicit steps would make, equation (25).
//!
//! Every transfer from grid to particles and back loses the modes of the velocity that particles
//! cannot represent (`docs/algorithm.md` (19c)): APIC keeps affine motion around each particle and
//! smooths finer modes. Ten explicit steps damp by ten transfers, one step ten times as long by a
//! single one, and sand that slides on a floor then runs 16 to 18 % further. Passes particles →
//! grid → particles without forces and without motion restore the damping. They conserve momentum,
//! and angular momentum where the transfer does.

use thixo_par::Scalar;

use crate::integrate::CheckedSetup;
use crate::state::State;
use crate::timestep::{kappa, stability_limit};
use crate::workspace::Workspace;
use crate::{collide, force, transfer};

/// Transfers in a step, at most: more passes would cost more than all sweeps.
const MAX_TRANSFERS: f64 = 20.0;

/// Number of transfers of velocities between particles and grid in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfers {
    /// As many as the explicit steps that fit into it, at most 20: matter is damped as by explicit
    /// steps.
    #[default]
    AsExplicit,
    /// One: matter is damped less the longer steps are, and the step is the minimum of eq. (23) for
    /// the velocities of the particles.
    Once,
}

impl Transfers {
    /// Transfers besides that of the step itself.
    fn passes<T: Scalar, const D: usize>(
        self,
        setup: &CheckedSetup<T, D>,
        state: &State<T, D>,
        dt: f64,
    ) -> u32 {
        if self == Self::Once {
            return 0;
        }
        let geometry = &setup.geometry;
        let kappa = kappa(geometry.kernel(), setup.transfer);
        let (stable, _) = stability_limit(&state.time_step.limits, geometry.spacing(), kappa);
        let steps = dt / (setup.time_step.safety * stable);
        steps.round().clamp(1.0, MAX_TRANSFERS) as u32 - 1
    }

    /// Makes the additional transfers, with walls as in explicit steps: their normal impulse is
    /// that of the stress of the beginning and gravity in such a step. Returns the friction
    /// impulses of walls by node \[N s\], empty if there are no such transfers; `None` if
    /// velocities are not finite.
    pub(in crate::integrate) fn repeat_transfers<T: Scalar, const D: usize>(
        self,
        setup: &CheckedSetup<T, D>,
        state: &mut State<T, D>,
        work: &mut Workspace<T, D>,
        dt: f64,
    ) -> Option<Vec<f64>> {
        let passes = self.passes(setup, state, dt);
        if passes == 0 {
            return Some(Vec::new());
        }
        let particles = &mut state.particles;
        let Workspace { order, grid, .. } = work;
        // The momenta before the last step are not those of these passes: they would be divided by
        // the masses again and again, beyond all bounds.
        let kept = grid.before.take();
        let context = setup.context(order, state.time, dt / f64::from(passes + 1));
        let step = &context.step;
        transfer::scatter_momentum(particles, grid, &context);
        let begun = grid.nodes.clone();
        force::scatter_stress(particles, grid, &context);
        grid.add_impulse_of_force(step.dt);
        force::accelerate(&setup.body_force, grid, step);
        let mut pressing = grid.nodes.clone();
        for (node, begun) in pressing.values_mut().iter_mut().zip(begun.values()) {
            for a in 0..D {
                node[a] -= begun[a];
            }
        }
        let mut spent = vec![0.0; begun.values().len()];
        for _ in 0..passes {
            transfer::scatter_momentum(particles, grid, &context);
            collide::reflect_pressed(&setup.walls, grid, (&pressing, &mut spent), step);
            if !grid.divide_by_mass() {
                grid.before = kept;
                return None;
            }
            transfer::gather_velocity(particles, grid, &context);
        }
        grid.before = kept;
        Some(spent)
    }
}
