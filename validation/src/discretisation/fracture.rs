//! Numerical fracture: how far a bar can be stretched before its particles lose touch.
//! \[Nilles2020\] Fig. 18 and 19 as numbers.
//!
//! A neo-Hookean bar (ν = 0), periodic across, flies apart with the velocity v = A x, faster than
//! its elasticity can follow, so that it stretches evenly. As long as neighbours share nodes, F
//! follows the motion; a particle on its own feels nothing but its own stress, which drives its F
//! back to rest: the bar is in pieces. With n particles per cell and axis a stretch of λ puts them
//! λ h/n apart. A kernel reaches over w = 2, 3 or 4 cells (linear, quadratic, cubic), so beyond λ =
//! w n neighbours cannot share a node, and no bar holds; up to λ = n every cell has its particle,
//! and every bar holds. Measured is the stretch at which the mean of J in the middle of the bar has
//! fallen to half of what it should be.
//!
//! Between these bounds bars fail when spacings that are uneven by rounding or sampling grow: finer
//! sampling and smoother kernels hold for longer, random samples, which begin with gaps, for less.

use anyhow::{Result, bail};
use thixo::material::elastic::NeoHookean;
use thixo::{KernelKind, Setup, Simulation, Transfer};

use crate::sampling::{lattice, random, stratified};
use crate::{Effort, Row, parallel};

/// Cells along the bar.
const LENGTH: usize = 96;
/// Cells across it, the period.
const WIDTH: usize = 4;
/// Rate of stretching A, in √(E/ρ)/h.
const RATE: f64 = 0.25;
/// Part of the bar that is looked at: the ends, where it is free, unload.
const MIDDLE: f64 = 0.125;
/// The bar is given up for unbreakable at this stretch.
const LAST: f64 = 14.0;

/// Factor by which the better of two bars must hold further.
const LONGER: f64 = 1.1;

/// The sampling with particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sampling {
    Lattice,
    Stratified,
    Random,
}

/// A bar to tear.
#[derive(Clone, Copy, Debug)]
struct Bar {
    kernel: KernelKind,
    sampling: Sampling,
    /// Particles per cell and axis.
    per_axis: usize,
}

impl Bar {
    fn title(&self) -> String {
        let kernel = match self.kernel {
            KernelKind::Linear => "linear",
            KernelKind::Quadratic => "quadratic",
            KernelKind::Cubic => "cubic",
        };
        let sampling = match self.sampling {
            Sampling::Lattice => "lattice",
            Sampling::Stratified => "stratified",
            Sampling::Random => "random",
        };
        let n = self.per_axis;
        format!("torn bar {kernel}, {sampling} {n}×{n} per cell")
    }

    /// Stretches between which a bar comes apart.
    fn bounds(&self) -> [f64; 2] {
        let width = match self.kernel {
            KernelKind::Linear => 2.0,
            KernelKind::Quadratic => 3.0,
            KernelKind::Cubic => 4.0,
        };
        [1.0, width].map(|s| s * self.per_axis as f64)
    }
}

/// Tears bars.
pub(super) fn run(effort: Effort) -> Result<Vec<Row>> {
    let bar = |kernel, sampling, per_axis| Bar {
        kernel,
        sampling,
        per_axis,
    };
    let (quadratic, cubic) = (KernelKind::Quadratic, KernelKind::Cubic);
    let bars = [
        bar(quadratic, Sampling::Lattice, 1),
        bar(quadratic, Sampling::Lattice, 2),
        bar(cubic, Sampling::Lattice, 2),
        bar(KernelKind::Linear, Sampling::Lattice, 2),
        bar(quadratic, Sampling::Stratified, 2),
        bar(quadratic, Sampling::Random, 2),
        bar(quadratic, Sampling::Lattice, 3),
        bar(quadratic, Sampling::Stratified, 1),
        bar(quadratic, Sampling::Random, 1),
        bar(cubic, Sampling::Lattice, 1),
    ];
    let bars = match effort {
        Effort::Quick => &bars[..6],
        Effort::Full => &bars[..],
    };
    let stretches = parallel::map(bars, tear)?;
    let quantity = "stretch at fracture";
    let mut rows = Vec::new();
    for (bar, &stretch) in bars.iter().zip(&stretches) {
        let title = bar.title();
        rows.push(match bar.sampling {
            Sampling::Lattice => Row::within(title, quantity, bar.bounds(), stretch),
            _ => Row::record(title, quantity, stretch),
        });
    }
    let &[sparse, even, smooth, rough, jittered, chance, ..] = stretches.as_slice() else {
        bail!("six bars are needed, {} were torn", stretches.len());
    };
    let held = "stretch at fracture, ratio";
    let longer = |title, ratio| Row::at_least(title, held, LONGER, ratio, 0.0);
    rows.extend([
        longer("torn bars, cubic / quadratic", smooth / even),
        longer("torn bars, 2×2 / 1×1 per cell", even / sparse),
        longer("torn bars, stratified / random", jittered / chance),
        longer("torn bars, linear / quadratic", rough / even).must_miss(),
    ]);
    Ok(rows)
}

/// The stretch at which the bar comes apart.
fn tear(bar: &Bar) -> Result<f64> {
    let h = 1.0;
    let length = LENGTH as f64 * h;
    let mut setup = Setup::<2>::new(h);
    setup.kernel = bar.kernel;
    setup.transfer = Transfer::Apic;
    setup.threads = 1;
    setup.periods = [None, Some(WIDTH as u32)];
    // √(E/ρ) = 1.
    let law = NeoHookean::from_young_poisson(1.0, 0.0)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![law.into()])?;
    let n = bar.per_axis;
    let fill = match bar.sampling {
        Sampling::Lattice => lattice,
        Sampling::Stratified => stratified,
        Sampling::Random => random,
    };
    let mut seeds = fill(
        [-0.5 * length, 0.0],
        [n * LENGTH, n * WIDTH],
        h / n as f64,
        1.0,
    );
    for seed in &mut seeds {
        seed.velocity[0] = RATE * seed.position[0];
        seed.velocity_gradient[0][0] = RATE;
    }
    sim.add(0, &seeds)?;
    let in_middle: Vec<_> = seeds
        .iter()
        .map(|seed| seed.position[0].abs() < 0.5 * MIDDLE * length)
        .collect();
    let look = |sim: &Simulation<f64, 2>| {
        let (mut spread, mut ratio, mut count) = (0.0, 0.0, 0.0);
        for (particle, _) in sim
            .particles()
            .iter()
            .zip(&in_middle)
            .filter(|(_, is)| **is)
        {
            spread += particle.position[0].powi(2);
            ratio += particle.volume_ratio;
            count += 1.0;
        }
        (spread, ratio / count)
    };
    let (at_first, _) = look(&sim);
    loop {
        sim.advance(0.02 / RATE)?;
        let (spread, ratio) = look(&sim);
        let stretch = (spread / at_first).sqrt();
        if ratio < 0.5 * stretch {
            return Ok(stretch);
        }
        if stretch > LAST {
            bail!("the bar holds at {LAST} times its length");
        }
    }
}
