//! The sparse grid: blocks of 64 nodes, 4×4×4 or 8×8, that exist only around matter; 4×4 where a
//! period is no multiple of 8.
//!
//! A `Field` has some numbers at every node of a `Lattice`. Particles of a block add to a
//! `Tile` of their own; each block of the grid then pulls the overlapping tiles in a fixed order
//! (`Field::pull`, equation (18)), so that sums do not depend on the number of threads. The
//! fields of a step are those of `Grid`: a node is four numbers there, momentum (or velocity, or
//! force) in the first D, mass in the last.

mod block;
mod block_order;
mod field;
mod fields;
mod lattice;
mod material_masses;
mod neighbour_nodes;
mod node_box;
mod overlap;
mod phase_fields;
mod staggered_grid;
mod tile;

pub use block::Geometry;

pub(crate) use block::{
    ABSENT, Blocks, KeyTable, Segment, block_key, block_of_key, lift, offset_vector, offsets,
};
pub(crate) use block_order::BlockOrder;
pub(crate) use field::Field;
pub(crate) use fields::Grid;
pub(crate) use lattice::Lattice;
pub(crate) use material_masses::MaterialMasses;
pub(crate) use neighbour_nodes::NeighbourNodes;
pub(crate) use node_box::{BaseRange, NodeBox};
pub(crate) use overlap::Overlap;
pub(crate) use phase_fields::PhaseFields;
pub(crate) use staggered_grid::{
    CELL_COMPLIANCE, CELL_COMPRESSION, CELL_DIVERGENCE, CELL_FILLED, CELL_MASS, CELL_OPEN,
    CELL_PRESSURE, CELL_VOLUME, FACE_BALLISTIC, FACE_BEFORE, FACE_FORCE, FACE_MASS, FACE_SHIFT,
    FACE_VELOCITY, FACE_VOLUME, StaggeredGrid,
};
pub(crate) use tile::{STAGGERED_CAPACITY, Tile, Tiles};

/// Momentum \[kg m/s\], velocity \[m/s\] or force \[N\] in the first D numbers, mass \[kg\] in the
/// last.
pub(crate) type Node<T> = [T; 4];

/// Index of the mass in a [`Node`].
pub(crate) const MASS: usize = 3;
