//! What every constitutive model must satisfy, in 2D and 3D: a rest state without stress or energy, symmetric and objective
//! stress, stress that is the derivative of the energy, a return map that has nothing left to do after it ran, and a lane
//! instance that agrees with the scalar one.

use thixo_math::{Matrix, Real, Vector};

use super::{Constitutive, Model, State};

/// Relative error allowed between stress and the central difference of the energy.
const DIFFERENCE_TOLERANCE: f64 = 1e-6;

/// Runs the whole suite; panics with the broken law.
pub fn check<C: Constitutive>(law: &C) {
    check_in::<C, 2>(law);
    check_in::<C, 3>(law);
}

fn check_in<C: Constitutive, const D: usize>(law: &C) {
    rest_state_is_free_of_stress::<C, D>(law);
    for seed in 0..200 {
        let f = sample_deformation::<D>(seed);
        stress_is_symmetric::<C, D>(law, &f);
        stress_is_objective::<C, D>(law, &f, seed);
        stress_is_the_slope_of_the_energy::<C, D>(law, &f);
        return_map_is_idempotent::<C, D>(law, &f);
        single_precision_agrees::<C, D>(law, &f);
    }
}

type StateOf<C, R, const D: usize> = <<C as Constitutive>::Model<R> as Model<R>>::State<D>;

fn admissible<C: Constitutive, R: Real, const D: usize>(
    law: &C,
    f: &Matrix<R, D>,
) -> StateOf<C, R, D> {
    let mut state = law.uniform_model::<R>().initial_state(f);
    law.uniform_model::<R>()
        .return_map(&mut state, R::splat(1e-3));
    state
}

fn stress_of<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) -> Matrix<f64, D> {
    law.uniform_model::<f64>()
        .kirchhoff_stress(&admissible::<C, f64, D>(law, f), &Matrix::zero())
}

fn scale<C: Constitutive, const D: usize>(law: &C) -> f64 {
    law.uniform_model::<f64>()
        .stiffness(&StateOf::<C, f64, D>::from_deformation(&Matrix::identity()))
}

fn rest_state_is_free_of_stress<C: Constitutive, const D: usize>(law: &C) {
    let rest = Matrix::identity();
    let tau = stress_of::<C, D>(law, &rest);
    let modulus = scale::<C, D>(law);
    assert!(
        modulus > 0.0,
        "{}: the stiffness at rest is {modulus}",
        C::NAME
    );
    let size = tau.norm_squared().sqrt();
    assert!(
        size <= 1e-12 * modulus,
        "{}: stress at rest {tau:?}",
        C::NAME
    );
    let state = StateOf::<C, f64, D>::from_deformation(&rest);
    if let Some(psi) = law.uniform_model::<f64>().energy_density(&state) {
        assert!(
            psi.abs() <= 1e-12 * modulus,
            "{}: energy at rest {psi}",
            C::NAME
        );
    }
}

fn stress_is_symmetric<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let tau = stress_of::<C, D>(law, f);
    for i in 0..D {
        for j in 0..D {
            assert_eq!(tau[i][j], tau[j][i], "{}: {tau:?}", C::NAME);
        }
    }
}

/// τ(QF) = Q τ(F) Qᵀ for every rotation Q.
fn stress_is_objective<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>, seed: u64) {
    let q = rotation::<D>(seed);
    let turned = stress_of::<C, D>(law, &(q * *f));
    let expected = q * stress_of::<C, D>(law, f) * q.transpose();
    let error = (turned - expected).norm_squared().sqrt();
    assert!(error <= 1e-10 * scale::<C, D>(law), "{}: {error}", C::NAME);
}

/// τ = (∂ψ/∂F) Fᵀ by central differences (errata E5), where the return map leaves the state alone.
fn stress_is_the_slope_of_the_energy<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let model = law.uniform_model::<f64>();
    let psi = |f: &Matrix<f64, D>| model.energy_density(&StateOf::<C, f64, D>::from_deformation(f));
    let state = StateOf::<C, f64, D>::from_deformation(f);
    if psi(f).is_none() {
        return;
    }
    let e = 1e-5;
    let mut p = Matrix::<f64, D>::zero();
    for i in 0..D {
        for j in 0..D {
            let (mut above, mut below) = (*f, *f);
            above[i][j] += e;
            below[i][j] -= e;
            let (Some(high), Some(low)) = (psi(&above), psi(&below)) else {
                return;
            };
            p[i][j] = (high - low) / (2.0 * e);
        }
    }
    let expected = p * f.transpose();
    let tau = model.kirchhoff_stress(&state, &Matrix::zero());
    let error = (tau - expected).norm_squared().sqrt();
    let size = tau.norm_squared().sqrt().max(1e-3 * scale::<C, D>(law));
    assert!(
        error <= DIFFERENCE_TOLERANCE * size,
        "{}: stress {tau:?} is not the slope of the energy {expected:?}",
        C::NAME
    );
}

fn return_map_is_idempotent<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let once = admissible::<C, f64, D>(law, f);
    let mut twice = once;
    law.uniform_model::<f64>().return_map(&mut twice, 0.0);
    let model = law.uniform_model::<f64>();
    let change = model.kirchhoff_stress(&once, &Matrix::zero())
        - model.kirchhoff_stress(&twice, &Matrix::zero());
    let error = change.norm_squared().sqrt();
    assert!(error <= 1e-10 * scale::<C, D>(law), "{}: {error}", C::NAME);
}

fn single_precision_agrees<C: Constitutive, const D: usize>(law: &C, f: &Matrix<f64, D>) {
    let mut single = Matrix::<f32, D>::zero();
    for i in 0..D {
        for j in 0..D {
            single[i][j] = f[i][j] as f32;
        }
    }
    let tau = stress_of::<C, D>(law, f);
    let state = admissible::<C, f32, D>(law, &single);
    let short = law
        .uniform_model::<f32>()
        .kirchhoff_stress(&state, &Matrix::zero());
    for i in 0..D {
        for j in 0..D {
            let error = (f64::from(short[i][j]) - tau[i][j]).abs();
            let size = tau.norm_squared().sqrt().max(scale::<C, D>(law));
            assert!(error <= 3e-5 * size, "{}: {short:?} {tau:?}", C::NAME);
        }
    }
}

/// A number in [−1, 1) from a counter.
fn noise(seed: u64, k: u64) -> f64 {
    let mut x = (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ k).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A rotation, by Rodrigues' formula in 3D.
fn rotation<const D: usize>(seed: u64) -> Matrix<f64, D> {
    let angle = 3.0 * noise(seed, 100);
    let (s, c) = angle.sin_cos();
    let mut q = Matrix::<f64, D>::identity();
    q[0][0] = c;
    q[0][1] = -s;
    q[1][0] = s;
    q[1][1] = c;
    if D == 3 {
        // A second turn about the first axis makes the rotation general enough.
        let (s, c) = (2.0 * noise(seed, 101)).sin_cos();
        let mut tilt = Matrix::<f64, D>::identity();
        tilt[1][1] = c;
        tilt[1][2] = -s;
        tilt[2][1] = s;
        tilt[2][2] = c;
        q = q * tilt;
    }
    q
}

/// A deformation with stretches between 0.6 and 1.6, rotated on both sides; every eighth with equal stretches.
fn sample_deformation<const D: usize>(seed: u64) -> Matrix<f64, D> {
    let mut stretch = Vector::<f64, D>::zero();
    for i in 0..D {
        let k = if seed.is_multiple_of(8) { 0 } else { i as u64 };
        stretch[i] = 1.1 + 0.5 * noise(seed, k);
    }
    rotation::<D>(seed) * Matrix::from_diagonal(stretch) * rotation::<D>(seed + 1000).transpose()
}
