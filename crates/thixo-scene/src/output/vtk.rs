//! Particles as VTK XML files with raw binary data, for ParaView, VTK, PyVista and (VTU) meshio.
//!
//! Every particle is a point with a cell of one vertex, so that viewers show it without a filter;
//! those of meshes have the lines, triangles and tetrahedra of their elements (in VTP: the lines
//! and triangles). Columns are point data by name: vectors of three components, matrices row by
//! row; the simulated time is the field `TimeValue`, which ParaView takes for its clock.

use std::io::{self, Write};

use thixo::Scalar;
use thixo::lagrangian::Cells;

use super::frame::{Column, Frame, Values};

/// The dataset of a VTK file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetType {
    /// `.vtp`.
    PolyData,
    /// `.vtu`.
    UnstructuredGrid,
}

/// Numbers that are put together at a time.
const CHUNK: usize = 1 << 14;
/// The numbers of VTK for cells of one to four points.
const VERTEX: u8 = 1;
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TETRAHEDRON: u8 = 10;

/// Writes a frame.
pub fn write<T: Scalar>(
    out: &mut impl Write,
    frame: &Frame<T>,
    dataset: DatasetType,
) -> io::Result<()> {
    let count = frame.particles;
    let name = match dataset {
        DatasetType::PolyData => "PolyData",
        DatasetType::UnstructuredGrid => "UnstructuredGrid",
    };
    let sections = sections(frame, dataset);
    writeln!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{name}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<{name}>"
    )?;
    writeln!(
        out,
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:?}</DataArray>\n</FieldData>",
        frame.time
    )?;
    match dataset {
        DatasetType::PolyData => writeln!(
            out,
            "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
            cells_in(&sections, "Verts"),
            cells_in(&sections, "Lines"),
            cells_in(&sections, "Polys"),
        )?,
        DatasetType::UnstructuredGrid => writeln!(
            out,
            "<Piece NumberOfPoints=\"{count}\" NumberOfCells=\"{}\">",
            cells_in(&sections, "Cells"),
        )?,
    }
    // Positions come first among the columns.
    let (points, data) = frame.columns.split_at(frame.columns.len().min(1));
    let data: Vec<Array<'_, T>> = data.iter().map(Array::Column).collect();
    let points: Vec<Array<'_, T>> = points.iter().map(Array::Column).collect();
    let topology = || sections.iter().flat_map(|section| &section.arrays);
    let all = || data.iter().chain(&points).chain(topology());
    // The arrays follow in the opposite order of what is said about them here. meshio looks for
    // them by their place and changes that on the way: in the same order it takes one for another
    // where sizes are unlucky.
    let mut place: usize = all().map(|array| array.size(count)).sum();
    let mut declare = |out: &mut _, arrays: &[Array<'_, T>]| {
        arrays.iter().try_for_each(|array| {
            place -= array.size(count);
            array.declare(out, place)
        })
    };
    writeln!(out, "<PointData>")?;
    declare(out, &data)?;
    writeln!(out, "</PointData>\n<Points>")?;
    declare(out, &points)?;
    writeln!(out, "</Points>")?;
    for Section { name, arrays, .. } in &sections {
        writeln!(out, "<{name}>")?;
        declare(out, arrays)?;
        writeln!(out, "</{name}>")?;
    }
    write!(
        out,
        "</Piece>\n</{name}>\n<AppendedData encoding=\"raw\">\n_"
    )?;
    let mut reversed: Vec<&Array<'_, T>> = all().collect();
    reversed.reverse();
    reversed
        .into_iter()
        .try_for_each(|array| array.append(out, count))?;
    write!(out, "\n</AppendedData>\n</VTKFile>\n")
}

/// Cells of one kind in the file.
struct Section<'a, T> {
    /// Name of its element.
    name: &'static str,
    /// Number of cells.
    count: usize,
    arrays: Vec<Array<'a, T>>,
}

fn cells_in<T>(sections: &[Section<'_, T>], name: &str) -> usize {
    let own = sections.iter().find(|section| section.name == name);
    own.map_or(0, |section| section.count)
}

/// The cells of a frame: every particle by itself, but for those of meshes.
fn sections<T>(frame: &Frame<T>, dataset: DatasetType) -> Vec<Section<'static, T>> {
    let Cells {
        lines,
        triangles,
        tetrahedra,
        ..
    } = &frame.cells;
    let has_meshes = !(lines.is_empty() && triangles.is_empty() && tetrahedra.is_empty());
    if !has_meshes {
        let (name, mut arrays) = match dataset {
            DatasetType::PolyData => ("Verts", Vec::new()),
            DatasetType::UnstructuredGrid => ("Cells", vec![Array::Types]),
        };
        arrays.splice(0..0, [Array::Connectivity, Array::Offsets]);
        let count = frame.particles;
        return vec![Section {
            name,
            count,
            arrays,
        }];
    }
    let single = frame.single();
    let kinds = [
        ("Verts", 1, VERTEX, &single[..]),
        ("Lines", 2, LINE, lines.as_flattened()),
        ("Polys", 3, TRIANGLE, triangles.as_flattened()),
        ("", 4, TETRAHEDRON, tetrahedra.as_flattened()),
    ];
    if dataset == DatasetType::PolyData {
        let kinds = kinds.into_iter().take(3);
        let sections = kinds.map(|(name, corners, _, indices)| Section {
            name,
            count: indices.len() / corners,
            arrays: vec![
                Array::Numbers(
                    "connectivity",
                    indices.iter().map(|k| i64::from(*k)).collect(),
                ),
                Array::Numbers("offsets", ends(indices.len(), corners, 0)),
            ],
        });
        return sections.collect();
    }
    let (mut connectivity, mut offsets, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for (_, corners, kind, indices) in kinds {
        offsets.extend(ends(indices.len(), corners, connectivity.len()));
        connectivity.extend(indices.iter().map(|k| i64::from(*k)));
        types.resize(offsets.len(), kind);
    }
    vec![Section {
        name: "Cells",
        count: types.len(),
        arrays: vec![
            Array::Numbers("connectivity", connectivity),
            Array::Numbers("offsets", offsets),
            Array::Kinds(types),
        ],
    }]
}

/// Ends of cells of so many corners, after `first` corners of others.
fn ends(corners: usize, each: usize, first: usize) -> Vec<i64> {
    (1..=corners / each)
        .map(|k| (first + k * each) as i64)
        .collect()
}

/// An array of the file.
enum Array<'a, T> {
    /// A quantity of the particles.
    Column(&'a Column<T>),
    /// The point of every cell.
    Connectivity,
    /// Ends of the points of every cell.
    Offsets,
    /// The type of every cell.
    Types,
    /// Corners or ends of cells of several kinds.
    Numbers(&'static str, Vec<i64>),
    /// Their types.
    Kinds(Vec<u8>),
}

impl<T: Scalar> Array<'_, T> {
    /// Bytes, with the length before them.
    fn size(&self, count: usize) -> usize {
        8 + match self {
            Self::Column(column) => column.values.len() * column.values.width(),
            Self::Connectivity | Self::Offsets => count * 8,
            Self::Types => count,
            Self::Numbers(_, numbers) => numbers.len() * 8,
            Self::Kinds(kinds) => kinds.len(),
        }
    }

    /// Says what it is and where.
    fn declare(&self, out: &mut impl Write, place: usize) -> io::Result<()> {
        let (number, name, components) = match self {
            Self::Column(column) => {
                let number = match column.values {
                    Values::Double(_) => "Float64",
                    Values::Real(_) if size_of::<T>() == 8 => "Float64",
                    Values::Real(_) => "Float32",
                    Values::Integer(_) => "Int32",
                    Values::Byte(_) => "UInt8",
                };
                (number, column.name.as_ref(), column.shape.components())
            }
            Self::Connectivity => ("Int64", "connectivity", 1),
            Self::Offsets => ("Int64", "offsets", 1),
            Self::Numbers(name, _) => ("Int64", *name, 1),
            Self::Types | Self::Kinds(_) => ("UInt8", "types", 1),
        };
        writeln!(
            out,
            "<DataArray type=\"{number}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{place}\"/>"
        )
    }

    /// Writes its length and its numbers.
    fn append(&self, out: &mut impl Write, count: usize) -> io::Result<()> {
        out.write_all(&(self.size(count) as u64 - 8).to_le_bytes())?;
        match self {
            Self::Column(column) => {
                let values = &column.values;
                let mut bytes = Vec::new();
                for first in (0..values.len()).step_by(CHUNK) {
                    bytes.clear();
                    values.put(first..values.len().min(first + CHUNK), &mut bytes);
                    out.write_all(&bytes)?;
                }
                Ok(())
            }
            Self::Connectivity => append_counting(out, 0, count),
            Self::Offsets => append_counting(out, 1, count),
            Self::Numbers(_, numbers) => numbers
                .iter()
                .try_for_each(|x| out.write_all(&x.to_le_bytes())),
            Self::Kinds(kinds) => out.write_all(kinds),
            Self::Types => (0..count)
                .step_by(CHUNK)
                .try_for_each(|first| out.write_all(&[VERTEX; CHUNK][..CHUNK.min(count - first)])),
        }
    }
}

/// The whole numbers from `first` on.
fn append_counting(out: &mut impl Write, first: usize, count: usize) -> io::Result<()> {
    (first..first + count).try_for_each(|number| out.write_all(&(number as i64).to_le_bytes()))
}
