//! The energy of a step: what implicit integrators need of a material.
//!
//! A step deforms the matter of a particle by A = I + M, M = Δt∇v. Its energy per rest volume is a function ψ(M) of that
//! increment and of what the particle is at the beginning of the step, the [`Reference`]. Integrators use its slope G = ∂ψ/∂M, which for elastic matter
//! is τA⁻ᵀ, and its curvature H = ∂²ψ/∂M². \[Gast2015\] §6.1,
//! \[Jiang2016\] eq. (198) with P Fᵀ in the place of P, so that matter without memory of its rotation is served as well.
//! Plastic [`Flow`] is part of it where the stress that it leaves has a potential; else it follows after the step.
//!
//! A potential is compiled once, however many materials share it: snow on a neo-Hookean law has the potential of that law.

mod isotropic;
mod lanewise;
mod shear;
mod squeeze;

pub use isotropic::IsotropicPotential;
pub(crate) use isotropic::Trial;
pub(crate) use lanewise::evaluate;
pub use lanewise::{Curvatures, IncrementBatch, Wanted};
pub use shear::{add_shear_viscosity, shear_curvature};

use thixo_math::{Matrix, Real};

/// The most parameters a potential may have.
pub const MAX_POTENTIAL_PARAMETERS: usize = 5;

/// What a potential depends on besides the increment; it stays the same during a step.
#[derive(Clone, Copy, Debug)]
pub struct Reference<R, const D: usize> {
    /// A strain at the beginning of the step, symmetric and positive definite: b = F Fᵀ \[–\].
    pub strain: Matrix<R, D>,
    /// Parameters of the potential.
    pub parameters: [R; MAX_POTENTIAL_PARAMETERS],
}

impl<R: Real, const D: usize> Reference<R, D> {
    /// Numbers per particle: a symmetric matrix, the parameters, and behind them the modulus of inertia ρ₀h²/Δt² \[Pa\].
    pub const COLUMNS: usize = D * (D + 1) / 2 + MAX_POTENTIAL_PARAMETERS + 1;

    /// With the first parameters given, the others zero.
    #[inline(always)]
    pub fn new<const N: usize>(strain: Matrix<R, D>, first: [R; N]) -> Self {
        let mut parameters = [R::zero(); MAX_POTENTIAL_PARAMETERS];
        parameters[..N].copy_from_slice(&first);
        Self { strain, parameters }
    }
}

/// Energy and slope of an increment.
#[derive(Clone, Copy, Debug)]
pub struct Slope<R: Real, const D: usize> {
    /// ψ \[J/m³\]; infinite where the increment is not possible, such as one that turns matter inside out.
    pub energy: R,
    /// ∂ψ/∂M \[Pa\].
    pub gradient: Matrix<R, D>,
}

/// Second derivatives by the entries of the increment, row by row: a symmetric matrix of D² rows, of which the first are used.
pub type Curvature<R> = [[R; 9]; 9];

/// The energy of an increment, for numbers and lanes.
pub trait StepEnergy<R: Real>: Copy {
    /// Energy and slope.
    fn slope<const D: usize>(&self, strain: &Matrix<R, D>, increment: &Matrix<R, D>)
    -> Slope<R, D>;
    /// Curvature \[Pa\]; only the upper triangle is asked for.
    fn curvature<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Curvature<R>;
}

/// Whether a curvature is made positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Definiteness {
    /// As it is.
    #[default]
    AsIs,
    /// Negative curvatures are left out. \[Teran2005\]
    Projected,
}

/// Whether the energy of a step knows of flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does: its slope is the stress that the return map leaves, for a state of the beginning where that decides how matter flows.
    WithinStep,
    /// It does not: matter is elastic during a solve, and flows when velocities are found.
    AfterStep,
}

/// A potential, from which the engine makes a [`StepEnergy`] for any lane type.
pub trait Potential: Clone + core::fmt::Debug + Send + Sync + 'static {
    /// The energy over numbers or lanes.
    type Energy<R: Real>: StepEnergy<R>;
    /// Whether there is one.
    const EXISTS: bool = true;
    /// When matter flows.
    const FLOW: Flow = Flow::AfterStep;
    /// With the parameters of a [`Reference`].
    fn energy<R: Real>(&self, parameters: &[R; MAX_POTENTIAL_PARAMETERS]) -> Self::Energy<R>;
}

/// Of materials whose stress has no potential; only explicit steps serve them.
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
    fn slope<const D: usize>(&self, _: &Matrix<R, D>, _: &Matrix<R, D>) -> Slope<R, D> {
        Slope {
            energy: R::zero(),
            gradient: Matrix::zero(),
        }
    }
    fn curvature<const D: usize>(
        &self,
        _: &Matrix<R, D>,
        _: &Matrix<R, D>,
        _: Definiteness,
    ) -> Curvature<R> {
        [[R::zero(); 9]; 9]
    }
}
