//! Tests of the engine through its public surface, one module for each promise. They are one
//! program, so that the engine's generic code is compiled once for all of them.

#![allow(clippy::unwrap_used)] // tests, with helpers outside their functions

#[macro_use]
mod matter;

mod bad_input;
mod bad_parameters;
mod carried;
mod checkpoint;
mod contact;
mod contact_impulses;
mod filled_volume;
mod forecast;
mod heat;
mod implicit;
mod implicitness;
mod initial_state;
mod lanes;
mod laws_conservation;
mod laws_motion;
mod laws_population;
mod laws_walls;
mod meshes;
mod mixture;
mod obstacle_order;
mod obstacles_together;
mod parameters;
mod parity;
mod periodic_axes;
mod plastic;
mod porous;
mod precision;
mod projection;
mod retry;
mod sparse;
mod staggered;
mod stop;
mod threads;
mod traction;
mod viscoelastic;
mod volumes;
mod xpbd;
