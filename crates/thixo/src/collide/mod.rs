//! Obstacles: walls on node lines by reflection, level sets by image points, and a guard against
//! the penetration of particles.

mod boundary_contact;
mod boundary_node;
mod candidate;
mod collider;
mod contact;
mod contact_impulse;
mod follow;
mod free_nodes;
mod guard;
mod half_space;
mod joint;
mod level_set;
mod nodes;
pub mod shape;
mod solid;
mod stop;
mod sweep;
mod wall;
mod wall_reaction;

pub use collider::{ActsOn, Collider};
pub use contact::Contact;
pub(crate) use contact_impulse::GuardImpulse;
pub use contact_impulse::{ContactImpulse, ContactImpulses};
pub use level_set::LevelSet;
pub use shape::Plane;
pub use wall::{Side, Wall};

pub(crate) use boundary_contact::{BoundaryContact, BoundaryVelocities, apply_contact};
pub(crate) use boundary_node::{BoundaryNode, BoundaryNodes, ContactNode, boundary_nodes};
pub(crate) use follow::{Closure, Follow};
pub(crate) use free_nodes::free_nodes;
pub(crate) use guard::{ContactCorrection, Guard};
pub(crate) use nodes::{closing_speed, holding_speed, weigh_materials, weigh_materials_of};
pub(crate) use solid::{Solid, SolidSurface, Solids};
pub(crate) use wall::{
    GHOSTS, WallColumn, in_canonical_order, mirror, reflect, reflect_before, reflect_pressed,
    reflect_with_unforced, wall_columns,
};
pub(crate) use wall_reaction::WallReaction;
