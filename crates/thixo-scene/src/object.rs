//! Bodies of matter: `[[objects]]`.

use std::fmt;
use std::ops::Range;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::shape::Shape;

/// A body of one material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// What it is called in `run.json`. Default: its material and its number, `"jelly-0"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of its material. Required.
    pub material: String,
    /// Where it is at the start. Required.
    pub shape: Shape,
    /// Velocity at the start \[m/s\], a component per axis. Default: zero.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Rotation about the middle of the shape at the start \[rad/s\]: a number in 2D (counter-clockwise), three components in 3D.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Rotation>,
    /// How it is filled with particles. Default: a lattice of 2 per cell and axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
}

impl Object {
    pub(crate) fn name_or_default(&self, index: usize) -> String {
        let default = || format!("{}-{index}", self.material);
        self.name.clone().unwrap_or_else(default)
    }
}

/// How a shape is filled with particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sampling {
    /// `{ grid = { per_cell = 8 } }`: a lattice aligned with the cells of the grid. Particles share the shape's volume equally, so that the
    /// object's mass is density times volume.
    Grid {
        /// Particles per cell: n² in 2D, n³ in 3D, n from 1 to 16.
        per_cell: u32,
    },
}

impl Sampling {
    /// 2 particles per cell and axis.
    pub(crate) fn default_in(dimension: u32) -> Self {
        Self::Grid {
            per_cell: 1 << dimension.min(3),
        }
    }
}

/// An angular velocity \[rad/s\].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Rotation {
    /// In the plane, counter-clockwise.
    Plane(f64),
    /// About an axis in space.
    Space(Vec<f64>),
}

impl<'de> Deserialize<'de> for Rotation {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        deserializer.deserialize_any(RotationVisitor)
    }
}

struct RotationVisitor;

impl<'de> Visitor<'de> for RotationVisitor {
    type Value = Rotation;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Rotation, E> {
        Ok(Rotation::Plane(value))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Rotation, E> {
        Ok(Rotation::Plane(value as f64))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rotation, A::Error> {
        let mut components = Vec::new();
        while let Some(component) = list.next_element()? {
            components.push(component);
        }
        Ok(Rotation::Space(components))
    }
}

/// Which particles belong to which object.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Objects {
    ranges: Vec<Range<u32>>,
}

impl Objects {
    pub(crate) fn new(ranges: Vec<Range<u32>>) -> Self {
        Self { ranges }
    }
    /// Identifiers of the particles of every object, by index.
    pub fn ranges(&self) -> &[Range<u32>] {
        &self.ranges
    }
    /// Index of the object that a particle was made for.
    pub fn of_particle(&self, id: u32) -> Option<usize> {
        let index = self.ranges.partition_point(|range| range.end <= id);
        self.ranges.get(index)?.contains(&id).then_some(index)
    }
}
