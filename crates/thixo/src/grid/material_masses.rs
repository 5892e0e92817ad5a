//! Masses of single materials at the nodes, in the blocks where they are requested: equation (8a).

use rayon::prelude::*;
use thixo_par::Scalar;

use super::{ABSENT, BlockOrder, MASS, Node, Tiles};

/// Masses of single materials at the nodes of some blocks.
#[derive(Debug, Default)]
pub(crate) struct MaterialMasses<T> {
    /// For each block its index in `nodes`, or [`ABSENT`].
    index: Vec<u32>,
    /// Requested block after requested block, material after material.
    nodes: Vec<Node<T>>,
    materials: usize,
    per_block: usize,
}

impl<T: Scalar> MaterialMasses<T> {
    /// Sums the masses of those of the materials, `materials` in number, for which `counts` holds,
    /// in the blocks for which `is_requested` holds. The tiles must hold the mass of the coming
    /// step; the order of the sums is that of equation (18).
    pub fn sum<const D: usize>(
        &mut self,
        is_requested: &[bool],
        (materials, counts): (usize, impl Fn(usize) -> bool + Sync),
        order: &BlockOrder<D>,
        tiles: &Tiles<T, 4, D>,
    ) {
        let blocks = &order.blocks;
        let mut requested = Vec::new();
        self.index.clear();
        for (block, &is_requested) in is_requested.iter().enumerate() {
            let index = if is_requested {
                requested.len() as u32
            } else {
                ABSENT
            };
            self.index.push(index);
            requested.extend(is_requested.then_some(block));
        }
        self.materials = materials;
        let per_block = blocks.nodes_per_block();
        self.per_block = per_block;
        let stride = materials * per_block;
        self.nodes.resize(requested.len() * stride, [T::zero(); 4]);
        let targets = self.nodes.par_chunks_mut(stride.max(1)).zip(requested);
        targets.for_each(|(nodes, block)| {
            nodes.fill([T::zero(); 4]);
            order.for_each_overlapping(block, |segment, offset| {
                let species = order.segments[segment].species;
                if !counts(species) {
                    return;
                }
                let first = species * per_block;
                let own = &mut nodes[first..first + per_block];
                tiles.add(segment, offset, own);
            });
        });
    }
    /// Materials and their masses at node `k` of a requested block.
    pub fn at(&self, block: usize, k: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let first = self.index[block] as usize * self.materials;
        (0..self.materials).map(move |material| {
            let node = (first + material) * self.per_block + k;
            (material, self.nodes[node][MASS].to_f64())
        })
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.index.capacity() * size_of::<u32>() + self.nodes.capacity() * size_of::<Node<T>>()
    }
}
