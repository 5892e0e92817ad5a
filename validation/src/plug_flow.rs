//! Plug flow: matter with a yield stress between walls flows next to them and moves as a solid in
//! the middle, by explicit steps and by implicit ones that are twenty times as long.
//!
//! **Source.** Buckingham, Reiner; Herschel and Bulkley; any textbook on viscoplastic flow.
//!
//! **Setup.** Herschel-Bulkley matter of exponent 1 (Bingham's) and ½ between sticky walls H = 1 m
//! apart, 32 cells (16 in the quick version), periodic along the flow, 2×2 particles per cell, in
//! 2D. A body acceleration g drives the middle to U = 1 m/s; the yield stress is that of the
//! driving force at a fifth of H from the middle. E = 0.2 MPa, ν = 0.3, ρ = 1000 kg/m³: the largest
//! shear strain is 1.4 %. From rest for 6 s, when the flow is steady.
//!
//! **Measured.** The largest difference between a particle's velocity along the flow and the answer
//! at its place, relative to U.
//!
//! **Expected.** Forces balance where the shear stress is ρgz at the distance z from the middle,
//! and matter shears by τ = τ_Y + kγ̇^h, k = η 2^{−(h+1)/2}, where that is above τ_Y = σ_Y/√3 =
//! ρgz₀: u = h/(h+1) (ρg/k)^{1/h} ((H/2 − z₀)^{1+1/h} − max(z − z₀, 0)^{1+1/h}).
//!
//! **Tolerance.** 3 % of U for the integrators that solve a step. What every transfer damps adds to
//! the viscosity: explicit steps, of which there are twenty times as many, are off by 5, 0.8 and
//! 0.2 % of U at 16, 32 and 64 cells for h = 1, and by 18, 5 and 2 % for h = ½; that is recorded.
//! So is X-PBD, whose sweeps carry momentum a few cells further each: forty of them are not enough
//! for a wall that slows matter 16 cells away.
//!
//! **Negative controls.** Against the answer for matter without yield stress, and by X-PBD as
//! in Qu et al. Eq. 25 with two sweeps, which leave the matter softer than it is, the flow must
//! miss.

use anyhow::Result;
use thixo::integrate::implicit::{Form, Integrator, Newton, Optimization, Xpbd};
use thixo::material::plastic::HerschelBulkley;
use thixo::{BodyForce, Contact, Setup, Side, Simulation, Wall};

use crate::row::worse;
use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.03;
/// Wall distance H \[m\], speed U \[m/s\], density \[kg/m³\].
const WIDTH: f64 = 1.0;
const SPEED: f64 = 1.0;
const DENSITY: f64 = 1.0e3;
/// Half the width of the plug z₀ \[m\].
const PLUG: f64 = 0.2;
/// Driving force ρg \[N/m³\].
const FORCE: f64 = 2.2e3;
const YOUNG: f64 = 2.0e5;
/// Duration of the flow \[s\].
const TIME: f64 = 6.0;
/// Cells along the channel before it repeats.
const LENGTH: usize = 4;
/// Ratio of implicit to explicit steps.
const LONGER: f64 = 20.0;

/// Velocity at a distance from the middle \[m/s\], for a plug of half the width z₀ \[m\] and k \[Pa
/// s^h\].
fn answer(z: f64, (plug, k, h): (f64, f64, f64)) -> f64 {
    let power = |x: f64| x.max(0.0).powf(1.0 + 1.0 / h);
    let scale = h / (h + 1.0) * (FORCE / k).powf(1.0 / h);
    scale * (power(0.5 * WIDTH - plug) - power(z - plug))
}

/// k \[Pa s^h\] with which the plug has the speed U.
fn consistency(h: f64) -> f64 {
    (answer(0.0, (PLUG, 1.0, h)) / SPEED).powf(h)
}

/// A channel to run.
#[derive(Clone, Copy, Debug)]
struct Channel {
    name: &'static str,
    integrator: Integrator,
    /// h.
    exponent: f64,
    cells: usize,
}

/// Errors over U.
#[derive(Clone, Copy, Debug)]
struct Deviation {
    error: f64,
    /// Against the answer without a plug.
    without_plug: f64,
    /// Explicit steps in a step.
    longer: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let cells = match effort {
        Effort::Quick => 16,
        Effort::Full => 32,
    };
    let sweeps = |iterations, form| {
        Integrator::Xpbd(Xpbd::default().with_iterations(iterations).with_form(form))
    };
    let optimization = Integrator::Optimization(Optimization::default());
    let mut integrators = vec![
        ("explicit", Integrator::Explicit),
        ("optimization", optimization),
    ];
    if effort == Effort::Full {
        integrators.push(("Newton", Integrator::Newton(Newton::default())));
        integrators.push(("X-PBD, 40 sweeps", sweeps(40, Form::Replaced)));
    }
    integrators.push((
        "X-PBD as in Qu et al. Eq. 25, 2 sweeps",
        sweeps(2, Form::QuEq25),
    ));
    let exponents: &[f64] = match effort {
        Effort::Quick => &[1.0],
        Effort::Full => &[1.0, 0.5],
    };
    let channels: Vec<Channel> = exponents
        .iter()
        .flat_map(|&exponent| {
            integrators.iter().map(move |&(name, integrator)| Channel {
                name,
                integrator,
                exponent,
                cells,
            })
        })
        .collect();
    let results = parallel::map(&channels, flow)?;
    let mut rows = Vec::new();
    for (channel, found) in channels.iter().zip(&results) {
        let (h, name) = (channel.exponent, channel.name);
        let title = format!(
            "plug flow h = {h}, {name}, {:.0} explicit steps",
            found.longer
        );
        let row = Row::zero(&title, "steady, u error / U", found.error, TOLERANCE);
        rows.push(match channel.integrator {
            Integrator::Optimization(_) | Integrator::Newton(_) => row,
            Integrator::Xpbd(options) if options.form == Form::QuEq25 => row.must_miss(),
            _ => Row::record(row.case, row.quantity, row.got),
        });
        if channel.integrator == optimization {
            let title = format!("{title}, answer without yield stress");
            let error = found.without_plug;
            rows.push(Row::zero(title, "steady, u error / U", error, TOLERANCE).must_miss());
        }
    }
    Ok(rows)
}

/// Errors of a channel.
fn flow(channel: &Channel) -> Result<Deviation> {
    let h = WIDTH / channel.cells as f64;
    let mut setup = Setup::<2>::new(h);
    setup.threads = 1;
    setup.periods = [Some(LENGTH as u32), None];
    setup.body_force = BodyForce::Uniform([FORCE / DENSITY, 0.0]);
    let lower = Wall::new(1, 0.0, Side::Above, Contact::Glued);
    let upper = Wall::new(1, WIDTH, Side::Below, Contact::Glued);
    setup.walls.extend([lower, upper]);
    let n = channel.exponent;
    let k = consistency(n);
    let law = || {
        let yield_stress = 3f64.sqrt() * FORCE * PLUG;
        let viscosity = k * 2f64.powf(0.5 * (n + 1.0));
        HerschelBulkley::new(YOUNG, 0.3, yield_stress, viscosity, n)
    };
    let seeds = lattice([0.0; 2], [2 * LENGTH, 2 * channel.cells], 0.5 * h, DENSITY);
    let mut still = Simulation::<f64, 2>::new(setup.clone(), vec![law()?.into()])?;
    still.add(0, &seeds)?;
    let explicit = still.forecast()?.materials[0].step;
    if !channel.integrator.is_explicit() {
        setup.time_step.longest = LONGER * explicit;
    }
    setup.integrator = channel.integrator;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![law()?.into()])?;
    sim.add(0, &seeds)?;
    let report = sim.advance(TIME)?;
    let error = |plug: f64| {
        let particles = sim.particles().into_iter();
        particles.fold(0.0f64, |largest, p| {
            let z = (p.position[1] - 0.5 * WIDTH).abs();
            let expected = answer(z, (plug, k, n));
            worse(largest, (p.velocity[0] - expected).abs() / SPEED)
        })
    };
    Ok(Deviation {
        error: error(PLUG),
        without_plug: error(0.0),
        longer: TIME / report.steps as f64 / explicit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sheared parts of the answer have a stress that balances the driving force; it rests at the
    /// walls, and the plug moves as one.
    #[test]
    fn the_answer_balances_forces() {
        for h in [0.5, 1.0, 2.0] {
            let k = consistency(h);
            let u = |z: f64| answer(z, (PLUG, k, h));
            assert!(u(0.5 * WIDTH).abs() < 1e-12);
            assert!((u(0.0) - SPEED).abs() < 1e-12 && u(PLUG) == u(0.0));
            let (z, e) = (0.4, 1e-6);
            let rate = (u(z - e) - u(z + e)) / (2.0 * e);
            let stress = FORCE * PLUG + k * rate.powf(h);
            assert!((stress / (FORCE * z) - 1.0).abs() < 1e-8, "{stress}");
        }
    }
}
