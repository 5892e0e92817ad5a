//! Contact conditions between matter and obstacles, equation (8). \[Jiang2016\] §12.1.

use core::cmp::Ordering;

use thixo_math::Vector;

use crate::error::BuildError;

/// Contact condition of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contact {
    /// Matter that is pressed on the obstacle moves with it; matter that separates may leave.
    /// \[Nilles2020\] §4, step 5.
    Sticky,
    /// Matter moves with the obstacle, also under tension: what is glued cannot leave. The no-slip
    /// condition of fluids.
    Glued,
    /// Matter slides along the obstacle and never leaves it.
    Slip,
    /// Matter may separate; under compression Coulomb friction acts.
    Separating {
        /// Coefficient of friction μ ≥ 0 \[–\].
        friction: f64,
    },
}

impl Contact {
    /// Refuses a negative or non-finite coefficient of friction.
    pub fn check(self) -> Result<(), BuildError> {
        match self {
            Self::Separating { friction } if !(friction >= 0.0 && friction.is_finite()) => {
                Err(BuildError::OutOfRange {
                    key: "friction",
                    quantity: "friction",
                    value: friction,
                    range: "zero or positive, and finite",
                })
            }
            _ => Ok(()),
        }
    }
    /// An order of contacts.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        let rank = |contact| match contact {
            Self::Sticky => (0, 0.0),
            Self::Glued => (1, 0.0),
            Self::Slip => (2, 0.0),
            Self::Separating { friction } => (3, friction),
        };
        let ((a, mu), (b, nu)) = (rank(self), rank(other));
        a.cmp(&b).then(mu.total_cmp(&nu))
    }
    /// True if matter may separate.
    pub fn is_unilateral(self) -> bool {
        matches!(self, Self::Sticky | Self::Separating { .. })
    }
    /// True if closed contact holds all components of the velocity, whatever the normal impulse.
    pub fn holds_tangentially(self) -> bool {
        matches!(self, Self::Sticky | Self::Glued)
    }
    /// The coefficient of friction of contact that slides \[–\]; none where friction is no matter.
    pub fn friction(self) -> Option<f64> {
        match self {
            Self::Separating { friction } => Some(friction),
            _ => None,
        }
    }
    /// The velocity relative to the obstacle after contact \[m/s\], from that before it and the
    /// outward unit normal.
    pub(crate) fn constrain<const D: usize>(
        self,
        relative: Vector<f64, D>,
        normal: Vector<f64, D>,
    ) -> Vector<f64, D> {
        let inward = relative.dot(normal);
        let tangential = relative - normal * inward;
        match self {
            Self::Glued => Vector::zero(),
            Self::Slip => tangential,
            Self::Sticky | Self::Separating { .. } if inward >= 0.0 => relative,
            Self::Sticky => Vector::zero(),
            Self::Separating { friction } => {
                let speed = tangential.norm();
                let lost = -friction * inward;
                if speed <= lost {
                    Vector::zero()
                } else {
                    tangential * (1.0 - lost / speed)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Vector<f64, 2> = Vector([0.0, 1.0]);

    #[test]
    fn separating_contact_lets_go_but_does_not_let_in() {
        let contact = Contact::Separating { friction: 0.0 };
        assert_eq!(
            contact.constrain(Vector([1.0, 2.0]), UP),
            Vector([1.0, 2.0])
        );
        assert_eq!(
            contact.constrain(Vector([1.0, -2.0]), UP),
            Vector([1.0, 0.0])
        );
    }

    #[test]
    fn friction_takes_mu_times_the_normal_velocity_and_no_more_than_there_is() {
        let contact = Contact::Separating { friction: 0.5 };
        assert_eq!(
            contact.constrain(Vector([4.0, -2.0]), UP),
            Vector([3.0, 0.0])
        );
        assert_eq!(
            contact.constrain(Vector([-0.5, -2.0]), UP),
            Vector([0.0, 0.0])
        );
    }

    #[test]
    fn slip_and_glued_never_leave_and_sticky_only_outwards() {
        assert_eq!(
            Contact::Slip.constrain(Vector([4.0, 2.0]), UP),
            Vector([4.0, 0.0])
        );
        for velocity in [Vector([4.0, 2.0]), Vector([4.0, -2.0])] {
            assert_eq!(Contact::Glued.constrain(velocity, UP), Vector::zero());
        }
        let leaving = Vector([4.0, 2.0]);
        assert_eq!(Contact::Sticky.constrain(leaving, UP), leaving);
        assert_eq!(
            Contact::Sticky.constrain(Vector([4.0, -2.0]), UP),
            Vector::zero()
        );
    }

    #[test]
    fn negative_friction_is_refused() {
        assert!(Contact::Separating { friction: -0.1 }.check().is_err());
        assert!(Contact::Separating { friction: f64::NAN }.check().is_err());
    }
}
