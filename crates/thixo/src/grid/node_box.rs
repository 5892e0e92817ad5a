//! A box of nodes within the tile of a block.

use thixo_math::{Lanes, Vector};
use thixo_par::Scalar;

use super::lift;

/// Nodes from `origin` on, `size` along each axis, counted from the block's first node; the lowest
/// node of a tile is −1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeBox<const D: usize> {
    /// First node.
    pub origin: [i32; D],
    /// Nodes along each axis.
    pub size: [i32; D],
}

impl<const D: usize> NodeBox<D> {
    /// The nodes of all stencils, `width` nodes wide, whose base nodes lie between two nodes. Rows
    /// start at even nodes of the tile and end before one, as far as the tile of `side` nodes goes:
    /// the fused path reads them in pairs.
    pub fn of_stencils(low: [i32; D], high: [i32; D], width: usize, side: usize) -> Self {
        let mut size = [0; D];
        for a in 0..D {
            size[a] = high[a] - low[a] + width as i32;
        }
        let mut origin = low;
        // The tile's first node, number −1, is even.
        let first = origin[D - 1] + 1;
        let end = first + size[D - 1];
        let first_even = first - first % 2;
        let end_even = (end + end % 2).min(side as i32);
        origin[D - 1] = first_even - 1;
        size[D - 1] = end_even - first_even;
        Self { origin, size }
    }

    /// The box with `by` more nodes below its first along every axis.
    pub(crate) fn grown_down(&self, by: i32) -> Self {
        Self {
            origin: self.origin.map(|n| n - by),
            size: self.size.map(|n| n + by),
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.size.iter().map(|&n| n as usize).product()
    }

    /// Strides from plane to plane and from row to row in compact storage.
    #[inline]
    pub fn steps(&self) -> [usize; 2] {
        let size = lift(self.size, 1).map(|n| n as usize);
        [size[1] * size[2], size[2]]
    }
}

/// The range of base nodes of groups of particles, as indices in the tile.
#[derive(Clone, Copy)]
pub struct BaseRange<L, const D: usize> {
    low: Vector<L, D>,
    high: Vector<L, D>,
}

impl<L: Lanes, const D: usize> BaseRange<L, D>
where
    L::Scalar: Scalar,
{
    /// The empty range.
    #[inline(always)]
    pub fn none() -> Self {
        let mut low = Vector::zero();
        let mut high = Vector::zero();
        for a in 0..D {
            low[a] = L::splat(1e6);
            high[a] = L::zero();
        }
        Self { low, high }
    }
    /// Extends the range by another group.
    #[inline(always)]
    pub fn include(&mut self, base: &Vector<L, D>) {
        for a in 0..D {
            self.low[a] = self.low[a].min(base[a]);
            self.high[a] = self.high[a].max(base[a]);
        }
    }
    /// The nodes of the stencils, `width` nodes wide, in a tile of `side` nodes along an axis.
    #[inline(always)]
    pub fn nodes(&self, width: usize, side: usize) -> NodeBox<D> {
        let (mut low, mut high) = ([0; D], [0; D]);
        for a in 0..D {
            // Index 0 is node −1.
            high[a] = self.high[a].max_lane().to_f64() as i32 - 1;
            low[a] = (self.low[a].min_lane().to_f64() as i32 - 1).min(high[a]);
        }
        NodeBox::of_stencils(low, high, width, side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_made_of_whole_pairs() {
        // Quadratic kernel in a tile of 8: base nodes −1 to 4. The tile's index is the node's
        // number plus 1.
        for low in -1..=4 {
            for high in low..=4 {
                let part = NodeBox::of_stencils([0, low], [2, high], 3, 8);
                assert_eq!((part.origin[0], part.size[0]), (0, 5));
                let (first, end) = (part.origin[1] + 1, part.origin[1] + 1 + part.size[1]);
                assert!(first % 2 == 0 && end % 2 == 0 && first >= 0 && end <= 8);
                assert!((low..=low + 1).contains(&first), "{first} {low}");
                assert!((high + 4..=high + 5).contains(&end), "{end} {high}");
            }
        }
        // The tile of the cubic kernel has 9 nodes: the last row ends with it.
        assert_eq!(
            NodeBox::of_stencils([4], [4], 4, 9),
            NodeBox {
                origin: [3],
                size: [5]
            }
        );
    }
}
