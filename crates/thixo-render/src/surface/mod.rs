//! Surface reconstruction: watertight meshes around the particles of a frame.
//!
//! A surface is where a sum of kernels around the particles falls below a threshold
//! (`splashsurf_lib`, marching cubes), smoothed with weights that spare drops and thin sheets
//! \[Loeschner2023\]. At its vertices are a normal, the velocity, a colour, and whatever columns of
//! the frame are asked for. Frame after frame the marching cubes stand on the same lattice, so that
//! matter at rest keeps its triangles, and the bits of a surface do not depend on the number of
//! threads.
//!
//! [`SurfaceReconstruction`] goes from the directory of a run to surfaces, [`Format`] writes them.

mod error;
mod interpolate;
mod marching_cubes;
mod neighbors;
mod normals;
mod options;
mod particle_groups;
mod reconstruction;
mod smooth;
mod topology;
mod watertight;
pub mod write;

pub use error::SurfaceError;
pub use options::SurfaceOptions;
pub(crate) use particle_groups::vectors as particle_vectors;
pub use particle_groups::{GroupBy, ParticleGroup};
pub use reconstruction::{ReconstructedSurface, SurfaceReconstruction};
pub use watertight::{Edges, MeshProperties};
pub use write::Format;

use thixo_math::Vector;

/// Three numbers of double precision: a place \[m\], a velocity \[m/s\], a direction, or a colour
/// in linear light.
pub type Point = Vector<f64, 3>;

/// A triangle mesh with numbers at its vertices. Seen from outside, the corners of triangles go
/// round against the clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices \[m\].
    pub positions: Vec<Point>,
    /// Corners of triangles, indices of vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Outward, of length one; one per vertex.
    pub normals: Vec<Point>,
    /// Velocity of the matter \[m/s\], one per vertex.
    pub velocities: Vec<Point>,
    /// Colours in linear light, 0 to 1; one per vertex.
    pub colors: Vec<Point>,
    /// Columns that were asked for.
    pub attributes: Vec<Attribute>,
}

/// A number at every vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribute {
    /// Name of the column of the frame, or `speed`.
    pub name: String,
    /// One per vertex, in the unit of the column; NaN where no particle near has one.
    pub values: Vec<f64>,
}
