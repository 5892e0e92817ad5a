//! One place where the spline is chosen: work over lanes and splines, compiled for every pair.

use core::marker::PhantomData;

use thixo_math::Lanes;
use thixo_par::{Isa, Kernel, Scalar, dispatch};

use super::{Cubic, KernelKind, Linear, Quadratic, Spline};

/// Work written once over [`Lanes`] and splines.
///
/// Mark `run`, and all that it calls, `#[inline(always)]`, as for [`Kernel`].
pub(crate) trait SplineKernel<T: Scalar> {
    /// Result of the work.
    type Output;
    /// Performs the work.
    fn run<L: Lanes<Scalar = T>, K: Spline>(self) -> Self::Output;
}

/// Work with its spline chosen, for [`dispatch`].
struct WithSpline<W, K>(W, PhantomData<K>);

impl<T: Scalar, W: SplineKernel<T>, K: Spline> Kernel<T> for WithSpline<W, K> {
    type Output = W::Output;

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) -> W::Output {
        self.0.run::<L, K>()
    }
}

/// Runs work with the lanes of `isa` and a spline.
pub(crate) fn dispatch_spline<T: Scalar, W: SplineKernel<T>>(
    isa: Isa,
    kernel: KernelKind,
    work: W,
) -> W::Output {
    match kernel {
        KernelKind::Linear => dispatch(isa, WithSpline(work, PhantomData::<Linear>)),
        KernelKind::Quadratic => dispatch(isa, WithSpline(work, PhantomData::<Quadratic>)),
        KernelKind::Cubic => dispatch(isa, WithSpline(work, PhantomData::<Cubic>)),
    }
}

/// Runs work of implicit steps, which need continuous weight gradients: with the quadratic or the
/// cubic spline only.
///
/// # Panics
/// With the linear kernel, which
/// [`Integrator::check_kernel`](crate::integrate::Integrator::check_kernel) refuses before there is
/// a simulation with implicit steps.
pub(crate) fn dispatch_smooth_spline<T: Scalar, W: SplineKernel<T>>(
    isa: Isa,
    kernel: KernelKind,
    work: W,
) -> W::Output {
    match kernel {
        KernelKind::Linear => unreachable!("implicit steps with the linear kernel are refused"),
        KernelKind::Quadratic => dispatch(isa, WithSpline(work, PhantomData::<Quadratic>)),
        KernelKind::Cubic => dispatch(isa, WithSpline(work, PhantomData::<Cubic>)),
    }
}
