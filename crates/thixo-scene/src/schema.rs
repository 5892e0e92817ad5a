//! The JSON Schema of scene files, for editors: what may stand where, with units, ranges and
//! defaults.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::scene::Scene;

/// The JSON Schema (draft 7) of scene files. It says which keys there are, which are required, of
/// which kind their values are and in which range single numbers lie. What depends on several keys,
/// such as the number of components of vectors, is left to [`Scene::parse`].
pub fn schema() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<Scene>().to_value();
    tidy(&mut schema);
    if let Value::Object(keys) = &mut schema {
        keys.insert("title".to_owned(), "thixo scene".into());
    }
    schema
}

/// Makes of a schema for Rust values one for TOML files: nothing is ever null, and descriptions are
/// plain text.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(tidy),
        Value::Object(keys) => {
            keys.values_mut().for_each(tidy);
            without_null(keys);
            if let Some(Value::String(text)) = keys.get_mut("description") {
                *text = plain(text);
            }
        }
        _ => {}
    }
}

/// A key of a scene is absent rather than null, and infinity cannot be written in JSON.
fn without_null(keys: &mut Map<String, Value>) {
    if keys.get("default").is_some_and(Value::is_null) {
        keys.remove("default");
    }
    if let Some(Value::Array(kinds)) = keys.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            keys.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(choices)) = keys.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            keys.remove("anyOf");
            // Beside a reference nothing else counts in this draft.
            match only.contains_key("$ref") && !keys.is_empty() {
                true => drop(keys.insert("allOf".to_owned(), vec![Value::Object(only)].into())),
                false => keys.extend(only),
            }
        }
    }
    // The widths of Rust's integers say nothing to an editor.
    let is_width = |kind: &Value| matches!(kind.as_str(), Some("double" | "uint32"));
    if keys.get("format").is_some_and(is_width) {
        keys.remove("format");
    }
}

/// A comment of the sources as plain text, a line for each paragraph.
fn plain(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|part| part.replace('\n', " "));
    let text = paragraphs.collect::<Vec<_>>().join("\n");
    text.replace("\\[", "[")
        .replace("\\]", "]")
        .replace("[`", "`")
        .replace("`]", "`")
}
