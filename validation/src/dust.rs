//! Matter without stress: particles that exchange momentum through the grid and nothing else.

use thixo::material::potential::NoPotential;
use thixo::material::{Constitutive, MAX_PARAMETERS, Model, VolumeRatio};
use thixo_math::{Matrix, Real};

/// No stress, whatever the deformation.
#[derive(Clone, Copy, Debug)]
pub struct Dust;

impl Constitutive for Dust {
    type Model<R: Real> = Dust;
    type Potential = NoPotential;
    const NAME: &'static str = "dust";
    const PARAMETERS: &'static [&'static str] = &[];

    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }
    fn model<R: Real>(&self, _parameters: &[R; MAX_PARAMETERS]) -> Dust {
        Dust
    }
    fn potential(&self) -> NoPotential {
        NoPotential
    }
}

impl<R: Real> Model<R> for Dust {
    type State<const D: usize> = VolumeRatio<R>;

    fn energy_density<const D: usize>(&self, _state: &VolumeRatio<R>) -> Option<R> {
        None
    }
    fn kirchhoff_stress<const D: usize>(
        &self,
        _state: &VolumeRatio<R>,
        _velocity_gradient: &Matrix<R, D>,
    ) -> Matrix<R, D> {
        Matrix::zero()
    }
    /// Keeps J at 1: without stress there is nothing for it to do, and in a random cloud it would
    /// leave the range of numbers.
    fn return_map<const D: usize>(&self, state: &mut VolumeRatio<R>, _dt: R) {
        state.growth = R::zero();
    }
    fn stiffness<const D: usize>(&self, _state: &VolumeRatio<R>) -> R {
        R::zero()
    }
}
