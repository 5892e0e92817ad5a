//! Choice of the instruction set, and dispatch of kernels compiled for it.

use core::fmt;

use thixo_math::{Lanes, Real};

#[cfg(not(target_arch = "x86_64"))]
use crate::lanes::array::Array;
#[cfg(target_arch = "x86_64")]
use crate::lanes::{avx2, sse2};

/// An instruction set this machine is known to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Isa(Set);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

/// `THIXO_ISA` names an instruction set that is unknown or that this machine lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownIsa(String);

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "THIXO_ISA is {:?}; it may be unset, \"portable\", or \"avx2\" on a processor with AVX2 and FMA",
            self.0
        )
    }
}

impl std::error::Error for UnknownIsa {}

impl Isa {
    /// The fastest instruction set of this machine.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            return Self(Set::Avx2);
        }
        Self::portable()
    }
    /// The path that runs on any machine of this architecture: SSE2 on x86-64, plain arrays
    /// elsewhere.
    pub fn portable() -> Self {
        Self(Set::Portable)
    }
    /// The instruction set named by the environment variable `THIXO_ISA` (`portable` or `avx2`),
    /// [`Isa::detect`] when it is unset.
    pub fn from_environment() -> Result<Self, UnknownIsa> {
        match std::env::var("THIXO_ISA") {
            Err(_) => Ok(Self::detect()),
            Ok(name) => match name.as_str() {
                "" => Ok(Self::detect()),
                "portable" => Ok(Self::portable()),
                other if other == Self::detect().name() => Ok(Self::detect()),
                _ => Err(UnknownIsa(name)),
            },
        }
    }
    /// `"avx2"` or `"portable"`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
        }
    }
}

/// Work written once over [`Lanes`] and compiled for every instruction set.
///
/// Mark `run`, and what it calls, `#[inline(always)]`: a function that stays outside the dispatched
/// one is compiled for the baseline processor and every lane operation in it becomes a call.
pub trait Kernel<T: Scalar> {
    /// Result of the work.
    type Output;
    /// Performs the work.
    fn run<L: Lanes<Scalar = T>>(self) -> Self::Output;
}

/// The most lanes a register has.
pub const MAX_LANES: usize = 8;

/// `f32` or `f64`, with the lane type of each instruction set behind [`dispatch`].
pub trait Scalar:
    Real<Mask = bool> + PartialOrd + Default + fmt::Display + sealed::HasLanes
{
    /// Scalars in a register, and particles in a group: 8 for `f32`, 4 for `f64`.
    const LANES: usize;
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// Exact for both precisions.
    fn to_f64(self) -> f64;
    /// Rounded to this precision.
    fn from_f64(x: f64) -> Self;
}

impl Scalar for f32 {
    const LANES: usize = 8;
    const NAME: &'static str = "f32";
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
}

impl Scalar for f64 {
    const LANES: usize = 4;
    const NAME: &'static str = "f64";
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
}

mod sealed {
    use thixo_math::Lanes;

    /// Names the lane types; private, so that only [`super::dispatch`] can hand them out.
    pub trait HasLanes: Sized {
        type Portable: Lanes<Scalar = Self>;
        #[cfg(target_arch = "x86_64")]
        type Avx2: Lanes<Scalar = Self>;
    }
}

impl sealed::HasLanes for f32 {
    #[cfg(target_arch = "x86_64")]
    type Portable = sse2::F32x8;
    #[cfg(not(target_arch = "x86_64"))]
    type Portable = Array<f32, 8>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = avx2::F32x8;
}

impl sealed::HasLanes for f64 {
    #[cfg(target_arch = "x86_64")]
    type Portable = sse2::F64x4;
    #[cfg(not(target_arch = "x86_64"))]
    type Portable = Array<f64, 4>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = avx2::F64x4;
}

/// Runs `kernel` with the lanes of `isa`.
#[inline]
pub fn dispatch<T: Scalar, K: Kernel<T>>(isa: Isa, kernel: K) -> K::Output {
    match isa.0 {
        Set::Portable => kernel.run::<T::Portable>(),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Set::Avx2` is constructed only in `Isa::detect`, after the processor reported
        // AVX2 and FMA.
        Set::Avx2 => unsafe { run_avx2::<T, K>(kernel) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<T: Scalar, K: Kernel<T>>(kernel: K) -> K::Output {
    kernel.run::<T::Avx2>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portable_isa_is_always_there() {
        assert_eq!(Isa::portable().name(), "portable");
        assert!(["avx2", "portable"].contains(&Isa::detect().name()));
    }
}
