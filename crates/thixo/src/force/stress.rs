//! Internal force on the nodes, equations (3) and (4). \[Jiang2016\] eq. (189)–(190).

use thixo_par::Scalar;

use crate::grid::Grid;
use crate::particles::Particles;
use crate::transfer::TransferContext;
use crate::transfer::{StressForce, scatter};

/// Sums the stress of all particles into node forces \[N\].
pub(crate) fn scatter_stress<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
) {
    let source = StressForce::new(context.transfer, context.step.geometry);
    scatter(source, particles, &mut grid.tiles, context);
    grid.force.pull(context.step.order, &grid.tiles);
}
