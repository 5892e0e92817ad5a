//! Warnings about a scene that is run all the same.

use thiserror::Error;
use thixo::material::description::CutHardening;

use crate::error::GIB;

/// Something about a scene that is doubtful, not wrong.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Warning {
    /// A mesh with holes.
    #[error(
        "{file} is not closed: {edges} of its edges have a triangle on one side only; inside is where its winding number is above one \
         half, which closes the holes with a smooth surface"
    )]
    Open {
        /// The mesh file.
        file: String,
        /// Edges with one triangle.
        edges: usize,
    },
    /// Neighbouring triangles with opposite orientations.
    #[error(
        "{file} is not oriented consistently: at {edges} of its edges the triangles face opposite sides; recompute its normals if the \
         inside is not where it should be"
    )]
    Inconsistent {
        /// The mesh file.
        file: String,
        /// Edges that their triangles run through in the same direction.
        edges: usize,
    },
    /// Edges where more than two triangles meet.
    #[error("{file} is not a simple surface: at {edges} of its edges more than two triangles meet")]
    Branching {
        /// The mesh file.
        file: String,
        /// Edges with three or more triangles.
        edges: usize,
    },
    /// A mesh that cuts through itself.
    #[error(
        "{file} cuts through itself: {triangles} of its triangles cross others; inside is what lies in any of its overlapping parts"
    )]
    SelfIntersecting {
        /// The mesh file.
        file: String,
        /// Triangles that cross at least one other.
        triangles: usize,
    },
    /// A mesh whose normals point inwards.
    #[error(
        "{file} is inside out: its triangles face inwards; it is used as if they faced outwards"
    )]
    InsideOut {
        /// The mesh file.
        file: String,
    },
    /// Volumes from the grid.
    #[error(
        "{object} has volumes from the density on the grid: they are about 1.6 times too large at a flat face (two particles per cell \
         and axis) and more at edges and corners, and so are the forces there; volume = \"sampling\" has those of the shape"
    )]
    GridVolumes {
        /// Name of the object.
        object: String,
    },
    /// A limit of hardening below the hardening of matter that is packed from the start.
    #[error(
        "materials.{material}.{key} is {limit}, but matter that is packed from the start is hardened {factor:.3} times: its moduli are \
         cut to the limit, and packing it further does not harden it; raise the limit above {factor:.3}, or pack the matter less"
    )]
    CutHardening {
        /// Name of the material.
        material: String,
        /// Key of the limit.
        key: &'static str,
        /// The limit \[–\].
        limit: f64,
        /// exp(ξ (1 − J_P)) of the matter \[–\].
        factor: f64,
    },
    /// Matter that takes most of the memory.
    #[error(
        "takes about {:.1} of {:.1} GiB of memory; close what else needs much, or use a larger grid.spacing",
        .bytes / GIB, .available / GIB
    )]
    Memory {
        /// Memory that it needs \[bytes\].
        bytes: f64,
        /// Memory that this process may take \[bytes\].
        available: f64,
    },
    /// A mesh so large that its distances cannot be stored as finely as they should.
    #[error(
        "{file} is too large for distances every {asked} m; they are stored every {used} m, and thinner parts of it are lost"
    )]
    Coarse {
        /// The mesh file.
        file: String,
        /// Spacing that was wanted \[m\].
        asked: f64,
        /// Spacing that is used \[m\].
        used: f64,
    },
}

impl Warning {
    /// About hardening of a material that a limit cuts off.
    pub(crate) fn cut_hardening(material: &str, cut: Option<CutHardening>) -> Option<Self> {
        let CutHardening { key, limit, factor } = cut?;
        Some(Self::CutHardening {
            material: material.to_owned(),
            key,
            limit,
            factor,
        })
    }
}
