//! The constraint of an obstacle on a node by itself, equations (8) and (8a).

use thixo_math::Vector;
use thixo_par::Scalar;

use super::constraints::{cone_share, set_vector, to_vector};
use crate::collide::{Contact, ContactNode};
use crate::grid::{MASS, Node};

/// Directions this close to the span of others, as the sine of the angle, are linearly dependent.
const DEPENDENT: f64 = 1e-6;

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
            Contact::Sticky | Contact::Glued => Vector::zero(),
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

/// Directions in which active constraints prescribe the velocity of a node, as an orthonormal basis
/// b_k with the prescribed components c_k = b_k · v. The projection on the other directions is
/// orthogonal however oblique the surfaces of the obstacles are to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrescribedDirections<const D: usize> {
    node: usize,
    basis: [Vector<f64, D>; D],
    components: [f64; D],
    rank: usize,
}

impl<const D: usize> PrescribedDirections<D> {
    /// The directions of the active ones among the constraints of a node, at least one.
    pub fn of(around: &[ObstacleConstraint<D>]) -> Self {
        let mut out = Self {
            node: around[0].at.node,
            basis: [Vector::zero(); D],
            components: [0.0; D],
            rank: 0,
        };
        for obstacle in around.iter().filter(|obstacle| obstacle.is_active) {
            let at = &obstacle.at;
            if at.contact.holds_tangentially() {
                for a in 0..D {
                    let mut axis = Vector::zero();
                    axis[a] = 1.0;
                    out.add(axis, at.solid[a]);
                }
            } else {
                out.add(at.normal, at.normal.dot(at.solid));
            }
        }
        out
    }
    /// Adds the direction x with x · v = `component`, by Gram-Schmidt orthogonalisation.
    fn add(&mut self, x: Vector<f64, D>, component: f64) {
        if self.rank == D {
            return;
        }
        let (mut rest, mut left) = (x, component);
        for k in 0..self.rank {
            let along = self.basis[k].dot(x);
            rest -= self.basis[k] * along;
            left -= self.components[k] * along;
        }
        let length = rest.norm();
        if length > DEPENDENT {
            self.basis[self.rank] = rest * (1.0 / length);
            self.components[self.rank] = left / length;
            self.rank += 1;
        }
    }
    /// Gives the velocity of the node the prescribed components.
    pub fn apply<T: Scalar>(&self, v: &mut [Node<T>]) {
        let mut x = to_vector(&v[self.node]);
        for k in 0..self.rank {
            x += self.basis[k] * (self.components[k] - self.basis[k].dot(x));
        }
        set_vector(&mut v[self.node], x);
    }
    /// Projects a direction or gradient at the node onto the admissible directions.
    pub fn project<T: Scalar>(&self, field: &mut [Node<T>]) {
        let mut x = to_vector(&field[self.node]);
        for k in 0..self.rank {
            x -= self.basis[k] * self.basis[k].dot(x);
        }
        set_vector(&mut field[self.node], x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slip(normal: [f64; 2], solid: [f64; 2]) -> ObstacleConstraint<2> {
        let at = ContactNode {
            node: 0,
            collider: 0,
            contact: Contact::Slip,
            normal: Vector(normal),
            solid: Vector(solid),
        };
        ObstacleConstraint {
            at,
            is_active: true,
        }
    }

    #[test]
    fn two_oblique_planes_hold_a_node_in_the_plane_at_their_own_velocities() {
        for degrees in [60.0f64, 100.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let around = [slip([0.0, 1.0], [0.0, 0.5]), slip([sin, cos], [2.0, 0.0])];
            let prescribed = PrescribedDirections::of(&around);
            let mut v = [[3.0f64, -2.0, 0.0, 1.0]];
            prescribed.apply(&mut v);
            for obstacle in &around {
                assert!(obstacle.separation_speed(&v).abs() < 1e-14);
            }
            let mut direction = [[3.0f64, -2.0, 0.0, 1.0]];
            prescribed.project(&mut direction);
            assert!(direction[0][..2].iter().all(|x| x.abs() < 1e-14));
        }
    }
}
