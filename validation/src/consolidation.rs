//! Consolidation: a saturated layer under a load that comes at once.
//!
//! **Source.** Terzaghi's equation of one dimension (\[Terzaghi1943\]), with the storage of the
//! water: c_v = k/(ρ_w g (1/M + n/K)).
//!
//! **Setup.** A layer of height H = 10 m between slip walls, on a floor that lets nothing through,
//! drained above; a neo-Hookean skeleton with the constrained modulus M = 1.8 MPa and the porosity
//! 0.4, water of the bulk modulus K = 40 M n; no gravity. The load q = 10⁻³ M acts on the skeleton;
//! at the start the water bears all of it. The hydraulic conductivity is so large that a run is
//! short, and so small that inertia does not matter: c_v/H is a fifteenth of the skeleton's speed of
//! sound.
//!
//! **Measured.** The settlement of the uppermost particles over that of the drained layer, qH/M:
//! the degree of consolidation U, at T_v = c_v t/H² = 0.1, 0.2 and 0.5.
//!
//! **Expected.** U = 1 − Σ 2/M_m² exp(−M_m² T_v), M_m = π(m + ½): 0.357, 0.504, 0.764.
//!
//! **Tolerance.** 1 % at 64 cells: particles of the surface are a quarter of a cell inside.
//!
//! **Negative controls.** Soil of twice the conductivity of the formula must miss.

use core::f64::consts::PI;

use anyhow::Result;
use thixo::material::elastic::NeoHookean;
use thixo::material::fluid::{PressureLaw, WeaklyCompressible};
use thixo::{
    Contact, Coupling, Drag, Load, LoadedSurface, Mixture, Phase, PorePressure, Relaxation, Setup,
    Side, Simulation, SurfaceElement, Wall,
};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const HEIGHT: f64 = 10.0;
const MODULUS: f64 = 1.8e6;
const POISSON: f64 = 0.3;
const POROSITY: f64 = 0.4;
const GRAINS: f64 = 2650.0;
const WATER: f64 = 1000.0;
const GRAVITY: f64 = 9.80665;
/// Bulk modulus of the water over porosity and modulus of the skeleton.
const STIFFNESS: f64 = 40.0;
/// Load over the modulus.
const LOAD: f64 = 1e-3;
/// Hydraulic conductivity \[m/s\].
const CONDUCTIVITY: f64 = 0.1;
/// Cells across the layer.
const WIDTH: usize = 4;
const TOLERANCE: f64 = 0.01;

/// A layer to run.
#[derive(Clone, Copy, Debug)]
struct Layer {
    name: &'static str,
    cells: usize,
    relaxation: Relaxation,
    /// Conductivity over that of the formula.
    conductivity: f64,
    /// Times T_v.
    times: [f64; 3],
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let (cells, times) = match effort {
        Effort::Quick => (32, [0.05, 0.1, 0.2]),
        Effort::Full => (64, [0.1, 0.2, 0.5]),
    };
    let layer = Layer {
        name: "consolidation",
        cells,
        relaxation: Relaxation::Exact,
        conductivity: 1.0,
        times,
    };
    let layers = [
        layer,
        Layer {
            name: "consolidation, twice the conductivity",
            conductivity: 2.0,
            ..layer
        },
    ];
    let traces = parallel::map(&layers, settle)?;
    let mut rows = Vec::new();
    for (layer, degrees) in layers.iter().zip(&traces) {
        let title = format!("{}, {} cells", layer.name, layer.cells);
        let pairs = degrees.iter().zip(layer.times);
        let worst = pairs.fold(0.0, |worst: f64, (degree, time)| {
            worst.max((degree / consolidated(time) - 1.0).abs())
        });
        let row = Row::zero(&title, "error of the settlement", worst, TOLERANCE);
        if layer.conductivity == 1.0 {
            rows.push(row);
            for (degree, time) in degrees.iter().zip(layer.times) {
                let case = format!("{title}, T_v = {time}");
                rows.push(Row::record(case, "degree of consolidation", *degree));
            }
        } else {
            rows.push(row.must_miss());
        }
    }
    Ok(rows)
}

/// The degree of consolidation U(T_v).
fn consolidated(time: f64) -> f64 {
    let term = |m: i32| {
        let root = PI * (f64::from(m) + 0.5);
        2.0 / (root * root) * (-root * root * time).exp()
    };
    1.0 - (0..200).map(term).sum::<f64>()
}

/// Degrees of consolidation at the times of a layer.
fn settle(layer: &Layer) -> Result<Vec<f64>> {
    let h = HEIGHT / layer.cells as f64;
    let load = LOAD * MODULUS;
    let bulk = STIFFNESS * POROSITY * MODULUS;
    let storage = 1.0 / MODULUS + POROSITY / bulk;
    let diffusivity = CONDUCTIVITY / (WATER * GRAVITY * storage);
    let drag = Drag::Conductivity {
        conductivity: layer.conductivity * CONDUCTIVITY,
        porosity: POROSITY,
    };
    let coupling = Coupling {
        fluid: 1,
        solid: 0,
        drag,
    };
    let phases = vec![Phase::new("soil", 0, GRAINS), Phase::new("water", 1, WATER)];
    let mixture = Mixture::new(phases)
        .with_couplings(vec![coupling])
        .with_relaxation(layer.relaxation)
        .with_pore_pressure(PorePressure::Shared);
    let width = WIDTH as f64 * h;
    let count = 2 * WIDTH;
    let elements = (0..count).map(|k| SurfaceElement {
        position: [(k as f64 + 0.5) * 0.5 * h, HEIGHT],
        area: [0.0, 0.5 * h],
    });
    let surface = LoadedSurface::new(
        "load",
        elements.collect(),
        Load::traction(move |_, _| [0.0, -load]),
    );
    let setup = Setup::<2>::new(h)
        .with_threads(1)
        .with_loads(vec![surface?])
        .with_walls(vec![
            Wall::new(1, 0.0, Side::Above, Contact::Slip),
            Wall::new(0, 0.0, Side::Above, Contact::Slip),
            Wall::new(0, width, Side::Below, Contact::Slip),
        ])
        .with_mixture(Some(mixture));
    let young = MODULUS * (1.0 + POISSON) * (1.0 - 2.0 * POISSON) / (1.0 - POISSON);
    let soil = NeoHookean::from_young_poisson(young, POISSON)?;
    let water = WeaklyCompressible::new(bulk, 0.0, PressureLaw::Linear)?;
    let mut sim = Simulation::<f64, 2>::new(setup, vec![soil.into(), water.into()])?;
    let counts = [count, 2 * layer.cells];
    let skeleton = lattice([0.0; 2], counts, 0.5 * h, (1.0 - POROSITY) * GRAINS);
    let mut pores = lattice([0.0; 2], counts, 0.5 * h, POROSITY * WATER);
    for seed in &mut pores {
        // The water bears the load.
        let j = 1.0 - load / bulk;
        seed.deformation_gradient = [[j.sqrt(), 0.0], [0.0, j.sqrt()]];
        seed.rest_volume *= POROSITY / j;
    }
    sim.add(0, &skeleton)?;
    sim.add(1, &pores)?;
    let top = HEIGHT - 0.25 * h;
    let mut degrees = Vec::new();
    for time in layer.times {
        let end = time * HEIGHT * HEIGHT / diffusivity;
        while sim.time() < end {
            sim.advance((end - sim.time()).min(0.1))?;
        }
        let uppermost = sim.particles();
        let uppermost = uppermost.iter().filter(|p| p.material == 0);
        let uppermost = uppermost.rev().take(count);
        let mean = uppermost.map(|p| p.position[1]).sum::<f64>() / count as f64;
        degrees.push((top - mean) / (LOAD * top));
    }
    Ok(degrees)
}
