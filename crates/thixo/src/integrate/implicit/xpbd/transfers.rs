//! As many transfers as explicit steps would make.
//!
//! What particles cannot carry is lost whenever velocities go to the particles and back, in every step alike (`docs/algorithm.md` (19c)): APIC keeps affine motion around each particle and smooths what
//! is finer. Explicit matter is damped so ten times while a step ten times as long does it once, and sand that slides on a floor then runs 16 to 18 % further. Passes particles → grid → particles
//! without forces and without motion make up for it: equation (25). They conserve momentum, and angular momentum where the transfer does.

use thixo_par::Scalar;

use crate::integrate::CheckedSetup;
use crate::state::State;
use crate::timestep::{kappa, stability_limit};
use crate::workspace::Workspace;
use crate::{collide, force, transfer};

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
        steps.round().clamp(1.0, MOST) as u32 - 1
    }

    /// Makes them, with walls as in explicit steps: what they press on is what stress and gravity of the beginning do in such a step. Returns for every node of a wall what friction took
    /// \[N s\], nothing where there was none; `None` where a node has no finite velocity.
    pub(in crate::integrate) fn make_up<T: Scalar, const D: usize>(
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
                return None;
            }
            transfer::gather_velocity(particles, grid, &context);
        }
        Some(spent)
    }
}
