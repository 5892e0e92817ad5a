//! A working copy of the nodes around one block, small enough for the first-level cache, and what is kept of it.

use thixo_par::{Scalar, prefetch};

use super::{ABSENT, Blocks, Node, NodeBox, Overlap, lift, offsets};
use crate::particles::Order;

/// The largest tile: 9 nodes along each of three axes (cubic kernel); 13 along two are fewer.
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
    /// Copies some nodes around a block from the grid into the tile.
    pub fn load<const D: usize>(
        &mut self,
        (block, part): (usize, &NodeBox<D>),
        blocks: &Blocks<D>,
        nodes: &[Node<T>],
    ) {
        let n = blocks.nodes_per_block();
        for offset in 0..offsets::<D>() {
            let neighbour = blocks.neighbour(block, offset);
            if neighbour == ABSENT {
                continue;
            }
            let steps = [self.side * self.side, self.side];
            if let Some(overlap) = Overlap::new((offset, blocks.side()), part, [-1; D], steps) {
                overlap.load(&mut self.storage.0, &nodes[neighbour as usize * n..][..n]);
            }
        }
    }
    /// Writes some nodes, row after row, to the beginning of a storage.
    pub fn store<const D: usize>(&self, part: &NodeBox<D>, to: &mut [Node<T>]) {
        // Rows of a length known to the compiler are a few register moves; these are the lengths of the quadratic kernel.
        match part.size[D - 1] {
            4 => self.store_rows::<D, 4>(part, to),
            6 => self.store_rows::<D, 6>(part, to),
            8 => self.store_rows::<D, 8>(part, to),
            10 => self.store_rows::<D, 10>(part, to),
            12 => self.store_rows::<D, 12>(part, to),
            length => {
                let rows = to.chunks_exact_mut(length as usize);
                for (row, from) in rows.zip(self.rows(part)) {
                    row.copy_from_slice(&self.storage.0[from..from + row.len()]);
                }
            }
        }
    }

    #[inline(always)]
    fn store_rows<const D: usize, const N: usize>(&self, part: &NodeBox<D>, to: &mut [Node<T>]) {
        let (rows, _) = to.as_chunks_mut::<N>();
        for (row, from) in rows.iter_mut().zip(self.rows(part)) {
            if let Some(source) = self.storage.0[from..].first_chunk::<N>() {
                *row = *source;
            }
        }
    }

    /// Where the rows of a part start.
    #[inline(always)]
    fn rows<const D: usize>(&self, part: &NodeBox<D>) -> impl Iterator<Item = usize> {
        let origin = lift(part.origin, 0);
        let size = lift(part.size, 1);
        let margin = lift([1; D], 0);
        let stride = self.side as i32;
        (0..size[0]).flat_map(move |i| {
            (0..size[1]).map(move |j| {
                let row = (origin[0] + i + margin[0]) * stride + origin[1] + j + margin[1];
                (row * stride + origin[2] + margin[2]) as usize
            })
        })
    }
}

/// What the segments have scattered, from which the nodes of the grid are summed.
#[derive(Clone, Debug)]
pub struct Tiles<T, const D: usize> {
    /// Room for the bounds of every segment, one after the other.
    nodes: Vec<Node<T>>,
    /// The nodes of each segment that hold something, stored compactly at the beginning of its room.
    reached: Vec<NodeBox<D>>,
    /// Where the room of a segment starts, and where that of the last one ends.
    start: Vec<usize>,
    block_side: usize,
}

impl<T: Scalar, const D: usize> Default for Tiles<T, D> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            reached: Vec::new(),
            start: Vec::new(),
            block_side: 0,
        }
    }
}

impl<T: Scalar, const D: usize> Tiles<T, D> {
    /// Makes room for an order; what is in it is unspecified, but every segment reaches its bounds.
    pub fn resize(&mut self, order: &Order<D>) {
        self.block_side = order.blocks.side();
        self.reached.clear();
        self.start.clear();
        let mut end = 0;
        for segment in &order.segments {
            self.reached.push(segment.bounds);
            self.start.push(end);
            end += segment.bounds.nodes();
        }
        self.start.push(end);
        if self.nodes.is_empty() {
            // Fresh memory is zero already.
            self.nodes = vec![[T::zero(); 4]; end];
        } else {
            self.nodes.resize(end, [T::zero(); 4]);
        }
    }
    /// Gives the memory of what was scattered back until [`resize`](Self::resize): where particles are sorted, or for the last time gather, it would lie idle
    /// while a second table of particles is there.
    pub fn release(&mut self) {
        self.nodes = Vec::new();
    }
    /// Room and reached nodes of every segment; without room after [`release`](Self::release).
    pub fn rooms(&mut self) -> impl Iterator<Item = (&mut [Node<T>], &mut NodeBox<D>)> {
        let mut rest = &mut *self.nodes;
        let is_there = !rest.is_empty();
        let lengths = self.start.windows(2).map(move |ends| match is_there {
            true => ends[1] - ends[0],
            false => 0,
        });
        lengths
            .zip(&mut self.reached)
            .map(move |(length, reached)| {
                let (own, others) = core::mem::take(&mut rest).split_at_mut(length);
                rest = others;
                (own, reached)
            })
    }
    /// Adds what a segment has in common with the block at an offset from its own to the block's nodes.
    #[inline]
    pub fn add(&self, segment: usize, offset: usize, nodes: &mut [Node<T>]) {
        let at = (offset, self.block_side);
        let reached = &self.reached[segment];
        let steps = reached.steps();
        if let Some(overlap) = Overlap::new(at, reached, reached.origin, steps) {
            let own = self.start[segment]..self.start[segment + 1];
            overlap.add(&self.nodes[own], nodes);
        }
    }
    /// Asks for what a segment has scattered.
    #[inline]
    pub fn prefetch(&self, segment: usize) {
        let first = self.start[segment];
        prefetch(&self.nodes[first..first + self.reached[segment].nodes()]);
    }
    /// Bytes of storage, also while it is released.
    pub fn bytes(&self) -> usize {
        let nodes = self.start.last().copied().unwrap_or_default();
        nodes.max(self.nodes.capacity()) * size_of::<Node<T>>()
            + self.reached.capacity() * size_of::<NodeBox<D>>()
            + self.start.capacity() * size_of::<usize>()
    }
}
