//! Single precision that can be trusted: stress and energy of tiny strains have as many digits as
//! large ones, and strains grow by increments far below ε.

use thixo_math::Matrix;

use super::{StateOf, entered, noise};
use crate::potential::{Potential, StepEnergy};
use crate::{Constitutive, MAX_STATE, Model, State};

/// Relative error allowed between stresses and energies of tiny strains in single and in double
/// precision.
const DIGITS: f64 = 1e-5;

/// Relative error allowed of a strain that has grown by increments far below ε.
const ACCUMULATED: f64 = 1e-3;

/// A number of each column in single precision, exactly as they are stored.
fn narrow<C: Constitutive, const D: usize>(state: &StateOf<C, f64, D>) -> StateOf<C, f32, D> {
    let mut columns = [0.0; MAX_STATE];
    state.store(&mut columns);
    State::load(&columns.map(|x| x as f32))
}

fn shortened<const D: usize>(m: &Matrix<f64, D>) -> Matrix<f32, D> {
    Matrix(m.0.map(|row| row.map(|x| x as f32)))
}

fn widened<const D: usize>(m: &Matrix<f32, D>) -> Matrix<f64, D> {
    Matrix(m.0.map(|row| row.map(f64::from)))
}

fn gradient<const D: usize>(seed: u64) -> Matrix<f64, D> {
    let mut gradient = Matrix::zero();
    for i in 0..D {
        for j in 0..D {
            gradient[i][j] = noise(seed, (i * D + j) as u64);
        }
    }
    gradient
}

/// Rotation by 30° about the last axis.
fn turned_by_30_degrees<const D: usize>() -> Matrix<f64, D> {
    let (s, c) = core::f64::consts::FRAC_PI_6.sin_cos();
    let mut turn = Matrix::identity();
    turn[0][0] = c;
    turn[0][1] = -s;
    turn[1][0] = s;
    turn[1][1] = c;
    turn
}

/// Stress and energy of strains of 10⁻³, 10⁻⁵ and 10⁻⁷, also of a body that was turned before, in
/// single precision as in double.
pub(super) fn tiny_strains_keep_their_digits<C: Constitutive, const D: usize>(law: &C) {
    let (double, single) = (law.uniform_model::<f64>(), law.uniform_model::<f32>());
    for seed in 0..20 {
        for size in [1e-3, 1e-5, 1e-7] {
            for start in [Matrix::identity(), turned_by_30_degrees()] {
                let mut state = entered::<C, f64, D>(law, &start);
                state.advance(&(gradient(seed) * size));
                let short = narrow::<C, D>(&state);
                let tau = double.kirchhoff_stress(&state, &Matrix::zero());
                let found = single.kirchhoff_stress(&short, &Matrix::zero());
                let found = widened(&found);
                let error = ((found - tau).norm_squared() / tau.norm_squared()).sqrt();
                assert!(
                    error <= DIGITS,
                    "{} {D}D: stress of a strain of {size} off by {error}: {found:?} {tau:?}",
                    C::NAME
                );
                let energies = (double.energy_density(&state), single.energy_density(&short));
                if let (Some(psi), Some(found)) = energies {
                    let error = (f64::from(found) / psi - 1.0).abs();
                    assert!(
                        error <= DIGITS,
                        "{} {D}D: energy of a strain of {size} off by {error}: {found} {psi}",
                        C::NAME
                    );
                }
            }
        }
    }
}

/// Energy and gradient of an implicit step at tiny strains and increments, in single precision as
/// in double: line searches compare such energies.
pub(super) fn tiny_steps_keep_their_digits<C: Constitutive, const D: usize>(law: &C) {
    if !C::Potential::EXISTS {
        return;
    }
    let (double, single) = (law.uniform_model::<f64>(), law.uniform_model::<f32>());
    let dt = 2.0_f64.powi(-10);
    for seed in 0..20 {
        for size in [1e-3, 1e-5, 1e-7] {
            let mut state = entered::<C, f64, D>(law, &turned_by_30_degrees());
            let modulus = double.stiffness(&state);
            state.advance(&(gradient(seed) * size));
            let short = narrow::<C, D>(&state);
            let increment = gradient::<D>(seed + 50) * size;
            let of_single = {
                let reference = single.reference(&short, dt as f32);
                let energy = law.potential().energy(&reference.parameters);
                energy.gradient(&reference.strain, &shortened(&increment))
            };
            let reference = double.reference(&state, dt);
            let energy = law.potential().energy(&reference.parameters);
            let psi = energy.gradient(&reference.strain, &increment);
            let error = (widened(&of_single.gradient) - psi.gradient).norm_squared();
            // Matter that yields may bear next to nothing.
            let stress = psi.gradient.norm_squared().sqrt().max(0.1 * modulus * size);
            assert!(
                error.sqrt() <= DIGITS * stress,
                "{} {D}D: gradient at {size} off by {}: {:?} {:?}",
                C::NAME,
                error.sqrt() / stress,
                of_single.gradient,
                psi.gradient
            );
            let error = (f64::from(of_single.energy) - psi.energy).abs();
            let least = psi.energy.max(0.01 * modulus * size * size);
            assert!(
                error <= DIGITS * least,
                "{} {D}D: energy of a step at {size} off by {}: {} {}",
                C::NAME,
                error / least,
                of_single.energy,
                psi.energy
            );
        }
    }
}

/// 10⁵ increments of about 10⁻⁹ add up in single precision, also those of a body that was turned by
/// 30° before. Stored as F, the strain would be lost: entries of F that are not small stay what
/// they are, F + M F = F.
pub(super) fn increments_below_epsilon_add_up<C: Constitutive, const D: usize>(law: &C) {
    const STEPS: u64 = 100_000;
    // Of matter that forgets in a millisecond, much fades in all these steps.
    let dt = 1e-8;
    let models = (law.uniform_model::<f64>(), law.uniform_model::<f32>());
    for start in [Matrix::identity(), turned_by_30_degrees()] {
        let mut double = entered::<C, f64, D>(law, &start);
        let mut single = narrow::<C, D>(&double);
        let rest = columns::<C, D>(&double);
        let mean = gradient::<D>(3) * 1e-9;
        let mut lost = shortened(&start);
        let before = lost;
        for step in 0..STEPS {
            // Increments of equal size would all be rounded the same way.
            let share = 1.0 + 0.5 * noise(5, step);
            let m = mean * share;
            let short = shortened(&m);
            models.0.advance(&mut double, &m, dt);
            models.1.advance(&mut single, &short, dt as f32);
            lost += short * lost;
        }
        let is_kept = (0..D).any(|i| lost[i][i] != before[i][i]);
        assert!(!is_kept, "F has digits for such increments: {lost:?}");
        let mut exact = columns::<C, D>(&double);
        let mut found = [0.0_f32; MAX_STATE];
        single.store(&mut found);
        let (mut error, mut size) = (0.0, 0.0);
        // The rotation does not count: it serves output, and has the digits of numbers near one.
        for k in 0..StateOf::<C, f64, D>::STRAIN.strain_columns::<D>() {
            exact[k] -= rest[k];
            error += (f64::from(found[k]) - rest[k] - exact[k]).powi(2);
            size += exact[k].powi(2);
        }
        assert!(
            error.sqrt() <= ACCUMULATED * size.sqrt() && size > 1e-12,
            "{} {D}D: strain {found:?} {exact:?}",
            C::NAME
        );
    }
}

fn columns<C: Constitutive, const D: usize>(state: &StateOf<C, f64, D>) -> [f64; MAX_STATE] {
    let mut columns = [0.0; MAX_STATE];
    state.store(&mut columns);
    columns
}
