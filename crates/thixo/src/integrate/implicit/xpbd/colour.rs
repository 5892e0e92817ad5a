//! Colouring of clusters: clusters of one colour reach disjoint sets of nodes, so that they can be
//! updated in parallel. Coloured Gauss-Seidel has the same result for any number of threads.
//! \[Qu2023\] §5, \[Hu2018\].

use crate::grid::Geometry;
use crate::kernel::KernelKind;

/// Bound of the number of colours along an axis.
const ALONG_AXIS: u16 = 4;

/// Nodes along an axis in which the stencils of a cluster begin; blocks consist of whole clusters.
/// Small clusters are many, enough to fill lanes and threads also where there is little matter.
/// They are no smaller than a stencil reaches beyond its first node, so that clusters next but one
/// share no node.
pub(super) fn cluster_side(kernel: KernelKind) -> usize {
    match kernel {
        KernelKind::Linear | KernelKind::Quadratic => 2,
        KernelKind::Cubic => 4,
    }
}

/// Nodes along an axis that the stencils of a cluster reach.
pub fn cluster_reach(kernel: KernelKind) -> usize {
    cluster_side(kernel) + kernel.width() - 1
}

/// The colour of a cluster, given by its coordinates among clusters.
pub(super) fn colour<const D: usize>(cluster: [i32; D], geometry: &Geometry<D>) -> u16 {
    let along = (0..D).map(|axis| along_axis(cluster[axis], axis, geometry));
    along.fold(0, |all, own| all * ALONG_AXIS + own)
}

/// The colour along one axis: that of every second cluster is the same. Where a period has an odd
/// number of clusters the last has a colour of its own.
fn along_axis<const D: usize>(cluster: i32, axis: usize, geometry: &Geometry<D>) -> u16 {
    let clusters = geometry
        .cells_in_period(axis)
        .map(|cells| cells as i32 / cluster_side(geometry.kernel()) as i32);
    match clusters {
        Some(clusters) if clusters % 2 == 1 && cluster == clusters - 1 => 2,
        _ => cluster.rem_euclid(2) as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes that a cluster reaches along the first axis, within the period.
    fn nodes<const D: usize>(cluster: i32, geometry: &Geometry<D>) -> Vec<i32> {
        let first = cluster * cluster_side(geometry.kernel()) as i32;
        let all = first..first + cluster_reach(geometry.kernel()) as i32;
        let period = geometry.cells_in_period(0).map(|cells| cells as i32);
        all.map(|node| period.map_or(node, |n| node.rem_euclid(n)))
            .collect()
    }

    fn check<const D: usize>(kernel: KernelKind, cells: Option<u32>) {
        let mut periods = [None; D];
        periods[0] = cells;
        let geometry = Geometry::<D>::new(0.1, kernel, periods).unwrap();
        let side = cluster_side(kernel);
        assert!(geometry.block_side().is_multiple_of(side));
        let row = match cells {
            Some(cells) => 0..cells as i32 / side as i32,
            None => -9..9,
        };
        for a in row.clone() {
            let own = nodes(a, &geometry);
            let mut distinct = own.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), own.len(), "{kernel:?} {cells:?}: own");
            for b in row.start..a {
                let other = nodes(b, &geometry);
                let shared = own.iter().any(|node| other.contains(node));
                let at = |cluster: i32| {
                    let mut at = [0; D];
                    at[0] = cluster;
                    colour(at, &geometry)
                };
                assert!(
                    !shared || at(a) != at(b),
                    "{kernel:?} {cells:?}: {a} and {b}"
                );
            }
        }
    }

    #[test]
    fn clusters_of_one_colour_share_no_node() {
        for kernel in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            for cells in [None, Some(8), Some(12), Some(16), Some(20), Some(24)] {
                check::<3>(kernel, cells);
                check::<2>(kernel, cells);
            }
        }
        for kernel in [KernelKind::Linear, KernelKind::Quadratic] {
            check::<3>(kernel, Some(4));
            check::<2>(kernel, Some(4));
        }
    }
}
