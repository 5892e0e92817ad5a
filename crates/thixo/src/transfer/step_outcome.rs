//! The outcome of moving particles.

use thixo_par::Scalar;

use crate::collide::{ContactCorrection, ContactImpulses, GuardImpulse};
use crate::material::Limits;

/// Limits for the next time step, and whether the step can be accepted.
#[derive(Clone, Debug)]
pub struct StepOutcome<T> {
    /// Limits of the materials.
    pub limits: Limits<T>,
    /// Largest squared velocity at which a particle moved \[m²/s²\].
    pub speed_squared: T,
    /// True if all velocities were finite and no particle left the margin of its tile.
    pub contained: bool,
    /// Number of particles that contact corrections stopped at an obstacle.
    pub contact_corrections: u64,
    /// Largest depth behind the surface (8b) to which obstacles that close on each other have
    /// pressed a particle \[m\].
    pub crush_depth: f64,
    /// Impulses of obstacles on the particles that contact corrections stopped, in the order of the
    /// particles.
    pub(crate) guard_impulses: Vec<GuardImpulse>,
    /// Largest speed at which an obstacle approaches matter \[m/s\].
    pub closing_speed: f64,
}

impl<T: Scalar> StepOutcome<T> {
    /// The outcome without particles.
    pub fn none() -> Self {
        Self {
            limits: Limits::none(),
            speed_squared: T::zero(),
            contained: true,
            contact_corrections: 0,
            crush_depth: 0.0,
            guard_impulses: Vec::new(),
            closing_speed: 0.0,
        }
    }
    /// The outcome of a grid whose velocities are not finite.
    pub fn lost() -> Self {
        Self {
            contained: false,
            ..Self::none()
        }
    }
    /// The outcome after the contact corrections of some particles.
    pub(crate) fn corrected(mut self, corrected: ContactCorrection<T>) -> Self {
        self.speed_squared = self.speed_squared.max(corrected.speed_squared);
        self.contact_corrections += corrected.stopped_particles;
        self.crush_depth = self.crush_depth.max(corrected.crush_depth);
        self.guard_impulses.extend(corrected.impulses);
        self
    }
    /// Adds the impulses on particles that contact corrections stopped to those of the obstacles.
    pub(crate) fn add_guard_impulses<const D: usize>(&self, impulses: &mut ContactImpulses<D>) {
        for guard in &self.guard_impulses {
            guard.add_to(&mut impulses.colliders[guard.collider]);
        }
    }
    /// The outcome of two sets of particles together, those of `other` after those of `self`.
    pub fn merge(mut self, other: Self) -> Self {
        let Self {
            limits,
            speed_squared,
            contained,
            contact_corrections,
            crush_depth,
            guard_impulses,
            closing_speed,
        } = other;
        self.guard_impulses.extend(guard_impulses);
        Self {
            limits: self.limits.merge(limits),
            speed_squared: self.speed_squared.max(speed_squared),
            contained: self.contained && contained,
            contact_corrections: self.contact_corrections + contact_corrections,
            crush_depth: self.crush_depth.max(crush_depth),
            guard_impulses: self.guard_impulses,
            closing_speed: self.closing_speed.max(closing_speed),
        }
    }
}
