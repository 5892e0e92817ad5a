//! Checking a material: every number against the range of its parameter, then the law as a whole.

use thixo::BuildError;
use thixo::material::parameters::ParameterError;

use super::{Contradiction, Material, SceneMaterial, catalogue};
use crate::error::{Problem, SceneError};
use crate::require::readable;
use crate::source::Source;

impl Material {
    /// The key of the parameter that an error is about; of what the law derives from several, the
    /// model itself.
    pub(super) fn key_of(&self, error: &ParameterError) -> &'static str {
        let model = catalogue::model(self.model());
        let parameter = model.and_then(|model| model.parameter(error.key));
        parameter.map_or("model", |parameter| parameter.key)
    }

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
        match self.law.contradiction() {
            None => {}
            Some(Contradiction::Superfluous { key, value, range }) => {
                let formula = self.formulas.get(key).map(|text| format!("{text:?}"));
                let key = path(key);
                let problem = Problem::OutOfRange {
                    key: key.clone(),
                    value: formula.unwrap_or_else(|| readable(value)),
                    range: range.to_owned(),
                };
                return Err(source.error_at_key(&key, problem));
            }
            Some(Contradiction::Missing { key }) => {
                let problem = Problem::MissingKey {
                    key: key.to_owned(),
                    table: format!("[materials.{name}]"),
                };
                return Err(source.error_at_key(&path(key), problem));
            }
        }
        let model = catalogue::model(self.law.model());
        for (key, value) in self.law.numbers() {
            if let Some(parameter) = model.and_then(|model| model.parameter(key)) {
                parameter
                    .check(value)
                    .map_err(|cause| refused(key, cause.into()))?;
            }
        }
        if !self.formulas.is_empty() {
            // All numbers together are known particle by particle.
            return Ok(());
        }
        // The rest that can be refused depends neither on the precision nor on the dimension of the
        // box.
        let law = self.law.law::<Box<dyn thixo::Material<f64, 3>>>(dimension);
        law.map(drop).map_err(|(key, cause)| refused(key, cause))
    }
}
