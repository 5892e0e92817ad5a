//! Prefetching of memory.

/// Bytes of a cache line on every processor this crate has lanes for.
const LINE: usize = 64;

/// Prefetches a slice into the caches of the processor; a hint without effect on results.
///
/// Useful where the next data are known but far from the last, so that the processor cannot predict
/// them.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bytes = size_of_val(slice);
        let start = slice.as_ptr().cast::<i8>();
        for offset in (0..bytes).step_by(LINE) {
            // SAFETY: SSE is part of x86-64. `start + offset` lies within the slice, and a prefetch
            // reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (slice, LINE);
    }
}
