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
    /// A parameter that belongs to the form of the law and is the same for all of its matter.
    Shared(&'static Parameter),
    /// The volume over the volume at rest with which particles enter \[–\]: below 1 they are
    /// packed, and denser by as much.
    InitialVolumeRatio(&'static Parameter),
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
            Self::Shared(_) | Self::InitialVolumeRatio(_) => None,
        }
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
