//! Working memory of the steps. It outlives a step, but nothing in it is needed to resume a run.

use thixo_par::Scalar;

use crate::grid::{BlockOrder, Grid, PhaseFields, StaggeredGrid, Tiles};
use crate::projection::SolidBoundary;

/// The order of the particles, and the grid.
#[derive(Debug)]
pub(crate) struct Workspace<T, const D: usize> {
    /// Blocks, and the segments of particles in them.
    pub order: BlockOrder<D>,
    /// Fields and tiles.
    pub grid: Grid<T, D>,
    /// The fields of every phase of a mixture; empty without one.
    pub phases: Vec<PhaseFields<T, D>>,
    /// Tiles of the pressure of fluids on solids; empty where there is none.
    pub pressure_tiles: Tiles<T, 4, D>,
    /// Faces and cells; empty without a projection.
    pub staggered: StaggeredGrid<T, D>,
    /// Solids on the staggered grid in the step before; empty without a projection.
    pub solid_boundary: SolidBoundary<D>,
    /// Largest displacement of particles since they were sorted \[cells\].
    pub drift: f64,
}

impl<T: Scalar, const D: usize> Workspace<T, D> {
    /// An empty workspace.
    pub fn new() -> Self {
        Self {
            order: BlockOrder::default(),
            grid: Grid::new(),
            phases: Vec::new(),
            pressure_tiles: Tiles::default(),
            staggered: StaggeredGrid::new(),
            solid_boundary: SolidBoundary::default(),
            drift: 0.0,
        }
    }
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        let Self {
            order,
            grid,
            phases,
            pressure_tiles,
            staggered,
            solid_boundary,
            drift: _,
        } = self;
        let phases: usize = phases.iter().map(PhaseFields::bytes).sum();
        let grids = grid.bytes() + phases + pressure_tiles.bytes() + staggered.bytes();
        order.blocks.bytes() + grids + solid_boundary.bytes()
    }
}
