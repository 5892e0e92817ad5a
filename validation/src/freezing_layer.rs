//! A flowing layer that freezes: how far it gets by explicit steps and by projection.
//!
//! **Source.** Both integrators solve the same equations, of the same law: the length at which the
//! layer stops is one of the matter.
//!
//! **Setup.** A square column of melt, 0.4 m high, density 1000 kg/m³, viscosity 30 Pa s, is let go
//! between a slip wall and a no-slip floor 10 K below its melting point, where it starts. Heat
//! capacity 1 J/(kg K), conductivity 4 W/(m K), latent heat 10 J/kg: a layer of 0.1 m freezes in a
//! second. The solid has E = 0.1 MPa, ν = 0.4 and a yield stress of 20 kPa, five times the weight
//! of the column. 32 cells on the height (quick: 16), 2×2 particles per cell, three seconds.
//!
//! **Measured.** How far from the wall 98 % of the mass lie in the end; by how much that changes in
//! the last half second.
//!
//! **Tolerance.** 5 % between the integrators; 0.5 % in the last half second.
//!
//! **Negative controls.** Half of the latent heat freezes the layer sooner, and without a cold floor
//! it does not stop: both must miss.

use anyhow::{Context as _, Result};
use thixo::heat::{Heat, HeatExchange, PhaseParameters, Thermal};
use thixo::integrate::Integrator;
use thixo::material::plastic::HerschelBulkley;
use thixo::material::{Constitutive, PerParticle};
use thixo::projection::Projection;
use thixo::{BodyForce, Contact, Setup, Side, Simulation, Wall};

use crate::heat_conduction::MELTING;
use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const HEIGHT: f64 = 0.4;
const DENSITY: f64 = 1e3;
const LATENT_HEAT: f64 = 10.0;
/// Between the integrators.
const TOLERANCE: f64 = 0.05;
/// Change of the length in the last half second.
const CREEP: f64 = 5e-3;
/// Share of the mass that tells where the layer has run.
const BULK: f64 = 0.98;

/// A layer.
#[derive(Clone, Copy, Debug)]
struct Case {
    integrator: Integrator,
    latent_heat: f64,
    /// Temperature of the floor below the melting point \[K\]; none where it insulates.
    cold: Option<f64>,
    cells: usize,
}

/// Length of the layer half a second before the end, and at the end \[m\].
fn lengths(case: &Case) -> Result<[f64; 2]> {
    let h = HEIGHT / case.cells as f64;
    let solid = HerschelBulkley::new(1e5, 0.4, 2e4, 0.0, 1.0)?;
    let liquid = HerschelBulkley::new(1e5, 0.4, 0.0, 30.0, 1.0)?;
    let mut thermal = Thermal::new(1.0, 4.0).melting_at(MELTING, case.latent_heat);
    let melting = thermal.melting.as_mut().context("it melts")?;
    melting.mechanics = Some(PhaseParameters {
        solid: solid.parameters(),
        liquid: liquid.parameters(),
    });
    let floor = match case.cold {
        Some(cold) => HeatExchange::at_temperature(MELTING - cold),
        None => HeatExchange::insulated(),
    };
    let heat = Heat::new(vec![thermal], MELTING).with_walls(vec![HeatExchange::insulated(), floor]);
    let mut setup = Setup::<2>::new(h)
        .with_integrator(case.integrator)
        .with_threads(1)
        .with_heat(Some(heat))
        .with_body_force(BodyForce::Uniform([0.0, -9.81]));
    setup.walls = vec![
        Wall::new(0, 0.0, Side::Above, Contact::Slip),
        Wall::new(1, 0.0, Side::Above, Contact::Glued),
    ];
    let mut simulation = Simulation::<f64, 2>::new(setup, vec![PerParticle(solid).into()])?;
    let count = 2 * case.cells;
    let seeds = lattice([0.0; 2], [count; 2], 0.5 * h, DENSITY);
    // A hair above the melting point matter enters as a liquid.
    let temperatures = vec![MELTING + 1e-6; seeds.len()];
    simulation.insert(thixo::Insertion::new(0, &seeds).at_temperatures(Some(&temperatures)))?;
    let mut length = [0.0; 2];
    for (time, length) in [2.5, 0.5].into_iter().zip(&mut length) {
        for _ in 0..(10.0 * time) as usize {
            simulation.advance(0.1)?;
        }
        let mut places: Vec<f64> = simulation
            .particles()
            .iter()
            .map(|p| p.position[0])
            .collect();
        places.sort_by(f64::total_cmp);
        *length = places[(BULK * (places.len() - 1) as f64) as usize];
    }
    Ok(length)
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let cells = match effort {
        Effort::Quick => 16,
        Effort::Full => 32,
    };
    let explicit = Case {
        integrator: Integrator::Explicit,
        latent_heat: LATENT_HEAT,
        cold: Some(10.0),
        cells,
    };
    let cases = [
        explicit,
        Case {
            integrator: Integrator::Projection(Projection::default()),
            ..explicit
        },
        Case {
            latent_heat: 0.5 * LATENT_HEAT,
            ..explicit
        },
        Case {
            cold: None,
            ..explicit
        },
    ];
    let found = parallel::map(&cases, lengths)?;
    let title = format!("freezing layer, {cells} cells");
    let (length, creep) = (
        "length at rest [m]",
        "change of the length in the last 0.5 s",
    );
    let moved = |[before, after]: [f64; 2]| after / before - 1.0;
    let [by_explicit, by_projection, half, warm] = found[..] else {
        anyhow::bail!("four cases");
    };
    Ok(vec![
        Row::zero(
            format!("{title}, explicit"),
            creep,
            moved(by_explicit),
            CREEP,
        ),
        Row::zero(
            format!("{title}, projection"),
            creep,
            moved(by_projection),
            CREEP,
        ),
        Row::relative(
            format!("{title}, projection against explicit"),
            length,
            by_explicit[1],
            by_projection[1],
            TOLERANCE,
        ),
        Row::relative(
            format!("{title}, half of the latent heat"),
            length,
            by_explicit[1],
            half[1],
            TOLERANCE,
        )
        .must_miss(),
        Row::zero(format!("{title}, insulated"), creep, moved(warm), CREEP).must_miss(),
    ])
}
