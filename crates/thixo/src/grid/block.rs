//! Blocks of nodes, their neighbours, and the segments of particles that live in them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::{Lattice, NodeBox};
use crate::error::{BuildError, positive};
use crate::kernel::KernelKind;

/// Least number of nodes of a block along an axis; periods are multiples of it.
pub(super) const MIN_BLOCK_SIDE: usize = 4;

/// Nodes of a block along an axis in 2D, if the periods permit it: as many nodes as in 3D, and as
/// many particles.
pub(super) const BLOCK_SIDE_2D: usize = 8;

// The occupied cells of a block are the bits of a 64-bit number.
const _: () = assert!(MIN_BLOCK_SIDE.pow(3) == 64 && BLOCK_SIDE_2D.pow(2) == 64);

/// Marks a neighbour that does not exist.
pub const ABSENT: u32 = u32::MAX;

/// Blocks along an axis are numbered within ± this bound: a million cells each way, or two million
/// in 2D.
const MAX_COORDINATE: i32 = 1 << 18;

/// Blocks around a block, itself included.
pub const fn offsets<const D: usize>() -> usize {
    3usize.pow(D as u32)
}

/// The `k`-th offset, components in −1, 0, 1, the last axis fastest.
pub fn offset_vector<const D: usize>(k: usize) -> [i32; D] {
    let mut out = [0; D];
    let mut rest = k;
    for a in (0..D).rev() {
        out[a] = (rest % 3) as i32 - 1;
        rest /= 3;
    }
    out
}

/// The components of a D-dimensional quantity in the last D of three, so that loops over nodes are
/// written once.
#[inline(always)]
pub fn lift<const D: usize>(a: [i32; D], fill: i32) -> [i32; 3] {
    let mut out = [fill; 3];
    out[3 - D..].copy_from_slice(&a);
    out
}

/// Spacing, periodicity and kernel of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry<const D: usize> {
    spacing: f64,
    kernel: KernelKind,
    periods: [Option<u32>; D],
    block_side: usize,
    /// Largest number of nodes below those at the corners of cells at which stencils of other
    /// lattices may begin.
    lower: i32,
}

impl<const D: usize> Geometry<D> {
    /// A grid of the given spacing \[m\]; `periods` are the cells after which an axis repeats, a
    /// multiple of 4.
    pub fn new(
        spacing: f64,
        kernel: KernelKind,
        periods: [Option<u32>; D],
    ) -> Result<Self, BuildError> {
        positive("spacing", "grid spacing [m]", spacing)?;
        if !(1e-12..=1e12).contains(&spacing) {
            // Areas and volumes of cells must be representable in single precision too.
            return Err(BuildError::OutOfRange {
                key: "spacing",
                quantity: "grid spacing [m]",
                value: spacing,
                range: "between 1e-12 and 1e12",
            });
        }
        for (axis, period) in periods.iter().enumerate() {
            if let Some(cells) = *period
                && (cells == 0
                    || cells % MIN_BLOCK_SIDE as u32 != 0
                    || cells > MAX_COORDINATE as u32)
            {
                return Err(BuildError::Period { axis, cells });
            }
        }
        let is_whole = |cells: &u32| cells.is_multiple_of(BLOCK_SIDE_2D as u32);
        let block_side = if D == 2 && periods.iter().flatten().all(is_whole) {
            BLOCK_SIDE_2D
        } else {
            MIN_BLOCK_SIDE
        };
        Ok(Self {
            spacing,
            kernel,
            periods,
            block_side,
            lower: 0,
        })
    }
    /// The same grid with blocks wherever stencils on a lattice have nodes, too.
    #[must_use]
    pub(crate) fn covering(mut self, lattice: &Lattice<D>) -> Self {
        self.lower = self.lower.max(lattice.lower());
        self
    }
    /// Largest number of nodes below those at the corners of cells at which stencils of any lattice
    /// may begin.
    pub(crate) fn lower(&self) -> i32 {
        self.lower
    }
    /// Nodes of a block along an axis.
    pub(crate) fn block_side(&self) -> usize {
        self.block_side
    }
    /// Nodes of a block.
    pub(crate) fn nodes_per_block(&self) -> usize {
        self.block_side.pow(D as u32)
    }
    /// Position of node `k` of a block \[m\].
    pub(crate) fn node_position(&self, block: [i32; D], k: usize) -> [f64; D] {
        let side = self.block_side;
        let mut rest = k;
        let mut out = [0.0; D];
        for a in (0..D).rev() {
            let node = block[a] * side as i32 + (rest % side) as i32;
            out[a] = f64::from(node) * self.spacing;
            rest /= side;
        }
        out
    }
    /// Coordinates of node `k` of a block \[nodes\].
    pub(crate) fn node_index(&self, block: [i32; D], k: usize) -> [i32; D] {
        let side = self.block_side;
        let mut rest = k;
        let mut out = [0; D];
        for a in (0..D).rev() {
            out[a] = block[a] * side as i32 + (rest % side) as i32;
            rest /= side;
        }
        out
    }
    /// Middle of a block \[cells\].
    pub fn block_middle(&self, block: [i32; D]) -> [f64; D] {
        let side = self.block_side as f64;
        block.map(|b| side * (f64::from(b) + 0.5))
    }
    /// Position \[m\] of a particle at an offset from the middle of its block \[cells\].
    pub fn position<T: Scalar>(&self, block: [i32; D], offset: Vector<T, D>) -> Vector<f64, D> {
        let middle = self.block_middle(block);
        let mut out = Vector::zero();
        for a in 0..D {
            out[a] = self.spacing * (middle[a] + offset[a].to_f64());
        }
        out
    }
    /// Block of a position \[m\], and the offset from its middle \[cells\].
    pub fn block_and_offset(&self, position: [f64; D]) -> ([i32; D], [f64; D]) {
        let side = self.block_side as f64;
        let cells = position.map(|x| x / self.spacing);
        let block = cells.map(|x| ((x - self.kernel.base_offset()).floor() / side).floor() as i32);
        let middle = self.block_middle(block);
        let mut offset = cells;
        for a in 0..D {
            offset[a] -= middle[a];
        }
        (block, offset)
    }
    /// Distance of neighbouring nodes h \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }
    /// The kernel that couples particles and nodes.
    pub fn kernel(&self) -> KernelKind {
        self.kernel
    }
    /// Period of an axis \[m\]; none if it is not periodic.
    pub fn period(&self, axis: usize) -> Option<f64> {
        self.periods[axis].map(|cells| f64::from(cells) * self.spacing)
    }
    /// Period of an axis in cells; none if it is not periodic.
    pub fn cells_in_period(&self, axis: usize) -> Option<u32> {
        self.periods[axis]
    }
    /// True if any axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.periods.iter().any(Option::is_some)
    }
    /// Nodes of a tile along an axis: a block, a margin of one cell for drift on both sides, the
    /// support of the kernel.
    pub(crate) fn tile_side(&self) -> usize {
        self.block_side + 1 + self.kernel.width()
    }
    /// Maps a block to its representative on periodic axes.
    pub(crate) fn wrap(&self, mut block: [i32; D]) -> [i32; D] {
        for a in 0..D {
            if let Some(cells) = self.periods[a] {
                block[a] = block[a].rem_euclid(cells as i32 / self.block_side as i32);
            }
        }
        block
    }
    /// True if the block can be numbered.
    pub(crate) fn holds(&self, block: [i32; D]) -> bool {
        block
            .iter()
            .all(|&b| (-MAX_COORDINATE..MAX_COORDINATE).contains(&b))
    }
    /// True if particles may be in the block: all blocks around it can be numbered.
    pub fn holds_matter(&self, block: [i32; D]) -> bool {
        let inner = MAX_COORDINATE - 1;
        block.iter().all(|&b| (-inner..inner).contains(&b))
    }
    /// Largest distance of particles from the origin along an axis, for every kernel \[m\].
    pub fn reach(&self) -> f64 {
        (f64::from(MAX_COORDINATE - 1) * self.block_side as f64 - 1.0) * self.spacing
    }
    /// A position with its coordinates along periodic axes mapped to the first period \[m\].
    pub fn into_first_period<T: Scalar>(&self, mut x: Vector<T, D>) -> Vector<T, D> {
        for a in 0..D {
            if let Some(length) = self.period(a) {
                let length = T::from_f64(length);
                let wrapped = x[a] - length * (x[a] / length).floor();
                // Rounding may leave the far end, which is the near one.
                x[a] = if wrapped < length { wrapped } else { T::zero() };
            }
        }
        x
    }
}

/// Morton key of a block: the bits of its coordinates interleaved, so that neighbours in space are
/// near in memory.
pub fn block_key<const D: usize>(block: [i32; D]) -> u64 {
    let mut key = 0;
    for bit in (0..19).rev() {
        for a in 0..D {
            let shifted = (block[a] + MAX_COORDINATE) as u64;
            key = (key << 1) | ((shifted >> bit) & 1);
        }
    }
    key
}

/// The inverse of [`block_key`].
pub fn block_of_key<const D: usize>(key: u64) -> [i32; D] {
    let mut out = [0i64; D];
    for bit in 0..19 {
        for a in 0..D {
            let position = bit * D + (D - 1 - a);
            out[a] |= (((key >> position) & 1) << bit) as i64;
        }
    }
    out.map(|x| x as i32 - MAX_COORDINATE)
}

/// Hash function of block keys; the keys are internal, so the table need not resist attacks.
#[derive(Default, Clone, Copy)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, x: u64) {
        let mixed = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

/// A table from block keys to indices.
pub type KeyTable = HashMap<u64, u32, BuildHasherDefault<KeyHasher>>;

/// The existing blocks, in the order of [`block_key`], and their neighbours.
#[derive(Clone, Debug, Default)]
pub struct Blocks<const D: usize> {
    coordinates: Vec<[i32; D]>,
    neighbours: Vec<u32>,
    table: KeyTable,
    side: usize,
}

impl<const D: usize> Blocks<D> {
    /// Blocks with the given keys, sorted and distinct.
    pub fn new(keys: &[u64], geometry: &Geometry<D>) -> Self {
        let coordinates: Vec<[i32; D]> = keys.iter().map(|&key| block_of_key(key)).collect();
        let table: KeyTable = keys.iter().zip(0..).map(|(&key, i)| (key, i)).collect();
        let mut neighbours = vec![ABSENT; coordinates.len() * offsets::<D>()];
        neighbours
            .par_chunks_mut(offsets::<D>())
            .with_min_len(256)
            .zip(&coordinates)
            .for_each(|(neighbours, &block)| {
                for (k, neighbour) in neighbours.iter_mut().enumerate() {
                    let offset = offset_vector::<D>(k);
                    let mut other = block;
                    for a in 0..D {
                        other[a] += offset[a];
                    }
                    let other = geometry.wrap(other);
                    if geometry.holds(other)
                        && let Some(&index) = table.get(&block_key(other))
                    {
                        *neighbour = index;
                    }
                }
            });
        Self {
            coordinates,
            neighbours,
            table,
            side: geometry.block_side(),
        }
    }
    /// Nodes of a block along an axis.
    pub fn side(&self) -> usize {
        self.side
    }
    /// Nodes of a block.
    pub fn nodes_per_block(&self) -> usize {
        self.side.pow(D as u32)
    }
    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }
    /// True if there is no block.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }
    /// Coordinate of a block, in blocks.
    pub fn coordinate(&self, block: usize) -> [i32; D] {
        self.coordinates[block]
    }
    /// The block at an offset, or [`ABSENT`].
    pub fn neighbour(&self, block: usize, offset: usize) -> u32 {
        self.neighbours[block * offsets::<D>() + offset]
    }
    /// The index of the block at a coordinate.
    pub fn find(&self, coordinate: [i32; D]) -> Option<usize> {
        self.table
            .get(&block_key(coordinate))
            .map(|&index| index as usize)
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.coordinates.capacity() * size_of::<[i32; D]>()
            + self.neighbours.capacity() * size_of::<u32>()
            + self.table.capacity() * 2 * size_of::<u64>()
    }
}

/// The particles of one material in one block: the unit of work, with a tile of its own.
#[derive(Clone, Debug)]
pub struct Segment<const D: usize> {
    /// Index of the block.
    pub block: usize,
    /// Index of the material.
    pub species: usize,
    /// Groups of particles in the species' tables.
    pub groups: Range<usize>,
    /// Nodes in the supports of its particles until the next sort.
    pub bounds: NodeBox<D>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_keys_are_inverted() {
        for block in [[0, 0, 0], [-1, 5, 7], [-(1 << 18), (1 << 18) - 1, 12]] {
            assert_eq!(block_of_key::<3>(block_key(block)), block);
        }
        for block in [[0, 0], [-1, 5], [-(1 << 18), (1 << 18) - 1]] {
            assert_eq!(block_of_key::<2>(block_key(block)), block);
        }
    }

    #[test]
    fn neighbours_wrap_on_periodic_axes() {
        let geometry = Geometry::<2>::new(0.1, KernelKind::Quadratic, [Some(16), None]).unwrap();
        let mut keys = [[0, 0], [1, 0]].map(block_key::<2>);
        keys.sort_unstable();
        let blocks = Blocks::new(&keys, &geometry);
        let first = blocks.find([0, 0]).unwrap();
        let second = blocks.find([1, 0]).unwrap() as u32;
        let at = |o: [i32; 2]| {
            let k = (0..9).find(|&k| offset_vector::<2>(k) == o).unwrap();
            blocks.neighbour(first, k)
        };
        assert_eq!(at([-1, 0]), second);
        assert_eq!(at([1, 0]), second);
        assert_eq!(at([0, 1]), ABSENT);
    }
}
