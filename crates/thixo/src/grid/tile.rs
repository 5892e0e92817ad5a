//! A working copy of the nodes around one block, small enough for the first-level cache.

use thixo_par::Scalar;

use super::{ABSENT, BLOCK, Blocks, Node, Segment, lift, nodes_per_block, offset_vector, offsets};

/// The largest tile: 9 nodes along each of three axes (cubic kernel).
const CAPACITY: usize = 9 * 9 * 9;

#[derive(Clone)]
#[repr(align(64))]
struct Storage<T>([Node<T>; CAPACITY]);

/// Nodes −1, 0, … of a block along each axis, in rows of `side` nodes whatever the segment's extent.
#[derive(Clone)]
pub struct Tile<T> {
    storage: Box<Storage<T>>,
    side: usize,
}

impl<T: Scalar> Tile<T> {
    /// A tile of zeros with `side` nodes along an axis.
    pub fn new(side: usize) -> Self {
        Self {
            storage: Box::new(Storage([[T::zero(); 4]; CAPACITY])),
            side,
        }
    }
    /// Nodes along an axis.
    pub fn side(&self) -> usize {
        self.side
    }
    /// All nodes; node n of an axis has index n + 1.
    #[inline(always)]
    pub fn nodes(&self) -> &[Node<T>] {
        &self.storage.0
    }
    /// All nodes, to be changed.
    #[inline(always)]
    pub fn nodes_mut(&mut self) -> &mut [Node<T>] {
        &mut self.storage.0
    }
    /// Sets all nodes of a D-dimensional tile to zero.
    pub fn clear<const D: usize>(&mut self) {
        let count = self.side.pow(D as u32);
        self.storage.0[..count].fill([T::zero(); 4]);
    }
    /// Copies the segment's part of the grid into the tile.
    pub fn load<const D: usize>(
        &mut self,
        segment: &Segment<D>,
        blocks: &Blocks<D>,
        nodes: &[Node<T>],
    ) {
        let n = nodes_per_block::<D>();
        for offset in 0..offsets::<D>() {
            let neighbour = blocks.neighbour(segment.block, offset);
            if neighbour == ABSENT {
                continue;
            }
            let block = &nodes[neighbour as usize * n..][..n];
            self.load_block(segment, offset, block);
        }
    }
    #[inline]
    fn load_block<const D: usize>(
        &mut self,
        segment: &Segment<D>,
        offset: usize,
        block: &[Node<T>],
    ) {
        let side = BLOCK as i32;
        let first = lift(offset_vector::<D>(offset).map(|o| side * o), 0);
        let origin = lift(segment.origin, 0);
        let size = lift(segment.size, 1);
        let extent = lift([side; D], 1);
        let margin = lift([1; D], 0);
        let mut low = [0; 3];
        let mut high = [0; 3];
        for a in 0..3 {
            low[a] = origin[a].max(first[a]);
            high[a] = (origin[a] + size[a]).min(first[a] + extent[a]);
        }
        if low[2] >= high[2] {
            return;
        }
        let length = (high[2] - low[2]) as usize;
        let stride = self.side as i32;
        for i in low[0]..high[0] {
            for j in low[1]..high[1] {
                let from = ((i - first[0]) * extent[1] + j - first[1]) * side + low[2] - first[2];
                let to = ((i + margin[0]) * stride + j + margin[1]) * stride + low[2] + margin[2];
                let source = &block[from as usize..][..length];
                let target = &mut self.storage.0[to as usize..][..length];
                for k in 0..length {
                    target[k] = source[k];
                }
            }
        }
    }
    /// Writes the segment's box to its place in the storage of all tiles.
    pub fn store<const D: usize>(&self, segment: &Segment<D>, to: &mut [Node<T>]) {
        let origin = lift(segment.origin, 0);
        let size = lift(segment.size, 1);
        let margin = lift([1; D], 0);
        let stride = self.side as i32;
        let length = size[2] as usize;
        let mut rows = to.chunks_exact_mut(length);
        for i in 0..size[0] {
            for j in 0..size[1] {
                let row = (origin[0] + i + margin[0]) * stride + origin[1] + j + margin[1];
                let from = row * stride + origin[2] + margin[2];
                if let Some(row) = rows.next() {
                    let source = &self.storage.0[from as usize..][..length];
                    for k in 0..length {
                        row[k] = source[k];
                    }
                }
            }
        }
    }
}
