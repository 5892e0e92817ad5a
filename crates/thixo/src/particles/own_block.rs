//! The block that a particle is in, from its offset in another one.

use thixo_par::Scalar;

use crate::grid::Geometry;

/// Blocks and offsets along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnBlock<T> {
    /// Nodes of a block along an axis.
    side: i32,
    /// Offset of the base node of the kernel \[cells\].
    base_offset: T,
    /// The largest offset of a particle in its own block \[cells\].
    largest: T,
}

impl<T: Scalar> OwnBlock<T> {
    /// Blocks of a grid.
    pub fn new<const D: usize>(geometry: &Geometry<D>) -> Self {
        let side = geometry.block_side() as i32;
        let base_offset = geometry.kernel().base_offset();
        let end = f64::from(side / 2) + base_offset;
        Self {
            side,
            base_offset: T::from_f64(base_offset),
            largest: T::from_f64(end * (1.0 - T::EPSILON)),
        }
    }
    /// Base node of a particle at an offset \[cells\], counted from the first node of the block
    /// from which the offset is measured.
    #[inline]
    pub fn base(&self, offset: T) -> i32 {
        let node = (offset - self.base_offset).floor().to_f64();
        // NaN becomes 0 here and is found by the state check; ±∞ saturates and is out of range.
        let node = node.clamp(f64::from(i32::MIN / 4), f64::from(i32::MAX / 4));
        node as i32 + self.side / 2
    }
    /// The offset from the middle of the block that the particle is in \[cells\].
    #[inline]
    pub fn measured(&self, offset: T) -> T {
        let blocks = self.base(offset).div_euclid(self.side);
        if blocks == 0 {
            return offset;
        }
        // Rounding may leave it at the end of the block, which belongs to the next one.
        (offset - T::from_f64(f64::from(blocks * self.side))).min(self.largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelKind;

    #[test]
    fn offsets_are_measured_from_the_block_that_holds_them() {
        for kernel in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            let geometry = Geometry::<3>::new(0.1, kernel, [None; 3]).unwrap();
            let block = OwnBlock::<f32>::new(&geometry);
            for k in 0..40_000 {
                let offset = k as f32 * 1e-3 - 20.0 - 1e-7 * (k % 7) as f32;
                let own = block.measured(offset);
                assert!(
                    (0..4).contains(&block.base(own)),
                    "{kernel:?} {offset} {own}"
                );
                let moved = (offset - own) / 4.0;
                assert!((moved - moved.round()).abs() < 1e-6, "{offset} {own}");
                assert_eq!(block.measured(own), own);
            }
        }
    }
}
