//! Bodies of matter: `[[objects]]`.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::initial_state::InitialState;
use crate::number::{Number, NumberOrList};
use crate::particle_file::{ParticleFile, ParticleVolume};
use crate::render::MatterLook;
use crate::sampling::{Color, ColorShare, Palette, Sampling};
use crate::shape::Shape;

/// A body of one material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Object {
    /// Name in `run.json`. Default: its material and its number, `"jelly-0"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of its material. Required.
    pub material: String,
    /// Shape at the start. Either it or `particles` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// Particles of a file, in place of a shape: `{ file = "points.ply" }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub particles: Option<ParticleFile>,
    /// Velocity at the start \[m/s\], a number or a formula of x, y, z and lx, ly, lz per axis.
    /// Default: zero.
    #[serde(default)]
    pub velocity: Vec<Number>,
    /// Angular velocity about the middle of the shape at the start \[rad/s\]: a number in 2D
    /// (counter-clockwise), three components in 3D. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<AngularVelocity>,
    /// Sampling of the shape with particles. Default: a lattice of 2 per cell and axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// Volume of its particles: `"sampling"`, that of the shape over their number, or the column of
    /// a file; `"grid"`, mass over the density on the grid; or a number for all of a file \[m³\].
    /// Default: `"sampling"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<ParticleVolume>,
    /// Temperature \[K\], or in °C as `"20 °C"`: a number or a formula of x, y, z. It needs
    /// `[heat]`. Default: `heat.temperature`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Share of its shape that its matter fills \[–\], above 0, at most 1: water in the pores of
    /// sand of porosity 0.4 fills 0.4. Not with `particles`. Default: 1.
    #[serde(default = "Object::whole", skip_serializing_if = "Object::is_whole")]
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub share: f64,
    /// Strain, stress and history at the start. Default: at rest, without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<InitialState>,
    /// Colour of all its particles. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Colours that its particles have by chance, in place of `color`; chance depends on the seed
    /// of the sampling. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colors: Vec<ColorShare>,
    /// Look of its matter. Default: as its material looks, with shadows.
    #[serde(default, skip_serializing_if = "MatterLook::is_default")]
    pub look: MatterLook,
}

impl Object {
    fn whole() -> f64 {
        1.0
    }
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_whole(share: &f64) -> bool {
        *share == 1.0
    }
    pub(crate) fn name_or_default(&self, index: usize) -> String {
        let default = || format!("{}-{index}", self.material);
        self.name.clone().unwrap_or_else(default)
    }
}

/// An angular velocity \[rad/s\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "NumberOrList")]
pub enum AngularVelocity {
    /// In the plane, counter-clockwise.
    Plane(f64),
    /// About an axis in space.
    Space(Vec<f64>),
}

impl From<NumberOrList> for AngularVelocity {
    fn from(value: NumberOrList) -> Self {
        match value {
            NumberOrList::Number(number) => Self::Plane(number),
            NumberOrList::List(list) => Self::Space(list),
        }
    }
}

impl JsonSchema for AngularVelocity {
    fn schema_name() -> Cow<'static, str> {
        "AngularVelocity".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An angular velocity [rad/s]: a number in 2D, counter-clockwise, or three components in 3D.",
            "oneOf": [
                { "type": "number" },
                { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 },
            ],
        })
    }
}

/// Owners and colours of particles. Emitters are objects too: they follow those of `[[objects]]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Objects {
    /// Identifiers without gaps, with the object they belong to.
    spans: Vec<(Range<u32>, usize)>,
    palettes: Vec<Option<Palette>>,
}

impl Objects {
    /// Objects without particles yet.
    pub(crate) fn new(palettes: Vec<Option<Palette>>) -> Self {
        Self {
            spans: Vec::new(),
            palettes,
        }
    }
    /// Gives the next `count` identifiers to an object.
    pub(crate) fn give(&mut self, object: usize, count: u32) {
        let start = self.next_id();
        match self.spans.last_mut() {
            _ if count == 0 => {}
            Some((ids, owner)) if *owner == object => ids.end += count,
            _ => self.spans.push((start..start + count, object)),
        }
    }
    /// The first identifier that belongs to nobody.
    pub(crate) fn next_id(&self) -> u32 {
        self.spans.last().map_or(0, |(ids, _)| ids.end)
    }
    /// Identifiers in ascending order, each span with the index of the object it belongs to.
    /// Identifiers of removed particles are never used again.
    pub fn spans(&self) -> &[(Range<u32>, usize)] {
        &self.spans
    }
    /// Index of the object that a particle was made for.
    pub fn of_particle(&self, id: u32) -> Option<usize> {
        let index = self.spans.partition_point(|(ids, _)| ids.end <= id);
        let (ids, object) = self.spans.get(index)?;
        ids.contains(&id).then_some(*object)
    }
    /// True if any object has a colour.
    pub fn have_colors(&self) -> bool {
        self.palettes.iter().any(Option::is_some)
    }
    /// Colour of a particle in sRGB, if its object has one: it depends on the scene and the
    /// identifier alone.
    pub fn color_of_particle(&self, id: u32) -> Option<[u8; 3]> {
        self.palettes
            .get(self.of_particle(id)?)?
            .as_ref()?
            .color(id)
    }
}
