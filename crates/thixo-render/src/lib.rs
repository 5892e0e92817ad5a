//! Pictures of runs, drawn on the CPU.
//!
//! Particles are spheres of their volume in a depth buffer ([`splat`]), or, where their material
//! has one, a smooth [`isosurface`] of the [`volume_fraction`] of space they fill. Obstacles are
//! ray cast by [`sphere_tracing`] of their signed distances. Light comes from a sun with a filtered
//! [`shadow_map`] and from a sky that near things hide ([`ambient_occlusion`]). Numbers become
//! colours by a [`color_map`], hot matter gives off the light of its [`incandescence`]. All light
//! is linear until the picture is written, every pixel has four samples, and the bits of a picture
//! do not depend on the number of threads.
//!
//! [`surface`] reconstructs watertight meshes from the particles, for other programs; [`plot`]
//! draws the budgets of runs; [`export`] makes one file of a run.
//!
//! [`RunRenderer`] goes from the directory of a run to pictures; [`Drawing`] draws whatever spheres
//! it is given. [`picture_writer::PictureWriter`] makes files of pictures, a [`video`] and an
//! animation ([`apng`]) among them, while the next picture is being drawn.

pub mod ambient_occlusion;
pub mod apng;
pub mod camera;
pub mod color_bar;
pub mod color_map;
pub mod contact_sheet;
pub mod depth_normals;
pub mod draw;
mod error;
pub mod export;
pub mod extent;
mod flat;
mod frame_columns;
pub mod grid_slice;
pub mod incandescence;
pub mod isosurface;
pub mod look;
mod picture;
pub mod picture_writer;
pub mod plot;
mod run_renderer;
pub mod shadow_map;
pub mod sphere_tracing;
pub mod splat;
pub mod surface;
mod surface_smoothing;
pub mod surroundings;
pub mod text;
pub mod timeline;
mod vector;
pub mod video;
pub mod view;
pub mod visibility_buffer;
pub mod volume_fraction;

pub use draw::{Drawing, PaintedSlice, Particles, Shape, Sheen};
pub use error::RenderError;
pub use picture::{Picture, from_srgb};
pub use run_renderer::{Coloring, RunRenderer};
pub use vector::Vec3;
