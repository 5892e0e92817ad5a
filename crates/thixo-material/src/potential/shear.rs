//! Newtonian shear viscosity as a potential of the step.
//!
//! Φ = ηJ/Δt dev ε : dev ε with ε = sym M: its slope is 2ηJ dev(sym ∇v), the viscous part of τ at the beginning of the step.
//! \[Ram2015\] eq. (11) with errata E13, without its part of volume change.

use thixo_math::{Matrix, Real};

use super::{Curvature, Slope};

/// Adds energy and slope of a viscosity ηJ/Δt \[Pa\].
#[inline(always)]
pub fn add_shear_viscosity<R: Real, const D: usize>(
    viscosity: R,
    increment: &Matrix<R, D>,
    slope: &mut Slope<R, D>,
) {
    let rate = increment.symmetric_part().deviator();
    slope.energy += viscosity * rate.norm_squared();
    slope.gradient = rate.mul_add(viscosity + viscosity, slope.gradient);
}

/// Adds the curvature: 2c (½(δ_ik δ_jl + δ_il δ_jk) − δ_ij δ_kl/d), upper triangle.
#[inline(always)]
pub fn shear_curvature<R: Real, const D: usize>(viscosity: R, curvature: &mut Curvature<R>) {
    for i in 0..D {
        for j in 0..D {
            let row = i * D + j;
            curvature[row][row] += viscosity;
            let transposed = j * D + i;
            if transposed >= row {
                curvature[row][transposed] += viscosity;
            }
        }
    }
    let share = viscosity * R::splat(-2.0 / D as f64);
    for i in 0..D {
        for k in i..D {
            curvature[i * D + i][k * D + k] += share;
        }
    }
}
