//! Incremental potential of a step with plastic flow: elastic energy and dissipation, whose sum
//! is a potential of the stress at the end of the step.
//!
//! In the Hencky strain ε that the step would leave without flow, with T = tr ε and e = ‖dev ε‖,
//! the stress after the return map is τ = p(T) I + s(e) dev ε/e for all matter that flows along its
//! deviator. That is the gradient of ψ = P(T) + w(e), P' = p, w' = s, which is convex where s grows
//! with e: with it flow is part of the solve of an implicit step, and the return map after the step
//! finds what the solve has found. \[Ortiz1999\]. With f = s/(2μe) and n = dev ε/e
//!
//! ∂τ_a/∂ε_b = p' + 2μf (δ_ab − 1/d) + (s' − 2μf) n_a n_b,
//! (τ_a − τ_b)/(σ_a² − σ_b²) = f times that of Hencky's solid.

#![allow(non_snake_case)]

use thixo_math::{Matrix, Real, Vector};

use super::hencky_strain::{HenckyStrain, shifted};
use crate::elastic::log_quotient;
use crate::potential::{Definiteness, Gradient, Hessian, StepEnergy, Trial};
use crate::principal::Moduli;

/// A function of one strain with its derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Part<R> {
    /// Energy density \[J/m³\].
    pub energy: R,
    /// Derivative of the energy density \[Pa\].
    pub stress: R,
    /// Derivative of the stress \[Pa\].
    pub modulus: R,
}

/// Stress after a step of matter that flows along its deviator, as derivatives of P(T) and w(e).
pub trait FlowLaw<R: Real>: Copy {
    /// Shear modulus μ \[Pa\].
    fn shear_modulus(&self) -> R;
    /// Volumetric part P(T) \[J/m³\] and its derivatives.
    fn volume<const D: usize>(&self, T: R) -> Part<R>;
    /// Deviatoric part w(e) \[J/m³\] and its derivatives.
    fn shape(&self, e: R) -> Part<R>;
}

/// w of perfect plasticity with a yield stress s_Y: s = min(2μe, s_Y).
#[inline(always)]
pub(super) fn perfectly_plastic<R: Real>(mu: R, s_Y: R, e: R) -> Part<R> {
    let two_mu = mu + mu;
    let yields = (two_mu * e).gt(s_Y);
    let half = R::splat(0.5);
    Part {
        energy: R::select(yields, s_Y * (e - half * s_Y / two_mu), mu * e.squared()),
        stress: R::select(yields, s_Y, two_mu * e),
        modulus: R::select(yields, R::zero(), two_mu),
    }
}

/// P of Hencky's solid: κT²/2, κ = λ + 2μ/d.
#[inline(always)]
pub(super) fn elastic_volume<R: Real, const D: usize>(mu: R, lambda: R, T: R) -> Part<R> {
    let kappa = mu.mul_add(R::splat(2.0 / D as f64), lambda);
    Part {
        energy: R::splat(0.5) * kappa * T.squared(),
        stress: kappa * T,
        modulus: kappa,
    }
}

/// Incremental energy of a flow law.
#[derive(Clone, Copy, Debug)]
pub struct FlowEnergy<L>(pub L);

/// Hencky strain of a trial state and its stress after plastic flow.
struct StressAfterFlow<R: Real, const D: usize> {
    strain: HenckyStrain<R, D>,
    volume: Part<R>,
    shape: Part<R>,
    /// Secant factor f = s/(2μe) \[–\].
    share: R,
    /// Principal Kirchhoff stresses τ_a \[Pa\].
    kirchhoff: Vector<R, D>,
}

impl<L> FlowEnergy<L> {
    #[inline(always)]
    fn flow<R: Real, const D: usize>(&self, trial: &Trial<R, D>) -> StressAfterFlow<R, D>
    where
        L: FlowLaw<R>,
    {
        let principal = trial.principal;
        let strain = HenckyStrain::split(principal, principal.hencky());
        let volume = self.0.volume::<D>(strain.trace);
        let shape = self.0.shape(strain.deviator_norm);
        let two_mu = self.0.shear_modulus() * R::splat(2.0);
        let elastic = two_mu * strain.deviator_norm;
        let is_strained = elastic.gt(R::splat(R::MIN_POSITIVE));
        let share = R::select(is_strained, shape.stress / elastic, R::one());
        let kirchhoff = shifted(&(strain.deviator * (two_mu * share)), volume.stress);
        StressAfterFlow {
            strain,
            volume,
            shape,
            share,
            kirchhoff,
        }
    }
}

impl<R: Real, L: FlowLaw<R>> StepEnergy<R> for FlowEnergy<L> {
    #[inline(always)]
    fn gradient<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
    ) -> Gradient<R, D> {
        let trial = Trial::of(strain, increment);
        let flowed = self.flow(&trial);
        let energy = flowed.volume.energy + flowed.shape.energy;
        trial.gradient(energy, &flowed.kirchhoff)
    }

    #[inline(always)]
    fn hessian<const D: usize>(
        &self,
        strain: &Matrix<R, D>,
        increment: &Matrix<R, D>,
        definiteness: Definiteness,
    ) -> Hessian<R> {
        let trial = Trial::of(strain, increment);
        let flowed = self.flow(&trial);
        let mu = self.0.shear_modulus();
        let secant = (mu + mu) * flowed.share;
        let tangent = flowed.shape.modulus - secant;
        let inverse = R::one() / flowed.strain.deviator_norm.max(R::splat(R::MIN_POSITIVE));
        let n = flowed.strain.deviator * inverse;
        let strains = &trial.principal.strains;
        let moduli = Moduli::of(
            |a, b| {
                let own = if a == b { 1.0 } else { 0.0 };
                let shape = secant * R::splat(own - 1.0 / D as f64);
                flowed.volume.modulus + shape + tangent * n[a] * n[b]
            },
            |a, b| {
                let quotient = log_quotient(strains[a], strains[b]);
                mu * flowed.share * quotient
            },
        );
        trial.hessian(&flowed.kirchhoff, &moduli, definiteness)
    }
}
