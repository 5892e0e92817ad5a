//! Lane types: plain arrays that run anywhere, and AVX2 registers.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
pub mod portable;

#[cfg(test)]
mod conformance;
