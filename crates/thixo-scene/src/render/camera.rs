//! The camera: `render.camera`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::SceneError;
use crate::scene::Scene;

/// The camera of pictures: its position, target and field of view. What is left out is fitted to
/// the matter of the frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CameraChoice {
    /// The side from which one looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<NamedView>,
    /// Position of the camera \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec<f64>>,
    /// Point in the middle of the picture \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Vec<f64>>,
    /// Vertical angle of view \[degrees\], 1 to 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_of_view: Option<f64>,
    /// Height of what is seen \[m\], above 0; in 2D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Angular velocity of the camera about the upright through its target \[degrees/s\] of
    /// simulated time.
    pub orbit: f64,
}

/// The keys of a camera.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CameraTable {
    /// The side from which one looks; in 3D, and not with `position`. Default: `"three_quarter"`.
    #[serde(default)]
    view: Option<NamedView>,
    /// Position of the camera \[m\]; in 2D only its `target` counts. Default: far enough away to
    /// see everything.
    #[serde(default)]
    position: Option<Vec<f64>>,
    /// Point in the middle of the picture \[m\]. Default: the middle of the matter.
    #[serde(default)]
    target: Option<Vec<f64>>,
    /// Vertical angle of view \[degrees\], 1 to 120; in 3D. Default: 30.
    #[serde(default)]
    #[schemars(range(min = 1, max = 120))]
    field_of_view: Option<f64>,
    /// Height of what is seen \[m\], above 0; in 2D. Default: that of the matter and a margin.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    height: Option<f64>,
    /// Angular velocity of the camera about the upright through its target \[degrees/s\] of
    /// simulated time. Default: 0.
    #[serde(default)]
    orbit: f64,
}

/// A side from which a scene in space is seen. Front is where z grows towards the one who looks if
/// y points upwards, and where y grows away from them if z does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NamedView {
    /// Level, from the front.
    Front,
    /// Level, from behind.
    Back,
    /// Level, from the right.
    Side,
    /// Level, from the left.
    Left,
    /// From above.
    Top,
    /// A little from above and from the right of the front, or from wherever no obstacle is in the
    /// way.
    ThreeQuarter,
}

impl NamedView {
    /// All of them, with their words.
    pub const ALL: [(&'static str, Self); 6] = [
        ("front", Self::Front),
        ("back", Self::Back),
        ("side", Self::Side),
        ("left", Self::Left),
        ("top", Self::Top),
        ("three_quarter", Self::ThreeQuarter),
    ];
}

impl<'de> Deserialize<'de> for CameraChoice {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(CameraVisitor)
    }
}

impl JsonSchema for CameraChoice {
    fn schema_name() -> Cow<'static, str> {
        "CameraChoice".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let view = generator.subschema_for::<NamedView>();
        let table = generator.subschema_for::<CameraTable>();
        json_schema!({
            "description": "The camera: the name of a side to look from, or a table. Keys that are left out are fitted to the matter of the frames.",
            "oneOf": [view, table],
        })
    }
}

struct CameraVisitor;

impl<'de> Visitor<'de> for CameraVisitor {
    type Value = CameraChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a view or a table")
    }
    fn visit_str<E: de::Error>(self, name: &str) -> Result<CameraChoice, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        let view = NamedView::deserialize(name)?;
        Ok(CameraChoice {
            view: Some(view),
            ..CameraChoice::default()
        })
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CameraChoice, A::Error> {
        let table = CameraTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(CameraChoice {
            view: table.view,
            position: table.position,
            target: table.target,
            field_of_view: table.field_of_view,
            height: table.height,
            orbit: table.orbit,
        })
    }
}

impl Scene {
    /// Refuses cameras that see nothing.
    pub(super) fn check_camera<const D: usize>(&self) -> Result<(), SceneError> {
        let camera = &self.render.camera;
        if let Some(height) = camera.height
            && !(height > 0.0 && height.is_finite())
        {
            let range = "above 0 and finite";
            return Err(self.number_out_of_range("render.camera.height", height, range));
        }
        if let Some(angle) = camera.field_of_view
            && !(1.0..=120.0).contains(&angle)
        {
            let range = "1 to 120 degrees";
            return Err(self.number_out_of_range("render.camera.field_of_view", angle, range));
        }
        if !camera.orbit.is_finite() {
            return Err(self.number_out_of_range("render.camera.orbit", camera.orbit, "finite"));
        }
        for (key, place) in [("position", &camera.position), ("target", &camera.target)] {
            if let Some(place) = place {
                self.vector::<D>(&format!("render.camera.{key}"), place)?;
            }
        }
        if camera.position.is_some() && camera.position == camera.target {
            let value = format!("{:?}", camera.position.as_deref().unwrap_or_default());
            let range = "elsewhere than the target";
            return Err(self.out_of_range("render.camera.position", value, range));
        }
        if camera.view.is_some() && camera.position.is_some() {
            let range = "left out where there is a position";
            return Err(self.out_of_range("render.camera.view", "a view", range));
        }
        if camera.view.is_some() && D == 2 {
            let range = "left out in 2D, which is seen along its third axis";
            return Err(self.out_of_range("render.camera", "a view", range));
        }
        Ok(())
    }
}
