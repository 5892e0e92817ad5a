//! Conduction of heat: a Gaussian that spreads, a step that wears off, two slabs in contact.
//!
//! **Source.** Carslaw and Jaeger, Conduction of Heat in Solids, §2.2–2.4, 2.15.
//!
//! **Setup.** Matter of density and heat capacity 1 at rest in 0 < x < 1 between insulating walls,
//! 4 cells across, periodic, 2×2 particles per cell. A Gaussian of width s₀ = 0.05 around the
//! middle; a step in the middle; two slabs at different temperatures whose conductivities and heat
//! capacities differ, in contact in the middle. Steps start when they have worn off over a few
//! cells: what is finer than cells, particles keep for a while.
//!
//! **Measured.** Temperatures of the particles at the end against the answer: the largest
//! difference relative to 1 K, that of the extremes. Of the slabs the temperature at the
//! contact, too.
//!
//! **Expected.** T = T₀ + A (s₀/s) exp(−(x − ½)²/2s²), s² = s₀² + 2αt; erf of the step; in contact
//! the temperature b₁T₁ + b₂T₂ over b₁ + b₂ with b = √(κρc), and on either side an erf to it.
//!
//! **Tolerance.** 1 %; 2 % for slabs, whose matter overlaps within the kernels' width.
//!
//! **Negative controls.** Conductivity wrong by 30 %; slabs against the mean of their temperatures,
//! as averages give that are not weighted by heat capacity.

use anyhow::{Context as _, Result};
use thixo::heat::{Heat, Thermal};
use thixo::material::Material;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{Contact, Insertion, Instance, Seed, Setup, Side, Simulation, Wall};

use crate::{Effort, Row};

/// Melting point and reference of all tests of heat \[K\].
pub const MELTING: f64 = 300.0;

/// The error function, by its series and continued fraction: to 1e-14.
pub fn erf(x: f64) -> f64 {
    if x < 0.0 {
        return -erf(-x);
    }
    if x < 3.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        return 2.0 / core::f64::consts::PI.sqrt() * (-x * x).exp() * sum;
    }
    let tail = (1..60)
        .rev()
        .fold(x, |tail, k| x + 0.5 * f64::from(k) / tail);
    1.0 - (-x * x).exp() / (core::f64::consts::PI.sqrt() * tail)
}

/// Matter at rest without forces in 0 < x < `length` cells between walls, four cells across, in one
/// material after the other along x.
pub fn still_matter<T: Instance<2>>(
    heat: Heat<2>,
    h: f64,
    length: usize,
    temperature: impl Fn(f64) -> f64,
) -> Result<Simulation<T, 2>>
where
    WeaklyCompressible: Into<Box<dyn Material<T, 2>>>,
{
    let slabs = heat.materials.len();
    let mut setup = Setup::<2>::new(h)
        .with_periods([None, Some(4)])
        .with_threads(1)
        .with_heat(Some(heat));
    for (position, side) in [(0.0, Side::Above), (length as f64 * h, Side::Below)] {
        setup
            .walls
            .push(Wall::new(0, position, side, Contact::Slip));
    }
    let mut materials = Vec::new();
    for _ in 0..slabs {
        // So soft that a step may be as long as it likes: nothing moves anyway.
        let law = WeaklyCompressible::new(1e-12, 0.0, PressureLaw::Linear)?;
        materials.push(law.into());
    }
    let mut simulation = Simulation::new(setup, materials)?;
    let volume = 0.25 * h * h;
    for slab in 0..slabs {
        let mut seeds = Vec::new();
        for i in slab * 2 * length / slabs..(slab + 1) * 2 * length / slabs {
            for j in 0..8 {
                let x = [0.5 * h * (i as f64 + 0.5), 0.5 * h * (f64::from(j) + 0.5)];
                seeds.push(Seed::new(x, [0.0; 2], volume, volume));
            }
        }
        let temperatures: Vec<f64> = seeds.iter().map(|s| temperature(s.position[0])).collect();
        let insertion = Insertion::new(slab, &seeds).at_temperatures(Some(&temperatures));
        simulation.insert(insertion)?;
    }
    Ok(simulation)
}

/// A temperature field before and after, with the matter that it is in.
struct Case {
    name: &'static str,
    /// Heat capacity \[J/(kg K)\] and conductivity \[W/(m K)\], slab after slab.
    slabs: Vec<[f64; 2]>,
    /// Beginning and end \[s\].
    times: [f64; 2],
    /// T − [`MELTING`] at x and time \[K\].
    answer: fn(f64, f64) -> f64,
    tolerance: f64,
}

fn gaussian(x: f64, t: f64) -> f64 {
    let (s0, r): (f64, f64) = (0.05, x - 0.5);
    let s = (s0 * s0 + 2.0 * t).sqrt();
    s0 / s * (-r * r / (2.0 * s * s)).exp()
}

fn step(x: f64, t: f64) -> f64 {
    match t > 0.0 {
        true => 0.5 * (1.0 + erf((x - 0.5) / (4.0 * t).sqrt())),
        false => f64::from(u8::from(x > 0.5)),
    }
}

/// Slabs of c and κ: the left hot, the right cold.
const SLABS: [[f64; 2]; 2] = [[1.0, 4.0], [2.0, 0.5]];

/// Temperature of the contact, b₁/(b₁ + b₂).
fn contact() -> f64 {
    let b = SLABS.map(|[c, k]| (c * k).sqrt());
    b[0] / (b[0] + b[1])
}

fn slabs(x: f64, t: f64) -> f64 {
    if t <= 0.0 {
        return f64::from(u8::from(x < 0.5));
    }
    let side = usize::from(x >= 0.5);
    let [c, k] = SLABS[side];
    let share = erf((x - 0.5).abs() / (4.0 * k / c * t).sqrt());
    let far = 1.0 - side as f64;
    contact() + (far - contact()) * share
}

/// Largest error at the particles, relative to the extremes at the start of 1 K, with all
/// conductivities times a factor.
fn error(case: &Case, cells: usize, factor: f64) -> Result<[f64; 2]> {
    let materials = case.slabs.iter();
    let materials = materials
        .map(|[c, k]| Thermal::new(*c, k * factor))
        .collect();
    let heat = Heat::new(materials, MELTING);
    let h = 1.0 / cells as f64;
    let temperature = |x: f64| MELTING + (case.answer)(x, case.times[0]);
    let mut simulation = still_matter::<f64>(heat, h, cells, temperature)?;
    simulation.run_steps(case.times[1] - case.times[0], 1)?;
    let reader = simulation.quantities();
    let quantity = reader.find("temperature").context("temperatures")?;
    let positions = reader.positions();
    let mut largest: f64 = 0.0;
    // Mean of the particles beside the middle, and what it should be: the slopes of the two sides
    // differ.
    let (mut contact, mut expected) = (0.0, 0.0);
    for (x, temperature) in positions.chunks_exact(2).zip(reader.read(&quantity)) {
        let difference = temperature - MELTING - (case.answer)(x[0], case.times[1]);
        largest = largest.max(difference.abs());
        if (x[0] - 0.5).abs() < 0.5 * h {
            contact += temperature - MELTING;
            expected += (case.answer)(x[0], case.times[1]);
        }
    }
    Ok([largest, contact / expected])
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let cells = match effort {
        Effort::Quick => 128,
        Effort::Full => 256,
    };
    let one = vec![[1.0, 1.0]];
    let cases = [
        Case {
            name: "Gaussian",
            slabs: one.clone(),
            times: [0.0, 3.75e-3],
            answer: gaussian,
            tolerance: 0.01,
        },
        Case {
            name: "step",
            slabs: one,
            times: [1e-3, 6e-3],
            answer: step,
            tolerance: 0.01,
        },
        Case {
            name: "slabs in contact",
            slabs: SLABS.to_vec(),
            times: [5e-4, 4e-3],
            answer: slabs,
            tolerance: 0.02,
        },
    ];
    let mut rows = Vec::new();
    for case in cases {
        let title = format!("heat conduction, {}, {cells} cells", case.name);
        let quantity = "temperature error / range";
        let [largest, middle] = error(&case, cells, 1.0)?;
        rows.push(Row::zero(&title, quantity, largest, case.tolerance));
        let [wrong, _] = error(&case, cells, 1.3)?;
        let control = format!("{title}, conductivity 30 % too large");
        if case.slabs.len() == 1 {
            rows.push(Row::zero(control, quantity, wrong, case.tolerance).must_miss());
        } else {
            let at = "temperature beside the contact, over the answer";
            rows.push(Row::relative(&title, at, 1.0, middle, case.tolerance));
            let mean = Row::relative(
                format!("{title}, mean"),
                at,
                0.5 / contact(),
                middle,
                case.tolerance,
            );
            rows.push(mean.must_miss());
        }
    }
    Ok(rows)
}
