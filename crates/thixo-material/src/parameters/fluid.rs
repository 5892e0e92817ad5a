//! Parameters of fluids.

use super::{Bound, Parameter, Range};

/// Bulk modulus K of a weakly compressible fluid \[Pa\].
pub const BULK_MODULUS: Parameter = Parameter {
    key: "bulk_modulus",
    quantity: "bulk modulus [Pa]",
    about: "stiffness against compression at rest; sound travels at √(bulk_modulus/density)",
    range: Range::POSITIVE,
    default: None,
};

/// Dynamic viscosity η of a weakly compressible fluid \[Pa s\].
pub const VISCOSITY: Parameter = Parameter {
    key: "viscosity",
    quantity: "viscosity [Pa s]",
    about: "dynamic viscosity",
    range: Range::NOT_NEGATIVE,
    default: Some(0.0),
};

/// Exponent γ of Tait's equation \[–\].
pub const TAIT_EXPONENT: Parameter = Parameter {
    key: "exponent",
    quantity: "Tait exponent",
    about: "how fast pressure grows with compression; only with pressure = \"tait\"",
    range: Range {
        least: Bound::Excluded(1.0),
        most: Bound::Included(100.0),
        words: "above 1 and at most 100",
    },
    default: Some(7.0),
};

/// Shear modulus μ of an Oldroyd-B fluid \[Pa\].
pub const MU: Parameter = Parameter {
    key: "mu",
    quantity: "shear modulus mu [Pa]",
    about: "stiffness of the quick response against shear",
    range: Range::POSITIVE,
    default: None,
};

/// Lamé's λ of an Oldroyd-B fluid \[Pa\].
pub const LAMBDA: Parameter = Parameter {
    key: "lambda",
    quantity: "Lamé's lambda [Pa]",
    about: "stiffness against change of volume",
    range: Range::POSITIVE,
    default: None,
};

/// Relaxation time Wi \[s\]; a denormal time would be zero in single precision.
pub const RELAXATION_TIME: Parameter = Parameter {
    key: "relaxation_time",
    quantity: "relaxation time [s]",
    about: "how long it remembers its shape; infinite for ever",
    range: Range {
        least: Bound::Included(f32::MIN_POSITIVE as f64),
        most: Bound::Included(f64::INFINITY),
        words: "at least 1.2e-38; it may be infinite",
    },
    default: None,
};

/// Dynamic viscosity η of the Newtonian part of an Oldroyd-B fluid \[Pa s\].
pub const SOLVENT_VISCOSITY: Parameter = Parameter {
    about: "dynamic viscosity of the part that remembers nothing",
    ..VISCOSITY
};
