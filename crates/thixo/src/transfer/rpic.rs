//! RPIC, rigid particle-in-cell: \[Jiang2015thesis\] §5.2, errata E3.
//!
//! A particle carries its angular momentum L_p = m Σ w (x_i − x_p) × v_i and scatters the rigid
//! field K_p⁻¹ L_p × (x_i − x_p). With D_p = δ I, K_p = m (tr D_p I − D_p) makes K_p⁻¹ L_p × r
//! equal to the skew part of B D_p⁻¹ times r; that skew matrix is what is stored.

use thixo_math::Real;

use super::{ParticleUpdate, StencilSums};

/// The skew part of B D_p⁻¹.
#[inline(always)]
pub fn take<R: Real, const D: usize>(
    sums: &StencilSums<R, D>,
    inertia: Option<R>,
) -> ParticleUpdate<R, D> {
    let c = sums.affine_velocity(inertia);
    ParticleUpdate {
        velocity: sums.velocity,
        affine: (c - c.transpose()) * R::splat(0.5),
        gradient: sums.gradient,
    }
}
