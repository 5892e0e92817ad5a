//! Dam break through a block of crushed rock.
//!
//! **Source.** Measured by \[Lin1998\] and \[Liu1999\]: a tank of 0.892 m, water of 0.29 × 0.35 m
//! behind a gate, a block of crushed rock from x = 0.30 to 0.59 m, porosity 0.49, D₅₀ = 15.9 mm,
//! and 25 mm of water on the floor. The free surface at five times is in
//! `validation/data/porous-dam-break.csv`.
//!
//! **Setup.** 2D, 10 mm cells, weakly compressible water that bears no tension. The rock is a phase
//! that is held; fluid and rock share space. Drag is Forchheimer's, with a = 50 and b = 2.0 as
//! models of this experiment have it; added mass is left out.
//!
//! **Measured.** The height of the water in columns of two cells, its volume over width and share
//! of space, against the measured points; the root of their mean square difference over all times.
//!
//! **Expected.** The measured surface.
//!
//! **Tolerance.** 20 mm: the gate took a tenth of a second to open, and the surface is known to
//! about 5 mm.
//!
//! **Negative controls.** Rock without drag, and drag in rock that takes no space, must miss.

use anyhow::{Context, Result};
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, Tension, WeaklyCompressible};
use thixo::{
    BodyForce, Contact, Coupling, Drag, Mixture, Motion, Phase, PorePressure, Seed, Setup, Side,
    Simulation, Wall,
};

use crate::{Effort, Row, parallel};

/// Measured points: time \[s\], x \[m\], height \[m\].
const MEASURED: &str = include_str!("../data/porous-dam-break.csv");
const TOLERANCE: f64 = 0.02;
const TANK: f64 = 0.89;
const RESERVOIR: f64 = 0.29;
const ROCK: [f64; 2] = [0.30, 0.59];
const ROCK_HEIGHT: f64 = 0.37;
const POROSITY: f64 = 0.49;
const DEPTH: f64 = 0.35;
const FLOOR_LAYER: f64 = 0.025;
const STONE: f64 = 2700.0;
const WATER: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

/// A run of the experiment.
#[derive(Clone, Copy, Debug)]
struct Run {
    name: &'static str,
    has_drag: bool,
    takes_space: bool,
    cell: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let cell = 0.01;
    let through_rock = Run {
        name: "dam break through rock",
        has_drag: true,
        takes_space: true,
        cell,
    };
    let free = Run {
        name: "dam break through rock, without drag",
        has_drag: false,
        ..through_rock
    };
    let thin = Run {
        name: "dam break through rock that takes no space",
        takes_space: false,
        ..through_rock
    };
    let runs = match effort {
        Effort::Quick => vec![through_rock, free],
        Effort::Full => vec![through_rock, free, thin],
    };
    let errors = parallel::map(&runs, surface_error)?;
    let mut rows = Vec::new();
    for (run, (error, by_time)) in runs.iter().zip(errors) {
        let title = format!("{}, {} mm cells", run.name, 1e3 * run.cell);
        let row = Row::zero(&title, "rms error of the surface [m]", error, TOLERANCE);
        if run.has_drag && run.takes_space {
            rows.push(row);
            for (time, error) in by_time {
                let case = format!("{title}, {time} s");
                rows.push(Row::record(case, "rms error of the surface [m]", error));
            }
        } else {
            rows.push(row.must_miss());
        }
    }
    Ok(rows)
}

/// The measured points, by time.
fn measured() -> Result<Vec<(f64, Vec<[f64; 2]>)>> {
    let mut times: Vec<(f64, Vec<[f64; 2]>)> = Vec::new();
    for line in MEASURED
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
    {
        let numbers: Result<Vec<f64>, _> = line.split(',').map(str::parse).collect();
        let numbers = numbers.with_context(|| format!("measured point {line:?}"))?;
        let [time, x, y] = numbers[..] else {
            anyhow::bail!("measured point {line:?} has not three numbers");
        };
        match times.last_mut() {
            Some((last, points)) if *last == time => points.push([x, y]),
            _ => times.push((time, vec![[x, y]])),
        }
    }
    Ok(times)
}

/// Particles that fill the share `fraction` of a box.
fn filled(
    low: [f64; 2],
    high: [f64; 2],
    (pitch, fraction): (f64, f64),
    density: f64,
) -> Vec<Seed<2>> {
    let counts = [0, 1].map(|a| (((high[a] - low[a]) / pitch).round() as usize).max(1));
    let sides = [0, 1].map(|a| (high[a] - low[a]) / counts[a] as f64);
    let volume = fraction * sides[0] * sides[1];
    let seed = |k: usize| {
        let place = [k % counts[0], k / counts[0]];
        let x = [0, 1].map(|a| low[a] + (place[a] as f64 + 0.5) * sides[a]);
        Seed::new(x, [0.0; 2], density * volume, volume)
    };
    (0..counts[0] * counts[1]).map(seed).collect()
}

/// The error of the surface of a run \[m\], over all times and by time.
fn surface_error(run: &Run) -> Result<(f64, Vec<(f64, f64)>)> {
    let h = run.cell;
    let drag = match run.has_drag {
        true => Drag::Forchheimer {
            grain_size: 0.0159,
            viscosity: 1e-3,
            linear: 50.0,
            quadratic: 2.0,
        },
        false => Drag::Raw { coefficient: 0.0 },
    };
    let coupling = Coupling {
        fluid: 1,
        solid: 0,
        drag,
    };
    let rock = Phase::new("rock", 0, STONE).with_motion(Motion::Held);
    let mixture = Mixture::new(vec![rock, Phase::new("water", 1, WATER)])
        .with_couplings(vec![coupling])
        .with_pore_pressure(match run.takes_space {
            true => PorePressure::Shared,
            false => PorePressure::None,
        });
    let setup = Setup::<2>::new(h)
        .with_threads(1)
        .with_body_force(BodyForce::Uniform([0.0, -GRAVITY]))
        .with_walls(vec![
            Wall::new(1, 0.0, Side::Above, Contact::Slip),
            Wall::new(0, 0.0, Side::Above, Contact::Slip),
            Wall::new(0, TANK, Side::Below, Contact::Separating { friction: 0.0 }),
        ])
        .with_mixture(Some(mixture));
    let speed = 10.0 * (2.0 * GRAVITY * DEPTH).sqrt();
    let law = PressureLaw::Tait { exponent: 7.0 };
    let water = WeaklyCompressible::new(WATER * speed * speed, 1e-3, law)?;
    let water = water.with_tension(Tension::Release);
    let stones = NeoHookean::from_young_poisson(1e5, 0.2)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![stones.into(), water.into()])?;
    let pitch = 0.5 * h;
    let solid = 1.0 - POROSITY;
    let stones = filled(
        [ROCK[0], 0.0],
        [ROCK[1], ROCK_HEIGHT],
        (pitch, solid),
        STONE,
    );
    sim.add(0, &stones)?;
    let room = if run.takes_space { POROSITY } else { 1.0 };
    let layer = [
        ([0.0, 0.0], [RESERVOIR, DEPTH], 1.0),
        ([RESERVOIR, 0.0], [ROCK[0], FLOOR_LAYER], 1.0),
        ([ROCK[0], 0.0], [ROCK[1], FLOOR_LAYER], room),
        ([ROCK[1], 0.0], [TANK, FLOOR_LAYER], 1.0),
    ];
    for (low, high, share) in layer {
        sim.add(1, &filled(low, high, (pitch, share), WATER))?;
    }
    let (mut sum, mut count, mut by_time) = (0.0, 0.0, Vec::new());
    for (time, points) in measured()? {
        while sim.time() < time - 1e-9 {
            sim.advance((time - sim.time()).min(0.05))?;
        }
        let heights = surface(&sim, room, 2.0 * h);
        let squares = points
            .iter()
            .map(|&[x, y]| (at(&heights, x, 2.0 * h) - y).powi(2));
        let square: f64 = squares.sum();
        by_time.push((time, (square / points.len() as f64).sqrt()));
        sum += square;
        count += points.len() as f64;
    }
    Ok(((sum / count).sqrt(), by_time))
}

/// Heights of the water in columns of a width \[m\].
fn surface(sim: &Simulation<f64, 2>, room: f64, width: f64) -> Vec<f64> {
    let columns = (TANK / width).ceil() as usize;
    let mut heights = vec![0.0; columns];
    for p in sim.particles().iter().filter(|p| p.material == 1) {
        let x = p.position[0].clamp(0.0, TANK - 1e-9);
        let share = if (ROCK[0]..ROCK[1]).contains(&x) {
            room
        } else {
            1.0
        };
        let column = (x / width) as usize;
        let own = width.min(TANK - column as f64 * width);
        heights[column] += p.volume_ratio * p.rest_volume / (own * share);
    }
    heights
}

/// Height between the middles of columns \[m\].
fn at(heights: &[f64], x: f64, width: f64) -> f64 {
    let place = (x / width - 0.5).clamp(0.0, heights.len() as f64 - 1.001);
    let k = place as usize;
    let part = place - k as f64;
    heights[k] * (1.0 - part) + heights[k + 1] * part
}
