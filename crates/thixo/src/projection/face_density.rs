//! Density of faces, equation (33).
//!
//! Next to a solid a part of a face's kernel has no matter to be filled with, so that its mass
//! alone says nothing about the density: without a correction such faces appear lighter, and the
//! matter at the solid rises. \[Jiang2015thesis\] §6.4.7 and figure 6.3.

use rayon::prelude::*;
use thixo_par::Scalar;

use super::free_surface::{FilledCells, node_at};
use super::options::FaceDensity;
use super::solid_boundary::{add, local_place};
use crate::grid::{CELL_MASS, CELL_VOLUME, FACE_MASS, FACE_VOLUME, StaggeredGrid};
use crate::kernel::KernelKind;
use crate::step_context::StepContext;

/// 1/ρ \[m³/kg\] of every face, by node and axis, from masses and volumes on the faces; zero where
/// there is no matter.
pub(crate) fn specific_volumes<T: Scalar, const D: usize>(
    grid: &StaggeredGrid<T, D>,
    filled: &FilledCells,
    density: FaceDensity,
    step: &StepContext<'_, D>,
) -> Vec<[f64; D]> {
    let whole = step.geometry.spacing().powi(D as i32);
    (0..grid.cells.values().len())
        .into_par_iter()
        .map(|node| {
            core::array::from_fn(|axis| {
                let quad = grid.faces[axis].values()[node];
                let mass = quad[FACE_MASS].to_f64();
                if mass <= 0.0 {
                    // A face without matter at a filled cell has the density of the cell.
                    let cell = grid.cells.values()[node];
                    let mass = cell[CELL_MASS].to_f64();
                    return match mass > 0.0 {
                        true => cell[CELL_VOLUME].to_f64() / mass,
                        false => 0.0,
                    };
                }
                let volume = match density {
                    FaceDensity::Matter => quad[FACE_VOLUME].to_f64(),
                    FaceDensity::Uncorrected => whole,
                    FaceDensity::ControlVolume => whole * control_share(filled, node, axis, step),
                };
                volume / mass
            })
        })
        .collect()
}

/// Share of the kernel of a face that is in filled cells: Σ_c χ_c ∫_c N_i dx \[–\].
/// \[Jiang2015thesis\] §6.4.7.
fn control_share<const D: usize>(
    filled: &FilledCells,
    face: usize,
    axis: usize,
    step: &StepContext<'_, D>,
) -> f64 {
    let blocks = &step.order.blocks;
    let (count, side) = (blocks.nodes_per_block(), blocks.side());
    let coordinate = blocks.coordinate(face / count);
    let place = add(coordinate, side, local_place::<D>(face % count, side));
    let kernel = step.geometry.kernel();
    let mut sum = 0.0;
    for k in 0..5usize.pow(D as u32) {
        let steps = local_place::<D>(k, 5).map(|x| x as i32 - 2);
        let mut share = 1.0;
        let mut cell = place;
        for a in 0..D {
            share *= cell_integral(kernel, steps[a], a == axis);
            cell[a] += steps[a];
        }
        if share > 0.0 && node_at(cell, step).is_some_and(|cell| filled.is_filled(cell)) {
            sum += share;
        }
    }
    sum
}

/// Integral of the kernel of a face over the cell that is `steps` above its own, along the axis of
/// the face, where cells begin at the face, or across it, where the face is in their middle.
fn cell_integral(kernel: KernelKind, steps: i32, is_own_axis: bool) -> f64 {
    let low = f64::from(steps) - if is_own_axis { 0.0 } else { 0.5 };
    kernel.cumulative(low + 1.0) - kernel.cumulative(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cubic: 11/24 and 1/24 along the axis of the face, 115/192, 19/96 and 1/384 across;
    /// quadratic: 23/48 and 1/48, 2/3 and 1/6.
    #[test]
    fn kernels_are_integrated_over_cells() {
        let table = [
            (KernelKind::Cubic, true, 0, 11.0 / 24.0),
            (KernelKind::Cubic, true, 1, 1.0 / 24.0),
            (KernelKind::Cubic, true, -1, 11.0 / 24.0),
            (KernelKind::Cubic, false, 0, 115.0 / 192.0),
            (KernelKind::Cubic, false, 1, 19.0 / 96.0),
            (KernelKind::Cubic, false, -2, 1.0 / 384.0),
            (KernelKind::Quadratic, true, 0, 23.0 / 48.0),
            (KernelKind::Quadratic, true, -2, 1.0 / 48.0),
            (KernelKind::Quadratic, false, 0, 2.0 / 3.0),
            (KernelKind::Quadratic, false, 1, 1.0 / 6.0),
        ];
        for (kernel, is_own_axis, steps, expected) in table {
            let found = cell_integral(kernel, steps, is_own_axis);
            assert!(
                (found - expected).abs() < 1e-15,
                "{kernel:?} {steps} {found}"
            );
        }
    }
}
