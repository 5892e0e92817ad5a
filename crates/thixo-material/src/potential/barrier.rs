//! Barrier against inversion: a term of every step's energy that grows without bound as
//! det(I + M) → 0.
//!
//! Laws with hardly any stress, such as loose snow or spray, would let a step invert matter, where
//! their energy is undefined: E would decrease up to the boundary of its domain and have no
//! minimum. So ψ gets k ln³(J₀/det A) where det A < J₀ = ¼, twice continuously differentiable, with
//! the modulus of inertia k = ρ₀h²/Δt²: enough to stop matter that crosses a cell in the step. The
//! barrier is zero in steps that compress by less than a factor of four.

use thixo_math::{Mask, Matrix, Real};

use super::{Definiteness, Gradient, Hessian};

/// J₀ \[–\]: volume ratio of a step below which the barrier acts.
const THRESHOLD: f64 = 0.25;

/// The argument of the barrier x = max(0, ln(J₀/det A)), and A⁻¹.
struct Argument<R: Real, const D: usize> {
    x: R,
    inverse: Matrix<R, D>,
    /// det A > 0.
    is_admissible: R::Mask,
}

/// The argument at an increment; none where no lane is below the threshold.
#[inline(always)]
fn argument<R: Real, const D: usize>(increment: &Matrix<R, D>) -> Option<Argument<R, D>> {
    let a = Matrix::identity() + *increment;
    let det = a.determinant();
    if !det.lt(R::splat(THRESHOLD)).any() {
        return None;
    }
    let is_admissible = det.gt(R::zero());
    let det = R::select(is_admissible, det, R::one());
    let x = R::splat(THRESHOLD.ln()) - det.ln();
    Some(Argument {
        x: x.max(R::zero()),
        inverse: a.inverse(),
        is_admissible,
    })
}

/// Adds k x³ and its gradient −3 k x² A⁻ᵀ; the energy of inadmissible increments is infinite.
#[inline(always)]
pub(super) fn add_barrier<R: Real, const D: usize>(
    k: R,
    increment: &Matrix<R, D>,
    psi: &mut Gradient<R, D>,
) {
    let Some(at) = argument(increment) else {
        return;
    };
    let x = at.x;
    let energy = psi.energy + k * x.squared() * x;
    psi.energy = R::select(at.is_admissible, energy, R::splat(f64::INFINITY));
    let factor = R::splat(-3.0) * k * x.squared();
    let is_active = x.gt(R::zero());
    for i in 0..D {
        for j in 0..D {
            let own = factor * at.inverse[j][i];
            psi.gradient[i][j] += R::select(is_active, own, R::zero());
        }
    }
}

/// Adds the upper triangle of the Hessian 6 k x A⁻ᵀ_ij A⁻ᵀ_kl + 3 k x² A⁻¹_jk A⁻¹_li. The first
/// term is positive semi-definite; the projected Hessian leaves out the second, which is
/// indefinite.
#[inline(always)]
pub(super) fn add_barrier_hessian<R: Real, const D: usize>(
    k: R,
    increment: &Matrix<R, D>,
    definiteness: Definiteness,
    hessian: &mut Hessian<R>,
) {
    let Some(at) = argument(increment) else {
        return;
    };
    let is_active = at.x.gt(R::zero()).and(at.is_admissible);
    let along = R::splat(6.0) * k * at.x;
    let across = match definiteness {
        Definiteness::AsIs => R::splat(3.0) * k * at.x.squared(),
        Definiteness::Projected => R::zero(),
    };
    let inverse = &at.inverse;
    for row in 0..D * D {
        for column in row..D * D {
            let (i, j, m, l) = (row / D, row % D, column / D, column % D);
            let own =
                along * inverse[j][i] * inverse[l][m] + across * inverse[j][m] * inverse[l][i];
            hessian[row][column] += R::select(is_active, own, R::zero());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing<const D: usize>() -> Gradient<f64, D> {
        Gradient {
            energy: 0.0,
            gradient: Matrix::zero(),
        }
    }

    /// An increment with det(I + M) far below J₀, with rotation and shear.
    fn flat<const D: usize>() -> Matrix<f64, D> {
        let mut m = Matrix::zero();
        for i in 0..D {
            m[i][i] = -0.5 - 0.15 * i as f64;
            m[i][(i + 1) % D] += 0.1 + 0.05 * i as f64;
        }
        m
    }

    #[test]
    fn gradient_and_hessian_are_derivatives() {
        fn check<const D: usize>() {
            let (m, k, e) = (flat::<D>(), 3.0, 1e-6);
            let at = |m: &Matrix<f64, D>| {
                let mut psi = nothing();
                add_barrier(k, m, &mut psi);
                psi
            };
            let psi = at(&m);
            assert!(psi.energy > 0.1, "{}", psi.energy);
            let mut hessian = [[0.0; 9]; 9];
            add_barrier_hessian(k, &m, Definiteness::AsIs, &mut hessian);
            for column in 0..D * D {
                let (mut above, mut below) = (m, m);
                above[column / D][column % D] += e;
                below[column / D][column % D] -= e;
                let (high, low) = (at(&above), at(&below));
                let found = (high.energy - low.energy) / (2.0 * e);
                let expected = psi.gradient[column / D][column % D];
                assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0));
                for row in 0..=column {
                    let (i, j) = (row / D, row % D);
                    let found = (high.gradient[i][j] - low.gradient[i][j]) / (2.0 * e);
                    let expected = hessian[row][column];
                    let error = (found - expected).abs();
                    assert!(
                        error < 1e-6 * expected.abs().max(10.0),
                        "{found} {expected}"
                    );
                }
            }
        }
        check::<2>();
        check::<3>();
    }

    #[test]
    fn the_barrier_is_zero_at_small_increments_and_infinite_at_inversion() {
        let mut psi = nothing::<2>();
        add_barrier(1.0, &Matrix::from_scalar(-0.45), &mut psi);
        assert_eq!(psi.energy, 0.0);
        assert_eq!(psi.gradient.norm_squared(), 0.0);
        let mut inside_out = Matrix::zero();
        inside_out[0][0] = -1.5;
        add_barrier(1.0, &inside_out, &mut psi);
        assert_eq!(psi.energy, f64::INFINITY);
    }
}
