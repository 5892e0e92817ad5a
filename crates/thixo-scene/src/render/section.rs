//! Views into the matter: cuts, and slices through the grid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::obstacle::Axis;
use crate::scene::Scene;

/// `{ point = [0, 0.5, 0], normal = [0, 0, 1] }`: matter and colliders on the side that the normal
/// points to are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// A point on the plane of the cut \[m\]. Required.
    pub point: [f64; 3],
    /// Towards what is cut away, of any length above 0. Required.
    pub normal: [f64; 3],
}

/// `{ quantity = "speed", normal = "z", at = 0.5 }`: a quantity on the grid in a plane, in place of
/// the particles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// Quantity that is shown. Required.
    pub quantity: GridQuantity,
    /// The axis across which the plane stands; in 3D. Default: `"z"`.
    #[serde(default = "Slice::default_normal")]
    pub normal: Axis,
    /// Position of the plane on that axis \[m\]; in 3D. Default: in the middle of the matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

impl Slice {
    /// Across z, the axis that scenes in the plane lack.
    pub fn default_normal() -> Axis {
        Axis::Z
    }
}

/// A quantity of the nodes of the grid, from the particles by the scene's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GridQuantity {
    /// Mass of a node \[kg\].
    Mass,
    /// Length of its velocity \[m/s\].
    Speed,
    /// First component of its velocity \[m/s\].
    Vx,
    /// Second component \[m/s\].
    Vy,
    /// Third component \[m/s\].
    Vz,
    /// Mean pressure of the particles around it, weighted by their volumes \[Pa\]; frames hold it
    /// with `output.columns = ["pressure"]`.
    Pressure,
}

impl GridQuantity {
    /// All of them, with their words.
    pub const ALL: [(&'static str, Self); 6] = [
        ("mass", Self::Mass),
        ("speed", Self::Speed),
        ("vx", Self::Vx),
        ("vy", Self::Vy),
        ("vz", Self::Vz),
        ("pressure", Self::Pressure),
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        let own = Self::ALL.iter().find(|(_, quantity)| *quantity == self);
        own.map_or("mass", |(name, _)| name)
    }
}

impl Scene {
    /// Refuses planes that are none.
    pub(super) fn check_sections<const D: usize>(&self) -> Result<(), SceneError> {
        for (k, cut) in self.render.cuts.iter().enumerate() {
            let finite = |x: &[f64; 3]| x.iter().all(|x| x.is_finite());
            let length = thixo_math::Vector(cut.normal).norm();
            if !(finite(&cut.normal) && length > 0.0) {
                let key = format!("render.cuts[{k}].normal");
                let value = format!("{:?}", cut.normal);
                return Err(self.out_of_range(&key, value, "finite and longer than 0"));
            }
            if !finite(&cut.point) {
                let key = format!("render.cuts[{k}].point");
                return Err(self.out_of_range(&key, format!("{:?}", cut.point), "finite"));
            }
        }
        let Some(slice) = &self.render.slice else {
            return Ok(());
        };
        match slice.at {
            Some(at) if !at.is_finite() => {
                Err(self.number_out_of_range("render.slice.at", at, "finite"))
            }
            Some(at) if D == 2 => {
                let range = "left out in 2D, which has one plane only";
                Err(self.number_out_of_range("render.slice.at", at, range))
            }
            _ => Ok(()),
        }
    }
}
