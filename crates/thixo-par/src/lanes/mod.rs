//! Lane types: AVX2 registers, pairs of SSE2 registers, and plain arrays for processors that have
//! neither.

/// Operators of a lane type by intrinsics that the macro `$call` calls.
#[cfg(target_arch = "x86_64")]
macro_rules! operators {
    ($lanes:ident by $call:ident: $($trait:ident $method:ident $assign_trait:ident $assign_method:ident $intrinsic:ident;)*) => {$(
        impl $trait for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($call!($intrinsic(self.0, other.0)))
            }
        }
        impl $assign_trait for $lanes {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = (*self).$method(other);
            }
        }
    )*};
}

/// Methods of `Lanes` for a register of exactly one quad, from its `load`, `store` and `transpose`.
#[cfg(target_arch = "x86_64")]
macro_rules! one_quad {
    ($scalar:ident) => {
        #[inline(always)]
        fn repeat_quad(quad: &[$scalar; 4]) -> Self {
            Self::load(quad)
        }
        #[inline(always)]
        fn spread_over_quads(from: &[$scalar]) -> Self {
            Self::splat_scalar(from[0])
        }
        #[inline(always)]
        fn load_transposed(from: &[$scalar], stride: usize) -> [Self; 4] {
            Self::transpose([
                Self::load(from),
                Self::load(&from[stride..]),
                Self::load(&from[2 * stride..]),
                Self::load(&from[3 * stride..]),
            ])
        }
        #[inline(always)]
        fn store_transposed(columns: [Self; 4], to: &mut [$scalar], stride: usize) {
            let rows = Self::transpose(columns);
            for l in 0..4 {
                rows[l].store(&mut to[l * stride..]);
            }
        }
        #[inline(always)]
        fn sum_quads(self) -> [$scalar; 4] {
            let mut out = [0.0; 4];
            self.store(&mut out);
            out
        }
    };
}

/// Methods of `Lanes` for the largest and the smallest lane, NaN aside.
#[cfg(target_arch = "x86_64")]
macro_rules! extreme_lanes {
    ($scalar:ident) => {
        #[inline(always)]
        fn max_lane(self) -> $scalar {
            let mut lanes = [0.0; Self::LANES];
            self.store(&mut lanes);
            lanes.iter().fold($scalar::NAN, |a, &b| a.max(b))
        }
        #[inline(always)]
        fn min_lane(self) -> $scalar {
            let mut lanes = [0.0; Self::LANES];
            self.store(&mut lanes);
            lanes.iter().fold($scalar::NAN, |a, &b| a.min(b))
        }
    };
}

#[cfg(any(test, not(target_arch = "x86_64")))]
pub mod array;
#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod sse2;

#[cfg(test)]
mod conformance;
