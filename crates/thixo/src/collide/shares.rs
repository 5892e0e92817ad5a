//! How much of a node's mass belongs to which material, near obstacles that hold materials differently: equation (8a).

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::Collider;
use super::nodes::Ball;
use crate::grid::{ABSENT, Grid, MASS, Node, offsets};
use crate::integrate::stage::Stage;

/// Nodes of single materials in the blocks where they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Shares<T> {
    /// By block, which place in `nodes` it has, or [`ABSENT`].
    place: Vec<u32>,
    /// Place after place, material after material.
    nodes: Vec<Node<T>>,
    materials: usize,
    per_block: usize,
}

impl<T: Scalar> Shares<T> {
    /// The mean over the materials at node `k` of a block, by mass; none where the node's mass is all mirror image (7).
    pub fn mean<const D: usize>(
        &self,
        block: usize,
        k: usize,
        of: impl Fn(usize) -> Vector<f64, D>,
    ) -> Option<Vector<f64, D>> {
        let place = self.place[block] as usize;
        let mut sum = Vector::zero();
        let mut total = 0.0;
        for material in 0..self.materials {
            let node = (place * self.materials + material) * self.per_block + k;
            let mass = self.nodes[node][MASS].to_f64();
            if mass > 0.0 {
                sum += of(material) * mass;
                total += mass;
            }
        }
        (total > 0.0).then(|| sum * (1.0 / total))
    }
    /// The material of most mass at node `k` of a block; none where the node's mass is all mirror image (7).
    pub fn heaviest(&self, block: usize, k: usize) -> Option<usize> {
        let place = self.place[block] as usize;
        let mass = |material: usize| {
            let node = (place * self.materials + material) * self.per_block + k;
            self.nodes[node][MASS]
        };
        let present = (0..self.materials).filter(|&material| mass(material) > T::zero());
        present.reduce(|a, b| if mass(b) > mass(a) { b } else { a })
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.place.capacity() * size_of::<u32>() + self.nodes.capacity() * size_of::<Node<T>>()
    }
}

/// Weighs the materials at the nodes near obstacles that tell them apart. The tiles must hold the mass of the coming step; the order of the
/// sums is that of equation (18).
pub(crate) fn weigh<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    grid: &mut Grid<T, D>,
    stage: &Stage<'_, T, D>,
) {
    let asking = || colliders.iter().filter(|c| c.tells_materials_apart());
    if asking().next().is_none() {
        return;
    }
    let time = stage.time + stage.dt;
    let blocks = &stage.order.blocks;
    let Grid { shares, tiles, .. } = grid;
    let asked = (0..blocks.len()).into_par_iter().map(|b| {
        let ball = Ball::of_block(blocks.coordinate(b), stage.geometry);
        asking().any(|collider| ball.meets(collider, time))
    });
    let asked: Vec<bool> = asked.collect();
    let mut near = Vec::new();
    shares.place.clear();
    for (block, asked) in asked.into_iter().enumerate() {
        let place = if asked { near.len() as u32 } else { ABSENT };
        shares.place.push(place);
        near.extend(asked.then_some(block));
    }
    shares.materials = stage.materials.len();
    let per_block = blocks.nodes_per_block();
    shares.per_block = per_block;
    let stride = shares.materials * shares.per_block;
    shares.nodes.resize(near.len() * stride, [T::zero(); 4]);
    let targets = shares.nodes.par_chunks_mut(stride.max(1)).zip(near);
    targets.for_each(|(nodes, block)| {
        nodes.fill([T::zero(); 4]);
        for offset in 0..offsets::<D>() {
            let neighbour = blocks.neighbour(block, offset);
            if neighbour == ABSENT {
                continue;
            }
            // Seen from the neighbour, this block lies in the opposite direction.
            let opposite = offsets::<D>() - 1 - offset;
            for segment in stage.order.segments_of(neighbour as usize) {
                let species = stage.order.segments[segment].species;
                let first = species * per_block;
                let own = &mut nodes[first..first + per_block];
                tiles.add(segment, opposite, own);
            }
        }
    });
}
