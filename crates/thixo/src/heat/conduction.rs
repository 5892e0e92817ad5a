//! Implicit conduction between cells, equation (51); errata E21, E25, formula F11.
//!
//! C_c (θ_c' − θ_c)/Δt = Σ_faces K (θ_b' − θ_c') + Σ G (θ_s − θ_c') + Q_c with the conductance of a
//! face K = h^{d−2} · 2 g_c g_b/(g_c + g_b), g = f κ: the harmonic mean where two materials meet.
//! The system is symmetric and positive definite. What cells take up is computed from the fluxes of
//! its solution, so that heat is conserved to rounding however far it is solved.

use rayon::prelude::*;
use thixo_poisson::{CellSystem, Options, SolveError, solve};

use super::boundary::{CellExchange, Side};
use super::budget::Received;
use super::cells::{Cells, NONE};
use crate::grid::NeighbourNodes;
use crate::step_context::StepContext;

/// Residual of the solve relative to the heat that flows: temperatures are as exact as that, heat
/// is conserved whatever it is.
const TOLERANCE: f64 = 1e-9;

/// Result of a step of conduction.
pub(super) struct Conducted {
    /// Change of the temperature of each cell \[K\].
    pub change: Vec<f64>,
    /// Heat that came in \[J\].
    pub received: Received,
}

/// Conducts heat for a step; `source` is the heat generated in each cell \[W\].
pub(super) fn conduct<const D: usize>(
    cells: &Cells,
    exchanges: &[CellExchange],
    source: &[f64],
    neighbours: &NeighbourNodes,
    step: &StepContext<'_, D>,
) -> Result<Conducted, SolveError> {
    let (dt, blocks) = (step.dt, &step.order.blocks);
    let scale = step.geometry.spacing().powi(D as i32 - 2);
    let g = |cell: usize| cells.fill[cell] * cells.conductivity[cell];
    let upper_cell = |cell: usize, axis: usize| {
        let above = neighbours.above(blocks, cells.node[cell] as usize, axis)?;
        match cells.number[above] {
            NONE => None,
            number => Some(number as usize),
        }
    };
    let conductance = |a: usize, b: usize| match g(a) + g(b) {
        sum if sum > 0.0 => scale * 2.0 * g(a) * g(b) / sum,
        _ => 0.0,
    };
    let upper: Vec<[(u32, f64); D]> = (0..cells.len())
        .into_par_iter()
        .map(|cell| {
            core::array::from_fn(|axis| match upper_cell(cell, axis) {
                Some(other) => (other as u32, conductance(cell, other)),
                None => (NONE, 0.0),
            })
        })
        .collect();
    // Heat that flows into each cell at given temperatures [W].
    let flow = |theta: &[f64]| -> Vec<f64> {
        let mut flow = source.to_vec();
        for (cell, faces) in upper.iter().enumerate() {
            for &(other, k) in faces.iter().filter(|(other, _)| *other != NONE) {
                let through = k * (theta[other as usize] - theta[cell]);
                flow[cell] += through;
                flow[other as usize] -= through;
            }
        }
        for exchange in exchanges {
            let cell = exchange.cell as usize;
            flow[cell] +=
                exchange.conductance * (exchange.temperature - theta[cell]) + exchange.heat;
        }
        flow
    };
    let mut diagonal: Vec<f64> = cells.capacity.par_iter().map(|c| c / dt).collect();
    for exchange in exchanges {
        diagonal[exchange.cell as usize] += exchange.conductance;
    }
    let side = step.geometry.block_side();
    let count = blocks.nodes_per_block();
    let system = CellSystem {
        cells: cells
            .node
            .par_iter()
            .map(|&node| {
                let block = blocks.coordinate(node as usize / count);
                debug_assert_eq!(side, blocks.side());
                step.geometry.node_index(block, node as usize % count)
            })
            .collect(),
        upper: upper
            .par_iter()
            .map(|faces| faces.map(|(_, k)| k))
            .collect(),
        diagonal,
        periods: core::array::from_fn(|axis| step.geometry.cells_in_period(axis)),
    };
    let right_hand_side = flow(&cells.temperature);
    let mut change = vec![0.0; cells.len()];
    let options = Options {
        tolerance: TOLERANCE,
        ..Options::default()
    };
    solve(&system, &right_hand_side, &mut change, &options)?;
    let theta: Vec<f64> = cells
        .temperature
        .iter()
        .zip(&change)
        .map(|(theta, change)| theta + change)
        .collect();
    let taken_up = flow(&theta);
    let mut received = Received::default();
    for exchange in exchanges {
        let theta = theta[exchange.cell as usize];
        let heat = exchange.conductance * (exchange.temperature - theta) + exchange.heat;
        *match exchange.side {
            Side::Wall => &mut received.walls,
            Side::Collider => &mut received.colliders,
            Side::Air => &mut received.air,
        } += dt * heat;
    }
    received.sources = dt * source.iter().sum::<f64>();
    let change = taken_up.iter().zip(&cells.capacity);
    Ok(Conducted {
        change: change
            .map(|(heat, capacity)| dt * heat / capacity)
            .collect(),
        received,
    })
}
