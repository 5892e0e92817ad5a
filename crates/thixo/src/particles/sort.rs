//! Ordering particles by block and cell, and finding the blocks they touch.
//!
//! A counting sort: stable, so that the order is a function of the particles' state alone. Between two sorts
//! particles may drift by up to one cell; tiles have a margin for that.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::{Columns, Layout, PADDING, Particles, Species};
use crate::error::StepError;
use crate::grid::{Blocks, Geometry, NodeBox, Segment};
use crate::kernel::stencil::MAX_LANES;

/// A position that no block can hold.
const OUTSIDE: u64 = u64::MAX;

/// Bytes that a sort needs for every slot besides the new table: its key, its block, where it goes and its identifier.
pub(crate) const SORT_BYTES_PER_SLOT: usize = 20;

/// Which blocks exist and which particles are where.
#[derive(Clone, Debug, Default)]
pub struct Order<const D: usize> {
    /// All blocks that a particle can reach before the next sort.
    pub blocks: Blocks<D>,
    /// Work items, material after material, blocks in order.
    pub segments: Vec<Segment<D>>,
    /// Segments by block: those of block b are `by_block[start[b]..start[b + 1]]`.
    start: Vec<u32>,
    by_block: Vec<u32>,
}

impl<const D: usize> Order<D> {
    /// The indices of the segments of a block, by material.
    pub fn segments_of(&self, block: usize) -> impl Iterator<Item = usize> {
        let range = self.start[block] as usize..self.start[block + 1] as usize;
        self.by_block[range].iter().map(|&segment| segment as usize)
    }
}

/// Sorts all particles and returns the new order. Cold columns that were taken away stay away. On error the particles are as they were, but for
/// wrapping.
pub fn order<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    geometry: &Geometry<D>,
    time: f64,
) -> Result<Order<D>, StepError> {
    wrap_positions(particles, geometry);
    let plans = particles
        .species
        .iter()
        .map(|species| Plan::new(species, geometry, time))
        .collect::<Result<Vec<_>, _>>()?;

    let blocks = touched_blocks(&plans, geometry);
    let mut segments = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        plan.add_segments(index, geometry, &blocks, &mut segments);
    }
    for (species, plan) in particles.species.iter_mut().zip(&plans) {
        let has_cold = species.has_cold();
        species.hot = permuted(&species.hot, &plan.source);
        if has_cold {
            species.cold = permuted(&species.cold, &plan.source);
        }
        species.ids = permuted_ids(&species.ids, &plan.source);
        empty_padding(species, &plan.source);
    }
    let (start, by_block) = group_by_block(&blocks, &segments);
    Ok(Order {
        blocks,
        segments,
        start,
        by_block,
    })
}

/// Brings positions along periodic axes back to where their base node is in the first period: the tile of a block is laid out from the
/// block's own coordinates, so a particle must not sit a period away from its block. Positions that are there already stay as they are, to the
/// last bit.
pub(crate) fn wrap_positions<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    geometry: &Geometry<D>,
) {
    let inv_h = T::from_f64(1.0 / geometry.spacing());
    let offset = T::from_f64(geometry.kernel().base_offset());
    let shift = T::from_f64(geometry.kernel().base_offset() * geometry.spacing());
    let near_end = shift * T::from_f64(1.0 + 4.0 * T::EPSILON);
    for species in &mut particles.species {
        let stride = species.hot.stride();
        for axis in 0..D {
            let Some(length) = geometry.period(axis) else {
                continue;
            };
            let cells = T::from_f64((length / geometry.spacing()).round());
            let length = T::from_f64(length);
            let column = (Layout::<D>::X + axis) * T::LANES;
            species
                .hot
                .data_mut()
                .par_chunks_mut(stride)
                .for_each(|group| {
                    let is_outside = |x: T| {
                        let base = (x * inv_h - offset).floor();
                        base < T::zero() || base >= cells
                    };
                    for x in &mut group[column..column + T::LANES] {
                        if is_outside(*x) {
                            *x -= length * ((*x - shift) / length).floor();
                        }
                        // Rounding may leave it just before the near end or at the far one, which are the same place.
                        if is_outside(*x) {
                            *x = near_end;
                        }
                    }
                });
        }
    }
}

/// Where the particles of one species go.
struct Plan {
    /// For each new slot the old one, [`PADDING`] for lanes that stay empty.
    source: Vec<u32>,
    /// Block keys in order, with first group, number of groups and occupied cells as bits.
    blocks: Vec<PlannedBlock>,
}

struct PlannedBlock {
    key: u64,
    first_group: usize,
    groups: usize,
    cells: u64,
}

impl Plan {
    fn new<T: Scalar, const D: usize>(
        species: &Species<T, D>,
        geometry: &Geometry<D>,
        time: f64,
    ) -> Result<Self, StepError> {
        let cells = geometry.nodes_per_block();
        let keys = cell_keys(species, geometry);
        if let Some(slot) =
            (0..keys.len()).find(|&slot| keys[slot] == OUTSIDE && species.ids[slot] != PADDING)
        {
            return Err(StepError::OutOfGrid {
                particle: species.ids[slot],
                position: species.position(slot).0.map(T::to_f64).to_vec(),
                reach: geometry.reach(),
                time,
            });
        }

        // Number the blocks as they come; consecutive particles mostly share one.
        let mut table = crate::grid::KeyTable::default();
        let mut found: Vec<u64> = Vec::new();
        let mut block_of = vec![0u32; keys.len()];
        let mut counts: Vec<u32> = Vec::new();
        let (mut last_key, mut last_block) = (OUTSIDE, 0u32);
        for slot in 0..keys.len() {
            if species.ids[slot] == PADDING {
                continue;
            }
            let key = keys[slot] / cells as u64;
            if key != last_key {
                last_key = key;
                last_block = *table.entry(key).or_insert_with(|| {
                    found.push(key);
                    counts.resize(found.len() * cells, 0);
                    (found.len() - 1) as u32
                });
            }
            block_of[slot] = last_block;
            counts[last_block as usize * cells + (keys[slot] % cells as u64) as usize] += 1;
        }

        // Blocks in order of their keys, each padded to whole groups.
        let mut ranked: Vec<u32> = (0..found.len() as u32).collect();
        ranked.sort_unstable_by_key(|&block| found[block as usize]);
        let mut blocks = Vec::with_capacity(found.len());
        let mut groups = 0;
        for &block in &ranked {
            let counts = &mut counts[block as usize * cells..][..cells];
            let mut next = (groups * T::LANES) as u32;
            let mut occupied = 0u64;
            for (cell, count) in counts.iter_mut().enumerate() {
                occupied |= u64::from(*count > 0) << cell;
                let first = next;
                next += *count;
                *count = first;
            }
            let needed = (next as usize).div_ceil(T::LANES) - groups;
            blocks.push(PlannedBlock {
                key: found[block as usize],
                first_group: groups,
                groups: needed,
                cells: occupied,
            });
            groups += needed;
        }

        let mut source = vec![PADDING; groups * T::LANES];
        for slot in 0..keys.len() {
            if species.ids[slot] != PADDING {
                let cell = (keys[slot] % cells as u64) as usize;
                let target = &mut counts[block_of[slot] as usize * cells + cell];
                source[*target as usize] = slot as u32;
                *target += 1;
            }
        }
        Ok(Self { source, blocks })
    }

    fn add_segments<const D: usize>(
        &self,
        species: usize,
        geometry: &Geometry<D>,
        blocks: &Blocks<D>,
        segments: &mut Vec<Segment<D>>,
    ) {
        for planned in &self.blocks {
            let Some(block) = blocks.find(crate::grid::block_of_key(planned.key)) else {
                continue;
            };
            segments.push(Segment {
                block,
                species,
                groups: planned.first_group..planned.first_group + planned.groups,
                bounds: bounds(planned, geometry),
            });
        }
    }
}

/// For every slot, the key of its block times the cells of a block, plus its cell.
fn cell_keys<T: Scalar, const D: usize>(
    species: &Species<T, D>,
    geometry: &Geometry<D>,
) -> Vec<u64> {
    let inv_h = T::from_f64(1.0 / geometry.spacing());
    let offset = T::from_f64(geometry.kernel().base_offset());
    let cells = geometry.nodes_per_block() as u64;
    let side = geometry.block_side() as i32;
    let mut keys = vec![OUTSIDE; species.ids.len()];
    keys.par_chunks_mut(T::LANES)
        .zip(species.hot.data().par_chunks(species.hot.stride()))
        .for_each(|(keys, group)| {
            let mut last = ([i32::MIN; D], 0u64);
            for (lane, key) in keys.iter_mut().enumerate() {
                let mut block = [0; D];
                let mut cell = 0u64;
                for a in 0..D {
                    let x = group[(Layout::<D>::X + a) * T::LANES + lane];
                    let base = (x * inv_h - offset).floor().to_f64();
                    // NaN becomes 0 here and is found by the state check; ±∞ saturates and is out of range.
                    let base = base.clamp(f64::from(i32::MIN / 2), f64::from(i32::MAX / 2)) as i32;
                    block[a] = base.div_euclid(side);
                    cell = cell * side as u64 + base.rem_euclid(side) as u64;
                }
                let block = geometry.wrap(block);
                if !geometry.holds_matter(block) {
                    continue;
                }
                if block != last.0 {
                    last = (block, crate::grid::block_key(block));
                }
                *key = last.1 * cells + cell;
            }
        });
    keys
}

/// The nodes that cover the occupied cells of a block, a drift of one cell, and the kernel's reach.
fn bounds<const D: usize>(planned: &PlannedBlock, geometry: &Geometry<D>) -> NodeBox<D> {
    let side = geometry.block_side();
    let mut low = [side as i32; D];
    let mut high = [0; D];
    for cell in 0..geometry.nodes_per_block() {
        if planned.cells >> cell & 1 == 0 {
            continue;
        }
        let mut rest = cell;
        for a in (0..D).rev() {
            let c = (rest % side) as i32;
            low[a] = low[a].min(c);
            high[a] = high[a].max(c);
            rest /= side;
        }
    }
    let width = geometry.kernel().width();
    NodeBox::of_stencils(
        low.map(|n| n - 1),
        high.map(|n| n + 1),
        width,
        geometry.tile_side(),
    )
}

/// Every block that a tile overlaps.
fn touched_blocks<const D: usize>(plans: &[Plan], geometry: &Geometry<D>) -> Blocks<D> {
    let mut keys = Vec::new();
    for planned in plans.iter().flat_map(|plan| &plan.blocks) {
        let NodeBox { origin, size } = bounds(planned, geometry);
        let centre = crate::grid::block_of_key::<D>(planned.key);
        for k in 0..crate::grid::offsets::<D>() {
            let offset = crate::grid::offset_vector::<D>(k);
            let side = geometry.block_side() as i32;
            let reached = (0..D).all(|a| {
                origin[a] < side * (offset[a] + 1) && origin[a] + size[a] > side * offset[a]
            });
            let mut block = centre;
            for a in 0..D {
                block[a] += offset[a];
            }
            let block = geometry.wrap(block);
            if reached && geometry.holds(block) {
                keys.push(crate::grid::block_key(block));
            }
        }
    }
    keys.par_sort_unstable();
    keys.dedup();
    Blocks::new(&keys, geometry)
}

fn permuted<T: Scalar>(old: &Columns<T>, source: &[u32]) -> Columns<T> {
    let mut new = Columns::zeros(old.width(), source.len() / T::LANES);
    let stride = old.stride();
    let data = old.data();
    new.data_mut()
        .par_chunks_mut(stride)
        .zip(source.par_chunks(T::LANES))
        .for_each(|(group, source)| {
            // Padding copies a neighbour, so that its stencil and state stay ordinary.
            let fallback = source[0];
            let mut first = [0; MAX_LANES];
            for (first, &from) in first.iter_mut().zip(source) {
                let from = if from == PADDING { fallback } else { from } as usize;
                *first = (from / T::LANES) * stride + from % T::LANES;
            }
            for (column, lanes) in group.chunks_exact_mut(T::LANES).enumerate() {
                for (lane, &first) in lanes.iter_mut().zip(&first) {
                    *lane = data[first + column * T::LANES];
                }
            }
        });
    new
}

fn permuted_ids(old: &[u32], source: &[u32]) -> Vec<u32> {
    source
        .par_iter()
        .map(|&from| match from {
            PADDING => PADDING,
            from => old[from as usize],
        })
        .collect()
}

fn empty_padding<T: Scalar, const D: usize>(species: &mut Species<T, D>, source: &[u32]) {
    for slot in 0..source.len() {
        if source[slot] == PADDING {
            species.hot.set(slot, Layout::<D>::MASS, T::zero());
            species.hot.set(slot, Layout::<D>::V0, T::zero());
        }
    }
}

fn group_by_block<const D: usize>(
    blocks: &Blocks<D>,
    segments: &[Segment<D>],
) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; blocks.len() + 1];
    for segment in segments {
        start[segment.block + 1] += 1;
    }
    for b in 0..blocks.len() {
        start[b + 1] += start[b];
    }
    let mut next = start.clone();
    let mut by_block = vec![0; segments.len()];
    for (index, segment) in segments.iter().enumerate() {
        by_block[next[segment.block] as usize] = index as u32;
        next[segment.block] += 1;
    }
    (start, by_block)
}
