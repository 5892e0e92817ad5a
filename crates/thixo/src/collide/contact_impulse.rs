//! Impulses and angular impulses that obstacles and walls exert on the matter.

use thixo_math::Vector;

/// Impulse of an obstacle or wall on the matter, and its moment about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse<const D: usize> {
    /// Impulse \[N s\].
    pub linear: Vector<f64, D>,
    /// Moment of the impulse about the origin \[N m s\]; in 2D the last component alone.
    pub angular: [f64; 3],
}

impl<const D: usize> ContactImpulse<D> {
    /// No impulse.
    pub fn zero() -> Self {
        Self {
            linear: Vector::zero(),
            angular: [0.0; 3],
        }
    }
    /// Adds an impulse \[N s\] at a position \[m\].
    pub fn add(&mut self, position: Vector<f64, D>, impulse: Vector<f64, D>) {
        self.linear += impulse;
        self.add_moment(position, impulse);
    }
    /// Adds the change of angular momentum of matter with a momentum \[N s\] that is displaced
    /// \[m\].
    pub fn displace(&mut self, way: Vector<f64, D>, momentum: Vector<f64, D>) {
        self.add_moment(way, momentum);
    }
    /// Adds x × p.
    fn add_moment(&mut self, position: Vector<f64, D>, impulse: Vector<f64, D>) {
        let component = |x: Vector<f64, D>, a: usize| if a < D { x[a] } else { 0.0 };
        for a in 0..3 {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            self.angular[a] += component(position, b) * component(impulse, c)
                - component(position, c) * component(impulse, b);
        }
    }
    /// Adds the impulses of another.
    pub fn merge(&mut self, other: &Self) {
        self.linear += other.linear;
        for (to, from) in self.angular.iter_mut().zip(other.angular) {
            *to += from;
        }
    }
}

/// Impulse of an obstacle on a particle that the guard of equation (8b) stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GuardImpulse {
    /// Index of the obstacle.
    pub collider: usize,
    /// Impulse \[N s\].
    linear: [f64; 3],
    /// Change of angular momentum about the origin \[N m s\].
    angular: [f64; 3],
}

impl GuardImpulse {
    /// The impulse of an obstacle.
    pub fn new<const D: usize>(collider: usize, impulse: &ContactImpulse<D>) -> Self {
        let mut linear = [0.0; 3];
        linear[..D].copy_from_slice(&impulse.linear.0);
        Self {
            collider,
            linear,
            angular: impulse.angular,
        }
    }
    /// Adds it to the impulse of its obstacle.
    pub fn add_to<const D: usize>(&self, impulse: &mut ContactImpulse<D>) {
        let mut linear = Vector::zero();
        for a in 0..D {
            linear[a] = self.linear[a];
        }
        impulse.merge(&ContactImpulse {
            linear,
            angular: self.angular,
        });
    }
}

/// Impulses of all walls and obstacles on the matter since the start of the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactImpulses<const D: usize> {
    /// By wall, in the order of [`Setup::walls`](crate::Setup::walls).
    pub walls: Vec<ContactImpulse<D>>,
    /// By obstacle, in the order of [`Setup::colliders`](crate::Setup::colliders).
    pub colliders: Vec<ContactImpulse<D>>,
}

impl<const D: usize> ContactImpulses<D> {
    /// None yet, of some walls and obstacles.
    pub fn zero(walls: usize, colliders: usize) -> Self {
        Self {
            walls: vec![ContactImpulse::zero(); walls],
            colliders: vec![ContactImpulse::zero(); colliders],
        }
    }
    /// The sum over all walls and obstacles.
    pub fn total(&self) -> ContactImpulse<D> {
        let mut sum = ContactImpulse::zero();
        for impulse in self.walls.iter().chain(&self.colliders) {
            sum.merge(impulse);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_cross_product() {
        let mut impulse = ContactImpulse::<3>::zero();
        impulse.add(Vector([1.0, 2.0, 3.0]), Vector([4.0, 5.0, 7.0]));
        assert_eq!(impulse.angular, [-1.0, 5.0, -3.0]);
        let mut plane = ContactImpulse::<2>::zero();
        plane.add(Vector([1.0, 2.0]), Vector([4.0, 5.0]));
        assert_eq!(plane.angular, [0.0, 0.0, -3.0]);
    }
}
