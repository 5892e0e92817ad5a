//! A material as it stands in a scene: numbers, and formulas in the place of some.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thixo::material::description::Description;
use thixo::material::laws::law;
use toml::{Table, Value};

use super::Material;

/// A material of a scene. Every parameter may be a formula of x, y, z and lx, ly, lz in place of a
/// number, but for those that belong to the form of the law; particles then have parameters of
/// their own, for good, from where they start.
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
        let description = table.get("model").and_then(Value::as_str).and_then(law);
        let mut formulas = BTreeMap::new();
        let variable = description.map(Description::variable);
        for parameter in variable.into_iter().flatten() {
            if let Some(value) = at(&mut table, parameter.key)
                && let Some(text) = value.as_str()
            {
                formulas.insert(parameter.key.to_owned(), text.to_owned());
                *value = Value::Float(parameter.stand_in());
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
