//! Pool at rest: incompressible water that has no reason to move.
//!
//! **Source.** Hydrostatics; the negative control of the faces' density is \[Jiang2015thesis\]
//! figure 6.3.
//!
//! **Setup.** Inviscid incompressible water by the projection, in 2D, 0.2 m wide between slip
//! walls, its surface at 0.15 m, on a flat floor (a wall), on a plane tilted by 15° and on a floor
//! with a step of 50 mm (a wall and a cuboid); h = 12.5 mm, 2×2 particles per cell, APIC. They
//! start at rest on a lattice, or each at random in its share of the volume. 2 s, in steps as long
//! as gravity allows, and in steps of 0.07 √(h/g): the surface of random particles is uneven by
//! some hundredths of a cell, and gravity makes that times g Δt a velocity in every step.
//!
//! **Measured.** The largest speed of a particle, at 40 looks in the 2 s from a lattice and at the
//! end from a random start; the pressure of particles at the end against ρ g (H − y), relative to
//! that at the deepest place, more than two cells below the surface; the sum of the vertical forces
//! of all walls and obstacles in the last quarter against the weight.
//!
//! **Expected.** No motion, the linear pressure, the weight.
//!
//! **Tolerance.** 1e-6 m/s from a lattice, 1e-3 m/s from a random start; pressure 2 %; weight
//! 0.5 %. What does not reach them yet is recorded and named in `docs/validation.md`; nothing that
//! misses counts as right.
//!
//! **Negative controls.** Faces whose mass is divided by the volume of their whole kernel, and
//! solids made of whole cells on the tilted floor, must miss.

use anyhow::Result;
use thixo::collide::shape::Cuboid;
use thixo::integrate::Integrator;
use thixo::material::fluid::WeaklyCompressible;
use thixo::projection::{Boundary, FaceDensity, Projection, Spreading};
use thixo::{BodyForce, Collider, Contact, Plane, Setup, Simulation, Transfer};

use crate::row::worse;
use crate::sampling::{lattice, stratified};
use crate::{Effort, Row, basin, parallel};

/// Largest speeds \[m/s\].
const LATTICE_SPEED: f64 = 1e-6;
const RANDOM_SPEED: f64 = 1e-3;
/// Largest relative errors.
const PRESSURE_TOLERANCE: f64 = 0.02;
const WEIGHT_TOLERANCE: f64 = 5e-3;

/// Width and level \[m\].
const WIDTH: f64 = 0.2;
const LEVEL: f64 = 0.15;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1.0e3;
/// Duration \[s\], and the looks in it.
const DURATION: f64 = 2.0;
const LOOKS: usize = 40;
/// Slope of the tilted floor \[°\], and its height in the middle \[m\].
const TILT: f64 = 15.0;
const MIDDLE: f64 = 0.04;
/// Height of the step \[m\].
const STEP: f64 = 0.05;

/// Short steps over √(h/g), the time in which matter falls through a cell.
const SHORT: f64 = 0.07;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Floor {
    Flat,
    Tilted,
    Stepped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sampling {
    Lattice,
    Stratified,
}

/// Errors that are judged; the others are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Judged {
    speed: bool,
    pressure: bool,
    weight: bool,
}

impl Judged {
    const ALL: Self = Self {
        speed: true,
        pressure: true,
        weight: true,
    };
}

/// A pool to leave alone.
#[derive(Clone, Copy, Debug)]
struct Pool {
    name: &'static str,
    floor: Floor,
    sampling: Sampling,
    /// Grid spacing \[m\].
    spacing: f64,
    options: Projection,
    /// Longest step \[s\].
    longest: f64,
    judged: Judged,
}

/// Deviations from rest.
#[derive(Clone, Copy, Debug)]
struct Unrest {
    /// Largest speed at any look, and at the end \[m/s\].
    ever: f64,
    last: f64,
    /// Largest error of the pressure over that at the deepest place, at the end.
    pressure: f64,
    /// Force of walls and obstacles over the weight.
    weight: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let pools = pools(effort);
    let unrests = parallel::map(&pools, settle)?;
    let mut rows = Vec::new();
    for (pool, unrest) in pools.iter().zip(&unrests) {
        let sampling = match pool.sampling {
            Sampling::Lattice => "lattice",
            Sampling::Stratified => "random",
        };
        let spacing = 1e3 * pool.spacing;
        let steps = match pool.longest.is_finite() {
            true => ", short steps",
            false => "",
        };
        let title = format!(
            "pool at rest {}, {sampling}{steps}, h = {spacing} mm",
            pool.name
        );
        let speed = match pool.sampling {
            Sampling::Lattice => {
                let quantity = "largest speed [m/s]";
                Row::zero(&title, quantity, unrest.ever, LATTICE_SPEED)
            }
            Sampling::Stratified => {
                let quantity = "largest speed at the end [m/s]";
                Row::zero(&title, quantity, unrest.last, RANDOM_SPEED)
            }
        };
        let error = unrest.pressure;
        let pressure = Row::zero(&title, "p error / ρgH", error, PRESSURE_TOLERANCE);
        let quantity = "force on the solids / weight";
        let weight = Row::relative(&title, quantity, 1.0, unrest.weight, WEIGHT_TOLERANCE);
        let Judged {
            speed: of_speed,
            pressure: of_pressure,
            weight: of_weight,
        } = pool.judged;
        if pool.options.density == FaceDensity::Uncorrected {
            rows.push(speed.must_miss());
            continue;
        }
        if pool.options.boundary == Boundary::Voxels {
            rows.push(pressure.must_miss());
            continue;
        }
        for (row, is_judged) in [
            (speed, of_speed),
            (pressure, of_pressure),
            (weight, of_weight),
        ] {
            rows.push(match is_judged {
                true => row,
                false => Row::record(row.case, row.quantity, row.got),
            });
        }
    }
    Ok(rows)
}

/// The pools of an effort.
fn pools(effort: Effort) -> Vec<Pool> {
    let options = Projection::default();
    let unshifted = options.with_spreading(Spreading::Nothing);
    let flat = Pool {
        name: "on a flat floor",
        floor: Floor::Flat,
        sampling: Sampling::Lattice,
        spacing: 0.0125,
        options,
        longest: f64::INFINITY,
        judged: Judged::ALL,
    };
    let tilted = Pool {
        name: "on a tilted floor",
        floor: Floor::Tilted,
        judged: Judged {
            speed: false,
            ..Judged::ALL
        },
        ..flat
    };
    let stepped = Pool {
        name: "on a step",
        floor: Floor::Stepped,
        judged: Judged {
            speed: false,
            weight: false,
            ..Judged::ALL
        },
        ..flat
    };
    let random = |pool: Pool, judged: Judged| Pool {
        sampling: Sampling::Stratified,
        judged: Judged {
            speed: false,
            ..judged
        },
        ..pool
    };
    let in_short_steps = |pool: Pool| Pool {
        longest: SHORT * (pool.spacing / GRAVITY).sqrt(),
        ..pool
    };
    let mut pools = vec![
        flat,
        random(flat, Judged::ALL),
        Pool {
            judged: Judged::ALL,
            ..in_short_steps(random(flat, Judged::ALL))
        },
        tilted,
        Pool {
            name: "on a tilted floor, particles not shifted",
            options: unshifted,
            judged: Judged::ALL,
            ..tilted
        },
        random(tilted, stepped.judged),
        in_short_steps(random(tilted, stepped.judged)),
        stepped,
        Pool {
            name: "on a step, particles not shifted",
            options: unshifted,
            judged: Judged {
                weight: false,
                ..Judged::ALL
            },
            ..stepped
        },
        random(stepped, stepped.judged),
        in_short_steps(random(stepped, stepped.judged)),
        Pool {
            name: "on a flat floor, density of whole kernels",
            options: options.with_density(FaceDensity::Uncorrected),
            ..flat
        },
        Pool {
            name: "on a tilted floor, solids of whole cells",
            options: options.with_boundary(Boundary::Voxels),
            ..tilted
        },
    ];
    if effort == Effort::Full {
        pools.extend([0.00625, 0.003125].map(|spacing| Pool {
            spacing,
            ..random(flat, Judged::ALL)
        }));
        pools.push(Pool {
            spacing: 0.00625,
            ..flat
        });
    }
    pools
}

/// The floor as obstacles.
fn obstacles(floor: Floor) -> Result<Vec<Collider<2>>> {
    Ok(match floor {
        Floor::Flat => Vec::new(),
        Floor::Tilted => {
            let (sine, cosine) = TILT.to_radians().sin_cos();
            let plane = Plane::new([0.5 * WIDTH, MIDDLE], [-sine, cosine])?;
            vec![Collider::new(plane, Contact::Slip)?]
        }
        Floor::Stepped => {
            let step = Cuboid::new([0.5 * WIDTH, -0.5 * WIDTH], [1.5 * WIDTH, STEP])?;
            vec![Collider::new(step, Contact::Slip)?]
        }
    })
}

/// Height of the floor \[m\].
fn height(floor: Floor, x: f64) -> f64 {
    match floor {
        Floor::Flat => 0.0,
        Floor::Tilted => MIDDLE + (x - 0.5 * WIDTH) * TILT.to_radians().tan(),
        Floor::Stepped if x < 0.5 * WIDTH => 0.0,
        Floor::Stepped => STEP,
    }
}

/// Leaves a pool alone.
fn settle(pool: &Pool) -> Result<Unrest> {
    let h = pool.spacing;
    let mut setup = Setup::<2>::new(h);
    setup.transfer = Transfer::Apic;
    setup.threads = 1;
    setup.time_step.longest = pool.longest;
    setup.body_force = BodyForce::Uniform([0.0, -GRAVITY]);
    setup.walls.extend(basin::walls(WIDTH));
    setup.colliders = obstacles(pool.floor)?;
    setup.integrator = Integrator::Projection(pool.options);
    let water = WeaklyCompressible::incompressible(0.0)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![water.into()])?;
    let counts = [WIDTH, LEVEL].map(|length| (2.0 * length / h).round() as usize);
    let mut seeds = match pool.sampling {
        Sampling::Lattice => lattice([0.0; 2], counts, 0.5 * h, DENSITY),
        Sampling::Stratified => stratified([0.0; 2], counts, 0.5 * h, DENSITY),
    };
    seeds.retain(|seed| seed.position[1] > height(pool.floor, seed.position[0]));
    sim.add(0, &seeds)?;
    let weight = GRAVITY * seeds.iter().map(|seed| seed.mass).sum::<f64>();
    let (mut ever, mut last, mut begun) = (0.0f64, 0.0f64, 0.0);
    let late = LOOKS * 3 / 4;
    for look in 0..LOOKS {
        if look == late {
            begun = sim.contact_impulses().total().linear[1];
        }
        sim.advance(DURATION / LOOKS as f64)?;
        let particles = sim.particles();
        let speeds = particles.iter().map(|particle| particle.velocity.norm());
        last = speeds.fold(0.0, worse);
        ever = worse(ever, last);
    }
    let impulse = sim.contact_impulses().total().linear[1] - begun;
    let lasted = DURATION * (LOOKS - late) as f64 / LOOKS as f64;
    let deepest = LEVEL - height(pool.floor, 0.0);
    let mut error = 0.0f64;
    for particle in sim.particles() {
        let depth = LEVEL - particle.position[1];
        if depth > 2.0 * h {
            let tau = particle.kirchhoff_stress;
            let pressure = -0.5 * (tau[0][0] + tau[1][1]) / particle.volume_ratio;
            let off = pressure / (DENSITY * GRAVITY) - depth;
            error = worse(error, off.abs() / deepest);
        }
    }
    Ok(Unrest {
        ever,
        last,
        pressure: error,
        weight: impulse / lasted / weight,
    })
}
