//! A material as it stands in a scene: numbers, and formulas in the place of some.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thixo::material::parameters::Parameter;
use toml::{Table, Value};

use super::{Material, catalogue};

/// Parameters that belong to the form of a law and are the same for all of its matter: model and
/// key.
const SHARED: [(&str, &str); 1] = [("fluid", "exponent")];

/// A material of a scene. Every parameter may be a formula of x, y, z and lx, ly, lz in place of a
/// number, but for the exponent of Tait's law; particles then have parameters of their own, for
/// good, from where they start.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneMaterial {
    /// The law. Of a parameter that is a formula it holds a stand-in that is never used.
    pub law: Material,
    /// The formulas by key, such as `"young_modulus"` or `"friction_hardening.h0"`.
    pub formulas: BTreeMap<String, String>,
}

impl From<Material> for SceneMaterial {
    fn from(law: Material) -> Self {
        Self {
            law,
            formulas: BTreeMap::new(),
        }
    }
}

/// A number that is within the range of a parameter, whatever the others are.
pub(super) fn stand_in(parameter: &Parameter) -> f64 {
    parameter.default.unwrap_or(0.25)
}

/// The parameters of a model that may be formulas.
pub(crate) fn variable(model: &str) -> impl Iterator<Item = &'static Parameter> {
    let name = catalogue::model(model).map_or("", |model| model.name);
    let parameters = catalogue::model(model).map_or(&[][..], |model| model.parameters);
    let may_vary = move |parameter: &&Parameter| !SHARED.contains(&(name, parameter.key));
    parameters.iter().filter(may_vary)
}

/// The value of a key with dots in a table.
fn at<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Value> {
    match key.split_once('.') {
        None => table.get_mut(key),
        Some((first, rest)) => at(table.get_mut(first)?.as_table_mut()?, rest),
    }
}

impl<'de> Deserialize<'de> for SceneMaterial {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let mut table = Table::deserialize(deserializer)?;
        let model = table.get("model").and_then(Value::as_str);
        let model = model.unwrap_or_default().to_owned();
        let mut formulas = BTreeMap::new();
        for parameter in variable(&model) {
            if let Some(value) = at(&mut table, parameter.key)
                && let Some(text) = value.as_str()
            {
                formulas.insert(parameter.key.to_owned(), text.to_owned());
                *value = Value::Float(stand_in(parameter));
            }
        }
        let law = Material::deserialize(Value::Table(table)).map_err(R::Error::custom)?;
        Ok(Self { law, formulas })
    }
}

impl Serialize for SceneMaterial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.formulas.is_empty() {
            return self.law.serialize(serializer);
        }
        let mut table = Table::try_from(&self.law).map_err(S::Error::custom)?;
        for (key, text) in &self.formulas {
            if let Some(value) = at(&mut table, key) {
                *value = Value::String(text.clone());
            }
        }
        table.serialize(serializer)
    }
}
