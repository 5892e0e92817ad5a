//! The forecast of a time step against the theory and against the step that is made.

#![allow(clippy::unwrap_used)] // the helpers of tests, too, may fail loudly

mod matter;

use matter::{DENSITY, H, block, both, moving, setup, simulation};
use thixo::timestep::Limit;

#[test]
fn the_forecast_names_the_material_that_decides() {
    let mut sim = simulation(setup::<2>(), both::<f64, 2>());
    sim.add(0, &block([0.0; 2], [4; 2])).unwrap();
    sim.add(1, &block([8.0, 0.0], [4; 2])).unwrap();
    let forecast = sim.forecast().unwrap();
    let [rubber, honey] = forecast.materials[..] else {
        panic!("two materials");
    };
    assert_eq!((rubber.particles, honey.particles), (64, 64));
    // Rubber of E = 1e5 Pa, ν = 0.3 at rest: M = d λ + 2 μ; honey: K = 1e5 Pa.
    let (lambda, mu) = (1e5 * 0.3 / (1.3 * 0.4), 1e5 / 2.6);
    let fast = ((2.0 * lambda + 2.0 * mu) / DENSITY).sqrt();
    assert!((rubber.wave_speed / fast - 1.0).abs() < 1e-12);
    assert_eq!(honey.kinematic_viscosity, 5.0 / DENSITY);
    assert!(forecast.step == rubber.step.min(honey.step));
    assert_eq!(forecast.limit, Limit::Stiffness);
    assert_eq!(forecast.step_of_speed, f64::INFINITY);
    // κ = 4 for MLS on quadratic splines, safety 0.5: Δt = h / (2 c).
    assert!((rubber.step / (0.5 * H / fast) - 1.0).abs() < 1e-12);
}

#[test]
fn the_first_step_is_the_forecast() {
    for speed in [0.1, 100.0] {
        let mut sim = simulation(setup::<2>(), both::<f64, 2>());
        let seeds = moving(block([0.0; 2], [4; 2]), |_| [speed, 0.0]);
        sim.add(0, &seeds).unwrap();
        let forecast = sim.forecast().unwrap();
        let expected = if speed > 1.0 {
            Limit::Speed
        } else {
            Limit::Stiffness
        };
        assert_eq!(forecast.limit, expected);
        // Twenty steps of a body in free flight are all alike.
        let report = sim.advance(20.0 * forecast.step).unwrap();
        assert!(
            (report.dt_max / forecast.step - 1.0).abs() < 1e-9,
            "{report:?} {forecast:?}"
        );
    }
}
