//! Rules of a law's keys: some need or exclude others, some mean more than a number.

use super::{Choice, Values};
use crate::parameters::Parameter;

/// A rule of a law's keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// A parameter that the law has with one word of a choice only.
    OnlyWith {
        /// The parameter.
        parameter: &'static Parameter,
        /// The choice.
        choice: &'static Choice,
        /// Its word.
        word: &'static str,
        /// The reason, for messages: "only … has …".
        because: &'static str,
    },
    /// A parameter, or a table in its place: exactly one of them must be given.
    OneOf {
        /// The parameter, without default.
        parameter: &'static Parameter,
        /// Name of the table: the keys before the dot.
        table: &'static str,
        /// The reason, for messages: "… gives …".
        because: &'static str,
    },
    /// A parameter without default that one word of a choice can do without.
    NeedlessWith {
        /// The parameter.
        parameter: &'static Parameter,
        /// The choice.
        choice: &'static Choice,
        /// Its word.
        word: &'static str,
    },
    /// A parameter that belongs to the form of the law and is the same for all of its matter.
    Shared(&'static Parameter),
    /// The volume over the volume at rest with which particles enter \[–\]: below 1 they are
    /// packed, and denser by as much.
    InitialVolumeRatio(&'static Parameter),
    /// Moduli are multiplied by exp(hardening (1 − volume ratio)), and by no more than a limit.
    HardeningLimit {
        /// Hardening ξ \[–\].
        hardening: &'static Parameter,
        /// Plastic volume ratio J_P at the start \[–\].
        volume_ratio: &'static Parameter,
        /// The limit \[–\].
        most: &'static Parameter,
    },
}

/// Matter that is harder from the start than its limit of hardening lets it be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutHardening {
    /// Key of the limit.
    pub key: &'static str,
    /// The limit \[–\].
    pub limit: f64,
    /// exp(ξ (1 − J_P)), which it cuts off \[–\].
    pub factor: f64,
}

/// A key that contradicts another, or is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contradiction {
    /// A number that must not be there.
    Superfluous {
        /// Its parameter.
        parameter: &'static Parameter,
        /// The number.
        value: f64,
        /// The reason.
        because: &'static str,
    },
    /// A number that must be there.
    Missing {
        /// Its parameter.
        parameter: &'static Parameter,
    },
}

impl Rule {
    /// A number that the rule forbids or misses.
    pub fn contradiction(&self, values: &Values) -> Option<Contradiction> {
        match *self {
            Self::OnlyWith {
                parameter, because, ..
            } => {
                let value = values.given(parameter.key)?;
                (!self.allows(parameter, values)).then_some(Contradiction::Superfluous {
                    parameter,
                    value,
                    because,
                })
            }
            Self::OneOf {
                parameter,
                table,
                because,
            } => match (values.given(parameter.key), values.has(table)) {
                (None, false) => Some(Contradiction::Missing { parameter }),
                (Some(value), true) => Some(Contradiction::Superfluous {
                    parameter,
                    value,
                    because,
                }),
                _ => None,
            },
            Self::NeedlessWith {
                parameter,
                choice,
                word,
            } => {
                let is_given = values.given(parameter.key).is_some();
                let is_needed = values.word(choice) != word;
                (is_needed && !is_given).then_some(Contradiction::Missing { parameter })
            }
            Self::Shared(_) | Self::InitialVolumeRatio(_) | Self::HardeningLimit { .. } => None,
        }
    }

    /// Hardening of the start, at the plastic volume ratio J_P given or of the values, that a limit
    /// cuts off.
    pub fn cut_hardening(&self, values: &Values, given: Option<f64>) -> Option<CutHardening> {
        let Self::HardeningLimit {
            hardening,
            volume_ratio,
            most,
        } = *self
        else {
            return None;
        };
        let ratio = given.unwrap_or_else(|| values.number(volume_ratio));
        let factor = (values.number(hardening) * (1.0 - ratio)).exp();
        let limit = values.number(most);
        (factor > limit).then_some(CutHardening {
            key: most.key,
            limit,
            factor,
        })
    }

    /// True unless a parameter has no place beside the words that are chosen.
    pub fn allows(&self, asked: &Parameter, values: &Values) -> bool {
        match *self {
            Self::OnlyWith {
                parameter,
                choice,
                word,
                ..
            } => parameter.key != asked.key || values.word(choice) == word,
            _ => true,
        }
    }
}
