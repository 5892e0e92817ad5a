//! The particles of a run over time in one VTKHDF file, for ParaView, PyVista and h5py.
//!
//! It is an unstructured grid with a cell of one vertex per particle. The rows of all frames follow
//! each other in every dataset; `Steps` says where each begins. Cells of one vertex are the same in
//! all frames, so there is one list of them, as long as the longest frame needs. Columns of vectors
//! and matrices are arrays of several components, and units are attributes of the arrays.

use std::path::{Path, PathBuf};

use thixo_scene::{AtomicFile, FrameColumn, FrameFile};

use super::ExportError;
use super::hdf5::{Attribute, Dataset, Group, Hdf5File, Number};
use crate::frame_columns::needed;

/// The number of VTK for a cell of one point.
const VERTEX: u8 = 1;
/// Version of VTKHDF.
const VERSION: [i64; 2] = [2, 0];

/// An array of the file, made of one or more columns of the frames.
struct Array {
    name: String,
    columns: Vec<String>,
    number: Number,
    unit: Option<String>,
}

/// A frame before it is written.
struct Step {
    time: f64,
    /// Particles of all frames before.
    first: u64,
    particles: u64,
}

/// Writes the frames of a run. `done` is told the number of each that is written.
pub fn write(
    path: &Path,
    frames: &[(u32, PathBuf)],
    mut done: impl FnMut(u32, usize),
) -> Result<(), ExportError> {
    let mut steps: Vec<Step> = Vec::new();
    let mut arrays: Vec<Array> = Vec::new();
    let mut rows = 0;
    for (_, file) in frames {
        let frame = FrameFile::open(file)?;
        let no_time = || ExportError::NoTime { path: file.clone() };
        let time = frame.time().ok_or_else(no_time)?;
        let particles = frame.particles as u64;
        let first = rows;
        steps.push(Step {
            time,
            first,
            particles,
        });
        rows += particles;
        if arrays.is_empty() {
            arrays = arrays_of(&frame);
        }
        // Positions may be in double precision in some frames only.
        for array in &mut arrays {
            let column = needed(&frame, file, &array.columns[0])?;
            if column.is_double() {
                array.number = Number::F64;
            }
        }
    }
    let failed = ExportError::write(path);
    let out = AtomicFile::create(path).map_err(&failed)?;
    let mut out = Hdf5File::new(out).map_err(&failed)?;
    let places: Vec<Dataset> = arrays
        .iter()
        .map(|array| {
            let components = array.columns.len() as u64;
            let extents = [rows, components];
            let extents = if components == 1 {
                &extents[..1]
            } else {
                &extents
            };
            let mut place = out.dataset(extents, array.number);
            let unit = array
                .unit
                .clone()
                .map(|unit| ("unit".to_owned(), Attribute::Text(unit)));
            place.attributes.extend(unit);
            place
        })
        .collect();
    for ((number, file), step) in frames.iter().zip(&steps) {
        let frame = FrameFile::open(file)?;
        for (array, place) in arrays.iter().zip(&places) {
            let columns = array.columns.iter().map(|name| needed(&frame, file, name));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let bytes = interleaved(&columns, array.number, step.particles as usize);
            let from = step.first * array.columns.len() as u64 * array.number.width();
            out.put(place, from, &bytes).map_err(&failed)?;
        }
        done(*number, frame.particles);
    }
    let out = describe(out, &steps, arrays.iter().zip(places)).map_err(&failed)?;
    out.finish().map_err(&failed)
}

/// The arrays of a frame: columns whose names differ in their components only are one.
fn arrays_of(frame: &FrameFile) -> Vec<Array> {
    const VECTORS: [(&str, [&str; 3]); 3] = [
        ("Points", ["x", "y", "z"]),
        ("velocity", ["vx", "vy", "vz"]),
        ("color", ["red", "green", "blue"]),
    ];
    let mut arrays: Vec<Array> = Vec::new();
    for name in frame.names() {
        let vector = VECTORS.iter().find(|(_, columns)| columns.contains(&name));
        let matrix = name.rsplit_once('_').filter(|(_, component)| {
            component.len() == 2 && component.bytes().all(|b| (b'x'..=b'z').contains(&b))
        });
        let array = match (vector, matrix) {
            (Some((array, _)), _) => array,
            (None, Some((array, _))) => array,
            (None, None) => name,
        };
        if let Some(own) = arrays.iter_mut().find(|own| own.name == array) {
            own.columns.push(name.to_owned());
            continue;
        }
        let Some(column) = frame.column(name) else {
            continue;
        };
        arrays.push(Array {
            name: array.to_owned(),
            columns: vec![name.to_owned()],
            number: match (column.is_double(), column.is_whole()) {
                (true, _) => Number::F64,
                (_, true) if name == "red" => Number::U8,
                (_, true) => Number::I32,
                _ => Number::F32,
            },
            unit: frame.unit(name).map(str::to_owned),
        });
    }
    arrays
}

/// Numbers of columns, particle after particle.
fn interleaved(columns: &[FrameColumn<'_>], number: Number, particles: usize) -> Vec<u8> {
    let width = number.width() as usize;
    let mut bytes = Vec::with_capacity(particles * columns.len() * width);
    for k in 0..particles {
        for column in columns {
            let value = column.get(k);
            match number {
                Number::F32 => bytes.extend((value as f32).to_le_bytes()),
                Number::F64 => bytes.extend(value.to_le_bytes()),
                Number::I32 => bytes.extend((value as i32).to_le_bytes()),
                Number::I64 => bytes.extend((value as i64).to_le_bytes()),
                Number::U8 => bytes.push(value as u8),
            }
        }
    }
    bytes
}

/// Writes cells, steps and names.
fn describe<'a>(
    mut out: Hdf5File<AtomicFile>,
    steps: &[Step],
    arrays: impl Iterator<Item = (&'a Array, Dataset)>,
) -> std::io::Result<AtomicFile> {
    let most = steps.iter().map(|step| step.particles).max().unwrap_or(0);
    let count = steps.len() as u64;
    let of = |numbers: &mut dyn Iterator<Item = u64>| -> Vec<u8> {
        numbers
            .flat_map(|number| (number as i64).to_le_bytes())
            .collect()
    };
    let named = |name: &str, dataset: Dataset| (name.to_owned(), dataset);
    let mut top = Group::default();
    let (mut data, mut data_offsets) = (Group::default(), Group::default());
    let first = of(&mut steps.iter().map(|step| step.first));
    for (array, place) in arrays {
        if array.name == "Points" {
            top.datasets.push(named("Points", place));
            continue;
        }
        data.datasets.push(named(&array.name, place));
        let offsets = out.written(&[count], Number::I64, &first)?;
        data_offsets.datasets.push(named(&array.name, offsets));
    }
    let particles = of(&mut steps.iter().map(|step| step.particles));
    for name in ["NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"] {
        let numbers = out.written(&[count], Number::I64, &particles)?;
        top.datasets.push(named(name, numbers));
    }
    let connectivity = out.written(&[most], Number::I64, &of(&mut (0..most)))?;
    let offsets = out.written(&[most + 1], Number::I64, &of(&mut (0..=most)))?;
    let types = out.written(&[most], Number::U8, &vec![VERTEX; most as usize])?;
    let cells = [
        ("Connectivity", connectivity),
        ("Offsets", offsets),
        ("Types", types),
    ];
    top.datasets
        .extend(cells.map(|(name, dataset)| named(name, dataset)));

    let mut over_time = Group::default();
    let times: Vec<u8> = steps
        .iter()
        .flat_map(|step| step.time.to_le_bytes())
        .collect();
    let lists = [
        ("PartOffsets", of(&mut (0..count))),
        ("NumberOfParts", of(&mut (0..count).map(|_| 1))),
        ("PointOffsets", first),
        ("CellOffsets", of(&mut (0..count).map(|_| 0))),
        ("ConnectivityIdOffsets", of(&mut (0..count).map(|_| 0))),
    ];
    for (name, list) in lists {
        let dataset = out.written(&[count], Number::I64, &list)?;
        over_time.datasets.push(named(name, dataset));
    }
    let values = out.written(&[count], Number::F64, &times)?;
    over_time.datasets.push(named("Values", values));
    over_time
        .groups
        .push(("PointDataOffsets".to_owned(), data_offsets));
    let number = Attribute::Integer(count as i64);
    over_time.attributes.push(("NSteps".to_owned(), number));

    top.groups.push(("PointData".to_owned(), data));
    top.groups.push(("Steps".to_owned(), over_time));
    let version = Attribute::Integers(VERSION.into());
    top.attributes.push(("Version".to_owned(), version));
    let kind = Attribute::Text("UnstructuredGrid".to_owned());
    top.attributes.push(("Type".to_owned(), kind));
    let root = Group {
        groups: vec![("VTKHDF".to_owned(), top)],
        ..Group::default()
    };
    out.finish(&root)
}
