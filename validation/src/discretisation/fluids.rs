//! A fluid by several models and kernels. \[Nilles2020\] Fig. 20 and 24 as numbers.
//!
//! In 2D a column of liquid, 16 by 16 cells, 2×2 particles per cell, collapses into a box of twice its width (slip walls), runs up the far wall
//! and sloshes. The same bulk modulus, c = 10 √(g H), by: Tait's fluid; sand without friction with volume correction; neo-Hookean
//! with a vanishing shear modulus. Without strength they are the same liquid, so the front must be the same on its way to the wall,
//! at t = 1.3 √(H/g). Afterwards the volume of the pool, from the height of its centre of mass averaged over the last quarter of
//! 16 √(H/g), shows what the discretisation makes of it: V/V⁰ = 2 ȳ W/ΣV⁰, too large by the square of the slope of the surface that is
//! left and too small by the compression, both about 1 %.

use anyhow::Result;
use thixo::material::elastic::{NeoHookean, lame};
use thixo::material::fluid::{PressureLaw, Tension, WeaklyCompressible};
use thixo::material::plastic::{DruckerPrager, FrictionHardening};
use thixo::{
    BodyForce, Contact, KernelKind, Material, Setup, Side, Simulation, Transfer, Wall,
};

use crate::sampling::stratified;
use crate::{Effort, Row, parallel};

const DENSITY: f64 = 1.0e3;
const GRAVITY: f64 = 9.81;
/// Width and height of the column \[m\].
const SIZE: f64 = 0.4;
/// Cells across it.
const CELLS: usize = 16;
/// Fronts of the same liquid by two models may differ by this much, of the distance run.
const FRONT: f64 = 0.1;

/// What the liquid is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    Fluid,
    Releasing,
    Sand,
    NeoHookean,
    /// Not a liquid: sand with friction.
    Rough,
}

/// A column to run.
#[derive(Clone, Copy, Debug)]
struct Liquid {
    name: &'static str,
    model: Model,
    kernel: KernelKind,
}

/// What it did.
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// Distance run over the width of the column.
    front: f64,
    /// Volume of the pool over that at rest.
    volume: f64,
}

/// Runs the columns.
pub(super) fn run(effort: Effort) -> Result<Vec<Row>> {
    let (quadratic, cubic) = (KernelKind::Quadratic, KernelKind::Cubic);
    let liquid = |name, model, kernel| Liquid {
        name,
        model,
        kernel,
    };
    let mut liquids = vec![
        liquid("Tait", Model::Fluid, quadratic),
        liquid("sand without friction", Model::Sand, quadratic),
        liquid("sand of 30°", Model::Rough, quadratic),
    ];
    if effort == Effort::Full {
        liquids.extend([
            liquid("neo-Hookean", Model::NeoHookean, quadratic),
            liquid("Tait, no tension", Model::Releasing, quadratic),
            liquid("Tait, cubic", Model::Fluid, cubic),
            liquid("Tait, no tension, cubic", Model::Releasing, cubic),
            liquid("sand without friction, cubic", Model::Sand, cubic),
        ]);
    }
    let flows = parallel::map(&liquids, pour)?;
    let reference = flows[0].front;
    let mut rows = Vec::new();
    for (liquid, flow) in liquids.iter().zip(&flows) {
        let title = format!("liquid by {}", liquid.name);
        let front = "front / width of the column";
        let row = Row::relative(title.clone(), front, reference, flow.front, FRONT);
        rows.push(match liquid.model {
            Model::Fluid if liquid.kernel == quadratic => Row::record(title.clone(), front, flow.front),
            Model::Rough => row.must_miss(),
            _ => row,
        });
        if liquid.model != Model::Rough {
            rows.push(Row::record(title, "pool volume / volume at rest", flow.volume));
        }
    }
    Ok(rows)
}

fn pour(liquid: &Liquid) -> Result<Flow> {
    let h = SIZE / CELLS as f64;
    let width = 2.0 * SIZE;
    let mut setup = Setup::<2>::new(h);
    setup.kernel = liquid.kernel;
    setup.transfer = Transfer::Mls;
    setup.threads = 1;
    setup.body_force = BodyForce::Uniform([0.0, -GRAVITY]);
    setup.walls.extend([
        Wall::new(0, 0.0, Side::Above, Contact::Slip),
        Wall::new(0, width, Side::Below, Contact::Slip),
        Wall::new(1, 0.0, Side::Above, Contact::Slip),
    ]);
    let mut sim = Simulation::<f32, 2>::new(setup, vec![material(liquid.model)?])?;
    let seeds = stratified([0.0; 2], [2 * CELLS; 2], 0.5 * h, DENSITY);
    sim.add(0, &seeds)?;
    let unit = (SIZE / GRAVITY).sqrt();
    sim.advance(1.3 * unit)?;
    // The front is where 1 % of the liquid is ahead.
    let mut ahead: Vec<_> = sim.particles().iter().map(|p| f64::from(p.position[0])).collect();
    ahead.sort_unstable_by(f64::total_cmp);
    let front = ahead[ahead.len() - 1 - ahead.len() / 100] / SIZE - 1.0;
    sim.advance(10.7 * unit)?;
    let looks = 40;
    let mut height = 0.0;
    for _ in 0..looks {
        sim.advance(4.0 * unit / f64::from(looks))?;
        height += sim.audit().centre_of_mass[1] / f64::from(looks);
    }
    Ok(Flow {
        front,
        volume: 2.0 * height * width / (SIZE * SIZE),
    })
}

fn material(model: Model) -> Result<Box<dyn Material<f32, 2>>> {
    let bulk = 100.0 * DENSITY * GRAVITY * SIZE;
    let tait = WeaklyCompressible::new(bulk, 0.0, PressureLaw::Tait { exponent: 7.0 })?;
    let sand = |angle| -> Result<Box<dyn Material<f32, 2>>> {
        // λ + μ, the bulk modulus in 2D, is proportional to E.
        let (mu, lambda) = lame(1.0, 0.3)?;
        let friction = FrictionHardening::constant(angle);
        Ok(DruckerPrager::new(bulk / (lambda + mu), 0.3, friction)?.into())
    };
    Ok(match model {
        Model::Fluid => tait.into(),
        Model::Releasing => tait.with_tension(Tension::Release).into(),
        Model::Sand => sand(0.0)?,
        Model::Rough => sand(30.0)?,
        Model::NeoHookean => NeoHookean::from_lame(1e-5 * bulk, bulk)?.into(),
    })
}
