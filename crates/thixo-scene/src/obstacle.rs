//! Obstacles that stop matter: `[[walls]]` and `[[colliders]]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::Number;
use crate::object::AngularVelocity;
use crate::render::SolidLook;
use crate::shape::Shape;

/// A flat wall without end, across an axis, on a line of grid nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// The axis it stands across. Required.
    pub axis: Axis,
    /// Its coordinate on that axis \[m\], a multiple of the grid spacing. Required.
    pub position: f64,
    /// On which side the matter is. Required.
    pub matter: Matter,
    /// Contact with matter. Required.
    pub contact: Contact,
    /// Velocity of its surface \[m/s\], zero along its own axis: a belt. Default: zero.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Temperature of its surface \[K\], or in °C as `"20 °C"`: a number or a formula of x, y, z,
    /// t. It needs `[heat]`. Default: none, it insulates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Heat transfer coefficient between that temperature and matter \[W/(m² K)\], zero or
    /// positive. Default: perfect contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub heat_transfer: Option<f64>,
    /// Heat flux into matter that touches it \[W/m²\], a number or a formula of x, y, z, t.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat_flux: Option<Number>,
}

/// An obstacle that need not follow the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Collider {
    /// Shape at the start. Required.
    pub shape: Shape,
    /// Contact with matter. Required.
    pub contact: Contact,
    /// Contact with some materials, by their names, in place of `contact`: `{ sand = "sticky" }`.
    /// Default: all the same way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<String, Contact>,
    /// Target of the contact: the grid, or particles as well. Default: `"grid"`.
    #[serde(default)]
    pub acts_on: ActsOn,
    /// Least thickness of the solid \[m\], above 0, where its shape tells too little: no particle
    /// gets through one that is thinner than two cells, but needs more care there. Default: what is
    /// known of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Option<f64>,
    /// Velocity \[m/s\], of its pivot if it turns. Default: zero.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Angular velocity \[rad/s\]: a number in 2D (counter-clockwise), three components in 3D.
    /// Default: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<AngularVelocity>,
    /// The point that it turns about \[m\], at the start; it moves with `velocity`. Required with
    /// `angular_velocity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<Vec<f64>>,
    /// Velocity of its surface \[m/s\], as of a conveyor belt, while the obstacle itself stays; it
    /// turns with the obstacle, and its part along the normal is left out. Default: zero.
    #[serde(default)]
    pub surface_velocity: Vec<f64>,
    /// A motion given by formulas of the time, in place of `velocity` and `angular_velocity`.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Temperature of its surface \[K\], or in °C as `"20 °C"`: a number or a formula of x, y, z,
    /// t. It needs `[heat]`. Default: none, it insulates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Heat transfer coefficient between that temperature and matter \[W/(m² K)\], zero or
    /// positive. Default: perfect contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub heat_transfer: Option<f64>,
    /// Heat flux into matter that touches it \[W/m²\], a number or a formula of x, y, z, t.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat_flux: Option<Number>,
    /// Look of the solid. Default: grey, and where it encloses matter so that one sees that.
    #[serde(default, skip_serializing_if = "SolidLook::is_default")]
    pub look: SolidLook,
}

/// `motion = { translation = ["0.1 * sin(2 * pi * t)", 0], angle = "t", pivot = [0, 1] }`: where a
/// collider is at a time, from where it was drawn. Its velocity is the exact derivative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Motion {
    /// Displacement of the pivot \[m\], a number or a formula of t per axis. Default: zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub translation: Vec<Number>,
    /// Angle turned about the pivot \[rad\], a number or a formula of t; counter-clockwise in 2D.
    /// Default: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Number>,
    /// The axis that it turns about, of any length above 0. Required with `angle` in 3D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vec<f64>>,
    /// The point that it turns about \[m\], where it was drawn. Required with `angle`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<Vec<f64>>,
}

/// On what the contact with an obstacle acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActsOn {
    /// Velocities of nodes. Particles may sink in by a fraction of a cell.
    #[default]
    Grid,
    /// Nodes, and the velocities of particles that are themselves inside: a sharper surface. Such
    /// particles move otherwise than the grid from which their deformation follows. Snow and other
    /// solids show little of that; do not use it with fluids, mixtures, or whatever streams along
    /// the obstacle, because particles heap up at the surface, and volume and pressure there become
    /// wrong.
    GridAndParticles,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// Matter is at larger coordinates: a floor.
    Above,
    /// Matter is at smaller coordinates: a ceiling.
    Below,
}

/// Contact of an obstacle with matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Contact {
    /// Matter that is pressed on the obstacle moves with it; matter that separates may leave.
    Sticky,
    /// Matter moves with the obstacle, also under tension: the no-slip condition of fluids, and the
    /// grip of what holds a body. Objects may reach into a collider that is glued to them.
    Glued,
    /// Matter slides along the obstacle and never leaves it.
    Slip,
    /// `{ separating = { friction = 0.3 } }`: matter may leave; while it presses, Coulomb friction
    /// acts.
    Separating {
        /// Coefficient \[–\], zero or positive. Of colliders, but not of walls, it may be a formula
        /// of x, y, z, t; there, what is negative or not a number counts as zero.
        friction: Number,
    },
}
