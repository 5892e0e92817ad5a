//! Particles as VTK XML files with raw binary data, for ParaView, VTK, PyVista and (VTU) meshio.
//!
//! Every particle is a point with a cell of one vertex, so that viewers show it without a filter.
//! Columns are point data by name: vectors of three components, matrices row by row; the simulated
//! time is the field `TimeValue`, which ParaView takes for its clock.

use std::io::{self, Write};

use thixo::Scalar;

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
/// The number of VTK for a cell of one point.
const VERTEX: u8 = 1;

/// Writes a frame.
pub fn write<T: Scalar>(
    out: &mut impl Write,
    frame: &Frame<T>,
    dataset: DatasetType,
) -> io::Result<()> {
    let count = frame.particles;
    let (name, cells) = match dataset {
        DatasetType::PolyData => ("PolyData", "Verts"),
        DatasetType::UnstructuredGrid => ("UnstructuredGrid", "Cells"),
    };
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
            "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">"
        )?,
        DatasetType::UnstructuredGrid => writeln!(
            out,
            "<Piece NumberOfPoints=\"{count}\" NumberOfCells=\"{count}\">"
        )?,
    }
    // Positions come first among the columns.
    let (points, data) = frame.columns.split_at(frame.columns.len().min(1));
    let topology = [Array::Connectivity, Array::Offsets, Array::Types];
    let topology = match dataset {
        DatasetType::PolyData => &topology[..2],
        DatasetType::UnstructuredGrid => &topology[..],
    };
    let data: Vec<Array<'_, T>> = data.iter().map(Array::Column).collect();
    let points: Vec<Array<'_, T>> = points.iter().map(Array::Column).collect();
    let all = || data.iter().chain(&points).chain(topology);
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
    writeln!(out, "</Points>\n<{cells}>")?;
    declare(out, topology)?;
    write!(
        out,
        "</{cells}>\n</Piece>\n</{name}>\n<AppendedData encoding=\"raw\">\n_"
    )?;
    let mut reversed: Vec<&Array<'_, T>> = all().collect();
    reversed.reverse();
    reversed
        .into_iter()
        .try_for_each(|array| array.append(out, count))?;
    write!(out, "\n</AppendedData>\n</VTKFile>\n")
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
}

impl<T: Scalar> Array<'_, T> {
    /// Bytes, with the length before them.
    fn size(&self, count: usize) -> usize {
        8 + match self {
            Self::Column(column) => column.values.len() * column.values.width(),
            Self::Connectivity | Self::Offsets => count * 8,
            Self::Types => count,
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
            Self::Types => ("UInt8", "types", 1),
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
