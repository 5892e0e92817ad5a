//! Eigenvalues and eigenvectors of symmetric 2 × 2 and 3 × 3 matrices, without iteration.
//!
//! A symmetric 3 × 3 matrix always has an eigenvalue that is far from the other two, measured by
//! their spread: the largest or the smallest. That one follows from the characteristic polynomial
//! without loss of digits, and its eigenvector from the adjugate; the other two are left to a
//! symmetric 2 × 2 problem in the plane across, which has a closed form. Repeated eigenvalues need
//! no special case, and the number of operations does not depend on the matrix.

use crate::elementary::{by_precision, is_single, polynomial};
use crate::{Matrix, Real, Vector};

/// A = V diag(λ) Vᵀ.
#[derive(Clone, Copy, Debug)]
pub struct SymmetricEigen<T, const D: usize> {
    /// The eigenvalues λ, descending.
    pub values: Vector<T, D>,
    /// V: column `i` is a unit eigenvector for `values[i]`; a rotation, det V = 1.
    pub vectors: Matrix<T, D>,
}

/// Eigenvalues and eigenvectors of a symmetric matrix, for `D` = 1, 2, 3; entries below the
/// diagonal are taken to equal those above.
///
/// |A − V diag(λ) Vᵀ| ≤ 16 ε |λ|ₘₐₓ and |VᵀV − I| ≤ 16 ε, entry by entry, for every finite matrix
/// whose largest entry is a normal number and at most a third of the largest one, and for zero. The
/// eigenvalues have errors of the same size.
#[inline(always)]
pub fn symmetric_eigen<T: Real, const D: usize>(a: &Matrix<T, D>) -> SymmetricEigen<T, D> {
    const { assert!(D >= 1 && D <= 3, "matrices of one, two or three rows") };
    let (scaled, exponent) = scale_to_one(a);
    let mut values = Vector::zero();
    let mut vectors = Matrix::identity();
    if D == 1 {
        values[0] = scaled[0][0];
    } else if D == 2 {
        let eigen = symmetric_eigen_2(scaled[0][0], scaled[0][1], scaled[1][1]);
        values[0] = eigen.values.0;
        values[1] = eigen.values.1;
        vectors[0][0] = eigen.cos;
        vectors[0][1] = -eigen.sin;
        vectors[1][0] = eigen.sin;
        vectors[1][1] = eigen.cos;
    } else {
        let mut a = Matrix::<T, 3>::zero();
        for i in 0..D {
            for j in i..D {
                a[i][j] = scaled[i][j];
                a[j][i] = scaled[i][j];
            }
        }
        let eigen = symmetric_eigen_3(&a);
        for i in 0..D {
            values[i] = eigen.values[i];
            for j in 0..D {
                vectors[i][j] = eigen.vectors[i][j];
            }
        }
    }
    for i in 0..D {
        values[i] = values[i].scale_by_power_of_two(exponent);
    }
    SymmetricEigen { values, vectors }
}

/// `(B, e)` with A = 2ᵉ B exactly and the largest entry of B near 1, so that squares and products
/// of a few entries of B neither overflow nor matter where they underflow.
#[inline(always)]
pub(crate) fn scale_to_one<T: Real, const D: usize>(a: &Matrix<T, D>) -> (Matrix<T, D>, T) {
    let mut largest = T::splat(T::MIN_POSITIVE);
    for i in 0..D {
        let mut of_row = a[i][0].abs();
        for j in 1..D {
            of_row = a[i][j].abs().max(of_row);
        }
        largest = of_row.max(largest);
    }
    let (_, e) = largest.split_exponent();
    // 2ᵉ and 2⁻ᵉ have to be normal numbers.
    let e = e.min(by_precision(126.0, 1022.0));
    let factor = T::one().scale_by_power_of_two(-e);
    (*a * factor, e)
}

/// Eigenvalues, descending, and the rotation by the angle of the first eigenvector.
pub(crate) struct SymmetricEigen2<T> {
    pub values: (T, T),
    pub cos: T,
    pub sin: T,
}

/// The eigenvalues of ((a, b), (b, c)), whose entries are at most of order 1.
#[inline(always)]
pub(crate) fn symmetric_eigen_2<T: Real>(a: T, b: T, c: T) -> SymmetricEigen2<T> {
    let half = T::splat(0.5);
    // The eigenvalues are ½ (a + c) ± h.
    let d = half * (a - c);
    let h = d.mul_add(d, b * b).sqrt();
    let shift = h - d.abs();
    let (cos, sin) = half_angle(d, b, h);
    SymmetricEigen2 {
        values: (a.max(c) + shift, a.min(c) - shift),
        cos,
        sin,
    }
}

/// Cosine and sine of half the angle of the vector (x, y) of length h, the cosine not negative.
#[inline(always)]
pub(crate) fn half_angle<T: Real>(x: T, y: T, h: T) -> (T, T) {
    // Twice the square of the larger of cosine and sine is 1 + |x| / h, without cancellation.
    let (wide, narrow) = unit(x.abs() + h, y);
    let ahead = x.ge(T::zero());
    (
        T::select(ahead, wide, narrow.abs()),
        T::select(ahead, narrow, wide.copysign(y)),
    )
}

/// (x, y) / |(x, y)|; (±1, 0) with the sign of x where the vector is too short for its length to
/// have all its digits. That is far below rounding errors of numbers of order 1.
#[inline(always)]
pub(crate) fn unit<T: Real>(x: T, y: T) -> (T, T) {
    let squared = x.mul_add(x, y * y);
    let long = squared.gt(T::splat(T::MIN_POSITIVE / T::EPSILON));
    let inverse = T::one() / T::select(long, squared, T::one()).sqrt();
    (
        T::select(long, x * inverse, T::one().copysign(x)),
        T::select(long, y * inverse, T::zero()),
    )
}

/// The decomposition of a symmetric matrix with entries at most of order 1.
#[inline(always)]
fn symmetric_eigen_3<T: Real>(a: &Matrix<T, 3>) -> SymmetricEigen<T, 3> {
    let (v, is_largest) = separated_eigenvector(a);
    let [w, x, v] = frame(v);
    let image_w = *a * w;
    let image_x = *a * x;
    let rest = symmetric_eigen_2(w.dot(image_w), w.dot(image_x), x.dot(image_x));
    let value = v.dot(*a * v);
    let p = w.mul_add(rest.cos, x * rest.sin);
    let q = x.mul_add(rest.cos, -(w * rest.sin));
    let (first, second) = rest.values;
    // (v, p, q) and (p, q, v) have the same orientation. Rounding must not upset the order.
    let largest = T::select(is_largest, value, first);
    let middle = T::select(is_largest, first, second).min(largest);
    let smallest = T::select(is_largest, second, value).min(middle);
    SymmetricEigen {
        values: Vector([largest, middle, smallest]),
        vectors: columns_in_order(is_largest, v, p, q),
    }
}

/// The columns (v, p, q) where the mask holds, (p, q, v) elsewhere.
#[inline(always)]
pub(crate) fn columns_in_order<T: Real>(
    first: T::Mask,
    v: Vector<T, 3>,
    p: Vector<T, 3>,
    q: Vector<T, 3>,
) -> Matrix<T, 3> {
    let mut out = Matrix::zero();
    for i in 0..3 {
        out[i][0] = T::select(first, v[i], p[i]);
        out[i][1] = T::select(first, p[i], q[i]);
        out[i][2] = T::select(first, q[i], v[i]);
    }
    out
}

/// An eigenvector for the largest eigenvalue (mask true) or the smallest (mask false) of a
/// symmetric matrix with entries at most of order 1, whichever is farther from the eigenvalue in
/// the middle. Its length is arbitrary, but not so small that squares underflow.
#[inline(always)]
pub(crate) fn separated_eigenvector<T: Real>(a: &Matrix<T, 3>) -> (Vector<T, 3>, T::Mask) {
    // A = q I + B, tr B = 0, and p² = tr B² / 6: the eigenvalues of B are p β with β³ − 3β = det
    // B / p³. From the differences of the diagonal, because they are exact where B is small;
    // subtracting a rounded q would leave a trace that matters then.
    let third = T::splat(1.0 / 3.0);
    let (s, t, r) = (a[0][0] - a[1][1], a[1][1] - a[2][2], a[2][2] - a[0][0]);
    let (b00, b11, b22) = (third * (s - r), third * (t - s), third * (r - t));
    let (b01, b02, b12) = (a[0][1], a[0][2], a[1][2]);
    let diagonal = Vector([b00, b11, b22]).norm_squared();
    let off_diagonal = Vector([b01, b02, b12]).norm_squared();
    let p = (third * diagonal.mul_add(T::splat(0.5), off_diagonal)).sqrt();
    // If A is a multiple of I up to rounding, any direction is an eigenvector: B is then treated as
    // small.
    let p = p.max(T::splat(T::EPSILON / 16.0));
    let inverse = T::one() / p;
    let minor_0 = difference_of_products(b11, b22, b12, b12);
    let minor_1 = difference_of_products(b12, b02, b01, b22);
    let minor_2 = difference_of_products(b01, b12, b11, b02);
    let determinant = Vector([b00, b01, b02]).dot(Vector([minor_0, minor_1, minor_2]));
    let h = (T::splat(0.5) * determinant * inverse) * (inverse * inverse);
    let is_largest = h.ge(T::zero());
    let root = p * outer_root(h.abs().min(T::one()));
    // Not the sign of h: it and the mask would disagree about −0.
    let root = T::select(is_largest, root, -root);

    // adj(B − p β I) = κ v vᵀ with κ ≥ 3 p²: the column with the largest diagonal entry is v, up to
    // its length.
    let (m00, m11, m22) = (b00 - root, b11 - root, b22 - root);
    let c00 = difference_of_products(m11, m22, b12, b12);
    let c11 = difference_of_products(m00, m22, b02, b02);
    let c22 = difference_of_products(m00, m11, b01, b01);
    let c01 = difference_of_products(b02, b12, b01, m22);
    let c02 = difference_of_products(b01, b12, b02, m11);
    let c12 = difference_of_products(b01, b02, b12, m00);
    let x = Vector([c00, c01, c02]);
    let y = Vector([c01, c11, c12]);
    let z = Vector([c02, c12, c22]);
    let x_or_y = Vector::select(c00.ge(c11), x, y);
    (Vector::select(c22.gt(c00.max(c11)), z, x_or_y), is_largest)
}

/// a b − c d.
#[inline(always)]
pub(crate) fn difference_of_products<T: Real>(a: T, b: T, c: T, d: T) -> T {
    a.mul_add(b, -(c * d))
}

/// The root of β³ − 3β = 2h in [√3, 2] for h in [0, 1], β = 2 cos(⅓ arccos h).
///
/// The other two roots are at most 0, so β depends smoothly on h here and gets all its digits.
#[inline(always)]
fn outer_root<T: Real>(h: T) -> T {
    // Minimax over [0, 1] by a Remez exchange, largest error 2.8e-9.
    let beta = polynomial(
        h,
        &[
            1.732_050_810_330_913_6,
            0.333_332_851_006_968_3,
            -0.096_211_129_861_316_96,
            0.049_226_351_760_872_47,
            -0.030_283_646_841_875_57,
            0.018_912_921_528_704_556,
            -0.010_031_122_350_627_832,
            0.003_634_826_394_766_708,
            -0.000_631_864_730_441_478_2,
        ],
    );
    if is_single::<T>() {
        beta
    } else {
        let three = T::splat(3.0);
        let square = beta * beta;
        let residual = beta * (square - three) - T::splat(2.0) * h;
        beta - residual / (three * square - three)
    }
}

/// The rotation (w, x, n) with n along a vector that is neither zero nor so short that squares
/// underflow.
///
/// The first two columns are those of the reflection that takes the third axis to ∓n, with a sign
/// turned: no cancellation for any n.
#[inline(always)]
pub(crate) fn frame<T: Real>(a: Vector<T, 3>) -> [Vector<T, 3>; 3] {
    let length = a.norm();
    let n = a * (T::one() / length);
    // 1 / (1 + |n₂|), not waiting for n.
    let factor = length / (length + a[2].abs());
    let sign = T::one().copysign(a[2]);
    let scaled = n[0] * factor;
    let mixed = -(n[1] * scaled);
    [
        Vector([(-n[0]).mul_add(scaled, T::one()), mixed, -(sign * n[0])]),
        Vector([
            sign * mixed,
            sign * (-n[1]).mul_add(n[1] * factor, T::one()),
            -n[1],
        ]),
        n,
    ]
}

#[cfg(test)]
mod tests {
    use super::symmetric_eigen;
    use crate::reference::{Random, distance_from_rotation, residual};
    use crate::{Matrix, Vector};

    /// Largest error of V or V diag(λ) Vᵀ, in ε, over `count` symmetric matrices of all kinds.
    macro_rules! worst {
        ($t:ident, $d:expr, $count:expr) => {{
            let epsilon = f64::from($t::EPSILON);
            let wide = |m: Matrix<$t, $d>| m.0.map(|row| row.map(f64::from));
            let mut random = Random(6);
            let mut worst = [0f64; 2];
            for i in 0..$count {
                let mut a = Matrix(random.matrix::<$d>(i));
                if i % 2 == 0 {
                    // With the same repeated and vanishing values as the singular ones, some
                    // negative.
                    let scale = a.norm_squared().sqrt().max(f64::MIN_POSITIVE);
                    let unit = a * (1.0 / scale);
                    a = (unit * unit.transpose()) * (scale * random.one_of(&[1.0, -1.0]));
                }
                let a = Matrix(a.symmetric_part().0.map(|row| row.map(|x| x as $t)));
                let eigen = symmetric_eigen(&a);
                let values = eigen.values.0.map(f64::from);
                let largest = values[0].abs().max(values[$d - 1].abs());
                let error = residual(
                    &wide(a),
                    &wide(eigen.vectors),
                    &values,
                    &wide(eigen.vectors),
                );
                worst[0] = worst[0].max(distance_from_rotation(&wide(eigen.vectors)) / epsilon);
                worst[1] = worst[1].max(error / largest.max(f64::MIN_POSITIVE) / epsilon);
                for k in 1..$d {
                    assert!(values[k] <= values[k - 1], "{a:?}: {values:?}");
                }
            }
            println!("{} {}: V, product: {worst:?} ε", stringify!($t), $d);
            worst[0].max(worst[1])
        }};
    }

    #[test]
    fn symmetric_eigen_is_within_sixteen_epsilon_f32() {
        assert!(worst!(f32, 2, 500_000) <= 16.0);
        assert!(worst!(f32, 3, 1_000_000) <= 16.0);
    }

    #[test]
    fn symmetric_eigen_is_within_sixteen_epsilon_f64() {
        assert!(worst!(f64, 2, 500_000) <= 16.0);
        assert!(worst!(f64, 3, 1_000_000) <= 16.0);
    }

    #[test]
    fn eigenvalues_of_multiples_of_the_identity_are_exact() {
        assert_eq!(
            symmetric_eigen(&Matrix::<f64, 3>::zero()).values,
            Vector([0.0; 3])
        );
        assert_eq!(
            symmetric_eigen(&Matrix::<f64, 3>::identity()).values,
            Vector([1.0; 3])
        );
        assert_eq!(
            symmetric_eigen(&Matrix::<f32, 1>::identity()).values,
            Vector([1.0])
        );
        let diagonal = Matrix::<f32, 3>::from_diagonal(Vector([-2.0, 4.0, 1.0]));
        let difference = symmetric_eigen(&diagonal).values - Vector([4.0, 1.0, -2.0]);
        assert!(difference.norm() < 16.0 * f32::EPSILON);
        let exchange = Matrix([[0.0, 1.0], [1.0, 0.0]]);
        assert_eq!(
            symmetric_eigen::<f64, 2>(&exchange).values,
            Vector([1.0, -1.0])
        );
    }
}
