//! Options of the projection, and their ranges.

use thixo_par::Scalar;

use crate::error::BuildError;
use crate::material::Limits;
use crate::timestep::{Limit, stability_limit};

/// Largest displacement of particle shifting along an axis in cells.
pub(super) const FARTHEST_SHIFT: f64 = 0.1;

/// Splitting of a step into deviatoric forces and pressure, the latter by a solve on a staggered
/// grid: for matter from soft to incompressible. \[Jiang2015thesis\] ch. 6.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Projection {
    /// Residual of the pressure solve relative to its right-hand side, from 1e-14 to 0.1 \[–\].
    pub tolerance: f64,
    /// Largest number of iterations of the solve.
    pub iterations: u32,
    /// Walls and obstacles on the grid.
    pub boundary: Boundary,
    /// Place of the free surface.
    pub surface: FreeSurface,
    /// Density of faces.
    pub density: FaceDensity,
    /// Time integration of deviatoric forces.
    pub deviatoric: Deviatoric,
    /// Means that keep the particles of fluids evenly spread.
    pub spreading: Spreading,
}

impl Default for Projection {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            iterations: 500,
            boundary: Boundary::default(),
            surface: FreeSurface::default(),
            density: FaceDensity::default(),
            deviatoric: Deviatoric::default(),
            spreading: Spreading::default(),
        }
    }
}

/// Walls and obstacles on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Boundary {
    /// Faces have the open share of their area: solids are where they are. \[Batty2007\]
    #[default]
    Fractions,
    /// Faces whose centre is in a solid are closed. \[Jiang2015thesis\] §6.4.4.
    Voxels,
}

/// Place of the free surface between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FreeSurface {
    /// At half filled kernels: the pressure vanishes there. \[Gibou2002\]
    #[default]
    SubCell,
    /// At the centres of cells that are empty or have a face without mass. \[Jiang2015thesis\]
    /// §6.4.4.
    Voxels,
}

/// Density of faces in the pressure solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FaceDensity {
    /// Σ w m / Σ w V: the density of the matter around the face, one value for one material.
    #[default]
    Matter,
    /// Mass over the part of the kernel's volume in cells with matter. \[Jiang2015thesis\] §6.4.7.
    ControlVolume,
    /// Mass over the volume of the kernel, h^d: faces at solids appear lighter and rise. For
    /// comparison only. \[Jiang2015thesis\] figure 6.3.
    Uncorrected,
}

/// Time integration of deviatoric forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Deviatoric {
    /// Shear waves explicitly, which limits the step; viscosity explicitly where the step is short
    /// enough for it, else implicitly.
    #[default]
    Automatic,
    /// Explicit: steps are limited by shear waves and viscosity.
    Explicit,
    /// By a linear solve on the faces in every step.
    Implicit,
}

/// Means that keep the particles of fluids evenly spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Spreading {
    /// Particle shifting, by the gradient of a potential of the excess of volume.
    #[default]
    Shifting,
    /// Nothing: particles clump and the fluid loses volume. For comparison only.
    Nothing,
}

impl Deviatoric {
    /// Largest step \[s\] that deviatoric forces allow, and what decides it, from the limits of the
    /// materials, the grid spacing \[m\] and κ of equation (15). Elastic matter that is bent in
    /// long implicit steps would gain energy: one linear system does not find its large strains.
    pub(crate) fn stable_step<T: Scalar>(
        self,
        limits: &Limits<T>,
        spacing: f64,
        kappa: f64,
    ) -> (f64, Limit) {
        match self {
            Self::Explicit => stability_limit(limits, spacing, kappa),
            Self::Automatic => {
                let elastic = Limits {
                    kinematic_viscosity: T::zero(),
                    ..*limits
                };
                stability_limit(&elastic, spacing, kappa)
            }
            Self::Implicit => (f64::INFINITY, Limit::Longest),
        }
    }
}

impl Projection {
    /// Largest displacement along an axis that keeps particles evenly spread, per step \[cells\].
    pub(crate) fn farthest_shift(&self) -> f64 {
        match self.spreading {
            Spreading::Shifting => FARTHEST_SHIFT,
            Spreading::Nothing => 0.0,
        }
    }
    /// Refuses options outside their ranges.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        if !(1e-14..=0.1).contains(&self.tolerance) {
            return Err(BuildError::OutOfRange {
                key: "tolerance",
                quantity: "tolerance of the projection",
                value: self.tolerance,
                range: "between 1e-14 and 0.1",
            });
        }
        if self.iterations == 0 {
            return Err(BuildError::OutOfRange {
                key: "iterations",
                quantity: "iterations of the projection",
                value: 0.0,
                range: "at least 1",
            });
        }
        Ok(())
    }
}

builder! {
    impl Projection {
        with_tolerance(tolerance: f64);
        with_iterations(iterations: u32);
        with_boundary(boundary: Boundary);
        with_surface(surface: FreeSurface);
        with_density(density: FaceDensity);
        with_deviatoric(deviatoric: Deviatoric);
        with_spreading(spreading: Spreading);
    }
}
