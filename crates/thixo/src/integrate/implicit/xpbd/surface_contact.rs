//! Contact of nodes that follow image points in the matter, during the sweeps: equation (8).
//!
//! Sweeps know one mass for all components of a node. Nodes around image points get the largest
//! that boundary nodes add to them, with which impulses converge; the velocities themselves follow
//! after every colour from the momenta and the masses that they have, as in explicit steps.

use thixo_math::Vector;
use thixo_par::Scalar;

use super::super::constraints::{Constraints, to_vector};
use crate::collide::{BoundaryContact, BoundaryNodes, BoundaryVelocities, Closure, Follow};
use crate::grid::{MASS, Node};

/// Boundary nodes of all obstacles, column after column.
pub(super) fn boundary_nodes<const D: usize>(constraints: &Constraints<D>) -> BoundaryNodes<D> {
    let mut boundary = BoundaryNodes::default();
    for column in constraints.image_columns() {
        let first = boundary.following.len() as u32;
        let nodes = column.constraints.iter().map(|node| node.boundary);
        boundary.following.extend(nodes);
        let end = boundary.following.len() as u32;
        boundary.columns.push((first..end).collect());
    }
    boundary
}

/// Contact at the surfaces of obstacles for a given active set.
pub(super) struct SurfaceContact<'a, const D: usize> {
    contact: BoundaryContact<'a, D>,
    closures: Vec<Closure>,
    /// Nodes with their mass in the sweeps over their own.
    shares: Vec<(usize, f64)>,
}

impl<'a, const D: usize> SurfaceContact<'a, D> {
    /// Contact of boundary nodes, whose masses are added to those of the nodes that they follow; a
    /// boundary node gets the mass that moves with it.
    pub fn new<T: Scalar>(
        boundary: &'a BoundaryNodes<D>,
        constraints: &Constraints<D>,
        masses: &mut [Node<T>],
    ) -> Self {
        let mut closures = vec![Closure::Open; boundary.following.len()];
        let active = constraints
            .image_columns()
            .iter()
            .map(|column| column.is_active);
        for (column, _) in boundary
            .columns
            .iter()
            .zip(active)
            .filter(|(_, active)| *active)
        {
            for &i in column {
                closures[i as usize] = Closure::of(&boundary.following[i as usize]);
            }
        }
        let contact = BoundaryContact::new(boundary, masses);
        let own: Vec<(usize, f64)> = contact
            .nodes()
            .map(|node| (node, masses[node][MASS].to_f64()))
            .collect();
        let followers = || {
            let all = boundary.following.iter().zip(&closures);
            all.filter_map(|(node, closure)| Some((node, Follow::of(node, *closure)?)))
        };
        for (node, follow) in followers() {
            let mass = masses[node.at.node][MASS].to_f64() * follow.largest_square();
            for (front, weight) in node.image.stencil() {
                masses[front][MASS] += T::from_f64(weight * mass);
            }
        }
        for (node, _) in followers().filter(|(_, follow)| !follow.is_partial()) {
            let stencil = node.image.stencil();
            let moved: f64 = stencil
                .map(|(front, w)| w * masses[front][MASS].to_f64())
                .sum();
            let mass = &mut masses[node.at.node][MASS];
            *mass = mass.max(T::from_f64(moved));
        }
        let shares = own.into_iter().map(|(node, mass)| {
            let share = masses[node][MASS].to_f64() / mass;
            (node, if share.is_finite() { share } else { 0.0 })
        });
        Self {
            shares: shares.collect(),
            contact,
            closures,
        }
    }

    /// Turns velocities by the masses in the sweeps into those by the nodes' own masses.
    pub fn restore<T: Scalar>(&self, v: &mut [Node<T>]) {
        for &(node, share) in &self.shares {
            for x in &mut v[node][..D] {
                *x = T::from_f64(share * x.to_f64());
            }
        }
    }
    /// Velocities at closed contacts, without friction, from those before contact: of boundary
    /// nodes by `boundary`, of the nodes that they follow in the field.
    pub fn close<T: Scalar>(
        &mut self,
        boundary: impl Fn(usize) -> Vector<f64, D>,
        v: &mut [Node<T>],
    ) -> BoundaryVelocities<D> {
        let front = |node: usize| to_vector(&v[node]);
        self.contact.set_velocities(boundary, front);
        let sliding = self.contact.velocities(&self.closures);
        self.contact.write(&sliding, v);
        sliding
    }
    /// Slows what slides as far as friction goes.
    pub fn rub<T: Scalar>(&self, sliding: BoundaryVelocities<D>, v: &mut [Node<T>]) {
        let slowed = self.contact.apply_friction(sliding, &self.closures);
        self.contact.write(&slowed, v);
    }
}
