//! B-spline kernels: the weights w_ip between particles and grid nodes, equation (14).
//!
//! Along one axis, with the particle at `f` node spacings from its base node, a kernel gives the
//! weights of `WIDTH` consecutive nodes; in D dimensions weights are products. \[Steffen2008\],
//! \[Jiang2016\] eq. (121)–(123).

mod cubic;
mod dispatch;
mod linear;
mod quadratic;

pub use cubic::Cubic;
pub(crate) use dispatch::{SplineKernel, dispatch_smooth_spline, dispatch_spline};
pub use linear::Linear;
pub use quadratic::Quadratic;

use thixo_math::Real;

/// Largest number of nodes along an axis in the support of a particle.
pub const MAX_WIDTH: usize = <Cubic as Spline>::WIDTH;

/// The B-spline that couples particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KernelKind {
    /// Two nodes per axis. Forces jump when a particle crosses a cell; for comparison only.
    Linear,
    /// Three nodes per axis.
    #[default]
    Quadratic,
    /// Four nodes per axis, smoother and more expensive.
    Cubic,
}

impl KernelKind {
    /// Nodes per axis: 2, 3 or 4.
    pub fn width(self) -> usize {
        match self {
            Self::Linear => Linear::WIDTH,
            Self::Quadratic => Quadratic::WIDTH,
            Self::Cubic => Cubic::WIDTH,
        }
    }
    /// Offset of the base node in node spacings \[–\], [`Spline::BASE_OFFSET`].
    pub fn base_offset(self) -> f64 {
        match self {
            Self::Linear => Linear::BASE_OFFSET,
            Self::Quadratic => Quadratic::BASE_OFFSET,
            Self::Cubic => Cubic::BASE_OFFSET,
        }
    }
    /// Weights and slopes for a particle `f` spacings from its base node, [`Spline::weights`].
    pub fn weights(self, f: f64) -> AxisWeights<f64> {
        match self {
            Self::Linear => Linear::weights(f),
            Self::Quadratic => Quadratic::weights(f),
            Self::Cubic => Cubic::weights(f),
        }
    }
    /// Integral of the kernel along one axis from −∞ to `x` node spacings \[–\]: the share of its
    /// mass that a node at the distance x in front of a surface has where matter touches it.
    pub(crate) fn cumulative(self, x: f64) -> f64 {
        let a = x.abs();
        let tail = match self {
            Self::Linear => 0.5 * (1.0 - a).max(0.0).powi(2),
            Self::Quadratic if a < 0.5 => 0.5 - 0.75 * a + a.powi(3) / 3.0,
            Self::Quadratic => (1.5 - a).max(0.0).powi(3) / 6.0,
            Self::Cubic if a < 1.0 => 0.5 - 2.0 * a / 3.0 + a.powi(3) / 3.0 - a.powi(4) / 8.0,
            Self::Cubic => (2.0 - a).max(0.0).powi(4) / 24.0,
        };
        if x < 0.0 { tail } else { 1.0 - tail }
    }
    /// Second moment of the weights D_p / h² \[–\] if it is constant, [`Spline::INERTIA`].
    pub fn inertia(self) -> Option<f64> {
        match self {
            Self::Linear => Linear::INERTIA,
            Self::Quadratic => Quadratic::INERTIA,
            Self::Cubic => Cubic::INERTIA,
        }
    }
}

/// Weights and slopes of the nodes along one axis; entries from the kernel's width on are zero.
#[derive(Clone, Copy, Debug)]
pub struct AxisWeights<R> {
    /// w of nodes base, base + 1, … \[–\].
    pub value: [R; MAX_WIDTH],
    /// dw/dx times the node spacing \[–\].
    pub slope: [R; MAX_WIDTH],
}

/// A B-spline along one axis.
pub trait Spline: Copy + Send + Sync + 'static {
    /// Nodes in the support per axis.
    const WIDTH: usize;
    /// The base node is ⌊x/h − BASE_OFFSET⌋.
    const BASE_OFFSET: f64;
    /// D_p / h², where D_p = Σ w (x_i − x_p)(x_i − x_p)ᵀ is that multiple of the identity
    /// everywhere; none for the linear kernel, whose D_p depends on the position and vanishes at
    /// nodes.
    const INERTIA: Option<f64>;
    /// Weights for a particle `f` spacings from its base node, BASE_OFFSET ≤ f < BASE_OFFSET + 1.
    fn weights<R: Real>(f: R) -> AxisWeights<R>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ w = 1, Σ w i = f, Σ dw = 0, Σ dw i = 1, Σ w (i − f)² = D/h², slopes by finite differences.
    fn moments<K: Spline>() {
        for step in 0..1000 {
            let f = K::BASE_OFFSET + step as f64 / 1000.0;
            let w = K::weights(f);
            let node = |k: usize| k as f64;
            let sum = |g: &dyn Fn(usize) -> f64| (0..MAX_WIDTH).map(g).sum::<f64>();
            assert!((sum(&|k| w.value[k]) - 1.0).abs() < 1e-15);
            assert!((sum(&|k| w.value[k] * node(k)) - f).abs() < 1e-14);
            assert!(sum(&|k| w.slope[k]).abs() < 1e-14);
            assert!((sum(&|k| w.slope[k] * node(k)) - 1.0).abs() < 1e-14);
            assert!(w.value.iter().all(|&w| w >= 0.0));
            if let Some(inertia) = K::INERTIA {
                let second = sum(&|k| w.value[k] * (node(k) - f).powi(2));
                assert!((second - inertia).abs() < 1e-14);
            }
            let e = 1e-6;
            let (above, below) = (K::weights(f + e), K::weights(f - e));
            for k in 0..K::WIDTH {
                let slope = (above.value[k] - below.value[k]) / (2.0 * e);
                assert!((slope - w.slope[k]).abs() < 1e-9, "{f} {k}");
            }
        }
    }

    #[test]
    fn cumulative_weights_are_integrals_of_the_weights() {
        for kind in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            // The weight of the node at 0 for a particle at x.
            let weight = |x: f64| {
                let base = (x - kind.base_offset()).floor();
                let index = -base;
                let is_in = (0.0..kind.width() as f64).contains(&index);
                if is_in {
                    kind.weights(x - base).value[index as usize]
                } else {
                    0.0
                }
            };
            let step = 1e-3;
            let mut sum = 0.0;
            for k in -2500..2500 {
                let x = step * f64::from(k);
                assert!((kind.cumulative(x) - sum).abs() < 1e-6, "{kind:?} {x}");
                sum += step * weight(x + 0.5 * step);
            }
        }
    }

    #[test]
    fn linear_weights_reproduce_linear_fields() {
        moments::<Linear>();
    }

    #[test]
    fn quadratic_weights_reproduce_linear_fields_and_have_constant_inertia() {
        moments::<Quadratic>();
    }

    #[test]
    fn cubic_weights_reproduce_linear_fields_and_have_constant_inertia() {
        moments::<Cubic>();
    }

    /// Mean of Σ w − 1 in single precision: the relative drift of a particle's velocity per step.
    fn bias<K: Spline>() -> f64 {
        let count = 4096;
        let excess = |step: u16| {
            let f = K::BASE_OFFSET as f32 + f32::from(step) / count as f32;
            let w = K::weights(f).value;
            w.iter().map(|&w| f64::from(w)).sum::<f64>() - 1.0
        };
        (0..count).map(excess).sum::<f64>() / f64::from(count)
    }

    #[test]
    fn single_precision_weights_neither_create_nor_destroy_momentum_on_average() {
        for bias in [bias::<Linear>(), bias::<Quadratic>(), bias::<Cubic>()] {
            assert!(bias.abs() < 2e-9, "{bias:e}");
        }
    }
}
