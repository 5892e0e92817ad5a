//! Checking a material: every number against the range of its parameter, then the law as a whole.

use thixo::BuildError;
use thixo::material::description::Contradiction;

use super::{Material, SceneMaterial};
use crate::error::{Problem, SceneError};
use crate::require::readable;
use crate::source::Source;

impl Material {
    /// Refuses what the model cannot be; `name` is that of the material in the text.
    pub(crate) fn check(
        &self,
        source: &Source,
        name: &str,
        dimension: usize,
    ) -> Result<(), SceneError> {
        SceneMaterial::from(self.clone()).check(source, name, dimension)
    }
}

impl SceneMaterial {
    /// Refuses what the model cannot be, as far as its numbers tell; `name` is that of the material
    /// in the text.
    pub(crate) fn check(
        &self,
        source: &Source,
        name: &str,
        dimension: usize,
    ) -> Result<(), SceneError> {
        let path = |key: &str| format!("materials.{name}.{key}");
        let refused = |key: &str, cause: BuildError| {
            let key = path(key);
            source.error_at_key(&key.clone(), Problem::Refused { key, cause })
        };
        let description = self.law.description();
        match description.contradiction(self.law.values()) {
            None => {}
            Some(Contradiction::Superfluous {
                parameter,
                value,
                because,
            }) => {
                let formula = self.formulas.get(parameter.key);
                let formula = formula.map(|text| format!("{text:?}"));
                let key = path(parameter.key);
                let problem = Problem::OutOfRange {
                    key: key.clone(),
                    value: formula.unwrap_or_else(|| readable(value)),
                    range: format!("absent: {because}"),
                };
                return Err(source.error_at_key(&key, problem));
            }
            Some(Contradiction::Missing { parameter }) => {
                let problem = Problem::MissingKey {
                    key: parameter.key.to_owned(),
                    table: format!("[materials.{name}]"),
                };
                return Err(source.error_at_key(&path(parameter.key), problem));
            }
        }
        for parameter in description.parameters() {
            if let Some(value) = self.law.number(parameter.key) {
                parameter
                    .check(value)
                    .map_err(|cause| refused(parameter.key, cause.into()))?;
            }
        }
        if !self.formulas.is_empty() {
            // All numbers together are known particle by particle.
            return Ok(());
        }
        let law = self.law.law(dimension);
        law.map(drop).map_err(|(key, cause)| refused(key, cause))
    }
}
