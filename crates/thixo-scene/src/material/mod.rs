//! Materials of a scene: `[materials.NAME]` with `model = "…"` and the model's parameters, or
//! `preset = "…"` and what differs.
//!
//! The keys of a model are those of the [description](Description) of its law; nothing here knows
//! a law by name.

mod check;
pub(crate) mod per_particle;
pub(crate) mod preset;
mod scene_material;
mod schema;
mod table;

pub use scene_material::SceneMaterial;
pub(crate) use table::TableReader;

use thixo::BuildError;
use thixo::material::description::{CutHardening, Description, LongSteps, Values};
use thixo::material::law::Law;
use thixo::material::parameters::{DENSITY, ParameterError};
use thixo::material::point::{Specimen, Testable};

/// A material: a law and its values. The key `model` chooses the law.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    description: &'static Description,
    values: Values,
}

/// The key that is refused, and why.
pub(crate) type Refusal = (&'static str, BuildError);

impl Material {
    /// A law with the values that are given; those that are not have their defaults.
    pub fn new(description: &'static Description, mut values: Values) -> Self {
        description.complete(&mut values);
        Self {
            description,
            values,
        }
    }

    /// The description of its law.
    pub fn description(&self) -> &'static Description {
        self.description
    }

    /// Its numbers and words by key, defaults among them.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Density at rest \[kg/m³\].
    pub fn density(&self) -> f64 {
        self.values.number(&DENSITY)
    }

    /// Volume over volume at rest with which particles enter \[–\]: below 1 they are packed.
    pub fn initial_volume_ratio(&self) -> f64 {
        let parameter = self.description.initial_volume_ratio();
        parameter.map_or(1.0, |parameter| self.values.number(parameter))
    }

    /// Hardening of the start that a limit cuts off: at the plastic volume ratio \[–\] given, or at
    /// the material's own.
    pub(crate) fn cut_hardening(&self, ratio: Option<f64>) -> Option<CutHardening> {
        self.description.cut_hardening(&self.values, ratio)
    }

    /// Name of its model.
    pub fn model(&self) -> &'static str {
        self.description.name
    }

    /// Its suitability for long implicit steps that solve for velocities.
    pub fn in_long_steps(&self) -> LongSteps {
        self.description.long_steps
    }

    /// All numbers with their keys.
    pub fn numbers(&self) -> Vec<(&'static str, f64)> {
        let parameters = self.description.parameters();
        let numbers = parameters.map(|parameter| (parameter.key, self.number(parameter.key)));
        let given = numbers.filter_map(|(key, number)| Some((key, number?)));
        given.collect()
    }

    /// The number of a key; none where the material has none.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.values.given(key)
    }

    /// The word of a key; none where the model has no such choice.
    pub fn word(&self, key: &str) -> Option<&'static str> {
        let choice = self.description.choice(key)?;
        Some(self.values.word(choice))
    }

    /// One point of it, to be tested in D dimensions, 2 or 3.
    pub fn specimen<const D: usize>(&self) -> Result<Specimen<D>, BuildError>
    where
        dyn Law: Testable<D>,
    {
        let law = self.law(D).map_err(|(_, error)| error)?;
        Ok(law.specimen())
    }

    /// The law in 2 or 3 dimensions, or the key that is refused and why.
    pub(crate) fn law(&self, dimension: usize) -> Result<Box<dyn Law>, Refusal> {
        self.description
            .law(&self.values, dimension)
            .map_err(|error| (self.key_of(&error), error.into()))
    }

    /// The key of the parameter that an error is about; of a quantity that the law derives from
    /// several, the model itself.
    fn key_of(&self, error: &ParameterError) -> &'static str {
        let parameter = self.description.parameter(error.key);
        parameter.map_or("model", |parameter| parameter.key)
    }
}
