//! The table of a material, read and written by the description of its law.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thixo::material::description::{Choice, Description, Key, Values};
use thixo::material::laws::law;
use thixo::material::parameters::Parameter;
use toml::{Table, Value};

use super::Material;

/// An entry of a table: a key of the description, or a table of keys with the same first part.
#[derive(Clone, Copy)]
enum Entry {
    Number(&'static Parameter),
    Word(&'static Choice),
    Table(&'static str),
}

/// The entries of a material's table, or of a table within, each with the key there.
fn entries(description: &Description, within: Option<&'static str>) -> Vec<(&'static str, Entry)> {
    let mut entries: Vec<(&'static str, Entry)> = Vec::new();
    for key in description.table() {
        let entry = match (key, within) {
            (Key::Number(parameter), None) => match parameter.key.split_once('.') {
                None => (parameter.key, Entry::Number(parameter)),
                Some((table, _)) => (table, Entry::Table(table)),
            },
            (Key::Word(choice), None) => (choice.key, Entry::Word(choice)),
            (Key::Number(parameter), Some(within)) => match parameter.key.split_once('.') {
                Some((table, key)) if table == within => (key, Entry::Number(parameter)),
                _ => continue,
            },
            (Key::Word(_), Some(_)) => continue,
        };
        if entries.iter().all(|(known, _)| *known != entry.0) {
            entries.push(entry);
        }
    }
    entries
}

/// Words that a reader knows, as errors of serde list them.
struct Known<'a>(&'a [&'static str]);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let before = if index == 0 { "one of " } else { ", " };
            write!(f, "{before}`{word}`")?;
        }
        Ok(())
    }
}

/// Reads the table of a material without its key `model`, or one of the tables in it.
pub(crate) struct TableReader<'a> {
    description: &'static Description,
    within: Option<&'static str>,
    values: &'a mut Values,
}

impl<'a> TableReader<'a> {
    /// A reader that adds to some values.
    pub(crate) fn new(description: &'static Description, values: &'a mut Values) -> Self {
        Self {
            description,
            within: None,
            values,
        }
    }
}

impl<'de> DeserializeSeed<'de> for TableReader<'_> {
    type Value = ();

    fn deserialize<R: Deserializer<'de>>(self, table: R) -> Result<(), R::Error> {
        table.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TableReader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self {
            description,
            within,
            values,
        } = self;
        let entries = entries(description, within);
        let mut given = Vec::new();
        while let Some((key, entry)) = map.next_key_seed(KeyReader(&entries))? {
            given.push(key);
            match entry {
                Entry::Number(parameter) => values.set(parameter, map.next_value()?),
                Entry::Word(choice) => {
                    let word = map.next_value_seed(WordReader(choice))?;
                    values.choose(choice, word);
                }
                Entry::Table(table) => map.next_value_seed(TableReader {
                    description,
                    within: Some(table),
                    values: &mut *values,
                })?,
            }
        }
        let has_rival = |key: &str| {
            let mut rivals = description.rivals();
            rivals.any(|(one, other)| one == key || other == key)
        };
        for (key, entry) in entries {
            let is_required = match entry {
                Entry::Number(parameter) => {
                    description.requires(parameter) && !has_rival(parameter.key)
                }
                Entry::Table(table) => {
                    let mut parameters = self::entries(description, Some(table)).into_iter();
                    let lacks_default = |(_, entry)| matches!(entry, Entry::Number(parameter) if parameter.default.is_none());
                    parameters.any(lacks_default) && !has_rival(table)
                }
                Entry::Word(_) => false,
            };
            if is_required && !given.contains(&key) {
                return Err(M::Error::missing_field(key));
            }
        }
        Ok(())
    }
}

/// Reads a key that must be one of some entries.
struct KeyReader<'a>(&'a [(&'static str, Entry)]);

impl<'de> DeserializeSeed<'de> for KeyReader<'_> {
    type Value = (&'static str, Entry);

    fn deserialize<R: Deserializer<'de>>(self, key: R) -> Result<Self::Value, R::Error> {
        key.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KeyReader<'_> {
    type Value = (&'static str, Entry);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Self::Value, E> {
        let known = self.0.iter().find(|(known, _)| *known == key).copied();
        known.ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|(key, _)| *key).collect();
            E::custom(format!("unknown field `{key}`, expected {}", Known(&known)))
        })
    }
}

/// Reads a word of a choice.
struct WordReader(&'static Choice);

impl<'de> DeserializeSeed<'de> for WordReader {
    type Value = &'static str;

    fn deserialize<R: Deserializer<'de>>(self, word: R) -> Result<Self::Value, R::Error> {
        word.deserialize_str(self)
    }
}

impl Visitor<'_> for WordReader {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Self::Value, E> {
        let words = self.0.words.iter().map(|(word, _)| *word);
        words.clone().find(|known| *known == word).ok_or_else(|| {
            let known: Vec<_> = words.collect();
            E::custom(format!(
                "unknown variant `{word}`, expected {}",
                Known(&known)
            ))
        })
    }
}

impl<'de> Deserialize<'de> for Material {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let mut table = Table::deserialize(deserializer)?;
        let model = table.remove("model");
        let model = model.ok_or_else(|| R::Error::missing_field("model"))?;
        let model = model.as_str().unwrap_or_default();
        let description =
            law(model).ok_or_else(|| R::Error::custom(format!("unknown model `{model}`")))?;
        let mut values = Values::default();
        TableReader::new(description, &mut values)
            .deserialize(Value::Table(table))
            .map_err(R::Error::custom)?;
        Ok(Self::new(description, values))
    }
}

/// The table of a material without its key `model`, or one of the tables in it.
struct Written<'a> {
    material: &'a Material,
    within: &'static str,
}

impl Material {
    /// Writes the entries of a table.
    fn write<M: SerializeMap>(
        &self,
        within: Option<&'static str>,
        map: &mut M,
    ) -> Result<(), M::Error> {
        for (key, entry) in entries(self.description(), within) {
            match entry {
                Entry::Number(parameter) => {
                    if let Some(number) = self.values().given(parameter.key) {
                        map.serialize_entry(key, &number)?;
                    }
                }
                Entry::Word(choice) => map.serialize_entry(key, self.values().word(choice))?,
                Entry::Table(table) => {
                    if self.values().has(table) {
                        let written = Written {
                            material: self,
                            within: table,
                        };
                        map.serialize_entry(key, &written)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.material.write(Some(self.within), &mut map)?;
        map.end()
    }
}

impl Serialize for Material {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model())?;
        self.write(None, &mut map)?;
        map.end()
    }
}
