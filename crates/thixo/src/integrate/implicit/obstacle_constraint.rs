//! The constraint of an obstacle on a node, equations (8) and (8a).

use thixo_math::Vector;
use thixo_par::Scalar;

use super::constraints::{cone_share, set_vector, to_vector};
use crate::collide::{Contact, ContactNode};
use crate::grid::{MASS, Node};

/// The constraint of an obstacle on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObstacleConstraint<const D: usize> {
    /// The contact: node, normal, velocity of the obstacle.
    pub at: ContactNode<D>,
    /// True if the constraint is in the active set.
    pub is_active: bool,
}

impl<const D: usize> ObstacleConstraint<D> {
    /// The component of a vector that the active contact admits.
    fn admissible(&self, x: Vector<f64, D>) -> Vector<f64, D> {
        match self.at.contact {
            Contact::Sticky => Vector::zero(),
            Contact::Slip | Contact::Separating { .. } => {
                x - self.at.normal * x.dot(self.at.normal)
            }
        }
    }
    /// Normal velocity of the node relative to the obstacle, positive where they separate \[m/s\].
    pub fn separation_speed<T: Scalar>(&self, v: &[Node<T>]) -> f64 {
        (to_vector(&v[self.at.node]) - self.at.solid).dot(self.at.normal)
    }
    /// Normal impulse of the obstacle on the matter \[N s\].
    pub fn normal_impulse<T: Scalar>(&self, impulse: &[Node<T>]) -> f64 {
        to_vector(&impulse[self.at.node]).dot(self.at.normal)
    }
    /// Projects the velocity of the node onto the constraint.
    pub fn apply<T: Scalar>(&self, v: &mut [Node<T>]) {
        let node = &mut v[self.at.node];
        let relative = to_vector(node) - self.at.solid;
        set_vector(node, self.at.solid + self.admissible(relative));
    }
    /// Projects a direction or gradient onto the admissible directions.
    pub fn project<T: Scalar>(&self, field: &mut [Node<T>]) {
        let node = &mut field[self.at.node];
        set_vector(node, self.admissible(to_vector(node)));
    }
    /// Slows the sliding of the node as far as an impulse of `cone_limit` \[N s\] goes. `masses`
    /// are nodes with their masses.
    pub fn apply_friction<T: Scalar>(
        &self,
        v: &mut [Node<T>],
        cone_limit: f64,
        masses: &[Node<T>],
    ) {
        let node = self.at.node;
        let sliding = self.admissible(to_vector(&v[node]) - self.at.solid);
        let needed = sliding.norm() * masses[node][MASS].to_f64();
        let share = cone_share(cone_limit, needed);
        let slowed = to_vector(&v[node]) - sliding * share;
        set_vector(&mut v[node], slowed);
    }
}
