//! Increments of the deformation that keep volumes positive, equation (11).

use thixo_math::{Mask, Matrix, Real};

/// Halvings after which an increment is given up on; ‖M‖ would exceed 2⁶³.
const MAX_HALVINGS: usize = 64;

/// R(M) − I, where R(M) is I + M for ‖M‖ ≤ ½, else R(M/2)²: squaring I + B gives I + 2B + B².
/// The determinant of R(M) is positive for every finite M, which that of I + M is not.
/// \[Jiang2015thesis\] §6.4.9, errata E32.
#[inline(always)]
pub fn positive_increment<R: Real, const D: usize>(m: &Matrix<R, D>) -> Matrix<R, D> {
    let norm_squared = m.norm_squared();
    if !norm_squared.gt(R::splat(0.25)).any() {
        return *m;
    }
    halved_increment(m, norm_squared)
}

/// The rare case of [`positive_increment`], each lane halved as often as it needs.
#[inline(always)]
fn halved_increment<R: Real, const D: usize>(m: &Matrix<R, D>, norm_squared: R) -> Matrix<R, D> {
    let (half, quarter) = (R::splat(0.5), R::splat(0.25));
    let mut scale = R::one();
    let mut halvings = R::zero();
    let mut rest = norm_squared;
    for _ in 0..MAX_HALVINGS {
        let large = rest.gt(quarter);
        if !large.any() {
            break;
        }
        scale = R::select(large, scale * half, scale);
        rest = R::select(large, rest * quarter, rest);
        halvings = R::select(large, halvings + R::one(), halvings);
    }
    let mut out = *m * scale;
    for k in 0..MAX_HALVINGS {
        let again = R::splat(k as f64).lt(halvings);
        if !again.any() {
            break;
        }
        let squared = out.mul_add(R::splat(2.0), out * out);
        out = Matrix::select(again, squared, out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_increments_are_linear() {
        let m = Matrix([[0.1, 0.2], [-0.1, 0.05]]);
        assert_eq!(positive_increment(&m), m);
    }

    #[test]
    fn a_double_inversion_is_not_accepted() {
        let m = Matrix::<f64, 2>::from_scalar(-2.0);
        let r = Matrix::identity() + positive_increment(&m);
        assert!(r.determinant() > 0.0);
        assert!(
            r[0][0] > 0.0 && r[0][0] < 1.0,
            "compression stays compression: {r:?}"
        );
    }

    #[test]
    fn determinants_stay_positive_where_those_of_the_linear_increment_do_not() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut negative = 0;
        for k in 0..2000 {
            // Beyond norms of about 6 the determinant itself is lost to rounding in the
            // repeated squares.
            let size = 2.0 * f64::from(k % 40) / 40.0;
            let mut m = Matrix::<f64, 3>::zero();
            for i in 0..3 {
                for j in 0..3 {
                    m[i][j] = size * next();
                }
            }
            negative += usize::from((Matrix::identity() + m).determinant() <= 0.0);
            let r = Matrix::identity() + positive_increment(&m);
            assert!(r.determinant() > 0.0, "{m:?}");
        }
        assert!(
            negative > 100,
            "the linear increment inverts in {negative} cases"
        );
    }
}
