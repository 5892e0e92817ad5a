//! Cells that are filled with matter, and the place of the free surface between cells, equation
//! (35).
//!
//! A cell centre in front of a flat surface at the distance s has the share F(s/h) of its kernel
//! filled, F the integral of the kernel: half of it where the surface goes through the centre. The
//! volume of the particles, Σ w_cp V_p over the part of the kernel that is not in a solid, thus
//! says how far away the surface is. At walls the mirror image of the matter fills the rest of the
//! kernel.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::options::FreeSurface;
use super::solid_boundary::{SolidBoundary, add, local_place};
use crate::collide::{GHOSTS, Side, Wall};
use crate::grid::{CELL_VOLUME, FACE_MASS, StaggeredGrid};
use crate::kernel::KernelKind;
use crate::step_context::StepContext;

/// Least distance of the surface from the centre of a filled cell, in cells: a conductance of
/// twenty times that between cells.
const LEAST_DISTANCE: f64 = 0.05;

/// Filled cells, and their distance from the surface.
#[derive(Debug)]
pub(crate) struct FilledCells {
    /// Filled share of the kernel of each cell \[–\].
    share: Vec<f64>,
    is_filled: Vec<bool>,
    surface: FreeSurface,
    kernel: KernelKind,
}

impl FilledCells {
    /// Finds the filled cells from the volumes on a grid.
    pub fn new<T: Scalar, const D: usize>(
        grid: &StaggeredGrid<T, D>,
        (walls, boundary): (&[Wall<D>], &SolidBoundary<D>),
        surface: FreeSurface,
        step: &StepContext<'_, D>,
    ) -> Self {
        let h = step.geometry.spacing();
        let whole = h.powi(D as i32);
        let volumes = grid.cells.values().par_iter();
        let mut share: Vec<f64> = volumes
            .map(|cell| cell[CELL_VOLUME].to_f64() / whole)
            .collect();
        for wall in walls {
            fold(&mut share, wall, step);
        }
        let is_filled = match surface {
            FreeSurface::SubCell => {
                share.par_iter_mut().enumerate().for_each(|(cell, share)| {
                    // Deep in an obstacle there is no kernel left to be filled.
                    *share /= boundary.kernel_share(cell).max(0.05);
                });
                let behind: Vec<(usize, f64)> = (0..step.order.blocks.len())
                    .into_par_iter()
                    .flat_map_iter(|block| behind_surfaces(&share, boundary, block, step))
                    .collect();
                for (cell, of_front) in behind {
                    share[cell] = of_front;
                }
                let cells = share.par_iter().enumerate();
                cells
                    .map(|(cell, share)| *share > 0.5 && boundary.volume(cell) > 0.0)
                    .collect()
            }
            FreeSurface::Voxels => voxels(grid, boundary, step),
        };
        Self {
            share,
            is_filled,
            surface,
            kernel: step.geometry.kernel(),
        }
    }
    /// True if the cell has a pressure.
    #[inline]
    pub fn is_filled(&self, cell: usize) -> bool {
        self.is_filled[cell]
    }
    /// Filled share of the kernel of a cell \[–\].
    pub fn share(&self, cell: usize) -> f64 {
        self.share[cell]
    }
    /// Distance of the surface from the centre of a filled cell towards an empty one, in cells.
    pub fn distance(&self, filled: usize, empty: Option<usize>) -> f64 {
        if self.surface == FreeSurface::Voxels {
            return 1.0;
        }
        let inside = quantile(self.kernel, self.share[filled]).max(0.0);
        let outside = match empty {
            Some(cell) => (-quantile(self.kernel, self.share[cell])).max(0.0),
            None => 1.0,
        };
        let total = inside + outside;
        if total <= 0.0 {
            return LEAST_DISTANCE;
        }
        (inside / total).clamp(LEAST_DISTANCE, 1.0)
    }
}

/// Cut cells of a block whose centres are inside an obstacle, where there is next to no kernel to
/// be filled: they are filled as the matter in front of them is.
fn behind_surfaces<const D: usize>(
    share: &[f64],
    boundary: &SolidBoundary<D>,
    block: usize,
    step: &StepContext<'_, D>,
) -> Vec<(usize, f64)> {
    let Some(near) = boundary.near(block) else {
        return Vec::new();
    };
    let first = block * step.order.blocks.nodes_per_block();
    let cells = near.in_front.iter().filter_map(|&(k, at)| {
        let front = node_at(at, step)?;
        Some((first + k, share[front]))
    });
    cells.collect()
}

/// The printed classification: a cell is filled if it and all its faces have mass and not all of
/// its faces are closed.
fn voxels<T: Scalar, const D: usize>(
    grid: &StaggeredGrid<T, D>,
    boundary: &SolidBoundary<D>,
    step: &StepContext<'_, D>,
) -> Vec<bool> {
    let blocks = &step.order.blocks;
    let neighbours = crate::grid::NeighbourNodes::new(blocks);
    let has_mass =
        |face: usize, axis: usize| grid.faces[axis].values()[face][FACE_MASS] > T::zero();
    (0..grid.cells.values().len())
        .into_par_iter()
        .map(|cell| {
            let mut any_open = false;
            let mut all_have_mass = grid.cells.values()[cell][CELL_VOLUME] > T::zero();
            for axis in 0..D {
                let faces = [Some(cell), neighbours.above(blocks, cell, axis)];
                for face in faces {
                    let Some(face) = face else {
                        all_have_mass = false;
                        continue;
                    };
                    let is_open = boundary.open(face, axis) > 0.0;
                    any_open |= is_open;
                    all_have_mass &= has_mass(face, axis) || !is_open;
                }
            }
            any_open && all_have_mass
        })
        .collect()
}

/// Adds the shares of the cells behind a wall to those of their mirror images.
fn fold<const D: usize>(share: &mut [f64], wall: &Wall<D>, step: &StepContext<'_, D>) {
    let (blocks, geometry) = (&step.order.blocks, step.geometry);
    let (side, h) = (geometry.block_side(), geometry.spacing());
    let line = (wall.position / h).round() as i32;
    let count = blocks.nodes_per_block();
    let folded: Vec<(usize, f64)> = (0..blocks.len())
        .into_par_iter()
        .filter(|&block| {
            let low = blocks.coordinate(block)[wall.axis] * side as i32;
            low <= line + GHOSTS && low + side as i32 >= line - GHOSTS
        })
        .flat_map_iter(|block| {
            let share = &*share;
            (0..count).filter_map(move |k| {
                let place = local_place::<D>(k, side);
                let mut at = add(blocks.coordinate(block), side, place);
                let layer = match wall.matter {
                    Side::Above => at[wall.axis] - line,
                    Side::Below => line - 1 - at[wall.axis],
                };
                if !(0..GHOSTS).contains(&layer) {
                    return None;
                }
                at[wall.axis] = 2 * line - 1 - at[wall.axis];
                let ghost = node_at(at, step)?;
                (share[ghost] > 0.0).then(|| (block * count + k, share[ghost]))
            })
        })
        .collect();
    for (cell, more) in folded {
        share[cell] += more;
    }
}

/// Index of the node at a coordinate; none where no block holds it.
pub(super) fn node_at<const D: usize>(at: [i32; D], step: &StepContext<'_, D>) -> Option<usize> {
    let side = step.geometry.block_side() as i32;
    let block = step.geometry.wrap(at.map(|x| x.div_euclid(side)));
    let block = step.order.blocks.find(block)?;
    let place = at.map(|x| x.rem_euclid(side) as usize);
    let k = place.iter().fold(0, |index, x| index * side as usize + x);
    Some(block * step.order.blocks.nodes_per_block() + k)
}

/// The s with F(s) = share, in cells: the distance at which that share of the kernel is filled.
fn quantile(kernel: KernelKind, share: f64) -> f64 {
    let reach = 0.5 * kernel.width() as f64;
    let (mut low, mut high) = (-reach, reach);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if kernel.cumulative(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_invert_the_integral_of_the_kernel() {
        for kernel in [KernelKind::Linear, KernelKind::Quadratic, KernelKind::Cubic] {
            for s in [-0.9, -0.3, 0.0, 0.4, 0.8] {
                let found = quantile(kernel, kernel.cumulative(s));
                assert!((found - s).abs() < 1e-7, "{kernel:?} {s} {found}");
            }
        }
    }
}
