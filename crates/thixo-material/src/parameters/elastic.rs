//! Parameters that all solids have.

use super::{Bound, Parameter, Range};

/// Density at rest ρ₀ \[kg/m³\]. It belongs to particles, not to a law, but every material
/// of a scene has one.
pub const DENSITY: Parameter = Parameter {
    key: "density",
    quantity: "density [kg/m³]",
    about: "density at rest",
    range: Range::POSITIVE,
    default: None,
};

/// Young's modulus E \[Pa\].
pub const YOUNG_MODULUS: Parameter = Parameter {
    key: "young_modulus",
    quantity: "Young's modulus [Pa]",
    about: "stiffness against being pulled",
    range: Range::POSITIVE,
    default: None,
};

/// Poisson's ratio ν \[–\].
pub const POISSON_RATIO: Parameter = Parameter {
    key: "poisson_ratio",
    quantity: "Poisson's ratio",
    about: "how much it narrows when pulled; near 0.5 it keeps its volume",
    range: Range {
        least: Bound::Excluded(-1.0),
        most: Bound::Excluded(0.5),
        words: "above -1 and below 0.5",
    },
    default: None,
};

/// Poisson's ratio ν \[–\] of matter that may be incompressible, ν = ½.
pub const POISSON_RATIO_TO_HALF: Parameter = Parameter {
    key: "poisson_ratio",
    quantity: "Poisson's ratio",
    about: "how much it narrows when pulled; 0.5 keeps its volume, by projection only",
    range: Range {
        least: Bound::Excluded(-1.0),
        most: Bound::Included(0.5),
        words: "above -1, and 0.5 at most",
    },
    default: None,
};
