//! Colours of blocks: tiles around blocks of one colour have no node in common, so that their particles can be visited at the same time without seeing each
//! other. That is what makes Gauss-Seidel parallel, and its result the same for any number of threads. \[Qu2023\] §5, \[Hu2018\].

use crate::grid::{Blocks, Geometry};

/// More than there are colours along an axis.
const ALONG_AXIS: u16 = 8;

/// The colour of every block.
pub(super) fn colours<const D: usize>(blocks: &Blocks<D>, geometry: &Geometry<D>) -> Vec<u16> {
    let colour = |block: usize| {
        let coordinate = blocks.coordinate(block);
        let along = (0..D).map(|axis| along_axis(coordinate[axis], axis, geometry));
        along.fold(0, |all, own| all * ALONG_AXIS + own)
    };
    (0..blocks.len()).map(colour).collect()
}

/// The colour along one axis: every second block has the same, or every third where a tile reaches to the end of the next block. What is left over at the end
/// of a period has colours of its own.
fn along_axis<const D: usize>(block: i32, axis: usize, geometry: &Geometry<D>) -> u16 {
    let apart = apart(geometry);
    let colour = match geometry.blocks_in_period(axis) {
        Some(blocks) if block >= blocks - blocks % apart => apart + block % apart,
        _ => block.rem_euclid(apart),
    };
    colour as u16
}

/// Blocks from one of a colour to the next. A tile goes from the node before its block to the `width`-th after it: blocks two apart share nodes where these
/// are all nodes of the block between.
fn apart<const D: usize>(geometry: &Geometry<D>) -> i32 {
    if geometry.kernel().width() < geometry.block_side() {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::block_key;
    use crate::kernel::KernelKind;

    /// The nodes of a tile along the first axis, within the period.
    fn nodes<const D: usize>(block: i32, geometry: &Geometry<D>) -> Vec<i32> {
        let side = geometry.block_side() as i32;
        let first = block * side - 1;
        let all = first..first + geometry.tile_side() as i32;
        let period = geometry.blocks_in_period(0).map(|blocks| blocks * side);
        all.map(|node| period.map_or(node, |n| node.rem_euclid(n)))
            .collect()
    }

    fn check<const D: usize>(kernel: KernelKind, cells: Option<u32>) {
        let mut periods = [None; D];
        periods[0] = cells;
        let geometry = Geometry::<D>::new(0.1, kernel, periods).unwrap();
        let row = match geometry.blocks_in_period(0) {
            Some(blocks) => 0..blocks,
            None => -9..9,
        };
        let mut keys: Vec<u64> = row
            .map(|x| {
                let mut block = [0; D];
                block[0] = x;
                block_key(block)
            })
            .collect();
        keys.sort_unstable();
        let blocks = Blocks::new(&keys, &geometry);
        let colours = colours(&blocks, &geometry);
        for a in 0..blocks.len() {
            let own = nodes(blocks.coordinate(a)[0], &geometry);
            let mut distinct = own.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), own.len(), "{kernel:?} {cells:?}: own");
            for b in 0..a {
                let other = nodes(blocks.coordinate(b)[0], &geometry);
                let shared = own.iter().any(|node| other.contains(node));
                assert!(
                    !shared || colours[a] != colours[b],
                    "{kernel:?} {cells:?}: {a} and {b}"
                );
            }
        }
    }

    #[test]
    fn tiles_of_one_colour_share_no_node() {
        for kernel in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            for cells in [None, Some(12), Some(16), Some(20), Some(24), Some(28)] {
                check::<3>(kernel, cells);
            }
            for cells in [None, Some(12), Some(20), Some(24), Some(32), Some(40)] {
                check::<2>(kernel, cells);
            }
        }
    }
}
