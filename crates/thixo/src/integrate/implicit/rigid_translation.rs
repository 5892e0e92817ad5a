//! Rigid translation modes: one velocity for all nodes of a connected component.

use rayon::prelude::*;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::connected_components::{CHUNK, Components};
use crate::grid::{MASS, Node};

/// A rigid velocity of every component, in its free directions \[m/s\].
#[derive(Clone, Debug)]
pub(super) struct RigidTranslation<const D: usize>(pub Vec<Vector<f64, D>>);

impl<const D: usize> RigidTranslation<D> {
    /// No motion.
    pub fn zero(components: &Components<D>) -> Self {
        Self(vec![Vector::zero(); components.all.len()])
    }

    /// The velocity at a node.
    pub fn at(&self, node: usize, components: &Components<D>) -> Vector<f64, D> {
        self.0[components.of_node(node)]
    }

    /// Σ v · H v over the components, H being mass and friction; Σ m v² without friction \[J\].
    pub fn energy_norm_squared(&self, components: &Components<D>) -> f64 {
        let pairs = components.all.iter().zip(&self.0);
        pairs
            .map(|(component, v)| component.energy_norm_squared(*v))
            .sum()
    }

    /// Σ m v² over the components on which no friction acts \[J\].
    pub fn energy_norm_squared_frictionless(&self, components: &Components<D>) -> f64 {
        let pairs = components.all.iter().zip(&self.0);
        let frictionless = pairs.filter(|(component, _)| !component.has_friction());
        frictionless
            .map(|(component, v)| component.energy_norm_squared(*v))
            .sum()
    }

    /// This translation and the Newton step for residuals of the components \[N s\].
    pub fn newton_step(&self, residuals: &[Vector<f64, D>], components: &Components<D>) -> Self {
        let pairs = components.all.iter().zip(residuals).zip(&self.0);
        Self(
            pairs
                .map(|((component, residual), v)| *v + component.velocity_change(*residual))
                .collect(),
        )
    }

    /// Residuals g − m v of gradients g that are balanced by inertia alone \[N s\].
    pub fn residuals(
        &self,
        gradients: &[Vector<f64, D>],
        components: &Components<D>,
    ) -> Vec<Vector<f64, D>> {
        let pairs = components.all.iter().zip(gradients).zip(&self.0);
        pairs
            .map(|((component, gradient), v)| *gradient - *v * component.mass)
            .collect()
    }

    /// Decrease g · v − ½ m v² of a quadratic objective with gradients g \[J\], for a step of −v.
    pub fn decrease(&self, gradients: &[Vector<f64, D>], components: &Components<D>) -> f64 {
        let pairs = components.all.iter().zip(gradients).zip(&self.0);
        pairs
            .map(|((component, gradient), v)| gradient.dot(*v) - 0.5 * component.mass * v.dot(*v))
            .sum()
    }

    /// Adds the rigid velocities, times a factor, to the velocities of the nodes.
    pub fn add_to<T: Scalar>(&self, v: &mut [Node<T>], factor: f64, components: &Components<D>) {
        self.for_each_node(v, components, |_, rigid, node| {
            for a in 0..D {
                node[a] += T::from_f64(factor * rigid[a]);
            }
        });
    }

    /// Subtracts the momenta of the rigid velocities from impulses on the nodes; `masses` are nodes
    /// with their masses.
    pub fn subtract_momenta<T: Scalar>(
        &self,
        impulses: &mut [Node<T>],
        masses: &[Node<T>],
        components: &Components<D>,
    ) {
        self.for_each_node(impulses, components, |k, rigid, node| {
            let mass = masses[k][MASS];
            for a in 0..D {
                node[a] -= mass * T::from_f64(rigid[a]);
            }
        });
    }

    fn for_each_node<T: Scalar>(
        &self,
        field: &mut [Node<T>],
        components: &Components<D>,
        change: impl Fn(usize, &Vector<f64, D>, &mut Node<T>) + Sync,
    ) {
        if self.0.iter().all(|v| *v == Vector::zero()) {
            return;
        }
        field
            .par_chunks_exact_mut(components.nodes_per_block)
            .with_min_len(CHUNK)
            .zip(&components.of_block)
            .enumerate()
            .for_each(|(block, (nodes, component))| {
                let v = &self.0[*component as usize];
                let first = block * components.nodes_per_block;
                for (k, node) in nodes.iter_mut().enumerate() {
                    change(first + k, v, node);
                }
            });
    }
}

#[cfg(test)]
mod tests {
    use super::super::constrained_directions::ConstraintDirections;
    use super::*;
    use crate::grid::{Blocks, Geometry, block_key};
    use crate::kernel::KernelKind;

    #[test]
    fn components_translate_in_their_free_directions() {
        // Two blocks that touch at a corner, one alone, one on a slope of 45°, one that is fixed:
        // 1 kg each, 3 kg in the second.
        let geometry = Geometry::<2>::new(0.1, KernelKind::Quadratic, [None; 2]).unwrap();
        let places = [[0, 0], [1, 1], [5, 0], [9, 0], [0, 9]];
        let mut keys = places.map(block_key::<2>);
        keys.sort_unstable();
        let blocks = Blocks::new(&keys, &geometry);
        let n = blocks.nodes_per_block();
        let first = places.map(|place| blocks.find(place).unwrap() * n);
        let mut nodes = vec![[0.0; 4]; places.len() * n];
        let mut impulses = nodes.clone();
        for (k, at) in first.into_iter().enumerate() {
            nodes[at + 7][MASS] = if k == 1 { 3.0 } else { 1.0 };
            impulses[at + 7][0] = 1.0 + k as f64;
        }
        let slope = ConstraintDirections::Normal(Vector([0.5f64.sqrt(), 0.5f64.sqrt()]));
        let constraints = [
            (first[3], slope),
            (first[4], ConstraintDirections::All),
            (first[3] + 1, slope),
        ];
        let components = Components::<2>::new(&blocks, &nodes, constraints.into_iter());
        assert_eq!(components.all.len(), 4);

        // 1 and 2 N s on 4 kg, 3 on 1 kg, 4 on the slope, 5 on the fixed block.
        let translation = components.translation(&impulses);
        let squared = translation.energy_norm_squared(&components);
        assert!((squared - (4.0 * 0.75 * 0.75 + 9.0 + 8.0)).abs() < 1e-12);
        let mut left = impulses.clone();
        translation.subtract_momenta(&mut left, &nodes, &components);
        let close = |found: [f64; 2], expected: [f64; 2]| {
            assert!(
                (Vector(found) - Vector(expected)).norm() < 1e-12,
                "{found:?}"
            );
        };
        let at = |field: &[Node<f64>], k: usize| {
            let node = field[first[k] + 7];
            [node[0], node[1]]
        };
        let expected = [[0.25, 0.0], [-0.25, 0.0], [0.0; 2], [2.0, 2.0], [5.0, 0.0]];
        for (k, expected) in expected.into_iter().enumerate() {
            close(at(&left, k), expected);
        }
        let rest = components.translation(&left);
        assert!(rest.energy_norm_squared(&components) < 1e-24);
        let mut v = vec![[1.0; 4]; nodes.len()];
        translation.add_to(&mut v, -2.0, &components);
        close(at(&v, 0), [-0.5, 1.0]);
        close(at(&v, 3), [-3.0, 5.0]);
        close(at(&v, 4), [1.0, 1.0]);
    }
}
