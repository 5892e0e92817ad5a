//! Pressed bar: a pressure that sets in suddenly on the free end of an elastic bar.
//!
//! **Source.** The wave equation; any textbook on waves in solids.
//!
//! **Setup.** The bar of [`vibrating_bar`](crate::vibrating_bar): 64 cells long, ν = 0, held at x
//! = 0. From t = 0 on a pressure p = 1e-3 E acts on its free end x = L, on surface elements half a
//! cell apart, equation (22).
//!
//! **Measured.** The mean displacement of the surface elements, at t = 1.5 L/c and averaged over
//! the period 4L/c.
//!
//! **Expected.** A compression p runs into the bar at c = √(E/ρ), is doubled at the wall and comes
//! back at 2L/c. Until then the end moves at p/(ρc): u = −1.5 pL/E at 1.5 L/c. Over a period the
//! motion is a triangle between 0 and −2pL/E: its mean is the static displacement −pL/E.
//!
//! **Tolerance.** 2 %. The kernel blurs the loaded end over a cell or two of 64, and rounds the
//! front of the wave.
//!
//! **Negative controls.** A pressure 5 % higher, and elements whose areas are those of a bar a cell
//! narrower, must miss.

use anyhow::Result;
use thixo::material::elastic::NeoHookean;
use thixo::{
    Contact, KernelKind, Load, LoadedSurface, Setup, Side, Simulation, SurfaceElement, Transfer,
    Wall,
};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.02;
/// Young's modulus \[Pa\] and density \[kg/m³\].
const YOUNG: f64 = 1.0e6;
const DENSITY: f64 = 1.0e3;
/// Length \[m\].
const LENGTH: f64 = 1.0;
/// Cells along the bar and across it.
const CELLS: [usize; 2] = [64, 4];
/// Pressure of the formula \[Pa\].
const PRESSURE: f64 = 1e-3 * YOUNG;

/// A bar to run.
#[derive(Clone, Copy, Debug)]
struct Bar {
    name: &'static str,
    transfer: Transfer,
    kernel: KernelKind,
    /// Pressure \[Pa\].
    pressure: f64,
    /// Cells across that the pressure acts on.
    pressed: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let bar = Bar {
        name: "MLS quadratic",
        transfer: Transfer::Mls,
        kernel: KernelKind::Quadratic,
        pressure: PRESSURE,
        pressed: CELLS[1] as f64,
    };
    let high = Bar {
        name: "MLS quadratic, pressure 5 % higher",
        pressure: 1.05 * PRESSURE,
        ..bar
    };
    let narrow = Bar {
        name: "MLS quadratic, a cell of the end left out",
        pressed: bar.pressed - 1.0,
        ..bar
    };
    let mut bars = vec![bar];
    if effort == Effort::Full {
        bars.extend([
            Bar {
                name: "APIC cubic",
                transfer: Transfer::Apic,
                kernel: KernelKind::Cubic,
                ..bar
            },
            Bar {
                name: "FLIP quadratic",
                transfer: Transfer::Flip,
                ..bar
            },
        ]);
    }
    let checks = bars.len();
    bars.extend([high, narrow]);
    let displacements = parallel::map(&bars, press)?;
    let still = -PRESSURE * LENGTH / YOUNG;
    let mut rows = Vec::new();
    for (k, (bar, got)) in bars.iter().zip(displacements).enumerate() {
        let case = format!("pressed bar {}", bar.name);
        let row = |quantity, expected, got| {
            let row = Row::relative(&case, quantity, expected, got, TOLERANCE);
            if k < checks { row } else { row.must_miss() }
        };
        rows.push(row("displacement at 1.5 L/c [m]", 1.5 * still, got.early));
        rows.push(row("mean displacement [m]", still, got.mean));
    }
    Ok(rows)
}

/// Displacements of the end \[m\].
#[derive(Clone, Copy, Debug)]
struct Displacement {
    early: f64,
    mean: f64,
}

fn press(bar: &Bar) -> Result<Displacement> {
    let h = LENGTH / CELLS[0] as f64;
    let mut setup = Setup::<2>::new(h);
    setup.transfer = bar.transfer;
    setup.kernel = bar.kernel;
    setup.threads = 1;
    setup
        .walls
        .push(Wall::new(0, 0.0, Side::Above, Contact::Glued));
    let bottom = 0.3 * h;
    let count = 2 * CELLS[1];
    let elements = (0..count)
        .map(|k| SurfaceElement {
            position: [LENGTH, bottom + (k as f64 + 0.5) * 0.5 * h],
            area: [bar.pressed * h / count as f64, 0.0],
        })
        .collect();
    let pressure = bar.pressure;
    setup.loads.push(LoadedSurface::new(
        "end",
        elements,
        Load::pressure(move |_, _| pressure),
    )?);
    let law = NeoHookean::from_young_poisson(YOUNG, 0.0)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![law.into()])?;
    let seeds = lattice([0.0, bottom], [2 * CELLS[0], count], 0.5 * h, DENSITY);
    sim.add(0, &seeds)?;
    let speed = (YOUNG / DENSITY).sqrt();
    // 256 steps while a wave runs the length of the bar: a third of the stability limit.
    let steps = 256;
    let dt = LENGTH / speed / f64::from(steps);
    let mut early = 0.0;
    let mut sum = 0.0;
    for step in 1..=4 * steps {
        sim.run_steps(dt, 1)?;
        let elements = sim.loads()[0].elements();
        let mean = elements.iter().map(|e| e.position[0]).sum::<f64>() / count as f64;
        sum += mean - LENGTH;
        if 2 * step == 3 * steps {
            early = mean - LENGTH;
        }
    }
    Ok(Displacement {
        early,
        mean: sum / f64::from(4 * steps),
    })
}
