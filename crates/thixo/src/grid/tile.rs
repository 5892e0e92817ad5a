//! Tiles: a working copy of the nodes around one block, small enough for the first-level cache, and
//! its compact storage.

use rayon::prelude::*;
use thixo_par::{Scalar, prefetch};

use super::block::{BLOCK_SIDE_2D, MIN_BLOCK_SIDE};
use super::{ABSENT, BlockOrder, Blocks, Lattice, NodeBox, Overlap, lift, offsets};
use crate::kernel::MAX_WIDTH;

/// Nodes of the largest tile: of a block, a margin of one cell for drift on both sides, the support
/// of the widest kernel, and `lower` more where a lattice has an offset.
const fn capacity(lower: usize) -> usize {
    let space = (MIN_BLOCK_SIDE + 1 + MAX_WIDTH + lower).pow(3);
    let plane = (BLOCK_SIDE_2D + 1 + MAX_WIDTH + lower).pow(2);
    if space > plane { space } else { plane }
}

/// Capacity of a tile on the lattice of nodes.
const CAPACITY: usize = capacity(0);
/// Capacity of a tile on any lattice.
pub const STAGGERED_CAPACITY: usize = capacity(1);

#[derive(Clone)]
#[repr(align(64))]
struct Storage<T, const N: usize, const C: usize>([[T; N]; C]);

/// The nodes around a block in the supports of its particles, in rows of `side` nodes whatever the
/// segment's extent: nodes −1, 0, … along each axis, or −2, −1, … on a lattice with an offset.
#[derive(Clone)]
pub struct Tile<T, const N: usize = 4, const C: usize = CAPACITY> {
    storage: Box<Storage<T, N, C>>,
    side: usize,
    /// The first node along each axis.
    first: i32,
}

impl<T: Scalar> Tile<T> {
    /// A tile of zeros with `side` nodes along an axis, on the lattice of nodes.
    pub fn new(side: usize) -> Self {
        Self {
            storage: Box::new(Storage([[T::zero(); 4]; CAPACITY])),
            side,
            first: -1,
        }
    }
}

impl<T: Scalar, const N: usize> Tile<T, N, STAGGERED_CAPACITY> {
    /// A tile of zeros for a field on any lattice, where tiles of nodes have `side` nodes along an
    /// axis.
    pub fn on<const D: usize>(lattice: &Lattice<D>, side: usize) -> Self {
        Self {
            storage: Box::new(Storage([[T::zero(); N]; STAGGERED_CAPACITY])),
            side: side + lattice.lower() as usize,
            first: -1 - lattice.lower(),
        }
    }
}

impl<T: Scalar, const N: usize, const C: usize> Tile<T, N, C> {
    /// Nodes along an axis.
    pub fn side(&self) -> usize {
        self.side
    }
    /// All nodes.
    #[inline(always)]
    pub fn nodes(&self) -> &[[T; N]] {
        &self.storage.0
    }
    /// All nodes, mutable.
    #[inline(always)]
    pub fn nodes_mut(&mut self) -> &mut [[T; N]] {
        &mut self.storage.0
    }
    /// Sets all nodes of a D-dimensional tile to zero.
    pub fn clear<const D: usize>(&mut self) {
        let count = self.side.pow(D as u32);
        self.storage.0[..count].fill([T::zero(); N]);
    }
    /// Copies some nodes around a block from the grid into the tile.
    pub fn load<const D: usize>(
        &mut self,
        (block, part): (usize, &NodeBox<D>),
        blocks: &Blocks<D>,
        nodes: &[[T; N]],
    ) {
        let n = blocks.nodes_per_block();
        for offset in 0..offsets::<D>() {
            let neighbour = blocks.neighbour(block, offset);
            if neighbour == ABSENT {
                continue;
            }
            let steps = [self.side * self.side, self.side];
            let at = (offset, blocks.side());
            if let Some(overlap) = Overlap::new(at, part, [self.first; D], steps) {
                overlap.load(&mut self.storage.0, &nodes[neighbour as usize * n..][..n]);
            }
        }
    }
    /// Writes some nodes, row after row, to the beginning of a slice.
    pub fn store<const D: usize>(&self, part: &NodeBox<D>, to: &mut [[T; N]]) {
        // Rows of a length known to the compiler are a few register moves; these are the lengths of
        // the quadratic kernel.
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
    fn store_rows<const D: usize, const ROW: usize>(&self, part: &NodeBox<D>, to: &mut [[T; N]]) {
        let (rows, _) = to.as_chunks_mut::<ROW>();
        for (row, from) in rows.iter_mut().zip(self.rows(part)) {
            if let Some(source) = self.storage.0[from..].first_chunk::<ROW>() {
                *row = *source;
            }
        }
    }

    /// Indices of the first nodes of the rows of a box.
    #[inline(always)]
    fn rows<const D: usize>(&self, part: &NodeBox<D>) -> impl Iterator<Item = usize> {
        let origin = lift(part.origin, 0);
        let size = lift(part.size, 1);
        let margin = lift([-self.first; D], 0);
        let stride = self.side as i32;
        (0..size[0]).flat_map(move |i| {
            (0..size[1]).map(move |j| {
                let row = (origin[0] + i + margin[0]) * stride + origin[1] + j + margin[1];
                (row * stride + origin[2] + margin[2]) as usize
            })
        })
    }
}

/// Scattered contributions of the segments, from which the nodes of the grid are summed.
#[derive(Clone, Debug)]
pub struct Tiles<T, const N: usize, const D: usize> {
    /// Storage for the bounds of every segment, one after the other.
    nodes: Vec<[T; N]>,
    /// The touched nodes of each segment, stored compactly at the beginning of its storage.
    touched: Vec<NodeBox<D>>,
    /// Start of the storage of each segment, and the end of the last.
    start: Vec<usize>,
    block_side: usize,
}

impl<T: Scalar, const N: usize, const D: usize> Default for Tiles<T, N, D> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            touched: Vec::new(),
            start: Vec::new(),
            block_side: 0,
        }
    }
}

impl<T: Scalar, const N: usize, const D: usize> Tiles<T, N, D> {
    /// Allocates storage for an order; its values are unspecified, and the touched nodes of every
    /// segment are its bounds.
    pub fn resize(&mut self, order: &BlockOrder<D>) {
        self.resize_on(0, order);
    }
    /// The same on a lattice whose stencils may begin `lower` nodes below those at the corners of
    /// cells.
    fn resize_on(&mut self, lower: i32, order: &BlockOrder<D>) {
        self.block_side = order.blocks.side();
        self.touched.clear();
        self.start.clear();
        let mut end = 0;
        for segment in &order.segments {
            let bounds = segment.bounds.grown_down(lower);
            self.touched.push(bounds);
            self.start.push(end);
            end += bounds.nodes();
        }
        self.start.push(end);
        if self.nodes.is_empty() {
            // Newly allocated memory is zero already.
            self.nodes = vec![[T::zero(); N]; end];
        } else {
            self.nodes.resize(end, [T::zero(); N]);
        }
    }
    /// The same on the lattices of faces and cell centres.
    pub fn resize_staggered(&mut self, order: &BlockOrder<D>) {
        self.resize_on(1, order);
    }
    /// Storage for an order on a lattice.
    pub fn on(lattice: &Lattice<D>, order: &BlockOrder<D>) -> Self {
        let mut tiles = Self::default();
        tiles.resize_on(lattice.lower(), order);
        tiles
    }
    /// Frees the storage of the contributions until [`resize`](Self::resize): it is not needed
    /// while particles are sorted or gather for the last time, when a second table of particles is
    /// allocated.
    pub fn release(&mut self) {
        self.nodes = Vec::new();
    }
    /// Storage and touched nodes of every segment; empty storage after [`release`](Self::release).
    pub fn segments_mut(&mut self) -> impl Iterator<Item = (&mut [[T; N]], &mut NodeBox<D>)> {
        let mut rest = &mut *self.nodes;
        let is_there = !rest.is_empty();
        let lengths = self.start.windows(2).map(move |ends| match is_there {
            true => ends[1] - ends[0],
            false => 0,
        });
        lengths
            .zip(&mut self.touched)
            .map(move |(length, touched)| {
                let (own, others) = core::mem::take(&mut rest).split_at_mut(length);
                rest = others;
                (own, touched)
            })
    }
    /// Adds the nodes that a segment shares with the block at an offset from its own to the block's
    /// nodes.
    #[inline]
    pub fn add(&self, segment: usize, offset: usize, nodes: &mut [[T; N]]) {
        let at = (offset, self.block_side);
        let touched = &self.touched[segment];
        let steps = touched.steps();
        if let Some(overlap) = Overlap::new(at, touched, touched.origin, steps) {
            let own = self.start[segment]..self.start[segment + 1];
            overlap.add(&self.nodes[own], nodes);
        }
    }
    /// Sums the tiles of all segments into the nodes of all blocks, equation (18), in the order of
    /// neighbour offset and material, and lets `then` modify the summed nodes of every block;
    /// returns the results of `then`, block after block.
    pub fn pull<R: Send>(
        &self,
        order: &BlockOrder<D>,
        nodes: &mut [[T; N]],
        then: impl Fn(usize, &mut [[T; N]]) -> R + Sync,
    ) -> Vec<R> {
        self.pull_of(order, nodes, |_| true, then)
    }
    /// The same for the segments of materials for which `counts` holds.
    pub fn pull_of<R: Send>(
        &self,
        order: &BlockOrder<D>,
        nodes: &mut [[T; N]],
        counts: impl Fn(usize) -> bool + Sync,
        then: impl Fn(usize, &mut [[T; N]]) -> R + Sync,
    ) -> Vec<R> {
        let blocks = &order.blocks;
        let per_block = blocks.nodes_per_block().max(1);
        let pulled = nodes
            .par_chunks_mut(per_block)
            .enumerate()
            .map(|(b, nodes)| {
                nodes.fill([T::zero(); N]);
                // In the order of blocks the last neighbour is met here for the first time, by one
                // corner of its tile; the rest of the tile will be needed soon, in parts that the
                // processor would wait for one by one.
                let last = blocks.neighbour(b, offsets::<D>() - 1);
                if last != ABSENT {
                    for segment in order.segments_of(last as usize) {
                        self.prefetch(segment);
                    }
                }
                order.for_each_overlapping(b, |segment, offset| {
                    if counts(order.segments[segment].species) {
                        self.add(segment, offset, nodes);
                    }
                });
                then(b, nodes)
            });
        pulled.collect()
    }
    /// Prefetches the contributions of a segment.
    #[inline]
    pub fn prefetch(&self, segment: usize) {
        let first = self.start[segment];
        prefetch(&self.nodes[first..first + self.touched[segment].nodes()]);
    }
    /// Bytes of storage, also while it is released.
    pub fn bytes(&self) -> usize {
        let nodes = self.start.last().copied().unwrap_or_default();
        nodes.max(self.nodes.capacity()) * size_of::<[T; N]>()
            + self.touched.capacity() * size_of::<NodeBox<D>>()
            + self.start.capacity() * size_of::<usize>()
    }
}
