//! The forecast of a time step against the theory and against the step that is made.

use crate::matter::{DENSITY, H, block, both, moving, setup, simulation};
use thixo::BodyForce;
use thixo::integrate::implicit::{Integrator, Optimization, SemiImplicit, Xpbd};
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

/// Gravity that rises from zero, or sets in, within the first frame: implicit steps, which nothing
/// else limits, notice it.
#[test]
fn a_force_that_begins_within_the_first_frame_is_not_stepped_over() {
    let integrators = [
        Integrator::Optimization(Optimization::default()),
        Integrator::SemiImplicit(SemiImplicit::default()),
        Integrator::Xpbd(Xpbd::default()),
    ];
    let rising = |t: f64| (2.0 * t).min(1.0);
    let setting_in = |t: f64| if t < 0.25 { 0.0 } else { 1.0 };
    for integrator in integrators {
        // The ways of a body that falls, in units of g: integrals of the share of gravity.
        for (share, way) in [
            (rising as fn(f64) -> f64, 1.0 / 24.0 + 0.125 + 0.125),
            (setting_in, 0.5 * 0.75 * 0.75),
        ] {
            let mut setup = setup::<2>();
            setup.integrator = integrator;
            setup.body_force = BodyForce::field(move |_, t| [0.0, -10.0 * share(t)]);
            let mut sim = simulation(setup, both::<f64, 2>());
            sim.add(0, &block([0.0; 2], [4; 2])).unwrap();
            let report = sim.advance(1.0).unwrap();
            let fallen = 2.0 * H - sim.audit().centre_of_mass[1];
            let off = fallen / (10.0 * way) - 1.0;
            println!("{}: {off}, {} steps", integrator.name(), report.steps);
            // It is noticed a step late at the most: √(0.54 H/g) = 0.073 s of the 0.75 s that
            // matter falls for, by both ways on average.
            let late = (1.0f64 - 0.073 / 0.75).powi(2) - 1.0;
            assert!(
                (late..0.01).contains(&off),
                "{integrator:?}: {off} of the way"
            );
        }
    }
}
