//! What a particle answers to the velocities around it: a change of the impulse that it gives to its nodes.
//!
//! A particle pushes its nodes by S∇w. A change ΔS moves its own increment M by Δt ΔS K, K = Σ ∇w ∇wᵀ/m, so that no second look at the nodes is needed. With
//! C = √ψ, α = 1/(2V⁰) and λ∇C/Δt = S, equation (25) of \[Qu2023\] reads ΔS = −(S + Δt V⁰G)/(1 + a), a = Δt²V⁰ (GK : G)/(2ψ); its fixed point is that of
//! the energy, S = −Δt V⁰G (errata E29).

use thixo_math::{Lanes, Mask, Matrix, Real};
use thixo_par::{Kernel, Scalar};

use super::bundle::{Row, load_matrix, load_symmetric, store_matrix};

/// Steps grow by at most this factor over what the last measurement of the stiffness allows.
const BOLDEST: f64 = 4.0;
/// Size of the strain that probes how stiff a particle is.
const PROBE: f64 = 1e-2;
/// How much stiffer a particle is taken for at first than the probe says, so that first steps are rather too short.
const CAUTION: f64 = 2.0;

/// What of a row belongs to the method.
struct Known<L: Real, const D: usize> {
    compliance: Matrix<L, D>,
    impulse: Matrix<L, D>,
    stiffness: L,
}

impl<L: Lanes, const D: usize> Known<L, D> {
    #[inline(always)]
    fn load(row: &[L::Scalar]) -> Self {
        Self {
            compliance: load_symmetric(row, Row::<D>::COMPLIANCE),
            impulse: load_matrix(row, Row::<D>::IMPULSE),
            stiffness: L::load(&row[Row::<D>::STIFFNESS * L::LANES..]),
        }
    }
}

/// V⁰ψ behind the columns of V⁰G.
#[inline(always)]
fn load_energy<L: Lanes, const D: usize>(slope: &[L::Scalar]) -> L {
    L::load(&slope[D * D * L::LANES..])
}

/// The impulse that halves the increment: what a particle does whose state has no energy, because the others turn it inside out.
#[inline(always)]
fn halving<L: Lanes, const D: usize>(
    increment: &Matrix<L, D>,
    compliance: &Matrix<L, D>,
    dt: f64,
) -> Matrix<L, D> {
    *increment * compliance.inverse() * L::splat(-0.5 / dt)
}

/// A compression with a shear, which meets every modulus of isotropic matter, for all lanes.
pub(super) fn probe<T: Scalar, const D: usize>() -> Vec<T> {
    let mut probe = Matrix::<T, D>::identity() * T::from_f64(-PROBE);
    probe[0][1] = T::from_f64(PROBE);
    let entries = probe.0.as_flattened().iter();
    entries.flat_map(|&x| vec![x; T::LANES]).collect()
}

/// Estimates the stiffness a of a row of particles, and sets the first impulses: −Δt V⁰G at rest.
pub(super) struct Begin<'a, T, const D: usize> {
    pub row: &'a mut [T],
    /// At rest.
    pub slope: &'a [T],
    pub probe: &'a [T],
    /// Where the probe leads.
    pub probe_slope: &'a [T],
    pub dt: f64,
}

impl<T: Scalar, const D: usize> Kernel<T> for Begin<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let slope = load_matrix::<L, D>(self.slope, 0);
        let probe = load_matrix::<L, D>(self.probe, 0);
        let bend = load_matrix::<L, D>(self.probe_slope, 0) - slope;
        let modulus = (bend.norm_squared() / probe.norm_squared()).sqrt();
        let compliance: Matrix<L, D> = load_symmetric(self.row, Row::<D>::COMPLIANCE);
        let scale = L::splat(CAUTION * self.dt * self.dt / D as f64);
        let stiffness = scale * modulus * compliance.trace();
        stiffness.store(&mut self.row[Row::<D>::STIFFNESS * L::LANES..]);
        let impulse = slope * L::splat(-self.dt);
        store_matrix(&impulse, self.row, Row::<D>::IMPULSE);
    }
}

/// P = −(S + Δt V⁰G)/(1 + a) with the stiffness last measured, and the increment that it would lead to.
pub(super) struct Aim<'a, T, const D: usize> {
    pub row: &'a [T],
    pub increment: &'a [T],
    pub slope: &'a [T],
    pub dt: f64,
    pub change: &'a mut [T],
    pub trial: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Aim<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(self.row);
        let increment = load_matrix::<L, D>(self.increment, 0);
        let slope = load_matrix::<L, D>(self.slope, 0);
        let dt = L::splat(self.dt);
        let residual = slope.mul_add(dt, known.impulse);
        let mut change = residual * (-(L::one() / (L::one() + known.stiffness)));
        let is_possible = load_energy::<L, D>(self.slope).is_finite();
        if !is_possible.all() {
            let halving = halving(&increment, &known.compliance, self.dt);
            change = Matrix::select(is_possible, change, halving);
        }
        let trial = (change * known.compliance).mul_add(dt, increment);
        store_matrix(&change, self.change, 0);
        store_matrix(&trial, self.trial, 0);
    }
}

/// Measures the stiffness along P from the slopes at both ends, and goes as far as it says: ΔS = P (1 + a_before)/(1 + a).
pub(super) struct Measure<'a, T, const D: usize> {
    pub row: &'a mut [T],
    pub slope: &'a [T],
    pub trial_slope: &'a [T],
    pub dt: f64,
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Measure<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(self.row);
        let change = load_matrix::<L, D>(self.change, 0);
        let bend = load_matrix::<L, D>(self.trial_slope, 0) - load_matrix::<L, D>(self.slope, 0);
        let moved = change * known.compliance;
        let size = change.contract(moved);
        let before = L::one() + known.stiffness;
        // No more than what makes the step BOLDEST times as long; negative curvature counts as none.
        let least = (before * L::splat(1.0 / BOLDEST)).max(L::one());
        let measured = L::one() + L::splat(self.dt) * bend.contract(moved) / size;
        let is_measured = size.gt(L::zero()).and(measured.is_finite());
        let mut stiffer = L::select(is_measured, measured.max(least), before);
        let mut share = before / stiffer;
        // A trial that turns the matter inside out is not followed; the next is shorter.
        let is_allowed = load_energy::<L, D>(self.trial_slope).is_finite();
        stiffer = L::select(is_allowed, stiffer, before * L::splat(BOLDEST));
        share = L::select(is_allowed, share, L::zero());
        // What was inside out is brought back, wherever that leads.
        let was_possible = load_energy::<L, D>(self.slope).is_finite();
        stiffer = L::select(was_possible, stiffer, before);
        share = L::select(was_possible, share, L::one());
        let is_number = size.is_finite();
        let change = Matrix::select(is_number, change * share, Matrix::zero());
        store_matrix(&change, self.change, 0);
        store_matrix(&(known.impulse + change), self.row, Row::<D>::IMPULSE);
        (stiffer - L::one()).store(&mut self.row[Row::<D>::STIFFNESS * L::LANES..]);
    }
}

/// Equation (25) as printed: Δλ = −(C + α̃λ)/(∇C M⁻¹ ∇Cᵀ + α̃), Δv = M⁻¹ ∇Cᵀ Δλ/Δt with α̃ = 1/(2V⁰Δt²). Particles without energy have no ∇C, and are
/// passed over (errata E29).
pub(super) struct Printed<'a, T, const D: usize> {
    pub row: &'a mut [T],
    pub increment: &'a [T],
    pub slope: &'a [T],
    pub dt: f64,
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Printed<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(self.row);
        let volume = L::load(&self.row[Row::<D>::V0 * L::LANES..]);
        let lambda = known.stiffness;
        let energy = load_energy::<L, D>(self.slope);
        let has_energy = energy.gt(L::splat(L::MIN_POSITIVE / L::EPSILON));
        let is_possible = energy.is_finite();
        let is_active = has_energy.and(is_possible);
        // √ψ, and ∇C = G∇w/(2√ψ).
        let constraint = (L::select(is_active, energy, L::one()) / volume).sqrt();
        let direction = load_matrix::<L, D>(self.slope, 0)
            * (L::splat(0.5) / (volume * constraint));
        let compliance = L::splat(0.5 / (self.dt * self.dt)) / volume;
        let stiff = direction.contract(direction * known.compliance);
        let step = -(constraint + compliance * lambda) / (stiff + compliance);
        let is_active = is_active.and(step.is_finite());
        let step = L::select(is_active, step, L::zero());
        let mut change = Matrix::select(
            is_active,
            direction * (step * L::splat(1.0 / self.dt)),
            Matrix::zero(),
        );
        if !is_possible.all() {
            let increment = load_matrix::<L, D>(self.increment, 0);
            let halving = halving(&increment, &known.compliance, self.dt);
            change = Matrix::select(is_possible, change, halving);
        }
        store_matrix(&change, self.change, 0);
        (lambda + step).store(&mut self.row[Row::<D>::STIFFNESS * L::LANES..]);
    }
}
