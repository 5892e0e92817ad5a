//! A frame that is stopped on request leaves the state unchanged, and the run continues later as if
//! it had not been interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::matter::every::mixed;
use crate::matter::{bits, plane, setup};
use thixo::{BodyForce, Path, StepError};

#[test]
fn a_stopped_frame_changes_nothing() {
    for path in [Path::Fused, Path::Staged] {
        let asked = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&asked);
        // The body force is evaluated in every step: after a while it sets the flag.
        let brake = move |_: [f64; 2], t: f64| {
            if t > 0.012 {
                seen.store(true, Ordering::Relaxed);
            }
            plane::<2>(0.0, -9.81)
        };
        let mut sim = mixed::<f32, 2>(
            setup()
                .with_path(path)
                .with_body_force(BodyForce::field(brake)),
        );
        sim.stop_when(Arc::clone(&asked));
        sim.advance(0.01).unwrap();
        let before = bits(&sim);
        let error = sim.advance(0.01).unwrap_err();
        assert!(
            matches!(error, StepError::Stopped { time } if time > 0.012 && time < 0.02),
            "{error}"
        );
        assert!(bits(&sim) == before);
        assert_eq!(sim.time(), 0.01);
        let mut saved = Vec::new();
        sim.save(&mut saved).unwrap();

        // The flag is set again, but no longer read.
        sim.stop_when(Arc::default());
        sim.advance(0.01).unwrap();
        let mut other = mixed::<f32, 2>(
            setup()
                .with_path(path)
                .with_body_force(BodyForce::Field(Arc::new(|_, _| plane(0.0, -9.81)))),
        );
        other.restore(&mut saved.as_slice()).unwrap();
        other.advance(0.01).unwrap();
        assert!(bits(&sim) == bits(&other));
    }
}
