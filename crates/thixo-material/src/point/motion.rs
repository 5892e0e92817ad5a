//! Motions of a material point: prescribed rates or stresses, and their duration.

#![allow(non_snake_case)]

use thixo_math::Matrix;

/// Boundary condition in a direction across a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Normal {
    /// It does not change its length.
    Fixed,
    /// It bears this Cauchy stress, tension positive \[Pa\].
    Stress(f64),
}

/// Prescribed deformation of a material point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// No deformation: relaxation.
    Rest,
    /// Simple shear: planes across the second axis slide along the first.
    Shear {
        /// Shear rate γ̇ = ∂v₁/∂x₂ \[1/s\].
        rate: f64,
        /// The second axis.
        normal: Normal,
    },
    /// Extension along the first axis; compression if the rate is negative.
    Uniaxial {
        /// Rate of the logarithmic strain \[1/s\].
        rate: f64,
        /// All other axes, alike.
        lateral: Normal,
    },
    /// Extension along the first axis and compression along the second at constant volume.
    Planar {
        /// Rate of the logarithmic strain \[1/s\].
        rate: f64,
    },
    /// The same extension along every axis.
    Isotropic {
        /// Rate of the logarithmic strain along each axis \[1/s\].
        rate: f64,
    },
}

impl Motion {
    /// Simple shear at constant volume.
    pub fn shear(rate: f64) -> Self {
        Self::Shear {
            rate,
            normal: Normal::Fixed,
        }
    }
    /// Extension, or compression, between fixed sides.
    pub fn uniaxial(rate: f64) -> Self {
        Self::Uniaxial {
            rate,
            lateral: Normal::Fixed,
        }
    }
    /// The prescribed stress, if any \[Pa\].
    pub(super) fn target(&self) -> Option<f64> {
        match *self {
            Self::Shear {
                normal: Normal::Stress(stress),
                ..
            }
            | Self::Uniaxial {
                lateral: Normal::Stress(stress),
                ..
            } => Some(stress),
            _ => None,
        }
    }
    pub(super) fn rate(&self) -> f64 {
        match *self {
            Self::Rest => 0.0,
            Self::Shear { rate, .. }
            | Self::Uniaxial { rate, .. }
            | Self::Planar { rate }
            | Self::Isotropic { rate } => rate,
        }
    }
    /// Velocity gradient of a step, `free` the rate of logarithmic strain along the axes whose
    /// stress is prescribed \[1/s\]. The increment I + Δt L has exactly the prescribed stretches.
    pub(super) fn velocity_gradient<const D: usize>(&self, free: f64, dt: f64) -> Matrix<f64, D> {
        let along = |rate: f64| (rate * dt).exp_m1() / dt;
        let mut L = Matrix::zero();
        match *self {
            Self::Rest => {}
            Self::Shear { rate, .. } => {
                L[0][1] = rate;
                L[1][1] = along(free);
            }
            Self::Uniaxial { rate, .. } => {
                for i in 1..D {
                    L[i][i] = along(free);
                }
                L[0][0] = along(rate);
            }
            Self::Planar { rate } => {
                L[0][0] = along(rate);
                L[1][1] = along(-rate);
            }
            Self::Isotropic { rate } => {
                for i in 0..D {
                    L[i][i] = along(rate);
                }
            }
        }
        L
    }
}

/// A motion and its duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// The motion.
    pub motion: Motion,
    /// Duration \[s\].
    pub duration: f64,
    /// Number of steps.
    pub steps: usize,
}

impl Stage {
    /// A motion for a duration > 0 \[s\] in a number of steps ≥ 1; keep the strain of
    /// a step below ½.
    pub fn new(motion: Motion, duration: f64, steps: usize) -> Self {
        Self {
            motion,
            duration,
            steps,
        }
    }
}
