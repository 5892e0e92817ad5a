//! Angle of repose: how steep a heap of sand stays.
//!
//! **Source.** Drucker-Prager flow without dilatancy in plane strain (errata E36): sand that shears
//! steadily carries τ/σ_n = sin φ_e, sand at rest at most tan φ_e. A slope at the angle θ asks for
//! τ/σ_n = tan θ. It flows if tan θ > tan φ_e and, once it flows, until tan θ ≤ sin φ_e: a heap
//! that has come to rest has its angle in \[arctan sin φ_e, φ_e\].
//!
//! **Setup.** In 2D a block of sand, 40 by 20 cells, lies beside a slip wall on a floor that holds
//! it (sticky) and ends at an edge, at the block's free side: sand that passes the edge is taken
//! away, so that what slides does not push what lies. 2×2 particles per cell, each at random in its
//! share; 12 √(H₀/g). φ_e = 20°, 30° and 35°, plane-strain match.
//!
//! **Measured.** The slope of the line of least squares through the thickness of the heap, column
//! by column, between 20 and 80 % of the largest.
//!
//! **Tolerance.** The interval and 3° on both sides: the sliding mass has inertia and overshoots,
//! and the surface is known to a fraction of a cell (1° on 20 cells of flank is a third of a cell).
//!
//! A wedge at 5° less than arctan sin φ_e, on the same floor, must keep its angle within 1°.
//!
//! **Negative controls.** The heap with φ = 20° must miss the interval of 30°. The same wedge with
//! φ = 15° must not keep its angle.

use anyhow::Result;
use thixo::material::plastic::{DruckerPrager, FrictionHardening, FrictionMatch};
use thixo::{BodyForce, Contact, Seed, Setup, Side, Simulation, Wall};

use crate::deposit::Deposit;
use crate::sampling::stratified;
use crate::{Effort, Row, parallel};

/// Beyond the interval \[°\].
const TOLERANCE: f64 = 3.0;
/// Of a slope that is to stay \[°\].
const STAY_TOLERANCE: f64 = 1.0;
const DENSITY: f64 = 1.6e3;
const GRAVITY: f64 = 9.81;
/// Height of block and wedge \[m\].
const HEIGHT: f64 = 0.1;
/// Distance of the edge from the wall \[m\].
const EDGE: f64 = 2.0 * HEIGHT;

/// Sand to release: angles \[°\].
#[derive(Clone, Copy, Debug)]
enum Sand {
    /// A block at the edge of its floor.
    Block { friction_angle: f64 },
    /// A wedge on a floor without an edge.
    Wedge { friction_angle: f64, slope: f64 },
}

/// Smallest angle at which sand that has flowed may rest \[°\].
fn gentlest(friction_angle: f64) -> f64 {
    friction_angle.to_radians().sin().atan().to_degrees()
}

fn repose(friction_angle: f64) -> [f64; 2] {
    [
        gentlest(friction_angle) - TOLERANCE,
        friction_angle + TOLERANCE,
    ]
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let angles: &[f64] = match effort {
        Effort::Quick => &[30.0],
        Effort::Full => &[20.0, 30.0, 35.0],
    };
    let slope = gentlest(30.0) - 5.0;
    let held = [30.0, 15.0];
    let blocks = angles
        .iter()
        .map(|&friction_angle| Sand::Block { friction_angle });
    let wedges = held.map(|friction_angle| Sand::Wedge {
        friction_angle,
        slope,
    });
    let all: Vec<_> = blocks.chain(wedges).collect();
    // Cells in the height.
    let cells = match effort {
        Effort::Quick => 16,
        Effort::Full => 20,
    };
    let mut slopes = parallel::map(&all, |sand| release(sand, cells))?.into_iter();
    let quantity = "slope [°]";
    let mut rows = Vec::new();
    for (&angle, slope) in angles.iter().zip(slopes.by_ref()) {
        let title = format!("heap at an edge, φ = {angle}°");
        if angle == 20.0 {
            let title = format!("{title}, interval of 30°");
            rows.push(Row::within(title, quantity, repose(30.0), slope).must_miss());
        }
        rows.push(Row::within(title, quantity, repose(angle), slope));
    }
    for (angle, got) in held.into_iter().zip(slopes) {
        let kept = [slope - STAY_TOLERANCE, slope + STAY_TOLERANCE];
        let title = format!("wedge at {slope:.1}°, φ = {angle}°, keeps its slope");
        let row = Row::within(title, quantity, kept, got);
        rows.push(if angle < slope { row.must_miss() } else { row });
    }
    Ok(rows)
}

/// The slope at which sand comes to rest \[°\].
fn release(sand: &Sand, cells: usize) -> Result<f64> {
    let h = HEIGHT / cells as f64;
    let mut setup = Setup::<2>::new(h);
    setup.threads = 1;
    setup.body_force = BodyForce::Uniform([0.0, -GRAVITY]);
    setup.walls.extend([
        Wall::new(0, 0.0, Side::Above, Contact::Slip),
        Wall::new(1, 0.0, Side::Above, Contact::Sticky),
    ]);
    let (friction_angle, tan) = match *sand {
        Sand::Block { friction_angle } => (friction_angle, 0.0),
        Sand::Wedge {
            friction_angle,
            slope,
        } => (friction_angle, slope.to_radians().tan()),
    };
    let length = if tan > 0.0 { HEIGHT / tan } else { EDGE };
    let friction = FrictionHardening::constant(friction_angle);
    let law = DruckerPrager::new(100.0 * DENSITY * GRAVITY * HEIGHT, 0.3, friction)?
        .with_friction_match(FrictionMatch::PlaneStrain);
    let mut sim = Simulation::<f32, 2>::new(setup, vec![law.into()])?;
    let across = (2.0 * length / h).ceil() as usize;
    let block = stratified([0.0; 2], [across, 2 * cells], 0.5 * h, DENSITY);
    let inside = |seed: &Seed<2>| seed.position[1] < HEIGHT - tan * seed.position[0];
    let seeds: Vec<_> = block.into_iter().filter(inside).collect();
    sim.add(0, &seeds)?;
    let unit = (HEIGHT / GRAVITY).sqrt();
    let looks = 240;
    for _ in 0..looks {
        sim.advance(12.0 * unit / f64::from(looks))?;
        if matches!(sand, Sand::Block { .. }) {
            sim.remove(|_, x| x[0] > EDGE);
        }
    }
    Deposit::of(&sim, h).slope()
}
