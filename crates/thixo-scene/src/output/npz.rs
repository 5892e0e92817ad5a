//! Particles as arrays of NumPy: `numpy.load("frame_00000.npz")["velocity"]`.
//!
//! An uncompressed archive with an array per column: `position` and `velocity` of shape (n, 3),
//! matrices (n, D, D), everything else (n,), and the number `time` \[s\]. Beyond 4 GiB the archive
//! has the 64-bit fields of the format (zip64), which NumPy reads as well.

use std::io::{self, Write};

use crc32fast::Hasher;
use thixo::Scalar;

use super::frame::{Column, ColumnShape, Frame, Values};

/// Numbers that are put together at a time.
const CHUNK: usize = 1 << 14;
/// The first of January 1980, where the clock of the format begins: the same frame is the same
/// bytes at any time.
const DATE: u16 = 0x21;

/// Use of ZIP64: widths of the sizes and places in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zip64 {
    /// In 32 bits where they fit, which every reader knows, else in 64.
    WhereNeeded,
    /// In 64 bits everywhere.
    Everywhere,
}

/// Writes a frame.
pub fn write<T: Scalar>(out: &mut impl Write, frame: &Frame<T>) -> io::Result<()> {
    write_with(out, frame, Zip64::WhereNeeded)
}

/// Writes a frame, with or without ZIP64 where it is not needed.
pub fn write_with<T: Scalar>(
    out: &mut impl Write,
    frame: &Frame<T>,
    zip64: Zip64,
) -> io::Result<()> {
    let mut archive = Archive {
        out,
        offset: 0,
        directory: Vec::new(),
        entries: 0,
        zip64,
    };
    let time = Values::Real(vec![frame.time]);
    archive.add("time", &header("<f8", ""), &time)?;
    for column in &frame.columns {
        let head = header(kind_of(column), &shape_of(frame.particles, column.shape));
        archive.add(&column.name, &head, &column.values)?;
    }
    archive.finish()
}

fn kind_of<T>(column: &Column<T>) -> &'static str {
    match column.values {
        Values::Double(_) => "<f8",
        Values::Real(_) if size_of::<T>() == 8 => "<f8",
        Values::Real(_) => "<f4",
        Values::Integer(_) => "<i4",
        Values::Byte(_) => "|u1",
    }
}

fn shape_of(particles: usize, shape: ColumnShape) -> String {
    match shape {
        ColumnShape::Scalar => format!("{particles},"),
        ColumnShape::Vector(_) => format!("{particles}, 3"),
        ColumnShape::Matrix(dimension) => format!("{particles}, {dimension}, {dimension}"),
    }
}

/// The header before the numbers of an array, in version 1 of NumPy's format: a multiple of 64
/// bytes.
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

/// Stands for a number that is told in 64 bits elsewhere.
const ELSEWHERE: u32 = u32::MAX;
/// Versions of the format that a reader needs to know: with 32 and with 64 bits.
const VERSIONS: [u16; 2] = [20, 45];

/// A zip archive that grows.
struct Archive<'a, W> {
    out: &'a mut W,
    offset: u64,
    directory: Vec<u8>,
    entries: u16,
    zip64: Zip64,
}

impl<W: Write> Archive<'_, W> {
    /// Adds the array `name`: a head and numbers.
    fn add<T: Scalar>(&mut self, name: &str, head: &[u8], values: &Values<T>) -> io::Result<()> {
        // The checksum precedes the data, so the numbers are put together twice instead of being
        // kept.
        let mut sum = Hasher::new();
        sum.update(head);
        chunks(values, |bytes| {
            sum.update(bytes);
            Ok(())
        })?;
        let sum = sum.finalize();
        let size = head.len() as u64 + values.len() as u64 * values.width() as u64;
        let name = format!("{name}.npy");
        let before = self.header(&name, sum, [size, size], &[]);
        let in_directory = self.header(&name, sum, [size, size], &[self.offset]);

        self.directory.extend(b"PK\x01\x02");
        put_u16(&mut self.directory, &[in_directory.version]);
        self.directory.extend(&in_directory.fields);
        // No comment, first disk, no attributes.
        put_u16(&mut self.directory, &[0, 0, 0, 0, 0]);
        self.directory
            .extend(self.narrow(self.offset).to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.directory.extend(&in_directory.wide);
        self.entries += 1;

        self.put(b"PK\x03\x04")?;
        self.put(&before.fields)?;
        self.put(name.as_bytes())?;
        self.put(&before.wide)?;
        self.put(head)?;
        chunks(values, |bytes| self.put(bytes))
    }

    /// The header of a file, before it and in the directory, where its place is told as well.
    fn header(&self, name: &str, sum: u32, sizes: [u64; 2], place: &[u64]) -> EntryHeader {
        let mut wide = Vec::new();
        for &number in sizes.iter().chain(place) {
            if self.narrow(number) == ELSEWHERE {
                wide.extend(number.to_le_bytes());
            }
        }
        let version = VERSIONS[usize::from(!wide.is_empty())];
        if !wide.is_empty() {
            let mut extra = Vec::new();
            put_u16(&mut extra, &[1, wide.len() as u16]);
            extra.append(&mut wide);
            wide = extra;
        }
        let mut fields = Vec::new();
        put_u16(&mut fields, &[version, 0, 0, 0, DATE]);
        fields.extend(sum.to_le_bytes());
        for size in sizes {
            fields.extend(self.narrow(size).to_le_bytes());
        }
        put_u16(&mut fields, &[name.len() as u16, wide.len() as u16]);
        EntryHeader {
            version,
            fields,
            wide,
        }
    }

    /// Writes the directory of the archive.
    fn finish(mut self) -> io::Result<()> {
        let directory = std::mem::take(&mut self.directory);
        let (start, size) = (self.offset, directory.len() as u64);
        self.put(&directory)?;
        let numbers = [size, start].map(|number| self.narrow(number));
        if numbers.contains(&ELSEWHERE) {
            let end = self.offset;
            let mut wide = b"PK\x06\x06".to_vec();
            // Bytes that follow, versions of writer and reader, first disk twice.
            wide.extend(44u64.to_le_bytes());
            put_u16(&mut wide, &[VERSIONS[1], VERSIONS[1], 0, 0, 0, 0]);
            let entries = u64::from(self.entries);
            for number in [entries, entries, size, start] {
                wide.extend(number.to_le_bytes());
            }
            // Byte at which the record above begins, on the first of one disks.
            wide.extend(b"PK\x06\x07\0\0\0\0");
            wide.extend(end.to_le_bytes());
            wide.extend(1u32.to_le_bytes());
            self.put(&wide)?;
        }
        let mut end = b"PK\x05\x06".to_vec();
        put_u16(&mut end, &[0, 0, self.entries, self.entries]);
        for number in numbers {
            end.extend(number.to_le_bytes());
        }
        put_u16(&mut end, &[0]);
        self.put(&end)
    }

    /// A number where the format has 32 bits for it.
    fn narrow(&self, number: u64) -> u32 {
        match self.zip64 {
            Zip64::WhereNeeded => u32::try_from(number).unwrap_or(ELSEWHERE),
            Zip64::Everywhere => ELSEWHERE,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// The header of a file in an archive.
struct EntryHeader {
    version: u16,
    /// From the version to the lengths of the names.
    fields: Vec<u8>,
    /// Numbers that need 64 bits.
    wide: Vec<u8>,
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
