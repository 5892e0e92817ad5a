//! Velocities on the faces of cells, volumes and pressures at their centres: a staggered (MAC)
//! grid. \[Harlow1965\]
//!
//! Face i of axis a lies between the cells i − e_a and i. All lattices share the blocks of the
//! particles, and node k of a block has the same index in all of them.

use thixo_par::Scalar;

use super::{BlockOrder, Field, Lattice, Tiles};

/// Velocity on a face, before it momentum \[m/s\], \[kg m/s\].
pub(crate) const FACE_VELOCITY: usize = 0;
/// Volume of the matter around a face \[m³\]; from the velocities on, the velocity before the step
/// \[m/s\].
pub(crate) const FACE_VOLUME: usize = 1;
/// The velocity before the step \[m/s\], where velocities are known.
pub(crate) const FACE_BEFORE: usize = 1;
/// Deviatoric force on a face \[N\]; from the velocities on, the velocity of matter that feels no
/// pressure \[m/s\].
pub(crate) const FACE_FORCE: usize = 2;
/// The velocity without pressure \[m/s\], where velocities are known.
pub(crate) const FACE_BALLISTIC: usize = 2;
/// Mass around a face \[kg\]; when nothing needs it any more, the displacement of particles \[m\].
pub(crate) const FACE_MASS: usize = 3;
/// Displacement of particles that keeps them evenly spread \[m\], at the end of a step.
pub(crate) const FACE_SHIFT: usize = 3;

/// Volume of the matter around the centre of a cell \[m³\]; after the solve, pressure times the
/// open share \[Pa\].
pub(crate) const CELL_VOLUME: usize = 0;
/// Pressure times the open share of the cell \[Pa\].
pub(crate) const CELL_PRESSURE: usize = 0;
/// Volume times compliance \[m³/Pa\]; after the solve, the open share \[–\].
pub(crate) const CELL_COMPLIANCE: usize = 1;
/// The open share of the cell \[–\]: 1 unless the cell is in a solid.
pub(crate) const CELL_OPEN: usize = 1;
/// Volume times compression \[m³\]; after the solve, 1 in cells of the matter and 0 in air.
pub(crate) const CELL_COMPRESSION: usize = 2;
/// 1 in cells with a pressure, 0 in air.
pub(crate) const CELL_FILLED: usize = 2;

/// Mass around the centre of a cell \[kg\]; after the solve, the divergence of the velocity
/// \[1/s\].
pub(crate) const CELL_MASS: usize = 3;
/// Divergence of the velocity \[1/s\], zero in air.
pub(crate) const CELL_DIVERGENCE: usize = 3;

/// Bytes of a pressure solve per cell, as measured: equations, levels of multigrid, solution.
const SOLVE_BYTES: usize = 400;

/// The fields of a staggered grid during a step, and the tiles from which they are summed.
#[derive(Debug)]
pub(crate) struct StaggeredGrid<T, const D: usize> {
    /// A quad for every face, by axis.
    pub faces: [Field<T, 4>; D],
    /// A quad for every cell.
    pub cells: Field<T, 4>,
    /// Tiles of the faces by axis, then of the cells.
    pub tiles: Vec<Tiles<T, 4, D>>,
}

impl<T: Scalar, const D: usize> StaggeredGrid<T, D> {
    /// A grid without nodes.
    pub fn new() -> Self {
        Self {
            faces: core::array::from_fn(|_| Field::default()),
            cells: Field::default(),
            tiles: Vec::new(),
        }
    }
    /// The lattices: faces by axis, then cells; for a grid spacing \[m\].
    pub fn lattices(spacing: f64) -> Vec<Lattice<D>> {
        let faces = (0..D).map(|axis| Lattice::faces(spacing, axis));
        faces.chain([Lattice::cell_centres(spacing)]).collect()
    }
    /// Allocates tiles for an order.
    pub fn resize(&mut self, order: &BlockOrder<D>) {
        self.tiles.resize_with(D + 1, Tiles::default);
        for tiles in &mut self.tiles {
            tiles.resize_staggered(order);
        }
    }
    /// Sums the tiles into the fields, equation (18).
    pub fn pull(&mut self, order: &BlockOrder<D>) {
        let fields = self.faces.iter_mut().chain([&mut self.cells]);
        for (field, tiles) in fields.zip(&self.tiles) {
            field.pull(order, tiles);
        }
    }
    /// Bytes that a step on the blocks of an order needs besides the storage that there is: fields,
    /// tiles, and the pressure solve.
    pub fn bytes_for(&self, order: &BlockOrder<D>) -> usize {
        let nodes = order.blocks.len() * order.blocks.nodes_per_block();
        let tiles: usize = order
            .segments
            .iter()
            .map(|segment| segment.bounds.grown_down(1).nodes())
            .sum();
        let quads = (D + 1) * (nodes + tiles) * size_of::<[T; 4]>();
        (quads + nodes * SOLVE_BYTES).saturating_sub(self.bytes())
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        let faces: usize = self.faces.iter().map(Field::bytes).sum();
        let tiles: usize = self.tiles.iter().map(Tiles::bytes).sum();
        faces + self.cells.bytes() + tiles
    }
}
