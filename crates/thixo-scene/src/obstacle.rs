//! What stops matter: `[[walls]]` and `[[colliders]]`.

use serde::{Deserialize, Serialize};

use crate::object::Rotation;

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
    pub shape: ColliderShape,
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

/// The region of an obstacle: a shape, or a combination of shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ColliderShape {
    /// `{ plane = { point = […], normal = […] } }`: all that lies behind a plane.
    Plane {
        /// A point of the plane \[m\].
        point: Vec<f64>,
        /// Towards the matter; any length above 0.
        normal: Vec<f64>,
    },
    /// `{ box = { min = […], max = […] } }`: a rectangle in 2D.
    Box {
        /// Smallest coordinates \[m\].
        min: Vec<f64>,
        /// Largest coordinates \[m\], each above the smallest.
        max: Vec<f64>,
    },
    /// `{ sphere = { center = […], radius = … } }`: a disc in 2D.
    Sphere {
        /// Its centre \[m\].
        center: Vec<f64>,
        /// Its radius \[m\], above 0.
        radius: f64,
    },
    /// `{ capsule = { start = […], end = […], radius = … } }`: all points within a radius of a segment.
    Capsule {
        /// One end of the segment \[m\].
        start: Vec<f64>,
        /// The other end \[m\], elsewhere.
        end: Vec<f64>,
        /// Its radius \[m\], above 0.
        radius: f64,
    },
    /// `{ cylinder = { start = […], end = […], radius = … } }`, with flat ends: a rectangle in 2D.
    Cylinder {
        /// Centre of one end \[m\].
        start: Vec<f64>,
        /// Centre of the other \[m\], elsewhere.
        end: Vec<f64>,
        /// Its radius \[m\], above 0.
        radius: f64,
    },
    /// `{ cone = { base = […], tip = […], radius = … } }`, with a flat base: a triangle in 2D.
    Cone {
        /// Centre of the base \[m\].
        base: Vec<f64>,
        /// The tip \[m\], elsewhere.
        tip: Vec<f64>,
        /// Radius of the base \[m\], above 0.
        radius: f64,
    },
    /// `{ torus = { center = […], axis = […], ring = …, tube = … } }`: two discs in 2D.
    Torus {
        /// Its centre \[m\].
        center: Vec<f64>,
        /// Direction of its axis; any length above 0.
        axis: Vec<f64>,
        /// Radius of the ring's middle \[m\], above 0.
        ring: f64,
        /// Radius of the tube \[m\], above 0, below that of the ring.
        tube: f64,
    },
    /// `{ complement = { box = { … } } }`: all that lies outside of a shape, for containers.
    Complement(Box<Self>),
    /// `{ union = [{ … }, { … }] }`: what lies in any of the shapes; at least one.
    Union(Vec<Self>),
    /// `{ intersection = [{ … }, { … }] }`: what lies in all of the shapes; at least one.
    Intersection(Vec<Self>),
    /// `{ difference = { from = { … }, taken = { … } } }`: what lies in the first shape and not in the second.
    Difference {
        /// What is kept.
        from: Box<Self>,
        /// What is taken away.
        taken: Box<Self>,
    },
}

impl ColliderShape {
    /// Its key.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Plane { .. } => "plane",
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Torus { .. } => "torus",
            Self::Complement(_) => "complement",
            Self::Union(_) => "union",
            Self::Intersection(_) => "intersection",
            Self::Difference { .. } => "difference",
        }
    }
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
