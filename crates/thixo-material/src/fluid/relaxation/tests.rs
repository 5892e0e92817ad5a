//! Fading strain in steps of any length, against solutions that are known.

use super::*;
use thixo_math::symmetric_eigen;

/// Steps over relaxation times.
const STEPS: [f64; 5] = [0.01, 0.1, 0.35, 1.44, 10.0];

/// A number in [−1, 1).
fn noise(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn random<const D: usize>(seed: &mut u64, size: f64) -> Matrix<f64, D> {
    let mut m = Matrix::zero();
    for i in 0..D {
        for j in 0..D {
            m[i][j] = size * noise(seed);
        }
    }
    m
}

/// The strain after many equal steps, and after as many of advection followed by decay.
fn steady<const D: usize>(M: &Matrix<f64, D>, x: f64) -> [Matrix<f64, D>; 2] {
    let (mut h, mut split) = (Matrix::zero(), Matrix::zero());
    for _ in 0..(80.0 / x).ceil() as usize {
        h = relaxed(&h, M, x).0;
        let R = crate::positive_increment(M);
        split = crate::advected(&split, &R) * (-x).exp();
    }
    [h, split]
}

/// Moments against integrals by Simpson's rule, also where one form takes over from the other.
#[test]
fn moments_are_integrals_of_the_memory() {
    for x in [1e-6, 1e-3, 0.1, 0.9, 0.999_999, 1.000_001, 1.5, 8.0, 40.0] {
        let moment = |n: i32| {
            let (mut sum, steps) = (0.0, 20_000);
            for k in 0..=steps {
                let part = f64::from(k) / f64::from(steps);
                let weight = match k {
                    0 => 1.0,
                    _ if k == steps => 1.0,
                    _ if k % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                sum += weight * part.powi(n) * (-x * part).exp();
            }
            x * sum / (3.0 * f64::from(steps))
        };
        let Relaxation {
            faded,
            first_moment,
            second_moment,
        } = Relaxation::over(x);
        for (found, expected) in [
            (faded, moment(0)),
            (first_moment, moment(1)),
            (second_moment, moment(2)),
        ] {
            assert!((found / expected - 1.0).abs() < 1e-10, "{x}: {found}");
        }
        let single = Relaxation::over(x as f32);
        for (found, expected) in [
            (single.first_moment, first_moment),
            (single.second_moment, second_moment),
        ] {
            let error = f64::from(found) / expected - 1.0;
            assert!(error.abs() < 3e-6, "{x}: {error}");
        }
    }
    for (x, linear) in [(0.0, 1.0), (f64::INFINITY, 0.0), (1e300, 1e-300)] {
        let at = Relaxation::over(x);
        assert_eq!(at.linear(), linear);
        assert!(at.quadratic() >= 0.0 && at.quadratic() <= linear);
    }
}

#[test]
fn steady_shear_has_its_stress_in_steps_of_any_length() {
    for x in STEPS {
        for W in [1e-3, 0.05, 0.5, 3.0] {
            let M = Matrix([[0.0, W * x], [0.0, 0.0]]);
            let [h, split] = steady(&M, x);
            let normal = (h[0][0] - h[1][1]) / (2.0 * W * W) - 1.0;
            let shear = h[0][1] / W - 1.0;
            assert!(shear.abs() < 1e-9 && normal.abs() < 1e-9, "{x} {W}: {h:?}");
            // Advection before decay loses viscosity.
            let lost = split[0][1] / W;
            assert!((lost / (x / x.exp_m1()) - 1.0).abs() < 1e-6, "{lost}");
            assert!(x < 0.1 || lost < 0.96, "{lost}");
        }
    }
}

/// Start of shear in steps of any length: exact at their ends.
#[test]
fn start_up_of_shear_is_exact() {
    for x in STEPS {
        let W = 0.2;
        let mut h = Matrix::zero();
        for step in 1..=10 {
            h = relaxed(&h, &Matrix([[0.0, W * x], [0.0, 0.0]]), x).0;
            let t = x * f64::from(step);
            let xy = W * -(-t).exp_m1();
            let xx = 2.0 * W * W * (1.0 - (1.0 + t) * (-t).exp());
            assert!((h[0][1] - xy).abs() < 1e-13 && (h[0][0] - xx).abs() < 1e-13);
        }
    }
}

/// b = 1/(1 ∓ 2 Wi ε̇) of extension with Wi ε̇ = 0.3, ε̇ the rate of the motion that is made: the
/// increment I + M of a step has the stretches e^{±ε̇Δt}.
#[test]
fn planar_extension_has_its_strain() {
    for x in [0.01_f64, 0.1, 0.35, 0.8] {
        let rate = 0.3;
        let M = Matrix([[(rate * x).exp_m1(), 0.0], [0.0, (-rate * x).exp_m1()]]);
        let [h, split] = steady(&M, x);
        let expected = [1.0 / (1.0 - 2.0 * rate), 1.0 / (1.0 + 2.0 * rate)];
        let error = |h: &Matrix<f64, 2>, i: usize| (1.0 + h[i][i]) / expected[i] - 1.0;
        println!("x = {x}: {:.2e} {:.2e}", error(&h, 0), error(&h, 1));
        for i in 0..2 {
            assert!(error(&h, i).abs() < 0.01, "{x}: {h:?}");
        }
        assert!(x < 0.05 || error(&split, 0).abs() > 0.01, "{x}: {split:?}");
    }
}

/// Strong stretching in one step, made of parts: the strain is that of the motion R(M).
#[test]
fn extension_in_parts_has_its_strain() {
    for (x, m) in [(1.44_f64, 0.432), (3.0, 0.9), (10.0, 3.0), (100.0, 30.0)] {
        let M = Matrix([[m, 0.0], [0.0, -m]]);
        let [h, split] = steady(&M, x);
        let R = Matrix::identity() + crate::positive_increment(&M);
        for i in 0..2 {
            let expected = 1.0 / (1.0 - 2.0 * R[i][i].ln() / x);
            let error = (1.0 + h[i][i]) / expected - 1.0;
            println!("x = {x}, axis {i}: {error:.2e} of {expected}");
            assert!(error.abs() < 0.02, "{x}: {h:?} {expected}");
        }
        assert!((1.0 + split[0][0]) < 0.9 * (1.0 + h[0][0]));
    }
}

/// Parts of a step are the step: shear composes exactly.
#[test]
fn halved_increments_have_their_share_of_the_time() {
    let mut seed = 5;
    for x in STEPS {
        let h = random::<3>(&mut seed, 0.3).times_own_transpose();
        let mut M = Matrix::zero();
        M[0][2] = 4.0;
        let (whole, increment) = relaxed(&h, &M, x);
        let mut parts = h;
        for _ in 0..16 {
            parts = Relaxation::over(x / 16.0).strain(&parts, &(M * (1.0 / 16.0)));
        }
        let error = (whole - parts).norm_squared().sqrt();
        assert!(error < 1e-12 * parts.norm_squared().sqrt(), "{x}: {error}");
        assert!((increment - M).norm_squared() < 1e-24);
        let once = Relaxation::over(x).strain(&h, &M);
        let error = (once - parts).norm_squared().sqrt();
        assert!(error < 1e-12 * parts.norm_squared().sqrt(), "{x}: {error}");
    }
}

fn smallest<const D: usize>(x: f64, size: f64) -> f64 {
    let (mut seed, mut smallest) = (23, f64::INFINITY);
    for _ in 0..500 {
        let mut h = Matrix::<f64, D>::zero();
        for _ in 0..4 {
            h = relaxed(&h, &random(&mut seed, size), x).0;
            let values = symmetric_eigen(&(Matrix::identity() + h)).values;
            smallest = (0..D).map(|i| values[i]).fold(smallest, f64::min);
        }
    }
    smallest
}

#[test]
fn strain_stays_positive_definite() {
    for x in [0.01, 0.35, 1.44, 10.0, 1e3] {
        for size in [0.15, 0.5, 1.0] {
            let (plane, solid) = (smallest::<2>(x, size), smallest::<3>(x, size));
            assert!(plane > 0.0 && solid > 0.0, "{x} {size}: {plane} {solid}");
        }
    }
    // Unhalved, as the energies of implicit steps take them: no eigenvalue is below that of
    // ∫ e^{−u} (I + uL)(I + uL)ᵀ du, whatever the increment.
    let mut seed = 3;
    for x in [0.1, 1.0, 30.0] {
        for _ in 0..1000 {
            let M = random::<3>(&mut seed, 20.0);
            let b = Matrix::identity() + Relaxation::over(x).strain(&Matrix::zero(), &M);
            let values = symmetric_eigen(&b).values;
            assert!((0..3).all(|i| values[i] > 0.0), "{x}: {values:?}");
        }
    }
}
