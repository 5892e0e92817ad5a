//! Existing blocks, and the segments of particles in them.

use super::{ABSENT, Blocks, Segment, offsets};

/// The existing blocks, and the particles in each.
#[derive(Clone, Debug, Default)]
pub struct BlockOrder<const D: usize> {
    /// All blocks with nodes in the support of a particle before the next sort.
    pub blocks: Blocks<D>,
    /// Work items, material after material, blocks in order.
    pub segments: Vec<Segment<D>>,
    /// Segments by block: those of block b are `by_block[start[b]..start[b + 1]]`.
    start: Vec<u32>,
    by_block: Vec<u32>,
}

impl<const D: usize> BlockOrder<D> {
    /// The order of given segments in given blocks.
    pub fn new(blocks: Blocks<D>, segments: Vec<Segment<D>>) -> Self {
        let mut start = vec![0u32; blocks.len() + 1];
        for segment in &segments {
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
        Self {
            blocks,
            segments,
            start,
            by_block,
        }
    }
    /// The indices of the segments of a block, by material.
    pub fn segments_of(&self, block: usize) -> impl Iterator<Item = usize> {
        let range = self.start[block] as usize..self.start[block + 1] as usize;
        self.by_block[range].iter().map(|&segment| segment as usize)
    }
    /// Calls `add` with every segment whose tile may overlap a block, and with the offset of the
    /// block from the segment's own, in the order of neighbour offset and material, equation (18).
    #[inline(always)]
    pub fn for_each_overlapping(&self, block: usize, mut add: impl FnMut(usize, usize)) {
        for offset in 0..offsets::<D>() {
            let neighbour = self.blocks.neighbour(block, offset);
            if neighbour == ABSENT {
                continue;
            }
            // Seen from the neighbour, this block lies in the opposite direction.
            let opposite = offsets::<D>() - 1 - offset;
            for segment in self.segments_of(neighbour as usize) {
                add(segment, opposite);
            }
        }
    }
}
