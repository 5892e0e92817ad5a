//! PIC, FLIP and their blend: \[Jiang2015thesis\] §5.1, \[Jiang2016\] §9.1. Nothing but velocity is
//! carried.

use thixo_math::{Matrix, Real, Vector};

use super::{ParticleUpdate, StencilSums};

/// v_p ← α (v_p + Σ w (v^{n+1} − v^n)) + (1 − α) Σ w v^{n+1} \[m/s\], equation (9), with the
/// fraction `flip` = α of FLIP, 0 to 1 \[–\].
#[inline(always)]
pub fn take<R: Real, const D: usize>(
    flip: f64,
    old: Vector<R, D>,
    sums: &StencilSums<R, D>,
) -> ParticleUpdate<R, D> {
    let kept = (old - sums.velocity_before) * R::splat(flip);
    ParticleUpdate {
        velocity: sums.velocity + kept,
        affine: Matrix::zero(),
        gradient: sums.gradient,
    }
}
