//! Dam break through a block of crushed rock.
//!
//! **Source.** Measured by \[Lin1998\], \[Liu1999\]: a tank 0.89 m long, water 0.025 m deep in all of
//! it, a block of crushed rock from x = 0.30 m to 0.59 m, 0.37 m high, of the porosity 0.49 and the
//! mean diameter 15.9 mm; behind a gate, for x < 0.29 m, water 0.35 m deep. Heights of the free
//! surface at 0.35, 0.75, 1.15, 1.55 and 1.95 s after the gate opened are in
//! `validation/data/porous-dam-break.csv`.
//!
//! **Setup.** Water and rock as two phases with the pressure `Shared`, the rock held, drag after
//! Forchheimer with a = 50 and b = 2.0, as models of this experiment use; weakly compressible
//! water, 2×2 particles per cell, slip walls, h = 1 cm (quick: 2 cm). There is no gate.
//!
//! **Measured.** The height of the surface: the highest point where water fills half of the room
//! that the rock leaves, in cells, along x as it was measured; root of the mean square of the
//! differences at all points and times.
//!
//! **Tolerance.** 2 cm.
//!
//! **Negative controls.** Rock without drag, and no rock (not quick).

use anyhow::{Context as _, Result, ensure};
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, Tension, WeaklyCompressible};
use thixo::{
    BodyForce, Contact, Coupling, Drag, Mixture, Motion, Phase, PorePressure, Seed, Setup, Side,
    Simulation, Wall,
};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

/// Largest root of the mean square \[m\].
const TOLERANCE: f64 = 0.02;
/// Cell of the full experiment \[m\].
const SPACING: f64 = 0.01;
/// Length of the tank \[m\].
const TANK: f64 = 0.89;
/// Water behind the gate \[m\].
const DAM: [f64; 2] = [0.29, 0.35];
/// Depth of the layer \[m\].
const LAYER: f64 = 0.025;
/// The block along x, and its height \[m\].
const BLOCK: [f64; 2] = [0.30, 0.59];
const TOP: f64 = 0.37;
const POROSITY: f64 = 0.49;
/// Mean diameter of the stones \[m\], and their density \[kg/m³\].
const GRAIN: f64 = 0.0159;
const STONE: f64 = 2700.0;
const WATER: f64 = 1000.0;
/// Viscosity of water \[Pa s\].
const VISCOSITY: f64 = 1e-3;
const GRAVITY: f64 = 9.81;
/// Bulk modulus of the water \[Pa\]: sound ten times as fast as √(2 g H).
const BULK: f64 = 7e5;
/// Smoothing of the pressure a step \[–\], equation (73a).
const SMOOTHING: f64 = 0.02;

/// Time \[s\], place and height \[m\] of a measured point.
type Point = [f64; 3];

/// The measured points.
fn measured() -> Result<Vec<Point>> {
    let text = include_str!("../data/porous-dam-break.csv");
    let lines = text.lines().filter(|line| !line.starts_with(['#', 't']));
    let point = |line: &str| -> Result<Point> {
        let mut numbers = line.split(',').map(str::parse);
        let mut next = || {
            numbers
                .next()
                .context("three numbers a line")?
                .context("a number")
        };
        Ok([next()?, next()?, next()?])
    };
    lines.map(point).collect()
}

/// The rock in the tank.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rock {
    Drags,
    DragsNot,
    Absent,
}

#[derive(Clone, Copy, Debug)]
struct Tank {
    rock: Rock,
    spacing: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let points = measured()?;
    ensure!(points.len() > 150, "all points are read");
    let spacing = match effort {
        Effort::Quick => TANK / 45.0,
        Effort::Full => SPACING,
    };
    let rocks = match effort {
        Effort::Quick => vec![Rock::Drags, Rock::DragsNot],
        Effort::Full => vec![Rock::Drags, Rock::DragsNot, Rock::Absent],
    };
    let tanks: Vec<Tank> = rocks
        .into_iter()
        .map(|rock| Tank { rock, spacing })
        .collect();
    let errors = parallel::map(&tanks, |tank| compare(tank, &points))?;
    let mut rows = Vec::new();
    for (tank, errors) in tanks.iter().zip(errors) {
        let rock = match tank.rock {
            Rock::Drags => "",
            Rock::DragsNot => ", rock without drag",
            Rock::Absent => ", no rock",
        };
        let title = format!("porous dam break{rock}, h = {:.0} mm", 1e3 * spacing);
        let all = root_mean(errors.iter().flatten().copied());
        let row = Row::zero(&title, "difference of the surface [m]", all, TOLERANCE);
        match tank.rock {
            Rock::Drags => {
                rows.push(row);
                let names = [
                    "difference at 0.35 s [m]",
                    "difference at 0.75 s [m]",
                    "difference at 1.15 s [m]",
                    "difference at 1.55 s [m]",
                    "difference at 1.95 s [m]",
                ];
                for (name, own) in names.into_iter().zip(&errors) {
                    let own = root_mean(own.iter().copied());
                    rows.push(Row::record(&title, name, own));
                }
            }
            _ => rows.push(row.must_miss()),
        }
    }
    Ok(rows)
}

/// Differences from the measured heights \[m\], moment by moment.
fn compare(tank: &Tank, points: &[Point]) -> Result<Vec<Vec<f64>>> {
    let mut simulation = build(tank)?;
    let mut differences = Vec::new();
    let mut time = 0.0;
    for moment in points.chunk_by(|a, b| a[0] == b[0]) {
        let [end, ..] = moment[0];
        simulation.advance(end - time)?;
        time = end;
        let heights = surface(&simulation, tank);
        let difference = |&[_, x, y]: &Point| {
            // Heights are those of the middles of columns.
            let place = (x / tank.spacing - 0.5).clamp(0.0, (heights.len() - 1) as f64);
            let k = (place as usize).min(heights.len() - 2);
            let share = place - k as f64;
            (1.0 - share) * heights[k] + share * heights[k + 1] - y
        };
        differences.push(moment.iter().map(difference).collect());
    }
    Ok(differences)
}

/// Height of the surface in columns of cells \[m\]: the highest place where water fills half of the
/// room.
fn surface(simulation: &Simulation<f64, 2>, tank: &Tank) -> Vec<f64> {
    let h = tank.spacing;
    let [columns, rows] = [TANK, 2.0 * TOP].map(|length| (length / h).round() as usize);
    let mut shares = [vec![0.0; columns * rows], vec![0.0; columns * rows]];
    for p in simulation.particles() {
        let share = &mut shares[usize::from(p.material == 1)];
        let volume = match p.material {
            1 => p.rest_volume * p.volume_ratio,
            _ => p.mass / STONE,
        };
        // Linear weights of the middles of cells, those beyond the tank folded back.
        let place = [0, 1].map(|a| p.position[a] / h - 0.5);
        for corner in 0..4usize {
            let (mut index, mut weight) = ([0i64; 2], volume / (h * h));
            for a in 0..2 {
                let low = place[a].floor();
                let upper = corner >> a & 1 == 1;
                index[a] = low as i64 + i64::from(upper);
                weight *= if upper {
                    place[a] - low
                } else {
                    low + 1.0 - place[a]
                };
            }
            let i = index[0].clamp(0, columns as i64 - 1) as usize;
            let j = index[1].max(0) as usize;
            if j < rows {
                share[j * columns + i] += weight;
            }
        }
    }
    let filled = |i: usize, j: usize| {
        let [rock, water] = [0, 1].map(|k| shares[k][j * columns + i]);
        water / (1.0 - rock).max(0.05)
    };
    let height = |i: usize| {
        let Some(top) = (0..rows).rev().find(|&j| filled(i, j) >= 0.5) else {
            return 0.0;
        };
        let (below, above) = (
            filled(i, top),
            if top + 1 < rows {
                filled(i, top + 1)
            } else {
                0.0
            },
        );
        h * (top as f64 + 0.5 + (below - 0.5) / (below - above))
    };
    (0..columns).map(height).collect()
}

fn build(tank: &Tank) -> Result<Simulation<f64, 2>> {
    let h = tank.spacing;
    let drag = Drag::Forchheimer {
        grain_size: GRAIN,
        viscosity: VISCOSITY,
        linear: 50.0,
        quadratic: 2.0,
    };
    let couplings = match tank.rock {
        Rock::DragsNot => Drag::Raw { coefficient: 0.0 },
        _ => drag,
    };
    let couplings = vec![Coupling {
        fluid: 1,
        solid: 0,
        drag: couplings,
    }];
    let rock = Phase::new("rock", 0, STONE).with_motion(Motion::Held);
    let mixture = Mixture::new(vec![rock, Phase::new("water", 1, WATER)])
        .with_couplings(couplings)
        .with_pore_pressure(PorePressure::Shared)
        .with_pressure_smoothing(SMOOTHING);
    let mut setup = Setup::<2>::new(h)
        .with_threads(1)
        .with_body_force(BodyForce::Uniform([0.0, -GRAVITY]))
        .with_mixture(Some(mixture));
    setup.walls.extend([
        Wall::new(0, 0.0, Side::Above, Contact::Slip),
        Wall::new(0, TANK, Side::Below, Contact::Slip),
        Wall::new(1, 0.0, Side::Above, Contact::Slip),
    ]);
    // The rock is held, whatever its law says.
    let stone = NeoHookean::from_young_poisson(1.0, 0.0)?;
    let water = WeaklyCompressible::new(BULK, 0.0, PressureLaw::Linear)?;
    let water = water.with_tension(Tension::Release);
    let mut simulation = Simulation::new(setup, vec![stone.into(), water.into()])?;
    let room = match tank.rock {
        Rock::Absent => 1.0,
        _ => POROSITY,
    };
    if tank.rock != Rock::Absent {
        let rock = fill([BLOCK, [0.0, TOP]], h, (1.0 - POROSITY, STONE));
        simulation.add(0, &rock)?;
    }
    let boxes = [
        ([[0.0, DAM[0]], [0.0, DAM[1]]], 1.0),
        ([[DAM[0], BLOCK[0]], [0.0, LAYER]], 1.0),
        ([BLOCK, [0.0, LAYER]], room),
        ([[BLOCK[1], TANK], [0.0, LAYER]], 1.0),
    ];
    for (place, share) in boxes {
        let mut seeds = fill(place, h, (share, WATER));
        for seed in &mut seeds {
            // At rest under the water above.
            let j = 1.0 - WATER * GRAVITY * (place[1][1] - seed.position[1]) / BULK;
            seed.deformation_gradient = [[j.sqrt(), 0.0], [0.0, j.sqrt()]];
            seed.rest_volume /= j;
            seed.mass /= j;
        }
        simulation.add(1, &seeds)?;
    }
    Ok(simulation)
}

/// Particles that fill a share of the room in a box, about four a cell.
fn fill([x, y]: [[f64; 2]; 2], h: f64, (share, density): (f64, f64)) -> Vec<Seed<2>> {
    let count = |[low, high]: [f64; 2]| ((high - low) / (0.5 * h)).round().max(1.0);
    let [columns, rows] = [x, y].map(count);
    let pitch = [(x[1] - x[0]) / columns, (y[1] - y[0]) / rows];
    let seeds = lattice([0.0; 2], [columns as usize, rows as usize], 1.0, 1.0);
    let placed = seeds.into_iter().map(|seed| {
        let volume = share * pitch[0] * pitch[1];
        let position = [
            x[0] + pitch[0] * seed.position[0],
            y[0] + pitch[1] * seed.position[1],
        ];
        Seed::new(position, [0.0; 2], density * volume, volume)
    });
    placed.collect()
}

fn root_mean(differences: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = differences.fold((0.0, 0.0), |(sum, n), d| (sum + d * d, n + 1.0));
    (sum / count).sqrt()
}
