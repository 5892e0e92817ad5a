//! The singular value decomposition with rotations, without iteration.
//!
//! As for eigenvalues, one singular value of a 3 × 3 matrix is far from the others: the largest or
//! the smallest. Its right singular vector is the separated eigenvector v of FᵀF. Splitting it off
//! leaves the images of the plane across v, a 2 × 2 matrix that is decomposed in closed form. Small
//! singular values come from F itself and not from FᵀF, which has lost half of their digits.

use crate::eigen::{
    columns_in_order, difference_of_products, frame, half_angle, scale_to_one,
    separated_eigenvector, unit,
};
use crate::{Matrix, Real, Vector};

/// F = U diag(σ) Vᵀ.
#[derive(Clone, Copy, Debug)]
pub struct Svd<T, const D: usize> {
    /// U, a rotation: det U = 1.
    pub u: Matrix<T, D>,
    /// The singular values with |σ₁| ≥ |σ₂| ≥ …, none negative but the last, which has the sign of
    /// det F.
    pub sigma: Vector<T, D>,
    /// V, a rotation: det V = 1.
    pub v: Matrix<T, D>,
}

/// The singular value decomposition of F by rotations, for `D` = 1, 2, 3.
///
/// |F − U diag(σ) Vᵀ| ≤ 16 ε σ₁, |UᵀU − I| ≤ 16 ε and |VᵀV − I| ≤ 16 ε, entry by entry, for every
/// finite matrix whose largest entry is a normal number and at most a third of the largest one, and
/// for zero: inverted, singular, with repeated singular values, of any scale. The singular values
/// have errors of the same size. σ₁ is NaN where an entry is not finite.
#[inline(always)]
pub fn svd<T: Real, const D: usize>(f: &Matrix<T, D>) -> Svd<T, D> {
    const { assert!(D >= 1 && D <= 3, "matrices of one, two or three rows") };
    let (scaled, exponent) = scale_to_one(f);
    let mut u = Matrix::identity();
    let mut sigma = Vector::zero();
    let mut v = Matrix::identity();
    if D == 1 {
        sigma[0] = scaled[0][0];
    } else if D == 2 {
        let parts = svd_2(scaled[0][0], scaled[0][1], scaled[1][0], scaled[1][1]);
        set_rotation(&mut u, parts.u);
        set_rotation(&mut v, parts.v);
        sigma[0] = parts.sigma.0;
        sigma[1] = parts.sigma.1;
    } else {
        let mut f = Matrix::<T, 3>::zero();
        for i in 0..D {
            for j in 0..D {
                f[i][j] = scaled[i][j];
            }
        }
        let parts = svd_3(&f);
        for i in 0..D {
            sigma[i] = parts.sigma[i];
            for j in 0..D {
                u[i][j] = parts.u[i][j];
                v[i][j] = parts.v[i][j];
            }
        }
    }
    for i in 0..D {
        sigma[i] = sigma[i].scale_by_power_of_two(exponent);
    }
    Svd { u, sigma, v }
}

/// Writes ((cos, −sin), (sin, cos)).
#[inline(always)]
fn set_rotation<T: Real, const D: usize>(m: &mut Matrix<T, D>, (cos, sin): (T, T)) {
    m[0][0] = cos;
    m[0][1] = -sin;
    m[1][0] = sin;
    m[1][1] = cos;
}

/// Singular values and the cosine and sine of each rotation.
struct Svd2<T> {
    u: (T, T),
    sigma: (T, T),
    v: (T, T),
}

/// The singular value decomposition of ((a, b), (c, d)), whose entries are at most of order 1.
#[inline(always)]
fn svd_2<T: Real>(a: T, b: T, c: T, d: T) -> Svd2<T> {
    // M is the sum of a multiple of a rotation, ((x, −y), (y, x)), and one of a reflection,
    // ((e, f), (f, −e)); the singular values are sum and difference of the factors.
    let half = T::splat(0.5);
    let (x, y) = (half * (a + d), half * (c - b));
    let (e, f) = (half * (a - d), half * (c + b));
    let similar = x.mul_add(x, y * y).sqrt();
    let reflecting = e.mul_add(e, f * f).sqrt();
    // M = R S with R the rotation nearest to M and S symmetric; V takes S to its principal axes,
    // U = R V.
    let (cos, sin) = unit(x, y);
    let v = half_angle(
        cos.mul_add(e, sin * f),
        cos.mul_add(f, -(sin * e)),
        reflecting,
    );
    let first = similar + reflecting;
    // The smaller singular value as det M / σ₁ has the sign of the determinant as it is computed,
    // and survives where it is far below ε σ₁ but M is nearly diagonal.
    let second = difference_of_products(a, d, b, c) / first.max(T::splat(T::MIN_POSITIVE));
    Svd2 {
        u: (
            difference_of_products(cos, v.0, sin, v.1),
            sin.mul_add(v.0, cos * v.1),
        ),
        sigma: (first, second.min(first).max(-first)),
        v,
    }
}

/// The decomposition of a matrix with largest entry near 1, or of zero.
#[inline(always)]
fn svd_3<T: Real>(f: &Matrix<T, 3>) -> Svd<T, 3> {
    let transposed = f.transpose();
    let (v, is_largest) = separated_eigenvector(&transposed.times_own_transpose());
    let [w, x, v] = frame(v);
    let (image_v, image_w, image_x) = (*f * v, *f * w, *f * x);
    // The left singular vector: along the image of v where v is stretched most. Where it is
    // stretched least, perhaps to nothing, the images of the plane across are long and u is their
    // normal; then also all the sign of det F is in σ = u · F v.
    let normal = Vector([
        difference_of_products(image_w[1], image_x[2], image_w[2], image_x[1]),
        difference_of_products(image_w[2], image_x[0], image_w[0], image_x[2]),
        difference_of_products(image_w[0], image_x[1], image_w[1], image_x[0]),
    ]);
    let mut u = Vector::select(is_largest, image_v, normal);
    // Only zero has no image at all; any direction will do for it.
    u[2] = T::select(u.norm_squared().eq(T::zero()), T::one(), u[2]);
    let [y, z, u] = frame(u);
    let rest = svd_2(
        y.dot(image_w),
        y.dot(image_x),
        z.dot(image_w),
        z.dot(image_x),
    );
    let value = u.dot(image_v);
    let (first, second) = rest.sigma;
    // Rounding must not upset the order.
    let largest = T::select(is_largest, value, first);
    let middle = T::select(is_largest, first, second).min(largest);
    let smallest = T::select(is_largest, second, value)
        .min(middle)
        .max(-middle);
    Svd {
        u: columns_in_order(is_largest, u, turned(y, z, rest.u), turned(z, -y, rest.u)),
        sigma: Vector([largest, middle, smallest]),
        v: columns_in_order(is_largest, v, turned(w, x, rest.v), turned(x, -w, rest.v)),
    }
}

/// a cos + b sin.
#[inline(always)]
fn turned<T: Real>(a: Vector<T, 3>, b: Vector<T, 3>, (cos, sin): (T, T)) -> Vector<T, 3> {
    a.mul_add(cos, b * sin)
}

#[cfg(test)]
mod tests {
    use super::svd;
    use crate::reference::{Random, determinant, distance_from_rotation, residual};
    use crate::{Matrix, Vector};

    /// Largest error of U, V or their product, in ε, over `count` matrices of all kinds.
    macro_rules! worst {
        ($t:ident, $d:expr, $count:expr) => {{
            let epsilon = f64::from($t::EPSILON);
            let wide = |m: Matrix<$t, $d>| m.0.map(|row| row.map(f64::from));
            let mut random = Random(5);
            let mut worst = [0f64; 3];
            for i in 0..$count {
                let f = Matrix(random.matrix::<$d>(i).map(|row| row.map(|x| x as $t)));
                let parts = svd(&f);
                let sigma = parts.sigma.0.map(f64::from);
                let error = residual(&wide(f), &wide(parts.u), &sigma, &wide(parts.v));
                worst[0] = worst[0].max(distance_from_rotation(&wide(parts.u)) / epsilon);
                worst[1] = worst[1].max(distance_from_rotation(&wide(parts.v)) / epsilon);
                worst[2] = worst[2].max(error / sigma[0].max(f64::MIN_POSITIVE) / epsilon);
                for k in 1..$d {
                    assert!(sigma[k].abs() <= sigma[k - 1], "{f:?}: {sigma:?}");
                }
                for k in 0..$d - 1 {
                    assert!(sigma[k] >= 0.0, "{f:?}: {sigma:?}");
                }
                // Below these bounds the signs belong to rounding errors of `svd` or `determinant`.
                let det = determinant(&wide(f).map(|row| row.map(|x| x / sigma[0])));
                if sigma[$d - 1].abs() > 32.0 * epsilon * sigma[0] && det.abs() > 1e-14 {
                    assert_eq!(sigma[$d - 1] > 0.0, det > 0.0, "{f:?}: {sigma:?}");
                }
            }
            println!("{} {}: U, V, product: {worst:?} ε", stringify!($t), $d);
            worst[0].max(worst[1]).max(worst[2])
        }};
    }

    #[test]
    fn svd_is_within_sixteen_epsilon_f32() {
        assert!(worst!(f32, 2, 500_000) <= 16.0);
        assert!(worst!(f32, 3, 1_000_000) <= 16.0);
    }

    #[test]
    fn svd_is_within_sixteen_epsilon_f64() {
        assert!(worst!(f64, 2, 500_000) <= 16.0);
        assert!(worst!(f64, 3, 1_000_000) <= 16.0);
    }

    #[test]
    fn svd_of_zero_is_zero_between_rotations() {
        let parts = svd(&Matrix::<f32, 3>::zero());
        assert_eq!(parts.sigma, Vector([0.0; 3]));
        assert_eq!(
            distance_from_rotation(&parts.u.0.map(|row| row.map(f64::from))),
            0.0
        );
        assert_eq!(
            distance_from_rotation(&parts.v.0.map(|row| row.map(f64::from))),
            0.0
        );
        assert_eq!(svd(&Matrix::<f32, 2>::zero()).sigma, Vector([0.0; 2]));
        assert_eq!(svd(&Matrix::<f32, 1>::zero()).sigma, Vector([0.0]));
    }

    #[test]
    fn singular_values_of_diagonal_matrices_are_exact_even_where_tiny() {
        let third = svd(&Matrix::<f32, 3>::splat_from([
            [1e-20, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, -1e-12],
        ]));
        let exact: [f32; 3] = [1.0, 1e-12, -1e-20];
        for k in 0..3 {
            assert!(
                (third.sigma[k] / exact[k] - 1.0).abs() < 1e-6,
                "{:?}",
                third.sigma
            );
        }
        assert_eq!(svd(&Matrix::<f64, 3>::identity()).sigma, Vector([1.0; 3]));
        assert_eq!(svd(&Matrix::<f64, 2>::identity()).sigma, Vector([1.0; 2]));
    }

    #[test]
    fn svd_of_a_matrix_that_is_not_finite_is_not_a_number() {
        for k in 0..9 {
            for bad in [f32::NAN, f32::INFINITY] {
                let mut f = Matrix::<f32, 3>::identity();
                f[k / 3][k % 3] = bad;
                assert!(svd(&f).sigma[0].is_nan());
            }
        }
    }
}
