//! Shapes that are scaled, turned and moved.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thixo::BuildError;
use thixo::collide::shape::{Placed, Placement};

use super::Shape;
use super::combine::SharedRegion;
use super::primitive::Primitive;
use super::region::Bounds;
use super::turn::Turn;
use crate::error::SceneError;
use crate::number::NumberOrList;
use crate::scene::Scene;

/// A shape scaled, then turned, both about the origin, then moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MovedShape {
    /// Shape that is moved. Required.
    pub shape: Box<Shape>,
    /// Factor on all lengths, or one per axis \[–\]; below zero it mirrors. With different factors
    /// the distance to the surface is underestimated, up to their ratio. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Rotation \[degrees\]. Default: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Turn>,
    /// Translation \[m\]. Default: zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub translation: Vec<f64>,
}

/// Factors on lengths \[–\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "NumberOrList")]
pub enum Scale {
    /// The same along every axis.
    Even(f64),
    /// One per axis.
    PerAxis(Vec<f64>),
}

impl From<NumberOrList> for Scale {
    fn from(value: NumberOrList) -> Self {
        match value {
            NumberOrList::Number(number) => Self::Even(number),
            NumberOrList::List(list) => Self::PerAxis(list),
        }
    }
}

impl JsonSchema for Scale {
    fn schema_name() -> Cow<'static, str> {
        "Scale".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Factors on lengths: one for all axes, or one per axis.",
            "oneOf": [
                { "type": "number" },
                { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 3 },
            ],
        })
    }
}

impl Scene {
    /// The placement of a shape.
    pub(crate) fn placement<const D: usize>(
        &self,
        key: &str,
        moved: &MovedShape,
    ) -> Result<Placement<D>, SceneError> {
        let scale = match &moved.scale {
            None => [1.0; D],
            Some(Scale::Even(factor)) => [*factor; D],
            Some(Scale::PerAxis(factors)) => self.vector(&format!("{key}.scale"), factors)?,
        };
        Ok(Placement {
            translation: self.vector_or_zero(&format!("{key}.translation"), &moved.translation)?,
            rotation: self.rotation(&format!("{key}.rotation"), moved.rotation.as_ref())?,
            scale,
        })
    }
}

/// A region at another place.
pub(crate) fn place<const D: usize>(
    part: SharedRegion<D>,
    placement: Placement<D>,
) -> Result<Primitive<D>, BuildError> {
    let stretch: f64 = placement.scale.into_iter().product();
    let bounds = part.bounds().and_then(|bounds| {
        let point = |x| {
            let x = placement.apply(x);
            Bounds { min: x, max: x }
        };
        // A loop: the compiler leaves out the last corner of a reduction at opt-level 2.
        let mut around = None;
        for corner in bounds.corners() {
            let corner = point(corner);
            around = Some(around.map_or(corner, |bounds: Bounds<D>| bounds.union(corner)));
        }
        around
    });
    let volume = part.volume().map(|volume| volume * stretch.abs());
    let placed = Placed::new(part, placement)?;
    Ok(Primitive {
        solid: Arc::new(placed),
        bounds,
        volume,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo::collide::shape::Cuboid;

    #[test]
    fn the_bounds_of_a_turned_box_have_all_its_corners() {
        let part = Primitive {
            solid: Arc::new(Cuboid::<2>::new([-3.0, -2.0], [3.0, 2.0]).unwrap()),
            bounds: Some(Bounds {
                min: [-3.0, -2.0],
                max: [3.0, 2.0],
            }),
            volume: None,
        };
        let (sin, cos) = 45.0f64.to_radians().sin_cos();
        let placement = Placement {
            translation: [0.0; 2],
            rotation: thixo_math::Matrix([[cos, -sin], [sin, cos]]),
            scale: [1.0; 2],
        };
        let bounds = place(Arc::new(part), placement).unwrap().bounds.unwrap();
        for a in 0..2 {
            assert!((bounds.max[a] - 5.0 * sin).abs() < 1e-12, "{bounds:?}");
            assert!((bounds.min[a] + 5.0 * sin).abs() < 1e-12, "{bounds:?}");
        }
    }
}
