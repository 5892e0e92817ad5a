//! `thixo scenes` and `thixo new`: the built-in scenes, and files that begin as one of them.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Value, json};
use thixo_scene::{Scene, gallery};

use crate::console::print_line;
use crate::exit::Failure;
use crate::scene_argument::unknown_scene;
use crate::schema;

/// Options of `thixo scenes`.
#[derive(Args)]
#[command(after_help = "Any name works wherever a scene file does: thixo run jelly-drop")]
pub struct Scenes {
    /// Print a JSON list.
    #[arg(long)]
    json: bool,
}

impl Scenes {
    /// Lists the built-in scenes.
    pub fn run(&self) -> Result<(), Failure> {
        let mut list = Vec::new();
        for built_in in gallery::SCENES {
            let scene = Scene::parse(built_in.text, built_in.name);
            let scene = scene.map_err(|error| Failure::Input(error.into()))?;
            list.push((built_in.name, scene));
        }
        if self.json {
            let list: Vec<Value> = list
                .iter()
                .map(|(name, scene)| {
                    json!({ "name": name, "title": scene.title, "dimension": scene.dimension })
                })
                .collect();
            print_line(&Value::from(list).to_string());
            return Ok(());
        }
        let width = list.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, scene) in list {
            print_line(&format!(
                "{name:width$}  {}D  {}",
                scene.dimension, scene.title
            ));
        }
        Ok(())
    }
}

const EXAMPLE: &str = "\
Examples:
  thixo new my-scene
  thixo new my-snowball --from snowball
  thixo run my-snowball.toml";

/// Options of `thixo new`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct New {
    /// Name of the new scene; the file is NAME.toml.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    name: String,
    /// A built-in scene or a file to begin with.
    #[arg(long, value_name = "SCENE", default_value = "falling-block")]
    from: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl New {
    /// Writes the file, and the schema beside it; what is there already stays as it is.
    pub fn run(&self) -> Result<(), Failure> {
        let name = self.name.trim_end_matches(".toml");
        if Path::new(name).file_name().is_none() || name.ends_with('/') {
            let name = &self.name;
            return Err(Failure::Input(anyhow!("\"{name}\" is no name for a scene")));
        }
        let path = PathBuf::from(format!("{name}.toml"));
        let text = self.text().map_err(Failure::Input)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let mut file = match file {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let path = path.display();
                return Err(Failure::Input(anyhow!(
                    "{path} exists already; choose another name or remove it"
                )));
            }
            other => other
                .with_context(|| format!("cannot create {}", path.display()))
                .map_err(Failure::Input)?,
        };
        file.write_all(with_directive(&text).as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Failure::Run)?;
        write_schema(&path).map_err(Failure::Run)?;
        let path = path.display();
        if self.json {
            print_line(&json!({ "file": path.to_string(), "from": self.from }).to_string());
        } else {
            print_line(&format!("wrote {path}; run it with: thixo run {path}"));
        }
        Ok(())
    }

    fn text(&self) -> anyhow::Result<String> {
        if let Some(built_in) = gallery::find(&self.from) {
            return Ok(built_in.text.to_owned());
        }
        match std::fs::read_to_string(&self.from) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(unknown_scene(&self.from)),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", self.from)),
        }
    }
}

/// The text with the line by which editors find the schema.
fn with_directive(text: &str) -> String {
    if text.starts_with("#:schema") {
        return text.to_owned();
    }
    format!("#:schema ./{}\n{text}", schema::FILE)
}

/// Puts the schema beside a scene, unless there is one.
fn write_schema(scene: &Path) -> anyhow::Result<()> {
    let path = scene.with_file_name(schema::FILE);
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        file => file.and_then(|mut file| writeln!(file, "{:#}", thixo_scene::schema())),
    }
    .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_scene_names_the_schema_beside_it() {
        let folder = std::env::temp_dir().join(format!("thixo-new-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let new = |name: &str, from: &str| {
            let name = folder.join(name).display().to_string();
            let (from, json) = (from.to_owned(), true);
            assert!(New { name, from, json }.run().is_ok());
        };
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        new("first", "falling-block");
        let first = read("first.toml");
        assert!(
            first.starts_with("#:schema ./scene.schema.json\n"),
            "{first}"
        );
        Scene::parse(&first, "first.toml").unwrap();
        let schema: Value = serde_json::from_str(&read(schema::FILE)).unwrap();
        assert_eq!(schema, thixo_scene::schema());
        // A schema that is there stays, and the line is not repeated.
        std::fs::write(folder.join(schema::FILE), "{}").unwrap();
        new("second", &folder.join("first.toml").display().to_string());
        assert_eq!(read("second.toml"), first);
        assert_eq!(read(schema::FILE), "{}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
