//! As many transfers as explicit steps would make.
//!
//! What particles cannot carry is lost whenever velocities go to the particles and back, in every step alike (`docs/algorithm.md` (19c)): APIC keeps affine motion around each particle and smooths what
//! is finer. Explicit matter is damped so ten times while a step ten times as long does it once, and sand that slides on a floor then runs some 15 % further. Passes particles → grid → particles
//! without forces and without motion make up for it: equation (25). They conserve momentum, and angular momentum where the transfer does.

use thixo_par::Scalar;

use crate::integrate::timestep::{kappa, stability_limit};
use crate::simulation::Simulation;
use crate::transfer;

/// Explicit steps that are made up for, at most: beyond, passes would cost more than all sweeps.
const MOST: f64 = 20.0;

/// How often velocities go from particles to grid and back in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfers {
    /// As often as in the explicit steps that fit into it, at most 20 times: matter is damped as by explicit steps.
    #[default]
    AsExplicit,
    /// Once: matter is damped less the longer steps are, and the step is the minimum of eq. (23) for the velocities that particles have.
    Once,
}

impl Transfers {
    /// Passes besides that of the step itself.
    fn passes<T: Scalar, const D: usize>(self, sim: &Simulation<T, D>, dt: f64) -> u32 {
        if self == Self::Once {
            return 0;
        }
        let geometry = &sim.setup.geometry;
        let kappa = kappa(geometry.kernel(), sim.setup.transfer);
        let (stable, _) = stability_limit(&sim.pace.limits, geometry.spacing(), kappa);
        let steps = dt / (sim.setup.time_step.safety * stable);
        steps.round().clamp(1.0, MOST) as u32 - 1
    }

    /// Makes them; returns whether all nodes had finite velocities.
    pub fn make_up<T: Scalar, const D: usize>(self, sim: &mut Simulation<T, D>, dt: f64) -> bool {
        let parts = |sim: &mut Simulation<T, D>| {
            let parts = sim.parts(0.0);
            transfer::scatter_momentum(parts.particles, parts.grid, &parts.stage);
            let is_sound = parts.grid.divide_by_mass();
            if is_sound {
                transfer::gather_velocity(parts.particles, parts.grid, &parts.stage);
            }
            is_sound
        };
        (0..self.passes(sim, dt)).all(|_| parts(sim))
    }
}
