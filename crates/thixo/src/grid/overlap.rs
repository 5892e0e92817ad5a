//! The nodes that a block of the grid and a segment's tile have in common.

use thixo_par::Scalar;

use super::{NodeBox, lift, offset_vector};

/// Evaluates an expression with the length of a row as a constant: a length known to the compiler
/// makes a row a few register moves. Blocks have at most 8 nodes along an axis.
macro_rules! with_length {
    ($length:expr, |$ROW:ident| $call:expr) => {
        match $length {
            1 => with_length!(@ $ROW = 1, $call),
            2 => with_length!(@ $ROW = 2, $call),
            3 => with_length!(@ $ROW = 3, $call),
            4 => with_length!(@ $ROW = 4, $call),
            5 => with_length!(@ $ROW = 5, $call),
            6 => with_length!(@ $ROW = 6, $call),
            7 => with_length!(@ $ROW = 7, $call),
            _ => with_length!(@ $ROW = 8, $call),
        }
    };
    (@ $ROW:ident = $value:literal, $call:expr) => {{
        const $ROW: usize = $value;
        $call
    }};
}

/// Rows of common nodes, given by their starts in the tile and in the block.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    planes: usize,
    rows: usize,
    /// Nodes per row.
    length: usize,
    /// First node, and steps to the next plane and row.
    tile: [usize; 3],
    block: [usize; 3],
}

impl Overlap {
    /// The common nodes of a tile and the block, of `side` nodes along an axis, at an offset from
    /// the tile's own. The tile's node n along an axis lies `n − start` steps from its first, with
    /// the given strides between planes and rows; `start` is the first node of a working tile, or
    /// the origin of the nodes in compact storage.
    #[inline]
    pub fn new<const D: usize>(
        (offset, side): (usize, usize),
        nodes: &NodeBox<D>,
        start: [i32; D],
        steps: [usize; 2],
    ) -> Option<Self> {
        let block_steps = [side * side, side];
        let side = side as i32;
        let first = lift(offset_vector::<D>(offset).map(|o| side * o), 0);
        let origin = lift(nodes.origin, 0);
        let size = lift(nodes.size, 1);
        let extent = lift([side; D], 1);
        let start = lift(start, 0);
        let mut low = [0; 3];
        let mut count = [0; 3];
        for a in 0..3 {
            low[a] = origin[a].max(first[a]);
            count[a] = (origin[a] + size[a]).min(first[a] + extent[a]) - low[a];
            if count[a] <= 0 {
                return None;
            }
        }
        let at = |from: [i32; 3], steps: [usize; 2]| {
            (low[0] - from[0]) as usize * steps[0]
                + (low[1] - from[1]) as usize * steps[1]
                + (low[2] - from[2]) as usize
        };
        Some(Self {
            planes: count[0] as usize,
            rows: count[1] as usize,
            length: count[2] as usize,
            tile: [at(start, steps), steps[0], steps[1]],
            block: [at(first, block_steps), block_steps[0], block_steps[1]],
        })
    }

    /// Adds the tile's nodes to the block's.
    #[inline]
    pub fn add<T: Scalar, const N: usize>(&self, tile: &[[T; N]], block: &mut [[T; N]]) {
        with_length!(self.length, |ROW| self.add_rows::<T, N, ROW>(tile, block))
    }

    /// Copies the block's nodes into the tile.
    #[inline]
    pub fn load<T: Scalar, const N: usize>(&self, tile: &mut [[T; N]], block: &[[T; N]]) {
        with_length!(self.length, |ROW| self.load_rows::<T, N, ROW>(tile, block))
    }

    #[inline(always)]
    fn add_rows<T: Scalar, const N: usize, const ROW: usize>(
        &self,
        tile: &[[T; N]],
        block: &mut [[T; N]],
    ) {
        for i in 0..self.planes {
            for j in 0..self.rows {
                let (from, to) = self.row(i, j);
                if let (Some(source), Some(target)) = (
                    tile[from..].first_chunk::<ROW>(),
                    block[to..].first_chunk_mut::<ROW>(),
                ) {
                    for k in 0..ROW {
                        for c in 0..N {
                            target[k][c] += source[k][c];
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn load_rows<T: Scalar, const N: usize, const ROW: usize>(
        &self,
        tile: &mut [[T; N]],
        block: &[[T; N]],
    ) {
        for i in 0..self.planes {
            for j in 0..self.rows {
                let (to, from) = self.row(i, j);
                if let (Some(source), Some(target)) = (
                    block[from..].first_chunk::<ROW>(),
                    tile[to..].first_chunk_mut::<ROW>(),
                ) {
                    *target = *source;
                }
            }
        }
    }

    /// Start of a row in the tile and in the block.
    #[inline(always)]
    fn row(&self, i: usize, j: usize) -> (usize, usize) {
        (
            self.tile[0] + i * self.tile[1] + j * self.tile[2],
            self.block[0] + i * self.block[1] + j * self.block[2],
        )
    }
}
