//! Isotropic matter in its principal axes: stress and strain share them, so that a law is a function of stretches.
//!
//! τ = Σ τ_i n_i n_iᵀ with the principal Kirchhoff stresses τ_i = σ_i ∂ψ/∂σ_i, stretches σ_i and axes n_i of b = F Fᵀ.
//! \[Jiang2016\] §6.3.

use thixo_math::{Matrix, Real, Vector, svd, symmetric_eigen};

/// Stretches and their axes in space.
#[derive(Clone, Copy, Debug)]
pub struct Principal<R, const D: usize> {
    /// σ_i \[–\], the sign of det F on the last (errata E6).
    pub stretches: Vector<R, D>,
    /// Axes n_i as columns.
    pub axes: Matrix<R, D>,
}

impl<R: Real, const D: usize> Principal<R, D> {
    /// Of a deformation gradient; serves inverted states too.
    #[inline(always)]
    pub fn of_deformation(f: &Matrix<R, D>) -> Self {
        let parts = svd(f);
        Self {
            stretches: parts.sigma,
            axes: parts.u,
        }
    }
    /// Of a left Cauchy-Green tensor, which must be positive definite.
    #[inline(always)]
    pub fn of_left_cauchy_green(b: &Matrix<R, D>) -> Self {
        let parts = symmetric_eigen(b);
        let mut stretches = parts.values;
        for i in 0..D {
            // Rounding may leave a strongly flattened state with a negative eigenvalue.
            stretches[i] = stretches[i].max(R::splat(R::MIN_POSITIVE)).sqrt();
        }
        Self {
            stretches,
            axes: parts.vectors,
        }
    }
    /// Hencky strain ln σ_i.
    #[inline(always)]
    pub fn hencky(&self) -> Vector<R, D> {
        let mut strain = self.stretches;
        for i in 0..D {
            strain[i] = strain[i].ln();
        }
        strain
    }
    /// Σ values_i n_i n_iᵀ, exactly symmetric.
    #[inline(always)]
    pub fn compose(&self, values: &Vector<R, D>) -> Matrix<R, D> {
        let mut out = Matrix::zero();
        for i in 0..D {
            for j in i..D {
                let mut sum = self.axes[i][0] * self.axes[j][0] * values[0];
                for k in 1..D {
                    sum = (self.axes[i][k] * self.axes[j][k]).mul_add(values[k], sum);
                }
                out[i][j] = sum;
                out[j][i] = sum;
            }
        }
        out
    }
}

/// An isotropic elastic law.
pub trait PrincipalLaw<R: Real>: Copy {
    /// Energy density ψ(σ) per rest volume, zero at rest \[J/m³\].
    fn energy<const D: usize>(&self, stretches: &Vector<R, D>) -> R;
    /// Principal Kirchhoff stresses σ_i ∂ψ/∂σ_i \[Pa\].
    fn kirchhoff<const D: usize>(&self, stretches: &Vector<R, D>) -> Vector<R, D>;
    /// An upper bound of the modulus of the stress increment, for the time step \[Pa\].
    fn stiffness<const D: usize>(&self, stretches: &Vector<R, D>) -> R;
    /// The law with all its moduli times a factor: hardening.
    fn scaled(self, factor: R) -> Self;
}

/// Product of the stretches: J.
#[inline(always)]
pub fn product<R: Real, const D: usize>(stretches: &Vector<R, D>) -> R {
    let mut j = stretches[0];
    for i in 1..D {
        j *= stretches[i];
    }
    j
}

/// Sum of the components: tr of a strain.
#[inline(always)]
pub fn sum<R: Real, const D: usize>(values: &Vector<R, D>) -> R {
    let mut out = values[0];
    for i in 1..D {
        out += values[i];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_and_axes_rebuild_the_left_cauchy_green_tensor() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.2], [0.1, -0.2, 1.1]]);
        let b = f.times_own_transpose();
        for principal in [
            Principal::of_deformation(&f),
            Principal::of_left_cauchy_green(&b),
        ] {
            let mut squared = principal.stretches;
            for i in 0..3 {
                squared[i] *= squared[i];
            }
            let error = (principal.compose(&squared) - b).norm_squared().sqrt();
            assert!(error < 1e-14, "{error}");
            assert!((product(&principal.stretches) - f.determinant()).abs() < 1e-14);
        }
    }
}
