//! Loads on surfaces with a staggered grid: nodes at the corners of cells stand between the
//! surfaces and the faces around them, equation (22).

use thixo_par::Scalar;

use crate::force::{self, LoadedSurface};
use crate::grid::{FACE_MASS, FACE_VELOCITY, Grid, MASS, NeighbourNodes, StaggeredGrid};
use crate::step_context::StepContext;

/// Adds the impulses of loads to the momenta of the faces.
pub(super) fn load<T: Scalar, const D: usize>(
    loads: &[LoadedSurface<D>],
    nodes: &mut Grid<T, D>,
    faces: &mut StaggeredGrid<T, D>,
    step: &StepContext<'_, D>,
) {
    let around = AdjacentFaces::new(step);
    nodes.nodes.resize(step.order);
    for (node, quad) in nodes.nodes.values_mut().iter_mut().enumerate() {
        *quad = [T::zero(); 4];
        quad[MASS] = T::from_f64(around.mean_mass(faces, node));
    }
    force::load(loads, nodes, step);
    for (node, quad) in nodes.nodes.values().iter().enumerate() {
        for axis in (0..D).filter(|&axis| quad[axis] != T::zero()) {
            let mass = around.mass(faces, node, axis);
            for face in around.of(node, axis) {
                let face = &mut faces.faces[axis].values_mut()[face];
                let share = face[FACE_MASS].to_f64() / mass;
                face[FACE_VELOCITY] += T::from_f64(share * quad[axis].to_f64());
            }
        }
    }
}

/// Moves the surfaces under load with the velocities of the faces.
pub(super) fn advect<T: Scalar, const D: usize>(
    loads: &mut [LoadedSurface<D>],
    nodes: &mut Grid<T, D>,
    faces: &StaggeredGrid<T, D>,
    step: &StepContext<'_, D>,
) {
    let around = AdjacentFaces::new(step);
    for (node, quad) in nodes.nodes.values_mut().iter_mut().enumerate() {
        for axis in 0..D {
            let (mut sum, mut count) = (0.0, 0.0f64);
            for face in around.of(node, axis) {
                sum += faces.faces[axis].values()[face][FACE_VELOCITY].to_f64();
                count += 1.0;
            }
            quad[axis] = T::from_f64(sum / count.max(1.0));
        }
    }
    force::advect(loads, nodes, step);
}

/// The faces around the corners of cells.
struct AdjacentFaces<'a, const D: usize> {
    neighbours: NeighbourNodes,
    step: &'a StepContext<'a, D>,
}

impl<'a, const D: usize> AdjacentFaces<'a, D> {
    fn new(step: &'a StepContext<'a, D>) -> Self {
        Self {
            neighbours: NeighbourNodes::new(&step.order.blocks),
            step,
        }
    }
    /// The 2^{D−1} faces across an axis that touch a node.
    fn of(&self, node: usize, axis: usize) -> impl Iterator<Item = usize> {
        let mut faces = vec![node];
        for a in (0..D).filter(|&a| a != axis) {
            let below = |&face: &usize| self.neighbours.below(&self.step.order.blocks, face, a);
            let more: Vec<usize> = faces.iter().filter_map(below).collect();
            faces.extend(more);
        }
        faces.into_iter()
    }
    fn mass<T: Scalar>(&self, faces: &StaggeredGrid<T, D>, node: usize, axis: usize) -> f64 {
        let masses = self
            .of(node, axis)
            .map(|face| faces.faces[axis].values()[face][FACE_MASS].to_f64());
        masses.sum()
    }
    fn mean_mass<T: Scalar>(&self, faces: &StaggeredGrid<T, D>, node: usize) -> f64 {
        let of_axis = |axis| self.mass(faces, node, axis) / f64::from(1 << (D - 1));
        // Every axis must have a face that can take an impulse.
        (0..D).map(of_axis).fold(f64::INFINITY, f64::min)
    }
}
