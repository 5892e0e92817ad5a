//! Arithmetic written once for one number or for a register of them.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::elementary;

/// One truth value per lane of a [`Real`]; `bool` for a scalar.
pub trait Mask: Copy + Debug {
    /// Lane-wise conjunction.
    fn and(self, other: Self) -> Self;
    /// Lane-wise disjunction.
    fn or(self, other: Self) -> Self;
    /// Lane-wise negation.
    fn not(self) -> Self;
    /// True if any lane is true.
    fn any(self) -> bool;
    /// True if all lanes are true.
    fn all(self) -> bool;
}

impl Mask for bool {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
}

/// A real number, or a register of independent ones (a lane each).
///
/// Constitutive models, kernels and decompositions are generic over `Real`; choices are made with
/// comparison masks and [`Real::select`], never with branches, so that the scalar instance (`f64`,
/// the specification) and the lane instances run the same operations in the same order.
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// The result of a comparison.
    type Mask: Mask;

    /// Distance from 1 to the next larger number of this precision.
    const EPSILON: f64;
    /// Smallest positive normal number of this precision.
    const MIN_POSITIVE: f64;

    /// `x` rounded to this precision, in every lane.
    fn splat(x: f64) -> Self;
    /// `self · a + b`; rounded once where the instruction set has a fused operation, twice
    /// otherwise.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Square root, correctly rounded; NaN for negative arguments.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The smaller operand; `other` where `self` is NaN.
    fn min(self, other: Self) -> Self;
    /// The larger operand; `other` where `self` is NaN.
    fn max(self, other: Self) -> Self;
    /// Largest integer not above the value.
    fn floor(self) -> Self;
    /// Nearest integer, ties to even.
    fn round(self) -> Self;
    /// Magnitude of `self`, sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// `self < other`; false on NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self ≤ other`; false on NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self = other`; false on NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// `self · 2ⁿ` for an integer-valued `n` for which 2ⁿ is a normal number.
    fn scale_by_power_of_two(self, n: Self) -> Self;
    /// `(m, e)` with `self = m · 2ᵉ`, `m` in [√½, √2), for a positive normal `self`; `e` is
    /// integer-valued.
    fn split_exponent(self) -> (Self, Self);

    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(1.0)
    }
    /// `self > other`; false on NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// `self ≥ other`; false on NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// True where the value is neither infinite nor NaN.
    #[inline(always)]
    #[allow(clippy::eq_op)] // ∞ − ∞ and NaN − NaN are NaN
    fn is_finite(self) -> Self::Mask {
        (self - self).eq(Self::zero())
    }
    /// The square.
    #[inline(always)]
    fn squared(self) -> Self {
        self * self
    }
    /// eˣ, see [`elementary::exp`].
    #[inline(always)]
    fn exp(self) -> Self {
        elementary::exp(self)
    }
    /// Natural logarithm, see [`elementary::ln`].
    #[inline(always)]
    fn ln(self) -> Self {
        elementary::ln(self)
    }
    /// eˣ − 1 with all its digits near zero, see [`elementary::exp_m1`].
    #[inline(always)]
    fn exp_m1(self) -> Self {
        elementary::exp_m1(self)
    }
    /// ln(1 + x) with all its digits near zero, see [`elementary::ln_1p`].
    #[inline(always)]
    fn ln_1p(self) -> Self {
        elementary::ln_1p(self)
    }
    /// `self` to the power `y` for `self ≥ 0`, see [`elementary::pow`].
    #[inline(always)]
    fn powf(self, y: Self) -> Self {
        elementary::pow(self, y)
    }
}

macro_rules! scalar_real {
    ($t:ident, $bits:ident, $mantissa_bits:expr, $bias:expr, $sqrt_half:expr) => {
        impl Real for $t {
            type Mask = bool;
            const EPSILON: f64 = $t::EPSILON as f64;
            const MIN_POSITIVE: f64 = $t::MIN_POSITIVE as f64;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self * a + b
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self.floor()
            }
            #[inline(always)]
            fn round(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                self.copysign(sign)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn scale_by_power_of_two(self, n: Self) -> Self {
                self * $t::from_bits(((n as i64 + $bias) as $bits) << $mantissa_bits)
            }
            #[inline(always)]
            fn split_exponent(self) -> (Self, Self) {
                // Subtracting the bits of √½ makes the exponent field change at √½ and not at 1.
                let offset = self.to_bits().wrapping_sub($sqrt_half);
                let e = (offset as <$t as SignedBits>::Int) >> $mantissa_bits;
                let m = $t::from_bits(self.to_bits().wrapping_sub((e << $mantissa_bits) as $bits));
                (m, e as $t)
            }
        }
    };
}

/// The signed integer as wide as a float.
trait SignedBits {
    type Int;
}
impl SignedBits for f32 {
    type Int = i32;
}
impl SignedBits for f64 {
    type Int = i64;
}

scalar_real!(f32, u32, 23, 127, 0x3f35_04f3_u32);
scalar_real!(f64, u64, 52, 1023, 0x3fe6_a09e_667f_3bcd_u64);

/// A register of [`LANES`](Lanes::LANES) scalars.
///
/// Besides arithmetic, lanes move between three layouts: columns (`load`, `store`: one quantity of
/// consecutive particles), quads (rows of four numbers, as grid nodes are stored) and their
/// transposition.
pub trait Lanes: Real {
    /// The type of one lane.
    type Scalar: Real<Mask = bool> + PartialOrd + Default;
    /// Lanes in a register; a multiple of 4.
    const LANES: usize;
    /// Quads (rows of four numbers) that fill a register.
    const QUADS: usize = Self::LANES / 4;

    /// The first `LANES` numbers of a slice.
    fn load(from: &[Self::Scalar]) -> Self;
    /// Writes all lanes to the front of a slice.
    fn store(self, to: &mut [Self::Scalar]);
    /// The same scalar in every lane.
    fn splat_scalar(x: Self::Scalar) -> Self;
    /// One quad repeated over the register.
    fn repeat_quad(quad: &[Self::Scalar; 4]) -> Self;
    /// `from[0]` in the lanes of the first quad, `from[1]` in those of the second, …
    fn spread_over_quads(from: &[Self::Scalar]) -> Self;
    /// Lane `l` of the `k`-th result is `from[l · stride + k]`: rows of four become columns.
    fn load_transposed(from: &[Self::Scalar], stride: usize) -> [Self; 4];
    /// Writes lane `l` of `columns[k]` to `to[l · stride + k]`: columns become rows of four.
    fn store_transposed(columns: [Self; 4], to: &mut [Self::Scalar], stride: usize);
    /// Sum of the register's quads, as one quad.
    fn sum_quads(self) -> [Self::Scalar; 4];
    /// Every lane rounded to the nearest integer; unspecified where that does not fit into an
    /// `i32`.
    fn store_rounded(self, to: &mut [i32]);
    /// Largest lane; NaN lanes are ignored unless all are.
    fn max_lane(self) -> Self::Scalar;
    /// Smallest lane; NaN lanes are ignored unless all are.
    fn min_lane(self) -> Self::Scalar;
}
