//! What stops matter: `[[walls]]` and `[[colliders]]`.

use serde::{Deserialize, Serialize};

use crate::object::Rotation;
use crate::shape::Shape;

/// A flat wall without end, across an axis, on a line of grid nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// The axis it stands across. Required.
    pub axis: Axis,
    /// Its coordinate on that axis \[m\], a multiple of the grid spacing. Required.
    pub position: f64,
    /// On which side the matter is. Required.
    pub matter: Matter,
    /// How it holds matter. Required.
    pub contact: Contact,
    /// Velocity of its surface \[m/s\], zero along its own axis: a belt. Default: zero.
    #[serde(default)]
    pub velocity: Vec<f64>,
}

/// An obstacle that need not follow the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// Where it is at the start. Required.
    pub shape: Shape,
    /// How it holds matter. Required.
    pub contact: Contact,
    /// Velocity \[m/s\], of its pivot if it turns. Default: zero.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// How it turns \[rad/s\]: a number in 2D (counter-clockwise), three components in 3D. Default: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Rotation>,
    /// The point that it turns about \[m\], at the start; it moves with `velocity`. Required with `angular_velocity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<Vec<f64>>,
    /// Velocity of its surface \[m/s\], as of a conveyor belt, while the obstacle itself stays; it turns with the obstacle, and its
    /// part along the normal is left out. Default: zero.
    #[serde(default)]
    pub surface_velocity: Vec<f64>,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third; only in 3D.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A side of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// Matter is at larger coordinates: a floor.
    Above,
    /// Matter is at smaller coordinates: a ceiling.
    Below,
}

/// How an obstacle holds matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Contact {
    /// Matter moves with the obstacle.
    Sticky,
    /// Matter slides along the obstacle and never leaves it.
    Slip,
    /// `{ separating = { friction = 0.3 } }`: matter may leave; while it presses, Coulomb friction acts.
    Separating {
        /// Coefficient \[–\], zero or positive.
        friction: f64,
    },
}

impl From<Contact> for thixo::Contact {
    fn from(contact: Contact) -> Self {
        match contact {
            Contact::Sticky => Self::Sticky,
            Contact::Slip => Self::Slip,
            Contact::Separating { friction } => Self::Separating { friction },
        }
    }
}
