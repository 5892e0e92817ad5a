//! APIC, the affine particle-in-cell method: \[Jiang2015apic\], \[Jiang2016\] eq. (173)–(176),
//! \[Jiang2015thesis\] §5.3.
//!
//! With the quadratic and cubic kernels D_p is a multiple of the identity and C = B D_p⁻¹ is
//! stored; the linear kernel stores B itself and scatters m (w v + B ∇w), because w D_p⁻¹
//! (x_i − x_p) = ∇w there while D_p may vanish (errata E42).

use thixo_math::Real;

use super::{ParticleUpdate, StencilSums};

/// C = B D_p⁻¹ \[1/s\], or B \[m²/s\] where D_p is not constant, times the fraction of APIC, 0 to
/// 1 \[–\].
#[inline(always)]
pub fn take<R: Real, const D: usize>(
    share: f64,
    sums: &StencilSums<R, D>,
    inertia: Option<R>,
) -> ParticleUpdate<R, D> {
    let scale = match inertia {
        Some(delta) => R::splat(share) / delta,
        None => R::splat(share),
    };
    ParticleUpdate {
        velocity: sums.velocity,
        affine: sums.moment * scale,
        gradient: sums.gradient,
    }
}
