//! Meshes whose energies are functions of the positions of particles: springs, rods, cloth and
//! elastic bodies in one step with all other matter, equations (60)–(66). \[Jiang2016\] §12.2,
//! \[Jiang2015thesis\] §3.3.
//!
//! The vertices of a mesh are particles. Their forces come from elements, f_p = −∂Φ/∂x_p, and go to
//! the nodes by weights, f_i = Σ w_ip f_p, not by gradients of weights; the matter that they move
//! with, contact and friction included, is that of the grid.
//!
//! | concept | file |
//! |---|---|
//! | a mesh and its parts | `mesh.rs` |
//! | elements | `element.rs`, `spring.rs`, `bend.rs`, `hinge.rs`, `simplex.rs`, `anchor.rs` |
//! | energies by singular values | `elastic_law.rs` |
//! | sums over elements in a fixed order | `assembly.rs` |
//! | vertices ↔ nodes | `vertices.rs` |
//! | forces of a step | `forces.rs` |

mod anchor;
mod assembly;
mod bend;
mod elastic_law;
mod element;
mod forces;
mod hinge;
mod mesh;
mod simplex;
mod spring;
mod vertices;

pub use bend::Bend;
pub use elastic_law::{ElasticLaw, Lame};
pub(crate) use forces::{MeshEnergy, add_forces, add_pressures, elastic_energy, frequency_squared};
pub use hinge::Hinge;
pub use mesh::{Cells, Fabric, Mesh, Place, Solid};
pub use spring::Spring;
pub(crate) use vertices::find_vertices;
