//! What transfers need to know of a step besides particles and grid.

use thixo_par::Scalar;

use super::{Advection, Transfer};
use crate::collide::Collider;
use crate::material::Material;
use crate::step_context::StepContext;

/// A step, and the rules that its particles follow.
#[derive(Clone, Copy, Debug)]
pub struct TransferContext<'a, T: Scalar, const D: usize> {
    /// Grid and time.
    pub step: StepContext<'a, D>,
    /// Exchange of velocity between particles and grid.
    pub transfer: Transfer,
    /// Place whose velocity moves particles.
    pub advection: Advection,
    /// By index of species.
    pub materials: &'a [Box<dyn Material<T, D>>],
    /// Obstacles by level sets, which particles do not pass.
    pub colliders: &'a [Collider<D>],
}
