//! Terms of the objective E(v): the interface by which energies enter an implicit step.
//!
//! E(v) = inertia + particle terms + node terms. A [`ParticleTerm`] is a function of the increments
//! M = Δt∇v of the particles, such as elastic energy and Rayleigh damping; all of them share one
//! gather and scatter pass and one stored Hessian per particle
//! ([`ParticleEnergy`](super::particle_energy::ParticleEnergy)). An [`EnergyTerm`] is a function of
//! the velocities of the nodes with an assembly of its own, such as friction or the energy of a
//! mesh; [`Objective`](super::objective::Objective) lists them.

use thixo_par::Scalar;

use crate::grid::Node;
use crate::material::potential::Definiteness;
use crate::transfer::SegmentIncrements;

/// A value of E or of a term of it \[J\].
#[derive(Clone, Copy, Debug)]
pub(super) struct EnergyValue {
    /// The energy.
    pub value: f64,
    /// Estimate of its rounding error.
    pub rounding: f64,
}

/// A term of E as a function of the velocities of the nodes.
pub(super) trait EnergyTerm<T: Scalar, const D: usize> {
    /// Its value at velocities.
    fn energy(&self, v: &[Node<T>]) -> EnergyValue;
    /// Adds its gradient at velocities \[N s\]; without velocities, at rest.
    fn gradient(&self, v: Option<&[Node<T>]>, gradient: &mut [Node<T>]);
    /// Stores its Hessian at velocities for [`product`](Self::product) and
    /// [`diagonal`](Self::diagonal).
    fn linearize(&mut self, v: &[Node<T>], definiteness: Definiteness);
    /// out ← out + H x with the stored Hessian H, internal forces with the `share` β of their
    /// stiffness; returns x · H x.
    fn product(&self, x: &[Node<T>], share: f64, out: &mut [Node<T>]) -> f64;
    /// Adds the diagonal of the stored Hessian \[kg\].
    fn diagonal(&self, diagonal: &mut [Node<T>]);
}

/// A term of E as a function of the increments M of the particles, segment by segment.
///
/// The elastic energy comes first and overwrites its output; further terms add to it. Products and
/// the diagonal follow from the sum of the Hessians.
pub(in crate::integrate) trait ParticleTerm<T: Scalar, const D: usize>:
    Sync
{
    /// V⁰ ∂ψ/∂M of every particle, D² columns; returns the energy of the segment \[J\].
    fn gradient(&self, at: &SegmentIncrements<'_, T, D>, out: &mut [T]) -> f64;
    /// V⁰ ∂²ψ/∂M² of every particle, upper triangle.
    fn hessian(&self, at: &SegmentIncrements<'_, T, D>, definiteness: Definiteness, out: &mut [T]);
}
