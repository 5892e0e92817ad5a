//! Counting sort of the particles of a material by block and cell.
//!
//! The sort has two levels. Chunks of particles are distributed to blocks in parallel; then every
//! block collects its buckets from the chunks and orders their particles by cell. Both levels are
//! stable, so that the new order is a function of the particles alone.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::own_block::OwnBlock;
use super::{Layout, PADDING, Species};
use crate::error::StepError;
use crate::grid::{Blocks, Geometry, KeyTable, NodeBox, Segment, block_key, block_of_key};

/// Least number of groups in a chunk: enough that a chunk's blocks are few compared with its
/// particles.
const MIN_CHUNK: usize = 4096;

/// Largest number of chunks, but for the last: in the worst case every chunk has particles for
/// every block.
const MAX_CHUNKS: usize = 64;

/// The sorted order of the particles of a material.
pub(super) struct CountingSort {
    /// For each new slot the old one, [`PADDING`] for lanes that stay empty.
    pub source: Vec<u32>,
    /// Occupied blocks, in the order of their keys.
    pub blocks: Vec<SortedBlock>,
}

/// A block with particles of the material.
pub(super) struct SortedBlock {
    /// Key of the block.
    pub key: u64,
    /// First group of its particles.
    pub first_group: usize,
    /// Number of its groups.
    pub groups: usize,
    /// Occupied cells, one bit each.
    cells: u64,
}

/// The particles of a chunk that belong to one block.
#[derive(Clone, Copy)]
struct Bucket {
    key: u64,
    chunk: u32,
    /// First of them among the slots of the chunk, which are ordered by block.
    first: u32,
    count: u32,
}

/// A chunk of particles, distributed to blocks.
struct Chunk {
    slots: Vec<u32>,
    buckets: Vec<Bucket>,
    /// First particle outside all blocks that can be numbered.
    outside: Option<usize>,
}

impl CountingSort {
    /// Sorts a species; fails if a particle lies outside all blocks that can be numbered.
    pub fn new<T: Scalar, const D: usize>(
        species: &Species<T, D>,
        geometry: &Geometry<D>,
        time: f64,
    ) -> Result<Self, StepError> {
        let mut cells = vec![0u8; species.ids.len()];
        let chunks = fill_buckets(species, geometry, &mut cells);
        if let Some(slot) = chunks.iter().find_map(|chunk| chunk.outside) {
            return Err(StepError::OutOfGrid {
                particle: species.ids[slot],
                position: species.position(slot, geometry).0.to_vec(),
                reach: geometry.reach(),
                time,
            });
        }
        let mut buckets: Vec<Bucket> = chunks
            .iter()
            .flat_map(|c| c.buckets.iter().copied())
            .collect();
        buckets.par_sort_unstable_by_key(|bucket| (bucket.key, bucket.chunk));
        let buckets_of_blocks: Vec<&[Bucket]> = buckets.chunk_by(|a, b| a.key == b.key).collect();

        // Every block is padded to whole groups.
        let mut blocks = Vec::with_capacity(buckets_of_blocks.len());
        let mut groups = 0;
        for buckets in &buckets_of_blocks {
            let particles: usize = buckets.iter().map(|bucket| bucket.count as usize).sum();
            blocks.push(SortedBlock {
                key: buckets[0].key,
                first_group: groups,
                groups: particles.div_ceil(T::LANES),
                cells: 0,
            });
            groups += particles.div_ceil(T::LANES);
        }
        let mut source = vec![PADDING; groups * T::LANES];
        let mut rest = &mut source[..];
        let mut outputs = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let (output, after) = rest.split_at_mut(block.groups * T::LANES);
            outputs.push(output);
            rest = after;
        }
        let tasks = blocks.par_iter_mut().zip(outputs).zip(buckets_of_blocks);
        tasks
            .with_min_len(64)
            .for_each(|((block, output), buckets)| {
                let slots = buckets.iter().flat_map(|bucket| {
                    let first = bucket.first as usize;
                    &chunks[bucket.chunk as usize].slots[first..first + bucket.count as usize]
                });
                block.cells = order_by_cell(slots, &cells, output);
            });
        Ok(Self { source, blocks })
    }

    /// The block of every group in the new order.
    pub fn block_of_groups<const D: usize>(&self) -> Vec<[i32; D]> {
        let blocks = self.blocks.iter();
        blocks
            .flat_map(|block| core::iter::repeat_n(block_of_key(block.key), block.groups))
            .collect()
    }

    /// Adds the segments of this species, numbered `species`.
    pub fn add_segments<const D: usize>(
        &self,
        species: usize,
        geometry: &Geometry<D>,
        blocks: &Blocks<D>,
        segments: &mut Vec<Segment<D>>,
    ) {
        for sorted in &self.blocks {
            let Some(block) = blocks.find(block_of_key(sorted.key)) else {
                continue;
            };
            segments.push(Segment {
                block,
                species,
                groups: sorted.first_group..sorted.first_group + sorted.groups,
                bounds: sorted.bounds(geometry),
            });
        }
    }
}

impl SortedBlock {
    /// The nodes that cover the occupied cells, a drift of one cell, and the support of the kernel.
    pub fn bounds<const D: usize>(&self, geometry: &Geometry<D>) -> NodeBox<D> {
        let side = geometry.block_side();
        let mut low = [side as i32; D];
        let mut high = [0; D];
        for cell in 0..geometry.nodes_per_block() {
            if self.cells >> cell & 1 == 0 {
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
        NodeBox::of_stencils(
            low.map(|n| n - 1),
            high.map(|n| n + 1),
            geometry.kernel().width(),
            geometry.tile_side(),
        )
    }
}

/// Distributes all particles chunk by chunk, and stores the cell of every slot within its block.
fn fill_buckets<T: Scalar, const D: usize>(
    species: &Species<T, D>,
    geometry: &Geometry<D>,
    cells: &mut [u8],
) -> Vec<Chunk> {
    let groups = species.hot.groups();
    let length = groups.div_ceil(MAX_CHUNKS).max(MIN_CHUNK) * T::LANES;
    cells
        .par_chunks_mut(length)
        .enumerate()
        .map(|(chunk, cells)| {
            let mut histogram = BlockHistogram::default();
            let mut outside = None;
            for (k, cell) in cells.iter_mut().enumerate() {
                let slot = chunk * length + k;
                if species.ids[slot] == PADDING {
                    histogram.skip();
                    continue;
                }
                match block_and_cell(species, slot, geometry) {
                    Some((block, c)) => {
                        *cell = c;
                        histogram.count(block);
                    }
                    None => {
                        outside = outside.or(Some(slot));
                        histogram.skip();
                    }
                }
            }
            let (slots, buckets) = histogram.into_buckets(chunk as u32, (chunk * length) as u32);
            Chunk {
                slots,
                buckets,
                outside,
            }
        })
        .collect()
}

/// The block of the particle in a slot and its cell there; none outside all blocks that can be
/// numbered.
#[inline]
fn block_and_cell<T: Scalar, const D: usize>(
    species: &Species<T, D>,
    slot: usize,
    geometry: &Geometry<D>,
) -> Option<([i32; D], u8)> {
    let own = OwnBlock::<T>::new(geometry);
    let side = geometry.block_side() as i32;
    let mut block = species.blocks[slot / T::LANES];
    let mut cell = 0;
    for a in 0..D {
        let base = own.base(species.hot.get(slot, Layout::<D>::X + a));
        block[a] = block[a].saturating_add(base.div_euclid(side));
        cell = cell * side as u8 + base.rem_euclid(side) as u8;
    }
    let block = geometry.wrap(block);
    geometry.holds_matter(block).then_some((block, cell))
}

/// Number of slots per block in a chunk.
struct BlockHistogram<const D: usize> {
    table: KeyTable,
    /// Keys of the blocks and their numbers of slots, in the order of first occurrence.
    counts: Vec<(u64, u32)>,
    /// For every slot the number of its block, [`PADDING`] if it has no particle.
    block_of: Vec<u32>,
    /// Block of the last particle: consecutive particles mostly share one.
    last: ([i32; D], u32),
}

impl<const D: usize> Default for BlockHistogram<D> {
    fn default() -> Self {
        Self {
            table: KeyTable::default(),
            counts: Vec::new(),
            block_of: Vec::new(),
            last: ([i32::MIN; D], 0),
        }
    }
}

impl<const D: usize> BlockHistogram<D> {
    fn skip(&mut self) {
        self.block_of.push(PADDING);
    }
    fn count(&mut self, block: [i32; D]) {
        if block != self.last.0 {
            let key = block_key(block);
            let number = *self.table.entry(key).or_insert_with(|| {
                self.counts.push((key, 0));
                (self.counts.len() - 1) as u32
            });
            self.last = (block, number);
        }
        self.counts[self.last.1 as usize].1 += 1;
        self.block_of.push(self.last.1);
    }
    /// The slots ordered by block, numbered from `first_slot` on, and the bucket of each block.
    fn into_buckets(self, chunk: u32, first_slot: u32) -> (Vec<u32>, Vec<Bucket>) {
        let mut next = 0;
        let mut starts = Vec::with_capacity(self.counts.len());
        let mut buckets = Vec::with_capacity(self.counts.len());
        for &(key, count) in &self.counts {
            starts.push(next);
            buckets.push(Bucket {
                key,
                chunk,
                first: next,
                count,
            });
            next += count;
        }
        let mut slots = vec![0; next as usize];
        for (slot, &block) in (first_slot..).zip(&self.block_of) {
            if block != PADDING {
                let start = &mut starts[block as usize];
                slots[*start as usize] = slot;
                *start += 1;
            }
        }
        (slots, buckets)
    }
}

/// Orders the slots of a block by cell, stably; returns the occupied cells, one bit each.
fn order_by_cell<'a>(
    slots: impl Iterator<Item = &'a u32> + Clone,
    cells: &[u8],
    output: &mut [u32],
) -> u64 {
    let mut next = [0u32; 64];
    for &slot in slots.clone() {
        next[usize::from(cells[slot as usize])] += 1;
    }
    let mut occupied = 0;
    let mut sum = 0;
    for (cell, next) in next.iter_mut().enumerate() {
        occupied |= u64::from(*next > 0) << cell;
        let first = sum;
        sum += *next;
        *next = first;
    }
    for &slot in slots {
        let next = &mut next[usize::from(cells[slot as usize])];
        output[*next as usize] = slot;
        *next += 1;
    }
    occupied
}
