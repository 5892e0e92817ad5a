//! Rotations of shapes.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use thixo_math::{Matrix, Vector};

use crate::error::SceneError;
use crate::scene::Scene;

/// A rotation \[degrees\].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Turn {
    /// `30`: in the plane, counter-clockwise; only in 2D.
    Plane(f64),
    /// `{ axis = […], angle = 30 }`: about an axis by the right-hand rule; only in 3D.
    AxisAngle {
        /// Direction of the axis; any length above 0.
        axis: Vec<f64>,
        /// The angle \[degrees\].
        angle: f64,
    },
    /// `{ euler = [x, y, z] }`: about the fixed x axis, then y, then z; only in 3D.
    Euler {
        /// The three angles \[degrees\].
        euler: Vec<f64>,
    },
}

/// The keys of both kinds of rotation in space.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RotationTable {
    axis: Option<Vec<f64>>,
    angle: Option<f64>,
    euler: Option<Vec<f64>>,
}

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(TurnVisitor)
    }
}

impl JsonSchema for Turn {
    fn schema_name() -> Cow<'static, str> {
        "Turn".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let angles = json_schema!({
            "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3,
        });
        json_schema!({
            "description": "A rotation [degrees]: a number in 2D, counter-clockwise; { axis, angle } or { euler } in 3D.",
            "oneOf": [
                { "type": "number" },
                {
                    "type": "object",
                    "properties": { "axis": angles, "angle": { "type": "number" } },
                    "required": ["axis", "angle"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": { "euler": angles },
                    "required": ["euler"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

struct TurnVisitor;

impl<'de> Visitor<'de> for TurnVisitor {
    type Value = Turn;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number in 2D, { axis = […], angle = … } or { euler = […] } in 3D")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Turn, E> {
        Ok(Turn::Plane(value))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Turn, E> {
        Ok(Turn::Plane(value as f64))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Turn, A::Error> {
        let table = RotationTable::deserialize(MapAccessDeserializer::new(map))?;
        match (table.axis, table.angle, table.euler) {
            (Some(axis), Some(angle), None) => Ok(Turn::AxisAngle { axis, angle }),
            (None, None, Some(euler)) => Ok(Turn::Euler { euler }),
            (Some(_), None, None) => Err(de::Error::missing_field("angle")),
            (None, Some(_), None) => Err(de::Error::missing_field("axis")),
            _ => Err(de::Error::custom(
                "a rotation has either axis and angle, or euler",
            )),
        }
    }
}

impl Scene {
    /// The matrix of a rotation.
    pub(crate) fn rotation<const D: usize>(
        &self,
        key: &str,
        turn: Option<&Turn>,
    ) -> Result<Matrix<f64, D>, SceneError> {
        let Some(turn) = turn else {
            return Ok(Matrix::identity());
        };
        let finite = |key: &str, degrees: f64| match degrees.is_finite() {
            true => Ok(degrees.to_radians()),
            false => Err(self.number_out_of_range(key, degrees, "finite")),
        };
        match (turn, D) {
            (Turn::Plane(angle), 2) => Ok(about([0.0, 0.0, 1.0], finite(key, *angle)?)),
            (Turn::Plane(angle), _) => {
                let range = "{ axis = […], angle = … } or { euler = […] } in dimension 3";
                Err(self.number_out_of_range(key, *angle, range))
            }
            (Turn::AxisAngle { axis, angle }, 3) => {
                let axis_key = format!("{key}.axis");
                let given: [f64; 3] = self.vector(&axis_key, axis)?;
                let largest = given.iter().fold(0.0, |m: f64, n| m.max(n.abs()));
                if largest == 0.0 {
                    let range = "a direction: of a length above 0";
                    return Err(self.out_of_range(&axis_key, format!("{axis:?}"), range));
                }
                // Scaled first, so that squares neither vanish nor overflow.
                let scaled = Vector(given.map(|n| n / largest));
                let unit = scaled * (1.0 / scaled.norm());
                Ok(about(unit.0, finite(&format!("{key}.angle"), *angle)?))
            }
            (Turn::Euler { euler }, 3) => {
                let [x, y, z] = self.vector::<3>(&format!("{key}.euler"), euler)?;
                let x = about::<D>([1.0, 0.0, 0.0], x.to_radians());
                let y = about([0.0, 1.0, 0.0], y.to_radians());
                let z = about([0.0, 0.0, 1.0], z.to_radians());
                Ok(z * (y * x))
            }
            (Turn::AxisAngle { .. } | Turn::Euler { .. }, _) => {
                let range = "one number in dimension 2, the angle in degrees";
                Err(self.out_of_range(key, "a rotation in space", range))
            }
        }
    }
}

/// The rotation about a unit vector by an angle \[rad\]: Rodrigues' formula. In 2D only the third
/// component counts.
fn about<const D: usize>(axis: [f64; 3], angle: f64) -> Matrix<f64, D> {
    let (sine, cosine) = angle.sin_cos();
    let mut cross = Matrix::<f64, D>::zero();
    for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
        if i < D && j < D {
            cross[j][i] = axis[k];
            cross[i][j] = -axis[k];
        }
    }
    Matrix::identity() + cross * sine + cross * cross * (1.0 - cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_take_axes_to_axes() {
        let near = |a: Vector<f64, 3>, b: [f64; 3]| (a - Vector(b)).norm() < 1e-15;
        let quarter = std::f64::consts::FRAC_PI_2;
        let about_z = about::<3>([0.0, 0.0, 1.0], quarter);
        assert!(near(about_z * Vector([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]));
        let about_x = about::<3>([1.0, 0.0, 0.0], quarter);
        assert!(near(about_x * Vector([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]));
        let about_y = about::<3>([0.0, 1.0, 0.0], quarter);
        assert!(near(about_y * Vector([0.0, 0.0, 1.0]), [1.0, 0.0, 0.0]));
        let flat = about::<2>([0.0, 0.0, 1.0], quarter) * Vector([1.0, 0.0]);
        assert!((flat - Vector([0.0, 1.0])).norm() < 1e-15);
    }
}
