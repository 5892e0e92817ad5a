//! Parameters of a step that transfers need besides particles and grid.

use thixo_par::Scalar;

use super::{Advection, Transfer};
use crate::collide::Collider;
use crate::material::Material;
use crate::step_context::StepContext;

/// A step, and the transfer, materials and obstacles of its particles.
#[derive(Clone, Copy, Debug)]
pub struct TransferContext<'a, T: Scalar, const D: usize> {
    /// Grid and time.
    pub step: StepContext<'a, D>,
    /// Exchange of velocity between particles and grid.
    pub transfer: Transfer,
    /// Position whose velocity moves particles.
    pub advection: Advection,
    /// Materials, by index of species.
    pub materials: &'a [Box<dyn Material<T, D>>],
    /// Obstacles by level sets, which particles do not pass.
    pub colliders: &'a [Collider<D>],
}
