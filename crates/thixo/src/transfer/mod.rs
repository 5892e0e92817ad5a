//! Transfers between particles and grid.
//!
//! Every transfer scatters m (v + A (x_i − x_p)) with an affine matrix A of its own (equation (2))
//! and gathers velocity, affine matrix and velocity gradient (equations (9), (10)). The schemes
//! differ only in those matrices: `pic_flip`, `rpic`, `apic`, `mls`. All conserve mass and
//! momentum; RPIC, APIC and MLS also angular momentum.

mod affine_column;
mod apic;
mod backward_advection;
mod context;
pub(crate) mod fused;
mod gather;
pub(crate) mod gradient;
mod increment_kernels;
mod increments;
pub(crate) mod lattice;
mod mls;
mod pic_flip;
mod pressure_exchange;
mod rpic;
mod scatter;
mod segment_views;
pub(crate) mod staggered;
pub(crate) mod stencil;
mod step_outcome;
pub(crate) mod volume;

pub use affine_column::AffineColumn;
pub use backward_advection::Advection;

pub(crate) use context::TransferContext;
pub(crate) use gather::{
    FluidMeans, GridVelocities, Medium, gather, gather_by_material, gather_velocity,
};
pub(crate) use increments::{
    SegmentIncrements, gather_apply_scatter, gather_apply_store, gather_apply_sum, scatter_diagonal,
};
pub(crate) use lattice::scatter_to;
pub(crate) use pressure_exchange::scatter_pressure;
pub(crate) use scatter::{Momentum, StressForce, scatter, scatter_momentum};
pub(crate) use segment_views::{SegmentView, segment_views};
pub(crate) use step_outcome::StepOutcome;

use thixo_math::{Matrix, Real, Vector};

use crate::error::BuildError;
use crate::kernel::KernelKind;

/// Scheme of the exchange of velocity between particles and grid.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Transfer {
    /// Particles take the grid's velocity: stable and very dissipative.
    Pic,
    /// Particles take the grid's change of velocity: little dissipation, noisy.
    Flip,
    /// A blend of FLIP and PIC.
    FlipPic {
        /// Fraction of FLIP α, from 0 (PIC) to 1 (FLIP) \[–\].
        flip: f64,
    },
    /// PIC that keeps rigid rotation.
    Rpic,
    /// PIC that keeps every affine motion.
    Apic,
    /// APIC with a fraction of its affine part.
    ApicPic {
        /// Fraction of the affine part β, from 0 (PIC) to 1 (APIC) \[–\].
        apic: f64,
    },
    /// APIC with forces and deformation from moving least squares instead of weight gradients; the
    /// default.
    #[default]
    Mls,
}

/// Velocity sums of a group of particles over their stencils.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StencilSums<R: Real, const D: usize> {
    /// Σ w v after the step \[m/s\].
    pub velocity: Vector<R, D>,
    /// Σ w v before the step \[m/s\].
    pub velocity_before: Vector<R, D>,
    /// B = Σ w v (x_i − x_p)ᵀ \[m²/s\].
    pub moment: Matrix<R, D>,
    /// Σ v ∇wᵀ \[1/s\].
    pub gradient: Matrix<R, D>,
}

impl<R: Real, const D: usize> StencilSums<R, D> {
    /// C = B D_p⁻¹ \[1/s\] where D_p is constant, with its diagonal `inertia` \[m²\]; else zero.
    #[inline(always)]
    fn affine_velocity(&self, inertia: Option<R>) -> Matrix<R, D> {
        match inertia {
            Some(delta) => self.moment * (R::one() / delta),
            None => Matrix::zero(),
        }
    }
}

/// New velocities of a group of particles, gathered from the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleUpdate<R: Real, const D: usize> {
    /// New velocity \[m/s\].
    pub velocity: Vector<R, D>,
    /// New affine column \[1/s\] or \[m²/s\]; see [`AffineColumn`].
    pub affine: Matrix<R, D>,
    /// Velocity gradient for the deformation \[1/s\].
    pub gradient: Matrix<R, D>,
}

impl Transfer {
    /// Refuses a blend outside 0 to 1, and kernels that do not suit the transfer.
    pub fn check(self, kernel: KernelKind) -> Result<(), BuildError> {
        let blend = match self {
            Self::FlipPic { flip } => Some(("flip", "share of FLIP", flip)),
            Self::ApicPic { apic } => Some(("apic", "share of APIC", apic)),
            _ => None,
        };
        if let Some((key, quantity, value)) = blend
            && !(0.0..=1.0).contains(&value)
        {
            return Err(BuildError::OutOfRange {
                key,
                quantity,
                value,
                range: "between 0 and 1",
            });
        }
        let needs_inertia = match self {
            Self::Rpic => Some("RPIC"),
            Self::Mls => Some("MLS"),
            _ => None,
        };
        match (needs_inertia, kernel.inertia()) {
            (Some(transfer), None) => Err(BuildError::KernelTooRough { transfer }),
            _ => Ok(()),
        }
    }
    /// True if particles need the grid's velocity before the step.
    pub(crate) fn needs_velocity_before(self) -> bool {
        matches!(self, Self::Flip | Self::FlipPic { .. })
    }
    /// Equations (9) and (10): the new velocities of a group of particles. `inertia` is D_p \[m²\]
    /// if it is constant for the kernel.
    #[inline(always)]
    pub(crate) fn take<R: Real, const D: usize>(
        self,
        old: Vector<R, D>,
        sums: &StencilSums<R, D>,
        inertia: Option<R>,
    ) -> ParticleUpdate<R, D> {
        match self {
            Self::Pic => pic_flip::take(0.0, old, sums),
            Self::Flip => pic_flip::take(1.0, old, sums),
            Self::FlipPic { flip } => pic_flip::take(flip, old, sums),
            Self::Rpic => rpic::take(sums, inertia),
            Self::Apic => apic::take(1.0, sums, inertia),
            Self::ApicPic { apic } => apic::take(apic, sums, inertia),
            Self::Mls => mls::take(sums, inertia),
        }
    }
}
