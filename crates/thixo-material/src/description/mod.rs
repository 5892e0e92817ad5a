//! The description of a law: all that scenes, listings, schemas, presets and pictures know of it.
//!
//! A law ends its file with one, and [`LAWS`](crate::laws::LAWS) lists it. Nothing else of the
//! workspace names a law.

mod preset;
mod rule;
mod values;

pub use preset::Preset;
pub use rule::{Contradiction, CutHardening, Rule};
pub use values::Values;

use core::fmt;

use crate::law::LawResult;
use crate::parameters::{DENSITY, Parameter};

/// A law that a scene may name.
#[derive(Clone, Copy)]
pub struct Description {
    /// Word after `model =`: [`NAME`](crate::Constitutive::NAME) of the law.
    pub name: &'static str,
    /// Its use.
    pub about: &'static str,
    /// Source of its equations.
    pub reference: &'static str,
    /// Its keys in the order of files and messages. `density`, which every material has, is not
    /// among them.
    pub keys: &'static [Key],
    /// Keys that depend on others, or mean more than a number.
    pub rules: &'static [Rule],
    /// Its materials with a name.
    pub presets: &'static [Preset],
    /// Its suitability for long implicit steps that solve for velocities.
    pub long_steps: LongSteps,
    /// Its look where a scene says nothing about it.
    pub appearance: Appearance,
    /// The law with its values in 2 or 3 dimensions.
    pub build: fn(&Values, usize) -> LawResult,
}

/// A key of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    /// It has a number. A dot in it leads into a table.
    Number(&'static Parameter),
    /// It has a word.
    Word(&'static Choice),
}

/// An option of a law: a key with a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Its key.
    pub key: &'static str,
    /// Its effect.
    pub about: &'static str,
    /// The words with their meaning; the first is the default.
    pub words: &'static [(&'static str, &'static str)],
}

/// Suitability of a material for implicit steps that are much longer than explicit ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongSteps {
    /// Well: it was measured to stand, bend or flow as in explicit steps.
    Served,
    /// It yields after a step, and not within: the longer steps are, the less it breaks.
    YieldsAfter,
    /// Its solves take more iterations the longer steps are, and all the time that was saved:
    /// grains that part and slide have no smooth energy. It runs too far besides.
    Laborious,
    /// Its motion in long steps was not shown to be that in explicit ones.
    Unproven,
}

/// Look of matter whose name says nothing about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appearance {
    /// A smooth body in a colour of its own.
    Solid,
    /// Clear, with a smooth surface.
    Water,
    /// White and soft.
    Snow,
    /// Grains.
    Sand,
    /// Dull and smooth.
    Clay,
    /// White and smooth.
    Foam,
    /// Smooth and glossy.
    Paste,
}

impl Choice {
    /// The word where none is given.
    pub fn default_word(&self) -> &'static str {
        self.words.first().map_or("", |(word, _)| word)
    }
}

impl Description {
    /// Every key of a material in order: `density`, then those of the law.
    pub fn table(&self) -> impl Iterator<Item = Key> + Clone + use<> {
        core::iter::once(Key::Number(&DENSITY)).chain(self.keys.iter().copied())
    }

    /// Its numbers, density first.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + Clone + use<> {
        self.table().filter_map(|key| match key {
            Key::Number(parameter) => Some(parameter),
            Key::Word(_) => None,
        })
    }

    /// Its options.
    pub fn choices(&self) -> impl Iterator<Item = &'static Choice> + Clone + use<> {
        self.table().filter_map(|key| match key {
            Key::Number(_) => None,
            Key::Word(choice) => Some(choice),
        })
    }

    /// The parameter with that key.
    pub fn parameter(&self, key: &str) -> Option<&'static Parameter> {
        self.parameters().find(|parameter| parameter.key == key)
    }

    /// The choice with that key.
    pub fn choice(&self, key: &str) -> Option<&'static Choice> {
        self.choices().find(|choice| choice.key == key)
    }

    /// The parameters that may differ from particle to particle.
    pub fn variable(&self) -> impl Iterator<Item = &'static Parameter> + Clone + use<> {
        let rules = self.rules;
        let is_shared = move |key| {
            let mut rules = rules.iter();
            rules.any(|rule| matches!(rule, Rule::Shared(parameter) if parameter.key == key))
        };
        self.parameters()
            .filter(move |parameter| !is_shared(parameter.key))
    }

    /// Pairs of keys of which exactly one must be given: a parameter, and a table in its place.
    pub fn rivals(&self) -> impl Iterator<Item = (&'static str, &'static str)> + Clone + use<> {
        self.rules.iter().filter_map(|rule| match rule {
            Rule::OneOf {
                parameter, table, ..
            } => Some((parameter.key, *table)),
            _ => None,
        })
    }

    /// True if a parameter must be given whatever words are chosen.
    pub fn requires(&self, parameter: &Parameter) -> bool {
        let may_lack = self.rules.iter().any(|rule| {
            matches!(rule, Rule::NeedlessWith { parameter: one, .. } if one.key == parameter.key)
        });
        parameter.default.is_none() && !may_lack
    }

    /// The parameter that is the volume ratio with which particles enter.
    pub fn initial_volume_ratio(&self) -> Option<&'static Parameter> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::InitialVolumeRatio(parameter) => Some(*parameter),
            _ => None,
        })
    }

    /// Hardening of the start that a limit cuts off; at the plastic volume ratio J_P \[–\], or at
    /// that of the values.
    pub fn cut_hardening(&self, values: &Values, ratio: Option<f64>) -> Option<CutHardening> {
        let mut rules = self.rules.iter();
        rules.find_map(|rule| rule.cut_hardening(values, ratio))
    }

    /// The first key that does not go with the others.
    pub fn contradiction(&self, values: &Values) -> Option<Contradiction> {
        self.rules
            .iter()
            .find_map(|rule| rule.contradiction(values))
    }

    /// Writes out the defaults of what is not given; those that would contradict stay away.
    pub fn complete(&self, values: &mut Values) {
        for choice in self.choices() {
            let word = values.word(choice);
            values.choose(choice, word);
        }
        for parameter in self.parameters() {
            let allowed = self.rules.iter().all(|rule| rule.allows(parameter, values));
            if let Some(default) = parameter.default
                && allowed
                && values.given(parameter.key).is_none()
            {
                values.set(parameter, default);
            }
        }
    }

    /// The law with values, in 2 or 3 dimensions.
    pub fn law(&self, values: &Values, dimension: usize) -> LawResult {
        (self.build)(values, dimension)
    }
}

/// The name alone: presets lead back to their law.
impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Description").field(&self.name).finish()
    }
}

/// Descriptions are told apart by name.
impl PartialEq for Description {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
