//! The volume that particles really fill, by the grid: equation (19d).
//!
//! Volume ratios J follow from velocity gradients, positions from velocities, and nothing in the
//! method keeps the two together. Their sum Σ J V⁰ therefore says nothing of particles that have
//! spread or clumped. Inside matter that fills space, nodes receive
//!
//! > V_i = Σ_p w_ip J_p V_p⁰ ≈ hᵈ,
//!
//! and so the mean of hᵈ / V_i tells how much more room the particles take than their volume
//! ratios say. It is the quotient of the sums over all interior nodes, which is linear in the
//! particles: irregular samplings do not bias it.
//!
//! A node is interior if all cells within the reach of its kernel, and at least half a cell beyond,
//! hold matter, and no wall or obstacle is within that reach. The half cell is there because a cell
//! that holds one particle need not be full.

use core::ops::Range;

use rayon::prelude::*;
use thixo_par::Scalar;

use crate::collide::free_nodes;
use crate::grid::{
    ABSENT, BlockOrder, Blocks, Geometry, Lattice, NodeBox, Segment, block_key, offset_vector,
    offsets,
};
use crate::integrate::CheckedSetup;
use crate::material::Material;
use crate::particles::{PADDING, Particles, Species};
use crate::state::State;
use crate::step_context::StepContext;
use crate::transfer::scatter_to;

/// Interior nodes below which the estimate says too little.
const FEWEST_NODES: usize = 8;
/// Share of a cell by which a node on a wall line may seem to be beside it.
const ROUNDING: f64 = 1e-6;
/// Blocks around a block in 3D, itself included.
const MOST_OFFSETS: usize = 27;
/// Groups of particles whose volumes are found by one thread at a time.
const CHUNK: usize = 512;

/// The volume that the particles fill \[m³\]; none where fewer than [`FEWEST_NODES`] are interior.
/// The particles stay as and where they are: later steps have the same bits.
pub(crate) fn filled_volume<T: Scalar, const D: usize>(
    setup: &CheckedSetup<T, D>,
    state: &State<T, D>,
) -> Option<f64> {
    // Phases fill the same space, and vertices of meshes have no volume that follows them.
    if setup.mixture.is_some() || !setup.meshes.is_empty() {
        return None;
    }
    let (particles, geometry) = (&state.particles, &setup.geometry);
    let order = stored_order(particles, geometry);
    let step = StepContext {
        order: &order,
        geometry,
        isa: setup.isa,
        time: state.time,
        dt: 0.0,
    };
    let species = particles.species.iter().zip(&setup.materials);
    let volumes: Vec<Vec<T>> = species
        .map(|(species, material)| present_volumes(species, material.as_ref()))
        .collect();
    let lattice = Lattice::nodes(geometry.spacing());
    let node_volumes = scatter_to(&lattice, particles, &step, |material, slot| {
        [volumes[material][slot]]
    });
    let full = occupied_cells(particles, &order).without_holes();
    let reach = (0.5 * geometry.kernel().width() as f64 - ROUNDING) * geometry.spacing();
    let surrounded = full.surrounded(window(geometry));

    let per_block = geometry.nodes_per_block();
    let sums: Vec<(usize, f64)> = (0..order.blocks.len())
        .into_par_iter()
        .map(|b| {
            let mut interior = surrounded.bits[b];
            if interior != 0 {
                let block = order.blocks.coordinate(b);
                let at = [state.time, reach];
                interior &= free_nodes(&setup.walls, &setup.colliders, geometry, block, at);
            }
            let nodes = (0..per_block).filter(|k| interior >> k & 1 == 1);
            nodes.fold((0, 0.0), |(count, sum), k| {
                let volume = node_volumes.values()[b * per_block + k][0];
                (count + 1, sum + volume.to_f64())
            })
        })
        .collect();
    let (count, seen) = sums
        .into_iter()
        .fold((0, 0.0), |(n, sum), (m, more)| (n + m, sum + more));
    if count < FEWEST_NODES || seen <= 0.0 {
        return None;
    }
    let cell = geometry.spacing().powi(D as i32);
    let ratio = count as f64 * cell / seen;
    let total: f64 = volumes.iter().flatten().map(|v| v.to_f64()).sum();
    Some(ratio * total)
}

/// Cells around a node, counted from it along each axis, that are full around an interior node.
fn window<const D: usize>(geometry: &Geometry<D>) -> Range<i32> {
    let cells = geometry.kernel().width() as i32 / 2 + 1;
    -cells..cells
}

/// An order of the particles where they are stored, which need not be sorted: all groups that are
/// measured from the same block and follow each other are a segment.
fn stored_order<T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    geometry: &Geometry<D>,
) -> BlockOrder<D> {
    let mut keys: Vec<u64> = Vec::new();
    for species in &particles.species {
        for run in species.blocks.chunk_by(|a, b| a == b) {
            keys.extend((0..offsets::<D>()).filter_map(|k| {
                let mut block = run[0];
                for (coordinate, offset) in block.iter_mut().zip(offset_vector::<D>(k)) {
                    *coordinate += offset;
                }
                let block = geometry.wrap(block);
                geometry.holds(block).then(|| block_key(block))
            }));
        }
    }
    keys.par_sort_unstable();
    keys.dedup();
    let blocks = Blocks::new(&keys, geometry);
    let bounds = NodeBox {
        origin: [-1; D],
        size: [geometry.tile_side() as i32; D],
    };
    let mut segments = Vec::new();
    for (index, species) in particles.species.iter().enumerate() {
        let mut end = 0;
        for run in species.blocks.chunk_by(|a, b| a == b) {
            let first = end;
            end += run.len();
            if let Some(block) = blocks.find(run[0]) {
                segments.push(Segment {
                    block,
                    species: index,
                    groups: first..end,
                    bounds,
                });
            }
        }
    }
    BlockOrder::new(blocks, segments)
}

/// J V⁰ of every slot \[m³\]; zero where there is no particle.
fn present_volumes<T: Scalar, const D: usize>(
    species: &Species<T, D>,
    material: &dyn Material<T, D>,
) -> Vec<T> {
    let mut volumes = vec![T::zero(); species.ids.len()];
    let length = CHUNK * T::LANES;
    let chunks = volumes.par_chunks_mut(length).enumerate();
    chunks.for_each(|(chunk, volumes)| {
        let mut state = Vec::new();
        for (slot, volume) in (chunk * length..).zip(volumes) {
            if species.ids[slot] != PADDING {
                species.read_state(slot, &mut state);
                let ratio = T::from_f64(material.volume_ratio(&state));
                *volume = ratio * species.rest_volume(slot);
            }
        }
    });
    volumes
}

/// A set of cells, each named by the node at its lowest corner, or of nodes: a bit for each in
/// every block, the last axis fastest.
struct NodeSet<'a, const D: usize> {
    blocks: &'a Blocks<D>,
    bits: Vec<u64>,
}

/// Place of a node in the blocks around a block: the number of the offset and the bit there.
/// `node` counts from the block's first node; what is further than a block away counts as that far.
fn place<const D: usize>(node: [i32; D], side: i32) -> (usize, i32) {
    let (mut offset, mut bit) = (0, 0);
    for coordinate in node {
        let coordinate = coordinate.clamp(-side, 2 * side - 1);
        offset = 3 * offset + (coordinate.div_euclid(side) + 1) as usize;
        bit = side * bit + coordinate.rem_euclid(side);
    }
    (offset, bit)
}

/// Cells that hold a particle.
fn occupied_cells<'a, T: Scalar, const D: usize>(
    particles: &Particles<T, D>,
    order: &'a BlockOrder<D>,
) -> NodeSet<'a, D> {
    let blocks = &order.blocks;
    let side = blocks.side() as i32;
    let middle = 0.5 * f64::from(side);
    // Bits in the blocks around each segment, from which every block then takes its own.
    let around: Vec<[u64; MOST_OFFSETS]> = order
        .segments
        .par_iter()
        .map(|segment| {
            let species = &particles.species[segment.species];
            let mut bits = [0; MOST_OFFSETS];
            for slot in segment.groups.start * T::LANES..segment.groups.end * T::LANES {
                if species.ids[slot] != PADDING {
                    let cell = species.offset(slot).0;
                    let cell = cell.map(|x| (x.to_f64() + middle).floor() as i32);
                    let (offset, bit) = place(cell, side);
                    bits[offset] |= 1 << bit;
                }
            }
            bits
        })
        .collect();
    let bits = (0..blocks.len()).into_par_iter().map(|b| {
        let mut bits = 0;
        for offset in 0..offsets::<D>() {
            let neighbour = blocks.neighbour(b, offset);
            if neighbour != ABSENT {
                // Seen from the neighbour, this block lies in the opposite direction.
                let opposite = offsets::<D>() - 1 - offset;
                for segment in order.segments_of(neighbour as usize) {
                    bits |= around[segment][opposite];
                }
            }
        }
        bits
    });
    NodeSet {
        blocks,
        bits: bits.collect(),
    }
}

impl<const D: usize> NodeSet<'_, D> {
    /// True if a node, counted from the first of a block and at most a block away, is in the set.
    fn contains(&self, block: usize, node: [i32; D]) -> bool {
        let (offset, bit) = place(node, self.blocks.side() as i32);
        let neighbour = self.blocks.neighbour(block, offset);
        neighbour != ABSENT && self.bits[neighbour as usize] >> bit & 1 == 1
    }

    /// The set of all nodes for which `is_in` holds, given the block and the node in it.
    fn filtered(&self, is_in: impl Fn(usize, [i32; D]) -> bool + Sync) -> Self {
        let side = self.blocks.side();
        let node = |k: usize| {
            let mut rest = k;
            let mut node = [0; D];
            for a in (0..D).rev() {
                node[a] = (rest % side) as i32;
                rest /= side;
            }
            node
        };
        let bits = (0..self.blocks.len()).into_par_iter().map(|b| {
            let nodes = 0..self.blocks.nodes_per_block();
            let chosen = nodes.filter(|k| is_in(b, node(*k)));
            chosen.fold(0, |bits, k| bits | 1 << k)
        });
        Self {
            blocks: self.blocks,
            bits: bits.collect(),
        }
    }

    /// The same cells, and those whose neighbours on all sides are in the set: a cell that holds no
    /// particle by chance. Nodes around full cells only would see too many particles.
    fn without_holes(&self) -> Self {
        self.filtered(|block, cell| {
            let has_neighbours = || {
                (0..D).all(|a| {
                    let mut sides = [cell; 2];
                    sides[0][a] -= 1;
                    sides[1][a] += 1;
                    sides.iter().all(|side| self.contains(block, *side))
                })
            };
            self.contains(block, cell) || has_neighbours()
        })
    }

    /// Nodes around which all cells of a window along every axis are in the set.
    fn surrounded(self, window: Range<i32>) -> Self {
        (0..D).fold(self, |set, axis| {
            set.filtered(|block, node| {
                window.clone().all(|k| {
                    let mut cell = node;
                    cell[axis] += k;
                    set.contains(block, cell)
                })
            })
        })
    }
}
