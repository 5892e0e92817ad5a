//! MLS-MPM: APIC whose forces and velocity gradient come from moving least squares, \[Hu2018\],
//! \[Nilles2020\] §4.2.
//!
//! ∇w is replaced by w D_p⁻¹ (x_i − x_p), equation (4), so that the velocity gradient is C itself
//! and stress is added to the affine matrix.

use thixo_math::Real;

use super::{ParticleUpdate, StencilSums};

/// C = B D_p⁻¹, which is the velocity gradient too.
#[inline(always)]
pub fn take<R: Real, const D: usize>(
    sums: &StencilSums<R, D>,
    inertia: Option<R>,
) -> ParticleUpdate<R, D> {
    let affine = sums.affine_velocity(inertia);
    ParticleUpdate {
        velocity: sums.velocity,
        affine,
        gradient: affine,
    }
}
