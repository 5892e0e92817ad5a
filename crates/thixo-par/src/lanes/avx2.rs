//! Lanes over 256-bit registers with AVX2 and FMA.
//!
//! Every function here is inlined into a caller compiled with both features; [`crate::dispatch()`]
//! is the only way to get at the types, and it has checked the processor. That is the proof for
//! every `unsafe` block that calls an intrinsic; blocks that also touch memory check the length of
//! the slice first.

use core::arch::x86_64::*;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use thixo_math::{Lanes, Mask, Real};

/// Eight `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8(__m256);

/// Four `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x4(__m256d);

/// Truth values for eight `f32`: all bits of a lane set or clear.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Mask32x8(__m256);

/// Truth values for four `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Mask64x4(__m256d);

/// Calls intrinsics that need nothing but the instruction set.
macro_rules! avx2 {
    ($e:expr) => {
        // SAFETY: the lane types exist only inside `dispatch`, which has found AVX2 and FMA (module
        // comment).
        unsafe { $e }
    };
}

operators! { F32x8 by avx2:
    Add add AddAssign add_assign _mm256_add_ps;
    Sub sub SubAssign sub_assign _mm256_sub_ps;
    Mul mul MulAssign mul_assign _mm256_mul_ps;
    Div div DivAssign div_assign _mm256_div_ps;
}
operators! { F64x4 by avx2:
    Add add AddAssign add_assign _mm256_add_pd;
    Sub sub SubAssign sub_assign _mm256_sub_pd;
    Mul mul MulAssign mul_assign _mm256_mul_pd;
    Div div DivAssign div_assign _mm256_div_pd;
}

macro_rules! mask {
    ($mask:ident: $and:ident $or:ident $xor:ident $movemask:ident $all:expr, $ones:expr) => {
        impl Mask for $mask {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(avx2!($and(self.0, other.0)))
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(avx2!($or(self.0, other.0)))
            }
            #[inline(always)]
            fn not(self) -> Self {
                Self(avx2!($xor(self.0, $ones)))
            }
            #[inline(always)]
            fn any(self) -> bool {
                avx2!($movemask(self.0)) != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                avx2!($movemask(self.0)) == $all
            }
        }
    };
}

mask!(Mask32x8: _mm256_and_ps _mm256_or_ps _mm256_xor_ps _mm256_movemask_ps 0xff, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
mask!(Mask64x4: _mm256_and_pd _mm256_or_pd _mm256_xor_pd _mm256_movemask_pd 0xf, _mm256_castsi256_pd(_mm256_set1_epi32(-1)));

/// Operations that differ between the precisions only by the name of the intrinsic.
macro_rules! real_by_intrinsics {
    ($mask:ident $scalar:ident: $set1:ident $fmadd:ident $sqrt:ident $min:ident $max:ident $floor:ident $round:ident $and:ident $andnot:ident $or:ident $cmp:ident $blend:ident) => {
        type Mask = $mask;
        const EPSILON: f64 = $scalar::EPSILON as f64;
        const MIN_POSITIVE: f64 = $scalar::MIN_POSITIVE as f64;

        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self(avx2!($set1(x as $scalar)))
        }
        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            Self(avx2!($fmadd(self.0, a.0, b.0)))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(avx2!($sqrt(self.0)))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(avx2!($andnot($set1(-0.0), self.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(avx2!($min(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(avx2!($max(self.0, other.0)))
        }
        #[inline(always)]
        fn floor(self) -> Self {
            Self(avx2!($floor(self.0)))
        }
        #[inline(always)]
        fn round(self) -> Self {
            Self(avx2!($round::<
                { _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC },
            >(self.0)))
        }
        #[inline(always)]
        fn copysign(self, sign: Self) -> Self {
            Self(avx2!($or(
                $andnot($set1(-0.0), self.0),
                $and($set1(-0.0), sign.0)
            )))
        }
        #[inline(always)]
        fn lt(self, other: Self) -> $mask {
            $mask(avx2!($cmp::<_CMP_LT_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn le(self, other: Self) -> $mask {
            $mask(avx2!($cmp::<_CMP_LE_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn eq(self, other: Self) -> $mask {
            $mask(avx2!($cmp::<_CMP_EQ_OQ>(self.0, other.0)))
        }
        #[inline(always)]
        fn select(mask: $mask, yes: Self, no: Self) -> Self {
            Self(avx2!($blend(no.0, yes.0, mask.0)))
        }
    };
}

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx2!(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))))
    }
}

impl Neg for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
    }
}

impl Real for F32x8 {
    real_by_intrinsics!(Mask32x8 f32: _mm256_set1_ps _mm256_fmadd_ps _mm256_sqrt_ps _mm256_min_ps _mm256_max_ps _mm256_floor_ps _mm256_round_ps _mm256_and_ps _mm256_andnot_ps _mm256_or_ps _mm256_cmp_ps _mm256_blendv_ps);

    #[inline(always)]
    fn scale_by_power_of_two(self, n: Self) -> Self {
        avx2!({
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n.0), _mm256_set1_epi32(127));
            Self(_mm256_mul_ps(
                self.0,
                _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)),
            ))
        })
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        avx2!({
            let bits = _mm256_castps_si256(self.0);
            let offset = _mm256_sub_epi32(bits, _mm256_set1_epi32(0x3f35_04f3));
            let e = _mm256_srai_epi32::<23>(offset);
            let m = _mm256_sub_epi32(bits, _mm256_slli_epi32::<23>(e));
            (Self(_mm256_castsi256_ps(m)), Self(_mm256_cvtepi32_ps(e)))
        })
    }
}

impl Real for F64x4 {
    real_by_intrinsics!(Mask64x4 f64: _mm256_set1_pd _mm256_fmadd_pd _mm256_sqrt_pd _mm256_min_pd _mm256_max_pd _mm256_floor_pd _mm256_round_pd _mm256_and_pd _mm256_andnot_pd _mm256_or_pd _mm256_cmp_pd _mm256_blendv_pd);

    #[inline(always)]
    fn scale_by_power_of_two(self, n: Self) -> Self {
        avx2!({
            let exponent = _mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(n.0));
            let biased = _mm256_add_epi64(exponent, _mm256_set1_epi64x(1023));
            Self(_mm256_mul_pd(
                self.0,
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased)),
            ))
        })
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        avx2!({
            let bits = _mm256_castpd_si256(self.0);
            let offset = _mm256_sub_epi64(bits, _mm256_set1_epi64x(0x3fe6_a09e_667f_3bcd));
            // AVX2 has no 64-bit arithmetic shift: the exponent sits in the upper half of each
            // lane.
            let e = _mm256_srai_epi32::<20>(offset);
            let shifted = _mm256_slli_epi32::<20>(e);
            let upper = _mm256_set1_epi64x(0xffff_ffff_0000_0000_u64 as i64);
            let m = _mm256_sub_epi64(bits, _mm256_and_si256(shifted, upper));
            let packed = _mm256_permutevar8x32_epi32(e, _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7));
            let e = _mm256_cvtepi32_pd(_mm256_castsi256_si128(packed));
            (Self(_mm256_castsi256_pd(m)), Self(e))
        })
    }
}

impl F32x8 {
    /// Two rows of four, from the positions `l` and `l + 4` of a table of rows.
    #[inline(always)]
    fn two_rows(from: &[f32], l: usize, stride: usize) -> __m256 {
        let low = &from[l * stride..][..4];
        let high = &from[(l + 4) * stride..][..4];
        // SAFETY: both slices hold four numbers; instruction set as in the module comment.
        unsafe {
            _mm256_insertf128_ps::<1>(
                _mm256_castps128_ps256(_mm_loadu_ps(low.as_ptr())),
                _mm_loadu_ps(high.as_ptr()),
            )
        }
    }
    /// The inverse of [`Self::two_rows`].
    #[inline(always)]
    fn store_two_rows(rows: __m256, to: &mut [f32], l: usize, stride: usize) {
        // SAFETY: each slice holds four numbers; instruction set as in the module comment.
        unsafe {
            let low = &mut to[l * stride..][..4];
            _mm_storeu_ps(low.as_mut_ptr(), _mm256_castps256_ps128(rows));
            let high = &mut to[(l + 4) * stride..][..4];
            _mm_storeu_ps(high.as_mut_ptr(), _mm256_extractf128_ps::<1>(rows));
        }
    }
}

impl Lanes for F32x8 {
    type Scalar = f32;
    const LANES: usize = 8;

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..8];
        // SAFETY: the slice holds eight numbers; instruction set as in the module comment.
        Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..8];
        // SAFETY: the slice holds eight numbers; instruction set as in the module comment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn splat_scalar(x: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(x)))
    }
    #[inline(always)]
    fn repeat_quad(quad: &[f32; 4]) -> Self {
        // SAFETY: the slice holds four numbers; instruction set as in the module comment.
        Self(unsafe {
            let quad = _mm_loadu_ps(quad.as_ptr());
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(quad), quad)
        })
    }
    #[inline(always)]
    fn spread_over_quads(from: &[f32]) -> Self {
        let from = &from[..2];
        avx2!(Self(_mm256_insertf128_ps::<1>(
            _mm256_castps128_ps256(_mm_set1_ps(from[0])),
            _mm_set1_ps(from[1]),
        )))
    }
    #[inline(always)]
    fn load_transposed(from: &[f32], stride: usize) -> [Self; 4] {
        let r0 = Self::two_rows(from, 0, stride);
        let r1 = Self::two_rows(from, 1, stride);
        let r2 = Self::two_rows(from, 2, stride);
        let r3 = Self::two_rows(from, 3, stride);
        avx2!({
            let t0 = _mm256_unpacklo_ps(r0, r1);
            let t1 = _mm256_unpackhi_ps(r0, r1);
            let t2 = _mm256_unpacklo_ps(r2, r3);
            let t3 = _mm256_unpackhi_ps(r2, r3);
            [
                Self(_mm256_shuffle_ps::<0x44>(t0, t2)),
                Self(_mm256_shuffle_ps::<0xee>(t0, t2)),
                Self(_mm256_shuffle_ps::<0x44>(t1, t3)),
                Self(_mm256_shuffle_ps::<0xee>(t1, t3)),
            ]
        })
    }
    #[inline(always)]
    fn store_transposed(columns: [Self; 4], to: &mut [f32], stride: usize) {
        let [a, b, c, d] = columns;
        let (r0, r1, r2, r3) = avx2!({
            let t0 = _mm256_unpacklo_ps(a.0, b.0);
            let t1 = _mm256_unpackhi_ps(a.0, b.0);
            let t2 = _mm256_unpacklo_ps(c.0, d.0);
            let t3 = _mm256_unpackhi_ps(c.0, d.0);
            (
                _mm256_shuffle_ps::<0x44>(t0, t2),
                _mm256_shuffle_ps::<0xee>(t0, t2),
                _mm256_shuffle_ps::<0x44>(t1, t3),
                _mm256_shuffle_ps::<0xee>(t1, t3),
            )
        });
        Self::store_two_rows(r0, to, 0, stride);
        Self::store_two_rows(r1, to, 1, stride);
        Self::store_two_rows(r2, to, 2, stride);
        Self::store_two_rows(r3, to, 3, stride);
    }
    #[inline(always)]
    fn sum_quads(self) -> [f32; 4] {
        let mut out = [0.0; 4];
        // SAFETY: `out` holds four numbers; instruction set as in the module comment.
        unsafe {
            let sum = _mm_add_ps(
                _mm256_castps256_ps128(self.0),
                _mm256_extractf128_ps::<1>(self.0),
            );
            _mm_storeu_ps(out.as_mut_ptr(), sum);
        }
        out
    }
    #[inline(always)]
    fn store_rounded(self, to: &mut [i32]) {
        let to = &mut to[..8];
        // SAFETY: the slice holds eight integers; instruction set as in the module comment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_cvtps_epi32(self.0)) }
    }
    extreme_lanes!(f32);
}

impl F64x4 {
    /// The transposition of four rows of four; its own inverse.
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        avx2!({
            let t0 = _mm256_unpacklo_pd(a.0, b.0);
            let t1 = _mm256_unpackhi_pd(a.0, b.0);
            let t2 = _mm256_unpacklo_pd(c.0, d.0);
            let t3 = _mm256_unpackhi_pd(c.0, d.0);
            [
                Self(_mm256_permute2f128_pd::<0x20>(t0, t2)),
                Self(_mm256_permute2f128_pd::<0x20>(t1, t3)),
                Self(_mm256_permute2f128_pd::<0x31>(t0, t2)),
                Self(_mm256_permute2f128_pd::<0x31>(t1, t3)),
            ]
        })
    }
}

impl Lanes for F64x4 {
    type Scalar = f64;
    const LANES: usize = 4;

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        let from = &from[..4];
        // SAFETY: the slice holds four numbers; instruction set as in the module comment.
        Self(unsafe { _mm256_loadu_pd(from.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to = &mut to[..4];
        // SAFETY: the slice holds four numbers; instruction set as in the module comment.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn splat_scalar(x: f64) -> Self {
        Self(avx2!(_mm256_set1_pd(x)))
    }
    #[inline(always)]
    fn store_rounded(self, to: &mut [i32]) {
        let to = &mut to[..4];
        // SAFETY: the slice holds four integers; instruction set as in the module comment.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm256_cvtpd_epi32(self.0)) }
    }
    one_quad!(f64);
    extreme_lanes!(f64);
}
