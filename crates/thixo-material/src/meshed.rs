//! Matter whose internal forces come from the elements of a mesh: the vertices of cloth, rods and
//! elastic bodies. It has mass and volume, by which it meets other matter on the grid, and neither
//! strain nor stress of its own; \[Jiang2016\] §12.2.

use thixo_math::{Matrix, Real};

use crate::potential::{
    Definiteness, Gradient, Hessian, MAX_POTENTIAL_PARAMETERS, Potential, StepEnergy,
};
use crate::{Constitutive, MAX_PARAMETERS, Model, VolumeRatio};

/// The law of mesh vertices: no stress at any deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Meshed;

impl Constitutive for Meshed {
    type Model<R: Real> = Meshed;
    type Potential = NoEnergy;
    const NAME: &'static str = "mesh";
    const PARAMETERS: &'static [&'static str] = &[];

    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }
    #[inline(always)]
    fn model<R: Real>(&self, _parameters: &[R; MAX_PARAMETERS]) -> Meshed {
        Self
    }
    fn potential(&self) -> NoEnergy {
        NoEnergy
    }
}

impl<R: Real> Model<R> for Meshed {
    type State<const D: usize> = VolumeRatio<R>;

    #[inline(always)]
    fn energy_density<const D: usize>(&self, _state: &VolumeRatio<R>) -> Option<R> {
        Some(R::zero())
    }
    #[inline(always)]
    fn kirchhoff_stress<const D: usize>(
        &self,
        _state: &VolumeRatio<R>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        Matrix::zero()
    }
    /// The volume of a vertex is that at rest: the elements know the strain.
    #[inline(always)]
    fn advance<const D: usize>(
        &self,
        _state: &mut VolumeRatio<R>,
        _dt_grad_v: &Matrix<R, D>,
        _dt: R,
    ) {
    }
    #[inline(always)]
    fn stiffness<const D: usize>(&self, _state: &VolumeRatio<R>) -> R {
        R::zero()
    }
}

/// The potential that is zero at every increment.
#[derive(Clone, Copy, Debug)]
pub struct NoEnergy;

impl Potential for NoEnergy {
    type Energy<R: Real> = NoEnergy;

    fn energy<R: Real>(&self, _parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> NoEnergy {
        Self
    }
}

impl<R: Real> StepEnergy<R> for NoEnergy {
    #[inline(always)]
    fn gradient<const D: usize>(&self, _: &Matrix<R, D>, _: &Matrix<R, D>) -> Gradient<R, D> {
        Gradient {
            energy: R::zero(),
            gradient: Matrix::zero(),
        }
    }
    #[inline(always)]
    fn hessian<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        _: &Matrix<R, D>,
        _: Definiteness,
    ) -> Hessian<R> {
        [[R::zero(); 9]; 9]
    }
}

compiled!(Meshed);
