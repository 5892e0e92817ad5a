//! Lane types: AVX2 registers, pairs of SSE2 registers, and plain arrays for processors that have
//! neither.

#[cfg(any(test, not(target_arch = "x86_64")))]
pub mod array;
#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod sse2;

#[cfg(test)]
mod conformance;
