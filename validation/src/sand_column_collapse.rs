//! Sand column collapse: how far sand flows, how high the heap stays, and that it comes to rest.
//!
//! **Source.** Experiments with columns between a wall and a gate, in channels: run-out (L∞ −
//! L₀)/L₀ as a function of the aspect ratio a = H₀/L₀ is 1.2 a \[Lube2005\] to 1.8 a
//! \[Lajeunesse2005\] up to a ≈ 2 to 3, and 1.9 to 2.3 a^{2/3} above. The height left at the wall
//! for a = 2 is 0.65 a^{0.4} L₀ = 0.86 L₀ to a^{1/3} L₀ = 1.26 L₀.
//!
//! **Setup.** Plane strain (2D): a column of width L₀ = 0.1 m stands between a slip wall at x = 0
//! and nothing, on a floor with friction 0.6. Dry Drucker-Prager sand with volume correction, φ =
//! 30° matched to plane strain, ν = 0.3, E = 100 ρ₀ g H₀. 20 cells across L₀ (40 for a = 1), 2×2
//! particles per cell, each at random in its share (below). Until t = 10 √(L₀/g); the flow ends at
//! 5 to 7.
//!
//! **Measured.** L∞ is where the heap gets thinner than half a cell; the height is that of the
//! three columns at the wall; rest is judged by the root mean square displacement of its particles,
//! without grains that lie apart, during the last 2 √(L₀/g). (Their velocity would not do: the heap
//! is elastic, and swings.)
//!
//! **Tolerance.** The span of the experiments: a = 1 \[1.2, 1.8\], a = 2 \[2.4, 3.6\], a = 4 \[4.8,
//! 5.8\], height at a = 2 \[0.8, 1.7\]; a heap at rest moves by less than 2 % of a cell. Run-out
//! grows as the toe is resolved: at a = 1 it is 1.1, 1.2 and 1.5 with 10, 20 and 40 cells.
//!
//! **Negative controls.** Sand with φ = 2° must leave the band. A column sampled on a lattice must
//! fail to come to rest: the flow stretches rows of particles to filaments, cells wide gaps open
//! between them, and the surface keeps sliding down through the gaps (a heap of 10 cells, a = 4,
//! φ = 33°: 3 to 5 mm/s when others are at rest, and its top a tenth lower and falling).

use anyhow::Result;
use thixo::material::plastic::{DruckerPrager, FrictionHardening, FrictionMatch};
use thixo::{BodyForce, Contact, Setup, Side, Simulation, Wall};

use crate::deposit::Deposit;
use crate::sampling::{lattice, stratified};
use crate::{Effort, Row, parallel};

const DENSITY: f64 = 1.6e3;
const GRAVITY: f64 = 9.81;
/// Width of the column L₀ \[m\].
const WIDTH: f64 = 0.1;
const FLOOR_FRICTION: f64 = 0.6;
/// Motion of a heap that is at rest, in cells.
const REST: f64 = 0.02;
/// Bounds of the height over L₀ at a = 2.
const HEIGHT: [f64; 2] = [0.8, 1.7];

/// The sampling of the column with particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sampling {
    Lattice,
    Stratified,
}

/// A column to release.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// a = H₀/L₀.
    aspect: usize,
    /// φ \[°\].
    friction_angle: f64,
    /// Cells across L₀.
    cells: usize,
    sampling: Sampling,
}

impl Column {
    fn title(&self) -> String {
        let Self {
            aspect,
            friction_angle,
            cells,
            sampling,
        } = self;
        let sampling = match sampling {
            Sampling::Lattice => ", lattice",
            Sampling::Stratified => "",
        };
        format!("sand column a = {aspect}, φ = {friction_angle}°, {cells} cells{sampling}")
    }
}

/// The heap that became of a column.
#[derive(Clone, Copy, Debug)]
struct Heap {
    /// (L∞ − L₀)/L₀.
    run_out: f64,
    /// H∞/L₀.
    height: f64,
    /// Root mean square displacement of the heap's particles during the last 2 √(L₀/g), in cells.
    motion: f64,
}

/// Span of the experiments.
fn band(aspect: usize) -> [f64; 2] {
    match aspect {
        1 => [1.2, 1.8],
        2 => [2.4, 3.6],
        _ => {
            let power = (aspect as f64).powf(2.0 / 3.0);
            [1.9 * power, 2.3 * power]
        }
    }
}

/// Runs the experiment.
pub fn run(effort: Effort) -> Result<Vec<Row>> {
    let base = Column {
        aspect: 2,
        friction_angle: 30.0,
        cells: match effort {
            Effort::Quick => 16,
            Effort::Full => 20,
        },
        sampling: Sampling::Stratified,
    };
    let aspects: &[usize] = match effort {
        Effort::Quick => &[2],
        // The longest first, so that no processor waits for it.
        Effort::Full => &[4, 2, 1],
    };
    let released: Vec<_> = aspects
        .iter()
        .map(|&aspect| Column {
            aspect,
            cells: if aspect == 1 { 40 } else { base.cells },
            ..base
        })
        .collect();
    let slippery = Column {
        friction_angle: 2.0,
        cells: 10,
        ..base
    };
    let rows_in_line = Column {
        aspect: 4,
        friction_angle: 33.0,
        cells: 10,
        sampling: Sampling::Lattice,
    };
    let mut all = released.clone();
    all.extend([slippery, rows_in_line]);
    if effort == Effort::Full {
        all.push(Column {
            friction_angle: 35.0,
            ..base
        });
        all.push(Column {
            sampling: Sampling::Stratified,
            ..rows_in_line
        });
    }
    let heaps = parallel::map(&all, collapse)?;
    let mut results = all.iter().zip(heaps);
    let (run_out, height, motion) = ("run-out [L₀]", "height [L₀]", "motion at the end [h]");
    let mut rows = Vec::new();
    for (column, heap) in results.by_ref().take(released.len()) {
        let title = column.title();
        rows.push(Row::within(
            title.clone(),
            run_out,
            band(column.aspect),
            heap.run_out,
        ));
        rows.push(if column.aspect == 2 {
            Row::within(title.clone(), height, HEIGHT, heap.height)
        } else {
            Row::record(title.clone(), height, heap.height)
        });
        rows.push(Row::zero(title, motion, heap.motion, REST));
    }
    for (column, heap) in results.by_ref().take(1) {
        let row = Row::within(column.title(), run_out, band(column.aspect), heap.run_out);
        rows.push(row.must_miss());
    }
    for (column, heap) in results.by_ref().take(1) {
        rows.push(Row::zero(column.title(), motion, heap.motion, REST).must_miss());
        rows.push(Row::record(column.title(), height, heap.height));
    }
    for (column, heap) in results {
        // Ten cells are too few for the toe of the heap.
        rows.push(if column.cells == base.cells {
            Row::within(column.title(), run_out, band(column.aspect), heap.run_out)
        } else {
            Row::record(column.title(), run_out, heap.run_out)
        });
        rows.push(Row::record(column.title(), height, heap.height));
        rows.push(Row::zero(column.title(), motion, heap.motion, REST));
    }
    Ok(rows)
}

/// Releases a column and looks at the heap.
fn collapse(column: &Column) -> Result<Heap> {
    let h = WIDTH / column.cells as f64;
    let height = column.aspect as f64 * WIDTH;
    let mut setup = Setup::<2>::new(h);
    setup.threads = 1;
    setup.body_force = BodyForce::Uniform([0.0, -GRAVITY]);
    let floor = Contact::Separating {
        friction: FLOOR_FRICTION,
    };
    setup.walls.extend([
        Wall::new(0, 0.0, Side::Above, Contact::Slip),
        Wall::new(1, 0.0, Side::Above, floor),
    ]);
    let friction = FrictionHardening::constant(column.friction_angle);
    let law = DruckerPrager::new(100.0 * DENSITY * GRAVITY * height, 0.3, friction)?
        .with_friction_match(FrictionMatch::PlaneStrain);
    let mut sim = Simulation::<f32, 2>::new(setup, vec![law.into()])?;
    let fill = match column.sampling {
        Sampling::Lattice => lattice,
        Sampling::Stratified => stratified,
    };
    let counts = [2 * column.cells, 2 * column.cells * column.aspect];
    sim.add(0, &fill([0.0; 2], counts, 0.5 * h, DENSITY))?;
    let unit = (WIDTH / GRAVITY).sqrt();
    sim.advance(8.0 * unit)?;
    let before = sim.particles();
    sim.advance(2.0 * unit)?;
    let heap = Deposit::of(&sim, h);
    let end = heap.end(0.5 * h);
    let (mut squares, mut count) = (0.0, 0.0);
    for (then, now) in before.iter().zip(sim.particles()) {
        if now.position[0] < end {
            squares += (now.position - then.position).norm_squared();
            count += 1.0;
        }
    }
    Ok(Heap {
        run_out: end / WIDTH - 1.0,
        height: heap.height(3) / WIDTH,
        motion: f64::sqrt(squares / count) / h,
    })
}
