//! The incremental energy: its value and gradient at zero increment, and its derivatives by central
//! differences (errata E5).

use thixo_math::Matrix;

use super::{Compared, SAMPLES, Sample, rotation, sample_deformation};
use crate::potential::{Definiteness, Flow, Hessian, Potential, Reference, StepEnergy};
use crate::{Constitutive, MAX_STATE, Model, State};

/// Length of the step for which energies are compared \[s\].
const STEP: f64 = 1e-2;

/// Relative change of the Hessian at a kink, or too near to one for differences to resolve it;
/// smooth energies change by at most a tenth as much in as small a step.
const KINK: f64 = 1e-4;

/// F with two stretches that differ by 10⁻⁷, rotated.
pub(super) fn nearly_equal_stretches<const D: usize>() -> Matrix<f64, D> {
    let mut f = Matrix::from_scalar(0.9);
    f[1][1] += 1e-7;
    if D > 2 {
        f[2][2] = 1.2;
    }
    rotation::<D>(3) * f
}

/// Checks the potential of a law in the state of a particle that enters with F.
pub(super) fn check_potential<C: Constitutive, const D: usize>(
    law: &C,
    f: &Matrix<f64, D>,
    seed: u64,
) -> Sample {
    if !C::Potential::EXISTS {
        return Sample::PassedOver;
    }
    let model = law.uniform_model::<f64>();
    let state = model.initial_state(f);
    let Reference { strain, parameters } = model.reference(&state, STEP);
    let energy = law.potential().energy(&parameters);
    let scale = model.stiffness(&state);
    let name = C::NAME;

    let rest = Matrix::zero();
    let at_rest = energy.gradient(&strain, &rest);
    // Relaxation and plastic flow act within the step if the potential includes them.
    let mut faded = state;
    if C::Potential::FLOW != Flow::AfterStep {
        model.advance(&mut faded, &rest, STEP);
        model.return_map(&mut faded, STEP);
    }
    let is_unchanged = model.energy_density(&faded) == model.energy_density(&state);
    if is_unchanged && let Some(psi) = model.energy_density(&state) {
        let error = (at_rest.energy - psi).abs();
        // Energies of steps in which strain fades have a constant of their own.
        let is_comparable =
            C::Potential::FLOW != Flow::Fading || columns(&faded) == columns(&state);
        assert!(
            !is_comparable || error <= 1e-12 * scale,
            "{name}: energy off by {error}"
        );
        let tau = model.kirchhoff_stress(&state, &rest);
        let error = (at_rest.gradient - tau).norm_squared().sqrt();
        assert!(error <= 1e-11 * scale, "{name}: gradient off by {error}");
    }

    // Increments of a few percent to a third.
    let size = [0.0, 0.03, 0.3][(seed % 3) as usize];
    let increment = (sample_deformation::<D>(seed + 17) - Matrix::identity()) * size;
    if (Matrix::identity() + increment).determinant() < 0.3 || increment.trace() < -0.6 {
        return Sample::PassedOver;
    }
    let psi = energy.gradient(&strain, &increment);
    let hessian = energy.hessian(&strain, &increment, Definiteness::AsIs);
    let e = 1e-6;
    let size = (0..D * D)
        .map(|k| hessian[k][k].abs())
        .fold(scale, f64::max);
    let around = |column: usize| {
        let (i, j) = (column / D, column % D);
        let (mut above, mut below) = (increment, increment);
        above[i][j] += e;
        below[i][j] -= e;
        (above, below)
    };
    // At the yield stress, and where grains begin to part, the gradient has a kink
    // and no derivative.
    let has_kink = (0..D * D).any(|column| {
        let (above, below) = around(column);
        [above, below].iter().any(|at| {
            let there = energy.hessian(&strain, at, Definiteness::AsIs);
            let entries = (0..D * D).flat_map(|k| (k..D * D).map(move |l| (k, l)));
            let mut changes = entries.map(|(k, l)| (there[k][l] - hessian[k][l]).abs());
            changes.any(|change| change > KINK * size)
        })
    });
    if has_kink && C::Potential::FLOW == Flow::WithinStep {
        return Sample::PassedOver;
    }
    for column in 0..D * D {
        let (i, j) = (column / D, column % D);
        let (above, below) = around(column);
        let (high, low) = (
            energy.gradient(&strain, &above),
            energy.gradient(&strain, &below),
        );
        let difference = (high.energy - low.energy) / (2.0 * e);
        let error = (difference - psi.gradient[i][j]).abs();
        assert!(
            error <= 1e-6 * size,
            "{name}: gradient {i}{j} off by {error}, {size}"
        );
        for row in 0..=column {
            let (k, l) = (row / D, row % D);
            let difference = (high.gradient[k][l] - low.gradient[k][l]) / (2.0 * e);
            let error = (difference - hessian[row][column]).abs();
            assert!(
                error <= 1e-5 * size,
                "{name}: Hessian {row} {column} off by {error}, {size}"
            );
        }
    }
    check_projection::<D>(
        name,
        &hessian,
        &energy.hessian(&strain, &increment, Definiteness::Projected),
        size,
    );
    Sample::Compared
}

/// The numbers of a state.
fn columns<S: State<f64, D>, const D: usize>(state: &S) -> [f64; MAX_STATE] {
    let mut columns = [0.0; MAX_STATE];
    state.store(&mut columns);
    columns
}

/// Checks that the incremental energy includes all plastic flow: its gradient is the stress after
/// the return map, whatever the length of the step.
pub fn check_flow_within_steps<C: Constitutive>(law: &C) {
    for dt in [1e-4, 1e-2] {
        let (mut plane, mut space) = (Compared::default(), Compared::default());
        for seed in 0..SAMPLES {
            plane.count(check_flow::<C, 2>(law, seed, dt));
            space.count(check_flow::<C, 3>(law, seed, dt));
        }
        plane.demand::<C>("flow within steps in 2D");
        space.demand::<C>("flow within steps in 3D");
    }
}

fn check_flow<C: Constitutive, const D: usize>(law: &C, seed: u64, dt: f64) -> Sample {
    let model = law.uniform_model::<f64>();
    let part = |seed, size: f64| (sample_deformation::<D>(seed) - Matrix::identity()) * size;
    let mut state = model.initial_state(&(Matrix::identity() + part(seed, 0.1)));
    let increment = part(seed + 1000, [0.1, 0.3][(seed % 2) as usize]);
    let Reference { strain, parameters } = model.reference(&state, dt);
    let energy = law.potential().energy(&parameters);
    let psi = energy.gradient(&strain, &increment);
    let a = Matrix::identity() + increment;
    // Larger increments than this are not followed in one go (equation (11)).
    if increment.norm_squared().sqrt() > 0.5 || a.determinant() < 0.3 {
        return Sample::PassedOver;
    }
    let scale = model.stiffness(&state);
    model.advance(&mut state, &increment, dt);
    let tau = model.respond(&mut state, &Matrix::zero(), dt);
    let error = psi.gradient - tau * a.inverse().transpose();
    let error = error.norm_squared().sqrt();
    assert!(error < 1e-9 * scale, "{}: {error} of {scale}", C::NAME);
    Sample::Compared
}

/// Strain and increment of [`check_fading`].
const SMALL: f64 = 1e-6;

/// The force of a step in which strain fades is the stress at its end, up to terms of second order:
/// gradients of the energy and stresses of explicit steps belong to the same equation.
pub(super) fn check_fading<C: Constitutive, const D: usize>(law: &C) {
    if !C::Potential::EXISTS || C::Potential::FLOW != Flow::Fading {
        return;
    }
    let model = law.uniform_model::<f64>();
    let part = |seed| (sample_deformation::<D>(seed) - Matrix::identity()) * SMALL;
    for seed in 0..20 {
        for dt in [1e-4, 1e-3, 1e-2, 1.0] {
            let mut state = model.initial_state(&(Matrix::identity() + part(seed)));
            let scale = model.stiffness(&state);
            let increment = part(seed + 1000);
            let Reference { strain, parameters } = model.reference(&state, dt);
            let energy = law.potential().energy(&parameters);
            let gradient = energy.gradient(&strain, &increment).gradient;
            model.advance(&mut state, &increment, dt);
            let tau = model.respond(&mut state, &(increment * (1.0 / dt)), dt);
            let a = Matrix::identity() + increment;
            let error = (gradient * a.transpose() - tau).norm_squared().sqrt();
            assert!(
                error < 10.0 * SMALL * SMALL * scale,
                "{} {D}D, {dt} s: the force is off the stress by {error}: {gradient:?} {tau:?}",
                C::NAME
            );
        }
    }
}

/// The projected Hessian has no negative eigenvalue, and equals the Hessian where that has none.
fn check_projection<const D: usize>(
    name: &str,
    hessian: &Hessian<f64>,
    projected: &Hessian<f64>,
    size: f64,
) {
    let mut seed = 1u64;
    for _ in 0..20 {
        let mut x = [0.0; 9];
        for x in &mut x[..D * D] {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *x = (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        }
        let form = |h: &Hessian<f64>| {
            let pairs = (0..D * D).flat_map(|k| (k..D * D).map(move |l| (k, l)));
            pairs
                .map(|(k, l)| if k == l { 1.0 } else { 2.0 } * h[k][l] * x[k] * x[l])
                .sum::<f64>()
        };
        let (plain, kept) = (form(hessian), form(projected));
        assert!(kept >= -1e-10 * size, "{name}: {kept} after projection");
        assert!(
            kept >= plain - 1e-10 * size,
            "{name}: projection took from {plain}"
        );
    }
}
