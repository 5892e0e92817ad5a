//! Viscoelastic channel: the viscosity μ Wi of a fluid that forgets, on a grid, in steps shorter
//! and longer than its memory.
//!
//! **Source.** Poiseuille's profile for the steady viscosity of an Oldroyd-B fluid, η + μ Wi
//! \[Larson1988\]; \[Ram2015\] §3.3 with errata E13, E37.
//!
//! **Setup.** A fluid between glued walls H = 1 m apart, periodic along the flow, 16 cells (10 in
//! the quick version), 2×2 particles per cell, in 2D, double precision. The viscosity η + μ Wi is
//! that of ν = 1 m²/s, a quarter of it Newtonian; √(λ/ρ) = 10 m/s. A body acceleration g drives the
//! middle to U = 0.1 m/s, from rest, until νt/H² = 1 and t = 15 Wi. Steps of fixed length Δt, and
//! Wi = Δt/x, so that x = 0.1, 0.35, 1.44 and 10 relaxation times pass in each: explicit steps of
//! half the viscous limit, and implicit ones of 20 ms, 16 to 40 times as long. γ̇Wi is at most
//! 0.08.
//!
//! **Measured.** The speed of the particles next to the middle over the parabola there.
//!
//! **Expected.** u = (g/2ν) y (H − y), in the middle u_max = ρgH²/8(η + μ Wi); thinning of the
//! volume-preserving form by (1 + (γ̇Wi)²)^{−1/2} is at most 0.3 %, next to the walls.
//!
//! **Tolerance.** 2 %, that of the Newtonian channel flow.
//!
//! **Negative controls.** The speed of a strain that is advected first and multiplied by e^{−x}
//! then, which has only x/(eˣ − 1) of the viscosity μ Wi (errata E37), and that of a fluid that
//! remembers for 1.1 Wi.

use anyhow::Result;
use thixo::integrate::implicit::{Integrator, Newton, Optimization, SemiImplicit, Transfers, Xpbd};
use thixo::material::fluid::{OldroydB, OldroydForm};
use thixo::{BodyForce, Contact, Setup, Side, Simulation, Wall};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.02;
/// Wall distance H \[m\], speed U \[m/s\], density \[kg/m³\].
const WIDTH: f64 = 1.0;
const SPEED: f64 = 0.1;
const DENSITY: f64 = 1.0e3;
/// Kinematic viscosity \[m²/s\], and the share of the Newtonian part.
const KINEMATIC: f64 = 1.0;
const SOLVENT: f64 = 0.25;
/// Speed of sound \[m/s\].
const SOUND: f64 = 10.0;
/// Cells along the channel before it repeats.
const LENGTH: usize = 4;
/// Length of implicit steps \[s\].
const IMPLICIT_STEP: f64 = 0.02;
/// νΔt/h² of explicit steps.
const EXPLICIT_STEP: f64 = 0.125;
/// Sweeps of X-PBD: viscosity reaches far in a step.
const SWEEPS: u32 = 300;

/// A channel to run.
#[derive(Clone, Copy, Debug)]
struct Channel {
    integrator: Integrator,
    form: OldroydForm,
    cells: usize,
    /// Relaxation times in a step.
    x: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let optimization = Integrator::Optimization(Optimization::default());
    let sweeps = Xpbd::default().with_iterations(SWEEPS);
    let (cells, integrators, forms) = match effort {
        Effort::Quick => (
            10,
            vec![Integrator::Explicit, optimization],
            vec![OldroydForm::VolumePreserving],
        ),
        Effort::Full => (
            16,
            vec![
                Integrator::Explicit,
                optimization,
                Integrator::Newton(Newton::default()),
                Integrator::SemiImplicit(SemiImplicit::default()),
                Integrator::Xpbd(sweeps.with_transfers(Transfers::Once)),
            ],
            vec![OldroydForm::VolumePreserving, OldroydForm::Plain],
        ),
    };
    let mut channels = Vec::new();
    for &integrator in &integrators {
        for &form in &forms {
            channels.extend([0.1, 0.35, 1.44, 10.0].map(|x| Channel {
                integrator,
                form,
                cells,
                x,
            }));
        }
    }
    let speeds = parallel::map(&channels, speed)?;
    let mut rows = Vec::new();
    let quantity = "u_max / (ρgH²/8(η + μWi))";
    for (channel, &found) in channels.iter().zip(&speeds) {
        let form = match channel.form {
            OldroydForm::VolumePreserving => "volume-preserving",
            OldroydForm::Plain => "plain",
        };
        let (name, x) = (channel.integrator.name(), channel.x);
        let title = format!("viscoelastic channel, {name}, {form}, Δt = {x} Wi");
        rows.push(Row::relative(&title, quantity, 1.0, found, TOLERANCE));
        if channel.form == OldroydForm::VolumePreserving {
            let answer = |share: f64| 1.0 / (SOLVENT + (1.0 - SOLVENT) * share);
            if x > 0.3 {
                let split = answer(x / x.exp_m1());
                let title = format!("{title}, answer of advection before decay");
                let row = Row::relative(title, quantity, split, found, TOLERANCE);
                rows.push(row.must_miss());
            }
            let title = format!("{title}, answer for 1.1 Wi");
            let row = Row::relative(title, quantity, answer(1.1), found, TOLERANCE);
            rows.push(row.must_miss());
        }
    }
    Ok(rows)
}

/// Steady speed next to the middle over the answer.
fn speed(channel: &Channel) -> Result<f64> {
    let h = WIDTH / channel.cells as f64;
    let dt = match channel.integrator {
        Integrator::Explicit => EXPLICIT_STEP * h * h / KINEMATIC,
        _ => IMPLICIT_STEP,
    };
    let mut setup = Setup::<2>::new(h).with_integrator(channel.integrator);
    setup.threads = 1;
    setup.periods = [Some(LENGTH as u32), None];
    let acceleration = 8.0 * KINEMATIC * SPEED / (WIDTH * WIDTH);
    setup.body_force = BodyForce::Uniform([acceleration, 0.0]);
    setup.walls.extend([
        Wall::new(1, 0.0, Side::Above, Contact::Glued),
        Wall::new(1, WIDTH, Side::Below, Contact::Glued),
    ]);
    let viscosity = KINEMATIC * DENSITY;
    let relaxation = dt / channel.x;
    let mu = (1.0 - SOLVENT) * viscosity / relaxation;
    let lambda = DENSITY * SOUND * SOUND;
    let fluid = OldroydB::new(mu, lambda, relaxation, SOLVENT * viscosity)?.with_form(channel.form);
    let mut sim = Simulation::<f64, 2>::new(setup, vec![fluid.into()])?;
    let counts = [2 * LENGTH, 2 * channel.cells];
    sim.add(0, &lattice([0.0; 2], counts, 0.5 * h, DENSITY))?;
    let duration = (WIDTH * WIDTH / KINEMATIC).max(15.0 * relaxation);
    let steps = (duration / dt).ceil() as u64;
    sim.run_steps(dt, steps)?;
    let (mut sum, mut count) = (0.0, 0.0);
    for p in sim.particles() {
        let y = p.position[1] / WIDTH;
        if (y - 0.5).abs() < h / WIDTH {
            sum += p.velocity[0] / (4.0 * SPEED * y * (1.0 - y));
            count += 1.0;
        }
    }
    Ok(sum / count)
}
