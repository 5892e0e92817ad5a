//! Buoyancy: the force of water at rest on an obstacle in it.
//!
//! **Source.** Archimedes.
//!
//! **Setup.** Inviscid incompressible water by the projection in a basin with slip walls, 0.2 m
//! wide and deep, on a lattice of 2 particles per cell and axis. A disc (2D) or sphere (3D) of
//! radius
//! 0.05 m, or a square or cube with edges of 0.08 m turned by 20° about z, is held in the
//! middle, which is no node of the grid. h = 12.5 mm, and 6.25 mm in 2D; 1 s.
//!
//! **Measured.** The forces between the water and the floor and between the water and the obstacle,
//! from the impulses of the second half of the run.
//!
//! **Expected.** The floor carries ρ g H on all of its area, the weight of the water and of the
//! water whose place the obstacle takes. The latter is the force on the obstacle, ρ g V upwards;
//! nothing sideways.
//!
//! **Tolerance.** 2 %.
//!
//! **Negative control.** The weight of the water alone, asked of the floor, must miss.

use core::f64::consts::PI;
use std::sync::Arc;

use anyhow::Result;
use thixo::collide::shape::{Cuboid, Placed, Placement, Sphere};
use thixo::integrate::Integrator;
use thixo::material::fluid::WeaklyCompressible;
use thixo::projection::Projection;
use thixo::{
    BodyForce, Collider, Contact, Instance, LevelSet, Setup, Side, Simulation, Transfer, Wall,
};
use thixo_math::Matrix;

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const TOLERANCE: f64 = 0.02;
/// Width and level of the water \[m\].
const WIDTH: f64 = 0.2;
/// Place of the obstacle on all axes \[m\].
const MIDDLE: f64 = 0.102;
const RADIUS: f64 = 0.05;
const EDGE: f64 = 0.08;
/// Turn of square and cube \[°\].
const TURN: f64 = 20.0;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1.0e3;
const DURATION: f64 = 1.0;
/// Index of the floor among the walls.
const FLOOR: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Round,
    Square,
}

/// An obstacle to hold under water.
#[derive(Clone, Copy, Debug)]
struct Obstacle {
    body: Body,
    dimension: usize,
    spacing: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let mut obstacles = Vec::new();
    for body in [Body::Round, Body::Square] {
        let base = Obstacle {
            body,
            dimension: 2,
            spacing: 0.0125,
        };
        obstacles.push(base);
        if effort == Effort::Full {
            obstacles.push(Obstacle {
                spacing: 0.00625,
                ..base
            });
            obstacles.push(Obstacle {
                dimension: 3,
                ..base
            });
        }
    }
    let forces = parallel::map(&obstacles, |obstacle| match obstacle.dimension {
        2 => hold::<2>(obstacle),
        _ => hold::<3>(obstacle),
    })?;
    let mut rows = Vec::new();
    for (obstacle, forces) in obstacles.iter().zip(forces) {
        let name = match (obstacle.body, obstacle.dimension) {
            (Body::Round, 2) => "disc",
            (Body::Round, _) => "sphere",
            (Body::Square, 2) => "turned square",
            (Body::Square, _) => "turned cube",
        };
        let title = format!("buoyancy of a {name}, h = {} mm", 1e3 * obstacle.spacing);
        let floor = "force on the floor / ρgH";
        rows.push(Row::relative(&title, floor, 1.0, forces.floor, TOLERANCE));
        let sideways = "force sideways / ρgV";
        rows.push(Row::zero(&title, sideways, forces.sideways, TOLERANCE));
        let upwards = "force upwards / ρgV";
        rows.push(Row::relative(&title, upwards, 1.0, forces.up, TOLERANCE));
        let title = format!("{title}, weight of the water alone");
        let expected = forces.weight;
        rows.push(Row::relative(title, floor, expected, forces.floor, TOLERANCE).must_miss());
    }
    Ok(rows)
}

/// Forces at the end.
#[derive(Clone, Copy, Debug)]
struct Forces {
    /// Force on the floor, and the weight of the water, over ρ g H and its area.
    floor: f64,
    weight: f64,
    /// Forces on the obstacle over ρ g V.
    up: f64,
    sideways: f64,
}

/// Holds an obstacle under water.
fn hold<const D: usize>(obstacle: &Obstacle) -> Result<Forces>
where
    f64: Instance<D>,
    WeaklyCompressible: Into<Box<dyn thixo::Material<f64, D>>>,
{
    let h = obstacle.spacing;
    let mut setup = Setup::<D>::new(h);
    setup.transfer = Transfer::Apic;
    setup.threads = 1;
    let mut g = [0.0; D];
    g[1] = -GRAVITY;
    setup.body_force = BodyForce::Uniform(g);
    for axis in 0..D {
        let near = Wall::new(axis, 0.0, Side::Above, Contact::Slip);
        setup.walls.push(near);
        if axis != 1 {
            let far = Wall::new(axis, WIDTH, Side::Below, Contact::Slip);
            setup.walls.push(far);
        }
    }
    let (sine, cosine) = TURN.to_radians().sin_cos();
    let mut rotation = Matrix::<f64, D>::identity();
    (rotation[0][0], rotation[0][1]) = (cosine, -sine);
    (rotation[1][0], rotation[1][1]) = (sine, cosine);
    let (body, volume): (Arc<dyn LevelSet<D>>, f64) = match obstacle.body {
        Body::Round => {
            let unit = if D == 2 { PI } else { 4.0 / 3.0 * PI };
            let volume = unit * RADIUS.powi(D as i32);
            (Arc::new(Sphere::new([0.0; D], RADIUS)?), volume)
        }
        Body::Square => {
            let half = 0.5 * EDGE;
            let volume = EDGE.powi(D as i32);
            (Arc::new(Cuboid::new([-half; D], [half; D])?), volume)
        }
    };
    let placement = Placement {
        translation: [MIDDLE; D],
        rotation,
        ..Placement::default()
    };
    let body = Placed::new(body, placement)?;
    setup
        .colliders
        .push(Collider::new(body.clone(), Contact::Slip)?);
    setup.integrator = Integrator::Projection(Projection::default());
    let water = WeaklyCompressible::incompressible(0.0)?;
    let mut sim = Simulation::<f64, D>::new(setup, vec![water.into()])?;
    let count = (2.0 * WIDTH / h).round() as usize;
    let mut seeds = lattice([0.0; D], [count; D], 0.5 * h, DENSITY);
    seeds.retain(|seed| body.surface(seed.position, 0.0).distance > 0.0);
    sim.add(0, &seeds)?;
    let mass: f64 = seeds.iter().map(|seed| seed.mass).sum();
    let impulses = |sim: &Simulation<f64, D>| {
        let impulses = sim.contact_impulses();
        [impulses.walls[FLOOR].linear, impulses.colliders[0].linear]
    };
    sim.advance(0.5 * DURATION)?;
    let begun = impulses(&sim);
    sim.advance(0.5 * DURATION)?;
    let ended = impulses(&sim);
    // Solids push the water as hard as it pushes them, the other way.
    let [floor, body] = [0, 1].map(|k| (begun[k] - ended[k]) * (2.0 / DURATION));
    let unit = DENSITY * GRAVITY * volume;
    let load = DENSITY * GRAVITY * WIDTH.powi(D as i32);
    let across = (0..D).filter(|&a| a != 1).map(|a| body[a] * body[a]);
    Ok(Forces {
        floor: -floor[1] / load,
        weight: mass * GRAVITY / load,
        up: body[1] / unit,
        sideways: across.sum::<f64>().sqrt() / unit,
    })
}
