//! Neighbours of nodes across the borders of blocks.

use super::{ABSENT, Blocks, offset_vector, offsets};

/// Steps from the nodes of a block to their neighbours along the axes.
#[derive(Clone, Debug)]
pub(crate) struct NeighbourNodes {
    /// By direction (2 axis + 1 for upwards) and node of the block: the number of the block's
    /// neighbour that holds the next node, or [`ABSENT`] for the block itself, and its place there.
    steps: Vec<(u32, u32)>,
    per_block: usize,
}

impl NeighbourNodes {
    /// Of blocks of `D` dimensions.
    pub fn new<const D: usize>(blocks: &Blocks<D>) -> Self {
        let side = blocks.side();
        let per_block = blocks.nodes_per_block();
        let mut steps = Vec::with_capacity(2 * D * per_block);
        for axis in 0..D {
            let stride = side.pow((D - 1 - axis) as u32);
            for step in [-1i32, 1] {
                let mut direction = [0; D];
                direction[axis] = step;
                let across = (0..offsets::<D>())
                    .find(|&k| offset_vector::<D>(k) == direction)
                    .unwrap_or_default() as u32;
                for k in 0..per_block {
                    let place = (k / stride) % side;
                    steps.push(match step {
                        1 if place + 1 == side => (across, (k - (side - 1) * stride) as u32),
                        1 => (ABSENT, (k + stride) as u32),
                        _ if place == 0 => (across, (k + (side - 1) * stride) as u32),
                        _ => (ABSENT, (k - stride) as u32),
                    });
                }
            }
        }
        Self { steps, per_block }
    }
    /// The node below a node along an axis; none where no block holds it.
    #[inline]
    pub fn below<const D: usize>(
        &self,
        blocks: &Blocks<D>,
        node: usize,
        axis: usize,
    ) -> Option<usize> {
        self.step(blocks, node, 2 * axis)
    }
    /// The node above a node along an axis; none where no block holds it.
    #[inline]
    pub fn above<const D: usize>(
        &self,
        blocks: &Blocks<D>,
        node: usize,
        axis: usize,
    ) -> Option<usize> {
        self.step(blocks, node, 2 * axis + 1)
    }
    #[inline]
    fn step<const D: usize>(
        &self,
        blocks: &Blocks<D>,
        node: usize,
        direction: usize,
    ) -> Option<usize> {
        let (block, k) = (node / self.per_block, node % self.per_block);
        let (across, place) = self.steps[direction * self.per_block + k];
        let block = match across {
            ABSENT => block,
            across => match blocks.neighbour(block, across as usize) {
                ABSENT => return None,
                neighbour => neighbour as usize,
            },
        };
        Some(block * self.per_block + place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Geometry, block_key};
    use super::*;
    use crate::kernel::KernelKind;

    #[test]
    fn neighbours_are_a_spacing_apart_and_those_of_absent_blocks_are_absent() {
        let geometry = Geometry::<3>::new(1.0, KernelKind::Quadratic, [None; 3]).unwrap();
        let mut keys = [[0, 0, 0], [1, 0, 0], [0, 1, 0]].map(block_key::<3>);
        keys.sort_unstable();
        let blocks = Blocks::new(&keys, &geometry);
        let neighbours = NeighbourNodes::new(&blocks);
        let n = blocks.nodes_per_block();
        let position = |node: usize| geometry.node_position(blocks.coordinate(node / n), node % n);
        for node in 0..3 * n {
            for axis in 0..3 {
                let mut expected = position(node);
                expected[axis] += 1.0;
                let there = (0..3 * n).find(|&other| position(other) == expected);
                assert_eq!(neighbours.above(&blocks, node, axis), there);
                if let Some(above) = there {
                    assert_eq!(neighbours.below(&blocks, above, axis), Some(node));
                }
            }
        }
    }
}
