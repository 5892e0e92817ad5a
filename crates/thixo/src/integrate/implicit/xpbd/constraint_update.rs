//! The update of one constraint: the change of a particle's impulse for a given velocity gradient.
//!
//! A particle exerts impulses S∇w on its nodes. A change ΔS changes its velocity gradient by ΔS K,
//! K = Σ ∇w ∇wᵀ/m, so that trial steps need no second gather. With the constraint C = √ψ, its
//! compliance α = 1/(2V⁰) and λ∇C/Δt = S, equation (25) of \[Qu2023\] reads
//!
//! ΔS = −(S + Δt V⁰G)/(1 + a), a = Δt²V⁰ (GK : G)/(2ψ), G = τ A⁻ᵀ.
//!
//! Its fixed point is the minimum of the energy, S = −Δt V⁰G (errata E29). That a is the stiffness
//! along G of a quadratic energy. Along other directions, and where matter flows, it differs: here
//! it is measured, as the secant of the stress over a trial step.

#![allow(non_snake_case)]

use thixo_math::{Lanes, Mask, Matrix, Real};
use thixo_par::{Kernel, Scalar};

use super::lane_batch::{RowLayout, load_matrix, load_symmetric, store_matrix};
use crate::particles::Layout;

/// Largest growth of a step over the one that the last measurement of the stiffness allows.
const MAX_GROWTH: f64 = 4.0;
/// Largest strain of a trial step: the stress of crushed matter is without bound, and gives a
/// direction but no length.
const MAX_TRIAL_STRAIN: f64 = 0.5;
/// Strain of the probe by which stiffnesses are estimated at first.
const PROBE_STRAIN: f64 = 1e-2;
/// Safety factor of that estimate, so that first steps are rather too short.
const INITIAL_SAFETY: f64 = 2.0;

/// The columns of a row that belong to the method.
struct ParticleData<L: Real, const D: usize> {
    /// V⁰ \[m³\].
    volume: L,
    /// K.
    compliance: Matrix<L, D>,
    /// S.
    impulse: Matrix<L, D>,
    /// Stiffness a, or the multiplier λ of [`QuEq25Step`].
    stiffness: L,
}

impl<L: Lanes, const D: usize> ParticleData<L, D> {
    #[inline(always)]
    fn load(layout: &RowLayout<D>, row: &[L::Scalar]) -> Self {
        Self {
            volume: L::load(&row[Layout::<D>::V0 * L::LANES..]),
            compliance: load_symmetric(row, layout.compliance()),
            impulse: load_matrix(row, layout.impulse()),
            stiffness: L::load(&row[layout.stiffness() * L::LANES..]),
        }
    }
}

/// Velocity gradients of particles, and their stresses at the end of a step with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct GradientAndStress<'a, T> {
    /// ∇v, D² columns.
    pub gradient: &'a [T],
    /// τ, upper triangle.
    pub stress: &'a [T],
}

/// V⁰G = V⁰ τ A⁻ᵀ, and the mask of admissible lanes, det A > 0 with A = I + Δt∇v.
#[inline(always)]
fn energy_gradient<L: Lanes, const D: usize>(
    at: GradientAndStress<'_, L::Scalar>,
    volume: L,
    dt: f64,
) -> (Matrix<L, D>, L::Mask) {
    let A = load_matrix::<L, D>(at.gradient, 0).mul_add(L::splat(dt), Matrix::identity());
    let is_admissible = A.determinant().gt(L::zero());
    let stress: Matrix<L, D> = load_symmetric(at.stress, 0);
    let gradient = stress * A.inverse().transpose() * volume;
    // Empty lanes have no volume, and a stress that may be NaN.
    let is_taken = volume.gt(L::zero());
    let gradient = Matrix::select(is_taken, gradient, Matrix::zero());
    (gradient, is_admissible)
}

/// The impulse that halves the velocity gradient: the update of particles that the others have
/// inverted.
#[inline(always)]
fn halving<L: Lanes, const D: usize>(
    gradient: &Matrix<L, D>,
    compliance: &Matrix<L, D>,
) -> Matrix<L, D> {
    *gradient * compliance.inverse() * L::splat(-0.5)
}

/// The probe for all lanes: a compression with a shear, which involves all moduli of isotropic
/// matter.
pub(super) fn probe<T: Scalar, const D: usize>(dt: f64) -> Vec<T> {
    let mut probe = Matrix::<T, D>::identity() * T::from_f64(-PROBE_STRAIN / dt);
    probe[0][1] = T::from_f64(PROBE_STRAIN / dt);
    let entries = probe.0.as_flattened().iter();
    entries.flat_map(|&x| vec![x; T::LANES]).collect()
}

/// Estimates the stiffness a of a row of particles, and sets the first impulses −Δt V⁰τⁿ.
pub(super) struct InitialImpulse<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row of particles.
    pub row: &'a mut [T],
    /// Stress without deformation.
    pub rest: GradientAndStress<'a, T>,
    /// Stress after the probe.
    pub probe: GradientAndStress<'a, T>,
    /// Δt \[s\].
    pub dt: f64,
}

impl<T: Scalar, const D: usize> Kernel<T> for InitialImpulse<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let data = ParticleData::<L, D>::load(&self.layout, self.row);
        let (rest, _) = energy_gradient::<L, D>(self.rest, data.volume, self.dt);
        let (probed, _) = energy_gradient::<L, D>(self.probe, data.volume, self.dt);
        let strain = load_matrix::<L, D>(self.probe.gradient, 0) * L::splat(self.dt);
        let modulus = ((probed - rest).norm_squared() / strain.norm_squared()).sqrt();
        let scale = L::splat(INITIAL_SAFETY * self.dt * self.dt / D as f64);
        let stiffness = scale * modulus * data.compliance.trace();
        stiffness.store(&mut self.row[self.layout.stiffness() * L::LANES..]);
        let impulse = rest * L::splat(-self.dt);
        store_matrix(&impulse, self.row, self.layout.impulse());
    }
}

/// A change P of the impulse, and the velocity gradient after it.
struct Step<L: Lanes, const D: usize> {
    /// P.
    change: Matrix<L, D>,
    /// The velocity gradient after it.
    trial: Matrix<L, D>,
    /// The denominator 1 + a that gave its length.
    before: L,
    /// Lanes that are admissible without it.
    was_admissible: L::Mask,
}

impl<L: Lanes, const D: usize> Step<L, D> {
    /// P = −(S + Δt V⁰G)/(1 + a) with the stiffness last measured, or a larger one where the trial
    /// strain would exceed its bound.
    #[inline(always)]
    fn new(data: &ParticleData<L, D>, here: GradientAndStress<'_, L::Scalar>, dt: f64) -> Self {
        let gradient = load_matrix::<L, D>(here.gradient, 0);
        let (energy_gradient, was_admissible) = energy_gradient::<L, D>(here, data.volume, dt);
        let residual = energy_gradient.mul_add(L::splat(dt), data.impulse);
        let strain = residual * data.compliance * L::splat(dt / MAX_TRIAL_STRAIN);
        let before = (L::one() + data.stiffness).max(strain.norm_squared().sqrt());
        let mut change = residual * (-(L::one() / before));
        if !was_admissible.all() {
            let halving = halving(&gradient, &data.compliance);
            change = Matrix::select(was_admissible, change, halving);
        }
        Self {
            change,
            trial: gradient + change * data.compliance,
            before,
            was_admissible,
        }
    }
}

/// Computes a trial step.
pub(super) struct TrialStep<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row of particles.
    pub row: &'a mut [T],
    /// Stress at the present velocities.
    pub here: GradientAndStress<'a, T>,
    /// Δt \[s\].
    pub dt: f64,
    /// ΔS or a trial P, D² columns.
    pub change: &'a mut [T],
    /// Output: the velocity gradient after the trial step.
    pub trial: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for TrialStep<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let data = ParticleData::<L, D>::load(&self.layout, self.row);
        let step = Step::new(&data, self.here, self.dt);
        store_matrix(&step.change, self.change, 0);
        store_matrix(&step.trial, self.trial, 0);
        let stiffness = step.before - L::one();
        stiffness.store(&mut self.row[self.layout.stiffness() * L::LANES..]);
    }
}

/// Takes a step with the last stiffness, without a trial, if the particle stays admissible.
pub(super) struct UntestedStep<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row of particles.
    pub row: &'a mut [T],
    /// Stress at the present velocities.
    pub here: GradientAndStress<'a, T>,
    /// Δt \[s\].
    pub dt: f64,
    /// Share of the change that is made \[–\].
    pub relaxation: f64,
    /// ΔS or a trial P, D² columns.
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for UntestedStep<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let data = ParticleData::<L, D>::load(&self.layout, self.row);
        let step = Step::new(&data, self.here, self.dt);
        let after = step.trial.mul_add(L::splat(self.dt), Matrix::identity());
        let is_admissible = after.determinant().gt(L::zero());
        let is_number = step.change.norm_squared().is_finite();
        // Inverted particles take their halving step in any case.
        let share = L::select(is_admissible, L::splat(self.relaxation), L::zero());
        let share = L::select(step.was_admissible, share, L::one());
        let change = Matrix::select(is_number, step.change * share, Matrix::zero());
        store_matrix(&change, self.change, 0);
        store_matrix(&(data.impulse + change), self.row, self.layout.impulse());
    }
}

/// Measures the stiffness along P by the secant of the stress, and rescales the step:
/// ΔS = ωP (1 + a_before)/(1 + a), with the relaxation ω.
pub(super) struct MeasuredStep<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row of particles.
    pub row: &'a mut [T],
    /// Stress at the present velocities.
    pub here: GradientAndStress<'a, T>,
    /// Stress after the trial step.
    pub there: GradientAndStress<'a, T>,
    /// Δt \[s\].
    pub dt: f64,
    /// Share of the change that is made \[–\].
    pub relaxation: f64,
    /// ΔS or a trial P, D² columns.
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for MeasuredStep<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let data = ParticleData::<L, D>::load(&self.layout, self.row);
        let change = load_matrix::<L, D>(self.change, 0);
        let (here, was_admissible) = energy_gradient::<L, D>(self.here, data.volume, self.dt);
        let (there, is_admissible) = energy_gradient::<L, D>(self.there, data.volume, self.dt);
        let moved = change * data.compliance;
        let size = change.contract(moved);
        let before = L::one() + data.stiffness;
        // The step grows by MAX_GROWTH at most; negative stiffness counts as zero.
        let least = (before * L::splat(1.0 / MAX_GROWTH)).max(L::one());
        let secant = L::splat(self.dt) * (there - here).contract(moved) / size;
        let is_measured = size.gt(L::zero()).and(secant.is_finite());
        let measured = L::select(is_measured, (L::one() + secant).max(least), before);
        // A trial that inverts the particle is rejected, and the next one is shorter. Inverted
        // particles take their halving step in any case.
        let shorter = before * L::splat(MAX_GROWTH);
        let stiffness = L::select(is_admissible, measured, shorter);
        let share = L::splat(self.relaxation) * before / measured;
        let share = L::select(is_admissible, share, L::zero());
        let stiffness = L::select(was_admissible, stiffness, before);
        let share = L::select(was_admissible, share, L::one());
        let is_number = size.is_finite();
        let change = Matrix::select(is_number, change * share, Matrix::zero());
        store_matrix(&change, self.change, 0);
        store_matrix(&(data.impulse + change), self.row, self.layout.impulse());
        let stiffness = stiffness - L::one();
        stiffness.store(&mut self.row[self.layout.stiffness() * L::LANES..]);
    }
}

/// Computes the residual S + Δt V⁰G of a row of particles, which is zero at the minimum; all of S
/// where the particle is inverted.
pub(super) struct ImpulseResidual<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row of particles.
    pub row: &'a [T],
    /// Stress at the present velocities.
    pub here: GradientAndStress<'a, T>,
    /// Δt \[s\].
    pub dt: f64,
    /// Output: the residual, D² columns.
    pub residual: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for ImpulseResidual<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let data = ParticleData::<L, D>::load(&self.layout, self.row);
        let (energy_gradient, is_admissible) =
            energy_gradient::<L, D>(self.here, data.volume, self.dt);
        let residual = energy_gradient.mul_add(L::splat(self.dt), data.impulse);
        let is_number = residual.norm_squared().is_finite();
        let residual = Matrix::select(is_admissible.and(is_number), residual, data.impulse);
        store_matrix(&residual, self.residual, 0);
    }
}

/// The update as in \[Qu2023\] eq. (25): Δλ = −(C + α̃λ)/(∇C M⁻¹ ∇Cᵀ + α̃), Δv = M⁻¹ ∇Cᵀ Δλ/Δt with
/// α̃ = 1/(2V⁰Δt²). Particles without energy have no ∇C, and are left out (errata E29).
pub(super) struct QuEq25Step<'a, T, const D: usize> {
    /// Columns of the row.
    pub layout: RowLayout<D>,
    /// The row of particles.
    pub row: &'a mut [T],
    /// ∇v, D² columns.
    pub gradient: &'a [T],
    /// V⁰G, and V⁰ψ in the last column.
    pub energy_gradient: &'a [T],
    /// Δt \[s\].
    pub dt: f64,
    /// ΔS or a trial P, D² columns.
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for QuEq25Step<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let data = ParticleData::<L, D>::load(&self.layout, self.row);
        let lambda = data.stiffness;
        let energy = L::load(&self.energy_gradient[D * D * L::LANES..]);
        let has_energy = energy.gt(L::splat(L::MIN_POSITIVE / L::EPSILON));
        let is_admissible = energy.is_finite();
        let is_active = has_energy.and(is_admissible);
        // √ψ, and ∇C = G∇w/(2√ψ).
        let constraint = (L::select(is_active, energy, L::one()) / data.volume).sqrt();
        let energy_gradient = load_matrix::<L, D>(self.energy_gradient, 0);
        let direction = energy_gradient * (L::splat(0.5) / (data.volume * constraint));
        let compliance = L::splat(0.5 / (self.dt * self.dt)) / data.volume;
        let stiff = direction.contract(direction * data.compliance);
        let step = -(constraint + compliance * lambda) / (stiff + compliance);
        let is_active = is_active.and(step.is_finite());
        let step = L::select(is_active, step, L::zero());
        let impulse = direction * (step * L::splat(1.0 / self.dt));
        let mut change = Matrix::select(is_active, impulse, Matrix::zero());
        if !is_admissible.all() {
            let gradient = load_matrix::<L, D>(self.gradient, 0);
            let halving = halving(&gradient, &data.compliance);
            change = Matrix::select(is_admissible, change, halving);
        }
        store_matrix(&change, self.change, 0);
        (lambda + step).store(&mut self.row[self.layout.stiffness() * L::LANES..]);
    }
}
