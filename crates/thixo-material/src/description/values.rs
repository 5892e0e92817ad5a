//! Values of a material by key: numbers for the parameters of its law, words for its choices.

use std::collections::BTreeMap;

use super::Choice;
use crate::parameters::Parameter;

/// Numbers and words by key. A number that is not given is the default of its parameter, a word
/// the default of its choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    numbers: BTreeMap<&'static str, f64>,
    words: BTreeMap<&'static str, &'static str>,
}

impl Values {
    /// The value of a parameter; NaN, which every law refuses, where it must be given and is not.
    pub fn number(&self, parameter: &Parameter) -> f64 {
        self.given(parameter.key)
            .unwrap_or(parameter.default_value())
    }

    /// The word of a choice.
    pub fn word(&self, choice: &Choice) -> &'static str {
        let word = self.words.get(choice.key).copied();
        word.unwrap_or(choice.default_word())
    }

    /// The number that is given for a key.
    pub fn given(&self, key: &str) -> Option<f64> {
        self.numbers.get(key).copied()
    }

    /// True if a number is given for a key, or for one of the table of that name.
    pub fn has(&self, key: &str) -> bool {
        let within = |given: &str| {
            let rest = given.strip_prefix(key);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.numbers.keys().any(|given| within(given))
    }

    /// Gives a parameter a value.
    pub fn set(&mut self, parameter: &Parameter, value: f64) {
        self.numbers.insert(parameter.key, value);
    }

    /// Gives a choice a word; false, and nothing is changed, if it has no such word.
    pub fn choose(&mut self, choice: &Choice, word: &str) -> bool {
        let known = choice.words.iter().find(|(known, _)| *known == word);
        if let Some((known, _)) = known {
            self.words.insert(choice.key, known);
        }
        known.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{COHESION, FRICTION_ANGLE, H0};

    const TENSION: Choice = Choice {
        key: "tension",
        about: "",
        words: &[("keep", ""), ("release", "")],
    };

    #[test]
    fn absent_values_are_defaults() {
        let mut values = Values::default();
        assert_eq!(values.number(&COHESION), 0.0);
        assert!(values.number(&FRICTION_ANGLE).is_nan());
        assert_eq!(values.word(&TENSION), "keep");
        values.set(&COHESION, 3.0);
        assert!(values.choose(&TENSION, "release") && !values.choose(&TENSION, "hold"));
        assert_eq!(
            (values.number(&COHESION), values.word(&TENSION)),
            (3.0, "release")
        );
    }

    #[test]
    fn a_table_is_given_with_its_first_number() {
        let mut values = Values::default();
        assert!(!values.has("friction_hardening"));
        values.set(&H0, 30.0);
        assert!(values.has("friction_hardening") && values.has("friction_hardening.h0"));
        assert!(!values.has("friction") && !values.has("friction_hardening.h1"));
    }
}
