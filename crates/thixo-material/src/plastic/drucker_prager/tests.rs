//! Sand under the conformance suite, in element tests, and against the formulas of its cone.

use super::*;
use crate::conformance;
use crate::point::{MaterialPoint, Motion, Normal, Stage, drive};

fn sand(angle: f64) -> DruckerPrager {
    DruckerPrager::new(1.0e6, 0.3, FrictionHardening::constant(angle)).unwrap()
}

/// Sand with the parameters of \[Nilles2020\] §10.
fn hardening_sand() -> DruckerPrager {
    let friction = FrictionHardening {
        h0: 35.0,
        h1: 0.0,
        h2: 0.2,
        h3: 10.0,
    };
    DruckerPrager::new(3.4e5, 0.3, friction).unwrap()
}

#[test]
fn spray_does_not_grow_without_end() {
    let sand = DruckerPrager::new(1.0e5, 0.3, FrictionHardening::constant(30.0)).unwrap();
    let model = sand.uniform_model::<f32>();
    let mut state = model.initial_state(&Matrix::<f32, 2>::identity());
    for _ in 0..1000 {
        State::<f32, 2>::advance(&mut state, &Matrix::from_scalar(0.4));
        model.return_map(&mut state, 1e-3);
    }
    let ratio = model.volume_ratio(&state);
    assert!((1e5..2e6).contains(&ratio), "{ratio}");
}

#[test]
fn drucker_prager_conforms() {
    conformance::check(&sand(30.0));
    conformance::check(&sand(0.0));
    conformance::check(&sand(0.0).with_cohesion(1.0e4).unwrap());
    conformance::check(&sand(35.0).with_friction_match(FrictionMatch::Triaxial));
    conformance::check(&sand(30.0).with_cohesion(5.0e4).unwrap());
    conformance::check(&hardening_sand());
    // Cohesion and hardening together are left to the random states below: a larger friction
    // angle lowers the tip.
    conformance::check(
        &sand(30.0)
            .with_cohesion(1.0e3)
            .unwrap()
            .with_volume_correction(VolumeCorrection::Omitted),
    );
}

#[test]
fn the_sine_is_right() {
    for k in 0..=900 {
        let x = f64::from(k) * 0.1f64.to_radians();
        assert!((sine_of_acute(x) - x.sin()).abs() < 3e-16);
    }
    // Peak and end of the hardening curve, and the clamp.
    let friction = FrictionHardening {
        h0: 35.0,
        h1: 9.0,
        h2: 0.3,
        h3: 10.0,
    };
    assert!((friction.sine(0.0) - 25f64.to_radians().sin()).abs() < 1e-15);
    assert!((friction.sine(1e3) - 35f64.to_radians().sin()).abs() < 1e-15);
    assert!(friction.sine(3.0) > friction.sine(1e3));
    let steep = FrictionHardening {
        h1: 1e4,
        ..friction
    };
    assert!(steep.sine(3.0) < 1.0);
}

#[test]
fn friction_matches_are_those_of_the_experiments() {
    for (angle, alpha) in [
        (20.0, 0.2101),
        (30.0, 0.3266),
        (35.0, 0.3860),
        (40.0, 0.4453),
    ] {
        let triaxial = sand(angle).with_friction_match(FrictionMatch::Triaxial);
        let found = triaxial.friction_coefficient::<3>(0.0);
        assert!((found - alpha).abs() < 1e-4, "{angle}: {found}");
    }
}

/// Sand as it comes has its friction angle in the plane of shear, in 2D and 3D (errata E36).
#[test]
fn the_default_friction_angle_acts_in_plane_strain() {
    let sine = 30f64.to_radians().sin();
    let plane = sand(30.0).friction_coefficient::<2>(0.0);
    let solid = sand(30.0).friction_coefficient::<3>(0.0);
    assert!((plane * 2f64.sqrt() - sine).abs() < 1e-14, "{plane}");
    assert!((solid * 3.0 / 2f64.sqrt() - sine).abs() < 1e-14, "{solid}");
    assert_eq!(FRICTION_MATCH.default_word(), "plane_strain");
}

/// A number in [−1, 1).
fn noise(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Projects random states; returns how often each case was met and the largest yield function
/// and change on repetition.
fn random_states<const D: usize>(law: &DruckerPrager, count: usize) -> ([usize; 3], f64, f64) {
    let mut seed = 17;
    let mut cases = [0; 3];
    let (mut largest, mut repeated) = (0.0f64, 0.0f64);
    for _ in 0..count {
        let mut f = Matrix::<f64, D>::identity();
        let bias = 0.3 * noise(&mut seed);
        for i in 0..D {
            for j in 0..D {
                f[i][j] += 0.2 * noise(&mut seed);
            }
            f[i][i] += bias;
        }
        let mut state = law.initial_state(&f);
        state.history = [
            0.1 * noise(&mut seed).max(0.0),
            0.5 + noise(&mut seed).abs(),
        ];
        let J = law.volume_ratio(&state);
        let alpha = law.friction_coefficient::<D>(state.history[1]);
        let before = state;
        let tau = law.respond(&mut state, &Matrix::zero(), 1e-3);
        let size = law.elastic.trace_modulus::<D>();
        let dev = tau.deviator().norm_squared().sqrt();
        let yielded = (alpha * tau.trace() + dev - J * law.cohesion) / size;
        let moved = state.history[1] > before.history[1];
        if !moved {
            cases[0] += 1;
            assert!(yielded <= 1e-12, "case I: {yielded:e}");
        } else {
            cases[if dev <= 1e-9 * size { 1 } else { 2 }] += 1;
            largest = largest.max(yielded.abs());
        }
        assert!((law.volume_ratio(&state) / J - 1.0).abs() < 1e-12);
        let mut again = state;
        // The friction coefficient of the first projection: hardening moves the cone.
        again.history[1] = before.history[1];
        let tau_again = law.respond(&mut again, &Matrix::zero(), 1e-3);
        let change = (tau_again - tau).norm_squared().sqrt() / size;
        repeated = repeated
            .max(change)
            .max((again.history[0] - state.history[0]).abs())
            .max((again.history[1] - before.history[1]).abs());
    }
    (cases, largest, repeated)
}

#[test]
fn projected_states_are_on_the_cone_and_stay_there() {
    for law in [
        sand(30.0),
        sand(40.0).with_cohesion(2.0e4).unwrap(),
        hardening_sand().with_friction_match(FrictionMatch::Triaxial),
        hardening_sand().with_cohesion(1.0e4).unwrap(),
    ] {
        let (plane_cases, plane, plane_again) = random_states::<2>(&law, 20_000);
        let (solid_cases, solid, solid_again) = random_states::<3>(&law, 20_000);
        println!(
            "cases {plane_cases:?} {solid_cases:?}: yield function {plane:.1e} {solid:.1e}, \
             on repetition {plane_again:.1e} {solid_again:.1e}"
        );
        for count in plane_cases.into_iter().chain(solid_cases) {
            assert!(count > 200, "{plane_cases:?} {solid_cases:?}");
        }
        for error in [plane, solid, plane_again, solid_again] {
            assert!(error < 1e-12, "{error:e}");
        }
    }
}

fn isotropic<const D: usize>(strain: f64) -> Vec<Stage> {
    let rate = strain / D as f64;
    vec![
        Stage::new(Motion::Isotropic { rate }, 1.0, 200),
        Stage::new(Motion::Isotropic { rate: -rate }, 1.0, 200),
        Stage::new(Motion::Isotropic { rate: -rate }, 0.1, 20),
    ]
}

fn expand_and_close<const D: usize>() {
    let strain = 1.1f64.ln();
    let law = sand(30.0);
    let records = drive::<_, D>(&law, &isotropic::<D>(strain)).unwrap();
    let b_columns = D * (D + 1) / 2;
    for (k, record) in records.iter().enumerate().take(400) {
        let size = record.kirchhoff_stress.norm_squared().sqrt();
        assert!(size < 1e-7, "pressure {size} at {}", record.volume_ratio);
        let open = record.volume_ratio.ln();
        assert!((record.state[b_columns] - open).abs() < 1e-12, "record {k}");
    }
    let closed = &records[400];
    assert!((closed.volume_ratio - 1.0).abs() < 1e-12);
    assert!(closed.state[b_columns].abs() < 1e-12);
    // Compressed further, the pressure is that of the elastic law and v_c is zero.
    let last = records.last().unwrap();
    let expected = law.elastic.trace_modulus::<D>() * -0.1 * strain;
    assert!((last.kirchhoff_stress.trace() / expected - 1.0).abs() < 1e-9);
    assert_eq!(last.state[b_columns], 0.0);
    // Without the correction the same path presses as soon as it turns.
    let swelling = law.with_volume_correction(VolumeCorrection::Omitted);
    let records = drive::<_, D>(&swelling, &isotropic::<D>(strain)).unwrap();
    assert!(records[250].kirchhoff_stress.trace() < 0.2 * -law.elastic.mu * strain);
    assert!((records[400].volume_ratio - 1.0).abs() < 1e-12);
}

#[test]
fn expanded_sand_bears_no_pressure_until_it_is_closed() {
    expand_and_close::<2>();
    expand_and_close::<3>();
}

/// Negative control: one isotropic path by the plain equations,
/// with v_c += `sign` (tr ln Σ − tr H).
fn plain_path(sign: f64) -> (f64, f64) {
    let d = 3.0;
    let (mut elastic, mut v_c, mut pressure) = (0.0, 0.0, 0.0f64);
    for k in 0..400 {
        let step = 1.1f64.ln() / 200.0 * if k < 200 { 1.0 } else { -1.0 };
        let trial = elastic + step;
        let e: f64 = trial + v_c / d * d;
        let h = e.min(0.0);
        v_c += sign * (trial - h);
        elastic = h;
        pressure = pressure.max(-h);
    }
    (v_c, pressure)
}

#[test]
fn the_printed_sign_of_the_volume_correction_fails() {
    let (v_c, pressure) = plain_path(1.0);
    assert!(v_c.abs() < 1e-12 && pressure < 1e-12);
    let (v_c, pressure) = plain_path(-1.0);
    println!("printed sign: v_c = {v_c:.3e}, largest compressive strain {pressure:.3e}");
    assert!(!(v_c.abs() < 0.05 && pressure < 0.05));
}

#[test]
fn loose_sand_at_rest_does_not_harden() {
    let law = hardening_sand();
    let mut stages = isotropic::<3>(0.1);
    stages.truncate(1);
    stages.push(Stage::new(Motion::Rest, 1.0, 1000));
    let records = drive::<_, 3>(&law, &stages).unwrap();
    let (opened, rested) = (&records[200], records.last().unwrap());
    assert!((opened.state[7] - 0.1 / 3f64.sqrt()).abs() < 1e-9);
    assert!((rested.state[7] - opened.state[7]).abs() < 1e-9);
}

fn sheared<const D: usize>(law: &DruckerPrager) -> f64 {
    let normal = Normal::Stress(-1.0e3);
    let stages = [
        Stage::new(Motion::Shear { rate: 0.0, normal }, 1.0, 10),
        Stage::new(Motion::Shear { rate: 1.0, normal }, 0.2, 2000),
    ];
    let records = drive::<_, D>(law, &stages).unwrap();
    let last = records.last().unwrap();
    assert!((last.cauchy_stress[1][1] / -1.0e3 - 1.0).abs() < 1e-6);
    -last.cauchy_stress[0][1] / last.cauchy_stress[1][1]
}

#[test]
fn sheared_sand_has_the_friction_of_its_match() {
    for angle in [20.0, 30.0, 35.0] {
        let law = sand(angle).with_friction_match(FrictionMatch::Triaxial);
        let alpha = law.friction_coefficient::<3>(0.0);
        let plane = sheared::<2>(&law) / (2f64.sqrt() * alpha) - 1.0;
        let solid = sheared::<3>(&law) / (3.0 / 2f64.sqrt() * alpha) - 1.0;
        let law = law.with_friction_match(FrictionMatch::PlaneStrain);
        let sine = f64::to_radians(angle).sin();
        let matched_plane = sheared::<2>(&law) / sine - 1.0;
        let matched_solid = sheared::<3>(&law) / sine - 1.0;
        println!(
            "{angle} degrees: off by {plane:.1e} {solid:.1e}, matched {matched_plane:.1e} {matched_solid:.1e}"
        );
        for error in [plane, solid, matched_plane, matched_solid] {
            assert!(error.abs() < 0.01, "{angle}: {error}");
        }
    }
}

#[test]
fn sand_without_friction_and_cohesion_has_no_tension() {
    let law = sand(0.0);
    let mut point = MaterialPoint::<_, 2>::new(&law);
    point.step(&(Matrix::identity() * 0.1), 1.0);
    assert!(point.cauchy_stress().norm_squared().sqrt() < 1e-9);
    point.step(&(Matrix::identity() * -0.2), 1.0);
    assert!(point.cauchy_stress().trace() < -1e5);
}

#[test]
fn cohesion_is_a_stress_and_holds_wet_sand_together() {
    let wet = sand(30.0).with_cohesion(2.0e3).unwrap();
    let mut point = MaterialPoint::<_, 3>::new(&wet);
    let pull = Matrix::identity() * 0.01;
    for _ in 0..100 {
        point.step(&pull, 0.1);
    }
    let record = point.record();
    let alpha = wet.friction_coefficient::<3>(0.0);
    // Tip of the cone in Cauchy stress: α tr σ = c_C.
    assert!((alpha * record.cauchy_stress.trace() / 2.0e3 - 1.0).abs() < 1e-10);
}

#[test]
fn impossible_parameters_are_refused() {
    let good = FrictionHardening {
        h0: 35.0,
        h1: 1.0,
        h2: 0.2,
        h3: 10.0,
    };
    for bad in [
        FrictionHardening { h0: 90.0, ..good },
        FrictionHardening { h0: -1.0, ..good },
        FrictionHardening {
            h0: f64::NAN,
            ..good
        },
        FrictionHardening { h1: -1.0, ..good },
        FrictionHardening {
            h2: f64::INFINITY,
            ..good
        },
        FrictionHardening { h3: 36.0, ..good },
        FrictionHardening { h3: -1.0, ..good },
    ] {
        assert!(DruckerPrager::new(1e5, 0.3, bad).is_err(), "{bad:?}");
    }
    for cohesion in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(sand(30.0).with_cohesion(cohesion).is_err());
    }
    assert!(DruckerPrager::new(1e5, 0.5, good).is_err());
}
