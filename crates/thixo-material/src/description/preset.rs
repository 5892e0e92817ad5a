//! A ready-made material: a law with values and a name.

use thixo_par::Scalar;

use super::{Choice, Description, Values};
use crate::Material;
use crate::law::{Compiled, Law};
use crate::parameters::{DENSITY, Parameter, ParameterError};

/// A material with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name in scenes.
    pub name: &'static str,
    /// Short description.
    pub about: &'static str,
    /// Its law.
    pub law: &'static Description,
    /// Density at rest ρ₀ \[kg/m³\]; particles that enter packed (J_P < 1) are denser by 1/J_P.
    pub density: f64,
    /// Parameters of the law with their values; those that have their defaults may be left out.
    pub values: &'static [(&'static Parameter, f64)],
    /// Choices that are not the default, with their words.
    pub choices: &'static [(&'static Choice, &'static str)],
    /// Source of the numbers.
    pub source: &'static str,
}

impl Preset {
    /// Density and parameters of the law with their values.
    pub fn parameters(&self) -> Vec<(&'static Parameter, f64)> {
        let mut list = vec![(&DENSITY, self.density)];
        list.extend(self.values);
        list
    }

    /// Density, parameters and choices by key.
    pub fn values(&self) -> Values {
        let mut values = Values::default();
        for (parameter, value) in self.parameters() {
            values.set(parameter, value);
        }
        for (choice, word) in self.choices {
            values.choose(choice, word);
        }
        values
    }

    /// The material.
    pub fn material<T: Scalar, const D: usize>(
        &self,
    ) -> Result<Box<dyn Material<T, D>>, ParameterError>
    where
        dyn Law: Compiled<T, D>,
    {
        let law = self.law.law(&self.values(), D)?;
        Ok(Compiled::<T, D>::material(&*law))
    }
}
