//! Matter on the centres of cells: heat capacity, temperature, filled share and conductivity,
//! equation (50), errata E40.
//!
//! C_c = Σ_p w_cp m_p c_p, θ_c = Σ_p w_cp m_p c_p θ_p / C_c, f_c = Σ_p w_cp V_p / h^d, and 1/κ_c
//! the mean of 1/κ_p by volume: layers conduct one after the other. Temperatures are differences
//! from the reference. Cells behind walls are folded onto their mirror images, which conserves heat
//! and lets the matter end where the wall is.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::columns::HeatColumns;
use super::setup::Heat;
use crate::collide::{GHOSTS, Side, Wall, in_canonical_order};
use crate::grid::{Field, Lattice};
use crate::particles::Particles;
use crate::step_context::StepContext;
use crate::transfer::lattice::{gather_from, scatter_to};

/// Cells without matter.
pub(super) const NONE: u32 = u32::MAX;

/// The cells that hold matter.
pub(super) struct Cells {
    /// Number of each node of the blocks among the cells with matter, or [`NONE`].
    pub number: Vec<u32>,
    /// Node of each cell.
    pub node: Vec<u32>,
    /// Heat capacity C \[J/K\].
    pub capacity: Vec<f64>,
    /// Temperature θ above the reference \[K\].
    pub temperature: Vec<f64>,
    /// Filled share f of the volume \[–\].
    pub fill: Vec<f64>,
    /// Conductivity κ \[W/(m K)\].
    pub conductivity: Vec<f64>,
    /// Nodes behind walls with their mirror images, in the order of folding.
    images: Vec<(u32, u32)>,
}

impl Cells {
    /// Sums the particles.
    pub fn new<T: Scalar, const D: usize>(
        heat: &Heat<D>,
        particles: &Particles<T, D>,
        walls: &[Wall<D>],
        step: &StepContext<'_, D>,
    ) -> Self {
        let h = step.geometry.spacing();
        let lattice = Lattice::<D>::cell_centres(h);
        let columns: Vec<HeatColumns> = HeatColumns::of(particles);
        let field = scatter_to(&lattice, particles, step, |material, slot| {
            let species = &particles.species[material];
            let column = &columns[material];
            let properties = heat.materials[material].of(column.phase(species, slot));
            let capacity = species.mass(slot) * T::from_f64(properties.capacity);
            let volume = species.rest_volume(slot);
            [
                capacity,
                capacity * column.temperature(species, slot),
                volume,
                volume * T::from_f64(1.0 / properties.conductivity),
            ]
        });
        let mut sums: Vec<[f64; 4]> = field
            .values()
            .par_iter()
            .map(|sums| sums.map(T::to_f64))
            .collect();
        let images = images(walls, step);
        for &(ghost, image) in &images {
            let of_ghost = core::mem::take(&mut sums[ghost as usize]);
            for (sum, x) in sums[image as usize].iter_mut().zip(of_ghost) {
                *sum += x;
            }
        }
        let mut number = vec![NONE; sums.len()];
        let mut node = Vec::new();
        for index in 0..sums.len() {
            if sums[index][0] > 0.0 {
                number[index] = node.len() as u32;
                node.push(index as u32);
            }
        }
        let cell_volume = h.powi(D as i32);
        let of_cells = |value: &(dyn Fn([f64; 4]) -> f64 + Sync)| -> Vec<f64> {
            let nodes = node.par_iter();
            nodes.map(|node| value(sums[*node as usize])).collect()
        };
        Self {
            capacity: of_cells(&|[capacity, ..]| capacity),
            temperature: of_cells(&|[capacity, content, ..]| content / capacity),
            fill: of_cells(&|[_, _, volume, _]| volume / cell_volume),
            // Matter whose volume rounds to nothing conducts nothing.
            conductivity: of_cells(&|[_, _, volume, resistance]| match resistance > 0.0 {
                true => volume / resistance,
                false => 0.0,
            }),
            number,
            node,
            images,
        }
    }

    /// Number of cells with matter.
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Values of the cells at every particle: by species, slot by slot. Nodes behind walls have
    /// those of their mirror images.
    pub fn at_particles<T: Scalar, const N: usize, const D: usize>(
        &self,
        values: impl Fn(usize) -> [f64; N] + Sync,
        particles: &Particles<T, D>,
        step: &StepContext<'_, D>,
    ) -> Vec<Vec<[T; N]>> {
        let mut field = Field::<T, N>::default();
        field.resize(step.order);
        let nodes = field.values_mut();
        nodes
            .par_iter_mut()
            .zip(&self.number)
            .for_each(|(node, number)| {
                *node = match *number {
                    NONE => [T::zero(); N],
                    number => values(number as usize).map(T::from_f64),
                };
            });
        for &(ghost, image) in self.images.iter().rev() {
            nodes[ghost as usize] = nodes[image as usize];
        }
        let lattice = Lattice::<D>::cell_centres(step.geometry.spacing());
        gather_from(&lattice, &field, particles, step)
    }
}

/// Cells behind walls with their mirror images in front, wall after wall in an order of their own:
/// where two walls meet, matter behind both is folded twice.
fn images<const D: usize>(walls: &[Wall<D>], step: &StepContext<'_, D>) -> Vec<(u32, u32)> {
    let (blocks, geometry) = (&step.order.blocks, step.geometry);
    let side = geometry.block_side() as i32;
    let count = blocks.nodes_per_block();
    let mut images = Vec::new();
    for (_, wall) in in_canonical_order(walls) {
        let line = (wall.position / geometry.spacing()).round() as i32;
        // Cells have the coordinate of their lower face.
        let behind = match wall.matter {
            Side::Above => line - GHOSTS..line,
            Side::Below => line..line + GHOSTS,
        };
        for block in 0..blocks.len() {
            let coordinate = blocks.coordinate(block);
            let low = coordinate[wall.axis] * side;
            if low + side <= behind.start || low >= behind.end {
                continue;
            }
            for k in 0..count {
                let mut cell = geometry.node_index(coordinate, k);
                if !behind.contains(&cell[wall.axis]) {
                    continue;
                }
                cell[wall.axis] = 2 * line - 1 - cell[wall.axis];
                let there = cell.map(|i| i.div_euclid(side));
                if let Some(found) = blocks.find(geometry.wrap(there)) {
                    let place = cell
                        .iter()
                        .fold(0, |place, i| place * side + i.rem_euclid(side));
                    images.push((
                        (block * count + k) as u32,
                        (found * count) as u32 + place as u32,
                    ));
                }
            }
        }
    }
    images
}
