//! The affine column of particles: the one definition of its contents, which depend on transfer and
//! kernel.

use thixo_math::Matrix;

use super::Transfer;
use crate::grid::Geometry;
use crate::kernel::KernelKind;

/// Contents of the affine column of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AffineColumn {
    /// Zero: PIC and FLIP.
    Nothing,
    /// The spin, (∇v − ∇vᵀ)/2 \[1/s\]: RPIC. D_p is a multiple of the identity \[m²\].
    Spin {
        /// Second moment of the weights D_p \[m²\].
        inertia: f64,
    },
    /// A fraction of the velocity gradient, C = B D_p⁻¹ \[1/s\]: APIC and MLS if D_p is a multiple
    /// of the identity \[m²\].
    Gradient {
        /// Fraction of APIC in a blend with PIC, else 1 \[–\].
        share: f64,
        /// Second moment of the weights D_p \[m²\].
        inertia: f64,
    },
    /// A fraction of B = C D_p \[m²/s\]: APIC on the linear kernel, whose D_p depends on the
    /// position and may vanish (errata E42).
    Moment {
        /// Fraction of APIC in a blend with PIC, else 1 \[–\].
        share: f64,
        /// Grid spacing \[m\].
        spacing: f64,
    },
}

impl Transfer {
    /// Contents of the affine column on a grid.
    pub fn affine_column<const D: usize>(self, geometry: &Geometry<D>) -> AffineColumn {
        let spacing = geometry.spacing();
        let inertia = geometry
            .kernel()
            .inertia()
            .map(|delta| delta * spacing.powi(2));
        let share = match self {
            Self::Pic | Self::Flip | Self::FlipPic { .. } => return AffineColumn::Nothing,
            Self::Rpic => {
                let inertia = inertia.unwrap_or_default();
                return AffineColumn::Spin { inertia };
            }
            Self::ApicPic { apic } => apic,
            Self::Apic | Self::Mls => 1.0,
        };
        match inertia {
            Some(inertia) => AffineColumn::Gradient { share, inertia },
            None => AffineColumn::Moment { share, spacing },
        }
    }
    /// True if the affine column is the velocity gradient itself, which frames can then hold.
    pub fn keeps_velocity_gradient(self, kernel: KernelKind) -> bool {
        matches!(self, Self::Apic | Self::Mls) && kernel.inertia().is_some()
    }
}

impl AffineColumn {
    /// The affine column of a particle in matter of a given velocity gradient \[1/s\].
    pub(crate) fn of_gradient<const D: usize>(
        self,
        gradient: Matrix<f64, D>,
        position: [f64; D],
    ) -> Matrix<f64, D> {
        match self {
            Self::Nothing => Matrix::zero(),
            Self::Spin { .. } => (gradient - gradient.transpose()) * 0.5,
            Self::Gradient { share, .. } => gradient * share,
            Self::Moment { share, spacing: h } => {
                // D_p = h² f (1 − f) along each axis for the linear kernel, equation (14).
                let f = position.map(|x| x / h - (x / h).floor());
                let moment = f.map(|f| h * h * f * (1.0 - f));
                let mut kept = gradient * share;
                for i in 0..D {
                    for j in 0..D {
                        kept[i][j] *= moment[j];
                    }
                }
                kept
            }
        }
    }
    /// The factor that converts the column to B \[m²\], or \[–\] if it is B already: m ε_kij B_ji
    /// is the angular momentum of a particle about itself.
    pub(crate) fn to_moment(self) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Self::Spin { inertia } | Self::Gradient { inertia, .. } => inertia,
            Self::Moment { .. } => 1.0,
        }
    }
}
