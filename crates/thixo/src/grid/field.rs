//! Values on the nodes of a lattice, block after block.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::{BlockOrder, Tiles};

/// `N` numbers for every node of every block, such as momentum and mass (`N` = 4) or a pressure
/// (`N` = 1).
///
/// Fields on lattices of different offsets share the blocks: node k of a block has the same index
/// in all of them.
#[derive(Clone, Debug)]
pub struct Field<T, const N: usize> {
    values: Vec<[T; N]>,
    /// Nodes of a block; at least 1.
    per_block: usize,
}

impl<T: Scalar, const N: usize> Default for Field<T, N> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            per_block: 1,
        }
    }
}

impl<T: Scalar, const N: usize> Field<T, N> {
    /// All nodes, block after block; within a block the last axis runs fastest.
    pub fn values(&self) -> &[[T; N]] {
        &self.values
    }
    /// All nodes, mutable.
    pub fn values_mut(&mut self) -> &mut [[T; N]] {
        &mut self.values
    }
    /// All numbers, node after node.
    pub fn numbers(&self) -> &[T] {
        self.values.as_flattened()
    }
    /// All numbers, node after node, mutable.
    pub fn numbers_mut(&mut self) -> &mut [T] {
        self.values.as_flattened_mut()
    }
    /// All nodes, moved out of the field.
    pub(crate) fn into_values(self) -> Vec<[T; N]> {
        self.values
    }
    /// The nodes of every block, in parallel, with the block's index.
    pub fn blocks_mut(&mut self) -> impl IndexedParallelIterator<Item = (usize, &mut [[T; N]])> {
        self.values.par_chunks_mut(self.per_block).enumerate()
    }
    /// Sets the number of nodes to that of an order, with unspecified values.
    pub fn resize<const D: usize>(&mut self, order: &BlockOrder<D>) {
        self.per_block = order.blocks.nodes_per_block().max(1);
        let length = order.blocks.len() * self.per_block;
        self.values.resize(length, [T::zero(); N]);
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<[T; N]>()
    }
    /// Sums the tiles of all segments into the nodes, equation (18): every node adds the tiles that
    /// cover it in the order of neighbour offset and material.
    pub fn pull<const D: usize>(&mut self, order: &BlockOrder<D>, tiles: &Tiles<T, N, D>) {
        self.pull_then(order, tiles, |_, _| ());
    }
    /// The same for the segments of materials for which `counts` holds.
    pub fn pull_of<const D: usize>(
        &mut self,
        order: &BlockOrder<D>,
        tiles: &Tiles<T, N, D>,
        counts: impl Fn(usize) -> bool + Sync,
    ) {
        self.resize(order);
        tiles.pull_of(order, &mut self.values, counts, |_, _| ());
    }
    /// Sums the tiles of all segments, and lets `then` modify the summed nodes of every block;
    /// returns the results of `then`, block after block.
    pub fn pull_then<R: Send, const D: usize>(
        &mut self,
        order: &BlockOrder<D>,
        tiles: &Tiles<T, N, D>,
        then: impl Fn(usize, &mut [[T; N]]) -> R + Sync,
    ) -> Vec<R> {
        self.resize(order);
        tiles.pull(order, &mut self.values, then)
    }
    /// Moves the field to a new set of blocks; nodes of blocks that did not exist are zero.
    pub fn carry<const D: usize>(&mut self, from: &BlockOrder<D>, to: &BlockOrder<D>) {
        let old = core::mem::take(&mut self.values);
        self.resize(to);
        let n = self.per_block;
        self.blocks_mut().for_each(
            |(b, nodes)| match from.blocks.find(to.blocks.coordinate(b)) {
                Some(source) => nodes.copy_from_slice(&old[source * n..(source + 1) * n]),
                None => nodes.fill([T::zero(); N]),
            },
        );
    }
}
