//! Vibrating bar: axial vibration of an elastic bar held at one end.
//!
//! **Source.** The wave equation; any textbook on vibrations.
//!
//! **Setup.** A bar 64 cells long and 4 wide, neo-Hookean with ν = 0 (so λ = 0, μ = E/2), held by a
//! no-slip wall on the node line x = 0, free elsewhere, 2×2 particles per cell. It starts with v =
//! V₀ sin(πx/2L), V₀ = 1e-3 √(E/ρ): strains stay below 1e-3 and the motion is linear.
//!
//! **Measured.** The period, as twice the mean time between zeros of the mode's amplitude Σ m v
//! sin(πX/2L).
//!
//! **Expected.** ν = 0 leaves no lateral motion, ρ u_tt = E u_xx with u(0) = 0 and u_x(L) = 0. The
//! first mode is (V₀/ω) sin(πx/2L) sin ωt with ω = (π/2L) √(E/ρ): period 4L √(ρ/E).
//!
//! **Tolerance.** 1 % at 64 cells. The kernel blurs the free end, which changes the effective
//! length by a fraction of h: an error of first order, a fraction of 1/64.
//!
//! **Negative controls.** A bar with 5 % more stiffness has a period 2.4 % shorter and must miss; a
//! wall one cell nearer shortens the bar by 1/64 and must miss too.

use core::f64::consts::FRAC_PI_2;

use anyhow::{Result, ensure};
use thixo::material::elastic::NeoHookean;
use thixo::{Contact, KernelKind, Setup, Side, Simulation, Transfer, Wall};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.01;
/// Young's modulus \[Pa\] and density \[kg/m³\] of the bar of the formula.
const YOUNG: f64 = 1.0e6;
const DENSITY: f64 = 1.0e3;
/// Length \[m\].
const LENGTH: f64 = 1.0;

/// A bar to run.
#[derive(Clone, Copy, Debug)]
struct Bar {
    name: &'static str,
    transfer: Transfer,
    kernel: KernelKind,
    contact: Contact,
    cells: usize,
    young: f64,
    /// Position of the wall \[cells\].
    wall: i32,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let bar = Bar {
        name: "APIC quadratic",
        transfer: Transfer::Apic,
        kernel: KernelKind::Quadratic,
        contact: Contact::Glued,
        cells: 64,
        young: YOUNG,
        wall: 0,
    };
    let stiff = Bar {
        name: "APIC quadratic, E 5 % larger",
        young: 1.05 * YOUNG,
        ..bar
    };
    let short = Bar {
        name: "APIC quadratic, wall one cell off",
        wall: 1,
        ..bar
    };
    let mut bars = vec![bar];
    if effort == Effort::Full {
        let cubic = KernelKind::Cubic;
        bars.extend([
            Bar {
                name: "APIC cubic",
                kernel: cubic,
                ..bar
            },
            Bar {
                name: "FLIP quadratic",
                transfer: Transfer::Flip,
                ..bar
            },
            Bar {
                name: "FLIP cubic",
                transfer: Transfer::Flip,
                kernel: cubic,
                ..bar
            },
            Bar {
                name: "RPIC quadratic",
                transfer: Transfer::Rpic,
                ..bar
            },
            Bar {
                name: "MLS quadratic",
                transfer: Transfer::Mls,
                ..bar
            },
            Bar {
                name: "MLS cubic",
                transfer: Transfer::Mls,
                kernel: cubic,
                ..bar
            },
            Bar {
                name: "APIC quadratic, slip wall",
                contact: Contact::Slip,
                ..bar
            },
        ]);
    }
    let checks = bars.len();
    bars.extend([stiff, short]);
    let expected = 4.0 * LENGTH * (DENSITY / YOUNG).sqrt();
    let motions = parallel::map(&bars, vibrate)?;
    let mut rows = Vec::new();
    for (k, (bar, motion)) in bars.iter().zip(&motions).enumerate() {
        let case = format!("vibrating bar {}", bar.name);
        let row = Row::relative(&case, "period [s]", expected, motion.period, TOLERANCE);
        rows.push(if k < checks { row } else { row.must_miss() });
    }
    if effort == Effort::Full {
        let fine = vibrate(&Bar { cells: 128, ..bar })?;
        let row = Row::relative(
            "vibrating bar APIC quadratic, 128 cells",
            "period [s]",
            expected,
            fine.period,
            0.5 * TOLERANCE,
        );
        rows.push(row);
        for (bar, motion) in bars[..checks].iter().zip(&motions) {
            rows.push(Row::record(
                format!("vibrating bar {}", bar.name),
                "amplitude lost per period",
                motion.loss,
            ));
        }
    }
    Ok(rows)
}

/// The motion of a bar.
#[derive(Clone, Copy, Debug)]
struct Motion {
    period: f64,
    loss: f64,
}

fn vibrate(bar: &Bar) -> Result<Motion> {
    let h = LENGTH / bar.cells as f64;
    let mut setup = Setup::<2>::new(h);
    setup.transfer = bar.transfer;
    setup.kernel = bar.kernel;
    setup.threads = 1;
    let wall = f64::from(bar.wall) * h;
    setup
        .walls
        .push(Wall::new(0, wall, Side::Above, bar.contact));
    let law = NeoHookean::from_young_poisson(bar.young, 0.0)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![law.into()])?;
    let mode = |x: f64| (FRAC_PI_2 * x / LENGTH).sin();
    let speed = (YOUNG / DENSITY).sqrt();
    let mut seeds = lattice([0.0, 0.3 * h], [2 * bar.cells, 8], 0.5 * h, DENSITY);
    seeds.retain(|seed| seed.position[0] > wall);
    for seed in &mut seeds {
        seed.velocity[0] = 1e-3 * speed * mode(seed.position[0]);
    }
    let shape: Vec<f64> = seeds.iter().map(|s| s.mass * mode(s.position[0])).collect();
    sim.add(0, &seeds)?;
    // Four tenths of the stability limit of the least forgiving transfer, (15b).
    let dt = 0.3 * h / speed;
    let stride = 4;
    let end = 1.6 * 4.0 * LENGTH / speed;
    let mut before = 0.0;
    let mut zeros = Vec::new();
    let mut crests = [0.0f64; 3];
    while sim.time() < end {
        let amplitude: f64 = sim
            .particles()
            .iter()
            .zip(&shape)
            .map(|(p, s)| s * p.velocity[0])
            .sum();
        if before * amplitude < 0.0 {
            let back = amplitude / (amplitude - before);
            zeros.push(sim.time() - back * dt * stride as f64);
        }
        if let Some(crest) = crests.get_mut(zeros.len()) {
            *crest = crest.max(amplitude.abs());
        }
        before = amplitude;
        sim.run_steps(dt, stride)?;
    }
    ensure!(
        zeros.len() >= 3,
        "the bar does not vibrate: {} zeros",
        zeros.len()
    );
    // Crests one and two are half a period apart.
    let loss = 1.0 - (crests[2] / crests[1]).powi(2);
    Ok(Motion {
        period: zeros[2] - zeros[0],
        loss,
    })
}
