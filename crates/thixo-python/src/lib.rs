//! The native half of the Python package `thixo`: scenes, simulations, runs.
//!
//! Here are the calls that must be fast or reach into the engine; names, types and documentation
//! for users are in `python/thixo`. Arrays cross in bulk, the interpreter's lock is released while
//! the engine works, and signals are looked for meanwhile.

mod engine;
mod errors;
mod files;
mod interrupt;
mod run;
mod scene;
mod simulation;

use pyo3::prelude::*;

#[pymodule]
fn _thixo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_function(wrap_pyfunction!(scene::gallery, module)?)?;
    module.add_function(wrap_pyfunction!(files::read_frame, module)?)?;
    module.add_function(wrap_pyfunction!(files::draw, module)?)?;
    module.add_function(wrap_pyfunction!(files::surfaces, module)?)?;
    module.add_function(wrap_pyfunction!(files::plot, module)?)?;
    module.add_function(wrap_pyfunction!(files::frame_files, module)?)?;
    Ok(())
}
