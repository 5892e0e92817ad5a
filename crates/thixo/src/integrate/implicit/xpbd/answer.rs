//! What a particle answers to the velocities around it: a change of the impulse that it gives to its nodes.
//!
//! A particle pushes its nodes by S∇w. A change ΔS moves the velocity gradient that it sees by ΔS K, K = Σ ∇w ∇wᵀ/m, so that no second look at the nodes
//! is needed. With C = √ψ, α = 1/(2V⁰) and λ∇C/Δt = S, equation (25) of \[Qu2023\] reads
//!
//! ΔS = −(S + Δt V⁰G)/(1 + a), a = Δt²V⁰ (GK : G)/(2ψ), G = τ A⁻ᵀ.
//!
//! Its fixed point is that of the energy, S = −Δt V⁰G (errata E29). That a is the stiffness along G, for energies that are parabolas. Along other directions, and
//! where matter flows, it is another: it is measured here, from the stress before and behind a trial step.

#![allow(non_snake_case)]

use thixo_math::{Lanes, Mask, Matrix, Real};
use thixo_par::{Kernel, Scalar};

use super::bundle::{Row, load_matrix, load_symmetric, store_matrix};
use crate::particles::Layout;

/// Steps grow by at most this factor over what the last measurement of the stiffness allows.
const BOLDEST: f64 = 4.0;
/// A trial strains a particle by no more than this: the stress of crushed matter says where to go, but not how far.
const FURTHEST: f64 = 0.5;
/// Size of the strain that probes how stiff a particle is.
const PROBE: f64 = 1e-2;
/// How much stiffer a particle is taken for at first than the probe says, so that first steps are rather too short.
const CAUTION: f64 = 2.0;

/// What of a row belongs to the method.
struct Known<L: Real, const D: usize> {
    volume: L,
    compliance: Matrix<L, D>,
    impulse: Matrix<L, D>,
    stiffness: L,
}

impl<L: Lanes, const D: usize> Known<L, D> {
    #[inline(always)]
    fn load(layout: &Row<D>, row: &[L::Scalar]) -> Self {
        Self {
            volume: L::load(&row[Layout::<D>::V0 * L::LANES..]),
            compliance: load_symmetric(row, layout.compliance()),
            impulse: load_matrix(row, layout.impulse()),
            stiffness: L::load(&row[layout.stiffness() * L::LANES..]),
        }
    }
}

/// Velocity gradients and the stresses at the end of a step with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stressed<'a, T> {
    pub gradient: &'a [T],
    /// τ, upper triangle.
    pub stress: &'a [T],
}

/// V⁰G = V⁰ τ A⁻ᵀ, and whether A = I + Δt∇v leaves the matter the right side out.
#[inline(always)]
fn slope<L: Lanes, const D: usize>(
    at: Stressed<'_, L::Scalar>,
    volume: L,
    dt: f64,
) -> (Matrix<L, D>, L::Mask) {
    let A = load_matrix::<L, D>(at.gradient, 0).mul_add(L::splat(dt), Matrix::identity());
    let is_possible = A.determinant().gt(L::zero());
    let stress: Matrix<L, D> = load_symmetric(at.stress, 0);
    let slope = stress * A.inverse().transpose() * volume;
    // Lanes without a particle have no volume, and a stress that may be no number.
    let is_there = volume.gt(L::zero());
    let slope = Matrix::select(is_there, slope, Matrix::zero());
    (slope, is_possible)
}

/// The impulse that halves the velocity gradient: what a particle does that the others turn inside out.
#[inline(always)]
fn halving<L: Lanes, const D: usize>(
    gradient: &Matrix<L, D>,
    compliance: &Matrix<L, D>,
) -> Matrix<L, D> {
    *gradient * compliance.inverse() * L::splat(-0.5)
}

/// A compression with a shear, which meets every modulus of isotropic matter, for all lanes.
pub(super) fn probe<T: Scalar, const D: usize>(dt: f64) -> Vec<T> {
    let mut probe = Matrix::<T, D>::identity() * T::from_f64(-PROBE / dt);
    probe[0][1] = T::from_f64(PROBE / dt);
    let entries = probe.0.as_flattened().iter();
    entries.flat_map(|&x| vec![x; T::LANES]).collect()
}

/// Estimates the stiffness a of a row of particles, and sets the first impulses: −Δt V⁰τ of the beginning.
pub(super) struct Begin<'a, T, const D: usize> {
    pub layout: Row<D>,
    pub row: &'a mut [T],
    pub rest: Stressed<'a, T>,
    pub probe: Stressed<'a, T>,
    pub dt: f64,
}

impl<T: Scalar, const D: usize> Kernel<T> for Begin<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(&self.layout, self.row);
        let (rest, _) = slope::<L, D>(self.rest, known.volume, self.dt);
        let (probed, _) = slope::<L, D>(self.probe, known.volume, self.dt);
        let strain = load_matrix::<L, D>(self.probe.gradient, 0) * L::splat(self.dt);
        let modulus = ((probed - rest).norm_squared() / strain.norm_squared()).sqrt();
        let scale = L::splat(CAUTION * self.dt * self.dt / D as f64);
        let stiffness = scale * modulus * known.compliance.trace();
        stiffness.store(&mut self.row[self.layout.stiffness() * L::LANES..]);
        let impulse = rest * L::splat(-self.dt);
        store_matrix(&impulse, self.row, self.layout.impulse());
    }
}

/// A change P of the impulse, and where it leads.
struct Step<L: Lanes, const D: usize> {
    change: Matrix<L, D>,
    /// The velocity gradient behind it.
    trial: Matrix<L, D>,
    /// 1 + a of what made it as long as it is.
    before: L,
    /// Whether matter is the right side out without it.
    was_possible: L::Mask,
}

impl<L: Lanes, const D: usize> Step<L, D> {
    /// P = −(S + Δt V⁰G)/(1 + a) with the stiffness last measured, or as much more as makes the step short enough.
    #[inline(always)]
    fn aim(known: &Known<L, D>, here: Stressed<'_, L::Scalar>, dt: f64) -> Self {
        let gradient = load_matrix::<L, D>(here.gradient, 0);
        let (slope, was_possible) = slope::<L, D>(here, known.volume, dt);
        let residual = slope.mul_add(L::splat(dt), known.impulse);
        let strain = residual * known.compliance * L::splat(dt / FURTHEST);
        let before = (L::one() + known.stiffness).max(strain.norm_squared().sqrt());
        let mut change = residual * (-(L::one() / before));
        if !was_possible.all() {
            let halving = halving(&gradient, &known.compliance);
            change = Matrix::select(was_possible, change, halving);
        }
        Self {
            change,
            trial: gradient + change * known.compliance,
            before,
            was_possible,
        }
    }
}

/// Takes a step as a trial.
pub(super) struct Aim<'a, T, const D: usize> {
    pub layout: Row<D>,
    pub row: &'a mut [T],
    pub here: Stressed<'a, T>,
    pub dt: f64,
    pub change: &'a mut [T],
    pub trial: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Aim<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(&self.layout, self.row);
        let step = Step::aim(&known, self.here, self.dt);
        store_matrix(&step.change, self.change, 0);
        store_matrix(&step.trial, self.trial, 0);
        let stiffness = step.before - L::one();
        stiffness.store(&mut self.row[self.layout.stiffness() * L::LANES..]);
    }
}

/// Takes a step without a trial, if it does not turn matter inside out.
pub(super) struct Follow<'a, T, const D: usize> {
    pub layout: Row<D>,
    pub row: &'a mut [T],
    pub here: Stressed<'a, T>,
    pub dt: f64,
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Follow<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(&self.layout, self.row);
        let step = Step::aim(&known, self.here, self.dt);
        let behind = step.trial.mul_add(L::splat(self.dt), Matrix::identity());
        let is_possible = behind.determinant().gt(L::zero());
        let is_number = step.change.norm_squared().is_finite();
        // What was inside out is brought back, wherever that leads.
        let share = L::select(is_possible, L::one(), L::zero());
        let share = L::select(step.was_possible, share, L::one());
        let change = Matrix::select(is_number, step.change * share, Matrix::zero());
        store_matrix(&change, self.change, 0);
        store_matrix(&(known.impulse + change), self.row, self.layout.impulse());
    }
}

/// Measures the stiffness along P from the stresses at both ends, and goes as far as it says: ΔS = P (1 + a_before)/(1 + a).
pub(super) struct Measure<'a, T, const D: usize> {
    pub layout: Row<D>,
    pub row: &'a mut [T],
    pub here: Stressed<'a, T>,
    pub there: Stressed<'a, T>,
    pub dt: f64,
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Measure<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(&self.layout, self.row);
        let change = load_matrix::<L, D>(self.change, 0);
        let (here, was_possible) = slope::<L, D>(self.here, known.volume, self.dt);
        let (there, is_possible) = slope::<L, D>(self.there, known.volume, self.dt);
        let moved = change * known.compliance;
        let size = change.contract(moved);
        let before = L::one() + known.stiffness;
        // No less than what makes the step BOLDEST times as long; negative curvature counts as none.
        let least = (before * L::splat(1.0 / BOLDEST)).max(L::one());
        let bend = L::splat(self.dt) * (there - here).contract(moved) / size;
        let is_measured = size.gt(L::zero()).and(bend.is_finite());
        let measured = L::select(is_measured, (L::one() + bend).max(least), before);
        // A trial that turns the matter inside out is not followed, and the next is shorter. What was inside out is brought back, wherever that leads.
        let shorter = before * L::splat(BOLDEST);
        let stiffness = L::select(is_possible, measured, shorter);
        let share = L::select(is_possible, before / measured, L::zero());
        let stiffness = L::select(was_possible, stiffness, before);
        let share = L::select(was_possible, share, L::one());
        let is_number = size.is_finite();
        let change = Matrix::select(is_number, change * share, Matrix::zero());
        store_matrix(&change, self.change, 0);
        store_matrix(&(known.impulse + change), self.row, self.layout.impulse());
        let stiffness = stiffness - L::one();
        stiffness.store(&mut self.row[self.layout.stiffness() * L::LANES..]);
    }
}

/// Equation (25) as printed: Δλ = −(C + α̃λ)/(∇C M⁻¹ ∇Cᵀ + α̃), Δv = M⁻¹ ∇Cᵀ Δλ/Δt with α̃ = 1/(2V⁰Δt²). Particles without energy have no ∇C, and are
/// passed over (errata E29).
pub(super) struct Printed<'a, T, const D: usize> {
    pub layout: Row<D>,
    pub row: &'a mut [T],
    pub gradient: &'a [T],
    /// V⁰G, and V⁰ψ behind it.
    pub slope: &'a [T],
    pub dt: f64,
    pub change: &'a mut [T],
}

impl<T: Scalar, const D: usize> Kernel<T> for Printed<'_, T, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Scalar = T>>(self) {
        let known = Known::<L, D>::load(&self.layout, self.row);
        let lambda = known.stiffness;
        let energy = L::load(&self.slope[D * D * L::LANES..]);
        let has_energy = energy.gt(L::splat(L::MIN_POSITIVE / L::EPSILON));
        let is_possible = energy.is_finite();
        let is_active = has_energy.and(is_possible);
        // √ψ, and ∇C = G∇w/(2√ψ).
        let constraint = (L::select(is_active, energy, L::one()) / known.volume).sqrt();
        let slope = load_matrix::<L, D>(self.slope, 0);
        let direction = slope * (L::splat(0.5) / (known.volume * constraint));
        let compliance = L::splat(0.5 / (self.dt * self.dt)) / known.volume;
        let stiff = direction.contract(direction * known.compliance);
        let step = -(constraint + compliance * lambda) / (stiff + compliance);
        let is_active = is_active.and(step.is_finite());
        let step = L::select(is_active, step, L::zero());
        let push = direction * (step * L::splat(1.0 / self.dt));
        let mut change = Matrix::select(is_active, push, Matrix::zero());
        if !is_possible.all() {
            let gradient = load_matrix::<L, D>(self.gradient, 0);
            let halving = halving(&gradient, &known.compliance);
            change = Matrix::select(is_possible, change, halving);
        }
        store_matrix(&change, self.change, 0);
        (lambda + step).store(&mut self.row[self.layout.stiffness() * L::LANES..]);
    }
}
