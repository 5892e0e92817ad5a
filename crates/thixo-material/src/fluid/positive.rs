//! Symmetric positive definite matrices whose eigenvalues are far apart, by elimination:
//! relative errors are ε λ_max/λ_min, where expansions by minors have the square of that quotient.

use thixo_math::{Matrix, Real};

/// N of b⁻¹ = NᵀN, lower triangular, and det b, the product of the pivots of the elimination.
/// Pivots lost to rounding are put at ε times their diagonal entry, so that the determinant
/// stays positive.
#[inline(always)]
pub(super) fn inverse_root<R: Real, const D: usize>(b: &Matrix<R, D>) -> (Matrix<R, D>, R) {
    let mut rest = *b;
    let mut root = Matrix::identity();
    let mut det = R::one();
    for k in 0..D {
        // NaN stays NaN: `max` keeps its second operand then.
        let pivot = (b[k][k] * R::splat(R::EPSILON)).max(rest[k][k]);
        det *= pivot;
        for i in k + 1..D {
            let factor = rest[k][i] / pivot;
            for j in i..D {
                let share = factor * rest[k][j];
                rest[i][j] -= share;
            }
            for j in 0..=k {
                let share = factor * root[k][j];
                root[i][j] -= share;
            }
        }
        let scale = R::one() / pivot.sqrt();
        for j in 0..=k {
            root[k][j] *= scale;
        }
    }
    (root, det)
}

/// det b.
#[inline(always)]
pub(super) fn positive_determinant<R: Real, const D: usize>(b: &Matrix<R, D>) -> R {
    inverse_root(b).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_the_inverse_is_one() {
        let b = Matrix([[4.0, 2.0, -2.0], [2.0, 5.0, 3.0], [-2.0, 3.0, 14.0]]);
        let (root, det) = inverse_root(&b);
        // Pivots 4, 4 and 9.
        assert!((det - 144.0_f64).abs() < 1e-12, "{det}");
        let one = root * b * root.transpose();
        assert!((one - Matrix::identity()).norm_squared() < 1e-28, "{one:?}");
        assert_eq!(root[0][1], 0.0);
    }

    /// Eigenvalues 2, 2 × 10⁻³ and 10⁻⁶, of which single precision knows the last to
    /// one part in eight.
    #[test]
    fn it_stays_positive_where_digits_are_gone() {
        let turn = Matrix::<f64, 3>([[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8], [0.64, -0.48, 0.6]]);
        let stretch = Matrix([[2.0, 0.0, 0.0], [0.0, 2e-3, 0.0], [0.0, 0.0, 1e-6]]);
        let exact = turn * stretch * turn.transpose();
        let mut b = Matrix::<f32, 3>::zero();
        for i in 0..3 {
            for j in 0..3 {
                b[i][j] = exact[i.min(j)][i.max(j)] as f32;
            }
        }
        let (root, det) = inverse_root(&b);
        let inverse = root.transpose().times_own_transpose();
        assert!(det > 0.0 && (0..3).all(|k| inverse[k][k] > 0.0));
        let largest = inverse.trace();
        assert!((f64::from(largest) * 1e-6 - 1.0).abs() < 0.3, "{largest}");
    }
}
