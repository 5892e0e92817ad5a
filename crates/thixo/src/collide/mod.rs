//! Obstacles: walls on node lines by reflection, and level sets.

mod contact;
mod level_set;
pub mod shape;
mod wall;

pub use contact::Contact;
pub use level_set::{Collider, LevelSet};
pub use shape::Plane;
pub use wall::{Side, Wall};

pub(crate) use level_set::constrain;
pub(crate) use wall::reflect;
