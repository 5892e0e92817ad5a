//! A simulation in memory.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use thixo::{FrameReport, StepError};

use crate::engine::{Array, Engine, NewParticles, Numbers};
use crate::errors;
use crate::interrupt::{Outcome, interruptible};

/// A simulation and what stops it.
#[pyclass(module = "thixo._thixo")]
pub struct Simulation {
    engine: Box<dyn Engine>,
    stop: Arc<AtomicBool>,
}

impl Simulation {
    pub fn new(mut engine: Box<dyn Engine>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        engine.stop_when(Arc::clone(&stop));
        Self { engine, stop }
    }

    /// Steps without the lock. After Ctrl-C the state, that before the call, is saved where that is
    /// asked for.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        checkpoint: Option<PathBuf>,
        work: impl FnOnce(&mut dyn Engine) -> Result<FrameReport, StepError> + Send,
    ) -> PyResult<Bound<'py, PyDict>> {
        let stop = Arc::clone(&self.stop);
        let engine = &mut *self.engine;
        let Outcome { result, signal } = interruptible(py, &stop, || work(engine))?;
        if let Some(signal) = signal {
            if let Some(path) = checkpoint {
                self.save(py, path)?;
            }
            return Err(signal);
        }
        let report = result.map_err(|error| errors::of_step(py, &error))?;
        let said = PyDict::new(py);
        said.set_item("steps", report.steps)?;
        said.set_item("dt_min", report.dt_min)?;
        said.set_item("dt_max", report.dt_max)?;
        said.set_item("retries", report.retries)?;
        Ok(said)
    }
}

/// An array of NumPy that takes over the memory of numbers; it cannot be written to.
pub fn as_numpy<'py>(py: Python<'py>, array: Array) -> PyResult<Bound<'py, PyAny>> {
    fn shaped<'py, T: numpy::Element>(
        py: Python<'py>,
        values: Vec<T>,
        extents: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let flat = values.into_pyarray(py);
        let array: Bound<'py, PyArrayDyn<T>> = flat.reshape(extents.to_vec())?;
        let array = array.into_any();
        let flags = PyDict::new(py);
        flags.set_item("write", false)?;
        array.call_method("setflags", (), Some(&flags))?;
        Ok(array)
    }
    let extents = &array.extents;
    match array.numbers {
        Numbers::F32(values) => shaped(py, values, extents),
        Numbers::F64(values) => shaped(py, values, extents),
        Numbers::U32(values) => shaped(py, values, extents),
    }
}

/// The numbers of an array in C order.
fn flat(array: &PyReadonlyArrayDyn<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

fn check_shape(array: &PyReadonlyArrayDyn<'_, f64>, name: &str, shape: &[usize]) -> PyResult<()> {
    let found = array.as_array().shape().to_vec();
    if found != shape {
        let message = format!("{name} has the shape {found:?}; it must be {shape:?}");
        return Err(PyValueError::new_err(message));
    }
    Ok(())
}

#[pymethods]
impl Simulation {
    fn __len__(&self) -> usize {
        self.engine.len()
    }
    #[getter]
    fn time(&self) -> f64 {
        self.engine.time()
    }
    #[getter]
    fn frame(&self) -> u32 {
        self.engine.frame()
    }
    #[getter]
    fn dimension(&self) -> usize {
        self.engine.dimension()
    }
    #[getter]
    fn precision(&self) -> &'static str {
        self.engine.precision()
    }
    #[getter]
    fn threads(&self) -> usize {
        self.engine.threads()
    }
    #[getter]
    fn materials(&self) -> Vec<String> {
        self.engine.materials()
    }
    fn quantities(&self) -> Vec<(String, String, &'static str)> {
        self.engine.quantities()
    }

    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match py.detach(|| self.engine.read(name)) {
            Some(array) => as_numpy(py, array),
            None => Err(PyKeyError::new_err(name.to_owned())),
        }
    }

    fn set_velocities(
        &mut self,
        py: Python<'_>,
        values: PyReadonlyArrayDyn<'_, f64>,
    ) -> PyResult<()> {
        let shape = [self.engine.len(), self.engine.dimension()];
        check_shape(&values, "velocity", &shape)?;
        let values = flat(&values);
        let set = py.detach(|| self.engine.set_velocities(&values));
        set.map_err(|error| errors::of_build(py, &error))
    }

    #[pyo3(signature = (duration, checkpoint=None))]
    fn advance<'py>(
        &mut self,
        py: Python<'py>,
        duration: f64,
        checkpoint: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyDict>> {
        if self.engine.flows() {
            let message =
                "this scene has emitters or sinks, which act frame by frame; use next_frame()";
            return Err(errors::of_run(py, message));
        }
        self.step(py, checkpoint, move |engine| engine.advance(duration))
    }

    #[pyo3(signature = (checkpoint=None))]
    fn next_frame<'py>(
        &mut self,
        py: Python<'py>,
        checkpoint: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.step(py, checkpoint, |engine| engine.next_frame())
    }

    #[pyo3(signature = (dt=None, count=1))]
    fn steps<'py>(
        &mut self,
        py: Python<'py>,
        dt: Option<f64>,
        count: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.step(py, None, move |engine| engine.steps(dt, count))
    }

    fn audit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let said = PyDict::new(py);
        for (name, values) in py.detach(|| self.engine.audit()) {
            match &values[..] {
                [one] => said.set_item(name, *one)?,
                more => said.set_item(name, more.to_vec())?,
            }
        }
        Ok(said)
    }

    fn add(
        &mut self,
        py: Python<'_>,
        material: &str,
        positions: PyReadonlyArrayDyn<'_, f64>,
        velocities: PyReadonlyArrayDyn<'_, f64>,
        mass: PyReadonlyArrayDyn<'_, f64>,
        volume: PyReadonlyArrayDyn<'_, f64>,
    ) -> PyResult<u32> {
        let names = self.engine.materials();
        let Some(index) = names.iter().position(|name| name == material) else {
            let message = format!("no material {material:?}; there are {}", names.join(", "));
            return Err(PyKeyError::new_err(message));
        };
        let count = positions.as_array().shape().first().copied().unwrap_or(0);
        let dimension = self.engine.dimension();
        check_shape(&positions, "positions", &[count, dimension])?;
        check_shape(&velocities, "velocities", &[count, dimension])?;
        check_shape(&mass, "mass", &[count])?;
        check_shape(&volume, "volume", &[count])?;
        let particles = NewParticles {
            positions: flat(&positions),
            velocities: flat(&velocities),
            mass: flat(&mass),
            volume: flat(&volume),
        };
        let first = py.detach(|| self.engine.add(index, &particles));
        first.map_err(|error| errors::of_build(py, &error))
    }

    fn remove(&mut self, py: Python<'_>, mut ids: Vec<u32>) -> usize {
        ids.sort_unstable();
        py.detach(|| self.engine.remove(&ids))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let saved = py.detach(|| self.engine.save(&path));
        saved.map_err(|error| {
            errors::of_run(py, format!("cannot write {}: {error}", path.display()))
        })
    }

    fn restore(&mut self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let restored = py.detach(|| self.engine.restore(&path));
        restored.map_err(|error| errors::of_run(py, format!("{}: {error}", path.display())))
    }
}
