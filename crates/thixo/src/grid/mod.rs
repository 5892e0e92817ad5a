//! The sparse grid: blocks of 64 nodes, 4×4×4 or 8×8, that exist only where matter reaches; 4×4 where a period is no multiple of 8.
//!
//! A node is four numbers: momentum (or velocity, or force) in the first D, mass in the last. Particles of a
//! block add to a [`Tile`] of their own; each block of the grid then pulls the overlapping tiles in a fixed order
//! ([`Nodes::pull`], equation (18)), so that sums do not depend on how many threads there are.

mod block;
mod fields;
mod node_box;
mod overlap;
mod tile;

pub use block::{
    ABSENT, Blocks, Geometry, KeyTable, Segment, block_key, block_of_key, lift, offset_vector,
    offsets,
};
pub(crate) use fields::Grid;
pub use node_box::{BaseRange, NodeBox};
pub use overlap::Overlap;
pub use tile::{Tile, Tiles};

use rayon::prelude::*;
use thixo_par::Scalar;

use crate::particles::Order;

/// Momentum, velocity or force, and mass.
pub type Node<T> = [T; 4];

/// Index of the mass in a [`Node`].
pub const MASS: usize = 3;

/// One field on the grid: a [`Node`] for every node of every block.
#[derive(Clone, Debug)]
pub struct Nodes<T, const D: usize> {
    values: Vec<Node<T>>,
    /// Nodes of a block; at least 1.
    per_block: usize,
}

impl<T: Scalar, const D: usize> Default for Nodes<T, D> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            per_block: 1,
        }
    }
}

impl<T: Scalar, const D: usize> Nodes<T, D> {
    /// All nodes, block after block; within a block the last axis runs fastest.
    pub fn values(&self) -> &[Node<T>] {
        &self.values
    }
    /// All nodes, to be changed.
    pub fn values_mut(&mut self) -> &mut [Node<T>] {
        &mut self.values
    }
    /// A field in memory that was used before; its nodes are unspecified until it is [resized](Self::resize).
    pub(crate) fn in_memory_of(values: Vec<Node<T>>) -> Self {
        Self {
            values,
            per_block: 1,
        }
    }
    /// All nodes, given away.
    pub(crate) fn into_values(self) -> Vec<Node<T>> {
        self.values
    }
    /// The nodes of every block, in parallel, with the block's index.
    pub fn blocks_mut(&mut self) -> impl IndexedParallelIterator<Item = (usize, &mut [Node<T>])> {
        self.values.par_chunks_mut(self.per_block).enumerate()
    }
    /// Sets as many nodes as the order has, with unspecified values.
    pub fn resize(&mut self, order: &Order<D>) {
        self.per_block = order.blocks.nodes_per_block().max(1);
        let length = order.blocks.len() * self.per_block;
        self.values.resize(length, [T::zero(); 4]);
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<Node<T>>()
    }
    /// Sums the tiles of all segments into the nodes, equation (18): every node adds the tiles that cover it in the order of
    /// neighbour offset and material.
    pub fn pull(&mut self, order: &Order<D>, tiles: &Tiles<T, D>) {
        self.pull_then(order, tiles, |_, _| ());
    }
    /// The same, and lets `then` change what the nodes of every block have got; returns what it returns, block after block.
    pub fn pull_then<R: Send>(
        &mut self,
        order: &Order<D>,
        tiles: &Tiles<T, D>,
        then: impl Fn(usize, &mut [Node<T>]) -> R + Sync,
    ) -> Vec<R> {
        self.resize(order);
        let blocks = &order.blocks;
        let pulled = self.blocks_mut().map(|(b, nodes)| {
            nodes.fill([T::zero(); 4]);
            // In the order of blocks the last neighbour is met here for the first time, by one corner of its tile; the rest of the tile will
            // be needed soon, in pieces that the processor would wait for one by one.
            let last = blocks.neighbour(b, offsets::<D>() - 1);
            if last != ABSENT {
                for segment in order.segments_of(last as usize) {
                    tiles.prefetch(segment);
                }
            }
            for offset in 0..offsets::<D>() {
                let neighbour = blocks.neighbour(b, offset);
                if neighbour == ABSENT {
                    continue;
                }
                // Seen from the neighbour, this block lies in the opposite direction.
                let opposite = offsets::<D>() - 1 - offset;
                for segment in order.segments_of(neighbour as usize) {
                    tiles.add(segment, opposite, nodes);
                }
            }
            then(b, nodes)
        });
        pulled.collect()
    }
    /// Moves the field to a new set of blocks; nodes of blocks that did not exist are zero.
    pub fn carry(&mut self, from: &Order<D>, to: &Order<D>) {
        let old = core::mem::take(&mut self.values);
        self.resize(to);
        let n = self.per_block;
        self.blocks_mut().for_each(
            |(b, nodes)| match from.blocks.find(to.blocks.coordinate(b)) {
                Some(source) => nodes.copy_from_slice(&old[source * n..(source + 1) * n]),
                None => nodes.fill([T::zero(); 4]),
            },
        );
    }
}
