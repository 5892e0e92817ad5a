//! `docs/scene.schema.json` describes scene files. `THIXO_BLESS=1 cargo test -p thixo-scene --test
//! scene_schema` writes it anew.

use serde_json::{Map, Value};
use thixo_scene::{Scene, gallery, schema};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.schema.json");

#[test]
fn the_schema_of_the_repository_is_current() {
    let text = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("THIXO_BLESS").is_some() {
        std::fs::write(FILE, &text).unwrap();
    }
    let written = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        written == text,
        "docs/scene.schema.json is out of date; THIXO_BLESS=1 cargo test -p thixo-scene scene_schema writes it anew"
    );
}

/// A scene as JSON. Infinity, which JSON lacks, becomes a very large number.
fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Float(x) if x.is_infinite() => Value::from(1e300_f64.copysign(*x)),
        toml::Value::Array(list) => list.iter().map(json).collect(),
        toml::Value::Table(table) => {
            let entries = table.iter().map(|(key, value)| (key.clone(), json(value)));
            Value::Object(Map::from_iter(entries))
        }
        other => serde_json::to_value(other).unwrap(),
    }
}

/// The keywords of JSON Schema that ours uses; another one is a panic, so that none goes unchecked.
fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        return match schema {
            Value::Bool(true) => Ok(()),
            _ => Err(format!("{value} may not stand here")),
        };
    };
    for (keyword, rule) in keywords {
        let number = |limit: &Value| (value.as_f64(), limit.as_f64().unwrap());
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "definitions" => true,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/definitions/");
                check(root, &root["definitions"][name.unwrap()], value)?;
                true
            }
            "allOf" => {
                for one in rule.as_array().unwrap() {
                    check(root, one, value)?;
                }
                true
            }
            "anyOf" | "oneOf" => {
                let choices = rule.as_array().unwrap();
                let outcomes: Vec<_> = choices.iter().map(|one| check(root, one, value)).collect();
                match (
                    keyword.as_str(),
                    outcomes.iter().filter(|o| o.is_ok()).count(),
                ) {
                    ("oneOf", 1) => true,
                    ("anyOf", count) if count > 0 => true,
                    (_, count) => {
                        return Err(format!("{value} fits {count} alternatives: {outcomes:?}"));
                    }
                }
            }
            "type" => match rule.as_str().unwrap() {
                "number" => value.is_number(),
                "integer" => value.is_u64() || value.is_i64(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                other => panic!("type {other}"),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "const" => rule == value,
            "properties" => {
                for (key, one) in rule.as_object().unwrap() {
                    if let Some(inner) = value.get(key) {
                        check(root, one, inner).map_err(|error| format!("{key}: {error}"))?;
                    }
                }
                true
            }
            "required" => {
                let keys = rule.as_array().unwrap();
                let missing = keys
                    .iter()
                    .find(|key| value.get(key.as_str().unwrap()).is_none());
                if let Some(key) = missing {
                    return Err(format!("{key} is missing"));
                }
                true
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                for (key, inner) in value.as_object().into_iter().flatten() {
                    if !known.is_some_and(|known| known.contains_key(key)) {
                        check(root, rule, inner).map_err(|error| format!("{key}: {error}"))?;
                    }
                }
                true
            }
            "items" => {
                for inner in value.as_array().into_iter().flatten() {
                    check(root, rule, inner)?;
                }
                true
            }
            "minItems" => value
                .as_array()
                .is_none_or(|l| l.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|l| l.len() as u64 <= rule.as_u64().unwrap()),
            "minimum" => matches!(number(rule), (x, limit) if x.is_none_or(|x| x >= limit)),
            "maximum" => matches!(number(rule), (x, limit) if x.is_none_or(|x| x <= limit)),
            "exclusiveMinimum" => matches!(number(rule), (x, limit) if x.is_none_or(|x| x > limit)),
            "exclusiveMaximum" => matches!(number(rule), (x, limit) if x.is_none_or(|x| x < limit)),
            "multipleOf" => matches!(number(rule), (x, step) if x.is_none_or(|x| x % step == 0.0)),
            "pattern" => {
                assert_eq!(rule, "^#[0-9a-fA-F]{6}$");
                let digits = value
                    .as_str()
                    .map(|text| text.strip_prefix('#').unwrap_or(""));
                digits.is_none_or(|d| d.len() == 6 && d.chars().all(|c| c.is_ascii_hexdigit()))
            }
            other => panic!("the schema has {other}, which the test does not know"),
        };
        if !holds {
            return Err(format!("{value} is not {keyword} {rule}"));
        }
    }
    Ok(())
}

fn validate(text: &str) -> Result<(), String> {
    let table: toml::Table = text.parse().unwrap();
    let schema = schema();
    check(&schema, &schema, &json(&toml::Value::Table(table)))
}

#[test]
fn every_scene_of_the_gallery_fits_the_schema() {
    for scene in gallery::SCENES {
        validate(scene.text).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        // So does the scene with all defaults written out.
        let parsed = Scene::parse(scene.text, scene.name).unwrap();
        let whole = parsed.to_toml().unwrap();
        validate(&whole).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    }
}

/// A scene with a bit of everything.
const SOUND: &str = r##"
title = "all"
dimension = 2
grid = { spacing = 0.1, periodic = { x = 64 } }
time = { frames = 2, fps = 24 }
physics = { gravity = [0, "-9.81 * t"], transfer = { flip_pic = { flip = 0.9 } }, kernel = "cubic" }
output = { formats = ["ply", "npz"], columns = ["stress"], every = 2 }
materials.water = { model = "fluid", density = "1000 + y", bulk_modulus = 1e5, tension = "release" }
materials.sand = { preset = "sand", density = 1500 }
materials.soil = { model = "drucker_prager", density = 1500, young_modulus = 1e6, poisson_ratio = 0.3, friction_hardening = { h0 = 35, h1 = 9, h2 = 0.2, h3 = 10 } }
objects = [{ material = "sand", shape = { moved = { shape = { level_set = { formula = "lx^2 + ly^2 - 0.25", min = [1, 1], max = [3, 3] } }, rotation = 30 } }, color = "#ff8800", angular_velocity = 1 }]
emitters = [{ material = "water", shape = { box = { min = [0, 4], max = [0.5, 5] } }, velocity = ["1 + t", 0], sampling = { random = { per_cell = 4, seed = 3 } } }]
sinks = [{ shape = { complement = { sphere = { center = [0, 0], radius = 20 } } } }]
loads = [{ object = 0, pressure = "10 * t" }]
walls = [{ axis = "y", position = 0, matter = "above", contact = { separating = { friction = 0.3 } } }]
colliders = [{ shape = { union = [{ plane = { point = [0, -5], normal = [0, 1] } }] }, contact = "slip", materials = { sand = "sticky" }, motion = { translation = ["sin(t)", 0] } }]
preview = { "grid.spacing" = 0.2 }
"##;

#[test]
fn what_the_schema_refuses_the_reader_refuses_too() {
    validate(SOUND).unwrap();
    Scene::parse(SOUND, "sound").unwrap_or_else(|error| panic!("{error}"));
    let wrong = [
        ("title =", "tittle ="),
        ("dimension = 2", "dimension = 4"),
        ("dimension = 2\n", ""),
        ("dimension = 2", "dimension = \"2\""),
        ("spacing = 0.1,", "spacing = 0,"),
        ("spacing = 0.1,", "spacing = 0.1, size = 3,"),
        ("x = 64", "x = 63"),
        ("frames = 2", "frames = -2"),
        ("frames = 2, ", ""),
        ("fps = 24", "fps = 0"),
        ("[0, \"-9.81 * t\"]", "[0, true]"),
        ("flip = 0.9", "flip = 1.5"),
        ("\"cubic\"", "\"quartic\""),
        ("\"npz\"", "\"csv\""),
        ("every = 2", "every = 0"),
        ("model = \"fluid\"", "model = \"fluids\""),
        ("bulk_modulus = 1e5, ", ""),
        ("bulk_modulus = 1e5", "bulk_modulus = -1"),
        ("bulk_modulus = 1e5", "bulk_moduli = 1e5"),
        ("\"release\"", "\"let go\""),
        ("preset = \"sand\"", "preset = \"sands\""),
        ("preset = \"sand\"", "preset = \"sand\", viscosity = 1"),
        ("poisson_ratio = 0.3", "poisson_ratio = 0.5"),
        ("h3 = 10", "h4 = 10"),
        (
            "friction_hardening = {",
            "friction_angle = 30, friction_hardening = {",
        ),
        ("lx^2 + ly^2 - 0.25\"", "lx\", name = \"ball\""),
        ("{ level_set =", "{ levelset ="),
        ("rotation = 30", "rotation = \"30\""),
        ("\"#ff8800\"", "\"orange\""),
        ("angular_velocity = 1", "angular_velocity = [1, 2]"),
        ("material = \"sand\", ", ""),
        ("velocity = [\"1 + t\", 0], ", ""),
        ("per_cell = 4, seed", "per_cell = 4.5, seed"),
        ("radius = 20", "radius = -20"),
        ("object = 0", "object = -1"),
        ("axis = \"y\"", "axis = \"w\""),
        ("matter = \"above\"", "matter = \"over\""),
        ("friction = 0.3", "friction = [0.3]"),
        ("contact = \"slip\"", "contact = \"slippery\""),
        ("sand = \"sticky\"", "sand = \"glue\""),
        ("contact = \"slip\"", "contact = \"slip\", thickness = 0"),
        ("motion = { translation", "motion = { translations"),
    ];
    for (right, mistake) in wrong {
        assert!(SOUND.contains(right), "{right}");
        let text = SOUND.replacen(right, mistake, 1);
        assert!(validate(&text).is_err(), "the schema allows {mistake:?}");
        assert!(
            Scene::parse(&text, "wrong").is_err(),
            "the reader allows {mistake:?}"
        );
    }
}

#[test]
fn every_key_is_described_and_words_are_listed() {
    let schema = schema();
    let text = schema.to_string();
    for word in [
        "neo_hookean",
        "herschel_bulkley",
        "level_set",
        "grid_and_particles",
        "poisson",
        "\"sand\"",
    ] {
        assert!(text.contains(word), "{word}");
    }
    assert!(!text.contains("null"), "a scene has no null");
    let mut undescribed = Vec::new();
    let tables = schema["definitions"].as_object().unwrap().iter();
    for (name, table) in tables
        .map(|(k, v)| (k.as_str(), v))
        .chain([("scene", &schema)])
    {
        for (key, one) in table["properties"].as_object().into_iter().flatten() {
            if one["description"].as_str().is_none_or(str::is_empty) {
                undescribed.push(format!("{name}.{key}"));
            }
        }
    }
    assert_eq!(undescribed, Vec::<String>::new());
}
