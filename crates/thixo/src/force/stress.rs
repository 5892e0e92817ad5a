//! Internal force on the nodes, equations (3) and (4). [Jiang2016] eq. (189)–(190).

use thixo_par::{Isa, Scalar};

use crate::grid::{Geometry, Node, Nodes};
use crate::particles::{Order, Particles};
use crate::transfer::{StressForce, Transfer, scatter, split};

/// Sums the stress of all particles into node forces [N].
pub fn stress<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    order: &Order<D>,
    geometry: &Geometry<D>,
    transfer: Transfer,
    isa: Isa,
    tiles: &mut [Node<T>],
    force: &mut Nodes<T, D>,
) {
    let source = StressForce::new(transfer, geometry);
    scatter(source, split(particles, order, tiles), order, geometry, isa);
    force.pull(order, tiles);
}
