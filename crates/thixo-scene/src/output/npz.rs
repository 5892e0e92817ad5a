//! Particles as arrays of NumPy: `numpy.load("frame_00000.npz")["velocity"]`.
//!
//! An uncompressed archive with an array per column: `position` and `velocity` of shape (n, 3), matrices (n, D, D), everything else (n,),
//! and the number `time` \[s\].

use std::io::{self, Write};

use crc32fast::Hasher;
use thixo::Scalar;

use super::frame::{Column, Frame, Shape, Values};

/// Numbers that are put together at a time.
const CHUNK: usize = 1 << 14;
/// The first of January 1980, where the clock of the format begins: the same frame is the same bytes at any time.
const DATE: u16 = 0x21;

/// Writes a frame.
pub fn write<T: Scalar>(out: &mut impl Write, frame: &Frame<T>) -> io::Result<()> {
    let mut archive = Archive {
        out,
        offset: 0,
        directory: Vec::new(),
        entries: 0,
    };
    let time = Values::Real(vec![frame.time]);
    archive.add("time", &header("<f8", ""), &time)?;
    for column in &frame.columns {
        let head = header(kind_of(column), &shape_of(frame.particles, column.shape));
        archive.add(column.name, &head, &column.values)?;
    }
    archive.finish()
}

fn kind_of<T>(column: &Column<T>) -> &'static str {
    match column.values {
        Values::Real(_) if size_of::<T>() == 8 => "<f8",
        Values::Real(_) => "<f4",
        Values::Integer(_) => "<i4",
        Values::Byte(_) => "|u1",
    }
}

fn shape_of(particles: usize, shape: Shape) -> String {
    match shape {
        Shape::Scalar => format!("{particles},"),
        Shape::Vector(_) => format!("{particles}, 3"),
        Shape::Matrix(dimension) => format!("{particles}, {dimension}, {dimension}"),
    }
}

/// What precedes the numbers of an array, in version 1 of NumPy's format: a multiple of 64 bytes.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let preamble = 10;
    let length = (preamble + text.len() + 1).next_multiple_of(64) - preamble;
    while text.len() + 1 < length {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// A zip archive that grows.
struct Archive<'a, W> {
    out: &'a mut W,
    offset: u64,
    directory: Vec<u8>,
    entries: u16,
}

impl<W: Write> Archive<'_, W> {
    /// Adds the array `name`: a head and numbers.
    fn add<T: Scalar>(&mut self, name: &str, head: &[u8], values: &Values<T>) -> io::Result<()> {
        // The checksum precedes the data, so the numbers are put together twice instead of being kept.
        let mut sum = Hasher::new();
        sum.update(head);
        chunks(values, |bytes| {
            sum.update(bytes);
            Ok(())
        })?;
        let size = head.len() as u64 + values.len() as u64 * values.width() as u64;
        let name = format!("{name}.npy");
        let mut about = Vec::new();
        put_u16(&mut about, &[20, 0, 0, 0, DATE]);
        about.extend(sum.finalize().to_le_bytes());
        about.extend(small(size)?.to_le_bytes());
        about.extend(small(size)?.to_le_bytes());
        put_u16(&mut about, &[name.len() as u16, 0]);

        self.directory.extend(b"PK\x01\x02");
        put_u16(&mut self.directory, &[20]);
        self.directory.extend(&about);
        // No comment, first disk, no attributes.
        put_u16(&mut self.directory, &[0, 0, 0, 0, 0]);
        self.directory.extend(small(self.offset)?.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;

        self.put(b"PK\x03\x04")?;
        self.put(&about)?;
        self.put(name.as_bytes())?;
        self.put(head)?;
        chunks(values, |bytes| self.put(bytes))
    }

    /// Writes the directory of the archive.
    fn finish(mut self) -> io::Result<()> {
        let directory = std::mem::take(&mut self.directory);
        let mut end = b"PK\x05\x06".to_vec();
        put_u16(&mut end, &[0, 0, self.entries, self.entries]);
        end.extend(small(directory.len() as u64)?.to_le_bytes());
        end.extend(small(self.offset)?.to_le_bytes());
        put_u16(&mut end, &[0]);
        self.put(&directory)?;
        self.put(&end)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// A size or place as the archive holds it.
fn small(size: u64) -> io::Result<u32> {
    u32::try_from(size).map_err(|_| {
        io::Error::other(
            "a frame has more than the 4 GiB that fit into an npz archive; choose another of output.formats",
        )
    })
}

fn put_u16(bytes: &mut Vec<u8>, numbers: &[u16]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn chunks<T: Scalar>(
    values: &Values<T>,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for first in (0..values.len()).step_by(CHUNK) {
        bytes.clear();
        values.put(first..values.len().min(first + CHUNK), &mut bytes);
        take(&bytes)?;
    }
    Ok(())
}
