//! Square matrices of `D` rows over any [`Real`], row by row.

use core::ops::{Add, AddAssign, Index, IndexMut, Mul, Sub, SubAssign};

use crate::{Real, Vector};

/// A `D × D` matrix; `m[i][j]` is row `i`, column `j`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Matrix<T, const D: usize>(pub [[T; D]; D]);

impl<T: Real, const D: usize> Matrix<T, D> {
    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([[T::zero(); D]; D])
    }
    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::from_scalar(T::one())
    }
    /// `a I`.
    #[inline(always)]
    pub fn from_scalar(a: T) -> Self {
        let mut out = Self::zero();
        for i in 0..D {
            out[i][i] = a;
        }
        out
    }
    /// A diagonal matrix.
    #[inline(always)]
    pub fn from_diagonal(diagonal: Vector<T, D>) -> Self {
        let mut out = Self::zero();
        for i in 0..D {
            out[i][i] = diagonal[i];
        }
        out
    }
    /// Every entry rounded from an `f64`.
    #[inline(always)]
    pub fn splat_from(entries: [[f64; D]; D]) -> Self {
        let mut out = Self::zero();
        for i in 0..D {
            for j in 0..D {
                out[i][j] = T::splat(entries[i][j]);
            }
        }
        out
    }
    /// Aᵀ.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let mut out = self;
        for i in 0..D {
            for j in 0..D {
                out[i][j] = self[j][i];
            }
        }
        out
    }
    /// Σ Aᵢᵢ.
    #[inline(always)]
    pub fn trace(self) -> T {
        let mut sum = self[0][0];
        for i in 1..D {
            sum += self[i][i];
        }
        sum
    }
    /// ‖A‖² = Σ Aᵢⱼ².
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.contract(self)
    }
    /// A : B = Σ Aᵢⱼ Bᵢⱼ.
    #[inline(always)]
    pub fn contract(self, other: Self) -> T {
        let mut sum = T::zero();
        for i in 0..D {
            for j in 0..D {
                sum = self[i][j].mul_add(other[i][j], sum);
            }
        }
        sum
    }
    /// ½ (A + Aᵀ).
    #[inline(always)]
    pub fn symmetric_part(self) -> Self {
        let half = T::splat(0.5);
        let mut out = self;
        for i in 0..D {
            for j in (i + 1)..D {
                out[i][j] = half * (self[i][j] + self[j][i]);
                out[j][i] = out[i][j];
            }
        }
        out
    }
    /// A − (tr A / D) I.
    #[inline(always)]
    pub fn deviator(self) -> Self {
        let mean = self.trace() * T::splat(1.0 / D as f64);
        let mut out = self;
        for i in 0..D {
            out[i][i] -= mean;
        }
        out
    }
    /// A Aᵀ; exactly symmetric, each pair of entries computed once.
    #[inline(always)]
    pub fn times_own_transpose(self) -> Self {
        let mut out = Self::zero();
        for i in 0..D {
            for j in i..D {
                out[i][j] = Vector(self[i]).dot(Vector(self[j]));
                out[j][i] = out[i][j];
            }
        }
        out
    }
    /// `self · a + b` for a scalar `a`.
    #[inline(always)]
    pub fn mul_add(self, a: T, b: Self) -> Self {
        let mut out = b;
        for i in 0..D {
            for j in 0..D {
                out[i][j] = self[i][j].mul_add(a, b[i][j]);
            }
        }
        out
    }
    /// Entry-wise choice.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        let mut out = no;
        for i in 0..D {
            for j in 0..D {
                out[i][j] = T::select(mask, yes[i][j], no[i][j]);
            }
        }
        out
    }
    /// Column `j`.
    #[inline(always)]
    pub fn column(self, j: usize) -> Vector<T, D> {
        let mut out = Vector::zero();
        for i in 0..D {
            out[i] = self[i][j];
        }
        out
    }
    /// The determinant, for `D` = 1, 2, 3.
    #[inline(always)]
    pub fn determinant(self) -> T {
        let m = &self.0;
        if D == 1 {
            m[0][0]
        } else if D == 2 {
            m[0][0].mul_add(m[1][1], -(m[0][1] * m[1][0]))
        } else {
            let minor_0 = m[1][1].mul_add(m[2][2], -(m[1][2] * m[2][1]));
            let minor_1 = m[1][2].mul_add(m[2][0], -(m[1][0] * m[2][2]));
            let minor_2 = m[1][0].mul_add(m[2][1], -(m[1][1] * m[2][0]));
            m[0][0].mul_add(minor_0, m[0][1].mul_add(minor_1, m[0][2] * minor_2))
        }
    }
    /// det(I + A) − 1 = tr A + i₂(A) + det A, for `D` = 1, 2, 3, with i₂ the sum of the principal
    /// minors of two rows: relative errors are those of sums of small terms where A is small.
    #[inline(always)]
    pub fn determinant_excess(self) -> T {
        self.trace() + self.second_order_excess()
    }
    /// det(I + A) − 1 − tr A = i₂(A) + det A.
    #[inline(always)]
    pub fn second_order_excess(self) -> T {
        let m = &self.0;
        if D == 1 {
            T::zero()
        } else if D == 2 {
            self.determinant()
        } else {
            let minor_0 = m[1][1].mul_add(m[2][2], -(m[1][2] * m[2][1]));
            let minor_1 = m[1][2].mul_add(m[2][0], -(m[1][0] * m[2][2]));
            let minor_2 = m[1][0].mul_add(m[2][1], -(m[1][1] * m[2][0]));
            let first_row = m[0][1].mul_add(minor_1, m[0][2] * minor_2);
            let determinant = m[0][0].mul_add(minor_0, first_row);
            let product_01 = m[0][0].mul_add(m[1][1], -(m[0][1] * m[1][0]));
            let product_02 = m[0][0].mul_add(m[2][2], -(m[0][2] * m[2][0]));
            (product_01 + product_02) + (minor_0 + determinant)
        }
    }
    /// `(L, r)` with A = L Lᵀ, L lower triangular with a positive diagonal, and rₖ = 1/Lₖₖ, of a
    /// symmetric positive definite A; entries below the diagonal are taken to equal those above.
    /// Pivots lost to rounding are put at ε times their diagonal entry.
    #[inline(always)]
    pub fn cholesky(self) -> (Self, Vector<T, D>) {
        let mut lower = Self::zero();
        let mut inverse = Vector::zero();
        for k in 0..D {
            let mut pivot = self[k][k];
            for j in 0..k {
                pivot -= lower[k][j] * lower[k][j];
            }
            // NaN stays NaN: `max` keeps its second operand then.
            let root = (self[k][k] * T::splat(T::EPSILON)).max(pivot).sqrt();
            lower[k][k] = root;
            inverse[k] = T::one() / root;
            for i in k + 1..D {
                let mut sum = self[k][i];
                for j in 0..k {
                    sum -= lower[k][j] * lower[i][j];
                }
                lower[i][k] = sum * inverse[k];
            }
        }
        (lower, inverse)
    }
    /// The transposed matrix of cofactors, A adj(A) = det(A) I, for `D` = 1, 2, 3.
    #[inline(always)]
    pub fn adjugate(self) -> Self {
        let m = &self.0;
        let mut out = Self::identity();
        if D == 2 {
            out[0][0] = m[1][1];
            out[0][1] = -m[0][1];
            out[1][0] = -m[1][0];
            out[1][1] = m[0][0];
        } else if D == 3 {
            for i in 0..3 {
                for j in 0..3 {
                    let (a, b) = ((j + 1) % 3, (j + 2) % 3);
                    let (c, d) = ((i + 1) % 3, (i + 2) % 3);
                    out[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
                }
            }
        }
        out
    }
    /// A⁻¹; not finite where A is singular.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        self.adjugate() * (T::one() / self.determinant())
    }
}

impl<T, const D: usize> Index<usize> for Matrix<T, D> {
    type Output = [T; D];
    #[inline(always)]
    fn index(&self, i: usize) -> &[T; D] {
        &self.0[i]
    }
}

impl<T, const D: usize> IndexMut<usize> for Matrix<T, D> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut [T; D] {
        &mut self.0[i]
    }
}

impl<T: Real, const D: usize> Add for Matrix<T, D> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl<T: Real, const D: usize> AddAssign for Matrix<T, D> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        for i in 0..D {
            for j in 0..D {
                self[i][j] += other[i][j];
            }
        }
    }
}

impl<T: Real, const D: usize> Sub for Matrix<T, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

impl<T: Real, const D: usize> SubAssign for Matrix<T, D> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        for i in 0..D {
            for j in 0..D {
                self[i][j] -= other[i][j];
            }
        }
    }
}

impl<T: Real, const D: usize> Mul<T> for Matrix<T, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, a: T) -> Self {
        for i in 0..D {
            for j in 0..D {
                self[i][j] *= a;
            }
        }
        self
    }
}

impl<T: Real, const D: usize> Mul for Matrix<T, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let mut out = Self::zero();
        for i in 0..D {
            for j in 0..D {
                let mut sum = self[i][0] * other[0][j];
                for k in 1..D {
                    sum = self[i][k].mul_add(other[k][j], sum);
                }
                out[i][j] = sum;
            }
        }
        out
    }
}

impl<T: Real, const D: usize> Mul<Vector<T, D>> for Matrix<T, D> {
    type Output = Vector<T, D>;
    #[inline(always)]
    fn mul(self, v: Vector<T, D>) -> Vector<T, D> {
        let mut out = Vector::zero();
        for i in 0..D {
            out[i] = Vector(self[i]).dot(v);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::reference::Random;
    use crate::{Matrix, Vector};

    fn random<const D: usize>(source: &mut Random) -> Matrix<f64, D> {
        let mut out = Matrix::zero();
        for i in 0..D {
            for j in 0..D {
                out[i][j] = source.between(-1.0, 1.0);
            }
        }
        out
    }

    fn close<const D: usize>(a: Matrix<f64, D>, b: Matrix<f64, D>, tolerance: f64) -> bool {
        (a - b).norm_squared().sqrt() <= tolerance
    }

    fn determinants_and_inverses<const D: usize>() {
        let mut source = Random(9);
        for _ in 0..10_000 {
            let (a, b) = (random::<D>(&mut source), random::<D>(&mut source));
            let det = a.determinant();
            assert!((det - a.transpose().determinant()).abs() < 1e-14);
            assert!(((a * b).determinant() - det * b.determinant()).abs() < 1e-13);
            assert!(close(a * a.adjugate(), Matrix::from_scalar(det), 1e-14));
            assert!(close(a.adjugate() * a, Matrix::from_scalar(det), 1e-14));
            if det.abs() > 1e-3 {
                assert!(close(a * a.inverse(), Matrix::identity(), 1e-11));
            }
            let rotation = Matrix(source.rotation::<D>());
            assert!((rotation.determinant() - 1.0).abs() < 1e-14);
            assert!(close(rotation.inverse(), rotation.transpose(), 1e-14));
        }
    }

    #[test]
    fn adjugates_and_inverses_undo_the_matrix() {
        determinants_and_inverses::<1>();
        determinants_and_inverses::<2>();
        determinants_and_inverses::<3>();
    }

    #[test]
    fn determinants_of_simple_matrices_are_exact() {
        assert_eq!(Matrix::<f64, 3>::identity().determinant(), 1.0);
        assert_eq!(
            Matrix::<f64, 3>::from_diagonal(Vector([2.0, 3.0, -4.0])).determinant(),
            -24.0
        );
        assert_eq!(Matrix([[1.0, 2.0], [3.0, 4.0]]).determinant(), -2.0);
        assert_eq!(
            Matrix([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).determinant(),
            -1.0
        );
        assert!(!Matrix::<f64, 3>::zero().inverse()[0][0].is_finite());
    }

    fn excesses_and_factors<const D: usize>() {
        let mut source = Random(11);
        for _ in 0..10_000 {
            let a = random::<D>(&mut source);
            let whole = (Matrix::identity() + a).determinant() - 1.0;
            assert!((a.determinant_excess() - whole).abs() < 1e-14);
            // Small matrices have the trace and, to second order, i₂ = ½ ((tr A)² − tr A²).
            let small = a * 1e-9;
            let expected =
                small.trace() + 0.5 * (small.trace() * small.trace() - (small * small).trace());
            assert!((small.determinant_excess() - expected).abs() < 2e-24);
            let b = a.times_own_transpose() + Matrix::from_scalar(0.1);
            let (lower, inverse) = b.cholesky();
            assert!(close(lower.times_own_transpose(), b, 1e-14));
            for i in 0..D {
                assert!((inverse[i] * lower[i][i] - 1.0).abs() < 1e-15);
                assert!((i + 1..D).all(|j| lower[i][j] == 0.0));
            }
        }
    }

    #[test]
    fn determinants_near_one_keep_their_digits_and_factors_multiply() {
        excesses_and_factors::<2>();
        excesses_and_factors::<3>();
        let flat = Matrix([[1.0, 1.0], [1.0, 1.0]]);
        assert!(flat.cholesky().0[1][1] > 0.0);
    }

    #[test]
    fn symmetric_and_deviatoric_parts_add_up() {
        let mut source = Random(10);
        for _ in 0..1000 {
            let a = random::<3>(&mut source);
            let symmetric = a.symmetric_part();
            assert_eq!(symmetric, symmetric.transpose());
            assert!(close(symmetric + (a - a.transpose()) * 0.5, a, 1e-15));
            assert!(a.deviator().trace().abs() < 1e-15);
            assert!(close(a.times_own_transpose(), a * a.transpose(), 1e-15));
            assert!((a.contract(a) - (a.transpose() * a).trace()).abs() < 1e-14);
        }
    }
}
