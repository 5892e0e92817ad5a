//! Grid and time of the current step, shared by all its stages.

use thixo_math::Vector;
use thixo_par::Isa;

use crate::grid::{BlockOrder, Geometry};

/// Grid and time of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a, const D: usize> {
    /// Blocks, and the segments of particles in them.
    pub order: &'a BlockOrder<D>,
    /// Spacing and kernel.
    pub geometry: &'a Geometry<D>,
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// Time at the start of the step \[s\].
    pub time: f64,
    /// Time step \[s\].
    pub dt: f64,
}

impl<const D: usize> StepContext<'_, D> {
    /// Position of a node by its index \[m\].
    pub fn node_position(&self, node: usize) -> Vector<f64, D> {
        let per_block = self.order.blocks.nodes_per_block();
        let block = self.order.blocks.coordinate(node / per_block);
        Vector(self.geometry.node_position(block, node % per_block))
    }
}
