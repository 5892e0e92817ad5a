//! Pressures and tractions on the surfaces of objects: `[[loads]]`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thixo::force::sample_surface;
use thixo::{BuildError, LoadedSurface};

use crate::checked::CheckedScene;
use crate::error::SceneError;
use crate::fill::MatterSource;
use crate::number::Number;
use crate::points;
use crate::read::unknown_choice;
use crate::scene::Scene;
use crate::shape::{Bounds, Shape, SharedRegion};

/// Elements of a surface per cell and axis.
const PER_AXIS: f64 = 2.0;
/// A surface that lies on the edge of the region belongs to it, in cells.
const ROUNDING: f64 = 1e-6;

/// A load on a part of an object's surface. It stays on that matter wherever it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Load {
    /// Name of the load. Default: its number, `"load-0"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The object whose surface it acts on: its name, or its number from 0. Required.
    pub object: ObjectChoice,
    /// Part of the surface: that which lies in this shape at the start. Default: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Shape>,
    /// Pressure against the surface, wherever that turns \[Pa\], a number or a formula of x, y, z,
    /// t; negative pulls. Either this or `traction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Number>,
    /// Force per area \[Pa\] in a direction of its own, a number or a formula of x, y, z, t per
    /// axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traction: Option<Vec<Number>>,
}

impl Load {
    pub(crate) fn name_or_default(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("load-{index}"))
    }
}

/// An object by its name or by its number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ObjectChoice {
    /// Its number, from 0.
    Index(u32),
    /// Its name.
    Name(String),
}

impl<'de> Deserialize<'de> for ObjectChoice {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

impl JsonSchema for ObjectChoice {
    fn schema_name() -> Cow<'static, str> {
        "ObjectChoice".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An object by its name, or by its number from 0.",
            "oneOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }],
        })
    }
}

struct ChoiceVisitor;

impl Visitor<'_> for ChoiceVisitor {
    type Value = ObjectChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name or the number of an object")
    }
    fn visit_str<E: de::Error>(self, name: &str) -> Result<ObjectChoice, E> {
        Ok(ObjectChoice::Name(name.to_owned()))
    }
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<ObjectChoice, E> {
        let index = u32::try_from(number);
        let wrong = |_| E::invalid_value(de::Unexpected::Signed(number), &self);
        index.map(ObjectChoice::Index).map_err(wrong)
    }
}

/// A load with its object, before its surface is looked for.
#[derive(Debug)]
pub(crate) struct CheckedLoad<const D: usize> {
    /// Index of the object.
    object: usize,
    engine: thixo::Load<D>,
    /// The part of the surface; none for all of it.
    region: Option<SharedRegion<D>>,
}

impl Scene {
    /// Checks what can be checked without looking for surfaces.
    pub(crate) fn checked_loads<const D: usize>(&self) -> Result<Vec<CheckedLoad<D>>, SceneError> {
        let mut loads = Vec::new();
        for (index, load) in self.loads.iter().enumerate() {
            let key = format!("loads[{index}]");
            loads.push(CheckedLoad {
                object: self.loaded_object(&key, load)?,
                engine: self.engine_load(&key, load)?,
                region: match &load.region {
                    Some(shape) => Some(self.region(&format!("{key}.region"), shape)?),
                    None => None,
                },
            });
        }
        Ok(loads)
    }

    /// Index of the object that a load acts on.
    fn loaded_object(&self, key: &str, load: &Load) -> Result<usize, SceneError> {
        let key = format!("{key}.object");
        let count = self.objects.len();
        match &load.object {
            ObjectChoice::Index(index) if (*index as usize) < count => Ok(*index as usize),
            ObjectChoice::Index(index) => {
                let range = format!("below {count}, the number of objects");
                Err(self.out_of_range(&key, index, range))
            }
            ObjectChoice::Name(name) => {
                let mut known = self.object_names();
                known.truncate(count);
                if let Some(index) = known.iter().position(|other| other == name) {
                    return Ok(index);
                }
                let problem = unknown_choice(&key, name, known);
                Err(self.source.error_at_key(&key, problem))
            }
        }
    }

    fn engine_load<const D: usize>(
        &self,
        key: &str,
        load: &Load,
    ) -> Result<thixo::Load<D>, SceneError> {
        let variables = points::place_and_time::<D>();
        match (&load.pressure, &load.traction) {
            (Some(pressure), None) => {
                let pressure = self.expression(&format!("{key}.pressure"), pressure, &variables)?;
                Ok(thixo::Load::pressure(move |x, t| {
                    pressure.evaluate(&points::at(x, t))
                }))
            }
            (None, Some(traction)) => {
                let key = format!("{key}.traction");
                let traction = self.vector_expression::<D>(&key, traction, &variables)?;
                Ok(thixo::Load::traction(points::field(traction)))
            }
            (None, None) => Err(self.missing(key, "pressure")),
            (Some(_), Some(traction)) => {
                let range = "absent: a load with pressure has no traction";
                let written: Vec<String> = traction.iter().map(Number::to_string).collect();
                let value = format!("[{}]", written.join(", "));
                Err(self.out_of_range(&format!("{key}.traction"), value, range))
            }
        }
    }
}

impl<const D: usize> CheckedScene<'_, D> {
    /// The surfaces under load.
    pub fn loaded_surfaces(&self) -> Result<Vec<LoadedSurface<D>>, SceneError> {
        let loads = self.loads.iter().enumerate();
        loads
            .map(|(index, load)| self.loaded_surface(index, load))
            .collect()
    }

    fn loaded_surface(
        &self,
        index: usize,
        load: &CheckedLoad<D>,
    ) -> Result<LoadedSurface<D>, SceneError> {
        let at = match load.region {
            Some(_) => format!("loads[{index}].region"),
            None => format!("loads[{index}].object"),
        };
        let refused = |error: BuildError| self.scene.refused(&at, error);
        let name = self.scene.loads[index].name_or_default(index);
        let MatterSource::Shape(plan) = &self.objects[load.object].matter else {
            let range = "an object with a shape: particles of a file have no surface";
            let key = format!("loads[{index}].object");
            return Err(self.scene.out_of_range(&key, load.object, range));
        };
        let cell = self.setup.engine.spacing;
        let spacing = cell / PER_AXIS;
        let mut bounds = plan.bounds;
        let part = load.region.as_ref();
        if let Some(Bounds { min, max }) = part.and_then(|part| part.bounds()) {
            // The lattice stays where it is, so that the areas do not depend on the region.
            for a in 0..D {
                let first = ((min[a] - bounds.min[a]) / spacing).floor() - 2.0;
                bounds.max[a] = bounds.max[a].min(max[a] + 2.0 * spacing);
                bounds.min[a] += first.max(0.0) * spacing;
                if bounds.min[a] > bounds.max[a] {
                    return Err(refused(BuildError::NoSurface { name }));
                }
            }
        }
        let edge = ROUNDING * cell;
        let chosen = |x: [f64; D]| {
            let distance = part.map(|part| part.surface(x, 0.0).distance);
            distance.is_none_or(|distance| distance < edge)
        };
        let region = plan.region.as_ref();
        let elements = sample_surface(region, bounds.min, bounds.max, spacing, chosen);
        let elements = elements.map_err(refused)?;
        LoadedSurface::new(name, elements, load.engine.clone()).map_err(refused)
    }
}
