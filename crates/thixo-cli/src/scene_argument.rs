//! The scene of a command: a file or a built-in name, with values set on the command line.

use std::path::Path;

use anyhow::{Context, Error, Result, anyhow, bail};
use clap::Args;
use thixo_scene::{Scene, Setting, gallery, with_preview, with_settings};

/// A scene on the command line.
#[derive(Args)]
pub struct SceneArgument {
    /// A scene file, or the name of a built-in scene (`thixo scenes` lists them).
    scene: String,
    /// Replace a value of the scene: grid.spacing=0.02, objects[0].velocity="[1, 0, 0]". May be
    /// given several times.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Setting>,
    /// Take the smaller version that the scene has in its [preview] table.
    #[arg(long)]
    preview: bool,
}

/// A scene and what it is called.
pub struct NamedScene {
    /// Name of the file without its ending, or of the built-in scene.
    pub name: String,
    /// The scene.
    pub scene: Scene,
}

impl SceneArgument {
    /// A scene as it is.
    pub fn named(scene: &str) -> Self {
        Self {
            scene: scene.to_owned(),
            settings: Vec::new(),
            preview: false,
        }
    }

    /// The argument as given.
    pub fn as_given(&self) -> &str {
        &self.scene
    }

    /// Reads the scene.
    pub fn load(&self) -> Result<NamedScene> {
        let path = Path::new(&self.scene);
        let (name, file, text) = if path.is_file() {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            (name.into_owned(), self.scene.clone(), text)
        } else if let Some(built_in) = gallery::find(&self.scene) {
            let file = format!("{}.toml (built in)", built_in.name);
            (self.scene.clone(), file, built_in.text.to_owned())
        } else {
            return Err(self.unknown());
        };
        let replaced = match self.preview {
            true => with_preview(&text).context("cannot make the preview")?,
            false => text.clone(),
        };
        let replaced = with_settings(&replaced, &self.settings).context("cannot set a value")?;
        let directory = path.parent().filter(|_| path.is_file());
        let directory = directory.unwrap_or(Path::new(""));
        let scene = Scene::parse_replaced(&replaced, &text, &file, directory)?;
        if self.preview && scene.preview.is_empty() {
            bail!(
                "{file} has no [preview] table; leave out --preview, or make it smaller with --set grid.spacing=…"
            );
        }
        Ok(NamedScene { name, scene })
    }

    fn unknown(&self) -> Error {
        let scene = &self.scene;
        if Path::new(scene).is_dir() {
            return anyhow!(
                "{scene} is a directory; a scene is a file, in the directory of a run {scene}/scene.toml"
            );
        }
        unknown_scene(scene)
    }
}

/// There is neither a file nor a built-in scene of that name.
pub fn unknown_scene(name: &str) -> Error {
    let hint = match gallery::nearest(name) {
        Some(nearest) => format!("did you mean \"{nearest}\"?"),
        None => "`thixo scenes` lists the built-in ones".to_owned(),
    };
    anyhow!("there is no file and no built-in scene \"{name}\"; {hint}")
}
