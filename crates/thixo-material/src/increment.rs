//! Increments of the deformation that keep volumes positive, equation (11).

use thixo_math::{Mask, Matrix, Real};

/// Halvings after which an increment is given up on; ‖M‖ would exceed 2⁶³.
const MAX_HALVINGS: usize = 64;

/// R(M) − I, where R(M) is I + M for ‖M‖ ≤ ½, else R(M/2)²: squaring I + B gives I + 2B + B².
/// The determinant of R(M) is positive for every finite M, which that of I + M is not.
/// \[Jiang2015thesis\] §6.4.9, errata E32.
#[inline(always)]
pub fn positive_increment<R: Real, const D: usize>(m: &Matrix<R, D>) -> Matrix<R, D> {
    if !is_halved(m).any() {
        return *m;
    }
    halved_increment(m)
}

/// True for increments that are made of halves, ‖M‖ > ½.
#[inline(always)]
pub(crate) fn is_halved<R: Real, const D: usize>(m: &Matrix<R, D>) -> R::Mask {
    m.norm_squared().gt(R::splat(0.25))
}

/// The number n of halvings of an increment of a squared norm ‖M‖², and 2⁻ⁿ; (2⁻ⁿ, n).
#[inline(always)]
pub(crate) fn halvings<R: Real>(norm_squared: R) -> (R, R) {
    let (half, quarter) = (R::splat(0.5), R::splat(0.25));
    let mut scale = R::one();
    let mut count = R::zero();
    let mut rest = norm_squared;
    for _ in 0..MAX_HALVINGS {
        let large = rest.gt(quarter);
        if !large.any() {
            break;
        }
        scale = R::select(large, scale * half, scale);
        rest = R::select(large, rest * quarter, rest);
        count = R::select(large, count + R::one(), count);
    }
    (scale, count)
}

/// (I + B)² − I = 2B + B².
#[inline(always)]
pub(crate) fn squared<R: Real, const D: usize>(b: &Matrix<R, D>) -> Matrix<R, D> {
    b.mul_add(R::splat(2.0), *b * *b)
}

/// The rare case of [`positive_increment`], each lane halved as often as it needs.
#[inline(always)]
fn halved_increment<R: Real, const D: usize>(m: &Matrix<R, D>) -> Matrix<R, D> {
    let (scale, count) = halvings(m.norm_squared());
    let mut out = *m * scale;
    for k in 0..MAX_HALVINGS {
        let again = R::splat(k as f64).lt(count);
        if !again.any() {
            break;
        }
        out = Matrix::select(again, squared(&out), out);
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
