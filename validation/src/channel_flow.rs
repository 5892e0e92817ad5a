//! Channel flow: Newtonian viscosity between walls, from the start to the steady profile.
//!
//! **Source.** Couette and Poiseuille; the start-up series by separation of variables, any textbook
//! on viscous flow.
//!
//! **Setup.** Weakly compressible fluid (linear, Mach 0.1) with ν = η/ρ between glued walls H
//! apart, 32 cells, periodic along the flow, 2×2 particles per cell, in 2D. Couette: the upper wall
//! moves with U. Poiseuille: both rest, and a body acceleration g = 8νU/H² drives the middle to U.
//! U H/ν = 10. Particles start at rest; in a second arrangement each is displaced at random by up
//! to an eighth of a cell.
//!
//! **Measured.** The largest difference between a particle's velocity along the flow and the answer
//! at its place, relative to U, at νt/H² = 0.05 (start-up) and 0.8 (steady); in the steady Couette
//! flow the shear stress, which is the same everywhere: that of the worst particle, and the mean
//! where particles are displaced.
//!
//! **Expected.** Momentum balance ∂u/∂t = ν ∂²u/∂y² + g with u = 0 below and u = U or 0 above:
//! Couette u = U y/H + Σ (2U/nπ)(−1)ⁿ e^{−n²π²νt/H²} sin(nπy/H),
//! Poiseuille u = (g/2ν) y (H − y) − Σ_{n odd} (4gH²/νπ³n³) e^{−n²π²νt/H²} sin(nπy/H); stress ηU/H.
//!
//! **Tolerance.** 2 % of U with reflecting walls at 32 cells. With walls made by setting nodes to
//! rest the plane of no slip lies 0.1 to 0.4 h behind them, and the error falls only with h (errata
//! E45): 2 % at 64 cells.
//!
//! **Negative controls.** PIC, whose own viscosity is larger than the fluid's; the answer for twice
//! the viscosity (errata E13: η for μ^N); and a channel whose walls stand one cell further apart
//! must miss.

use core::f64::consts::PI;

use anyhow::Result;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{
    BodyForce, Collider, Contact, KernelKind, Plane, Setup, Side, Simulation, Transfer, Wall,
};

use crate::row::worse;
use crate::sampling::{lattice, noise};
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.02;
/// Wall distance H \[m\], speed U \[m/s\], density \[kg/m³\].
const WIDTH: f64 = 1.0;
const SPEED: f64 = 1.0;
const DENSITY: f64 = 1.0e3;
/// U H/ν.
const REYNOLDS: f64 = 10.0;
/// Dynamic viscosity η \[Pa s\].
const VISCOSITY: f64 = DENSITY * SPEED * WIDTH / REYNOLDS;
/// Speed of sound over U.
const SOUND: f64 = 10.0;
/// νt/H² of the two looks.
const EARLY: f64 = 0.05;
const LATE: f64 = 0.8;
/// Cells across the channel, half of them for a quick run, and along it before it repeats.
const CELLS: usize = 32;
const LENGTH: usize = 4;

/// The force that drives the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drive {
    Wall,
    Force,
}

impl Drive {
    fn name(self) -> &'static str {
        match self {
            Self::Wall => "Couette",
            Self::Force => "Poiseuille",
        }
    }
    /// Velocity along the flow over U at y/H and νt/H².
    fn velocity(self, y: f64, time: f64) -> f64 {
        let mode = |n: i32| {
            let k = f64::from(n) * PI;
            (-k * k * time).exp() * (k * y).sin()
        };
        match self {
            Self::Wall => {
                let sign = |n: i32| if n % 2 == 0 { 2.0 } else { -2.0 };
                let decaying = |n: i32| sign(n) / (f64::from(n) * PI) * mode(n);
                y + (1..60).map(decaying).sum::<f64>()
            }
            Self::Force => {
                let decaying = |n: i32| 32.0 / (f64::from(n) * PI).powi(3) * mode(n);
                4.0 * y * (1.0 - y) - (1..60).step_by(2).map(decaying).sum::<f64>()
            }
        }
    }
}

/// Positions of particles at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrangement {
    Lattice,
    Displaced,
}

/// The material of the walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    /// Reflection on a line of nodes.
    Wall,
    /// Nodes at the surface of a level set follow image points.
    LevelSet,
}

/// A channel to run.
#[derive(Clone, Copy, Debug)]
struct Channel {
    name: &'static str,
    drive: Drive,
    transfer: Transfer,
    kernel: KernelKind,
    arrangement: Arrangement,
    barrier: Barrier,
    /// Cells in H.
    cells: usize,
    /// Cells by which the walls stand further apart than H.
    excess: usize,
}

/// Errors of a channel over U, and of the steady stress over ηU/H.
#[derive(Clone, Copy, Debug)]
struct Deviation {
    early: f64,
    late: f64,
    /// Against the answers for twice the viscosity.
    late_twice: f64,
    early_twice: f64,
    /// Of the mean over all particles, and of the worst.
    mean_stress: f64,
    stress: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let base = Channel {
        name: "MLS quadratic",
        drive: Drive::Wall,
        transfer: Transfer::Mls,
        kernel: KernelKind::Quadratic,
        arrangement: Arrangement::Lattice,
        barrier: Barrier::Wall,
        cells: match effort {
            Effort::Quick => CELLS / 2,
            Effort::Full => CELLS,
        },
        excess: 0,
    };
    let mut kinds = vec![base];
    if effort == Effort::Full {
        kinds.extend([
            Channel {
                name: "APIC quadratic",
                transfer: Transfer::Apic,
                ..base
            },
            Channel {
                name: "APIC cubic",
                transfer: Transfer::Apic,
                kernel: KernelKind::Cubic,
                ..base
            },
            Channel {
                name: "FLIP quadratic",
                transfer: Transfer::Flip,
                ..base
            },
            Channel {
                name: "MLS quadratic, particles displaced",
                arrangement: Arrangement::Displaced,
                ..base
            },
        ]);
    }
    let right = 2 * kinds.len();
    kinds.extend([
        Channel {
            name: "PIC quadratic",
            transfer: Transfer::Pic,
            ..base
        },
        Channel {
            name: "MLS quadratic, one cell wider",
            excess: 1,
            ..base
        },
    ]);
    let mut channels: Vec<_> = kinds
        .iter()
        .flat_map(|kind| [Drive::Wall, Drive::Force].map(|drive| Channel { drive, ..*kind }))
        .collect();
    let wrong = channels.len();
    if effort == Effort::Full {
        channels.extend([CELLS, 2 * CELLS].map(|cells| Channel {
            name: "MLS quadratic, level-set walls",
            drive: Drive::Force,
            barrier: Barrier::LevelSet,
            cells,
            ..base
        }));
    }
    let results = parallel::map(&channels, flow)?;
    let mut rows = Vec::new();
    for (index, (channel, error)) in channels.iter().zip(&results).enumerate() {
        let title = format!("channel flow {}, {}", channel.drive.name(), channel.name);
        let start = |title: &str, e| Row::zero(title, "start-up, u error / U", e, TOLERANCE);
        let steady = |title: &str, e| Row::zero(title, "steady, u error / U", e, TOLERANCE);
        if index >= wrong {
            let title = format!("{title}, {} cells", channel.cells);
            let row = steady(&title, error.late);
            rows.push(match channel.cells {
                CELLS => Row::record(row.case, row.quantity, row.got),
                _ => row,
            });
            continue;
        }
        if index >= right {
            // PIC drags the steady Couette flow along as well as any viscosity does: it is seen at
            // the start.
            rows.push(match channel.drive {
                Drive::Wall => start(&title, error.early).must_miss(),
                Drive::Force => steady(&title, error.late).must_miss(),
            });
            continue;
        }
        let profile = [start(&title, error.early), steady(&title, error.late)];
        rows.extend(profile.map(|row| match (channel.transfer, channel.drive) {
            // Particles of FLIP take only changes of the grid's velocity: next to a wall that
            // starts suddenly they keep what they lack of the grid's for ever.
            (Transfer::Flip, Drive::Wall) => Row::record(row.case, row.quantity, row.got),
            _ => row,
        }));
        if channel.drive == Drive::Wall {
            let worst = "steady, τ error / (ηU/H)";
            match channel.arrangement {
                Arrangement::Lattice => {
                    rows.push(Row::zero(&title, worst, error.stress, TOLERANCE));
                }
                // The velocity's error changes within a cell, and its slope is H/h times as large.
                Arrangement::Displaced => {
                    let mean = "steady, mean τ error / (ηU/H)";
                    rows.push(Row::zero(&title, mean, error.mean_stress, TOLERANCE));
                    rows.push(Row::record(&title, worst, error.stress));
                }
            }
        }
        if index < 2 {
            let title = format!("{title}, answer for 2η");
            rows.push(match channel.drive {
                Drive::Wall => start(&title, error.early_twice).must_miss(),
                Drive::Force => steady(&title, error.late_twice).must_miss(),
            });
        }
    }
    Ok(rows)
}

/// Errors of a channel.
fn flow(channel: &Channel) -> Result<Deviation> {
    let h = WIDTH / channel.cells as f64;
    let kinematic = VISCOSITY / DENSITY;
    let across = channel.cells + channel.excess;
    let height = across as f64 * h;
    let mut setup = Setup::<2>::new(h);
    setup.transfer = channel.transfer;
    setup.kernel = channel.kernel;
    setup.threads = 1;
    setup.periods = [Some(LENGTH as u32), None];
    if channel.drive == Drive::Force {
        let acceleration = 8.0 * kinematic * SPEED / (WIDTH * WIDTH);
        setup.body_force = BodyForce::Uniform([acceleration, 0.0]);
    }
    match channel.barrier {
        Barrier::Wall => {
            let lower = Wall::new(1, 0.0, Side::Above, Contact::Glued);
            let mut upper = Wall::new(1, height, Side::Below, Contact::Glued);
            if channel.drive == Drive::Wall {
                upper.velocity = [SPEED, 0.0];
            }
            setup.walls.extend([lower, upper]);
        }
        Barrier::LevelSet => {
            for (y, normal) in [(0.0, 1.0), (height, -1.0)] {
                let plane = Plane::new([0.0, y], [0.0, normal])?;
                setup.colliders.push(Collider::new(plane, Contact::Glued)?);
            }
        }
    }
    let bulk = DENSITY * (SOUND * SPEED).powi(2);
    let fluid = WeaklyCompressible::new(bulk, VISCOSITY, PressureLaw::Linear)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![fluid.into()])?;
    let mut seeds = lattice([0.0; 2], [2 * LENGTH, 2 * across], 0.5 * h, DENSITY);
    if channel.arrangement == Arrangement::Displaced {
        for (k, seed) in (0..).zip(&mut seeds) {
            for (a, x) in seed.position.iter_mut().enumerate() {
                *x += 0.125 * h * noise(k, a as u64);
            }
        }
    }
    sim.add(0, &seeds)?;
    let unit = WIDTH * WIDTH / kinematic;
    sim.advance(EARLY * unit)?;
    let error = |sim: &Simulation<f64, 2>, answer: &dyn Fn(f64) -> f64| {
        sim.particles().iter().fold(0.0f64, |largest, p| {
            let expected = SPEED * answer(p.position[1] / WIDTH);
            let error = (p.velocity[0] - expected).abs() / SPEED;
            worse(largest, error)
        })
    };
    let drive = channel.drive;
    let early = error(&sim, &|y| drive.velocity(y, EARLY));
    let early_twice = error(&sim, &|y| drive.velocity(y, 2.0 * EARLY));
    sim.advance((LATE - EARLY) * unit)?;
    let late = error(&sim, &|y| drive.velocity(y, LATE));
    let share = match drive {
        Drive::Wall => 1.0,
        Drive::Force => 0.5,
    };
    let late_twice = error(&sim, &|y| share * drive.velocity(y, 2.0 * LATE));
    let shear = VISCOSITY * SPEED / WIDTH;
    let (mut stress, mut mean) = (0.0f64, 0.0);
    let particles = sim.particles();
    for p in &particles {
        let error = p.kirchhoff_stress[0][1] / p.volume_ratio / shear - 1.0;
        stress = worse(stress, error.abs());
        mean += error / particles.len() as f64;
    }
    Ok(Deviation {
        early,
        late,
        late_twice,
        early_twice,
        mean_stress: mean.abs(),
        stress,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series obey ∂u/∂t = ∂²u/∂y² + g, start from rest and end in the steady profiles.
    #[test]
    fn the_answers_solve_their_equation() {
        let (y, t, e) = (0.3, 0.05, 1e-4);
        for (drive, push) in [(Drive::Wall, 0.0), (Drive::Force, 8.0)] {
            let u = |y, t| drive.velocity(y, t);
            let rate = (u(y, t + e) - u(y, t - e)) / (2.0 * e);
            let bend = (u(y + e, t) - 2.0 * u(y, t) + u(y - e, t)) / (e * e);
            assert!((rate - bend - push).abs() < 1e-4, "{rate} {bend}");
            assert!(u(0.3, 2e-3).abs() < 0.02);
            assert!(u(0.0, t).abs() < 1e-12);
        }
        assert!((Drive::Wall.velocity(0.25, 2.0) - 0.25).abs() < 1e-8);
        assert!((Drive::Force.velocity(0.5, 2.0) - 1.0).abs() < 1e-8);
    }
}
