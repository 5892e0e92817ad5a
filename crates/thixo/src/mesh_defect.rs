//! Defects for which meshes are refused.

use thiserror::Error;

/// A mesh that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshDefect {
    /// No vertices, or no elements.
    #[error("it has no {0}")]
    Empty(&'static str),
    /// A kind of mesh that exists in another number of dimensions.
    #[error("{what} exists in {needed}D only")]
    Dimension {
        /// Kind of mesh.
        what: &'static str,
        /// Number of dimensions.
        needed: usize,
    },
    /// An index beyond the vertices.
    #[error(
        "its {element} {index} names vertex {vertex}, but there are {count} vertices, from 0 on"
    )]
    DanglingIndex {
        /// Kind of element.
        element: &'static str,
        /// Index among the elements of that kind.
        index: usize,
        /// Index of the vertex.
        vertex: usize,
        /// Number of vertices.
        count: usize,
    },
    /// An element with a vertex twice.
    #[error("its {element} {index} names vertex {vertex} twice; remove the element")]
    RepeatedVertex {
        /// Kind of element.
        element: &'static str,
        /// Index among the elements of that kind.
        index: usize,
        /// Index of the vertex.
        vertex: usize,
    },
    /// Two elements of the same vertices.
    #[error("its {element}s {first} and {second} have the same vertices; remove one of them")]
    Duplicate {
        /// Kind of element.
        element: &'static str,
        /// Index of the first.
        first: usize,
        /// Index of the second.
        second: usize,
    },
    /// A tetrahedron, or a triangle of the plane, with its inside out.
    #[error(
        "its {element} {index} has the volume {volume:.3e}: it is inside out; swap two of its vertices"
    )]
    Inverted {
        /// Kind of element.
        element: &'static str,
        /// Index among the elements of that kind.
        index: usize,
        /// Signed volume at rest \[m³\].
        volume: f64,
    },
    /// An element that encloses nothing.
    #[error("its {element} {index} has no extent at rest; remove it, or merge its vertices")]
    Flat {
        /// Kind of element.
        element: &'static str,
        /// Index among the elements of that kind.
        index: usize,
    },
    /// An edge of more than two triangles.
    #[error(
        "{count} triangles share the edge from vertex {from} to {to}; cloth has at most two at an edge: split it there into several meshes"
    )]
    NonManifold {
        /// One end of the edge.
        from: usize,
        /// Its other end.
        to: usize,
        /// Number of triangles.
        count: usize,
    },
    /// A surface under pressure with a border.
    #[error(
        "the edge from vertex {from} to {to} belongs to one triangle alone; a surface with a pressure inside must be closed"
    )]
    NotClosed {
        /// One end of the edge.
        from: usize,
        /// Its other end.
        to: usize,
    },
    /// A closed surface whose triangles do not look to the same side.
    #[error(
        "the two triangles at the edge from vertex {from} to {to} have opposite windings, so that the inside is unknown; reverse one of them"
    )]
    MixedWinding {
        /// One end of the edge.
        from: usize,
        /// Its other end.
        to: usize,
    },
    /// A vertex of no element, which would have no mass.
    #[error("its vertex {vertex} belongs to no element, and would have no mass; remove it")]
    Loose {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A number outside its range.
    #[error("{quantity} is {value:?}; it must be {range}")]
    OutOfRange {
        /// Name of the parameter, as in scenes.
        key: &'static str,
        /// Quantity, with its unit.
        quantity: &'static str,
        /// Value given.
        value: f64,
        /// Permitted range.
        range: &'static str,
    },
}

/// Refuses a number that is not positive and finite.
pub(crate) fn positive(
    key: &'static str,
    quantity: &'static str,
    value: f64,
) -> Result<(), MeshDefect> {
    within(key, quantity, value, "positive and finite", value > 0.0)
}

/// Refuses a number that is not finite or not in its range.
pub(crate) fn within(
    key: &'static str,
    quantity: &'static str,
    value: f64,
    range: &'static str,
    is_in: bool,
) -> Result<(), MeshDefect> {
    match is_in && value.is_finite() {
        true => Ok(()),
        false => Err(MeshDefect::OutOfRange {
            key,
            quantity,
            value,
            range,
        }),
    }
}
