//! Vectors of `D` components over any [`Real`].

use core::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use crate::{Matrix, Real};

/// A vector of `D` components.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Vector<T, const D: usize>(pub [T; D]);

impl<T: Real, const D: usize> Vector<T, D> {
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([T::zero(); D])
    }
    /// Every component rounded from an `f64`.
    #[inline(always)]
    pub fn splat_from(components: [f64; D]) -> Self {
        let mut out = Self::zero();
        for i in 0..D {
            out[i] = T::splat(components[i]);
        }
        out
    }
    /// Σ aᵢ bᵢ.
    #[inline(always)]
    pub fn dot(self, other: Self) -> T {
        let mut sum = self[0] * other[0];
        for i in 1..D {
            sum = self[i].mul_add(other[i], sum);
        }
        sum
    }
    /// |a|².
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.dot(self)
    }
    /// |a|.
    #[inline(always)]
    pub fn norm(self) -> T {
        self.norm_squared().sqrt()
    }
    /// a bᵀ.
    #[inline(always)]
    pub fn outer(self, other: Self) -> Matrix<T, D> {
        let mut out = Matrix::zero();
        for i in 0..D {
            for j in 0..D {
                out[i][j] = self[i] * other[j];
            }
        }
        out
    }
    /// `self · a + b` for a scalar `a`.
    #[inline(always)]
    pub fn mul_add(self, a: T, b: Self) -> Self {
        let mut out = b;
        for i in 0..D {
            out[i] = self[i].mul_add(a, b[i]);
        }
        out
    }
    /// Component-wise choice.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        let mut out = no;
        for i in 0..D {
            out[i] = T::select(mask, yes[i], no[i]);
        }
        out
    }
}

impl<T, const D: usize> Index<usize> for Vector<T, D> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.0[i]
    }
}

impl<T, const D: usize> IndexMut<usize> for Vector<T, D> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.0[i]
    }
}

impl<T: Real, const D: usize> Add for Vector<T, D> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl<T: Real, const D: usize> AddAssign for Vector<T, D> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        for i in 0..D {
            self[i] += other[i];
        }
    }
}

impl<T: Real, const D: usize> Sub for Vector<T, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

impl<T: Real, const D: usize> SubAssign for Vector<T, D> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        for i in 0..D {
            self[i] -= other[i];
        }
    }
}

impl<T: Real, const D: usize> Mul<T> for Vector<T, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, a: T) -> Self {
        for i in 0..D {
            self[i] *= a;
        }
        self
    }
}

impl<T: Real, const D: usize> Neg for Vector<T, D> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for i in 0..D {
            self[i] = -self[i];
        }
        self
    }
}
