//! Consolidation: a loaded layer of saturated soil gives off its water.
//!
//! **Source.** \[Terzaghi1943\]; the theory of heat conduction has the series.
//!
//! **Setup.** A layer H = 10 m deep without weight, periodic across: a skeleton with the
//! constrained modulus M = 1.8 MPa and the porosity n = 0.4, and water in its pores, as two phases
//! with the pressure `Shared`, smoothed by 2 % a step, equation (73a). The skeleton is loaded on
//! top with q = 1.8 kPa; water leaves there and nowhere else. At first it bears all of the load, p
//! = q. 80 cells, or 40 (quick).
//!
//! **Measured.** The settlement of the load over the final one q H/M, and the pressure of the
//! lowest cell of water over q, at the time factors T = c t/H² = 0.1, 0.2 and 0.5.
//!
//! **Expected.** p/q = Σ (2/m) sin(m z/H) e^{−m² T}, m = π/2, 3π/2 …, with the depth z and
//! c = k/(ρ g (1/M + n/K)), where the water's modulus K lets a little of it stay; U = 1 − Σ (2/m²)
//! e^{−m² T} = 0.357, 0.504, 0.764.
//!
//! **Tolerance.** 1 % of the final settlement; 2 % of the load for the pressure at T = 0.2 and 0.5.
//! What is left falls with h: in the uppermost cell nodes are not full, and the skeleton gives way
//! there as a loaded free end does. At 20 cells it is recorded.
//!
//! **The step** must not know the permeability: that of a layer 10⁶ times tighter is the same
//! within 10 %, by which the ends of frames shorten it, and that layer settles by less than 1 %.
//!
//! **Negative controls.** A conductivity 10 % higher (not quick). The layer without smoothing:
//! pressures of particles must differ from the answer by more than those with it may, a tenth of
//! the load by the root of their mean square.

use core::f64::consts::PI;

use anyhow::{Result, bail};
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{
    Contact, Coupling, Drag, Load, LoadedSurface, Mixture, Phase, PorePressure, Seed, Setup, Side,
    Simulation, SurfaceElement, Wall,
};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const SETTLEMENT_TOLERANCE: f64 = 0.01;
const PRESSURE_TOLERANCE: f64 = 0.02;
/// Largest relative difference of the steps of layers that are more and less tight.
const STEP_TOLERANCE: f64 = 0.1;
/// Largest root mean square of the differences of particles' pressures, over the load.
const SCATTER_TOLERANCE: f64 = 0.1;
/// Depth of the layer \[m\].
const DEPTH: f64 = 10.0;
/// Cells across, periodic.
const ACROSS: usize = 4;
/// Constrained modulus \[Pa\] and Poisson's ratio of the skeleton.
const CONSTRAINED: f64 = 1.8e6;
const POISSON: f64 = 0.3;
const POROSITY: f64 = 0.4;
/// Densities of grains and water \[kg/m³\].
const GRAINS: f64 = 2650.0;
const WATER: f64 = 1000.0;
/// Modulus of the water \[Pa\].
const BULK: f64 = 2e7;
/// Load \[Pa\].
const LOAD: f64 = 1.8e3;
/// Hydraulic conductivity \[m/s\], and the gravity that defines it \[m/s²\].
const CONDUCTIVITY: f64 = 0.04;
const GRAVITY: f64 = 9.80665;
/// Time factors at which one looks.
const TIME_FACTORS: [f64; 3] = [0.1, 0.2, 0.5];

/// A layer to load.
#[derive(Clone, Copy, Debug)]
struct Layer {
    /// Hydraulic conductivity \[m/s\].
    conductivity: f64,
    cells: usize,
    /// Bulk modulus of the water \[Pa\].
    bulk: f64,
    /// Smoothing of the pressure.
    smoothing: f64,
}

/// Degree of consolidation at a time factor.
fn degree(time_factor: f64) -> f64 {
    let terms = (0..200).map(|k| {
        let m = PI * (f64::from(k) + 0.5);
        2.0 / (m * m) * (-m * m * time_factor).exp()
    });
    1.0 - terms.sum::<f64>()
}

/// Pressure at a depth \[m\] over the load.
fn pressure(depth: f64, time_factor: f64) -> f64 {
    let terms = (0..200).map(|k| {
        let m = PI * (f64::from(k) + 0.5);
        2.0 / m * (m * depth / DEPTH).sin() * (-m * m * time_factor).exp()
    });
    terms.sum()
}

/// Coefficient of consolidation \[m²/s\].
fn coefficient(conductivity: f64, bulk: f64) -> f64 {
    conductivity / (WATER * GRAVITY * (1.0 / CONSTRAINED + POROSITY / bulk))
}

fn build(layer: Layer) -> Result<Simulation<f64, 2>> {
    let h = DEPTH / layer.cells as f64;
    let drag = Coupling {
        fluid: 1,
        solid: 0,
        drag: Drag::Conductivity {
            conductivity: layer.conductivity,
            porosity: POROSITY,
        },
    };
    let phases = vec![Phase::new("soil", 0, GRAINS), Phase::new("water", 1, WATER)];
    let mixture = Mixture::new(phases)
        .with_couplings(vec![drag])
        .with_pore_pressure(PorePressure::Shared)
        .with_pressure_smoothing(layer.smoothing);
    let columns = 2 * ACROSS;
    let elements = (0..columns)
        .map(|k| SurfaceElement {
            position: [(k as f64 + 0.5) * 0.5 * h, DEPTH],
            area: [0.0, 0.5 * h],
        })
        .collect();
    let mut setup = Setup::<2>::new(h)
        .with_periods([Some(ACROSS as u32), None])
        .with_threads(1)
        .with_mixture(Some(mixture));
    setup
        .walls
        .push(Wall::new(1, 0.0, Side::Above, Contact::Slip));
    setup.loads.push(LoadedSurface::new(
        "top",
        elements,
        Load::pressure(|_, _| LOAD),
    )?);
    let young = CONSTRAINED * (1.0 + POISSON) * (1.0 - 2.0 * POISSON) / (1.0 - POISSON);
    let soil = NeoHookean::from_young_poisson(young, POISSON)?;
    let water = WeaklyCompressible::new(layer.bulk, 0.0, PressureLaw::Linear)?;
    let mut simulation = Simulation::new(setup, vec![soil.into(), water.into()])?;
    let cells = lattice([0.0; 2], [columns, 2 * layer.cells], 0.5 * h, 1.0);
    // The volume of soil is that of grains and pores, which has its stress.
    let part = |share: f64, density: f64| -> Vec<Seed<2>> {
        let thinned = cells.iter().map(|seed| Seed {
            mass: seed.rest_volume * density,
            rest_volume: seed.rest_volume * share,
            ..*seed
        });
        thinned.collect()
    };
    simulation.add(0, &part(1.0, (1.0 - POROSITY) * GRAINS))?;
    let mut water = part(POROSITY, POROSITY * WATER);
    let j = 1.0 - LOAD / layer.bulk;
    for seed in &mut water {
        seed.deformation_gradient = [[j.sqrt(), 0.0], [0.0, j.sqrt()]];
        seed.rest_volume /= j;
    }
    simulation.add(1, &water)?;
    Ok(simulation)
}

/// Observations of a layer at the time factors.
#[derive(Clone, Debug, Default)]
struct Trace {
    /// Settlement over the final one.
    settlement: Vec<f64>,
    /// Pressure of the water at the bottom over the load.
    bottom: Vec<f64>,
    /// Root of the mean square by which pressures of particles differ from the answer, over the
    /// load.
    profile: Vec<f64>,
    /// The shortest step of the last frame \[s\].
    step: f64,
}

/// Loads a layer and looks at it.
fn consolidate(layer: &Layer) -> Result<Trace> {
    let mut simulation = build(*layer)?;
    let c = coefficient(CONDUCTIVITY, layer.bulk);
    let mut trace = Trace::default();
    let mut time = 0.0;
    for time_factor in TIME_FACTORS {
        let end = time_factor * DEPTH * DEPTH / c;
        let report = simulation.advance(end - time)?;
        trace.step = report.dt_min;
        time = end;
        let elements = simulation.loads()[0].elements();
        let height = elements.iter().map(|e| e.position[1]).sum::<f64>() / elements.len() as f64;
        let last = LOAD * DEPTH / CONSTRAINED;
        trace.settlement.push((DEPTH - height) / last);
        let water = pressures(&simulation);
        let h = DEPTH / layer.cells as f64;
        let lowest: Vec<f64> = water.iter().filter(|p| p.0 < h).map(|p| p.1).collect();
        let mean = lowest.iter().sum::<f64>() / lowest.len() as f64;
        trace.bottom.push(mean / LOAD);
        let off = |&(y, p): &(f64, f64)| (p / LOAD - pressure(DEPTH - y, time_factor)).powi(2);
        trace.profile.push(root_mean(water.iter().map(off)));
    }
    Ok(trace)
}

/// Heights \[m\] and pressures \[Pa\] of the particles of water within the layer.
fn pressures(simulation: &Simulation<f64, 2>) -> Vec<(f64, f64)> {
    let particles = simulation.particles();
    let water = particles.iter().filter(|p| p.material == 1);
    let pressure = |p: &thixo::Particle<f64, 2>| {
        let trace = p.kirchhoff_stress[0][0] + p.kirchhoff_stress[1][1];
        (p.position[1], -0.5 * trace / p.volume_ratio)
    };
    water.map(pressure).collect()
}

fn root_mean(squares: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = squares.fold((0.0, 0.0), |(sum, count), s| (sum + s, count + 1.0));
    (sum / count).sqrt()
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let layer = Layer {
        conductivity: CONDUCTIVITY,
        cells: match effort {
            Effort::Quick => 40,
            Effort::Full => 80,
        },
        bulk: BULK,
        smoothing: 0.02,
    };
    let leaky = Layer {
        conductivity: 1.1 * CONDUCTIVITY,
        ..layer
    };
    let coarse = Layer { cells: 20, ..layer };
    let rough = Layer {
        smoothing: 0.0,
        ..coarse
    };
    let tight = Layer {
        conductivity: 1e-6 * CONDUCTIVITY,
        ..coarse
    };
    let mut layers = vec![layer, coarse, rough, tight];
    if effort == Effort::Full {
        layers.push(leaky);
    }
    let traces = parallel::map(&layers, consolidate)?;
    let [fine, coarse, rough, tight, leaky @ ..] = &traces[..] else {
        bail!("four layers or five have as many traces");
    };
    let mut rows = Vec::new();
    let title = format!("consolidation, {} cells", layer.cells);
    for (k, time_factor) in TIME_FACTORS.into_iter().enumerate() {
        let (settlement, bottom) = NAMES[k];
        let row = |title: &str, trace: &Trace| {
            let error = trace.settlement[k] - degree(time_factor);
            Row::zero(title, settlement, error, SETTLEMENT_TOLERANCE)
        };
        rows.push(row(&title, fine));
        for leaky in leaky {
            rows.push(row(&format!("{title}, 10 % more conductive"), leaky).must_miss());
        }
        let error = fine.bottom[k] - pressure(DEPTH, time_factor);
        // At first the water swings: nothing but its flow brings it to rest.
        rows.push(match k {
            0 => Row::record(&title, bottom, error),
            _ => Row::zero(&title, bottom, error, PRESSURE_TOLERANCE),
        });
        let title = "consolidation, 20 cells";
        let error = coarse.settlement[k] - degree(time_factor);
        rows.push(Row::record(title, settlement, error));
    }
    let title = "consolidation, 20 cells";
    let name = "differences of particles' pressures";
    let scatter =
        |title: &str, trace: &Trace| Row::zero(title, name, trace.profile[2], SCATTER_TOLERANCE);
    rows.push(scatter(title, coarse));
    rows.push(scatter(&format!("{title}, not smoothed"), rough).must_miss());
    let title = format!("{title}, 10⁶ times tighter");
    let name = "shortest step over that of the layer";
    let ratio = tight.step / coarse.step;
    rows.push(Row::relative(&title, name, 1.0, ratio, STEP_TOLERANCE));
    let name = "settlement at T = 0.5 of the layer";
    let settled = tight.settlement[2];
    rows.push(Row::zero(&title, name, settled, SETTLEMENT_TOLERANCE));
    Ok(rows)
}

/// Names of the differences at the time factors: settlement, and pressure at the bottom.
const NAMES: [(&str, &str); 3] = [
    (
        "settlement at T = 0.1, difference",
        "pressure at T = 0.1, difference",
    ),
    (
        "settlement at T = 0.2, difference",
        "pressure at T = 0.2, difference",
    ),
    (
        "settlement at T = 0.5, difference",
        "pressure at T = 0.5, difference",
    ),
];
