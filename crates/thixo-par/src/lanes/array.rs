//! Lanes as plain arrays, for processors without a lane type of their own; the specification of the
//! others.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use thixo_math::{Lanes, Mask, Real};

/// `N` scalars side by side.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Array<T, const N: usize>([T; N]);

/// `N` truth values.
#[derive(Clone, Copy, Debug)]
pub struct ArrayMask<const N: usize>([bool; N]);

impl<const N: usize> Mask for ArrayMask<N> {
    #[inline(always)]
    fn and(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] &= other.0[i];
        }
        self
    }
    #[inline(always)]
    fn or(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] |= other.0[i];
        }
        self
    }
    #[inline(always)]
    fn not(mut self) -> Self {
        for i in 0..N {
            self.0[i] = !self.0[i];
        }
        self
    }
    #[inline(always)]
    fn any(self) -> bool {
        let mut any = false;
        for i in 0..N {
            any |= self.0[i];
        }
        any
    }
    #[inline(always)]
    fn all(self) -> bool {
        let mut all = true;
        for i in 0..N {
            all &= self.0[i];
        }
        all
    }
}

macro_rules! lane_wise_operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign_method:ident) => {
        impl<T: Real, const N: usize> $trait for Array<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for i in 0..N {
                    self.0[i] = self.0[i].$method(other.0[i]);
                }
                self
            }
        }
        impl<T: Real, const N: usize> $assign_trait for Array<T, N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = (*self).$method(other);
            }
        }
    };
}

lane_wise_operator!(Add, add, AddAssign, add_assign);
lane_wise_operator!(Sub, sub, SubAssign, sub_assign);
lane_wise_operator!(Mul, mul, MulAssign, mul_assign);
lane_wise_operator!(Div, div, DivAssign, div_assign);

impl<T: Real, const N: usize> Neg for Array<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for i in 0..N {
            self.0[i] = -self.0[i];
        }
        self
    }
}

macro_rules! lane_wise {
    ($($name:ident($($argument:ident),*);)*) => {$(
        #[inline(always)]
        fn $name(mut self $(, $argument: Self)*) -> Self {
            for i in 0..N {
                self.0[i] = self.0[i].$name($($argument.0[i]),*);
            }
            self
        }
    )*};
}

macro_rules! lane_wise_comparison {
    ($($name:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self::Mask {
            let mut mask = [false; N];
            for i in 0..N {
                mask[i] = self.0[i].$name(other.0[i]);
            }
            ArrayMask(mask)
        }
    )*};
}

impl<T: Real<Mask = bool>, const N: usize> Real for Array<T, N> {
    type Mask = ArrayMask<N>;
    const EPSILON: f64 = T::EPSILON;
    const MIN_POSITIVE: f64 = T::MIN_POSITIVE;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([T::splat(x); N])
    }

    lane_wise! {
        mul_add(a, b);
        sqrt();
        abs();
        min(other);
        max(other);
        floor();
        round();
        copysign(sign);
        scale_by_power_of_two(n);
    }

    lane_wise_comparison! { lt; le; eq; }

    #[inline(always)]
    fn select(mask: Self::Mask, mut yes: Self, no: Self) -> Self {
        for i in 0..N {
            yes.0[i] = T::select(mask.0[i], yes.0[i], no.0[i]);
        }
        yes
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (mut m, mut e) = (self, self);
        for i in 0..N {
            (m.0[i], e.0[i]) = self.0[i].split_exponent();
        }
        (m, e)
    }
}

/// Conversion to an integer.
pub trait ToInteger {
    /// Truncated, saturating.
    fn to_i32(self) -> i32;
}

impl ToInteger for f32 {
    #[inline(always)]
    fn to_i32(self) -> i32 {
        self as i32
    }
}

impl ToInteger for f64 {
    #[inline(always)]
    fn to_i32(self) -> i32 {
        self as i32
    }
}

impl<T: Real<Mask = bool> + PartialOrd + Default + ToInteger, const N: usize> Lanes
    for Array<T, N>
{
    type Scalar = T;
    const LANES: usize = N;

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        let mut out = [T::default(); N];
        out.copy_from_slice(&from[..N]);
        Self(out)
    }
    #[inline(always)]
    fn store(self, to: &mut [T]) {
        to[..N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn splat_scalar(x: T) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn repeat_quad(quad: &[T; 4]) -> Self {
        let mut out = [T::default(); N];
        for i in 0..N {
            out[i] = quad[i % 4];
        }
        Self(out)
    }
    #[inline(always)]
    fn spread_over_quads(from: &[T]) -> Self {
        let mut out = [T::default(); N];
        for i in 0..N {
            out[i] = from[i / 4];
        }
        Self(out)
    }
    #[inline(always)]
    fn load_transposed(from: &[T], stride: usize) -> [Self; 4] {
        let mut out = [Self([T::default(); N]); 4];
        for l in 0..N {
            for k in 0..4 {
                out[k].0[l] = from[l * stride + k];
            }
        }
        out
    }
    #[inline(always)]
    fn store_transposed(columns: [Self; 4], to: &mut [T], stride: usize) {
        for l in 0..N {
            for k in 0..4 {
                to[l * stride + k] = columns[k].0[l];
            }
        }
    }
    #[inline(always)]
    fn sum_quads(self) -> [T; 4] {
        let mut out = [self.0[0], self.0[1], self.0[2], self.0[3]];
        for i in 4..N {
            out[i % 4] += self.0[i];
        }
        out
    }
    #[inline(always)]
    fn store_rounded(self, to: &mut [i32]) {
        let to = &mut to[..N];
        for i in 0..N {
            to[i] = self.0[i].round().to_i32();
        }
    }
    #[inline(always)]
    fn max_lane(self) -> T {
        let mut out = self.0[0];
        for i in 1..N {
            out = if out >= self.0[i] || !self.0[i].eq(self.0[i]) {
                out
            } else {
                self.0[i]
            };
        }
        out
    }
    #[inline(always)]
    fn min_lane(self) -> T {
        -(-self).max_lane()
    }
}
