//! Taylor-Green vortices: viscosity slows an array of vortices, and nothing else does.
//!
//! **Source.** G. I. Taylor and A. E. Green 1937; an exact solution of the Navier-Stokes equations
//! in 2D.
//!
//! **Setup.** Incompressible fluid by the projection in a periodic square of L = 1 m, 2×2 particles
//! per cell on a lattice, ν = η/ρ = U L/100. It starts with u = U sin kx cos ky, v = −U cos kx sin
//! ky, k = 2π/L, and their gradients. 32 cells, and 64.
//!
//! **Measured.** The amplitude of the vortices, Σ v·w/Σ w² over the particles with w the velocity
//! at the start as a function of place, at ten moments until the velocity should be half of what it
//! was, when the fastest particles have gone 0.6 L; and the largest Δt ∇·v of a cell that the
//! projection leaves in any step.
//!
//! **Expected.** e^{−2νk²t}.
//!
//! **Tolerance.** 3 % of the amplitude at 64 cells; divergence 1e-5. With 32 cells transfers add up
//! to a tenth of the viscosity: those errors are recorded, and fall with h².
//!
//! **Negative controls.** PIC, and the answer that takes e^{−4νk²t}, the decay of the energy, for
//! that of the velocity, must miss.

use core::f64::consts::{LN_2, TAU};

use anyhow::Result;
use thixo::integrate::Integrator;
use thixo::material::fluid::WeaklyCompressible;
use thixo::projection::Projection;
use thixo::{Setup, Simulation, Transfer};

use crate::row::worse;
use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.03;
const DIVERGENCE: f64 = 1e-5;
/// U L/ν.
const REYNOLDS: f64 = 100.0;
const DENSITY: f64 = 1.0e3;
/// Moments at which the amplitude is measured.
const LOOKS: u32 = 10;

/// Vortices to run.
#[derive(Clone, Copy, Debug)]
struct Vortices {
    name: &'static str,
    transfer: Transfer,
    cells: u32,
}

/// Results of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Decay {
    /// Largest relative error of the amplitude, and that against the decay of the energy.
    error: f64,
    error_of_energy: f64,
    divergence: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let base = Vortices {
        name: "APIC",
        transfer: Transfer::Apic,
        cells: 64,
    };
    let mut all = vec![
        base,
        Vortices {
            name: "PIC",
            transfer: Transfer::Pic,
            ..base
        },
    ];
    if effort == Effort::Full {
        let others = [
            ("MLS", Transfer::Mls),
            ("FLIP", Transfer::Flip),
            ("FLIP 0.95", Transfer::FlipPic { flip: 0.95 }),
        ];
        all.extend(others.map(|(name, transfer)| Vortices {
            name,
            transfer,
            ..base
        }));
        for k in 0..all.len() {
            all.push(Vortices {
                cells: 32,
                ..all[k]
            });
        }
    }
    let decays = parallel::map(&all, decay)?;
    let mut rows = Vec::new();
    for (vortices, decay) in all.iter().zip(&decays) {
        let title = format!("Taylor-Green {}, {} cells", vortices.name, vortices.cells);
        let quantity = "amplitude error";
        let row = Row::zero(&title, quantity, decay.error, TOLERANCE);
        if vortices.transfer == Transfer::Pic {
            rows.push(row.must_miss());
            continue;
        }
        rows.push(match vortices.cells {
            64 => row,
            _ => Row::record(row.case, row.quantity, row.got),
        });
        let quantity_left = "divergence Δt ∇·v";
        let left = decay.divergence;
        rows.push(Row::zero(&title, quantity_left, left, DIVERGENCE));
        if vortices.name == base.name {
            let title = format!("{title}, decay of the energy");
            rows.push(Row::zero(title, quantity, decay.error_of_energy, TOLERANCE).must_miss());
        }
    }
    Ok(rows)
}

/// The velocity at the start over U, and its gradient \[1/m\].
fn vortex([x, y]: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
    let ((sx, cx), (sy, cy)) = ((TAU * x).sin_cos(), (TAU * y).sin_cos());
    let gradient = [[cx * cy, -sx * sy], [sx * sy, -cx * cy]];
    (
        [sx * cy, -cx * sy],
        gradient.map(|row| row.map(|g| TAU * g)),
    )
}

/// Runs vortices.
fn decay(vortices: &Vortices) -> Result<Decay> {
    let h = 1.0 / f64::from(vortices.cells);
    let mut setup = Setup::<2>::new(h);
    setup.transfer = vortices.transfer;
    setup.threads = 1;
    setup.periods = [Some(vortices.cells); 2];
    setup.integrator = Integrator::Projection(Projection::default());
    let fluid = WeaklyCompressible::incompressible(DENSITY / REYNOLDS)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![fluid.into()])?;
    let counts = [2 * vortices.cells as usize; 2];
    let mut seeds = lattice([0.0; 2], counts, 0.5 * h, DENSITY);
    for seed in &mut seeds {
        (seed.velocity, seed.velocity_gradient) = vortex(seed.position);
    }
    sim.add(0, &seeds)?;
    let rate = 2.0 * TAU * TAU / REYNOLDS;
    let mut outcome = Decay::default();
    for look in 1..=LOOKS {
        let report = sim.advance(LN_2 / rate / f64::from(LOOKS))?;
        outcome.divergence = worse(outcome.divergence, report.effort.divergence);
        let (mut overlap, mut square) = (0.0, 0.0);
        for particle in sim.particles() {
            let (w, _) = vortex(particle.position.0);
            overlap += w[0] * particle.velocity[0] + w[1] * particle.velocity[1];
            square += w[0] * w[0] + w[1] * w[1];
        }
        let amplitude = overlap / square;
        let expected = (-LN_2 * f64::from(look) / f64::from(LOOKS)).exp();
        outcome.error = worse(outcome.error, (amplitude / expected - 1.0).abs());
        let of_energy = (amplitude / (expected * expected) - 1.0).abs();
        outcome.error_of_energy = worse(outcome.error_of_energy, of_energy);
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vortices_have_their_gradient_and_no_divergence() {
        let (x, e) = ([0.3, 0.14], 1e-6);
        let (_, gradient) = vortex(x);
        for b in 0..2 {
            let (mut high, mut low) = (x, x);
            high[b] += e;
            low[b] -= e;
            for a in 0..2 {
                let slope = (vortex(high).0[a] - vortex(low).0[a]) / (2.0 * e);
                assert!((slope - gradient[a][b]).abs() < 1e-8);
            }
        }
        assert!((gradient[0][0] + gradient[1][1]).abs() < 1e-14);
    }
}
