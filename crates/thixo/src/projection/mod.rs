//! Pressure of matter from soft to incompressible, by a solve on a staggered grid: the projection
//! of velocities. \[Jiang2015thesis\] §6.3–6.4, errata E38–E40.
//!
//! | concept | file |
//! |---|---|
//! | options | `options.rs` |
//! | open shares of faces and cells at solids | `solid_boundary.rs` |
//! | filled cells, place of the free surface | `free_surface.rs` |
//! | density of faces | `face_density.rs` |
//! | pressure: equations, solve, velocities | `pressure.rs` |
//! | regions without a free surface | `sealed_region.rs` |
//! | matter that lets go of solids | `release.rs` |
//! | friction | `friction.rs` |
//! | extrapolation of velocities | `extrapolation.rs` |
//! | velocities in solids | `ghost_faces.rs` |
//! | particle shifting | `shifting.rs` |
//! | forces on solids | `solid_impulse.rs` |
//! | the linear solver | the crate `thixo-poisson` |

mod extrapolation;
mod face_density;
mod free_surface;
mod friction;
mod ghost_faces;
mod options;
mod pressure;
mod release;
mod sealed_region;
mod shifting;
mod solid_boundary;
mod solid_impulse;
mod step;

pub(crate) use face_density::specific_volumes;
pub(crate) use free_surface::FilledCells;
pub(crate) use ghost_faces::GhostFaces;
pub use options::{Boundary, Deviatoric, FaceDensity, FreeSurface, Projection, Spreading};
pub(crate) use pressure::{PressureError, return_rate};
pub(crate) use solid_boundary::SolidBoundary;
pub(crate) use step::project;
