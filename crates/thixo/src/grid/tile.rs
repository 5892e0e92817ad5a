//! A working copy of the nodes around one block, small enough for the first-level cache.

use thixo_par::Scalar;

use super::{ABSENT, Blocks, Node, Overlap, Segment, lift, nodes_per_block, offsets};

/// The largest tile: 9 nodes along each of three axes (cubic kernel).
const CAPACITY: usize = 9 * 9 * 9;

/// Nodes of a row when all cells of a block are occupied, with the quadratic kernel.
const FULL_ROW: usize = 8;

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
            let steps = [self.side * self.side, self.side];
            if let Some(overlap) = Overlap::new(offset, segment, [-1; D], steps) {
                overlap.load(&mut self.storage.0, &nodes[neighbour as usize * n..][..n]);
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
                let from = (row * stride + origin[2] + margin[2]) as usize;
                let Some(row) = rows.next() else {
                    return;
                };
                let source = &self.storage.0[from..];
                // Nearly all rows are full; their copy is a few register moves.
                match (
                    row.first_chunk_mut::<FULL_ROW>(),
                    source.first_chunk::<FULL_ROW>(),
                ) {
                    (Some(to), Some(from)) if length == FULL_ROW => *to = *from,
                    _ => row.copy_from_slice(&source[..length]),
                }
            }
        }
    }
}
