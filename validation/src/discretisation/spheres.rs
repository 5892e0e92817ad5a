//! Balls of one size and many materials, dropped. \[Nilles2020\] Fig. 17, 21 and 25 as numbers, in
//! 2D.
//!
//! A disc of radius 8 cells hits a sticky floor at 3 m/s. Measured after half a second: its width
//! (of 98 % of its particles) over that at first, the mean of J, and how far it is from its mirror
//! image.
//!
//! Sand without cohesion must become a heap, wider than high; cohesion so large that it never
//! yields must leave a disc, like snow that never yields (θ_c = 1, θ_s = 100). In between, the more
//! cohesion the less it spreads. A lattice that is symmetric about the middle makes a motion that
//! is symmetric to rounding, as no snowball's is; a random sample does not.

use anyhow::Result;
use thixo::material::elastic::FixedCorotated;
use thixo::material::plastic::{DruckerPrager, FrictionHardening, Snow};
use thixo::{BodyForce, Contact, KernelKind, Material, Seed, Setup, Side, Simulation, Wall};

use crate::sampling::{lattice, random, stratified};
use crate::{Effort, Row, parallel};

const GRAVITY: f64 = 9.81;
/// Radius \[m\].
const RADIUS: f64 = 0.1;
/// Cells across the radius.
const CELLS: usize = 8;
/// Speed of impact \[m/s\].
const SPEED: f64 = 3.0;
/// Duration \[s\].
const DURATION: f64 = 0.5;
/// Deviation from the mirror image, in radii, of a motion that is symmetric.
const SYMMETRIC: f64 = 1e-6;
/// A disc that has kept its shape: width over diameter.
const ROUND: [f64; 2] = [0.9, 1.1];
/// Sand of \[Nilles2020\] §10: Young's modulus \[Pa\] and Poisson's ratio.
const SAND: (f64, f64) = (3.4e5, 0.3);

/// The sampling with particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sampling {
    Lattice,
    Stratified,
    Random,
}

/// The material of a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Matter {
    /// Sand with a cohesion in units of 2μ.
    Sand { cohesion: f64 },
    /// Snow with θ_c, θ_s and ξ.
    Snow {
        compression: f64,
        stretch: f64,
        hardening: f64,
    },
}

/// A ball to drop.
#[derive(Clone, Copy, Debug)]
struct Ball {
    name: &'static str,
    matter: Matter,
    sampling: Sampling,
    kernel: KernelKind,
}

/// Its shape at the end.
#[derive(Clone, Copy, Debug)]
struct Shape {
    width: f64,
    volume_ratio: f64,
    asymmetry: f64,
}

const SNOW: Matter = Matter::Snow {
    compression: 0.025,
    stretch: 0.0075,
    hardening: 10.0,
};

/// Drops the balls.
pub(super) fn run(effort: Effort) -> Result<Vec<Row>> {
    let ball = |name, matter, sampling, kernel| Ball {
        name,
        matter,
        sampling,
        kernel,
    };
    let (even, jittered, chance) = (Sampling::Lattice, Sampling::Stratified, Sampling::Random);
    let (quadratic, cubic) = (KernelKind::Quadratic, KernelKind::Cubic);
    let sand = |cohesion| Matter::Sand { cohesion };
    let mut balls = vec![
        ball("sand", sand(0.0), jittered, quadratic),
        ball("sand, cohesion 1", sand(1.0), jittered, quadratic),
        ball("snow, lattice", SNOW, even, quadratic),
        ball("snow, random", SNOW, chance, quadratic),
    ];
    if effort == Effort::Full {
        let never = Matter::Snow {
            compression: 1.0,
            stretch: 100.0,
            hardening: 0.0,
        };
        balls.extend([
            ball("sand, cohesion 0.004", sand(0.004), jittered, quadratic),
            ball("sand, cohesion 0.025", sand(0.025), jittered, quadratic),
            ball("snow that never yields", never, jittered, quadratic),
            ball("snow, stratified", SNOW, jittered, quadratic),
            ball("snow, stratified, cubic", SNOW, jittered, cubic),
        ]);
    }
    let shapes = parallel::map(&balls, drop)?;
    let (width, ratio, mirror) = ("width / diameter", "mean J", "distance to mirror image [R]");
    let mut rows = Vec::new();
    for (ball, shape) in balls.iter().zip(&shapes) {
        let title = format!("dropped disc of {}", ball.name);
        let is_elastic = matches!(
            ball.matter,
            Matter::Sand { cohesion: 1.0 } | Matter::Snow { stretch: 100.0, .. }
        );
        let round = Row::within(title.clone(), width, ROUND, shape.width);
        rows.push(if is_elastic {
            round
        } else if ball.matter == sand(0.0) {
            round.must_miss()
        } else {
            Row::record(title.clone(), width, shape.width)
        });
        if matches!(ball.matter, Matter::Snow { .. }) {
            rows.push(Row::record(title.clone(), ratio, shape.volume_ratio));
        }
        let symmetric = Row::zero(title, mirror, shape.asymmetry, SYMMETRIC);
        match ball.sampling {
            Sampling::Lattice => rows.push(symmetric),
            Sampling::Random => rows.push(symmetric.must_miss()),
            Sampling::Stratified => {}
        }
    }
    if let [loose, stiff, _, _, little, more, ..] = shapes.as_slice() {
        let widths = [loose, little, more, stiff].map(|shape| shape.width);
        let steps = widths.windows(2).map(|pair| pair[0] / pair[1]);
        rows.push(Row::at_least(
            "dropped discs of sand, each step of cohesion",
            "smallest ratio of widths",
            1.0,
            steps.fold(f64::INFINITY, f64::min),
            0.0,
        ));
    }
    Ok(rows)
}

fn drop(ball: &Ball) -> Result<Shape> {
    let h = RADIUS / CELLS as f64;
    let density = match ball.matter {
        Matter::Sand { .. } => 1.6e3,
        Matter::Snow { .. } => 400.0,
    };
    let mut setup = Setup::<2>::new(h);
    setup.kernel = ball.kernel;
    setup.threads = 1;
    setup.body_force = BodyForce::Uniform([0.0, -GRAVITY]);
    setup
        .walls
        .push(Wall::new(1, 0.0, Side::Above, Contact::Sticky));
    let mut sim = Simulation::<f64, 2>::new(setup, vec![material(ball.matter)?])?;
    let fill = match ball.sampling {
        Sampling::Lattice => lattice,
        Sampling::Stratified => stratified,
        Sampling::Random => random,
    };
    let block = fill([-RADIUS, 0.0], [4 * CELLS; 2], 0.5 * h, density);
    let inside = |seed: &Seed<2>| {
        let [x, y] = seed.position;
        x * x + (y - RADIUS) * (y - RADIUS) < RADIUS * RADIUS
    };
    let mut seeds: Vec<_> = block.into_iter().filter(inside).collect();
    for seed in &mut seeds {
        seed.velocity[1] = -SPEED;
    }
    sim.add(0, &seeds)?;
    sim.advance(DURATION)?;
    let end: Vec<[f64; 2]> = sim.particles().iter().map(|p| p.position.0).collect();
    // The range that holds 98 % of the particles, over that at first.
    let range = |mut x: Vec<f64>| {
        x.sort_unstable_by(f64::total_cmp);
        x[x.len() - 1 - x.len() / 100] - x[x.len() / 100]
    };
    let first = range(seeds.iter().map(|seed| seed.position[0]).collect());
    // Every particle against the one nearest to its mirror image.
    let nearest = |[x, y]: [f64; 2]| {
        let squares = end.iter().map(|q| (q[0] + x).powi(2) + (q[1] - y).powi(2));
        squares.fold(f64::INFINITY, f64::min)
    };
    let asymmetry = end.iter().map(|x| nearest(*x)).fold(0.0, f64::max).sqrt() / RADIUS;
    let audit = sim.audit();
    Ok(Shape {
        width: range(end.iter().map(|x| x[0]).collect()) / first,
        volume_ratio: audit.volume * density / audit.mass,
        asymmetry,
    })
}

fn material(matter: Matter) -> Result<Box<dyn Material<f64, 2>>> {
    Ok(match matter {
        Matter::Sand { cohesion } => {
            let (young, poisson) = SAND;
            let twice_mu = young / (1.0 + poisson);
            DruckerPrager::new(young, poisson, FrictionHardening::constant(30.0))?
                .with_cohesion(cohesion * twice_mu)?
                .into()
        }
        Matter::Snow {
            compression,
            stretch,
            hardening,
        } => {
            let elastic = FixedCorotated::from_young_poisson(1.4e5, 0.2)?;
            Snow::new(elastic, compression, stretch, hardening)?.into()
        }
    })
}
