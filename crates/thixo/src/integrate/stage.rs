//! What the stages of a step need besides particles and grid.

use thixo_par::{Isa, Scalar};

use crate::collide::Collider;
use crate::force::LoadedSurface;
use crate::grid::{Geometry, Grid};
use crate::material::Material;
use crate::particles::{Order, Particles};
use crate::simulation::{Checked, Simulation};
use crate::transfer::{Advection, Transfer};

/// Order of the particles, materials, time: the same for all stages of a step.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a, T: Scalar, const D: usize> {
    /// Blocks and segments.
    pub order: &'a Order<D>,
    /// Spacing and kernel.
    pub geometry: &'a Geometry<D>,
    /// How velocities are exchanged.
    pub transfer: Transfer,
    /// With the velocity of which place particles are moved.
    pub advection: Advection,
    /// By index of species.
    pub materials: &'a [Box<dyn Material<T, D>>],
    /// Obstacles by level sets.
    pub colliders: &'a [Collider<D>],
    /// Instruction set.
    pub isa: Isa,
    /// Time at the start of the step \[s\].
    pub time: f64,
    /// Time step \[s\].
    pub dt: f64,
}

/// A simulation taken apart for a step.
pub(crate) struct Parts<'a, T: Scalar, const D: usize> {
    pub particles: &'a mut Particles<T, D>,
    pub grid: &'a mut Grid<T, D>,
    pub setup: &'a Checked<D>,
    pub loads: &'a mut [LoadedSurface<D>],
    pub stage: Stage<'a, T, D>,
}

impl<T: Scalar, const D: usize> Simulation<T, D> {
    /// Takes the simulation apart for a step of `dt` seconds.
    pub(crate) fn parts(&mut self, dt: f64) -> Parts<'_, T, D> {
        Parts {
            particles: &mut self.particles,
            grid: &mut self.grid,
            setup: &self.setup,
            loads: &mut self.loads,
            stage: Stage {
                order: &self.order,
                geometry: &self.setup.geometry,
                transfer: self.setup.transfer,
                advection: self.setup.integrator.advection(),
                materials: &self.materials,
                colliders: &self.setup.colliders,
                isa: self.isa,
                time: self.time,
                dt,
            },
        }
    }
}
