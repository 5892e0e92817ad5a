//! Time integration of implicit steps: amplitude and phase of a standing wave for every
//! implicitness β, and Newton's method against optimization where the first guess is far away.

use crate::matter::{DENSITY, H, Matter, block, simulation};
use thixo::integrate::implicit::{Integrator, Newton, Optimization, SemiImplicit};
use thixo::material::elastic::NeoHookean;
use thixo::{Setup, StepError, Transfer};

/// Cells of a wave: so many that the transfer hardly filters it.
const WAVE: usize = 32;
const YOUNG: f64 = 1.0e4;

fn rubber() -> NeoHookean {
    NeoHookean::from_young_poisson(YOUNG, 0.0).expect("possible rubber")
}

/// Displacement of a standing wave in a periodic block after every step \[m kg\].
fn standing_wave(integrator: Integrator, dt: f64, steps: usize) -> Vec<f64> {
    let mut setup = Setup::<2>::new(H);
    setup.threads = 1;
    setup.integrator = integrator;
    // Of a wave that transfers multiply by f, FLIP loses the share (1 − f²)ω²Δt² in a step.
    setup.transfer = Transfer::Flip;
    setup.periods = [Some(2 * WAVE as u32), Some(8)];
    let mut sim = simulation(setup, vec![f64::solid(rubber())]);
    let k = core::f64::consts::TAU / (WAVE as f64 * H);
    let mut seeds = block([0.0; 2], [2 * WAVE, 8]);
    for seed in &mut seeds {
        seed.velocity = [1e-4 * (k * seed.position[0]).sin(), 0.0];
    }
    sim.add(0, &seeds).expect("possible particles");
    let period = 2.0 * WAVE as f64 * H;
    (0..steps)
        .map(|_| {
            sim.run_steps(dt, 1).expect("stable steps");
            let particles = sim.particles();
            let modes = seeds.iter().zip(&particles).map(|(seed, particle)| {
                let x = seed.position[0];
                let moved = particle.position[0] - x;
                // Across the periodic boundary.
                let moved = moved - period * (moved / period).round();
                seed.mass * moved * (k * x).sin()
            });
            modes.sum()
        })
        .collect()
}

/// Determinant and trace of the recurrence uₙ₊₁ − T uₙ + D uₙ₋₁ = 0 that fits best.
fn recurrence(u: &[f64]) -> (f64, f64) {
    let (mut a, mut b, mut c, mut p, mut q) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for window in u.windows(3) {
        let [before, now, after] = [window[0], window[1], window[2]];
        a += now * now;
        b += now * before;
        c += before * before;
        p += now * after;
        q += before * after;
    }
    let det = a * c - b * b;
    let trace = (p * c - q * b) / det;
    let determinant = (p * b - q * a) / det;
    (determinant, trace)
}

/// One step of an oscillator, (1 + βa) v' = v − ω²Δt x, x' = x + Δt v' with a = ω²Δt², has the
/// determinant 1/(1 + βa), the square of the decay of amplitudes, and the trace
/// (2 + βa − a)/(1 + βa), which gives the phase: β = ½ damps half as much as backward Euler, and
/// β = 0 not at all (errata E23).
#[test]
fn amplitude_and_phase_are_those_of_the_implicitness() {
    let speed = (YOUNG / DENSITY).sqrt();
    let dt = 0.3 * H / speed;
    let steps = 60;
    let (determinant, trace) = recurrence(&standing_wave(Integrator::Explicit, dt, steps));
    assert!((determinant - 1.0).abs() < 1e-3, "{determinant}");
    let a = 2.0 - trace;
    let omega = core::f64::consts::TAU / (WAVE as f64 * H) * speed;
    let expected = (omega * dt).powi(2);
    assert!((a / expected - 1.0).abs() < 0.1, "{a} {expected}");
    for implicitness in [0.0, 0.5, 1.0] {
        let options = SemiImplicit::default().with_implicitness(implicitness);
        let integrator = Integrator::SemiImplicit(options.with_tolerance(1e-10));
        let (determinant, trace) = recurrence(&standing_wave(integrator, dt, steps));
        let damped = 1.0 + implicitness * a;
        let [decay, turn] = [1.0 / damped, (2.0 + implicitness * a - a) / damped];
        assert!(
            (determinant - decay).abs() < 0.02 * a,
            "β = {implicitness}: determinant {determinant}, not {decay}"
        );
        assert!(
            (trace - turn).abs() < 0.02 * a,
            "β = {implicitness}: trace {trace}, not {turn}"
        );
    }
    // Backward Euler is what the others solve, too.
    for integrator in [
        Integrator::Newton(Newton::default().with_tolerance(1e-8)),
        Integrator::Optimization(Optimization::default().with_tolerance(1e-8)),
    ] {
        let (determinant, trace) = recurrence(&standing_wave(integrator, dt, steps));
        let damped = 1.0 + a;
        assert!(
            (determinant - 1.0 / damped).abs() < 0.02 * a,
            "{integrator:?}"
        );
        assert!((trace - 2.0 / damped).abs() < 0.02 * a, "{integrator:?}");
    }
}

/// Two halves of a block that fly together by almost a cell in the step: their predicted velocities
/// turn the matter between them inside out, where its energy is infinite. Newton's method begins
/// there and does not converge, optimization does. \[Gast2015\] §3, \[Jiang2015thesis\] appendix
/// A.2.
#[test]
fn optimization_converges_where_newton_fails() {
    let run = |integrator| {
        let mut setup = Setup::<2>::new(H);
        setup.threads = 1;
        setup.integrator = integrator;
        let mut sim = simulation(setup, vec![f64::solid(rubber())]);
        let dt = 2e-3;
        let mut seeds = block([0.0; 2], [6, 6]);
        for seed in &mut seeds {
            let side = (seed.position[0] - 3.0 * H).signum();
            seed.velocity = [-0.99 * side * H / dt, 0.0];
        }
        sim.add(0, &seeds).expect("possible particles");
        sim.run_steps(dt, 1)
    };
    let failed = run(Integrator::Newton(Newton::default()));
    assert!(
        matches!(failed, Err(StepError::NotConverged { .. })),
        "{failed:?}"
    );
    let found = run(Integrator::Optimization(Optimization::default()));
    assert!(found.is_ok(), "{found:?}");
}
