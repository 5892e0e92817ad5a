//! Block on an incline: Coulomb friction at walls.
//!
//! **Source.** Coulomb's law; any textbook on mechanics.
//!
//! **Setup.** A low, stiff elastic block, 16 by 6 cells, lies at rest on a separating wall with
//! friction coefficient μ. The wall stays on a node line and gravity is tilted instead: g (sin θ,
//! −cos θ), θ = 30°. Its weight compresses it by less than 1e-4. Gravity is there from the start,
//! except where the block is to stick: there it rises smoothly over 0.1 s, because a block that is
//! released suddenly bounces, and slides a little whenever it is in the air.
//!
//! **Measured.** The displacement s of the centre of mass along the wall after 0.5 s.
//!
//! **Expected.** The normal force is m g cos θ and friction at most μ times that. For tan θ > μ the
//! block slides, s = ½ g (sin θ − μ cos θ) t²; for tan θ < μ it stays.
//!
//! Blocks are moved by explicit steps, and by optimisation in steps of 5 ms, which are 36 explicit
//! ones.
//!
//! **Tolerance.** 3 % of s, or 1 % of a cell where it stays. The wall takes exactly μ I_n from the
//! tangential momentum, (7d); what remains is elastic settling and rocking about the lower edge,
//! and that blocks are moved with their velocity at the end of a step: by Δt/t further, 1 % in long
//! steps.
//!
//! **Negative controls.** The answer for μ + 0.05 must be rejected. A block 10 % above the sticking
//! limit must leave by far more than 1 % of a cell.

use core::f64::consts::{FRAC_PI_6, PI};

use anyhow::Result;
use thixo::integrate::implicit::{Integrator, Optimization};
use thixo::material::elastic::NeoHookean;
use thixo::{
    BodyForce, Collider, Contact, KernelKind, Plane, Setup, Side, Simulation, Transfer, Wall,
};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const SLIDE_TOLERANCE: f64 = 0.03;
/// In cells.
const STICK_TOLERANCE: f64 = 0.01;
const GRAVITY: f64 = 10.0;
/// Angle \[rad\]: 30°.
const ANGLE: f64 = FRAC_PI_6;
const DENSITY: f64 = 1.0e3;
/// Young's modulus \[Pa\]: compression under its own weight ρ g H/E below 1e-4.
const YOUNG: f64 = 5.0e7;
/// Grid spacing \[m\].
const H: f64 = 1.0 / 16.0;
const DURATION: f64 = 0.5;
/// \[s\]
const LONG_STEP: f64 = 5e-3;

/// The floor below the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Floor {
    Wall,
    LevelSet,
}

/// A block to run.
#[derive(Clone, Copy, Debug)]
struct Block {
    name: &'static str,
    transfer: Transfer,
    kernel: KernelKind,
    floor: Floor,
    friction: f64,
    /// Time over which gravity rises \[s\].
    rise: f64,
    integrator: Integrator,
}

/// By optimisation.
fn in_long_steps(block: Block, name: &'static str) -> Block {
    let integrator = Integrator::Optimization(Optimization::default());
    Block {
        name,
        integrator,
        ..block
    }
}

fn travel(friction: f64) -> f64 {
    let acceleration = GRAVITY * (ANGLE.sin() - friction * ANGLE.cos());
    0.5 * acceleration.max(0.0) * DURATION * DURATION
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let limit = ANGLE.tan();
    let slides = Block {
        name: "MLS quadratic, μ = 0.3",
        transfer: Transfer::Mls,
        kernel: KernelKind::Quadratic,
        floor: Floor::Wall,
        friction: 0.3,
        rise: 0.0,
        integrator: Integrator::Explicit,
    };
    let loaded = Block {
        rise: 0.1,
        ..slides
    };
    let released = Block {
        name: "MLS quadratic, μ 10 % above tan θ, released suddenly",
        friction: 1.1 * limit,
        ..slides
    };
    let mut sliding = vec![
        slides,
        in_long_steps(slides, "MLS quadratic, μ = 0.3, long steps"),
    ];
    let mut sticking = vec![
        Block {
            name: "MLS quadratic, μ 10 % above tan θ",
            friction: 1.1 * limit,
            ..loaded
        },
        in_long_steps(
            released,
            "MLS quadratic, μ 10 % above tan θ, released suddenly, long steps",
        ),
    ];
    let leaves = Block {
        name: "MLS quadratic, μ 10 % below tan θ",
        friction: 0.9 * limit,
        ..loaded
    };
    let mut compared = Vec::new();
    if effort == Effort::Full {
        sliding.extend([
            Block {
                name: "MLS quadratic, μ = 0",
                friction: 0.0,
                ..slides
            },
            Block {
                name: "APIC quadratic, μ = 0.3",
                transfer: Transfer::Apic,
                ..slides
            },
            Block {
                name: "APIC cubic, μ = 0.3",
                transfer: Transfer::Apic,
                kernel: KernelKind::Cubic,
                ..slides
            },
            Block {
                name: "FLIP quadratic, μ = 0.3",
                transfer: Transfer::Flip,
                ..slides
            },
            Block {
                name: "FLIP/PIC 0.95 quadratic, μ = 0.3",
                transfer: Transfer::FlipPic { flip: 0.95 },
                ..slides
            },
        ]);
        sticking.push(Block {
            name: "APIC cubic, μ 10 % above tan θ",
            transfer: Transfer::Apic,
            kernel: KernelKind::Cubic,
            friction: 1.1 * limit,
            ..loaded
        });
        sticking.push(Block {
            name: "FLIP/PIC 0.95 quadratic, μ 10 % above tan θ",
            transfer: Transfer::FlipPic { flip: 0.95 },
            friction: 1.1 * limit,
            ..loaded
        });
        compared.push(Block {
            name: "MLS quadratic, μ = 0.3, level-set floor",
            floor: Floor::LevelSet,
            ..slides
        });
        compared.push(released);
        let on_level_set = |block: Block, name| {
            let floor = Floor::LevelSet;
            in_long_steps(Block { floor, ..block }, name)
        };
        sliding.push(on_level_set(
            slides,
            "MLS quadratic, μ = 0.3, level-set floor, long steps",
        ));
        sticking.push(on_level_set(
            released,
            "MLS quadratic, μ 10 % above tan θ, released suddenly, level-set floor, long steps",
        ));
    }
    let all: Vec<Block> = sliding
        .iter()
        .chain(&sticking)
        .chain([&leaves])
        .chain(&compared)
        .copied()
        .collect();
    let travelled = parallel::map(&all, slide)?;
    let mut results = all.iter().zip(travelled);
    let mut rows = Vec::new();
    let title = |block: &Block| format!("incline {}", block.name);
    let distance = "travel [m]";
    for (block, s) in results.by_ref().take(sliding.len()) {
        let expected = travel(block.friction);
        rows.push(Row::relative(
            title(block),
            distance,
            expected,
            s,
            SLIDE_TOLERANCE,
        ));
        if block.name == slides.name {
            let wrong = travel(block.friction + 0.05);
            let row = Row::relative(
                format!("{}, answer of μ + 0.05", title(block)),
                distance,
                wrong,
                s,
                SLIDE_TOLERANCE,
            );
            rows.push(row.must_miss());
        }
    }
    let stays =
        |block: &Block, s: f64| Row::zero(title(block), "travel [h]", s / H, STICK_TOLERANCE);
    for (block, s) in results.by_ref().take(sticking.len()) {
        rows.push(stays(block, s));
    }
    for (block, s) in results.by_ref().take(1) {
        rows.push(stays(block, s).must_miss());
    }
    for (block, s) in results {
        rows.push(Row::record(title(block), distance, s));
    }
    Ok(rows)
}

/// Distance travelled \[m\].
fn slide(block: &Block) -> Result<f64> {
    let mut setup = Setup::<2>::new(H);
    setup.transfer = block.transfer;
    setup.kernel = block.kernel;
    setup.threads = 1;
    setup.integrator = block.integrator;
    if !block.integrator.is_explicit() {
        setup.time_step.longest = LONG_STEP;
    }
    let gravity = [GRAVITY * ANGLE.sin(), -GRAVITY * ANGLE.cos()];
    let rise = block.rise;
    setup.body_force = if rise > 0.0 {
        BodyForce::field(move |_, t| {
            let share = 0.5 - 0.5 * (PI * (t / rise).min(1.0)).cos();
            gravity.map(|g| share * g)
        })
    } else {
        BodyForce::Uniform(gravity)
    };
    let contact = Contact::Separating {
        friction: block.friction,
    };
    match block.floor {
        Floor::Wall => setup.walls.push(Wall::new(1, 0.0, Side::Above, contact)),
        Floor::LevelSet => {
            let plane = Plane::new([0.0; 2], [0.0, 1.0])?;
            setup.colliders.push(Collider::new(plane, contact)?);
        }
    }
    let law = NeoHookean::from_young_poisson(YOUNG, 0.2)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![law.into()])?;
    let seeds = lattice([0.3 * H, 0.0], [32, 12], 0.5 * H, DENSITY);
    sim.add(0, &seeds)?;
    let start = sim.audit().centre_of_mass[0];
    sim.advance(DURATION)?;
    Ok(sim.audit().centre_of_mass[0] - start)
}
