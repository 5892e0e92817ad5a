//! Shapes: where objects are at the start, and where colliders are.
//!
//! [`Shape`] is what a scene file says; [`Scene::region`](crate::Scene) turns it into a [`Region`],
//! a signed distance with bounds. A shape that needs a file names it relative to the folder of the
//! scene file.

mod asset;
mod bitmap;
mod build;
mod combine;
mod extent;
mod level_set;
pub(crate) mod mesh;
mod moved;
mod pack;
mod primitive;
mod region;
mod sequence;
mod solid;
#[cfg(test)]
mod tests;
mod turn;
mod union_tree;
mod warning;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use asset::AssetError;
pub(crate) use asset::{Assets, read_bytes};
pub(crate) use bitmap::Picture;
pub use bitmap::{BitmapShape, Colors, Mask, Revolve, Threshold};
pub(crate) use combine::SharedRegion;
pub use level_set::LevelSetShape;
pub use mesh::MeshShape;
pub(crate) use mesh::parser as mesh_parser;
pub use moved::{MovedShape, Scale};
pub use pack::{Checksum, PackedAsset};
pub(crate) use region::{Bounds, Region};
pub use sequence::SequenceShape;
pub use turn::Turn;
pub use warning::Warning;

/// A region of space: a shape, or a combination of shapes. The same shapes serve objects and
/// colliders; objects must have an end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Shape {
    /// `{ plane = { point = […], normal = […] } }`: all that lies behind a plane. The same as
    /// `half_space`.
    Plane {
        /// A point of the plane \[m\].
        point: Vec<f64>,
        /// Towards the matter; any length above 0.
        normal: Vec<f64>,
    },
    /// `{ half_space = { point = […], normal = […] } }`: all that lies behind a plane. The same as
    /// `plane`.
    HalfSpace {
        /// A point of the plane \[m\].
        point: Vec<f64>,
        /// Out of the half-space; any length above 0.
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
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// `{ ellipsoid = { center = […], radii = […] } }`: an ellipse in 2D.
    Ellipsoid {
        /// Its centre \[m\].
        center: Vec<f64>,
        /// Its radius along every axis \[m\], above 0; the longest at most a million times the
        /// shortest.
        radii: Vec<f64>,
    },
    /// `{ capsule = { start = […], end = […], radius = … } }`: all points within a radius of a
    /// segment.
    Capsule {
        /// One end of the segment \[m\].
        start: Vec<f64>,
        /// The other end \[m\], elsewhere.
        end: Vec<f64>,
        /// Its radius \[m\], above 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// `{ cylinder = { start = […], end = […], radius = … } }`, with flat ends: a rectangle in 2D.
    Cylinder {
        /// Centre of one end \[m\].
        start: Vec<f64>,
        /// Centre of the other \[m\], elsewhere.
        end: Vec<f64>,
        /// Its radius \[m\], above 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// `{ cone = { base = […], tip = […], radius = … } }`, with a flat base: a triangle in 2D.
    Cone {
        /// Centre of the base \[m\].
        base: Vec<f64>,
        /// The tip \[m\], elsewhere.
        tip: Vec<f64>,
        /// Radius of the base \[m\], above 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// `{ torus = { center = […], axis = […], ring = …, tube = … } }`: two discs in 2D.
    Torus {
        /// Its centre \[m\].
        center: Vec<f64>,
        /// Direction of its axis; any length above 0.
        axis: Vec<f64>,
        /// Radius of the ring's middle \[m\], above 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        ring: f64,
        /// Radius of the tube \[m\], above 0, below that of the ring.
        #[schemars(extend("exclusiveMinimum" = 0))]
        tube: f64,
    },
    /// `{ level_set = { formula = "x^2 + y^2 - 0.25", min = […], max = […] } }`: what lies in a box
    /// where a formula is negative.
    LevelSet(LevelSetShape),
    /// `{ mesh = { file = "bunny.obj" } }`: the inside of a triangle mesh; only in 3D.
    Mesh(MeshShape),
    /// `{ mesh_sequence = { pattern = "cloth_%04d.obj", first = 1, count = 48, fps = 24 } }`: a
    /// mesh that moves and deforms; only in 3D.
    MeshSequence(SequenceShape),
    /// `{ bitmap = { file = "logo.png", center = […], width = 0.4, extrude = 0.1 } }`: the dark
    /// part of an image.
    Bitmap(BitmapShape),
    /// `{ moved = { shape = { … }, scale = 2, rotation = { axis = […], angle = 30 }, translation =
    /// […] } }`: a shape scaled, then turned, both about the origin, then moved.
    Moved(MovedShape),
    /// `{ complement = { box = { … } } }`: all that lies outside of a shape, for containers.
    Complement(Box<Self>),
    /// `{ union = [{ … }, { … }] }`: what lies in any of the shapes; at least one.
    Union(Vec<Self>),
    /// `{ intersection = [{ … }, { … }] }`: what lies in all of the shapes; at least one.
    Intersection(Vec<Self>),
    /// `{ difference = { from = { … }, taken = { … } } }`: what lies in the first shape and not in
    /// the second.
    Difference {
        /// Shape that is kept.
        from: Box<Self>,
        /// Shape that is taken away.
        taken: Box<Self>,
    },
}

impl Shape {
    /// Its key.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Plane { .. } => "plane",
            Self::HalfSpace { .. } => "half_space",
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Torus { .. } => "torus",
            Self::LevelSet(_) => "level_set",
            Self::Mesh(_) => "mesh",
            Self::MeshSequence(_) => "mesh_sequence",
            Self::Bitmap(_) => "bitmap",
            Self::Moved(_) => "moved",
            Self::Complement(_) => "complement",
            Self::Union(_) => "union",
            Self::Intersection(_) => "intersection",
            Self::Difference { .. } => "difference",
        }
    }

    /// True if it, or a part of it, changes with time.
    pub(crate) fn deforms(&self) -> bool {
        matches!(self, Self::MeshSequence(_)) || self.parts().into_iter().any(Self::deforms)
    }

    /// The shapes it is made of.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Moved(moved) => vec![&moved.shape],
            Self::Complement(shape) => vec![shape],
            Self::Union(shapes) | Self::Intersection(shapes) => shapes.iter().collect(),
            Self::Difference { from, taken } => vec![from, taken],
            _ => Vec::new(),
        }
    }
}
