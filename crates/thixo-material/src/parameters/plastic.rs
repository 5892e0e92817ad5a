//! Parameters of matter that yields.

use super::{Bound, Parameter, Range};

/// Yield stress in tension σ_Y \[Pa\].
pub const YIELD_STRESS: Parameter = Parameter {
    key: "yield_stress",
    quantity: "yield stress [Pa]",
    about: "stress in tension at which it yields; in shear it yields at 1/√3 of it",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Viscosity η of Herschel and Bulkley \[Pa s^h\].
pub const FLOW_VISCOSITY: Parameter = Parameter {
    key: "viscosity",
    quantity: "viscosity [Pa s^h]",
    about: "viscosity of the flow, h the exponent; with h = 1, twice the dynamic viscosity",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Exponent h of Herschel and Bulkley \[–\].
pub const FLOW_EXPONENT: Parameter = Parameter {
    key: "exponent",
    quantity: "Herschel-Bulkley exponent",
    about: "below 1 it thins with the rate of shear, above 1 it thickens",
    range: Range {
        least: Bound::Included(0.01),
        most: Bound::Included(100.0),
        words: "between 0.01 and 100",
    },
    default: None,
};

/// Flow rate ν of multiplicative plasticity \[1/s\].
pub const YIELD_RATE: Parameter = Parameter {
    key: "yield_rate",
    quantity: "yield rate [1/s]",
    about: "how fast stress above the yield stress relaxes; 0 is elastic",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Hardening modulus K of multiplicative plasticity \[Pa\].
pub const HARDENING_MODULUS: Parameter = Parameter {
    key: "hardening",
    quantity: "hardening modulus [Pa]",
    about: "how much the yield stress grows with plastic strain; negative values soften",
    range: Range {
        least: Bound::Excluded(f64::NEG_INFINITY),
        most: Bound::Excluded(f64::INFINITY),
        words: "finite and above -2 times the shear modulus",
    },
    default: Some(0.0),
};

/// Critical compression θ_c of snow \[–\].
pub const CRITICAL_COMPRESSION: Parameter = Parameter {
    key: "critical_compression",
    quantity: "critical compression",
    about: "compression of a stretch at which it yields; 1 never yields",
    range: Range::SHARE,
    default: None,
};

/// Critical stretch θ_s of snow \[–\].
pub const CRITICAL_STRETCH: Parameter = Parameter {
    key: "critical_stretch",
    quantity: "critical stretch",
    about: "extension of a stretch at which it yields; 0 comes apart freely",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Hardening coefficient ξ of snow \[–\].
pub const HARDENING: Parameter = Parameter {
    key: "hardening",
    quantity: "hardening",
    about: "moduli are multiplied by exp(hardening (1 - plastic volume ratio))",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Initial plastic volume ratio J_P of snow \[–\].
pub const INITIAL_PLASTIC_VOLUME: Parameter = Parameter {
    key: "initial_plastic_volume",
    quantity: "initial plastic volume ratio",
    about: "plastic volume ratio at the start; below 1 it is packed, and denser by as much",
    range: Range::POSITIVE,
    default: Some(1.0),
};

/// Smallest hardening factor of snow \[–\].
pub const LEAST_HARDENING_FACTOR: Parameter = Parameter {
    key: "least_hardening_factor",
    quantity: "least hardening factor",
    about: "moduli are never multiplied by less",
    range: Range {
        least: Bound::Excluded(0.0),
        most: Bound::Included(1.0),
        words: "above 0 and at most 1",
    },
    default: Some(1e-3),
};

/// Largest hardening factor of snow \[–\].
pub const MOST_HARDENING_FACTOR: Parameter = Parameter {
    key: "most_hardening_factor",
    quantity: "most hardening factor",
    about: "moduli are never multiplied by more",
    range: Range {
        least: Bound::Included(1.0),
        most: Bound::Excluded(f64::INFINITY),
        words: "at least 1, and finite",
    },
    default: Some(1e3),
};

/// Smallest plastic volume ratio J_P of snow \[–\].
pub const LEAST_PLASTIC_VOLUME: Parameter = Parameter {
    key: "least_plastic_volume",
    quantity: "least plastic volume ratio",
    about: "plastic volume ratios below it are forgotten",
    range: Range::SHARE,
    default: Some(0.0),
};

/// Largest plastic volume ratio J_P of snow \[–\].
pub const MOST_PLASTIC_VOLUME: Parameter = Parameter {
    key: "most_plastic_volume",
    quantity: "most plastic volume ratio",
    about: "plastic volume ratios above it are forgotten",
    range: Range {
        least: Bound::Included(1.0),
        most: Bound::Included(f64::INFINITY),
        words: "at least 1",
    },
    default: Some(f64::INFINITY),
};

/// Cohesion c_C of sand \[Pa\].
pub const COHESION: Parameter = Parameter {
    key: "cohesion",
    quantity: "cohesion [Pa]",
    about: "strength without pressure; 0 is dry",
    range: Range::NOT_NEGATIVE,
    default: Some(0.0),
};

const ANGLE: Range = Range {
    least: Bound::Included(0.0),
    most: Bound::Excluded(90.0),
    words: "at least 0 and below 90",
};

/// Constant friction angle \[°\].
pub const FRICTION_ANGLE: Parameter = Parameter {
    key: "friction_angle",
    quantity: "friction angle [degrees]",
    about: "friction angle; either it or friction_hardening must be given",
    range: ANGLE,
    default: None,
};

/// Final friction angle h₀ of φ(q) = h₀ + (h₁ q − h₃) e^{−h₂ q} \[°\].
pub const H0: Parameter = Parameter {
    key: "friction_hardening.h0",
    quantity: "friction angle h0 [degrees]",
    about: "friction angle in the end; after plastic strain q it is h0 + (h1 q - h3) exp(-h2 q)",
    range: ANGLE,
    default: None,
};

/// Height of the peak h₁ \[°\].
pub const H1: Parameter = Parameter {
    key: "friction_hardening.h1",
    quantity: "friction hardening h1 [degrees]",
    about: "height of the peak of the friction angle",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Rate of hardening h₂ \[–\].
pub const H2: Parameter = Parameter {
    key: "friction_hardening.h2",
    quantity: "friction hardening h2",
    about: "how fast the friction angle changes with plastic strain",
    range: Range::NOT_NEGATIVE,
    default: None,
};

/// Deficit h₃ of the initial friction angle h₀ − h₃ \[°\].
pub const H3: Parameter = Parameter {
    key: "friction_hardening.h3",
    quantity: "friction angle h3 [degrees]",
    about: "what the friction angle lacks at first",
    range: Range {
        least: Bound::Included(0.0),
        most: Bound::Excluded(90.0),
        words: "at least 0 and at most h0",
    },
    default: None,
};
