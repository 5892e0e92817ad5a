//! Obstacles: walls on node lines by reflection, and level sets.

mod contact;
mod level_set;
mod wall;

pub use contact::Contact;
pub use level_set::{Collider, LevelSet, Plane, constrain};
pub use wall::{Side, Wall, reflect};
