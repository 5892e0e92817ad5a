//! The choice of an integrator, and the ranges of its parameters.

use thixo_par::Scalar;

use super::newton::Newton;
use super::optimization::Optimization;
use super::semi_implicit::SemiImplicit;
use super::xpbd::{self, Patience, Transfers, Xpbd};
use super::{Algorithm, Method};
use crate::error::BuildError;
use crate::grid::Geometry;
use crate::kernel::KernelKind;
use crate::material::potential::{HessianLayout, Reference};
use crate::projection::Projection;
use crate::transfer::Advection;

/// The time integration of the velocities.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Integrator {
    /// Forces of the beginning of the step: cheap steps, limited by the time of waves through a
    /// cell.
    #[default]
    Explicit,
    /// Forces linearised in the velocity: one linear system a step.
    SemiImplicit(SemiImplicit),
    /// Backward Euler by Newton's method without safeguards.
    Newton(Newton),
    /// Backward Euler as the minimum of an energy, by Newton's method with a line search: the most
    /// robust.
    Optimization(Optimization),
    /// Towards that minimum by a few Gauss-Seidel sweeps over the particles: cheaper, and not
    /// exact.
    Xpbd(Xpbd),
    /// Pressure by a solve on a staggered grid, deviatoric forces beside it: for matter from soft
    /// to incompressible.
    Projection(Projection),
}

impl Integrator {
    /// Its name in scenes and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::SemiImplicit(_) => "semi_implicit",
            Self::Newton(_) => "newton",
            Self::Optimization(_) => "optimization",
            Self::Xpbd(_) => "xpbd",
            Self::Projection(_) => "projection",
        }
    }
    /// The projection, if there is one.
    pub fn projection(&self) -> Option<&Projection> {
        match self {
            Self::Projection(options) => Some(options),
            _ => None,
        }
    }
    /// True if steps are explicit.
    pub fn is_explicit(&self) -> bool {
        *self == Self::Explicit
    }
    /// Advection of the particles, forward or backward.
    pub fn advection(&self) -> Advection {
        match self {
            Self::Optimization(options) => options.advection,
            _ => Advection::Forward,
        }
    }
    /// Number of transfers between particles and grid in a step.
    pub fn transfers(&self) -> Transfers {
        match self {
            Self::Xpbd(options) => options.transfers,
            _ => Transfers::Once,
        }
    }
    /// The solution method, if steps are implicit.
    pub(super) fn method<T: Scalar, const D: usize>(
        &self,
        patience: Patience,
    ) -> Option<Method<'_, T, D>> {
        let algorithm = match self {
            Self::Explicit | Self::Projection(_) => return None,
            Self::SemiImplicit(options) => Algorithm::Solve(options),
            Self::Newton(options) => Algorithm::Solve(options),
            Self::Optimization(options) => Algorithm::Solve(options),
            Self::Xpbd(options) => Algorithm::Sweep(options, patience),
        };
        Some(Method(algorithm))
    }
    /// Refuses the linear kernel with implicit steps: its weight gradients jump where a particle
    /// crosses a cell, so that the energy of a step has no continuous gradient.
    pub fn check_kernel(&self, kernel: KernelKind) -> Result<(), BuildError> {
        match (self, kernel) {
            (Self::Explicit | Self::Projection(_), _)
            | (_, KernelKind::Quadratic | KernelKind::Cubic) => Ok(()),
            (_, KernelKind::Linear) => Err(BuildError::KernelNotSmooth {
                integrator: self.name(),
            }),
        }
    }
    /// Refuses periods in which a cluster of X-PBD would reach a node twice.
    pub(crate) fn check_periods<const D: usize>(
        &self,
        geometry: &Geometry<D>,
    ) -> Result<(), BuildError> {
        let shortest = (0..D)
            .filter_map(|axis| geometry.cells_in_period(axis))
            .min();
        match (self, shortest) {
            (Self::Xpbd(_), Some(cells))
                if (cells as usize) < xpbd::cluster_reach(geometry.kernel()) =>
            {
                Err(BuildError::OutOfRange {
                    key: "periodic",
                    quantity: "period with X-PBD and the cubic kernel [cells]",
                    value: f64::from(cells),
                    range: "at least 8",
                })
            }
            _ => Ok(()),
        }
    }
    /// True if its steps know the forces of meshes.
    pub(crate) fn serves_meshes(&self) -> bool {
        !matches!(self, Self::Xpbd(_) | Self::Projection(_))
    }
    /// Refuses parameters outside their ranges.
    pub fn check(&self) -> Result<(), BuildError> {
        let within = |key, quantity, value: f64, range, is_in: bool| match is_in {
            true => Ok(()),
            false => Err(BuildError::OutOfRange {
                key,
                quantity,
                value,
                range,
            }),
        };
        let fraction = |key, quantity, value: f64| {
            let is_in = value > 0.0 && value < 1.0;
            within(key, quantity, value, "above 0 and below 1", is_in)
        };
        let counted = |key, quantity, value: u32| {
            within(key, quantity, f64::from(value), "at least 1", value > 0)
        };
        let tolerance = |quantity, value| fraction("tolerance", quantity, value);
        let iterations = |quantity, value| counted("iterations", quantity, value);
        let linear_iterations =
            |value| counted("linear_iterations", "iterations of the linear solve", value);
        match self {
            Self::Explicit => Ok(()),
            Self::SemiImplicit(options) => {
                let (key, beta) = ("implicitness", options.implicitness);
                let is_in = (0.0..=1.0).contains(&beta);
                within(key, "implicitness", beta, "between 0 and 1", is_in)?;
                tolerance("tolerance of the linear solve", options.tolerance)?;
                linear_iterations(options.linear_iterations)
            }
            Self::Newton(options) => {
                let (key, linear) = ("linear_tolerance", options.linear_tolerance);
                tolerance("tolerance of Newton's method", options.tolerance)?;
                fraction(key, "tolerance of the linear solve", linear)?;
                iterations("iterations of Newton's method", options.iterations)?;
                linear_iterations(options.linear_iterations)
            }
            Self::Optimization(options) => {
                let (key, k) = ("damping", options.damping);
                let is_in = k >= 0.0 && k.is_finite();
                within(key, "damping [s]", k, "zero or positive, and finite", is_in)?;
                tolerance("tolerance of the optimization", options.tolerance)?;
                iterations("iterations of the optimization", options.iterations)?;
                linear_iterations(options.linear_iterations)
            }
            Self::Xpbd(options) => iterations("iterations of X-PBD", options.iterations),
            Self::Projection(options) => options.check(),
        }
    }
}

/// Memory of a solve per particle \[bytes\]: the reference, and the Hessian or the tables of X-PBD.
pub(crate) fn bytes_per_particle<T: Scalar, const D: usize>(integrator: &Integrator) -> usize {
    let own = match integrator {
        Integrator::Explicit | Integrator::Projection(_) => return 0,
        Integrator::Xpbd(_) => xpbd::columns::<T, D>(),
        _ => HessianLayout::<D>::COLUMNS,
    };
    (Reference::<T, D>::COLUMNS + own) * size_of::<T>()
}
