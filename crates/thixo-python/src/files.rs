//! Files of runs: frames as arrays, pictures, surfaces, plots.

use std::path::{Path, PathBuf};

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use thixo_render::RunRenderer;
use thixo_render::plot::{Figure, Run, panels};
use thixo_render::surface::{GroupBy, Point, SurfaceOptions, SurfaceReconstruction};
use thixo_scene::{FrameFile, PastRun};

use crate::engine::{Array, Numbers};
use crate::errors::of_run;
use crate::simulation::as_numpy;

/// Number and path of the frames of a run.
#[pyfunction]
pub fn frame_files(py: Python<'_>, directory: PathBuf) -> PyResult<Vec<(u32, PathBuf)>> {
    let run = PastRun::open(&directory).map_err(|error| of_run(py, error))?;
    run.frame_files().map_err(|error| of_run(py, error))
}

/// Columns that are parts of vectors, and the names of the vectors.
const VECTORS: [(&str, [&str; 3]); 3] = [
    ("position", ["x", "y", "z"]),
    ("velocity", ["vx", "vy", "vz"]),
    ("color", ["red", "green", "blue"]),
];

/// The particles of a frame file as arrays: the time, and for every quantity name, unit, numbers.
#[pyfunction]
pub fn read_frame<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(Option<f64>, Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let frame = py.detach(|| FrameFile::open(&path));
    let frame = frame.map_err(|error| of_run(py, error))?;
    let (arrays, units) = (PyDict::new(py), PyDict::new(py));
    let mut taken: Vec<&str> = Vec::new();
    for name in frame.names() {
        let vector = VECTORS.iter().find(|(_, parts)| parts.contains(&name));
        let matrix = name.rsplit_once('_').filter(|(_, part)| {
            part.len() == 2 && part.bytes().all(|b| (b'x'..=b'z').contains(&b))
        });
        let quantity = match (vector, matrix) {
            (Some((vector, _)), _) => vector,
            (None, Some((matrix, _))) => matrix,
            (None, None) => name,
        };
        if taken.contains(&quantity) {
            continue;
        }
        taken.push(quantity);
        let parts: Vec<&str> = match (vector, matrix) {
            (Some((_, parts)), _) => parts.to_vec(),
            (None, Some(_)) => {
                let is_part = |own: &&str| own.rsplit_once('_').is_some_and(|(q, _)| q == quantity);
                frame.names().filter(is_part).collect()
            }
            (None, None) => vec![name],
        };
        let columns: Vec<_> = parts.iter().filter_map(|part| frame.column(part)).collect();
        let count = frame.particles;
        let extents = match (columns.len(), matrix) {
            (1, _) => vec![count],
            (4, Some(_)) => vec![count, 2, 2],
            (9, Some(_)) => vec![count, 3, 3],
            (parts, _) => vec![count, parts],
        };
        let is_double = columns.iter().any(|column| column.is_double());
        let is_whole = columns.iter().all(|column| column.is_whole());
        let values = (0..count).flat_map(|k| columns.iter().map(move |column| column.get(k)));
        if is_whole {
            let values: Vec<i32> = values.map(|x| x as i32).collect();
            let array = values.into_pyarray(py).reshape(extents)?;
            arrays.set_item(quantity, array)?;
        } else {
            let numbers = match is_double {
                true => Numbers::F64(values.collect()),
                false => Numbers::F32(values.map(|x| x as f32).collect()),
            };
            arrays.set_item(quantity, as_numpy(py, Array { numbers, extents })?)?;
        }
        units.set_item(quantity, frame.unit(name).unwrap_or(""))?;
    }
    Ok((frame.time(), arrays, units))
}

/// A frame as a PNG file.
#[pyfunction]
pub fn draw<'py>(
    py: Python<'py>,
    directory: PathBuf,
    frame: u32,
    size: Option<[u32; 2]>,
    color_by: Option<&str>,
) -> PyResult<Bound<'py, PyBytes>> {
    let drawn = py.detach(|| png_of(&directory, frame, size, color_by));
    Ok(PyBytes::new(py, &drawn.map_err(|error| of_run(py, error))?))
}

fn png_of(
    directory: &Path,
    frame: u32,
    size: Option<[u32; 2]>,
    color_by: Option<&str>,
) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let run = PastRun::open(directory)?;
    let mut render = run.scene()?.render;
    if let Some(size) = size {
        render.size = size;
    }
    if let Some(column) = color_by {
        render.color_by = Some(column.to_owned());
    }
    let files = run.frame_files()?;
    let path = path_of(&files, frame)?;
    let all: Vec<PathBuf> = files.iter().map(|file| file.1.clone()).collect();
    let renderer = RunRenderer::new(&run, &all, render)?;
    let (picture, _) = renderer.draw(&path)?;
    Ok(picture.to_png()?)
}

fn path_of(files: &[(u32, PathBuf)], frame: u32) -> Result<PathBuf, String> {
    let file = files.iter().find(|file| file.0 == frame);
    file.map(|file| file.1.clone()).ok_or_else(|| {
        format!(
            "there is no frame {frame}; there are {} frames",
            files.len()
        )
    })
}

/// The surfaces of a frame: for each name, positions, triangles, normals, velocities.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn surfaces<'py>(
    py: Python<'py>,
    directory: PathBuf,
    frame: u32,
    smoothing: u32,
) -> PyResult<Vec<(String, [Bound<'py, PyAny>; 4])>> {
    let made = py.detach(|| {
        let run = PastRun::open(&directory).map_err(|error| error.to_string())?;
        let mut options = SurfaceOptions::default();
        options.smoothing = smoothing;
        let reconstruction = SurfaceReconstruction::new(&run, GroupBy::Object, options);
        let reconstruction = reconstruction.map_err(|error| error.to_string())?;
        let files = run.frame_files().map_err(|error| error.to_string())?;
        let path = path_of(&files, frame)?;
        let file = FrameFile::open(&path).map_err(|error| error.to_string())?;
        let mut made = Vec::new();
        let done = |group: usize, surface: thixo_render::surface::ReconstructedSurface| {
            made.push((reconstruction.groups()[group].name.clone(), surface.surface));
            Ok::<(), thixo_render::surface::SurfaceError>(())
        };
        let outcome = reconstruction.frame(&file, &path, done);
        outcome.map_err(|error| error.to_string()).map(|()| made)
    });
    let made = made.map_err(|error| of_run(py, error))?;
    let vectors = |all: &[Point]| -> PyResult<Bound<'py, PyAny>> {
        let numbers: Vec<f64> = all.iter().flat_map(|vector| vector.0).collect();
        let extents = vec![all.len(), 3];
        as_numpy(
            py,
            Array {
                numbers: Numbers::F64(numbers),
                extents,
            },
        )
    };
    let mut found = Vec::new();
    for (name, surface) in made {
        if surface.triangles.is_empty() {
            continue;
        }
        let corners = Array {
            numbers: Numbers::U32(surface.triangles.as_flattened().to_vec()),
            extents: vec![surface.triangles.len(), 3],
        };
        let parts = [
            vectors(&surface.positions)?,
            as_numpy(py, corners)?,
            vectors(&surface.normals)?,
            vectors(&surface.velocities)?,
        ];
        found.push((name, parts));
    }
    Ok(found)
}

/// The budgets of runs as an SVG picture.
#[pyfunction]
pub fn plot(py: Python<'_>, directories: Vec<(String, PathBuf)>) -> PyResult<String> {
    let mut runs = Vec::new();
    for (name, directory) in directories {
        let past = PastRun::open(&directory).map_err(|error| of_run(py, error))?;
        let record = past.record().map_err(|error| of_run(py, error))?;
        let budgets = past.budgets().map_err(|error| of_run(py, error))?;
        runs.push(Run {
            name,
            dimension: record.dimension,
            budgets,
        });
    }
    let panels = panels(&runs);
    let title = match &runs[..] {
        [run] => run.name.clone(),
        runs => format!("{} runs", runs.len()),
    };
    let figure = Figure {
        title: &title,
        runs: &runs,
        panels: &panels,
        columns: 3,
    };
    Ok(figure.sheet().to_svg())
}
