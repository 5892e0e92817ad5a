//! Cantilever: small strains over many steps, in single and double precision and by every
//! integrator.
//!
//! **Source.** The beam of Timoshenko, \[Timoshenko1951\] chapter 3, in plane strain.
//!
//! **Setup.** A neo-Hookean beam of length L = 1 m and thickness t = 0.1 m, E = 10⁷ Pa, ν = 0.3,
//! ρ = 1000 kg/m³, held at one end by a sticky wall or, turned by 30° with F = R(30°) and gravity
//! turned along, by a sticky plane; 2×2 particles per cell, 4 and 8 cells across. Gravity rises
//! smoothly to 1 m/s² within 3 s, five periods of the beam; then the tip is averaged over one
//! period.
//!
//! **Measured.** The deflection of the particles of the last cell.
//!
//! **Expected.** With q = ρgt, E' = E/(1 − ν²) and I = t³/12: qL⁴/(8E'I) + qL²/(2κGt), κ = 5/6, at
//! the free end, 13.80 mm. Strains are some 10⁻³ at the end and grow by 10⁻⁸ per step,
//! displacements by 10⁻⁷ m: far below an ulp of 1, or of positions, in single precision. It must
//! come within 1 % of double precision all the same, straight or turned, which it does because
//! strains are stored as differences from rest and positions as offsets from their block.
//!
//! By optimization, Newton's method and semi-implicit steps as they come, some 1000 times as long
//! as explicit ones, the beam must bend as far: forces must balance where nothing moves.
//!
//! **Tolerance.** 2 % against theory in double precision (the grid is 4 cells across), 1 % between
//! the precisions, and 1 % against theory by implicit steps, which damp the vibration.
//!
//! X-PBD, in the full version, makes its steps as short as ten sweeps and some more can solve.
//!
//! **Negative controls.** The deflection in plane stress must be missed.

use core::f64::consts::PI;

use anyhow::Result;
use thixo::integrate::implicit::{Integrator, Newton, Optimization, SemiImplicit, Xpbd};
use thixo::material::elastic::NeoHookean;
use thixo::{
    BodyForce, Collider, Contact, Instance, Material, Plane, Seed, Setup, Side, Simulation, Wall,
};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.1;
const YOUNG: f64 = 1.0e7;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1.0e3;
const GRAVITY: f64 = 1.0;
/// Time in which gravity rises \[s\].
const RAMP: f64 = 3.0;
/// Frames of implicit steps in that time.
const FRAMES: u32 = 30;
/// Period of the slowest vibration \[s\].
const PERIOD: f64 = 0.59;

/// Precision of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    Single,
    Double,
}

/// A beam to run.
#[derive(Clone, Copy, Debug)]
struct Beam {
    /// Cells across.
    cells: usize,
    /// Angle by which it is turned \[rad\].
    turn: f64,
    precision: Precision,
    integrator: Integrator,
}

/// Deflection of the free end \[m\] for Young's modulus E in bending \[Pa\].
fn deflection(modulus: f64) -> f64 {
    let load = DENSITY * GRAVITY * THICKNESS;
    let inertia = THICKNESS.powi(3) / 12.0;
    let shear_modulus = YOUNG / (2.0 * (1.0 + POISSON));
    let bending = load * LENGTH.powi(4) / (8.0 * modulus * inertia);
    bending + load * LENGTH.powi(2) / (2.0 * 5.0 / 6.0 * shear_modulus * THICKNESS)
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let sizes: &[usize] = match effort {
        Effort::Quick => &[4],
        Effort::Full => &[4, 8],
    };
    let mut beams = Vec::new();
    for &cells in sizes {
        for turn in [0.0, PI / 6.0] {
            for precision in [Precision::Double, Precision::Single] {
                beams.push(Beam {
                    cells,
                    turn,
                    precision,
                    integrator: Integrator::Explicit,
                });
            }
        }
    }
    let explicit = beams.len();
    for (_, integrator) in implicit(effort) {
        for precision in [Precision::Double, Precision::Single] {
            beams.push(Beam {
                precision,
                integrator,
                ..beams[0]
            });
        }
    }
    let tips = parallel::map(&beams, |beam| match beam.precision {
        Precision::Single => tip::<f32>(beam),
        Precision::Double => tip::<f64>(beam),
    })?;
    let quantity = "deflection [m]";
    let mut rows = Vec::new();
    for (beams, tips) in beams[..explicit].chunks(2).zip(tips.chunks(2)) {
        let (beam, double, single) = (&beams[0], tips[0], tips[1]);
        let turned = if beam.turn == 0.0 {
            ""
        } else {
            ", turned by 30°"
        };
        let title = format!("cantilever, {} cells across{turned}", beam.cells);
        if beam.turn == 0.0 {
            let expected = deflection(YOUNG / (1.0 - POISSON * POISSON));
            rows.push(Row::relative(
                title.clone(),
                quantity,
                expected,
                double,
                0.02,
            ));
            let in_plane_stress = deflection(YOUNG);
            let wrong = format!("{title}, plane stress");
            rows.push(Row::relative(wrong, quantity, in_plane_stress, double, 0.02).must_miss());
        }
        rows.push(Row::record(
            title.clone(),
            "over theory",
            double / deflection(YOUNG / (1.0 - POISSON * POISSON)),
        ));
        let title = format!("{title}, single against double precision");
        rows.push(Row::relative(title, quantity, double, single, 0.01));
    }
    let expected = deflection(YOUNG / (1.0 - POISSON * POISSON));
    for ((name, _), got) in implicit(effort).into_iter().zip(tips[explicit..].chunks(2)) {
        for (precision, &got) in ["double", "single"].into_iter().zip(got) {
            let title = format!("cantilever, 4 cells across, {name}, {precision} precision");
            rows.push(Row::relative(title, quantity, expected, got, 0.01));
        }
    }
    Ok(rows)
}

/// Implicit integrators as they come, with their names.
fn implicit(effort: Effort) -> Vec<(&'static str, Integrator)> {
    let mut all = vec![
        (
            "optimization",
            Integrator::Optimization(Optimization::default()),
        ),
        ("newton", Integrator::Newton(Newton::default())),
        (
            "semi-implicit",
            Integrator::SemiImplicit(SemiImplicit::default()),
        ),
    ];
    if effort == Effort::Full {
        all.push(("X-PBD", Integrator::Xpbd(Xpbd::default())));
    }
    all
}

/// Mean deflection of the last cell \[m\].
fn tip<T: Instance<2>>(beam: &Beam) -> Result<f64>
where
    Box<dyn Material<T, 2>>: From<NeoHookean>,
{
    let h = THICKNESS / beam.cells as f64;
    let (sin, cos) = beam.turn.sin_cos();
    let along = [cos, sin];
    let down = [sin, -cos];
    let mut setup = Setup::<2>::new(h);
    setup.threads = 1;
    setup.integrator = beam.integrator;
    setup.body_force = BodyForce::field(move |_, t| {
        let rise = if t < RAMP {
            0.5 - 0.5 * (PI * t / RAMP).cos()
        } else {
            1.0
        };
        down.map(|x| GRAVITY * rise * x)
    });
    if beam.turn == 0.0 {
        let wall = Wall::new(0, 0.0, Side::Above, Contact::Glued);
        setup.walls.push(wall);
    } else {
        let plane = Plane::new([0.0; 2], along)?;
        setup.colliders.push(Collider::new(plane, Contact::Glued)?);
    }
    let law = NeoHookean::from_young_poisson(YOUNG, POISSON)?;
    let mut sim = Simulation::<T, 2>::new(setup, vec![law.into()])?;
    let grip = if beam.turn == 0.0 {
        0
    } else {
        std::env::var("GRIP").map_or(0, |g| g.parse().unwrap())
    };
    let count = [20 * beam.cells + 2 * grip, 2 * beam.cells];
    let straight = lattice([-(grip as f64) * h, 0.0], count, 0.5 * h, DENSITY);
    let turned = straight.iter().map(|seed| {
        let [x, y] = seed.position;
        Seed {
            position: [x * cos - y * sin, x * sin + y * cos],
            deformation_gradient: [[cos, -sin], [sin, cos]],
            ..*seed
        }
    });
    sim.add(0, &turned.collect::<Vec<_>>())?;
    let at_end: Vec<bool> = straight
        .iter()
        .map(|seed| seed.position[0] > LENGTH - h)
        .collect();
    let depth = |sim: &Simulation<T, 2>| {
        let particles = sim.particles().into_iter().zip(&at_end);
        let of_end = particles.filter(|(_, at_end)| **at_end);
        let depths: Vec<f64> = of_end
            .map(|(p, _)| p.position[0] * down[0] + p.position[1] * down[1])
            .collect();
        depths.iter().sum::<f64>() / depths.len() as f64
    };
    let start = depth(&sim);
    // Implicit steps are as long as frames, and would not notice a force that begins in one.
    let frames = if beam.integrator.is_explicit() {
        1
    } else {
        FRAMES
    };
    for _ in 0..frames {
        sim.advance(RAMP / f64::from(frames))?;
    }
    let looks = 16;
    let mut mean = 0.0;
    for _ in 0..looks {
        sim.advance(PERIOD / f64::from(looks))?;
        mean += (depth(&sim) - start) / f64::from(looks);
    }
    Ok(mean)
}
