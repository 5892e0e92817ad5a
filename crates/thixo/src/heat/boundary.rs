//! Surfaces through which cells exchange heat: those of walls and obstacles, and the free surface,
//! equation (52).
//!
//! A solid's surface crosses the line from a cell to its neighbour at the share θ of the spacing
//! where the signed distances say. The conductance through it is
//!
//! G = f h^{d−1} / (θh/κ + 1/(α |n_a|)),
//!
//! of the way to the surface and of the passage through it; |n_a| makes the area of the staircase
//! of crossings that of the surface. Matter whose cell centre lies behind a surface in perfect
//! contact exchanges from that side.
//!
//! The free surface has the area |∇f̂| h^d in a cell, f̂ = min(1, f/0.75) the filled share together
//! with that of obstacles: the sum across a flat surface is exact wherever it lies, and the
//! unevenness of particles inside of matter is no surface.

use rayon::prelude::*;

use super::cells::{Cells, NONE};
use super::exchange::{HeatExchange, STEFAN_BOLTZMANN, ThermalContact};
use super::setup::Heat;
use crate::collide::{Solid, Solids};
use crate::grid::NeighbourNodes;
use crate::step_context::StepContext;

/// Other side of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Wall,
    Collider,
    Air,
}

/// Heat that a cell exchanges: G (θ_s − θ) + q.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellExchange {
    /// Number of the cell.
    pub cell: u32,
    /// Conductance G \[W/K\].
    pub conductance: f64,
    /// Temperature of the other side above the reference θ_s \[K\].
    pub temperature: f64,
    /// Heat that does not depend on the temperature of the cell q \[W\].
    pub heat: f64,
    /// Other side.
    pub side: Side,
}

/// Least distance of a surface from a cell centre \[cells\]: ten times the conductance between
/// cells.
const LEAST_DISTANCE: f64 = 0.1;
/// Filled share above which there is no free surface.
const FULL: f64 = 0.75;

/// The exchange of all cells, cell after cell, for the time at the end of the step.
pub(super) fn exchanges<const D: usize>(
    heat: &Heat<D>,
    cells: &Cells,
    solids: Solids<'_, D>,
    neighbours: &NeighbourNodes,
    step: &StepContext<'_, D>,
) -> Vec<CellExchange> {
    let h = step.geometry.spacing();
    let blocks = &step.order.blocks;
    let time = step.time + step.dt;
    // A block's corner, and two cells beyond.
    let radius = (0.5 * blocks.side() as f64 + 2.0) * h * (D as f64).sqrt();
    let near: Vec<Vec<Solid>> = (0..blocks.len())
        .into_par_iter()
        .map(|block| {
            let middle = step.geometry.block_middle(blocks.coordinate(block));
            solids.near(middle.map(|x| x * h), radius, time)
        })
        .collect();
    let exchange = |cell: usize| {
        let node = cells.node[cell] as usize;
        let near = &near[node / blocks.nodes_per_block()];
        let mut found = Vec::new();
        let place = Place {
            cell,
            centre: centre(node, step),
            time,
            h,
        };
        for &solid in near {
            let (of_solid, side) = match solid {
                Solid::Wall(k) => (heat.walls.get(k as usize), Side::Wall),
                Solid::Collider(k) => (heat.colliders.get(k as usize), Side::Collider),
            };
            let Some(of_solid) = of_solid.filter(|exchange| !exchange.is_insulated()) else {
                continue;
            };
            for k in 0..2 * D {
                let crossing = place.crossing((solids, solid), k);
                let Some(Crossing { distance, area }) = crossing else {
                    continue;
                };
                let is_behind = distance < 0.0;
                if is_behind && of_solid.contact != ThermalContact::Perfect {
                    continue;
                }
                let way = distance.abs().max(LEAST_DISTANCE) * h / cells.conductivity[cell];
                let fill = cells.fill[cell].min(1.0);
                let face = fill * h.powi(D as i32 - 1);
                let temperature = cells.temperature[cell] + heat.reference;
                found.push(place.through(of_solid, (face, area, way), temperature, heat, side));
            }
        }
        if !heat.air.is_insulated() {
            let area = free_area(&place, (cells, node), (solids, near), neighbours, step);
            if area > 0.0 {
                let way = match heat.air.contact {
                    ThermalContact::Perfect => 0.5 * h / cells.conductivity[cell],
                    ThermalContact::Coefficient(_) => 0.0,
                };
                let temperature = cells.temperature[cell] + heat.reference;
                let through = (area, 1.0, way);
                found.push(place.through(&heat.air, through, temperature, heat, Side::Air));
            }
        }
        found
    };
    (0..cells.len())
        .into_par_iter()
        .flat_map_iter(exchange)
        .collect()
}

/// A cell and a time.
struct Place<const D: usize> {
    cell: usize,
    centre: [f64; D],
    time: f64,
    h: f64,
}

/// A surface between a cell and its neighbour.
struct Crossing {
    /// Its distance from the cell \[cells\], negative if the cell is behind it.
    distance: f64,
    /// Its area as a share of a face |n_a| \[–\].
    area: f64,
}

impl<const D: usize> Place<D> {
    /// Centre of a neighbour: direction 2 axis, + 1 for upwards.
    fn neighbour(&self, direction: usize) -> [f64; D] {
        let mut place = self.centre;
        place[direction / 2] += match direction % 2 {
            0 => -self.h,
            _ => self.h,
        };
        place
    }
    fn crossing(
        &self,
        (solids, solid): (Solids<'_, D>, Solid),
        direction: usize,
    ) -> Option<Crossing> {
        let here = solids.surface(solid, self.centre, self.time);
        let there = solids.surface(solid, self.neighbour(direction), self.time);
        let (a, b) = (here.distance, there.distance);
        if (a > 0.0) == (b > 0.0) {
            return None;
        }
        let share = a.abs() / (a.abs() + b.abs());
        Some(Crossing {
            distance: if a > 0.0 { share } else { -share },
            area: here.normal[direction / 2].abs(),
        })
    }
    /// Exchange through a face with a share of it as area, behind a resistance per area \[K m²/W\].
    fn through(
        &self,
        exchange: &HeatExchange<D>,
        (face, area, way): (f64, f64, f64),
        temperature: f64,
        heat: &Heat<D>,
        side: Side,
    ) -> CellExchange {
        let given = exchange.flux.as_ref();
        let flux = given.map_or(0.0, |flux| flux.at(self.centre, self.time));
        let other = exchange.temperature.as_ref();
        let other = other.map(|other| other.at(self.centre, self.time));
        let conductance = match (other, exchange.contact) {
            (None, _) => 0.0,
            (Some(_), ThermalContact::Perfect) => face / way,
            (Some(other), ThermalContact::Coefficient(alpha)) => {
                // ε σ (T_s⁴ − T⁴) = ε σ (T_s² + T²)(T_s + T)(T_s − T), T of the start of the step.
                let radiation = exchange.emissivity
                    * STEFAN_BOLTZMANN
                    * (other * other + temperature * temperature)
                    * (other + temperature);
                let passage = (alpha + radiation) * area;
                match passage > 0.0 {
                    true => face / (way + 1.0 / passage),
                    false => 0.0,
                }
            }
        };
        CellExchange {
            cell: self.cell as u32,
            conductance,
            temperature: other.unwrap_or(heat.reference) - heat.reference,
            heat: flux * face * area,
            side,
        }
    }
}

/// Centre of a cell \[m\].
fn centre<const D: usize>(node: usize, step: &StepContext<'_, D>) -> [f64; D] {
    let half = 0.5 * step.geometry.spacing();
    step.node_position(node).0.map(|x| x + half)
}

/// Area of the free surface in a cell \[m²\].
fn free_area<const D: usize>(
    place: &Place<D>,
    (cells, node): (&Cells, usize),
    (solids, near): (Solids<'_, D>, &[Solid]),
    neighbours: &NeighbourNodes,
    step: &StepContext<'_, D>,
) -> f64 {
    let blocks = &step.order.blocks;
    let in_solids = |x: [f64; D]| {
        let shares = near.iter().map(|solid| {
            let distance = solids.surface(*solid, x, place.time).distance;
            (0.5 - distance / place.h).clamp(0.0, 1.0)
        });
        shares.fold(0.0, f64::max)
    };
    let matter = |node: Option<usize>| match node.map(|node| cells.number[node]) {
        None | Some(NONE) => 0.0,
        Some(number) => cells.fill[number as usize],
    };
    let filled = |matter: f64, solid: f64| ((matter + solid) / FULL).min(1.0);
    let (own, solid) = (cells.fill[place.cell], in_solids(place.centre));
    let here = filled(own, solid);
    let mut squared = 0.0;
    for axis in 0..D {
        let below = neighbours.below(blocks, node, axis);
        let above = neighbours.above(blocks, node, axis);
        // Half a step to a neighbour with matter; all of it to one without, which takes no part.
        let step_to = |node: Option<usize>, direction: usize| {
            let there = matter(node);
            let share = if there > 0.0 { 0.5 } else { 1.0 };
            share * (filled(there, in_solids(place.neighbour(direction))) - here)
        };
        squared += (step_to(above, 2 * axis + 1) - step_to(below, 2 * axis)).powi(2);
    }
    if squared == 0.0 {
        return 0.0;
    }
    // What matter and an obstacle share of a surface is the matter's by its part of the space.
    let share = match own + solid > 0.0 {
        true => own / (own + solid),
        false => 0.0,
    };
    squared.sqrt() * share * place.h.powi(D as i32 - 1)
}
