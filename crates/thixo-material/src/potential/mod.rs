//! The energy of a step, ψ(M): the part of a material that implicit integrators evaluate.
//!
//! A step deforms the matter of a particle by A = I + M with the increment M = Δt∇v. Its energy
//! per rest volume is a function ψ(M) of that increment and of the particle's state at the
//! beginning of the step, the [`Reference`]. Integrators use the gradient G = ∂ψ/∂M, which for
//! elastic matter is τA⁻ᵀ, and the Hessian H = ∂²ψ/∂M². \[Gast2015\] §6.1, \[Jiang2016\] eq. (198)
//! with P Fᵀ in the place of P, so that the strain b = F Fᵀ is enough.
//! Plastic [`Flow`] is part of ψ where the stress after the return mapping has a potential;
//! elsewhere the return mapping follows the solve.
//!
//! A potential is compiled once, however many materials share it: snow on a neo-Hookean law has
//! the potential of that law.

mod barrier;
mod isotropic;
mod lanewise;
mod shear;

pub use isotropic::IsotropicPotential;
pub(crate) use isotropic::Trial;
pub(crate) use lanewise::evaluate;
pub use lanewise::{Derivative, HessianLayout, IncrementBatch};
pub use shear::{add_shear_viscosity, add_shear_viscosity_hessian};

use thixo_math::{Matrix, Real};

/// The largest number of parameters of a potential.
pub const MAX_POTENTIAL_PARAMETERS: usize = 7;

/// The arguments of a potential besides the increment; constant during a step.
#[derive(Clone, Copy, Debug)]
pub struct Reference<R, const D: usize> {
    /// Finger strain at the beginning of the step, h = F Fᵀ − I, symmetric \[–\].
    pub strain: Matrix<R, D>,
    /// Parameters of the potential.
    pub parameters: [R; MAX_POTENTIAL_PARAMETERS],
}

impl<R: Real, const D: usize> Reference<R, D> {
    /// Numbers per particle: a symmetric matrix, the parameters, and the modulus of inertia
    /// ρ₀h²/Δt² \[Pa\] as the last.
    pub const COLUMNS: usize = D * (D + 1) / 2 + MAX_POTENTIAL_PARAMETERS + 1;

    /// A reference with the first parameters given, the others zero.
    #[inline(always)]
    pub fn new<const N: usize>(strain: Matrix<R, D>, first: [R; N]) -> Self {
        let mut parameters = [R::zero(); MAX_POTENTIAL_PARAMETERS];
        parameters[..N].copy_from_slice(&first);
        Self { strain, parameters }
    }
}

/// Energy and gradient at an increment.
#[derive(Clone, Copy, Debug)]
pub struct Gradient<R: Real, const D: usize> {
    /// ψ \[J/m³\]; infinite where the increment is inadmissible, det A ≤ 0.
    pub energy: R,
    /// ∂ψ/∂M \[Pa\].
    pub gradient: Matrix<R, D>,
}

/// Second derivatives ∂²ψ/∂M² by the entries of the increment, row by row: a symmetric matrix of
/// D² rows, the leading part of the array.
pub type Hessian<R> = [[R; 9]; 9];

/// The energy ψ(M) of a step, over scalars or lanes.
pub trait StepEnergy<R: Real>: Copy {
    /// Energy and gradient at an increment.
    fn gradient<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D>;
    /// Hessian at an increment \[Pa\]; only the upper triangle is read.
    fn hessian<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Hessian<R>;
}

/// Treatment of negative eigenvalues of a Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Definiteness {
    /// The exact Hessian, which may be indefinite.
    #[default]
    AsIs,
    /// The nearest positive semi-definite Hessian: negative eigenvalues become zero.
    /// \[Teran2005\]
    Projected,
}

/// Treatment of plastic flow in the energy of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Implicit: the gradient is the stress that the return mapping leaves, with the hardening
    /// state of the beginning of the step where the yield surface depends on it.
    WithinStep,
    /// Implicit: the strain fades while it follows the flow. The stress at the end of a step has no
    /// potential then; the gradient is that stress up to terms of second order in the strain.
    Fading,
    /// Split: matter is elastic during the solve, and the return mapping follows it.
    AfterStep,
}

/// A potential, from which the engine makes a [`StepEnergy`] for any lane type.
pub trait Potential: Clone + core::fmt::Debug + Send + Sync + 'static {
    /// The energy over scalars or lanes.
    type Energy<R: Real>: StepEnergy<R>;
    /// True if the stress of the material has a potential.
    const EXISTS: bool = true;
    /// Treatment of plastic flow.
    const FLOW: Flow = Flow::AfterStep;
    /// The energy for the parameters of a [`Reference`].
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> Self::Energy<R>;
}

/// The absent potential of materials that only explicit steps serve.
#[derive(Clone, Copy, Debug)]
pub struct NoPotential;

impl Potential for NoPotential {
    type Energy<R: Real> = NoPotential;
    const EXISTS: bool = false;
    fn energy<R: Real>(&self, _parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> NoPotential {
        Self
    }
}

impl<R: Real> StepEnergy<R> for NoPotential {
    fn gradient<const D: usize>(&self, _: &Matrix<R, D>, _: &Matrix<R, D>) -> Gradient<R, D> {
        Gradient {
            energy: R::zero(),
            gradient: Matrix::zero(),
        }
    }
    fn hessian<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        _: &Matrix<R, D>,
        _: Definiteness,
    ) -> Hessian<R> {
        [[R::zero(); 9]; 9]
    }
}
