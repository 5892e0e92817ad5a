//! `preset = "…"`: a material of the library by name, with whatever the scene changes of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use thixo::material::presets::{Preset, preset, presets};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::{Material, SceneMaterial};
use crate::error::{Problem, SceneError};
use crate::read::{check_models, explain, unknown_choice};
use crate::source::Source;

/// Every preset as the lines of a scene's material.
static LINES: LazyLock<BTreeMap<&'static str, String>> = LazyLock::new(|| {
    let entries = presets().map(|preset| (preset.name, lines(preset)));
    entries.collect()
});

/// A preset as the lines of a scene's material.
pub fn lines(preset: &Preset) -> String {
    let mut text = format!("model = \"{}\"\n", preset.law.name);
    for (parameter, value) in preset.parameters() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} = {value:?}", parameter.key);
    }
    for (choice, word) in preset.choices {
        let _ = writeln!(text, "{} = \"{word}\"", choice.key);
    }
    text
}

/// Replaces the preset of every material by its model and parameters; what the scene says itself
/// stays.
pub(crate) fn expand(root: &mut DeTable<'_>, source: &Source) -> Result<(), SceneError> {
    let Some(DeValue::Table(materials)) = root.get_mut("materials").map(Spanned::get_mut) else {
        return Ok(());
    };
    for (name, value) in materials.iter_mut() {
        if let DeValue::Table(table) = value.get_mut() {
            let path = format!("materials.{}", name.get_ref());
            expand_one(table, &path, source)?;
        }
    }
    Ok(())
}

fn expand_one(table: &mut DeTable<'_>, path: &str, source: &Source) -> Result<(), SceneError> {
    let Some(value) = table.remove("preset") else {
        return Ok(());
    };
    let key = format!("{path}.preset");
    let Some(name) = value.get_ref().as_str() else {
        let problem = Problem::WrongType {
            key: key.clone(),
            found: format!("of type {}", value.get_ref().type_str()),
            expected: "the name of a preset".to_owned(),
        };
        return Err(source.error_at_key(&key, problem));
    };
    let (Some(preset), Some(lines)) = (preset(name), LINES.get(name)) else {
        let known = presets().map(|preset| preset.name.to_owned()).collect();
        return Err(source.error_at_key(&key, unknown_choice(&key, name, known)));
    };
    let model = preset.law.name;
    if let Some(given) = table.get("model").and_then(|m| m.get_ref().as_str())
        && given != model
    {
        let key = format!("{path}.model");
        let problem = Problem::OutOfRange {
            key: key.clone(),
            value: format!("\"{given}\""),
            range: format!("absent or \"{model}\", the model of the preset \"{name}\""),
        };
        return Err(source.error_at_key(&key, problem));
    }
    let mut defaults = DeTable::parse(lines)
        .map_err(|error| {
            let message = error.message().to_owned();
            source.error_at_key(&key, Problem::Syntax { message })
        })?
        .into_inner();
    // Of two keys that exclude each other the scene's replaces the preset's.
    for (one, other) in preset.law.rivals() {
        for (given, replaced) in [(one, other), (other, one)] {
            if table.contains_key(given) {
                defaults.remove(replaced);
            }
        }
    }
    merge(table, defaults, &value.span());
    Ok(())
}

/// Adds what is missing; it is said to stand at a span of the text.
fn merge<'i>(table: &mut DeTable<'i>, defaults: DeTable<'i>, span: &Range<usize>) {
    for (key, value) in defaults {
        match (
            table.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut),
            value.into_inner(),
        ) {
            (Some(DeValue::Table(inner)), DeValue::Table(more)) => merge(inner, more, span),
            (Some(_), _) => {}
            (None, value) => {
                let key = Spanned::new(span.clone(), key.into_inner());
                table.insert(key, Spanned::new(span.clone(), value));
            }
        }
    }
}

impl Material {
    /// Reads one material, `preset = "…"` or `model = "…"` with parameters, as it would stand below
    /// `[materials.NAME]` in a scene.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        #[derive(Deserialize)]
        struct Only {
            materials: BTreeMap<String, SceneMaterial>,
        }
        let text = format!("[materials.material]\n{text}");
        let mut source = Source::new(name, &text, std::path::Path::new(""));
        let mut root = DeTable::parse(&text).map_err(|error| {
            let message = error.message().replace('\n', "; ");
            source.error_at(error.span(), Problem::Syntax { message })
        })?;
        source.index(root.get_ref());
        expand(root.get_mut(), &source)?;
        check_models(root.get_ref(), &source)?;
        let mut only = Only::deserialize(Deserializer::from(root))
            .map_err(|error| explain(&source, &error))?;
        let Some(SceneMaterial { law, formulas }) = only.materials.remove("material") else {
            return Err(source.error_at(None, Problem::Empty));
        };
        if let Some((key, text)) = formulas.iter().next() {
            let key = format!("materials.material.{key}");
            let problem = Problem::WrongType {
                key: key.clone(),
                found: format!("{text:?}"),
                expected: "a number: a material by itself has no place".to_owned(),
            };
            return Err(source.error_at_key(&key, problem));
        }
        law.check(&source, "material", 3)?;
        Ok(law)
    }
}
