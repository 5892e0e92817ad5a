//! Views of the particles and the tile of every segment, for parallel work on segments.

use thixo_par::Scalar;

use crate::grid::{BlockOrder, Node, NodeBox, Segment, Tiles};
use crate::particles::Particles;

/// A segment with exclusive access to its particles and its tile.
pub struct SegmentView<'a, T, const D: usize> {
    /// Block and material of the segment.
    pub segment: &'a Segment<D>,
    /// Hot columns of its groups.
    pub hot: &'a mut [T],
    /// Numbers per group in `hot`.
    pub hot_stride: usize,
    /// Cold columns of its groups; empty while they are released.
    pub cold: &'a mut [T],
    /// Storage for its scattered contributions.
    pub tile: &'a mut [Node<T>],
    /// The nodes that its particles touch at their present positions.
    pub touched: &'a mut NodeBox<D>,
}

/// Splits particles and tiles into segments. Segments are contiguous in memory and in order, so
/// that splitting the slices suffices.
pub fn segment_views<'a, T: Scalar, const D: usize>(
    particles: &'a mut Particles<T, D>,
    order: &'a BlockOrder<D>,
    tiles: &'a mut Tiles<T, 4, D>,
) -> Vec<SegmentView<'a, T, D>> {
    let mut views = Vec::with_capacity(order.segments.len());
    let mut segments = order.segments.iter().peekable();
    let mut storage = tiles.segments_mut();
    for (index, species) in particles.species.iter_mut().enumerate() {
        let hot_stride = species.hot.stride();
        let cold_stride = if species.has_cold() {
            species.cold.stride()
        } else {
            0
        };
        let mut hot = species.hot.data_mut();
        let mut cold = species.cold.data_mut();
        while let Some(segment) = segments.next_if(|segment| segment.species == index) {
            let groups = segment.groups.len();
            let (own_hot, rest) = hot.split_at_mut(groups * hot_stride);
            hot = rest;
            let (own_cold, rest) = cold.split_at_mut(groups * cold_stride);
            cold = rest;
            let Some((tile, touched)) = storage.next() else {
                return views;
            };
            views.push(SegmentView {
                segment,
                hot: own_hot,
                hot_stride,
                cold: own_cold,
                tile,
                touched,
            });
        }
    }
    views
}
