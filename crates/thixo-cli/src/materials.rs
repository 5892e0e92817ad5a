//! `thixo materials`: models and presets, with parameters, units, ranges, defaults and sources.

use anyhow::{Error, anyhow};
use clap::Args;
use serde_json::{Value, json};
use thixo::material::description::Description;
use thixo::material::laws::LAWS;
use thixo::material::parameters::{Bound, Parameter};
use thixo::material::presets::{Preset, preset, presets};
use thixo_scene::nearest;

use crate::console::print_line;
use crate::exit::Failure;

const EXAMPLE: &str = "\
Examples:
  thixo materials                  all models and presets, a line each
  thixo materials drucker_prager   a model: parameters, units, ranges, defaults, reference
  thixo materials snow --json      the model and the preset of that name, for programs

In a scene a material is a model with its parameters, or a preset and what differs from it:
  [materials.ball]
  preset = \"snow\"
  hardening = 5";

/// Options of `thixo materials`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Materials {
    /// A model or a preset; all of them if absent.
    name: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Materials {
    /// Lists them.
    pub fn run(&self) -> Result<(), Failure> {
        let wanted = |name: &str| self.name.as_deref().is_none_or(|wanted| wanted == name);
        let models = LAWS.iter().copied();
        let models: Vec<&Description> = models.filter(|model| wanted(model.name)).collect();
        let presets: Vec<&Preset> = presets().filter(|preset| wanted(preset.name)).collect();
        if models.is_empty() && presets.is_empty() {
            let name = self.name.as_deref().unwrap_or_default();
            return Err(Failure::Input(unknown_material(name)));
        }
        if self.json {
            let models: Vec<Value> = models.into_iter().map(model_json).collect();
            let presets: Vec<Value> = presets.into_iter().map(preset_json).collect();
            print_line(&json!({ "models": models, "presets": presets }).to_string());
        } else if self.name.is_some() {
            models.into_iter().for_each(describe_model);
            presets.into_iter().for_each(describe_preset);
        } else {
            print_line("Models, for model = \"…\":");
            for model in models {
                print_line(&format!("  {:<26} {}", model.name, model.about));
            }
            print_line("\nPresets, for preset = \"…\":");
            for preset in presets {
                let law = preset.law.name;
                print_line(&format!("  {:<32} {law:<26} {}", preset.name, preset.about));
            }
            print_line("\nthixo materials NAME tells more about one.");
        }
        Ok(())
    }
}

/// There is no model and no preset of that name.
fn unknown_material(name: &str) -> Error {
    let models = LAWS.iter().map(|model| model.name);
    match nearest(name, models.chain(presets().map(|preset| preset.name))) {
        Some(near) => {
            anyhow!("there is no model and no preset \"{name}\"; did you mean \"{near}\"?")
        }
        None => {
            anyhow!("there is no model and no preset \"{name}\"; thixo materials lists all of them")
        }
    }
}

/// The key, `preset` or `model`, and the name of a material, or what is near to it.
pub fn known_material(name: &str) -> Result<(&'static str, &'static str), Error> {
    if let Some(preset) = preset(name) {
        return Ok(("preset", preset.name));
    }
    let model = LAWS.iter().find(|model| model.name == name);
    model.map_or_else(
        || Err(unknown_material(name)),
        |model| Ok(("model", model.name)),
    )
}

fn describe_model(model: &Description) {
    print_line(&format!("model = \"{}\": {}", model.name, model.about));
    for parameter in model.parameters() {
        let Parameter { key, about, .. } = parameter;
        print_line(&format!("  {key} [{}]: {about}", parameter.unit()));
        let default = parameter
            .default
            .map_or("required".to_owned(), |value| format!("default {value:?}"));
        print_line(&format!("      {}; {default}", parameter.range.words));
    }
    for choice in model.choices() {
        print_line(&format!("  {}: {}", choice.key, choice.about));
        for (index, (word, meaning)) in choice.words.iter().enumerate() {
            let default = if index == 0 { " (default)" } else { "" };
            print_line(&format!("      \"{word}\"{default}: {meaning}"));
        }
    }
    print_line(&format!("  after {}", model.reference));
}

fn describe_preset(preset: &Preset) {
    print_line(&format!("preset = \"{}\": {}", preset.name, preset.about));
    print_line(&format!("  model = \"{}\"", preset.law.name));
    for (parameter, value) in preset.parameters() {
        print_line(&format!(
            "  {} = {value:?}  # {}",
            parameter.key,
            parameter.unit()
        ));
    }
    for (choice, word) in preset.choices {
        print_line(&format!("  {} = \"{word}\"", choice.key));
    }
    print_line(&format!("  after {}", preset.source));
}

/// Numbers as JSON; those that it cannot hold as words.
pub fn number(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!(value.to_string())
    }
}

/// The end of a range as JSON.
fn bound(bound: Bound) -> Value {
    match bound {
        Bound::Included(value) => json!({ "value": number(value), "included": true }),
        Bound::Excluded(value) => json!({ "value": number(value), "included": false }),
    }
}

fn model_json(model: &Description) -> Value {
    let parameters: Vec<Value> = model
        .parameters()
        .map(|parameter| {
            json!({
                "key": parameter.key,
                "quantity": parameter.quantity,
                "about": parameter.about,
                "unit": parameter.unit(),
                "range": parameter.range.words,
                "least": bound(parameter.range.least),
                "most": bound(parameter.range.most),
                "default": parameter.default.map(number),
            })
        })
        .collect();
    let choices: Vec<Value> = model
        .choices()
        .map(|choice| {
            let words = choice.words.iter();
            let words: Vec<Value> = words
                .map(|(word, about)| json!({ "word": word, "about": about }))
                .collect();
            json!({ "key": choice.key, "about": choice.about, "words": words, "default": choice.default_word() })
        })
        .collect();
    json!({
        "name": model.name,
        "about": model.about,
        "reference": model.reference,
        "parameters": parameters,
        "choices": choices,
    })
}

fn preset_json(preset: &Preset) -> Value {
    let parameters: Vec<Value> = preset
        .parameters()
        .into_iter()
        .map(|(parameter, value)| {
            json!({ "key": parameter.key, "value": number(value), "unit": parameter.unit() })
        })
        .collect();
    let choices: Vec<Value> = preset
        .choices
        .iter()
        .map(|(choice, word)| json!({ "key": choice.key, "word": word }))
        .collect();
    json!({
        "name": preset.name,
        "about": preset.about,
        "model": preset.law.name,
        "parameters": parameters,
        "choices": choices,
        "source": preset.source,
    })
}
