//! Lanes over pairs of 128-bit registers with SSE2, which every x86-64 processor has: the portable
//! path there.
//!
//! SSE2 belongs to the baseline of the architecture, so that every intrinsic here may be called
//! anywhere; blocks that also touch memory check the length of the slice first. There is no fused
//! multiplication, rounding or blending in SSE2: they are composed of other operations.

use core::arch::x86_64::*;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use thixo_math::{Lanes, Mask, Real};

/// Eight `f32` in two registers.
#[derive(Clone, Copy, Debug)]
pub struct F32x8([__m128; 2]);

/// Four `f64` in two registers.
#[derive(Clone, Copy, Debug)]
pub struct F64x4([__m128d; 2]);

/// Truth values for eight `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Mask32x8([__m128; 2]);

/// Truth values for four `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Mask64x4([__m128d; 2]);

/// Calls intrinsics that need nothing but SSE2.
macro_rules! sse2 {
    ($e:expr) => {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { $e }
    };
}

/// The same for both registers.
macro_rules! both {
    ($f:ident($($a:expr),*)) => {
        [sse2!($f($($a[0]),*)), sse2!($f($($a[1]),*))]
    };
}

operators! { F32x8 by both:
    Add add AddAssign add_assign _mm_add_ps;
    Sub sub SubAssign sub_assign _mm_sub_ps;
    Mul mul MulAssign mul_assign _mm_mul_ps;
    Div div DivAssign div_assign _mm_div_ps;
}
operators! { F64x4 by both:
    Add add AddAssign add_assign _mm_add_pd;
    Sub sub SubAssign sub_assign _mm_sub_pd;
    Mul mul MulAssign mul_assign _mm_mul_pd;
    Div div DivAssign div_assign _mm_div_pd;
}

macro_rules! mask {
    ($mask:ident: $and:ident $or:ident $andnot:ident $movemask:ident $all:expr, $ones:expr) => {
        impl Mask for $mask {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(both!($and(self.0, other.0)))
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(both!($or(self.0, other.0)))
            }
            #[inline(always)]
            fn not(self) -> Self {
                let ones = sse2!($ones);
                Self(both!($andnot(self.0, [ones; 2])))
            }
            #[inline(always)]
            fn any(self) -> bool {
                let [a, b] = both!($movemask(self.0));
                (a | b) != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                let [a, b] = both!($movemask(self.0));
                (a & b) == $all
            }
        }
    };
}

mask!(Mask32x8: _mm_and_ps _mm_or_ps _mm_andnot_ps _mm_movemask_ps 0xf, _mm_castsi128_ps(_mm_set1_epi32(-1)));
mask!(Mask64x4: _mm_and_pd _mm_or_pd _mm_andnot_pd _mm_movemask_pd 0x3, _mm_castsi128_pd(_mm_set1_epi32(-1)));

/// Operations that differ between the precisions only by the name of the intrinsic.
macro_rules! real_by_intrinsics {
    ($mask:ident $scalar:ident: $set1:ident $sqrt:ident $min:ident $max:ident $and:ident $andnot:ident $or:ident $lt:ident $le:ident $eq:ident, $whole:expr) => {
        type Mask = $mask;
        const EPSILON: f64 = $scalar::EPSILON as f64;
        const MIN_POSITIVE: f64 = $scalar::MIN_POSITIVE as f64;

        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self([sse2!($set1(x as $scalar)); 2])
        }
        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            self * a + b
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(both!($sqrt(self.0)))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(both!($andnot(Self::splat(-0.0).0, self.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(both!($min(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(both!($max(self.0, other.0)))
        }
        #[inline(always)]
        fn floor(self) -> Self {
            let nearest = self.round();
            nearest - Self::select(self.lt(nearest), Self::one(), Self::zero())
        }
        /// Adding a number whose unit in the last place is 1 rounds to whole numbers; beyond it all
        /// numbers are whole.
        #[inline(always)]
        fn round(self) -> Self {
            let whole = Self::splat($whole);
            let size = self.abs();
            let rounded = (size + whole - whole).copysign(self);
            Self::select(size.lt(whole), rounded, self)
        }
        #[inline(always)]
        fn copysign(self, sign: Self) -> Self {
            let bit = Self::splat(-0.0).0;
            let size = both!($andnot(bit, self.0));
            let sign = both!($and(bit, sign.0));
            Self(both!($or(size, sign)))
        }
        #[inline(always)]
        fn lt(self, other: Self) -> $mask {
            $mask(both!($lt(self.0, other.0)))
        }
        #[inline(always)]
        fn le(self, other: Self) -> $mask {
            $mask(both!($le(self.0, other.0)))
        }
        #[inline(always)]
        fn eq(self, other: Self) -> $mask {
            $mask(both!($eq(self.0, other.0)))
        }
        #[inline(always)]
        fn select(mask: $mask, yes: Self, no: Self) -> Self {
            let yes = both!($and(mask.0, yes.0));
            let no = both!($andnot(mask.0, no.0));
            Self(both!($or(yes, no)))
        }
    };
}

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(both!(_mm_xor_ps(self.0, Self::splat(-0.0).0)))
    }
}

impl Neg for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(both!(_mm_xor_pd(self.0, Self::splat(-0.0).0)))
    }
}

#[inline(always)]
fn scale_f32(x: __m128, n: __m128) -> __m128 {
    sse2!({
        let exponent = _mm_add_epi32(_mm_cvtps_epi32(n), _mm_set1_epi32(127));
        _mm_mul_ps(x, _mm_castsi128_ps(_mm_slli_epi32::<23>(exponent)))
    })
}

#[inline(always)]
fn split_f32(x: __m128) -> (__m128, __m128) {
    sse2!({
        let bits = _mm_castps_si128(x);
        let offset = _mm_sub_epi32(bits, _mm_set1_epi32(0x3f35_04f3));
        let e = _mm_srai_epi32::<23>(offset);
        let m = _mm_sub_epi32(bits, _mm_slli_epi32::<23>(e));
        (_mm_castsi128_ps(m), _mm_cvtepi32_ps(e))
    })
}

#[inline(always)]
fn scale_f64(x: __m128d, n: __m128d) -> __m128d {
    sse2!({
        // The biased exponent is positive, so that its upper half is zero.
        let biased = _mm_add_epi32(_mm_cvtpd_epi32(n), _mm_set1_epi32(1023));
        let wide = _mm_unpacklo_epi32(biased, _mm_setzero_si128());
        _mm_mul_pd(x, _mm_castsi128_pd(_mm_slli_epi64::<52>(wide)))
    })
}

#[inline(always)]
fn split_f64(x: __m128d) -> (__m128d, __m128d) {
    sse2!({
        let bits = _mm_castpd_si128(x);
        let offset = _mm_sub_epi64(bits, _mm_set1_epi64x(0x3fe6_a09e_667f_3bcd));
        // There is no 64-bit arithmetic shift: the exponent sits in the upper half of each lane.
        let e = _mm_srai_epi32::<20>(offset);
        let upper = _mm_set1_epi64x(0xffff_ffff_0000_0000_u64 as i64);
        let shifted = _mm_and_si128(_mm_slli_epi32::<20>(e), upper);
        let m = _mm_sub_epi64(bits, shifted);
        let packed = _mm_shuffle_epi32::<0b11_01_11_01>(e);
        (_mm_castsi128_pd(m), _mm_cvtepi32_pd(packed))
    })
}

impl Real for F32x8 {
    real_by_intrinsics!(Mask32x8 f32: _mm_set1_ps _mm_sqrt_ps _mm_min_ps _mm_max_ps _mm_and_ps _mm_andnot_ps _mm_or_ps _mm_cmplt_ps _mm_cmple_ps _mm_cmpeq_ps, 8_388_608.0);

    #[inline(always)]
    fn scale_by_power_of_two(self, n: Self) -> Self {
        Self([scale_f32(self.0[0], n.0[0]), scale_f32(self.0[1], n.0[1])])
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (a, b) = (split_f32(self.0[0]), split_f32(self.0[1]));
        (Self([a.0, b.0]), Self([a.1, b.1]))
    }
}

impl Real for F64x4 {
    real_by_intrinsics!(Mask64x4 f64: _mm_set1_pd _mm_sqrt_pd _mm_min_pd _mm_max_pd _mm_and_pd _mm_andnot_pd _mm_or_pd _mm_cmplt_pd _mm_cmple_pd _mm_cmpeq_pd, 4_503_599_627_370_496.0);

    #[inline(always)]
    fn scale_by_power_of_two(self, n: Self) -> Self {
        Self([scale_f64(self.0[0], n.0[0]), scale_f64(self.0[1], n.0[1])])
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (a, b) = (split_f64(self.0[0]), split_f64(self.0[1]));
        (Self([a.0, b.0]), Self([a.1, b.1]))
    }
}

/// Four numbers of a slice.
#[inline(always)]
fn load_f32(from: &[f32]) -> __m128 {
    let from = &from[..4];
    // SAFETY: the slice holds four numbers.
    unsafe { _mm_loadu_ps(from.as_ptr()) }
}

#[inline(always)]
fn store_f32(x: __m128, to: &mut [f32]) {
    let to = &mut to[..4];
    // SAFETY: the slice holds four numbers.
    unsafe { _mm_storeu_ps(to.as_mut_ptr(), x) }
}

#[inline(always)]
fn load_f64(from: &[f64]) -> __m128d {
    let from = &from[..2];
    // SAFETY: the slice holds two numbers.
    unsafe { _mm_loadu_pd(from.as_ptr()) }
}

#[inline(always)]
fn store_f64(x: __m128d, to: &mut [f64]) {
    let to = &mut to[..2];
    // SAFETY: the slice holds two numbers.
    unsafe { _mm_storeu_pd(to.as_mut_ptr(), x) }
}

/// The transposition of four rows of four; its own inverse.
#[inline(always)]
fn transpose([a, b, c, d]: [__m128; 4]) -> [__m128; 4] {
    sse2!({
        let t0 = _mm_unpacklo_ps(a, b);
        let t1 = _mm_unpackhi_ps(a, b);
        let t2 = _mm_unpacklo_ps(c, d);
        let t3 = _mm_unpackhi_ps(c, d);
        [
            _mm_movelh_ps(t0, t2),
            _mm_movehl_ps(t2, t0),
            _mm_movelh_ps(t1, t3),
            _mm_movehl_ps(t3, t1),
        ]
    })
}

impl Lanes for F32x8 {
    type Scalar = f32;
    const LANES: usize = 8;

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..8];
        Self([load_f32(from), load_f32(&from[4..])])
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..8];
        store_f32(self.0[0], to);
        store_f32(self.0[1], &mut to[4..]);
    }
    #[inline(always)]
    fn splat_scalar(x: f32) -> Self {
        Self([sse2!(_mm_set1_ps(x)); 2])
    }
    #[inline(always)]
    fn repeat_quad(quad: &[f32; 4]) -> Self {
        Self([load_f32(quad); 2])
    }
    #[inline(always)]
    fn spread_over_quads(from: &[f32]) -> Self {
        let from = &from[..2];
        Self([sse2!(_mm_set1_ps(from[0])), sse2!(_mm_set1_ps(from[1]))])
    }
    #[inline(always)]
    fn load_transposed(from: &[f32], stride: usize) -> [Self; 4] {
        let half = |first: usize| {
            transpose([
                load_f32(&from[first * stride..]),
                load_f32(&from[(first + 1) * stride..]),
                load_f32(&from[(first + 2) * stride..]),
                load_f32(&from[(first + 3) * stride..]),
            ])
        };
        let (low, high) = (half(0), half(4));
        [
            Self([low[0], high[0]]),
            Self([low[1], high[1]]),
            Self([low[2], high[2]]),
            Self([low[3], high[3]]),
        ]
    }
    #[inline(always)]
    fn store_transposed([a, b, c, d]: [Self; 4], to: &mut [f32], stride: usize) {
        for half in 0..2 {
            let rows = transpose([a.0[half], b.0[half], c.0[half], d.0[half]]);
            for l in 0..4 {
                store_f32(rows[l], &mut to[(4 * half + l) * stride..]);
            }
        }
    }
    #[inline(always)]
    fn sum_quads(self) -> [f32; 4] {
        let mut out = [0.0; 4];
        store_f32(sse2!(_mm_add_ps(self.0[0], self.0[1])), &mut out);
        out
    }
    #[inline(always)]
    fn store_rounded(self, to: &mut [i32]) {
        let to = &mut to[..8];
        let [a, b] = both!(_mm_cvtps_epi32(self.0));
        // SAFETY: the slice holds eight integers.
        unsafe {
            _mm_storeu_si128(to.as_mut_ptr().cast(), a);
            _mm_storeu_si128(to[4..].as_mut_ptr().cast(), b);
        }
    }
    extreme_lanes!(f32);
}

impl F64x4 {
    /// The transposition of four rows of four; its own inverse.
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let low = |x: __m128d, y: __m128d| sse2!(_mm_unpacklo_pd(x, y));
        let high = |x: __m128d, y: __m128d| sse2!(_mm_unpackhi_pd(x, y));
        [
            Self([low(a.0[0], b.0[0]), low(c.0[0], d.0[0])]),
            Self([high(a.0[0], b.0[0]), high(c.0[0], d.0[0])]),
            Self([low(a.0[1], b.0[1]), low(c.0[1], d.0[1])]),
            Self([high(a.0[1], b.0[1]), high(c.0[1], d.0[1])]),
        ]
    }
}

impl Lanes for F64x4 {
    type Scalar = f64;
    const LANES: usize = 4;

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        let from = &from[..4];
        Self([load_f64(from), load_f64(&from[2..])])
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to = &mut to[..4];
        store_f64(self.0[0], to);
        store_f64(self.0[1], &mut to[2..]);
    }
    #[inline(always)]
    fn splat_scalar(x: f64) -> Self {
        Self([sse2!(_mm_set1_pd(x)); 2])
    }
    #[inline(always)]
    fn store_rounded(self, to: &mut [i32]) {
        let to = &mut to[..4];
        let [a, b] = both!(_mm_cvtpd_epi32(self.0));
        // SAFETY: the slice holds four integers.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_unpacklo_epi64(a, b)) }
    }
    one_quad!(f64);
    extreme_lanes!(f64);
}
