//! Colours of parts: nodes that parts of one colour reach are different ones, so that their particles can be visited at the same time without seeing each
//! other. That is what makes Gauss-Seidel parallel, and its result the same for any number of threads. \[Qu2023\] §5, \[Hu2018\].

use crate::grid::Geometry;
use crate::kernel::KernelKind;

/// More than there are colours along an axis.
const ALONG_AXIS: u16 = 4;

/// Nodes along an axis in which the stencils of a part begin; blocks consist of whole parts. Few nodes make many parts, enough to fill lanes and threads also where
/// there is little matter. No fewer than a stencil reaches beyond its first node: parts next but one share nothing then.
pub(super) fn cluster_side(kernel: KernelKind) -> usize {
    match kernel {
        KernelKind::Linear | KernelKind::Quadratic => 2,
        KernelKind::Cubic => 4,
    }
}

/// Nodes along an axis that the stencils of a part reach.
pub fn cluster_reach(kernel: KernelKind) -> usize {
    cluster_side(kernel) + kernel.width() - 1
}

/// The colour of a part, given by where it is in parts.
pub(super) fn colour<const D: usize>(part: [i32; D], geometry: &Geometry<D>) -> u16 {
    let along = (0..D).map(|axis| along_axis(part[axis], axis, geometry));
    along.fold(0, |all, own| all * ALONG_AXIS + own)
}

/// The colour along one axis: every second part has the same. Where a period has an odd number of parts the last has a colour of its own.
fn along_axis<const D: usize>(part: i32, axis: usize, geometry: &Geometry<D>) -> u16 {
    let parts = geometry
        .cells_in_period(axis)
        .map(|cells| cells as i32 / cluster_side(geometry.kernel()) as i32);
    match parts {
        Some(parts) if parts % 2 == 1 && part == parts - 1 => 2,
        _ => part.rem_euclid(2) as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes that a part reaches along the first axis, within the period.
    fn nodes<const D: usize>(part: i32, geometry: &Geometry<D>) -> Vec<i32> {
        let first = part * cluster_side(geometry.kernel()) as i32;
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
                let at = |part: i32| {
                    let mut at = [0; D];
                    at[0] = part;
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
    fn parts_of_one_colour_share_no_node() {
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
