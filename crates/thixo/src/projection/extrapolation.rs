//! Changes of velocity beyond the reach of the pressure, layer by layer from those within, equation
//! (39).
//!
//! Particles near a surface take their velocity from faces that no pressure has corrected. One
//! kernel for both directions conserves momentum (errata E40), but needs values there. What is
//! continued is the change that the pressure makes: the velocities themselves would take the place
//! of the elastic forces on the outer faces, and solids would push themselves along.

use rayon::prelude::*;
use thixo_par::Scalar;

use crate::grid::{FACE_VELOCITY, Field, NeighbourNodes, Node};
use crate::step_context::StepContext;

/// Layers of faces: the support of the widest kernel around a particle at the surface.
const LAYERS: usize = 3;

/// Continues the velocities of valid faces across an axis to those faces around them that are
/// `wanted`, given index and quad: each face of the next layer takes the mean of its valid
/// neighbours.
pub(crate) fn extrapolate<T: Scalar, const D: usize>(
    faces: &mut Field<T, 4>,
    is_valid: &mut [bool],
    wanted: impl Fn(usize, &Node<T>) -> bool + Sync,
    neighbours: &NeighbourNodes,
    step: &StepContext<'_, D>,
) {
    let blocks = &step.order.blocks;
    for _ in 0..LAYERS {
        let values = faces.values();
        let known = &*is_valid;
        let layer: Vec<(usize, T)> = (0..values.len())
            .into_par_iter()
            .filter(|&face| !known[face] && wanted(face, &values[face]))
            .filter_map(|face| {
                let (mut sum, mut count) = (0.0, 0.0);
                for axis in 0..D {
                    let around = [
                        neighbours.below(blocks, face, axis),
                        neighbours.above(blocks, face, axis),
                    ];
                    for other in around.into_iter().flatten().filter(|&o| known[o]) {
                        sum += values[other][FACE_VELOCITY].to_f64();
                        count += 1.0;
                    }
                }
                (count > 0.0).then(|| (face, T::from_f64(sum / count)))
            })
            .collect();
        if layer.is_empty() {
            return;
        }
        let values = faces.values_mut();
        for (face, v) in layer {
            values[face][FACE_VELOCITY] = v;
            is_valid[face] = true;
        }
    }
}
