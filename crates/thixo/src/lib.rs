//! The material point method: matter as particles, forces on a grid.
//!
//! Particles carry mass, velocity and deformation; a grid that is new in every step carries the
//! forces between them. One explicit step (`integrate/explicit.rs`) is, with the numbers of
//! `docs/algorithm.md`:
//!
//! 1. [`particles`]: keep particles in the order of grid blocks;
//! 2. [`kernel`]: weights between particles and nodes, (14);
//! 3. [`transfer`]: mass and momentum to the [`grid`], (1)(2);
//! 4. [`force`]: stress and gravity on the nodes, (3)–(6);
//! 5. [`collide`]: walls and obstacles, (7)(8);
//! 6. [`transfer`] back: velocity, affine matrix and position, (9)(10);
//! 7. [`material`]: deformation, return mapping, stress, (11)–(13);
//! 8. [`integrate`]: the time step, (15), and whether it is accepted, (16).
//!
//! [`audit`] says what was conserved.
//!
//! ```
//! use thixo::material::elastic::NeoHookean;
//! use thixo::{Contact, Seed, Setup, Side, Simulation, Wall};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut setup = Setup::new(0.05);
//! setup.body_force = thixo::BodyForce::Uniform([0.0, -9.81]);
//! setup.walls.push(Wall::new(1, 0.0, Side::Above, Contact::Slip));
//! let jelly = NeoHookean::from_young_poisson(1.0e5, 0.3)?;
//! let mut sim = Simulation::<f32, 2>::new(setup, vec![jelly.into()])?;
//!
//! // A block of 20 by 20 particles, 4 per cell, 0.1 m above the floor.
//! let seeds: Vec<_> = (0..400)
//!     .map(|k| [0.025 * f64::from(k % 20) + 0.0125, 0.025 * f64::from(k / 20) + 0.1125])
//!     .map(|x| Seed::new(x, [0.0, 0.0], 0.625, 0.000625))
//!     .collect();
//! sim.add(0, &seeds)?;
//! for _ in 0..4 {
//!     sim.advance(1.0 / 24.0)?;
//! }
//! let audit = sim.audit();
//! assert!((audit.mass - 250.0).abs() < 1e-3 && audit.centre_of_mass[1] < 0.35);
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod builder;

pub mod audit;
pub mod checkpoint;
pub mod collide;
mod error;
pub mod force;
pub mod grid;
pub mod heat;
pub mod integrate;
pub mod kernel;
mod krylov;
pub mod lagrangian;
pub mod material;
mod mesh_defect;
pub mod particles;
pub mod porous;
pub mod projection;
pub mod quantity;
mod simulation;
mod state;
mod step_context;
pub mod timestep;
pub mod transfer;
mod warning;
mod workspace;

pub use audit::Audit;
pub use checkpoint::RestoreError;
pub use collide::{
    ActsOn, Collider, Contact, ContactImpulse, ContactImpulses, LevelSet, Plane, Side, Wall,
};
pub use error::{BuildError, IsaError, ProjectionSolve, SeedQuantity, StepError, Unsolved};
pub use force::{BodyForce, Damping, Load, LoadedSurface, SurfaceElement};
pub use heat::Heat;
pub use integrate::{FrameReport, Path, Setup};
pub use kernel::KernelKind;
pub use lagrangian::Mesh;
pub use material::Material;
pub use mesh_defect::MeshDefect;
pub use particles::{Carried, Particle, Seed};
pub use porous::{
    Constituent, Coupling, Drag, Interaction, Mixture, Motion, Phase, PorePressure, Relaxation,
    Wetness, WetnessColumn,
};
pub use simulation::{Instance, Simulation};
pub use state::Insertion;
pub use thixo_par::{Isa, Scalar};
pub use timestep::TimeStep;
pub use transfer::Transfer;
pub use warning::Warning;
