//! Rotations as modified Rodrigues parameters.
//!
//! σ = n tan(φ/4) of the rotation by the angle φ about the axis n: three numbers, of which a plane
//! needs the last. \[Shuster1993\]. With the unit quaternion (cos φ/2,
//! n sin φ/2) = (1 − |σ|², 2σ)/(1 + |σ|²), products of rotations are rational in σ: no
//! trigonometry. σ and its shadow −σ/|σ|² are the same rotation; the one with |σ| ≤ 1, that is
//! |φ| ≤ π, is kept.

use crate::eigen::half_angle;
use crate::{Mask, Matrix, Real, Vector};

/// A rotation in two or three dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation<T, const D: usize>([T; 3]);

impl<T: Real, const D: usize> Rotation<T, D> {
    /// Numbers that it takes: D (D − 1)/2.
    pub const PARAMETERS: usize = D * (D - 1) / 2;

    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Self([T::zero(); 3])
    }
    /// From its parameters, the first [`PARAMETERS`](Self::PARAMETERS) of a slice.
    #[inline(always)]
    pub fn from_parameters(parameters: &[T]) -> Self {
        let mut sigma = [T::zero(); 3];
        for k in 0..Self::PARAMETERS {
            sigma[3 - Self::PARAMETERS + k] = parameters[k];
        }
        Self(sigma)
    }
    /// Writes its parameters to the front of a slice.
    #[inline(always)]
    pub fn write_parameters(&self, to: &mut [T]) {
        for k in 0..Self::PARAMETERS {
            to[k] = self.0[3 - Self::PARAMETERS + k];
        }
    }
    /// The rotation exp(Ω) for a small skew Ω, given by its entries above the diagonal: tan(w/4) is
    /// taken as w/4, a relative error of w²/48 for the angle w.
    #[inline(always)]
    pub fn of_small_spin(spin: &Matrix<T, D>) -> Self {
        let quarter = T::splat(0.25);
        let mut sigma = [T::zero(); 3];
        sigma[2] = spin[0][1] * -quarter;
        if D == 3 {
            sigma[1] = spin[0][D - 1] * quarter;
            sigma[0] = spin[1][D - 1] * -quarter;
        }
        Self(sigma)
    }
    /// The rotation of a matrix that is one up to rounding: its quaternion is read from the column
    /// of 4 q qᵀ with the largest diagonal entry, for angles up to π. \[Shepperd1978\]
    #[inline(always)]
    pub fn of_matrix(matrix: &Matrix<T, D>) -> Self {
        let (one, zero) = (T::one(), T::zero());
        if D == 2 {
            let cosine = matrix[0][0] + matrix[1][1];
            let sine = matrix[1][0] - matrix[0][1];
            let length = cosine.mul_add(cosine, sine * sine).sqrt();
            let (cosine, sine) = half_angle(cosine, sine, length);
            return Self([zero, zero, sine / (one + cosine)]);
        }
        let r = |i: usize, j: usize| matrix[i % D][j % D];
        let trace = matrix.trace();
        let mut products = [[zero; 4]; 4];
        products[0][0] = one + trace;
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            products[0][i + 1] = r(k, j) - r(j, k);
            products[i + 1][0] = products[0][i + 1];
            products[i + 1][i + 1] = one + (r(i, i) + r(i, i)) - trace;
            products[j + 1][k + 1] = r(j, k) + r(k, j);
            products[k + 1][j + 1] = products[j + 1][k + 1];
        }
        let mut column = products[0];
        let mut largest = products[0][0];
        for k in 1..4 {
            let is_larger = products[k][k].gt(largest);
            largest = T::select(is_larger, products[k][k], largest);
            for i in 0..4 {
                column[i] = T::select(is_larger, products[k][i], column[i]);
            }
        }
        let [scalar, x, y, z] = column;
        let vector = Vector([x, y, z]);
        let length = scalar.mul_add(scalar, vector.norm_squared()).sqrt();
        // q and −q are the same rotation: the scalar part is made positive.
        let factor = one.copysign(scalar) / (length + scalar.abs());
        Self((vector * factor).0)
    }
    /// The orthogonal matrix I + (8 \[σ\]² + 4 (1 − |σ|²) \[σ\])/(1 + |σ|²)², \[σ\] a = σ × a.
    #[inline(always)]
    pub fn matrix(&self) -> Matrix<T, D> {
        let (one, two) = (T::one(), T::splat(2.0));
        let [x, y, z] = self.0;
        let squared = Vector(self.0).norm_squared();
        let inverse = one / (one + squared);
        // Quaternion.
        let scalar = (one - squared) * inverse;
        let [x, y, z] = [x, y, z].map(|s| two * s * inverse);
        let mut out = Matrix::identity();
        let mut set = |i: usize, j: usize, value: T| {
            if i < D && j < D {
                out[i][j] = value;
            }
        };
        set(0, 0, one - two * y.mul_add(y, z * z));
        set(1, 1, one - two * x.mul_add(x, z * z));
        set(2, 2, one - two * x.mul_add(x, y * y));
        set(0, 1, two * x.mul_add(y, -(scalar * z)));
        set(1, 0, two * x.mul_add(y, scalar * z));
        set(0, 2, two * x.mul_add(z, scalar * y));
        set(2, 0, two * x.mul_add(z, -(scalar * y)));
        set(1, 2, two * y.mul_add(z, -(scalar * x)));
        set(2, 1, two * y.mul_add(z, scalar * x));
        out
    }
    /// This rotation, then another one. With δ the parameters of the other, the product of the
    /// quaternions is (a, 2n)/N for N = (1 + |δ|²)(1 + |σ|²), a = (1 − |δ|²)(1 − |σ|²) − 4 δ·σ and
    /// n = (1 − |δ|²) σ + (1 − |σ|²) δ + 2 δ × σ. Its parameters are 2n/(N + a), or those of the
    /// shadow, −2n/(N − a), where a is negative.
    #[inline(always)]
    pub fn then(self, next: Self) -> Self {
        let (one, two) = (T::one(), T::splat(2.0));
        let (sigma, delta) = (Vector(self.0), Vector(next.0));
        let (mut s, mut d, mut along) = (
            sigma[2] * sigma[2],
            delta[2] * delta[2],
            sigma[2] * delta[2],
        );
        let mut product = Vector::zero();
        if D == 3 {
            for k in 0..2 {
                s = sigma[k].mul_add(sigma[k], s);
                d = delta[k].mul_add(delta[k], d);
                along = sigma[k].mul_add(delta[k], along);
            }
            product = Vector([
                delta[1].mul_add(sigma[2], -(delta[2] * sigma[1])),
                delta[2].mul_add(sigma[0], -(delta[0] * sigma[2])),
                delta[0].mul_add(sigma[1], -(delta[1] * sigma[0])),
            ]);
        }
        let (less_s, less_d) = (one - s, one - d);
        let sum = sigma.mul_add(less_d, delta * less_s);
        let scalar = less_d.mul_add(less_s, T::splat(-4.0) * along);
        let length = (one + d) * (one + s);
        let factor = two.copysign(scalar) / (length + scalar.abs());
        Self((product.mul_add(two, sum) * factor).0)
    }
    /// This rotation, then a small one: as [`then`](Self::then), but with 1/(1 − y),
    /// y = 2 δ·σ − |δ|²|σ|², as 1 + y + y², a relative error of w³/8 for turns by w, and the shadow
    /// is taken before the turn, so that |σ| may exceed 1 by |δ|.
    #[inline(always)]
    pub fn then_small(self, next: Self) -> Self {
        let (one, two) = (T::one(), T::splat(2.0));
        let delta = Vector(next.0);
        let mut sigma = Vector(self.0);
        let mut s = sigma[2] * sigma[2];
        if D == 3 {
            s = sigma[1].mul_add(sigma[1], s);
            s = sigma[0].mul_add(sigma[0], s);
        }
        let is_long = s.gt(one);
        if is_long.any() {
            let inverse = one / s;
            sigma = Vector::select(is_long, sigma * -inverse, sigma);
            s = T::select(is_long, inverse, s);
        }
        if D == 2 {
            // (σ + δ)/(1 − σδ).
            let y = sigma[2] * delta[2];
            let turned = (sigma[2] + delta[2]) * y.mul_add(y + one, one);
            return Self([T::zero(), T::zero(), turned]);
        }
        let d = delta.norm_squared();
        let y = two.mul_add(delta.dot(sigma), -(s * d));
        let mut sum = sigma.mul_add(one - d, delta * (one - s));
        let twice = delta * two;
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            sum[i] = twice[j].mul_add(sigma[k], sum[i]);
            sum[i] = (-twice[k]).mul_add(sigma[j], sum[i]);
        }
        Self((sum * y.mul_add(y + one, one)).0)
    }
    /// `yes` where the mask holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self(Vector::select(mask, Vector(yes.0), Vector(no.0)).0)
    }
    /// True if every parameter is finite.
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|s| s.is_finite().all())
    }
}

#[cfg(test)]
mod tests {
    use super::Rotation;
    use crate::Matrix;
    use crate::reference::{Random, distance_from_rotation};

    fn distance<const D: usize>(a: Matrix<f64, D>, b: Matrix<f64, D>) -> f64 {
        (a - b).norm_squared().sqrt()
    }

    fn products_and_matrices<const D: usize>() {
        let mut random = Random(21);
        for _ in 0..20_000 {
            let (a, b) = (
                Matrix(random.rotation::<D>()),
                Matrix(random.rotation::<D>()),
            );
            let (first, next) = (Rotation::of_matrix(&a), Rotation::of_matrix(&b));
            assert!(distance(first.matrix(), a) < 1e-14, "{a:?}");
            assert!(distance_from_rotation(&first.matrix().0) < 4e-15);
            let both = first.then(next);
            assert!(distance(both.matrix(), b * a) < 3e-14);
            let length: f64 = both.0.iter().map(|s| s * s).sum();
            assert!(length <= 1.0 + 1e-15);
            let mut numbers = [0.0; 3];
            both.write_parameters(&mut numbers);
            assert_eq!(Rotation::<f64, D>::from_parameters(&numbers), both);
        }
    }

    #[test]
    fn parameters_multiply_as_matrices_do() {
        products_and_matrices::<2>();
        products_and_matrices::<3>();
    }

    #[test]
    fn half_turns_are_no_special_case() {
        for axis in [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.48, 0.6, -0.64]] {
            let mut turn = Matrix::<f64, 3>::from_scalar(-1.0);
            for i in 0..3 {
                for j in 0..3 {
                    turn[i][j] += 2.0 * axis[i] * axis[j];
                }
            }
            let rotation = Rotation::of_matrix(&turn);
            assert!(distance(rotation.matrix(), turn) < 4e-15);
            let twice = rotation.then(rotation);
            assert!(distance(twice.matrix(), Matrix::identity()) < 4e-15);
        }
        let half = Rotation::of_matrix(&Matrix::<f64, 2>::from_scalar(-1.0));
        let identity = half.then(half);
        assert_eq!(identity.matrix(), Matrix::identity());
    }

    #[test]
    fn small_spins_add_up_to_full_turns() {
        let steps = 1000;
        let angle = 2.0 * core::f64::consts::PI / f64::from(steps);
        let mut spin = Matrix::<f64, 3>::zero();
        for (i, j, w) in [(0, 1, 0.48), (0, 2, 0.6), (1, 2, -0.64)] {
            spin[i][j] = w * angle;
        }
        let step = Rotation::of_small_spin(&spin);
        let (mut exact, mut fast) = (Rotation::identity(), Rotation::identity());
        for _ in 0..steps {
            (exact, fast) = (exact.then(step), fast.then_small(step));
            assert!(exact.is_finite() && fast.is_finite());
        }
        for rotation in [exact, fast] {
            let error = distance(rotation.matrix(), Matrix::identity());
            assert!(error < 5e-5, "{error}");
        }
    }
}
