//! Rest volumes from the density on the grid, equation (20). \[Jiang2016\] eq. (150)–(152), errata
//! E43.

use thixo_math::Vector;
use thixo_par::Scalar;

use super::stencil::TileFrame;
use super::{TransferContext, scatter_momentum};
use crate::grid::{Grid, MASS, Tile};
use crate::kernel::KernelKind;
use crate::particles::{Layout, Particles};

/// V⁰ ← m hᵈ / Σ_i w_ip m_i for particles whose identifier is asked for; all must be sorted, and
/// all count in the density. The length of the step is irrelevant: only masses are used.
pub(crate) fn estimate_rest_volumes<T: Scalar, const D: usize>(
    particles: &mut Particles<T, D>,
    grid: &mut Grid<T, D>,
    context: &TransferContext<'_, T, D>,
    is_asked: &(dyn Fn(u32) -> bool + Sync),
) {
    scatter_momentum(particles, grid, context);
    let (order, geometry) = (context.step.order, context.step.geometry);

    let mut tile = Tile::new(geometry.tile_side());
    let cell = geometry.spacing().powi(D as i32);
    for segment in &order.segments {
        let part = (segment.block, &segment.bounds);
        tile.load(part, &order.blocks, grid.nodes.values());
        let frame = TileFrame::<T>::new(geometry);
        let species = &mut particles.species[segment.species];
        for slot in segment.groups.start * T::LANES..segment.groups.end * T::LANES {
            let mass = species.mass(slot).to_f64();
            if mass > 0.0 && is_asked(species.ids[slot]) {
                let seen = mass_at(species.offset(slot), &frame, geometry.kernel(), &tile);
                let volume = T::from_f64(mass * cell / seen);
                species.hot.set(slot, Layout::<D>::V0, volume);
            }
        }
    }
}

/// Σ_i w_ip m_i.
fn mass_at<T: Scalar, const D: usize>(
    x: Vector<T, D>,
    frame: &TileFrame<T>,
    kernel: KernelKind,
    tile: &Tile<T>,
) -> f64 {
    let width = kernel.width();
    let mut first = [0; D];
    let mut value = Vec::with_capacity(D);
    for a in 0..D {
        let node = (x[a] - T::from_f64(kernel.base_offset())).floor();
        first[a] = (node.to_f64() + frame.middle as f64) as usize;
        value.push(kernel.weights((x[a] - node).to_f64()).value);
    }
    let mut sum = 0.0;
    for k in 0..width.pow(D as u32) {
        let (mut rest, mut w, mut index, mut stride) = (k, 1.0, 0, 1);
        for a in (0..D).rev() {
            w *= value[a][rest % width];
            index += (first[a] + rest % width) * stride;
            stride *= frame.side;
            rest /= width;
        }
        sum += w * tile.nodes()[index][MASS].to_f64();
    }
    sum
}
