//! Lanes, run-time choice of the instruction set, prefetching, and thread pools.
//!
//! This is the only crate of the workspace with `unsafe` code: the lane types wrap `core::arch`
//! intrinsics. They cannot be named outside this crate; generic code receives them through
//! [`dispatch()`], which runs a [`Kernel`] compiled for the chosen [`Isa`]. An [`Isa`] for AVX2
//! exists only after the processor has been queried, so safe code cannot reach an instruction the
//! machine lacks.
//!
//! ```
//! use thixo_par::{Isa, Kernel, Lanes, Real, dispatch};
//!
//! /// y ← a x + y over two columns whose length is a multiple of the lane count.
//! struct Axpy<'a> { a: f32, x: &'a [f32], y: &'a mut [f32] }
//!
//! impl Kernel<f32> for Axpy<'_> {
//!     type Output = ();
//!     #[inline(always)] // so that it is compiled with the instruction set of its caller
//!     fn run<L: Lanes<Scalar = f32>>(self) {
//!         let a = L::splat_scalar(self.a);
//!         for (x, y) in self.x.chunks_exact(L::LANES).zip(self.y.chunks_exact_mut(L::LANES)) {
//!             L::load(x).mul_add(a, L::load(y)).store(y);
//!         }
//!     }
//! }
//!
//! let x = [1.0; 8];
//! let mut y = [2.0; 8];
//! dispatch(Isa::detect(), Axpy { a: 3.0, x: &x, y: &mut y });
//! assert_eq!(y, [5.0; 8]);
//! ```

mod dispatch;
mod lanes;
mod pool;
mod prefetch;

pub use dispatch::{Isa, Kernel, MAX_LANES, Scalar, UnknownIsa, dispatch};
pub use pool::{Pool, PoolError};
pub use prefetch::prefetch;
pub use thixo_math::{Lanes, Mask, Real};
