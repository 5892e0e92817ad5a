//! Positions of the nodes of a field.

/// Nodes at (i + offset) h for whole numbers i.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice<const D: usize> {
    /// Distance of neighbouring nodes h \[m\].
    pub spacing: f64,
    /// Coordinate of node 0 along each axis, in spacings \[–\]; at least 0, below 1.
    pub offset: [f64; D],
}

impl<const D: usize> Lattice<D> {
    /// The corners of cells, the nodes that carry mass and momentum, for a grid spacing > 0 \[m\].
    pub const fn nodes(spacing: f64) -> Self {
        Self {
            spacing,
            offset: [0.0; D],
        }
    }
    /// The centres of cells, for a grid spacing > 0 \[m\].
    pub const fn cell_centres(spacing: f64) -> Self {
        Self {
            spacing,
            offset: [0.5; D],
        }
    }
    /// The centres of the faces across an axis, where a staggered grid has that component of the
    /// velocity. \[Harlow1965\]
    pub fn faces(spacing: f64, axis: usize) -> Self {
        let mut lattice = Self::cell_centres(spacing);
        lattice.offset[axis] = 0.0;
        lattice
    }
    /// Position of a node \[m\].
    pub fn position(&self, node: [i32; D]) -> [f64; D] {
        core::array::from_fn(|a| (f64::from(node[a]) + self.offset[a]) * self.spacing)
    }
    /// Number of nodes below those at the corners of cells at which a stencil on this lattice may
    /// begin.
    pub(crate) fn lower(&self) -> i32 {
        i32::from(self.offset.iter().any(|&offset| offset != 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staggered_nodes_lie_half_a_spacing_apart() {
        assert_eq!(
            Lattice::<2>::nodes(0.1).position([3, -1]),
            [3.0 * 0.1, -0.1]
        );
        assert_eq!(Lattice::<2>::cell_centres(2.0).position([0, 1]), [1.0, 3.0]);
        assert_eq!(
            Lattice::<3>::faces(2.0, 1).position([0, 1, 0]),
            [1.0, 2.0, 1.0]
        );
        assert_eq!(Lattice::<2>::nodes(0.1).lower(), 0);
        assert_eq!(Lattice::<2>::faces(0.1, 0).lower(), 1);
    }
}
