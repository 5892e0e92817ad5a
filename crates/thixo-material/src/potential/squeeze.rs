//! No step may squeeze matter to nothing: a part of every step's energy that grows without bound as det(I + M) → 0.
//!
//! Laws without stress to speak of, such as loose snow or spray, would let a step turn matter inside out, where their energy is not defined: E
//! would fall up to a cliff and have no minimum. So ψ gets k ln³(J₀/det A) where det A < J₀ = ¼, twice differentiable, with the modulus of inertia k = ρ₀h²/Δt²: enough
//! to stop matter that crosses a cell in the step. Steps that squeeze by less than a factor of four do not notice.

use thixo_math::{Mask, Matrix, Real};

use super::{Curvature, Definiteness, Slope};

/// J₀: the least volume ratio of a step that costs nothing.
const FREE: f64 = 0.25;

/// What det A costs: x = ln(J₀/det A), zero where that is negative, and A⁻¹.
struct Squeezed<R: Real, const D: usize> {
    x: R,
    inverse: Matrix<R, D>,
    is_possible: R::Mask,
}

/// Looks at an increment; nothing where no lane is squeezed.
#[inline(always)]
fn squeezed<R: Real, const D: usize>(increment: &Matrix<R, D>) -> Option<Squeezed<R, D>> {
    let a = Matrix::identity() + *increment;
    let det = a.determinant();
    if !det.lt(R::splat(FREE)).any() {
        return None;
    }
    let is_possible = det.gt(R::zero());
    let det = R::select(is_possible, det, R::one());
    let x = R::splat(FREE.ln()) - det.ln();
    Some(Squeezed {
        x: x.max(R::zero()),
        inverse: a.inverse(),
        is_possible,
    })
}

/// Adds k x³ and its slope −3 k x² A⁻ᵀ; impossible increments cost infinitely much.
#[inline(always)]
pub(super) fn add_squeeze<R: Real, const D: usize>(
    k: R,
    increment: &Matrix<R, D>,
    slope: &mut Slope<R, D>,
) {
    let Some(squeezed) = squeezed(increment) else {
        return;
    };
    let x = squeezed.x;
    let energy = slope.energy + k * x.squared() * x;
    slope.energy = R::select(squeezed.is_possible, energy, R::splat(f64::INFINITY));
    let factor = R::splat(-3.0) * k * x.squared();
    let is_squeezed = x.gt(R::zero());
    for i in 0..D {
        for j in 0..D {
            let own = factor * squeezed.inverse[j][i];
            slope.gradient[i][j] += R::select(is_squeezed, own, R::zero());
        }
    }
}

/// Adds the upper triangle of its curvature 6 k x A⁻ᵀ_ij A⁻ᵀ_kl + 3 k x² A⁻¹_jk A⁻¹_li. The second part has negative curvatures, and no others that the
/// first has not: projected, it is left out.
#[inline(always)]
pub(super) fn add_squeeze_curvature<R: Real, const D: usize>(
    k: R,
    increment: &Matrix<R, D>,
    definiteness: Definiteness,
    curvature: &mut Curvature<R>,
) {
    let Some(squeezed) = squeezed(increment) else {
        return;
    };
    let is_squeezed = squeezed.x.gt(R::zero()).and(squeezed.is_possible);
    let along = R::splat(6.0) * k * squeezed.x;
    let across = match definiteness {
        Definiteness::AsIs => R::splat(3.0) * k * squeezed.x.squared(),
        Definiteness::Projected => R::zero(),
    };
    let inverse = &squeezed.inverse;
    for row in 0..D * D {
        for column in row..D * D {
            let (i, j, m, l) = (row / D, row % D, column / D, column % D);
            let own =
                along * inverse[j][i] * inverse[l][m] + across * inverse[j][m] * inverse[l][i];
            curvature[row][column] += R::select(is_squeezed, own, R::zero());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing<const D: usize>() -> Slope<f64, D> {
        Slope {
            energy: 0.0,
            gradient: Matrix::zero(),
        }
    }

    /// I + M with det far below J₀, turned and sheared.
    fn flat<const D: usize>() -> Matrix<f64, D> {
        let mut m = Matrix::zero();
        for i in 0..D {
            m[i][i] = -0.5 - 0.15 * i as f64;
            m[i][(i + 1) % D] += 0.1 + 0.05 * i as f64;
        }
        m
    }

    #[test]
    fn slope_and_curvature_are_derivatives() {
        fn check<const D: usize>() {
            let (m, k, e) = (flat::<D>(), 3.0, 1e-6);
            let at = |m: &Matrix<f64, D>| {
                let mut slope = nothing();
                add_squeeze(k, m, &mut slope);
                slope
            };
            let slope = at(&m);
            assert!(slope.energy > 0.1, "{}", slope.energy);
            let mut curvature = [[0.0; 9]; 9];
            add_squeeze_curvature(k, &m, Definiteness::AsIs, &mut curvature);
            for column in 0..D * D {
                let (mut above, mut below) = (m, m);
                above[column / D][column % D] += e;
                below[column / D][column % D] -= e;
                let (high, low) = (at(&above), at(&below));
                let found = (high.energy - low.energy) / (2.0 * e);
                let expected = slope.gradient[column / D][column % D];
                assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0));
                for row in 0..=column {
                    let (i, j) = (row / D, row % D);
                    let found = (high.gradient[i][j] - low.gradient[i][j]) / (2.0 * e);
                    let expected = curvature[row][column];
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
    fn small_increments_cost_nothing_and_impossible_ones_too_much() {
        let mut slope = nothing::<2>();
        add_squeeze(1.0, &Matrix::from_scalar(-0.45), &mut slope);
        assert_eq!(slope.energy, 0.0);
        assert_eq!(slope.gradient.norm_squared(), 0.0);
        let mut inside_out = Matrix::zero();
        inside_out[0][0] = -1.5;
        add_squeeze(1.0, &inside_out, &mut slope);
        assert_eq!(slope.energy, f64::INFINITY);
    }
}
