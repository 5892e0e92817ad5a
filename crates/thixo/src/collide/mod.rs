//! Obstacles: walls on node lines by reflection, and level sets by constraint, with a guard against
//! the penetration of particles.

mod collider;
mod contact;
mod free_nodes;
mod guard;
mod level_set;
mod nodes;
pub mod shape;
mod sweep;
mod wall;

pub use collider::{ActsOn, Collider};
pub use contact::Contact;
pub use level_set::LevelSet;
pub use shape::Plane;
pub use wall::{Side, Wall};

pub(crate) use free_nodes::free_nodes;
pub(crate) use guard::{ContactCorrection, Guard};
pub(crate) use nodes::{ContactNode, closing_speed, constrain, contact_nodes, weigh_materials};
pub(crate) use wall::{GHOSTS, WallColumn, reflect, reflect_before, reflect_pressed, wall_columns};
