//! Pictures of runs, drawn on the CPU.
//!
//! Particles are spheres of their volume in a depth buffer ([`splat`]), smoothed to a skin where their material has one; obstacles are sphere-traced from their signed
//! distances ([`backdrop`]); light comes from a sun with a filtered shadow map ([`light`]) and from a sky that near things hide ([`occlusion`]). All light is linear until the picture
//! is written, every pixel has four samples, and the bits of a picture do not depend on the number of threads.
//!
//! [`surface`] makes watertight meshes of the particles, for other programs; [`plot`] draws the budgets of runs.
//!
//! [`Film`] goes from the directory of a run to pictures; [`Drawing`] draws whatever spheres it is given.

pub mod backdrop;
pub mod camera;
pub mod color_bar;
pub mod color_map;
pub mod contact_sheet;
pub mod draw;
mod error;
pub mod extent;
mod film;
mod flat;
pub mod font;
pub mod light;
pub mod look;
pub mod occlusion;
mod picture;
pub mod plot;
pub mod relief;
pub mod splat;
pub mod stage;
pub mod surface;
mod vector;
pub mod view;

pub use draw::{Drawing, Particles};
pub use error::RenderError;
pub use film::{Coloring, Film};
pub use picture::{Picture, from_srgb};
pub use vector::Vec3;
