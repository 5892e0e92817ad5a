//! A scene: a text that was read and checked.

use std::path::PathBuf;

use pyo3::prelude::*;
use thixo_scene::{Precision, Setting, gallery as built_in, with_preview, with_settings};

use crate::engine;
use crate::errors;
use crate::run;
use crate::simulation::Simulation;

/// A scene and the text it was read from.
#[pyclass(module = "thixo._thixo", frozen)]
pub struct Scene {
    scene: thixo_scene::Scene,
    text: String,
    name: String,
    directory: PathBuf,
}

/// Names of the built-in scenes.
#[pyfunction]
pub fn gallery() -> Vec<&'static str> {
    built_in::SCENES.iter().map(|scene| scene.name).collect()
}

impl Scene {
    fn parse(
        py: Python<'_>,
        (text, name, directory): (String, String, PathBuf),
        preview: bool,
        settings: &[(String, String)],
    ) -> PyResult<Self> {
        let refused =
            |error: thixo_scene::SettingError| errors::of_scene_text(py, error.to_string());
        let replaced = match preview {
            true => with_preview(&text).map_err(refused)?,
            false => text.clone(),
        };
        let mut list = Vec::new();
        for (path, value) in settings {
            let setting: Setting = format!("{path}={value}").parse().map_err(refused)?;
            list.push(setting);
        }
        let replaced = with_settings(&replaced, &list).map_err(refused)?;
        let scene = thixo_scene::Scene::parse_replaced(&replaced, &text, &name, &directory);
        let scene = scene.map_err(|error| errors::of_scene(py, &error))?;
        Ok(Self {
            scene,
            text: replaced,
            name,
            directory,
        })
    }
}

#[pymethods]
impl Scene {
    /// Reads a text.
    #[staticmethod]
    fn from_toml(
        py: Python<'_>,
        text: String,
        name: String,
        directory: PathBuf,
        preview: bool,
        settings: Vec<(String, String)>,
    ) -> PyResult<Self> {
        Self::parse(py, (text, name, directory), preview, &settings)
    }

    /// Reads a scene written as JSON.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str, directory: PathBuf) -> PyResult<Self> {
        let refused = |error: String| errors::of_scene_text(py, error);
        let value: toml::Value =
            serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
        let text = toml::to_string(&value).map_err(|error| refused(error.to_string()))?;
        Self::parse(py, (text, "scene".to_owned(), directory), false, &[])
    }

    /// Reads a built-in scene.
    #[staticmethod]
    fn from_gallery(
        py: Python<'_>,
        name: &str,
        preview: bool,
        settings: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let Some(scene) = built_in::find(name) else {
            let hint = match built_in::nearest(name) {
                Some(nearest) => format!("did you mean {nearest:?}?"),
                None => "thixo.gallery.names() lists them".to_owned(),
            };
            return Err(errors::of_scene_text(
                py,
                format!("there is no built-in scene {name:?}; {hint}"),
            ));
        };
        let (text, file) = (scene.text.to_owned(), format!("{name}.toml (built in)"));
        Self::parse(py, (text, file, PathBuf::new()), preview, &settings)
    }

    /// The same with other values.
    fn with_settings(&self, py: Python<'_>, settings: Vec<(String, String)>) -> PyResult<Self> {
        let text = (self.text.clone(), self.name.clone(), self.directory.clone());
        Self::parse(py, text, false, &settings)
    }

    /// With every default written out.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.scene
            .to_toml()
            .map_err(|error| errors::of_scene(py, &error))
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.to_toml(py)?;
        let refused = |error: String| errors::of_scene_text(py, error);
        let value: toml::Value =
            toml::from_str(&text).map_err(|error| refused(error.to_string()))?;
        serde_json::to_string(&value).map_err(|error| refused(error.to_string()))
    }

    #[getter]
    fn title(&self) -> &str {
        &self.scene.title
    }
    #[getter]
    fn frames(&self) -> u32 {
        self.scene.time.frames
    }
    #[getter]
    fn fps(&self) -> f64 {
        self.scene.time.fps
    }

    fn build(
        &self,
        py: Python<'_>,
        threads: usize,
        precision: Option<&str>,
    ) -> PyResult<Simulation> {
        let scene = self.in_precision(precision)?;
        let built = py.detach(|| engine::build(&scene, threads));
        let engine = built.map_err(|error| errors::of_scene(py, &error))?;
        Ok(Simulation::new(engine))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "they are keyword arguments of Python"
    )]
    #[pyo3(signature = (out, frames, threads, precision, overwrite, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        out: PathBuf,
        frames: Option<u32>,
        threads: usize,
        precision: Option<&str>,
        overwrite: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let mut scene = self.in_precision(precision)?;
        if let Some(frames) = frames {
            scene.time.frames = frames;
        }
        run::run(py, &scene, &out, (threads, overwrite), progress)
    }
}

impl Scene {
    fn in_precision(&self, precision: Option<&str>) -> PyResult<thixo_scene::Scene> {
        let mut scene = self.scene.clone();
        match precision {
            None => {}
            Some("f32") => scene.precision = Precision::F32,
            Some("f64") => scene.precision = Precision::F64,
            Some(other) => {
                let message = format!("precision is {other:?}; it must be \"f32\" or \"f64\"");
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            }
        }
        Ok(scene)
    }
}
