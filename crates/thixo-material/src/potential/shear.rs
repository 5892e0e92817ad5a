//! Newtonian shear viscosity as a dissipation potential of the step.
//!
//! Φ = ηJ/Δt dev ε : dev ε with ε = sym M: its gradient is 2ηJ dev(sym ∇v), the viscous part of τ
//! at the beginning of the step. \[Ram2015\] eq. (11) with errata E13, without its volumetric part.

use thixo_math::{Matrix, Real};

use super::{Gradient, Hessian};

/// Adds energy and gradient of a viscosity ηJ/Δt \[Pa\].
#[inline(always)]
pub fn add_shear_viscosity<R: Real, const D: usize>(
    viscosity: R,
    increment: &Matrix<R, D>,
    psi: &mut Gradient<R, D>,
) {
    let rate = increment.symmetric_part().deviator();
    psi.energy += viscosity * rate.norm_squared();
    psi.gradient = rate.mul_add(viscosity + viscosity, psi.gradient);
}

/// Adds the upper triangle of the Hessian 2c (½(δ_ik δ_jl + δ_il δ_jk) − δ_ij δ_kl/d), c = ηJ/Δt.
#[inline(always)]
pub fn add_shear_viscosity_hessian<R: Real, const D: usize>(
    viscosity: R,
    hessian: &mut Hessian<R>,
) {
    for i in 0..D {
        for j in 0..D {
            let row = i * D + j;
            hessian[row][row] += viscosity;
            let transposed = j * D + i;
            if transposed >= row {
                hessian[row][transposed] += viscosity;
            }
        }
    }
    let share = viscosity * R::splat(-2.0 / D as f64);
    for i in 0..D {
        for k in i..D {
            hessian[i * D + i][k * D + k] += share;
        }
    }
}
