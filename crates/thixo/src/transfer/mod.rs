//! Transfers between particles and grid: what a particle carries, what it gives and what it takes back.
//!
//! Every transfer scatters m (v + A (x_i − x_p)) with an affine matrix A of its own (equation (2)) and gathers velocity,
//! affine matrix and velocity gradient (equations (9), (10)). The schemes differ only in those matrices:
//! [`pic_flip`], [`rpic`], [`apic`], [`mls`]. All conserve mass and momentum; RPIC, APIC and MLS also angular momentum.

mod affine_column;
pub mod apic;
mod backward_advection;
mod context;
pub mod fused;
mod gather;
pub mod gradient;
mod increment_kernels;
mod increments;
pub mod lattice;
pub mod mls;
pub mod pic_flip;
pub mod rpic;
mod scatter;
mod segment_views;
pub mod stencil;
mod step_outcome;
pub(crate) mod volume;

pub use affine_column::AffineColumn;
pub use backward_advection::Advection;
pub use context::TransferContext;
pub use scatter::StressForce;
pub use segment_views::{SegmentView, segment_views};
pub use step_outcome::StepOutcome;

pub(crate) use gather::{gather, gather_velocity};
pub(crate) use increments::{
    SegmentIncrements, gather_apply_scatter, gather_apply_store, gather_apply_sum, scatter_diagonal,
};
pub(crate) use scatter::{scatter, scatter_momentum};

use thixo_math::{Matrix, Real, Vector};

use crate::error::BuildError;
use crate::kernel::KernelKind;

/// How particles and grid gather_apply_scatter velocity.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Transfer {
    /// Particles take the grid's velocity: stable and very dissipative.
    Pic,
    /// Particles take the grid's change of velocity: little dissipation, noisy.
    Flip,
    /// A share of FLIP, the rest PIC.
    FlipPic {
        /// 0 (PIC) to 1 (FLIP).
        flip: f64,
    },
    /// PIC that keeps rigid rotation.
    Rpic,
    /// PIC that keeps every affine motion.
    Apic,
    /// APIC with a share of its affine part.
    ApicPic {
        /// 0 (PIC) to 1 (APIC).
        apic: f64,
    },
    /// APIC with forces and deformation from moving least squares instead of weight gradients; the default.
    #[default]
    Mls,
}

/// Velocity sums of a group of particles over their stencils.
#[derive(Clone, Copy, Debug)]
pub struct Gathered<R: Real, const D: usize> {
    /// Σ w v after the step \[m/s\].
    pub velocity: Vector<R, D>,
    /// Σ w v before the step \[m/s\].
    pub velocity_before: Vector<R, D>,
    /// B = Σ w v (x_i − x_p)ᵀ \[m²/s\].
    pub moment: Matrix<R, D>,
    /// Σ v ∇wᵀ \[1/s\].
    pub gradient: Matrix<R, D>,
}

/// What a particle takes from the grid.
#[derive(Clone, Copy, Debug)]
pub struct Taken<R: Real, const D: usize> {
    /// New velocity \[m/s\].
    pub velocity: Vector<R, D>,
    /// New affine column.
    pub affine: Matrix<R, D>,
    /// Velocity gradient for the deformation \[1/s\].
    pub gradient: Matrix<R, D>,
}

impl Transfer {
    /// Checks the blend, and that the kernel suits.
    pub fn check(self, kernel: KernelKind) -> Result<(), BuildError> {
        let blend = match self {
            Self::FlipPic { flip } => Some(("share of FLIP", flip)),
            Self::ApicPic { apic } => Some(("share of APIC", apic)),
            _ => None,
        };
        if let Some((quantity, value)) = blend
            && !(0.0..=1.0).contains(&value)
        {
            return Err(BuildError::OutOfRange {
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
    /// Whether particles need the grid's velocity from before the step.
    pub fn needs_velocity_before(self) -> bool {
        matches!(self, Self::Flip | Self::FlipPic { .. })
    }
    /// Equations (9) and (10): what a group of particles takes. `inertia` is D_p \[m²\] where the kernel has one.
    #[inline(always)]
    pub(crate) fn take<R: Real, const D: usize>(
        self,
        old: Vector<R, D>,
        sums: &Gathered<R, D>,
        inertia: Option<R>,
    ) -> Taken<R, D> {
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
