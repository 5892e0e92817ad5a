//! Materials in the schema of scene files: one alternative for each model, one for the presets of
//! each.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use thixo::material::description::{Description, Rule};
use thixo::material::laws::LAWS;
use thixo::material::parameters::{Bound, Parameter};

use super::scene_material::SceneMaterial;

impl JsonSchema for SceneMaterial {
    fn schema_name() -> Cow<'static, str> {
        "Material".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut alternatives = Vec::new();
        for model in LAWS {
            alternatives.push(by_model(model));
            alternatives.extend(by_preset(model));
        }
        let mut schema = Schema::default();
        let about =
            "A material: a model with its parameters, or a preset with whatever differs from it.";
        schema.insert("description".to_owned(), about.into());
        schema.insert("type".to_owned(), "object".into());
        schema.insert("oneOf".to_owned(), alternatives.into());
        schema
    }
}

/// A number within the range of a parameter, or a formula where that is allowed.
fn parameter(model: &Description, parameter: &Parameter) -> Value {
    let mut number = Map::from_iter([("type".to_owned(), json!("number"))]);
    let mut limit = |bound: Bound, included: &str, excluded: &str| {
        let (key, value) = match bound {
            Bound::Included(value) => (included, value),
            Bound::Excluded(value) => (excluded, value),
        };
        if value.is_finite() {
            number.insert(key.to_owned(), json!(value));
        }
    };
    limit(parameter.range.least, "minimum", "exclusiveMinimum");
    limit(parameter.range.most, "maximum", "exclusiveMaximum");
    let unit = match parameter.unit() {
        "-" => String::new(),
        unit => format!(" [{unit}]"),
    };
    let default = match parameter.default {
        Some(value) => format!("Default: {value:?}."),
        None => "Required without a preset.".to_owned(),
    };
    let (about, words) = (parameter.about, parameter.range.words);
    let mut schema = if model.variable().any(|p| p.key == parameter.key) {
        json!({ "oneOf": [number, { "type": "string" }] })
    } else {
        Value::Object(number)
    };
    schema["description"] = json!(format!("{about}{unit}, {words}. {default}"));
    if let Some(value) = parameter.default.filter(|value| value.is_finite()) {
        schema["default"] = json!(value);
    }
    schema
}

/// The keys of a model but for `model` itself; those with a dot are in tables.
fn properties(model: &Description) -> Map<String, Value> {
    let mut properties = Map::new();
    for one in model.parameters() {
        let schema = parameter(model, one);
        match one.key.split_once('.') {
            None => {
                properties.insert(one.key.to_owned(), schema);
            }
            Some((table, key)) => {
                let empty =
                    || json!({ "type": "object", "properties": {}, "additionalProperties": false });
                let table = properties.entry(table).or_insert_with(empty);
                table["properties"][key] = schema;
            }
        }
    }
    for choice in model.choices() {
        let words: Vec<Value> = choice
            .words
            .iter()
            .map(|(word, about)| json!({ "const": word, "description": about }))
            .collect();
        let schema = json!({
            "description": choice.about,
            "oneOf": words,
            "default": choice.default_word(),
        });
        properties.insert(choice.key.to_owned(), schema);
    }
    properties
}

/// `model = "…"` with all that it needs.
fn by_model(model: &Description) -> Value {
    let mut properties = properties(model);
    let mut required = vec!["model"];
    for one in model.parameters().filter(|p| model.requires(p)) {
        match one.key.split_once('.') {
            None if model.rivals().all(|(key, _)| key != one.key) => required.push(one.key),
            None => {}
            Some((table, key)) => {
                if let Some(table) = properties.get_mut(table) {
                    match table["required"].as_array_mut() {
                        Some(keys) => keys.push(json!(key)),
                        None => table["required"] = json!([key]),
                    }
                }
            }
        }
    }
    let either: Vec<Value> = model
        .rivals()
        .map(|(one, other)| json!([{ "required": [one] }, { "required": [other] }]))
        .collect();
    properties.insert("model".to_owned(), json!({ "const": model.name }));
    let mut schema = json!({
        "title": model.name,
        "description": model.about,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    match either.as_slice() {
        [] => {}
        [pair] => schema["oneOf"] = pair.clone(),
        pairs => {
            let all: Vec<_> = pairs.iter().map(|pair| json!({ "oneOf": pair })).collect();
            schema["allOf"] = json!(all);
        }
    }
    // A number that one word of a choice can do without.
    for rule in model.rules {
        if let Rule::NeedlessWith {
            parameter,
            choice,
            word,
        } = rule
        {
            let mut chosen = json!({ "required": [choice.key] });
            chosen["properties"][choice.key] = json!({ "const": word });
            schema["anyOf"] = json!([{ "required": [parameter.key] }, chosen]);
        }
    }
    schema
}

/// `preset = "…"` with what differs, for all presets of a model.
fn by_preset(model: &Description) -> Option<Value> {
    let names: Vec<Value> = model
        .presets
        .iter()
        .map(|preset| json!({ "const": preset.name, "description": preset.about }))
        .collect();
    if names.is_empty() {
        return None;
    }
    let mut properties = properties(model);
    properties.insert("model".to_owned(), json!({ "const": model.name }));
    properties.insert("preset".to_owned(), json!({ "oneOf": names }));
    Some(json!({
        "title": format!("preset of {}", model.name),
        "description": format!("A preset of the model {}: {}", model.name, model.about),
        "properties": properties,
        "required": ["preset"],
        "additionalProperties": false,
    }))
}
