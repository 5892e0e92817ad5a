//! From text to a scene, and from the parser's errors to ours.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use thixo::material::description::Values;
use thixo::material::laws::{LAWS, law};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error, ValueDeserializer};

use crate::error::{Problem, SceneError};
use crate::material::{TableReader, preset};
use crate::scene::Scene;
use crate::source::Source;
use crate::suggest::nearest;
use crate::unit;

impl Scene {
    /// Reads a scene and checks everything that can be checked without sampling it. `name` is what
    /// messages call the file. Meshes and images are looked for from the current folder on.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::parse_in(text, name, Path::new(""))
    }

    /// Reads a scene like [`Scene::parse`], with meshes and images relative to a folder: that of
    /// the scene file.
    pub fn parse_in(text: &str, name: &str, directory: &Path) -> Result<Self, SceneError> {
        Self::parse_source(text, Source::new(name, text, directory))
    }

    /// Reads a scene like [`Scene::parse_in`] from a text that was the text `file` before values of
    /// it were replaced (see [`with_settings`](crate::with_settings)); errors refer to the lines of
    /// `file`.
    pub fn parse_replaced(
        text: &str,
        file: &str,
        name: &str,
        directory: &Path,
    ) -> Result<Self, SceneError> {
        let source = Source::new(name, text, directory).replaced_in(file);
        Self::parse_source(text, source)
    }

    fn parse_source(text: &str, mut source: Source) -> Result<Self, SceneError> {
        let mut root = DeTable::parse(text).map_err(|error| {
            let message = error.message().replace('\n', "; ");
            source.error_at(error.span(), Problem::Syntax { message })
        })?;
        source.index(root.get_ref());
        let converted = unit::converted(root.get_ref(), &source)?;
        unit::put(root.get_mut(), &converted);
        preset::expand(root.get_mut(), &source)?;
        check_models(root.get_ref(), &source)?;
        let mut scene = Self::deserialize(Deserializer::from(root))
            .map_err(|error| explain(&source, &error))?;
        scene.source = source;
        scene.check()?;
        scene.write_out_defaults();
        Ok(scene)
    }
}

/// Reads every material by its model alone: an error then has a place, which it loses in the choice
/// of the model.
pub(crate) fn check_models(root: &DeTable<'_>, source: &Source) -> Result<(), SceneError> {
    let Some(materials) = root.get("materials").and_then(|m| m.get_ref().as_table()) else {
        return Ok(());
    };
    for (name, value) in materials.iter() {
        let name: &str = name.get_ref();
        let path = format!("materials.{name}");
        let Some(table) = value.get_ref().as_table() else {
            let problem = Problem::WrongType {
                key: path.clone(),
                found: value.get_ref().type_str().to_owned(),
                expected: "a table with a model and its parameters".to_owned(),
            };
            return Err(source.error_at_key(&path, problem));
        };
        let mut parameters = table.clone();
        let model = parameters.remove("model");
        let Some(model) = model.as_ref().map(Spanned::get_ref) else {
            let key = "model".to_owned();
            let table = format!("[{path}]");
            return Err(source.error_at_key(&path, Problem::MissingKey { key, table }));
        };
        let key = format!("{path}.model");
        let Some(model) = model.as_str() else {
            let problem = Problem::WrongType {
                key: key.clone(),
                found: format!("of type {}", model.type_str()),
                expected: "the name of a model".to_owned(),
            };
            return Err(source.error_at_key(&key, problem));
        };
        let Some(description) = law(model) else {
            let known = LAWS.iter().map(|law| law.name.to_owned()).collect();
            let problem = unknown_choice(&key, model, known);
            return Err(source.error_at_key(&key, problem));
        };
        // Formulas are read later: here any number does for them.
        for parameter in description.variable() {
            stand_in(&mut parameters, parameter.key);
        }
        let parameters = Spanned::new(value.span(), DeValue::Table(parameters));
        TableReader::new(description, &mut Values::default())
            .deserialize(ValueDeserializer::from(parameters))
            .map_err(|error| explain(source, &error))?;
    }
    Ok(())
}

/// Puts a number in the place of a string at a key with dots.
fn stand_in(table: &mut DeTable<'_>, key: &str) {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    match (table.get_mut(first).map(Spanned::get_mut), rest) {
        (Some(DeValue::Table(inner)), Some(rest)) => stand_in(inner, rest),
        (Some(value @ DeValue::String(_)), None) => {
            if let Ok(number) = DeValue::parse("1.0") {
                *value = number.into_inner();
            }
        }
        _ => {}
    }
}

/// An error of serde in our words, with the key it is about.
pub(crate) fn explain(source: &Source, error: &Error) -> SceneError {
    let message = error.message();
    // An empty span is the top of the file, which is no key's place.
    let span = error.span().filter(|span| !span.is_empty());
    let path = span.as_ref().and_then(|span| source.key_at(span));
    let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
    let problem = if message.starts_with("unknown field ") {
        unknown_key(path, quoted.next().unwrap_or_default(), quoted.collect())
    } else if let Some((keys, known)) = message
        .strip_prefix("unexpected keys in table: ")
        .and_then(|rest| rest.split_once(", available keys: "))
    {
        let key = keys.split(", ").next().unwrap_or(keys);
        let known = known.split(", ").map(str::to_owned).collect();
        unknown_key(path, key.to_owned(), known)
    } else if message.starts_with("unknown variant ") {
        let value = quoted.next().unwrap_or_default();
        let path = path.unwrap_or_default();
        // Of `{ word = … }` the place is the word itself.
        let key = path.strip_suffix(&format!(".{value}")).unwrap_or(path);
        unknown_choice(key, &value, quoted.collect())
    } else if message.starts_with("missing field ") {
        let key = quoted.next().unwrap_or_default();
        let table = table_name(path);
        Problem::MissingKey { key, table }
    } else {
        wrong_type(path.unwrap_or("the scene"), message)
    };
    source.error_at(span, problem)
}

fn unknown_key(path: Option<&str>, key: String, known: Vec<String>) -> Problem {
    Problem::UnknownKey {
        table: table_name(path.and_then(|path| path.strip_suffix(&key))),
        suggestion: nearest(&key, known.iter().map(String::as_str)).map(str::to_owned),
        key,
        known,
    }
}

pub(crate) fn unknown_choice(key: &str, value: &str, known: Vec<String>) -> Problem {
    Problem::UnknownChoice {
        key: key.to_owned(),
        value: value.to_owned(),
        suggestion: nearest(value, known.iter().map(String::as_str)).map(str::to_owned),
        known,
    }
}

/// `[grid]`, or the whole.
fn table_name(path: Option<&str>) -> String {
    match path.map(|path| path.trim_end_matches('.')) {
        None | Some("") => "the scene".to_owned(),
        Some(path) => format!("[{path}]"),
    }
}

/// A value that is not of the kind that is needed.
fn wrong_type(key: &str, message: &str) -> Problem {
    let key = key.to_owned();
    let mismatch = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .and_then(|rest| rest.split_once(", expected "));
    let (found, expected) = match mismatch {
        Some(("unit variant", _)) => (
            "a word alone",
            "a table with the parameters: { word = { … } }",
        ),
        Some(mismatch) => mismatch,
        None if message.starts_with("wanted ") => ("that", "a word or a table with one key"),
        None => {
            let message = message.replace('\n', "; ");
            return Problem::Other { key, message };
        }
    };
    let found = found.replace('`', "");
    let found = match found.split_once(' ') {
        None if found == "sequence" => "a list".to_owned(),
        None if found == "map" => "a table".to_owned(),
        Some(("integer", number)) => number.to_owned(),
        Some(("floating", number)) => number.trim_start_matches("point ").to_owned(),
        Some(("string", text)) => text.to_owned(),
        _ => found,
    };
    let expected = match expected {
        "f64" => "a number",
        "u32" => "a whole number, zero or positive",
        "a sequence" => "a list",
        "a map" => "a table",
        other if other.starts_with("struct ") => "a table",
        other => other,
    };
    let expected = expected.to_owned();
    Problem::WrongType {
        key,
        found,
        expected,
    }
}
