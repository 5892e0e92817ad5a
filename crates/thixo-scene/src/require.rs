//! Refusing values of a scene with the key they came from.

use std::fmt;

use thixo::BuildError;

use crate::error::{Problem, SceneError};
use crate::scene::Scene;

/// A number that is written out unless it has many digits.
pub(crate) fn readable(value: f64) -> String {
    if value == 0.0 || (1e-5..1e9).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:?}")
    }
}

impl Scene {
    /// A vector of finite components, or zero where the key is absent.
    pub(crate) fn vector_or_zero<const D: usize>(
        &self,
        key: &str,
        components: &[f64],
    ) -> Result<[f64; D], SceneError> {
        if components.is_empty() {
            return Ok([0.0; D]);
        }
        self.vector(key, components)
    }

    /// A vector of D finite components.
    pub(crate) fn vector<const D: usize>(
        &self,
        key: &str,
        components: &[f64],
    ) -> Result<[f64; D], SceneError> {
        let Ok(vector) = <[f64; D]>::try_from(components) else {
            let value = format!("{components:?}");
            let range = format!("a list of {D} numbers in dimension {D}");
            return Err(self.out_of_range(key, value, range));
        };
        match vector.iter().position(|x| !x.is_finite()) {
            None => Ok(vector),
            Some(at) => {
                let key = format!("{key}[{at}]");
                Err(self.number_out_of_range(&key, vector[at], "finite"))
            }
        }
    }

    /// A value outside its range.
    pub(crate) fn out_of_range(
        &self,
        key: &str,
        value: impl fmt::Display,
        range: impl Into<String>,
    ) -> SceneError {
        let problem = Problem::OutOfRange {
            key: key.to_owned(),
            value: value.to_string(),
            range: range.into(),
        };
        self.source.error_at_key(key, problem)
    }

    /// A number outside its range, written so that it stays readable.
    pub(crate) fn number_out_of_range(
        &self,
        key: &str,
        value: f64,
        range: impl Into<String>,
    ) -> SceneError {
        self.out_of_range(key, readable(value), range)
    }

    /// A value that the engine refuses.
    pub(crate) fn refused(&self, key: &str, cause: BuildError) -> SceneError {
        let problem = Problem::Refused {
            key: key.to_owned(),
            cause,
        };
        self.source.error_at_key(key, problem)
    }

    /// A value of a table that the engine refuses: the error names its key.
    pub(crate) fn refused_within(&self, table: &str, cause: BuildError) -> SceneError {
        match cause.key() {
            Some(key) => self.refused(&format!("{table}.{key}"), cause),
            None => self.refused(table, cause),
        }
    }

    /// A parameter that a material model refuses.
    pub(crate) fn refused_material(
        &self,
        name: &str,
        (key, cause): (&str, BuildError),
    ) -> SceneError {
        self.refused(&format!("materials.{name}.{key}"), cause)
    }
}
