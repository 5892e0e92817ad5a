//! Obstacles given by a signed distance: nodes inside are constrained, equation (8). \[Jiang2016\] §12.1.

use core::fmt;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use thixo_math::Vector;
use thixo_par::Scalar;

use super::Contact;
use super::shape::Surface;
use crate::error::BuildError;
use crate::grid::{BLOCK, Grid, MASS, node_position};
use crate::integrate::stage::Stage;

/// A solid region of space.
pub trait LevelSet<const D: usize>: Send + Sync + fmt::Debug {
    /// Signed distance and normal of the surface as seen from a position \[m\] at a time \[s\].
    fn surface(&self, position: [f64; D], time: f64) -> Surface<D>;
    /// Velocity of the solid at a position \[m/s\].
    fn velocity(&self, _position: [f64; D], _time: f64) -> [f64; D] {
        [0.0; D]
    }
}

/// An obstacle: where it is and how it holds matter.
#[derive(Clone)]
pub struct Collider<const D: usize> {
    shape: Arc<dyn LevelSet<D>>,
    contact: Contact,
    friction: Option<FrictionField<D>>,
}

/// A coefficient of friction \[–\] as a function of position \[m\] and time \[s\].
type FrictionField<const D: usize> = Arc<dyn Fn([f64; D], f64) -> f64 + Send + Sync>;

impl<const D: usize> Collider<D> {
    /// A level set with a contact.
    pub fn new(shape: impl LevelSet<D> + 'static, contact: Contact) -> Result<Self, BuildError> {
        contact.check()?;
        Ok(Self {
            shape: Arc::new(shape),
            contact,
            friction: None,
        })
    }
    /// A level set that matter may leave, with a coefficient of friction \[–\] that varies with position \[m\] and time \[s\];
    /// where the function gives less than zero or no number, there is no friction.
    pub fn with_friction(
        shape: impl LevelSet<D> + 'static,
        friction: impl Fn([f64; D], f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            shape: Arc::new(shape),
            contact: Contact::Separating { friction: 0.0 },
            friction: Some(Arc::new(friction)),
        }
    }
    /// How the obstacle holds matter at a place and time.
    fn contact_at(&self, position: [f64; D], time: f64) -> Contact {
        match &self.friction {
            Some(friction) => Contact::Separating {
                // `max` drops NaN.
                friction: friction(position, time).max(0.0),
            },
            None => self.contact,
        }
    }
}

impl<const D: usize> fmt::Debug for Collider<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collider")
            .field("shape", &self.shape)
            .field("contact", &self.contact)
            .field("varied_friction", &self.friction.is_some())
            .finish()
    }
}

/// Constrains the velocities of all nodes that lie in an obstacle.
pub(crate) fn constrain<T: Scalar, const D: usize>(
    colliders: &[Collider<D>],
    grid: &mut Grid<T, D>,
    stage: &Stage<'_, T, D>,
) {
    if colliders.is_empty() {
        return;
    }
    let (spacing, time) = (stage.geometry.spacing(), stage.time + stage.dt);
    let half = 0.5 * (BLOCK - 1) as f64 * spacing;
    let radius = half * (D as f64).sqrt();
    grid.nodes.blocks_mut().for_each(|(b, nodes)| {
        let block = stage.order.blocks.coordinate(b);
        let centre = node_position(block, 0, spacing).map(|x| x + half);
        for collider in colliders {
            let shape = &collider.shape;
            if shape.surface(centre, time).distance > radius {
                continue;
            }
            for (k, node) in nodes.iter_mut().enumerate() {
                let x = node_position(block, k, spacing);
                if node[MASS] <= T::zero() {
                    continue;
                }
                let surface = shape.surface(x, time);
                if surface.distance > 0.0 {
                    continue;
                }
                let solid = Vector(shape.velocity(x, time));
                let mut v = Vector::zero();
                for a in 0..D {
                    v[a] = node[a].to_f64();
                }
                let contact = collider.contact_at(x, time);
                let kept = contact.constrain(v - solid, Vector(surface.normal)) + solid;
                for a in 0..D {
                    node[a] = T::from_f64(kept[a]);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Plane;

    #[test]
    fn friction_may_vary_with_place_and_is_never_negative() {
        let floor = Plane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let icy =
            Collider::with_friction(floor, |x, t| if x[0] < 0.0 { 0.5 * t } else { f64::NAN });
        assert_eq!(
            icy.contact_at([-1.0, 0.0], 2.0),
            Contact::Separating { friction: 1.0 }
        );
        assert_eq!(
            icy.contact_at([1.0, 0.0], 2.0),
            Contact::Separating { friction: 0.0 }
        );
        let negative = Collider::with_friction(floor, |_, _| -3.0);
        assert_eq!(
            negative.contact_at([1.0, 0.0], 2.0),
            Contact::Separating { friction: 0.0 }
        );
    }
}
