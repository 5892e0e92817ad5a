//! Sloshing: a minute in a tank that is shaken, after which the water must fill what it filled.
//!
//! **Source.** Conservation of volume: the level of incompressible water at rest is its volume over
//! the area of the tank.
//!
//! **Setup.** Inviscid incompressible water by the projection, 3D, APIC, 2×2×2 particles per cell
//! on a lattice, in a closed box of 16 × 12 × 8 cells, filled to 6; h = 25 mm. It is shaken along
//! its length for 50 s, at the frequency of its first mode, by 0.1 g in 2 s, then by 0.05 g in 2 s
//! of every 6 s, and left alone for 6 s. Then its velocities are taken away every 0.12 s, thirty
//! times, which brings the surface to rest.
//!
//! **Measured.** The level, twice the mean height of the particles, over that of the start; the
//! share of the cells below it that hold particles; the least and the largest number of particles
//! in a cell of the bulk (two cells below the surface), at the end of each of the last five of
//! these.
//!
//! **Expected.** 1; 1; the 8 of the start.
//!
//! **Tolerance.** Particles of a cell within 2 and 16. Level and filled space should be within
//! 0.5 %; they are recorded, since a surface that still moves shows in both.
//!
//! **Negative control.** Without particle shifting the filled space must miss.

use anyhow::Result;
use thixo::integrate::Integrator;
use thixo::material::fluid::WeaklyCompressible;
use thixo::projection::{Projection, Spreading};
use thixo::{BodyForce, Contact, Seed, Setup, Side, Simulation, Transfer, Wall};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

/// Largest relative change of volume.
const VOLUME_TOLERANCE: f64 = 5e-3;
/// Particles per cell, and the least and most of the bulk.
const PER_CELL: f64 = 8.0;
const FEWEST: f64 = 2.0;
const MOST: f64 = 16.0;

const SPACING: f64 = 0.025;
/// Length, height and width of the tank, and the level, in cells.
const TANK: [usize; 3] = [16, 12, 8];
const LEVEL: usize = 6;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1.0e3;
/// Time of shaking and time without it \[s\].
const SHAKEN: f64 = 50.0;
const LEFT_ALONE: f64 = 6.0;
/// Times that velocities are taken away, and how long the water falls after each \[s\].
const CALMED: usize = 30;
const CALM: f64 = 0.12;
/// Looks at the end.
const LOOKS: usize = 5;

/// State of the tank at the end.
#[derive(Clone, Copy, Debug)]
struct Filling {
    /// Level over that of the start \[–\].
    level: f64,
    /// Share of the cells below the surface that hold particles \[–\].
    filled: f64,
    /// Least and largest number of particles in a cell of the bulk.
    fewest: f64,
    most: f64,
    /// Largest height that a particle ever had, over the level: whether it sloshed \[–\].
    highest: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let spreadings = [Spreading::Shifting, Spreading::Nothing];
    // A tenth of the time shows clumps, but not what adds up.
    let share = match effort {
        Effort::Quick => 0.1,
        Effort::Full => 1.0,
    };
    let fillings = parallel::map(&spreadings, |spreading| slosh(*spreading, share))?;
    let mut rows = Vec::new();
    for (spreading, filling) in spreadings.iter().zip(fillings) {
        let case = match spreading {
            Spreading::Shifting => "sloshing",
            Spreading::Nothing => "sloshing, particles not shifted",
        };
        let level = Row::relative(case, "level / start", 1.0, filling.level, VOLUME_TOLERANCE);
        let filled = Row::relative(case, "filled space", 1.0, filling.filled, VOLUME_TOLERANCE);
        let highest = Row::record(case, "highest particle / level", filling.highest);
        if *spreading == Spreading::Nothing {
            rows.extend([
                Row::record(level.case, level.quantity, level.got),
                filled.must_miss(),
                Row::record(case, "fewest particles of a cell", filling.fewest),
                Row::record(case, "most particles of a cell", filling.most),
                highest,
            ]);
            continue;
        }
        let fewest = "fewest particles of a cell";
        let most = "most particles of a cell";
        rows.extend([
            Row::record(level.case, level.quantity, level.got),
            Row::record(filled.case, filled.quantity, filled.got),
            Row::within(case, fewest, [FEWEST, PER_CELL], filling.fewest),
            Row::within(case, most, [PER_CELL, MOST], filling.most),
            highest,
        ]);
    }
    Ok(rows)
}

/// A tank without matter.
fn tank(spreading: Spreading, body_force: BodyForce<3>) -> Result<Simulation<f32, 3>> {
    let mut setup = Setup::<3>::new(SPACING);
    setup.transfer = Transfer::Apic;
    setup.threads = 1;
    for (axis, cells) in TANK.into_iter().enumerate() {
        let far = cells as f64 * SPACING;
        for (x, side) in [(0.0, Side::Above), (far, Side::Below)] {
            setup.walls.push(Wall::new(axis, x, side, Contact::Slip));
        }
    }
    setup.body_force = body_force;
    setup.integrator = Integrator::Projection(Projection::default().with_spreading(spreading));
    let water = WeaklyCompressible::incompressible(0.0)?;
    Ok(Simulation::new(setup, vec![water.into()])?)
}

/// Shakes a tank, for a share of the whole time, and brings it to rest.
fn slosh(spreading: Spreading, share: f64) -> Result<Filling> {
    let h = SPACING;
    // ω² = g k tanh(k H) of the first mode.
    let k = core::f64::consts::PI / (TANK[0] as f64 * h);
    let omega = (GRAVITY * k * (k * LEVEL as f64 * h).tanh()).sqrt();
    let end_of_shaking = SHAKEN * share;
    let shaking = BodyForce::field(move |_, t| {
        let size = match t {
            t if t >= end_of_shaking => 0.0,
            t if t < 2.0 => 0.1,
            t if t.rem_euclid(6.0) < 2.0 => 0.05,
            _ => 0.0,
        };
        [size * GRAVITY * (omega * t).sin(), -GRAVITY, 0.0]
    });
    let mut sim = tank(spreading, shaking)?;
    let counts = [TANK[0], LEVEL, TANK[2]].map(|cells| 2 * cells);
    sim.add(0, &lattice([0.0; 3], counts, 0.5 * h, DENSITY))?;
    let mut highest = 0.0f64;
    let duration = (SHAKEN + LEFT_ALONE) * share;
    let frames = (duration / 0.1).round() as usize;
    for _ in 0..frames {
        sim.advance(0.1)?;
        let heights = sim.particles().into_iter().map(|p| p.position[1]);
        highest = heights.fold(highest, f64::max);
    }
    let level = LEVEL as f64 * h;
    let mut filling = Filling {
        level: 0.0,
        filled: 0.0,
        fewest: f64::INFINITY,
        most: 0.0,
        highest: highest / level,
    };
    for calmed in 0..CALMED {
        let still = sim.particles().into_iter().map(|p| {
            let position = p.position.0.map(f64::from);
            Seed::new(
                position,
                [0.0; 3],
                f64::from(p.mass),
                f64::from(p.mass) / DENSITY,
            )
        });
        let still: Vec<Seed<3>> = still.collect();
        sim = tank(spreading, BodyForce::Uniform([0.0, -GRAVITY, 0.0]))?;
        sim.add(0, &still)?;
        sim.advance(CALM)?;
        if calmed + LOOKS < CALMED {
            continue;
        }
        let mut counts = vec![0.0; TANK.iter().product()];
        let (mut sum, mut count) = (0.0, 0.0);
        for particle in sim.particles() {
            let x = particle.position.0.map(f64::from);
            let cell: [usize; 3] = core::array::from_fn(|a| ((x[a] / h) as usize).min(TANK[a] - 1));
            counts[(cell[1] * TANK[2] + cell[2]) * TANK[0] + cell[0]] += 1.0;
            sum += x[1];
            count += 1.0;
        }
        filling.level += 2.0 * sum / count / level / LOOKS as f64;
        let per_layer = TANK[0] * TANK[2];
        let below = &counts[..LEVEL * per_layer];
        let held = below.iter().filter(|n| **n > 0.0).count();
        filling.filled += held as f64 / below.len() as f64 / LOOKS as f64;
        for &n in &below[..(LEVEL - 2) * per_layer] {
            filling.fewest = filling.fewest.min(n);
            filling.most = filling.most.max(n);
        }
    }
    Ok(filling)
}
