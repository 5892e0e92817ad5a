//! Parameters of the laws: their names, units, admissible ranges and defaults.
//!
//! This is the only list of them. Laws check their values with it, scenes read and refuse theirs
//! with it, and listings print it.

mod elastic;
mod fluid;
mod plastic;

pub use elastic::{DENSITY, POISSON_RATIO, POISSON_RATIO_TO_HALF, YOUNG_MODULUS};
pub use fluid::{
    BULK_MODULUS, LAMBDA, MU, RELAXATION_TIME, SOLVENT_VISCOSITY, TAIT_EXPONENT, VISCOSITY,
};
pub use plastic::{
    COHESION, CRITICAL_COMPRESSION, CRITICAL_STRETCH, FLOW_EXPONENT, FLOW_VISCOSITY,
    FRICTION_ANGLE, H0, H1, H2, H3, HARDENING, HARDENING_MODULUS, INITIAL_PLASTIC_VOLUME,
    LEAST_HARDENING_FACTOR, LEAST_PLASTIC_VOLUME, MOST_HARDENING_FACTOR, MOST_PLASTIC_VOLUME,
    YIELD_RATE, YIELD_STRESS,
};

use thiserror::Error;

/// A value that a parameter cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{quantity} is {value:?}; it must be {range}")]
pub struct ParameterError {
    /// Its key in scenes.
    pub key: &'static str,
    /// The quantity, with its SI unit in brackets.
    pub quantity: &'static str,
    /// The value that was given.
    pub value: f64,
    /// The allowed range in words.
    pub range: &'static str,
}

/// End of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This number is no longer allowed.
    Excluded(f64),
    /// This number is still allowed.
    Included(f64),
}

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub least: Bound,
    /// Upper end; infinity excluded means that any finite number is allowed.
    pub most: Bound,
    /// The range in words, as they follow "it must be". They may name another parameter on which
    /// the range depends; the law checks that.
    pub words: &'static str,
}

impl Range {
    /// Above zero.
    pub const POSITIVE: Self = Self {
        least: Bound::Excluded(0.0),
        most: Bound::Excluded(f64::INFINITY),
        words: "positive and finite",
    };
    /// Zero or above.
    pub const NOT_NEGATIVE: Self = Self {
        least: Bound::Included(0.0),
        most: Bound::Excluded(f64::INFINITY),
        words: "zero or positive, and finite",
    };
    /// From zero to one.
    pub const SHARE: Self = Self {
        least: Bound::Included(0.0),
        most: Bound::Included(1.0),
        words: "between 0 and 1",
    };

    /// Some number within the range, for a place where any will do.
    pub fn some_number(&self) -> f64 {
        let end = |bound| match bound {
            Bound::Excluded(end) | Bound::Included(end) => end,
        };
        let (least, most) = (end(self.least), end(self.most));
        let candidates = [
            0.25,
            least,
            most,
            0.5 * (least + most),
            least + 1.0,
            most - 1.0,
        ];
        let within = candidates.into_iter().find(|&value| self.contains(value));
        within.unwrap_or(f64::NAN)
    }

    /// True if a value is within the range; NaN never is.
    pub fn contains(&self, value: f64) -> bool {
        let above = match self.least {
            Bound::Excluded(least) => value > least,
            Bound::Included(least) => value >= least,
        };
        let below = match self.most {
            Bound::Excluded(most) => value < most,
            Bound::Included(most) => value <= most,
        };
        above && below
    }
}

/// A parameter of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its key in scenes.
    pub key: &'static str,
    /// The quantity, as messages name it, with its SI unit in brackets unless it is a pure number.
    pub quantity: &'static str,
    /// Its effect on the material.
    pub about: &'static str,
    /// The values it may have.
    pub range: Range,
    /// Its value where none is given; a parameter without must be given.
    pub default: Option<f64>,
}

impl Parameter {
    /// Its SI unit; "-" for a pure number.
    pub fn unit(&self) -> &'static str {
        let brackets = self.quantity.split_once('[');
        let inside = brackets.and_then(|(_, rest)| rest.split_once(']'));
        inside.map_or("-", |(unit, _)| unit)
    }
    /// The value if it is within the range.
    pub fn check(&self, value: f64) -> Result<f64, ParameterError> {
        if self.range.contains(value) {
            Ok(value)
        } else {
            Err(self.refusal(value))
        }
    }
    /// The error for a value that is not allowed.
    pub fn refusal(&self, value: f64) -> ParameterError {
        ParameterError {
            key: self.key,
            quantity: self.quantity,
            value,
            range: self.range.words,
        }
    }
    /// A number within its range, for the place of one that differs from particle to particle.
    pub fn stand_in(&self) -> f64 {
        self.default.unwrap_or(self.range.some_number())
    }
    /// Its default, or NaN, which no range contains, where it must be given.
    pub fn default_value(&self) -> f64 {
        self.default.unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_their_included_ends_only() {
        assert!(Range::SHARE.contains(0.0) && Range::SHARE.contains(1.0));
        assert!(!Range::SHARE.contains(-1e-300) && !Range::SHARE.contains(1.0 + 1e-15));
        assert!(!Range::POSITIVE.contains(0.0) && !Range::POSITIVE.contains(f64::INFINITY));
        assert!(Range::NOT_NEGATIVE.contains(0.0) && !Range::NOT_NEGATIVE.contains(f64::NAN));
        assert!(RELAXATION_TIME.range.contains(f64::INFINITY));
        assert!(!RELAXATION_TIME.range.contains(1e-40));
    }

    #[test]
    fn every_range_has_some_number() {
        let ranges = [
            Range::POSITIVE,
            Range::SHARE,
            POISSON_RATIO.range,
            TAIT_EXPONENT.range,
            MOST_HARDENING_FACTOR.range,
            HARDENING_MODULUS.range,
        ];
        for range in ranges {
            assert!(range.contains(range.some_number()), "{}", range.words);
        }
    }

    #[test]
    fn units_are_read_from_the_name() {
        assert_eq!(YOUNG_MODULUS.unit(), "Pa");
        assert_eq!(POISSON_RATIO.unit(), "-");
        assert_eq!(FLOW_VISCOSITY.unit(), "Pa s^h");
    }

    #[test]
    fn refusals_carry_value_and_range() {
        let error = POISSON_RATIO.check(0.5).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Poisson's ratio is 0.5; it must be above -1 and below 0.5"
        );
        let error = YOUNG_MODULUS.check(-1.0).unwrap_err();
        assert_eq!(
            (error.key, error.range),
            ("young_modulus", "positive and finite")
        );
        assert_eq!(COHESION.check(3.0), Ok(3.0));
    }
}
