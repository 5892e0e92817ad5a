//! The choice of an integrator, and the ranges of its parameters.

use thixo_par::Scalar;

use super::newton::Newton;
use super::optimization::Optimization;
use super::semi_implicit::SemiImplicit;
use super::xpbd::{self, Transfers, Xpbd};
use super::{Algorithm, Method};
use crate::error::BuildError;
use crate::grid::Geometry;
use crate::material::potential::{HessianLayout, Reference};
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
    pub(super) fn method<T: Scalar, const D: usize>(&self) -> Option<Method<'_, T, D>> {
        let algorithm = match self {
            Self::Explicit => return None,
            Self::SemiImplicit(options) => Algorithm::Solve(options),
            Self::Newton(options) => Algorithm::Solve(options),
            Self::Optimization(options) => Algorithm::Solve(options),
            Self::Xpbd(options) => Algorithm::Sweep(options),
        };
        Some(Method(algorithm))
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
                    quantity: "period with X-PBD and the cubic kernel [cells]",
                    value: f64::from(cells),
                    range: "at least 8",
                })
            }
            _ => Ok(()),
        }
    }
    /// Refuses parameters outside their ranges.
    pub fn check(&self) -> Result<(), BuildError> {
        let within = |quantity, value: f64, range, is_in: bool| match is_in {
            true => Ok(()),
            false => Err(BuildError::OutOfRange {
                quantity,
                value,
                range,
            }),
        };
        let positive = |quantity, value: f64| {
            let is_in = value > 0.0 && value < 1.0;
            within(quantity, value, "above 0 and below 1", is_in)
        };
        let counted =
            |quantity, value: u32| within(quantity, f64::from(value), "at least 1", value > 0);
        match self {
            Self::Explicit => Ok(()),
            Self::SemiImplicit(options) => {
                let beta = options.implicitness;
                let is_in = (0.0..=1.0).contains(&beta);
                within("implicitness", beta, "between 0 and 1", is_in)?;
                positive("tolerance of the linear solve", options.tolerance)?;
                counted("iterations of the linear solve", options.linear_iterations)
            }
            Self::Newton(options) => {
                positive("tolerance of Newton's method", options.tolerance)?;
                positive("tolerance of the linear solve", options.linear_tolerance)?;
                counted("iterations of Newton's method", options.iterations)?;
                counted("iterations of the linear solve", options.linear_iterations)
            }
            Self::Optimization(options) => {
                let k = options.damping;
                let is_in = k >= 0.0 && k.is_finite();
                within("damping [s]", k, "zero or positive, and finite", is_in)?;
                positive("tolerance of the optimization", options.tolerance)?;
                counted("iterations of the optimization", options.iterations)?;
                counted("iterations of the linear solve", options.linear_iterations)
            }
            Self::Xpbd(options) => counted("iterations of X-PBD", options.iterations),
        }
    }
}

/// Memory of a solve per particle \[bytes\]: the reference, and the Hessian or the tables of X-PBD.
pub(crate) fn bytes_per_particle<T: Scalar, const D: usize>(integrator: &Integrator) -> usize {
    let own = match integrator {
        Integrator::Explicit => return 0,
        Integrator::Xpbd(_) => xpbd::columns::<T, D>(),
        _ => HessianLayout::<D>::COLUMNS,
    };
    (Reference::<T, D>::COLUMNS + own) * size_of::<T>()
}
