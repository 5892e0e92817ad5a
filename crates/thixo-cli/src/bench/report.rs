//! Measurements as lines of a table, with the yardstick that makes them comparable between
//! machines.

use serde_json::{Value, json};

use super::case::{Row, name};
use super::machine::Machine;
use super::matter::Matter;
use super::scenes::Scene;
use crate::precision::PrecisionChoice;

/// Cost of an update by the yardstick, in the multiply-adds that one thread could have done in the
/// time, as measured when this version was made (falling cube of the default size, single
/// precision, one thread). A machine that does worse than half as well has a problem that its
/// processor does not explain.
const STORED: [(Matter, usize, f64); 20] = [
    (Matter::NeoHookean, 3, 2480.0),
    (Matter::NeoHookean, 2, 1290.0),
    (Matter::FixedCorotated, 3, 3260.0),
    (Matter::FixedCorotated, 2, 1350.0),
    (Matter::Hencky, 3, 3490.0),
    (Matter::Hencky, 2, 1700.0),
    (Matter::Fluid, 3, 2130.0),
    (Matter::Fluid, 2, 1120.0),
    (Matter::LinearFluid, 3, 2210.0),
    (Matter::LinearFluid, 2, 1120.0),
    (Matter::OldroydB, 3, 3490.0),
    (Matter::OldroydB, 2, 1520.0),
    (Matter::Snow, 3, 3460.0),
    (Matter::Snow, 2, 1880.0),
    (Matter::Sand, 3, 3930.0),
    (Matter::Sand, 2, 2220.0),
    (Matter::VonMises, 3, 3410.0),
    (Matter::VonMises, 2, 1660.0),
    (Matter::HerschelBulkley, 3, 3410.0),
    (Matter::HerschelBulkley, 2, 1590.0),
];

/// The head of the table.
pub const HEADER: &str = concat!(
    "| scene         | material         | D | particles | threads | how                  |   M/s |    ns | particles |  grid | obstacles |  sort | B/particle | score |\n",
    "| ------------- | ---------------- | - | --------: | ------: | -------------------- | ----: | ----: | --------: | ----: | --------: | ----: | ---------: | ----: |\n",
);

/// The machine in a line.
pub fn opening(machine: &Machine) -> String {
    format!(
        "{}, {} processors, {}: {:.1} GFLOP/s of one thread\n",
        machine.processor,
        machine.processors,
        machine.isa.name(),
        machine.gflops
    )
}

/// One measurement of a series.
pub fn line(row: &Row, machine: &Machine) -> String {
    let case = &row.case;
    let material = match case.scene {
        Scene::ThreeSquares => "three".to_owned(),
        _ => name(case.material),
    };
    let how = [
        name(case.precision),
        name(case.path),
        name(case.transfer),
        name(case.kernel).chars().take(1).collect(),
        name(case.order).chars().take(2).collect(),
    ];
    format!(
        "| {:13} | {material:16} | {} | {:9} | {:7} | {:20} | {:5.1} | {:5.1} | {:9.1} | {:5.1} | {:9.1} | {:5.1} | {:10.0} | {:>5} |\n",
        name(case.scene),
        row.dimension,
        row.particles,
        row.threads,
        how.join(" "),
        row.rate(),
        row.nanoseconds,
        row.stages.particles,
        row.stages.grid,
        row.stages.obstacles,
        row.stages.sort,
        row.bytes_per_particle,
        score(row, machine).map_or_else(String::new, |s| format!("{s:.2}")),
    )
}

/// A single measurement, a quantity to a line.
pub fn one(row: &Row, machine: &Machine) -> String {
    let mut out = String::new();
    for (key, value) in json(row, machine).as_object().into_iter().flatten() {
        out += &format!("{key:30} {value}\n");
    }
    out
}

/// A measurement with its score.
pub fn json(row: &Row, machine: &Machine) -> Value {
    let mut out = row.to_json();
    out["multiply_adds_per_update"] = json!(yardsticks(row, machine));
    out["score"] = json!(score(row, machine));
    out
}

/// Multiply-adds that the threads could have done in the time of an update.
fn yardsticks(row: &Row, machine: &Machine) -> f64 {
    0.5 * row.nanoseconds * machine.gflops * row.threads as f64
}

/// Use of the processor in comparison with the stored figure; 1 is as well.
fn score(row: &Row, machine: &Machine) -> Option<f64> {
    let single = row.case.precision == PrecisionChoice::F32 && row.case.scene == Scene::FallingCube;
    let stored = STORED.iter().find(|(matter, dimension, _)| {
        single && (*matter, *dimension) == (row.case.material, row.dimension)
    });
    stored.map(|(_, _, cost)| cost / yardsticks(row, machine))
}
