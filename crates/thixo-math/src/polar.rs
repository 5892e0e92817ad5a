//! The polar decomposition.

use crate::eigen::{scale_to_one, unit};
use crate::{Matrix, Real, svd};

/// F = R S.
#[derive(Clone, Copy, Debug)]
pub struct Polar<T, const D: usize> {
    /// R, a rotation: det R = 1.
    pub rotation: Matrix<T, D>,
    /// S, symmetric; where det F < 0 the eigenvalue of smallest magnitude is negative.
    pub stretch: Matrix<T, D>,
}

/// The rotation nearest to F and the stretch before it, F = R S, for `D` = 1, 2, 3.
///
/// In two dimensions in closed form; otherwise from F = U diag(σ) Vᵀ: R = U Vᵀ and S = V diag(σ)
/// Vᵀ. S is exactly symmetric. |F − R S| ≤ 16 ε σ₁ and |RᵀR − I| ≤ 16 ε, entry by entry, for the
/// same matrices as [`svd()`].
#[inline(always)]
pub fn polar<T: Real, const D: usize>(f: &Matrix<T, D>) -> Polar<T, D> {
    let mut rotation = Matrix::identity();
    let mut stretch = Matrix::zero();
    if D == 2 {
        let (scaled, exponent) = scale_to_one(f);
        let (a, b) = (scaled[0][0], scaled[0][1]);
        let (c, d) = (scaled[1][0], scaled[1][1]);
        let (cos, sin) = unit(a + d, c - b);
        rotation[0][0] = cos;
        rotation[0][1] = -sin;
        rotation[1][0] = sin;
        rotation[1][1] = cos;
        // S = RᵀF; its off-diagonal entries, which differ by rounding, are averaged.
        let off_diagonal = T::splat(0.5) * cos.mul_add(b + c, sin * (d - a));
        stretch[0][0] = cos.mul_add(a, sin * c).scale_by_power_of_two(exponent);
        stretch[0][1] = off_diagonal.scale_by_power_of_two(exponent);
        stretch[1][0] = stretch[0][1];
        stretch[1][1] = cos.mul_add(d, -(sin * b)).scale_by_power_of_two(exponent);
    } else {
        let parts = svd(f);
        rotation = parts.u * parts.v.transpose();
        for i in 0..D {
            for j in i..D {
                let mut sum = (parts.v[i][0] * parts.sigma[0]) * parts.v[j][0];
                for k in 1..D {
                    sum = (parts.v[i][k] * parts.sigma[k]).mul_add(parts.v[j][k], sum);
                }
                stretch[i][j] = sum;
                stretch[j][i] = sum;
            }
        }
    }
    Polar { rotation, stretch }
}

#[cfg(test)]
mod tests {
    use super::polar;
    use crate::reference::{Random, distance_from_rotation, residual};
    use crate::{Matrix, svd, symmetric_eigen};

    /// Largest error of R or R S, in ε, over `count` matrices of all kinds.
    macro_rules! worst {
        ($t:ident, $d:expr, $count:expr) => {{
            let epsilon = f64::from($t::EPSILON);
            let wide = |m: Matrix<$t, $d>| m.0.map(|row| row.map(f64::from));
            let mut random = Random(7);
            let mut worst = [0f64; 3];
            for i in 0..$count {
                let f = Matrix(random.matrix::<$d>(i).map(|row| row.map(|x| x as $t)));
                let parts = polar(&f);
                let sigma = svd(&f).sigma;
                let largest = f64::from(sigma[0]).max(f64::MIN_POSITIVE);
                assert_eq!(parts.stretch, parts.stretch.transpose());
                // S = Sᵀ, so that R S = R diag(1, 1, 1) Sᵀ.
                let error = residual(
                    &wide(f),
                    &wide(parts.rotation),
                    &[1.0; $d],
                    &wide(parts.stretch),
                );
                worst[0] = worst[0].max(distance_from_rotation(&wide(parts.rotation)) / epsilon);
                worst[1] = worst[1].max(error / largest / epsilon);
                let stretches = symmetric_eigen(&parts.stretch).values;
                for k in 0..$d {
                    let error = f64::from((stretches[k] - sigma[k]).abs());
                    worst[2] = worst[2].max(error / largest / epsilon);
                }
            }
            println!(
                "{} {}: R, product, stretches: {worst:?} ε",
                stringify!($t),
                $d
            );
            worst[0].max(worst[1]).max(worst[2])
        }};
    }

    #[test]
    fn polar_is_within_sixteen_epsilon_f32() {
        assert!(worst!(f32, 2, 500_000) <= 16.0);
        assert!(worst!(f32, 3, 500_000) <= 16.0);
    }

    #[test]
    fn polar_is_within_sixteen_epsilon_f64() {
        assert!(worst!(f64, 2, 500_000) <= 16.0);
        assert!(worst!(f64, 3, 500_000) <= 16.0);
    }

    #[test]
    fn the_rotation_of_a_rotation_is_itself() {
        let mut random = Random(8);
        for _ in 0..1000 {
            let rotation = Matrix(random.rotation::<3>());
            let difference = polar(&rotation).rotation - rotation;
            assert!(difference.norm_squared().sqrt() < 16.0 * f64::EPSILON);
        }
    }
}
