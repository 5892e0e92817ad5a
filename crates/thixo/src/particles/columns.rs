//! Tables of particle values, stored in groups of one register width.

use rayon::prelude::*;
use thixo_par::Scalar;

/// A table with one row per particle, stored in groups of [`Scalar::LANES`] particles: within a
/// group, the values of a column are adjacent, so that one load fills a register.
#[derive(Clone, Debug)]
pub struct Columns<T> {
    data: Vec<T>,
    width: usize,
}

impl<T: Scalar> Columns<T> {
    /// An empty table of `width` columns.
    pub fn new(width: usize) -> Self {
        Self {
            data: Vec::new(),
            width,
        }
    }
    /// A table of zeros.
    pub fn zeros(width: usize, groups: usize) -> Self {
        Self::filled(width, groups, T::default())
    }
    /// A table of one value.
    pub fn filled(width: usize, groups: usize, value: T) -> Self {
        Self {
            data: vec![value; width * groups * T::LANES],
            width,
        }
    }
    /// A copy, made in parallel: tables of millions of particles are copied in every frame.
    pub fn copied(&self) -> Self {
        const PIECE: usize = 1 << 16;
        let mut data = vec![T::default(); self.data.len()];
        data.par_chunks_mut(PIECE)
            .zip(self.data.par_chunks(PIECE))
            .for_each(|(to, from)| to.copy_from_slice(from));
        Self::from_data(self.width, data)
    }
    /// A table of `width` columns with the given values, in whole groups, group after group.
    pub(crate) fn from_data(width: usize, data: Vec<T>) -> Self {
        Self { data, width }
    }
    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }
    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.data.len() / self.stride()
    }
    /// Values in a group.
    pub fn stride(&self) -> usize {
        self.width * T::LANES
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        self.data.capacity() * size_of::<T>()
    }
    /// The value in column `column` of the particle in `slot`.
    pub fn get(&self, slot: usize, column: usize) -> T {
        self.data[self.position(slot, column)]
    }
    /// Sets the value in column `column` of the particle in `slot`.
    pub fn set(&mut self, slot: usize, column: usize, value: T) {
        let position = self.position(slot, column);
        self.data[position] = value;
    }
    /// Sets the number of groups; the remaining groups keep their values.
    pub fn resize(&mut self, groups: usize) {
        let length = groups * self.stride();
        // Amortised growth would double the memory of a table that gains a few groups at a sort.
        self.data
            .reserve_exact(length.saturating_sub(self.data.len()));
        self.data.resize(length, T::default());
    }
    /// All values, group after group.
    pub fn data(&self) -> &[T] {
        &self.data
    }
    /// All values, group after group, mutable.
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }
    #[inline]
    fn position(&self, slot: usize, column: usize) -> usize {
        (slot / T::LANES) * self.stride() + column * T::LANES + slot % T::LANES
    }
}
