//! The energy of a step of a viscoelastic fluid: digits, and the force that it exerts.

use super::*;

const TURN: [[f64; 3]; 3] = [[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8], [0.64, -0.48, 0.6]];
const STRETCH: [f64; 3] = [2.0, 0.5, 0.05];

fn sponge<R: Real>() -> OldroydEnergy<R> {
    OldroydEnergy {
        mu: R::splat(3.6e5),
        lambda: R::splat(1.4e6),
        viscosity: R::zero(),
        volume: VolumeRatio::new(R::splat(STRETCH.iter().product())),
        relaxation: Relaxation::over(R::splat(1.0 / 16384.0)),
        form: OldroydForm::VolumePreserving,
    }
}

/// h of squeezed matter.
fn squeezed() -> Matrix<f32, 3> {
    let mut h = Matrix::zero();
    for i in 0..3 {
        for j in 0..3 {
            let share = |k: usize| TURN[i][k] * (STRETCH[k].powi(2) - 1.0) * TURN[j][k];
            h[i][j] = (share(0) + share(1) + share(2)) as f32;
        }
    }
    h.symmetric_part()
}

fn wide(m: Matrix<f32, 3>) -> Matrix<f64, 3> {
    Matrix(m.0.map(|row| row.map(f64::from)))
}

/// Solvers need accurate differences of the stress between increments more than the stress
/// itself, which has no more digits than the strain.
#[test]
fn slopes_of_squeezed_matter_change_smoothly_in_single_precision() {
    let h = squeezed();
    let by_entries = |M: &Matrix<f32, 3>| {
        let g = sponge::<f32>().relaxation.strain(&h, M);
        (Matrix::identity() + g).inverse()
    };
    let mut worst = [0.0_f64; 2];
    for step in 0..100 {
        let part = 1e-4 * f64::from(step);
        let increment = Matrix(TURN.map(|row| row.map(|x| (part * x) as f32)));
        let next = increment + Matrix(TURN.map(|row| row.map(|x| 1e-5 * x as f32)));
        let [first, second] =
            [increment, next].map(|M| wide(sponge::<f32>().gradient(&h, &M).gradient));
        let exact =
            [increment, next].map(|M| sponge::<f64>().gradient(&wide(h), &wide(M)).gradient);
        let noise = (second - first - (exact[1] - exact[0]))
            .norm_squared()
            .sqrt();
        let size = exact[0].norm_squared().sqrt();
        worst[0] = worst[0].max(noise / size);
        let trial = sponge::<f64>().trial(&wide(h), &wide(increment));
        let lost = wide(by_entries(&increment)) - trial.updated.B;
        let size = trial.updated.B.norm_squared().sqrt();
        worst[1] = worst[1].max(lost.norm_squared().sqrt() / size);
    }
    println!("noise {:.1e}, by entries {:.1e}", worst[0], worst[1]);
    assert!(worst[0] < 1e-6, "{worst:?}");
    // Control: there are digits to be lost.
    assert!(worst[1] > 1e-5, "{worst:?}");
}

/// From b and A, or from the entries of b̂, and by both forms of the stress: the same where all
/// have their digits.
#[test]
fn both_ways_to_the_strain_agree() {
    let h = wide(squeezed());
    let b = Matrix::identity() + h;
    for (kept, part) in [(0.999_f64, 0.1), (0.51, -0.05), (0.49, 0.1), (0.01, 0.1)] {
        let x = -kept.ln();
        let energy = OldroydEnergy {
            relaxation: Relaxation::over(x),
            ..sponge::<f64>()
        };
        let M = Matrix(TURN) * part;
        let at = energy.trial(&h, &M);
        let A = Matrix::identity() + M;
        let a1 = (1.0 - kept * (1.0 + x)) / x;
        let a2 = (2.0 - kept * (2.0 + 2.0 * x + x * x)) / (x * x);
        let strain = (A * b * A.transpose()).symmetric_part() * kept
            + Matrix::from_scalar(1.0 - kept)
            + M.symmetric_part() * (2.0 * a1)
            + M.times_own_transpose() * a2;
        let det = at.updated.dilatation.determinant();
        assert!((strain.determinant() / det - 1.0).abs() < 1e-8);
        let quotient = at.volume.ratio().powi(2) / strain.determinant();
        assert!((at.updated.quotient.0 / quotient - 1.0).abs() < 1e-8);
        let one = at.updated.B * strain;
        assert!((one - Matrix::identity()).norm_squared() < 1e-16, "{one:?}");
        // The stress as the gradient by w, Q, Y and φ.
        let (mu, J) = (energy.mu, at.volume.ratio());
        let s = quotient.powf(1.0 / 3.0);
        let mean = s * strain.trace() / 3.0;
        let Q = (Matrix::identity() - at.updated.B * (strain.trace() / 3.0)) * s;
        let Y = A * b * kept + Matrix::from_scalar(a1) + M * a2;
        let w = 1.0 + (x / (1.0 - kept) - 1.0) * (energy.volume.ratio() / J).powf(2.0 / 3.0);
        let push = mu * (mean - 1.0) + energy.lambda * (J - 1.0) * J;
        let expected = Q * Y * A.transpose() * (mu * w) + Matrix::from_scalar(push);
        let error = energy.kirchhoff(&h, &M, &at) - expected;
        let size = expected.norm_squared();
        assert!(error.norm_squared() < 1e-16 * size, "{kept}: {error:?}");
    }
}

/// Force of a steady shear of W = γ̇Wi in steps of x relaxation times over the stress at the end of
/// the step: shear stress, and normal stress difference.
fn steady_shear<const D: usize>(W: f64, x: f64, form: OldroydForm) -> [f64; 2] {
    let mut h = Matrix::<f64, D>::zero();
    h[0][0] = 2.0 * W * W;
    h[0][1] = W;
    h[1][0] = W;
    let mut M = Matrix::zero();
    M[0][1] = W * x;
    let energy = OldroydEnergy {
        volume: VolumeRatio::new(1.0),
        relaxation: Relaxation::over(x),
        form,
        ..sponge::<f64>()
    };
    let at = energy.trial(&h, &M);
    let tau = energy.kirchhoff(&h, &M, &at);
    let thinning = match form {
        OldroydForm::VolumePreserving => (1.0 + W * W).powf(-1.0 / D as f64),
        OldroydForm::Plain => 1.0,
    };
    let shear = energy.mu * W * thinning;
    [
        tau[0][1] / shear,
        (tau[0][0] - tau[1][1]) / (2.0 * W * shear),
    ]
}

#[test]
fn the_force_of_steady_shear_is_the_stress() {
    for x in [0.01_f64, 0.1, 0.35, 1.44, 10.0, 1000.0] {
        let coth = 0.5 * x / (0.5 * x).tanh();
        for W in [0.01, 0.1, 1.0] {
            let plane = steady_shear::<2>(W, x, OldroydForm::VolumePreserving);
            let solid = steady_shear::<3>(W, x, OldroydForm::VolumePreserving);
            let plain = steady_shear::<3>(W, x, OldroydForm::Plain);
            println!("x = {x}, W = {W}: 2D {plane:.5?}, 3D {solid:.5?}, plain {plain:.5?}");
            assert!((plane[0] - 1.0).abs() < 1e-9, "{plane:?}");
            let k = (-x).exp();
            let more = (1.0 - k * x / (1.0 - k)) * W * W / (1.0 + W * W);
            assert!((plain[0] - 1.0 - more).abs() < 1e-8, "{plain:?} {more}");
            assert!((solid[0] - 1.0).abs() < 0.35 * W * W, "{solid:?}");
            assert!((plane[1] / coth - 1.0).abs() < 1e-8, "{plane:?} {coth}");
        }
    }
}

/// With 1 + tr M in the place of det A, a turn that also grows by 3/(1 + 2 cos α) would cost
/// nothing.
#[test]
fn a_turning_body_resists_growth() {
    let energy = OldroydEnergy {
        volume: VolumeRatio::new(1.0),
        relaxation: Relaxation::over(0.0),
        ..sponge::<f64>()
    };
    let (s, c) = 0.3_f64.sin_cos();
    let turn = Matrix([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
    let psi = |scale: f64| {
        let increment = turn * scale - Matrix::identity();
        energy.gradient(&Matrix::zero(), &increment).energy
    };
    assert!(psi(1.0) < 1e-20 * energy.mu);
    let growing = 3.0 / (1.0 + 2.0 * c);
    let growth = growing.powi(3) - 1.0;
    assert!(psi(growing) > 0.49 * energy.lambda * growth * growth);
}
