//! Pictures of runs, drawn on the CPU.
//!
//! Particles are spheres of their volume in a depth buffer ([`splat`]), or where their material has one a smooth [`skin`] through the [`field`] of space they fill; obstacles are sphere-traced from their signed
//! distances ([`backdrop`]); light comes from a sun with a filtered shadow map ([`light`]) and from a sky that near things hide ([`occlusion`]). All light is linear until the picture
//! is written, every pixel has four samples, and the bits of a picture do not depend on the number of threads.
//!
//! [`surface`] makes watertight meshes of the particles, for other programs; [`plot`] draws the budgets of runs.
//!
//! [`Film`] goes from the directory of a run to pictures; [`Drawing`] draws whatever spheres it is given. [`reel::Reel`] makes files of pictures, a [`video`] and an animation
//! ([`apng`]) among them, while the next picture is being drawn.

pub mod apng;
pub mod backdrop;
pub mod camera;
pub mod color_bar;
pub mod color_map;
pub mod contact_sheet;
pub mod draw;
mod error;
pub mod extent;
pub mod field;
mod film;
mod flat;
pub mod font;
pub mod grid_slice;
pub mod light;
pub mod look;
pub mod occlusion;
mod picture;
pub mod plot;
pub mod reel;
pub mod relief;
pub mod scenery;
pub mod skin;
pub mod splat;
pub mod stage;
pub mod surface;
pub mod timeline;
mod unfinished;
mod vector;
pub mod video;
pub mod view;

pub use draw::{Drawing, Painted, Particles, Shape};
pub use error::RenderError;
pub use film::{Coloring, Film};
pub use picture::{Picture, from_srgb};
pub use vector::Vec3;
