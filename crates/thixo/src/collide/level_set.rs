//! Obstacles given by a signed distance: nodes inside are constrained, equation (8). \[Jiang2016\] §12.1.

use core::fmt;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::Contact;
use crate::error::BuildError;
use crate::grid::{BLOCK, MASS, Nodes, node_position};
use crate::particles::Order;

/// A solid region of space.
pub trait LevelSet<const D: usize>: Send + Sync + fmt::Debug {
    /// Signed distance to the surface, negative inside \[m\]. Its slope must not exceed 1.
    fn signed_distance(&self, position: [f64; D], time: f64) -> f64;
    /// Outward unit normal of the surface nearest to a position.
    fn normal(&self, position: [f64; D], time: f64) -> [f64; D];
    /// Velocity of the solid at a position \[m/s\].
    fn velocity(&self, _position: [f64; D], _time: f64) -> [f64; D] {
        [0.0; D]
    }
}

/// The half-space behind a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<const D: usize> {
    point: [f64; D],
    normal: [f64; D],
}

impl<const D: usize> Plane<D> {
    /// Through a point \[m\], solid on the side the normal points away from. The normal need not have length 1.
    pub fn new(point: [f64; D], normal: [f64; D]) -> Result<Self, BuildError> {
        // Scaled first, so that squares neither vanish nor overflow; NaN is no maximum and shows in the length.
        let largest = normal.iter().fold(0.0, |m: f64, n| m.max(n.abs()));
        let scaled = Vector(normal.map(|n| n / largest));
        let length = scaled.norm();
        if !length.is_finite() {
            return Err(BuildError::NotPositive {
                quantity: "length of the plane's normal",
                value: Vector(normal).norm(),
            });
        }
        if let Some(&value) = point.iter().find(|x| !x.is_finite()) {
            return Err(BuildError::OutOfRange {
                quantity: "point of the plane [m]",
                value,
                range: "finite",
            });
        }
        Ok(Self {
            point,
            normal: scaled.0.map(|n| n / length),
        })
    }
}

impl<const D: usize> LevelSet<D> for Plane<D> {
    fn signed_distance(&self, position: [f64; D], _time: f64) -> f64 {
        (Vector(position) - Vector(self.point)).dot(Vector(self.normal))
    }
    fn normal(&self, _position: [f64; D], _time: f64) -> [f64; D] {
        self.normal
    }
}

/// An obstacle: where it is and how it holds matter.
#[derive(Clone, Debug)]
pub struct Collider<const D: usize> {
    shape: Arc<dyn LevelSet<D>>,
    contact: Contact,
}

impl<const D: usize> Collider<D> {
    /// A level set with a contact.
    pub fn new(shape: impl LevelSet<D> + 'static, contact: Contact) -> Result<Self, BuildError> {
        contact.check()?;
        Ok(Self {
            shape: Arc::new(shape),
            contact,
        })
    }
}

/// Constrains the velocities of all nodes that lie in an obstacle.
pub fn constrain<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    order: &Order<D>,
    spacing: f64,
    time: f64,
    velocity: &mut Nodes<T, D>,
) {
    if colliders.is_empty() {
        return;
    }
    let half = 0.5 * (BLOCK - 1) as f64 * spacing;
    let radius = half * (D as f64).sqrt();
    velocity.blocks_mut().for_each(|(b, nodes)| {
        let block = order.blocks.coordinate(b);
        let centre = node_position(block, 0, spacing).map(|x| x + half);
        for Collider { shape, contact } in colliders {
            if shape.signed_distance(centre, time) > radius {
                continue;
            }
            for (k, node) in nodes.iter_mut().enumerate() {
                let x = node_position(block, k, spacing);
                if node[MASS] <= T::zero() || shape.signed_distance(x, time) > 0.0 {
                    continue;
                }
                let solid = Vector(shape.velocity(x, time));
                let mut v = Vector::zero();
                for a in 0..D {
                    v[a] = node[a].to_f64();
                }
                let kept = contact.constrain(v - solid, Vector(shape.normal(x, time))) + solid;
                for a in 0..D {
                    node[a] = T::from_f64(kept[a]);
                }
            }
        }
    });
}
