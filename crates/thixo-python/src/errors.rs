//! Errors of the libraries as the exceptions of `thixo.errors`, with the same messages as on the
//! command line.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thixo::{BuildError, StepError};
use thixo_scene::{Problem, SceneError};

/// An exception of `thixo.errors` with a message and attributes.
fn exception(
    py: Python<'_>,
    class: &str,
    message: String,
    fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || {
        let attributes = PyDict::new(py);
        fill(&attributes)?;
        let class = py.import("thixo.errors")?.getattr(class)?;
        class.call((message,), Some(&attributes))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A scene that was refused: key, value, range, and where it stands.
pub fn of_scene(py: Python<'_>, error: &SceneError) -> PyErr {
    let (mut key, mut value, mut range) = (None, None, None);
    match &*error.problem {
        Problem::OutOfRange {
            key: k,
            value: v,
            range: r,
        } => {
            (key, value, range) = (Some(k.clone()), Some(v.clone()), Some(r.clone()));
        }
        Problem::UnknownChoice {
            key: k,
            value: v,
            known,
            ..
        } => {
            (key, value, range) = (Some(k.clone()), Some(v.clone()), Some(known.join(", ")));
        }
        Problem::WrongType {
            key: k,
            found,
            expected,
        } => {
            (key, value, range) = (Some(k.clone()), Some(found.clone()), Some(expected.clone()));
        }
        Problem::UnknownKey { key: k, .. } | Problem::MissingKey { key: k, .. } => {
            key = Some(k.clone());
        }
        Problem::Expression { key: k, .. }
        | Problem::NonFinite { key: k, .. }
        | Problem::Refused { key: k, .. }
        | Problem::RefusedAt { key: k, .. }
        | Problem::Asset { key: k, .. }
        | Problem::NoParticle { key: k, .. }
        | Problem::Buried { key: k, .. }
        | Problem::Other { key: k, .. } => key = Some(k.clone()),
        _ => {}
    }
    exception(py, "SceneError", error.to_string(), |attributes| {
        attributes.set_item("key", key)?;
        attributes.set_item("value", value)?;
        attributes.set_item("range", range)?;
        attributes.set_item("file", &error.file)?;
        attributes.set_item("line", error.place.as_ref().map(|place| place.line))?;
        attributes.set_item("column", error.place.as_ref().map(|place| place.column))
    })
}

/// A key of a scene that cannot be set, or a scene that there is not.
pub fn of_scene_text(py: Python<'_>, message: String) -> PyErr {
    exception(py, "SceneError", message, |_| Ok(()))
}

/// A simulation that cannot go on.
pub fn of_step(py: Python<'_>, error: &StepError) -> PyErr {
    exception(py, "SimulationError", error.to_string(), |_| Ok(()))
}

/// Particles that the engine refuses.
pub fn of_build(py: Python<'_>, error: &BuildError) -> PyErr {
    exception(py, "SimulationError", error.to_string(), |_| Ok(()))
}

/// Files of a run that cannot be read or written.
pub fn of_run(py: Python<'_>, error: impl Display) -> PyErr {
    exception(py, "RunError", error.to_string(), |_| Ok(()))
}
