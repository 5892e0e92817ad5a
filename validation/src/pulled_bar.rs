//! Pulled bar: Young's modulus and Poisson's ratio, measured as a testing machine does.
//!
//! **Source.** Hooke's law for a bar under tension; any textbook on elasticity.
//!
//! **Setup.** A neo-Hookean bar six times as long as wide, E = 10⁶ Pa, ν = 0.3, between two plates
//! that are glued to its ends, along the first axis or turned by 30°; 2ᵈ particles per cell. One
//! plate, a level set, recedes smoothly; the other is at rest, on a node line where the bar is
//! aligned. Local damping (5a) brings the bar to rest.
//!
//! **Measured.** The force from the impulses of the plates in the last quarter of the time, and the
//! strains in the middle third from the displacements of particles: by Saint-Venant's principle the
//! gripped ends, which cannot contract, are not felt there.
//!
//! **Expected.** At a strain of about 10⁻³, ε = F/(E'A) along the bar and −ν'ε across, with
//! E' = E/(1 − ν²) and ν' = ν/(1 − ν) in plane strain (2D), E and ν in 3D. The law is linear to
//! 0.2 % there. Where the plate has receded by three cells, the force is that of the neo-Hookean
//! law at the stretch in the middle.
//!
//! **Tolerance.** 1 %.
//!
//! **Negative controls.** A sticky plate lets go of what is pulled and must miss; so must a
//! modulus 5 % higher.

use core::f64::consts::PI;

use anyhow::Result;
use thixo::collide::shape::{Moving, Pose};
use thixo::material::elastic::NeoHookean;
use thixo::{
    Collider, Contact, Damping, Instance, Material, Plane, Seed, Setup, Side, Simulation, Wall,
};
use thixo_math::{Matrix, Vector};

use crate::sampling::lattice;
use crate::{Effort, Row, parallel};

const YOUNG: f64 = 1.0e6;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1.0e3;
/// Width of the bar \[m\].
const WIDTH: f64 = 1.0;
/// Length of the bar \[m\].
const LENGTH: f64 = 6.0 * WIDTH;
/// Elongation of the bar over its length where Hooke's law holds \[–\].
const SMALL: f64 = 1.0e-3;

/// A bar to pull.
#[derive(Clone, Copy, Debug)]
struct Bar {
    dimension: usize,
    /// Cells across.
    cells: usize,
    /// Angle by which it is turned \[rad\].
    turn: f64,
    /// Way of the receding plate \[m\].
    way: f64,
    contact: Contact,
}

/// Quantities measured on a bar at rest.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Tensile force of the receding plate \[N\].
    force: f64,
    /// Sum of the forces of both plates along the bar, over that of one \[–\].
    imbalance: f64,
    /// Strain along the bar in its middle third \[–\].
    strain: f64,
    /// Strain across it \[–\].
    lateral: f64,
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let base = Bar {
        dimension: 2,
        cells: 8,
        turn: 0.0,
        way: SMALL * LENGTH,
        contact: Contact::Glued,
    };
    let turned = Bar {
        turn: PI / 6.0,
        ..base
    };
    let let_go = Bar {
        contact: Contact::Sticky,
        ..base
    };
    let far = Bar {
        way: 3.0 * WIDTH / base.cells as f64,
        ..base
    };
    let mut bars = vec![let_go, base, turned, far];
    if effort == Effort::Full {
        let solid = Bar {
            dimension: 3,
            cells: 6,
            ..base
        };
        bars.push(Bar {
            way: far.way,
            ..turned
        });
        bars.push(solid);
        bars.push(Bar {
            turn: turned.turn,
            ..solid
        });
    }
    let measured = parallel::map(&bars, |bar| match bar.dimension {
        2 => pull::<2>(bar, rubber()?),
        _ => pull::<3>(bar, rubber()?),
    })?;
    let pairs = bars.iter().zip(measured);
    Ok(pairs.flat_map(|(bar, got)| rows(bar, &got)).collect())
}

fn rubber<const D: usize>() -> Result<Box<dyn Material<f64, D>>>
where
    NeoHookean: Into<Box<dyn Material<f64, D>>>,
{
    Ok(NeoHookean::from_young_poisson(YOUNG, POISSON)?.into())
}

/// Comparisons for a bar.
fn rows(bar: &Bar, got: &Measured) -> Vec<Row> {
    let turned = if bar.turn == 0.0 {
        ""
    } else {
        ", turned by 30°"
    };
    let case = format!(
        "pulled bar, {}D, {} cells across{turned}",
        bar.dimension, bar.cells
    );
    let area = WIDTH.powi(bar.dimension as i32 - 1);
    if bar.contact == Contact::Sticky {
        let case = format!("{case}, sticky plates");
        let expected = YOUNG / (1.0 - POISSON * POISSON) * area * SMALL;
        return vec![Row::relative(case, "force [N]", expected, got.force, 0.01).must_miss()];
    }
    let balance = Row::zero(&case, "sum of forces / force", got.imbalance, 0.01);
    if bar.way > SMALL * LENGTH {
        let case = format!("{case}, plate receded by 3 h");
        let expected = area * nominal_stress(bar.dimension, 1.0 + got.strain);
        let force = Row::relative(case, "force [N]", expected, got.force, 0.01);
        return vec![force, balance];
    }
    let modulus = got.force / (area * got.strain);
    let ratio = -got.lateral / got.strain;
    // From plane strain to the constants of the material.
    let (modulus, ratio) = match bar.dimension {
        2 => {
            let poisson = ratio / (1.0 + ratio);
            (modulus * (1.0 - poisson * poisson), poisson)
        }
        _ => (modulus, ratio),
    };
    let young = "Young's modulus [Pa]";
    let stiffer = format!("{case}, 5 % stiffer");
    vec![
        Row::relative(&case, young, YOUNG, modulus, 0.01),
        Row::relative(&case, "Poisson's ratio", POISSON, ratio, 0.01),
        balance,
        Row::relative(stiffer, young, 1.05 * YOUNG, modulus, 0.01).must_miss(),
    ]
}

/// Force over the area at rest \[Pa\] of a neo-Hookean bar of stretch s that is free across:
/// τ = μ (b − I) + λ ln J I with τ = 0 across, over s.
fn nominal_stress(dimension: usize, s: f64) -> f64 {
    let mu = YOUNG / (2.0 * (1.0 + POISSON));
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let across = dimension as i32 - 1;
    let log_volume = |t: f64| (s * t.powi(across)).ln();
    let (mut low, mut high) = (0.5, 1.5);
    for _ in 0..60 {
        let t = 0.5 * (low + high);
        if mu * (t * t - 1.0) + lambda * log_volume(t) < 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    (mu * (s * s - 1.0) + lambda * log_volume(low)) / s
}

/// A plane that recedes along its axis by a way \[m\] within a time \[s\].
fn receding<const D: usize>(axis: [f64; D], [way, time]: [f64; 2]) -> Result<Moving<D>> {
    let plane = Plane::new(axis.map(|e| LENGTH * e), axis.map(|e| -e))?;
    Ok(Moving::new(plane, move |t: f64| {
        let phase = PI * (t / time).min(1.0);
        let along = 0.5 * way * (1.0 - phase.cos());
        let speed = 0.5 * way * PI / time * phase.sin();
        Pose {
            translation: axis.map(|e| along * e),
            rotation: Matrix::identity(),
            velocity: axis.map(|e| speed * e),
            spin: Matrix::zero(),
        }
    }))
}

/// Pulls a bar and measures it at rest.
fn pull<const D: usize>(bar: &Bar, law: Box<dyn Material<f64, D>>) -> Result<Measured>
where
    f64: Instance<D>,
{
    let h = WIDTH / bar.cells as f64;
    let (sin, cos) = bar.turn.sin_cos();
    let (mut axis, mut across) = ([0.0; D], [0.0; D]);
    (axis[0], axis[1]) = (cos, sin);
    (across[0], across[1]) = (-sin, cos);
    // A wave runs to and fro.
    let period = 2.0 * LENGTH / (YOUNG / DENSITY).sqrt();
    let mut setup = Setup::<D>::new(h);
    setup.threads = 1;
    setup.damping = Damping::default().with_local(0.7);
    if bar.turn == 0.0 {
        setup
            .walls
            .push(Wall::new(0, 0.0, Side::Above, bar.contact));
    } else {
        let plane = Plane::new([0.0; D], axis)?;
        setup.colliders.push(Collider::new(plane, bar.contact)?);
    }
    let plate = receding(axis, [bar.way, 3.0 * period])?;
    setup.colliders.push(Collider::new(plate, bar.contact)?);
    let mut sim = Simulation::<f64, D>::new(setup, vec![law])?;
    let mut counts = [2 * bar.cells; D];
    counts[0] = (2.0 * LENGTH / h).round() as usize;
    let mut low = [-0.5 * WIDTH; D];
    low[0] = 0.0;
    let straight = lattice(low, counts, 0.5 * h, DENSITY);
    let mut rotation = [[0.0; D]; D];
    for (a, row) in rotation.iter_mut().enumerate() {
        row[a] = 1.0;
        (row[0], row[1]) = match a {
            0 => (cos, -sin),
            1 => (sin, cos),
            _ => (0.0, 0.0),
        };
    }
    let turned = straight.iter().map(|seed| Seed {
        position: (Matrix(rotation) * Vector(seed.position)).0,
        deformation_gradient: rotation,
        ..*seed
    });
    let turned: Vec<Seed<D>> = turned.collect();
    sim.add(0, &turned)?;
    sim.advance(6.0 * period)?;
    let forces = |sim: &Simulation<f64, D>| {
        let impulses = sim.contact_impulses();
        let along = |x: Vector<f64, D>| x.dot(Vector(axis));
        let plates = &impulses.colliders;
        let pulling = plates.last().map_or(0.0, |plate| along(plate.linear));
        [pulling, along(impulses.total().linear)]
    };
    let begun = forces(&sim);
    sim.advance(2.0 * period)?;
    let [force, sum] = [0, 1].map(|k| (forces(&sim)[k] - begun[k]) / (2.0 * period));
    let (mut long, mut wide) = (Slope::default(), Slope::default());
    for ((p, seed), start) in sim.particles().iter().zip(&straight).zip(&turned) {
        let middle = seed.position[0] - 0.5 * LENGTH;
        if middle.abs() < LENGTH / 6.0 {
            let moved = p.position - Vector(start.position);
            long.add(middle, moved.dot(Vector(axis)));
            wide.add(seed.position[1], moved.dot(Vector(across)));
        }
    }
    Ok(Measured {
        force,
        imbalance: sum / force,
        strain: long.slope(),
        lateral: wide.slope(),
    })
}

/// Least squares fit of a line through points whose first coordinates have the mean zero.
#[derive(Clone, Copy, Debug, Default)]
struct Slope {
    products: f64,
    squares: f64,
}

impl Slope {
    fn add(&mut self, x: f64, y: f64) {
        self.products += x * y;
        self.squares += x * x;
    }
    fn slope(&self) -> f64 {
        self.products / self.squares
    }
}
