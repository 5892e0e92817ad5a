//! A step that cannot be accepted is taken back and tried again in smaller ones; where that does
//! not help the run ends with numbers.

use crate::matter::{Matter, bits, block, both, moving, plane, setup, simulation, solid};
use thixo::{BodyForce, Path, Simulation, StepError};

/// Rubber at rest in a field that switches on at t = 0.01 s.
fn struck<T: Matter<D>, const D: usize>(acceleration: f64, path: Path) -> Simulation<T, D> {
    let mut setup = setup::<D>();
    setup.path = path;
    setup.body_force =
        BodyForce::field(move |_, t| plane(if t > 0.01 { acceleration } else { 0.0 }, 0.0));
    let mut sim = simulation(setup, solid::<T, D>());
    sim.add(0, &block([0.0; D], [3; D]))
        .expect("possible particles");
    sim
}

fn blow<T: Matter<D>, const D: usize>() {
    for path in [Path::Fused, Path::Staged] {
        let mut sim = struck::<T, D>(1e5, path);
        let report = sim
            .advance(0.02)
            .unwrap_or_else(|e| panic!("{} {D}D {path:?}: {e}", T::NAME));
        assert!(report.retries > 0, "{} {D}D {path:?}: {report:?}", T::NAME);
        assert!((sim.time() - 0.02).abs() < 1e-15);
        // Uniform acceleration deforms nothing and gives everyone the same velocity.
        let audit = sim.audit();
        assert!(
            (audit.max_speed / 1000.0 - 1.0).abs() < 0.1,
            "{} m/s",
            audit.max_speed
        );
        assert!((audit.j_min - 1.0).abs() < 1e-2 && (audit.j_max - 1.0).abs() < 1e-2);
        // The cap on the step is gone again.
        let next = sim.advance(1e-4).expect("a stable frame");
        assert_eq!(next.retries, 0);
    }
}

#[test]
fn a_sudden_blow_is_met_with_smaller_steps() {
    blow::<f32, 2>();
    blow::<f32, 3>();
    blow::<f64, 2>();
    blow::<f64, 3>();
}

#[test]
fn a_gentle_field_needs_no_retry() {
    let mut sim = struck::<f64, 2>(10.0, Path::Fused);
    assert_eq!(sim.advance(0.02).expect("a stable frame").retries, 0);
}

#[test]
fn a_hopeless_blow_ends_with_numbers_and_the_state_before() {
    for path in [Path::Fused, Path::Staged] {
        for acceleration in [1e12, 1e30, f64::INFINITY, f64::NAN] {
            let mut sim = struck::<f64, 2>(acceleration, path);
            sim.advance(0.005).expect("nothing happens before the blow");
            let (before, time) = (bits(&sim), sim.time());
            let error = sim.advance(0.02).expect_err("nothing can follow this");
            let text = error.to_string();
            println!("{acceleration:e}: {text}");
            match error {
                StepError::TooFast { cells, time, dt } => {
                    assert!(
                        cells > 0.5 && cells.is_finite() && time > 0.009 && dt > 0.0,
                        "{text}"
                    );
                }
                StepError::NonFinite { time, dt, .. } | StepError::GridNonFinite { time, dt } => {
                    assert!(
                        time > 0.009 && time < 0.025 && dt > 0.0 && dt.is_finite(),
                        "{text}"
                    );
                }
                StepError::StepTooSmall { dt, frame, .. } => assert!(dt < frame, "{text}"),
                other => panic!("{other:?}"),
            }
            assert!(
                bits(&sim) == before && sim.time() == time,
                "the state is the one before"
            );
            // The same again: nothing of the failed attempts is left.
            assert_eq!(sim.advance(0.02).expect_err("hopeless").to_string(), text);
        }
    }
}

/// Neighbours that fly through each other at 20 km/s: a diagnosis or a result, and never a
/// half-made state.
#[test]
fn opposing_neighbours_end_in_a_diagnosis_or_a_sound_state() {
    for path in [Path::Fused, Path::Staged] {
        let mut setup = setup::<2>();
        setup.path = path;
        let mut sim = simulation(setup, both::<f32, 2>());
        for material in 0..2 {
            let low = [4.0 * material as f64, 0.0];
            let mut sign = 1e4;
            let mut seeds = moving(block(low, [3; 2]), |_| [0.0; 2]);
            for seed in &mut seeds {
                seed.velocity[0] = sign;
                sign = -sign;
            }
            sim.add(material, &seeds).expect("possible particles");
        }
        let before = bits(&sim);
        match sim.advance(0.001) {
            Ok(_) => assert!(sim.particles().iter().all(|p| {
                p.volume_ratio > 0.0
                    && p.velocity.0.iter().all(|x| x.is_finite())
                    && p.position.0.iter().all(|x| x.is_finite())
            })),
            Err(error) => {
                println!("{error}");
                assert!(bits(&sim) == before);
            }
        }
    }
}

/// Steps much longer than stability allows: `run_steps` reports it, and the failed state cannot be
/// continued unnoticed.
#[test]
fn steps_that_are_too_long_end_in_a_diagnosis() {
    for path in [Path::Fused, Path::Staged] {
        let mut setup = setup::<2>();
        setup.path = path;
        let mut sim = simulation(setup, both::<f64, 2>());
        for material in 0..2 {
            let low = [2.0 * material as f64, 0.0];
            sim.add(material, &moving(block(low, [3; 2]), |x| [-x[0], 0.1]))
                .expect("possible particles");
        }
        let error = sim.run_steps(0.05, 1000).expect_err("ten times the limit");
        println!("{error}");
        assert_eq!(sim.advance(0.01).expect_err("the state is lost"), error);
        assert_eq!(
            sim.run_steps(1e-5, 1).expect_err("the state is lost"),
            error
        );
    }
}
