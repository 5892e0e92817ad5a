//! Integrators: all of them make the same motion of short steps, and how far X-PBD and optimisation
//! let sand run in steps ten times as long.
//!
//! **Source.** They solve the same equations: backward Euler tends to the explicit step as the step
//! gets shorter. \[Jiang2016\] §11, \[Gast2015\], \[Qu2023\] §5 and figures 10, 11.
//!
//! **Setup.** A soft beam, 1 m long and 0.25 m high, neo-Hookean with E = 1 MPa, ν = 0.3, ρ = 1000
//! kg/m³, held by a no-slip wall, bends under its weight for 0.2 s, nearly to its turning point, in
//! steps of 0.4 ms. 16×4 cells (8×2 in the quick version), 2×2 particles per cell, double
//! precision. A column of sand, that of the sand column collapse with a = 2 and 16 cells (8), in
//! explicit steps, and by X-PBD with ten iterations and by optimisation in steps ten times as long.
//!
//! **Measured.** The largest distance between a particle and itself with explicit steps, at ten
//! moments, over the largest travel. For sand, how far from the wall 98 % of the mass lie in the
//! end.
//!
//! **Tolerance.** 1 % of the travel: backward Euler damps the slowest bending, ω = 8/s, by ½ω²Δt
//! t = 0.26 %. 5 % of the run-out of sand, by which it also differs between explicit steps of the
//! usual length and the longest that are stable: every transfer damps, so that longer steps run
//! further. Optimisation makes a tenth of the transfers, and is compared with X-PBD that does so
//! too: 3 %, though one finds velocities and friction by minimising, and the other by sweeps.
//!
//! **Negative controls.** Optimisation with steps 25 times as long damps by 6 % and must miss.
//! X-PBD as in Qu et al. Eq. 25 adds up what was right along earlier directions, and must miss
//! (full version). With one transfer a step instead of as many as in explicit steps, sand must run
//! too far.

use anyhow::{Context, Result};
use thixo::integrate::implicit::{
    Form, Integrator, Newton, Optimization, SemiImplicit, Transfers, Xpbd,
};
use thixo::material::elastic::NeoHookean;
use thixo::material::plastic::{DruckerPrager, FrictionHardening, FrictionMatch};
use thixo::{BodyForce, Contact, Setup, Side, Simulation, Wall};

use crate::sampling::{lattice, stratified};
use crate::{Effort, Row, basin, parallel};

const GRAVITY: f64 = 9.81;
/// Of the beam's travel.
const TOLERANCE: f64 = 0.01;
/// Of the sand's run-out.
const RUN_OUT: f64 = 0.05;
/// Between two ways to solve the same long steps.
const SAME_STEPS: f64 = 0.03;
/// Steps of the beam \[s\], and how many there are.
const STEP: f64 = 4e-4;
const STEPS: u64 = 500;
/// Moments at which beams are compared.
const MOMENTS: u64 = 10;
/// Width of the column of sand \[m\].
const WIDTH: f64 = 0.1;
const SAND_DENSITY: f64 = 1.6e3;
/// Share of the sand that tells where it has run.
const BULK: f64 = 0.98;

/// A beam to bend.
#[derive(Clone, Copy, Debug)]
struct Beam {
    integrator: Integrator,
    /// Steps per step of the comparison, inverse.
    longer: u64,
    /// Cells along it.
    cells: usize,
}

/// Positions of all particles at some moments.
type Motion = Vec<Vec<[f64; 2]>>;

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let cells = match effort {
        Effort::Quick => 8,
        Effort::Full => 16,
    };
    let mut rows = bend(cells)?;
    rows.extend(pour(cells, effort)?);
    Ok(rows)
}

/// All integrators on the beam.
fn bend(cells: usize) -> Result<Vec<Row>> {
    let beam = |integrator| Beam {
        integrator,
        longer: 1,
        cells,
    };
    let optimization = Integrator::Optimization(Optimization::default().with_tolerance(1e-6));
    let damped = Beam {
        longer: 25,
        ..beam(Integrator::Optimization(Optimization::default()))
    };
    let beams = [
        beam(Integrator::Explicit),
        beam(Integrator::SemiImplicit(SemiImplicit::default())),
        beam(Integrator::Newton(Newton::default().with_tolerance(1e-6))),
        beam(optimization),
        beam(Integrator::Xpbd(Xpbd::default())),
        damped,
    ];
    let motions = parallel::map(&beams, swing)?;
    let begun = &motions[0][0];
    let travel = distance(begun, motions[0].last().context("a motion")?);
    let mut rows = vec![Row::record("beam, explicit", "travel [m]", travel)];
    for (beam, motion) in beams.iter().zip(&motions).skip(1) {
        let pairs = motion.iter().zip(&motions[0]);
        let apart = pairs.map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        let name = beam.integrator.name();
        let case = format!("beam, {name}, {} ms steps", 1e3 * STEP * beam.longer as f64);
        let row = Row::zero(
            case,
            "distance from explicit [travel]",
            apart / travel,
            TOLERANCE,
        );
        rows.push(if beam.longer == 1 {
            row
        } else {
            row.must_miss()
        });
    }
    Ok(rows)
}

/// Lets a beam swing.
fn swing(beam: &Beam) -> Result<Motion> {
    let h = 1.0 / beam.cells as f64;
    let setup = Setup::new(h)
        .with_threads(1)
        .with_integrator(beam.integrator)
        .with_body_force(BodyForce::Uniform([0.0, -GRAVITY]))
        .with_walls(vec![Wall::new(0, 0.0, Side::Above, Contact::Glued)]);
    let law = NeoHookean::from_young_poisson(1e6, 0.3)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![law.into()])?;
    let counts = [2 * beam.cells, beam.cells / 2];
    sim.add(0, &lattice([0.0; 2], counts, 0.5 * h, 1e3))?;
    let place = |sim: &Simulation<f64, 2>| sim.particles().iter().map(|p| p.position.0).collect();
    let mut motion = vec![place(&sim)];
    let steps = STEPS / MOMENTS / beam.longer;
    for _ in 0..MOMENTS {
        sim.run_steps(STEP * beam.longer as f64, steps)?;
        motion.push(place(&sim));
    }
    Ok(motion)
}

/// The largest distance between the same particles \[m\].
fn distance(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let apart = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[0]).hypot(a[1] - b[1]);
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

/// A column of sand to release.
#[derive(Clone, Copy, Debug)]
struct Column {
    integrator: Integrator,
    /// Share of the stability limit that explicit steps use.
    safety: f64,
    cells: usize,
}

/// The column of sand by explicit steps and by X-PBD.
fn pour(cells: usize, effort: Effort) -> Result<Vec<Row>> {
    let longest = Column {
        integrator: Integrator::Explicit,
        safety: 1.0,
        cells,
    };
    let usual = Column {
        safety: 0.5,
        ..longest
    };
    let by = |form, transfers| Column {
        integrator: Integrator::Xpbd(Xpbd::default().with_form(form).with_transfers(transfers)),
        ..usual
    };
    let swept = by(Form::Replaced, Transfers::AsExplicit);
    let once = by(Form::Replaced, Transfers::Once);
    let solved = Column {
        integrator: Integrator::Optimization(Optimization::default()),
        ..usual
    };
    let mut columns = vec![longest, usual, swept, once, solved];
    if effort == Effort::Full {
        columns.push(by(Form::QuEq25, Transfers::AsExplicit));
    }
    let ends = parallel::map(&columns, collapse)?;
    let quantity = "run-out [L₀]";
    let case = |name: &str| format!("sand column, {name}");
    let mut rows = vec![
        Row::record(case("explicit, stability limit"), quantity, ends[0]),
        Row::record(case("explicit, half of it"), quantity, ends[1]),
        Row::relative(
            case("X-PBD, ten times that"),
            quantity,
            ends[1],
            ends[2],
            RUN_OUT,
        ),
        Row::relative(
            case("X-PBD, ten times that, transfers once"),
            quantity,
            ends[1],
            ends[3],
            RUN_OUT,
        )
        .must_miss(),
        Row::relative(
            case("optimization, the same steps"),
            quantity,
            ends[3],
            ends[4],
            SAME_STEPS,
        ),
    ];
    rows.extend(ends.get(5).map(|&end| {
        let name = case("X-PBD as in Qu et al. Eq. 25, ten times that");
        Row::relative(name, quantity, ends[1], end, RUN_OUT).must_miss()
    }));
    Ok(rows)
}

/// Releases a column; returns how far beyond its width most of it has run, over the width.
fn collapse(column: &Column) -> Result<f64> {
    let Column {
        integrator,
        safety,
        cells,
    } = *column;
    let h = WIDTH / cells as f64;
    let mut setup = Setup::new(h)
        .with_threads(1)
        .with_body_force(BodyForce::Uniform([0.0, -GRAVITY]))
        .with_walls(vec![
            Wall::new(0, 0.0, Side::Above, Contact::Slip),
            Wall::new(1, 0.0, Side::Above, Contact::Separating { friction: 0.6 }),
        ]);
    let seeds = stratified([0.0; 2], [2 * cells, 4 * cells], 0.5 * h, SAND_DENSITY);
    let law = || -> Result<DruckerPrager> {
        let young = 200.0 * SAND_DENSITY * GRAVITY * WIDTH;
        let law = DruckerPrager::new(young, 0.3, FrictionHardening::constant(30.0))?;
        Ok(law.with_friction_match(FrictionMatch::PlaneStrain))
    };
    setup.time_step.safety = safety;
    if !integrator.is_explicit() {
        let mut still = Simulation::<f32, 2>::new(setup.clone(), vec![law()?.into()])?;
        still.add(0, &seeds)?;
        setup.time_step.longest = 10.0 * still.forecast()?.materials[0].step;
    }
    setup.integrator = integrator;
    let mut sim = Simulation::<f32, 2>::new(setup, vec![law()?.into()])?;
    sim.add(0, &seeds)?;
    sim.advance(10.0 * (WIDTH / GRAVITY).sqrt())?;
    let places = basin::sorted_x(&sim);
    let last = (BULK * places.len() as f64) as usize;
    Ok(places[last] / WIDTH - 1.0)
}
