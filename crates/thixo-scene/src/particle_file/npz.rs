//! Particles as arrays of NumPy: `numpy.savez("points.npz", position=x, velocity=v, mass=m)`.
//!
//! Arrays of shape (n,) are columns of their name; `position` and `velocity` of shape (n, 2) or
//! (n, 3) are x, y, z and vx, vy, vz; other vectors get `_x`, `_y`, `_z` and matrices `_xx`, `_xy`,
//! … behind their name. Arrays without a dimension, such as `time`, are passed over. Numbers may be
//! integers or floats of either byte order, rows or columns first. Archives may be compressed
//! (`savez_compressed`) or of more than 4 GiB.

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::ParticleTable;
use crate::ply_number::{ByteOrder, PlyNumber};
use crate::shape::AssetError;

/// The most bytes of an array: what more is announced is no particle file.
const MOST_BYTES: u64 = 1 << 36;
/// The most bytes that one byte can stand for in the compressed form.
const MOST_EXPANSION: u64 = 1032;

fn malformed(place: &str, message: impl Into<String>) -> AssetError {
    AssetError::Malformed {
        format: "NPZ",
        place: place.to_owned(),
        message: message.into(),
    }
}

/// Reads an NPZ archive.
pub(super) fn parse(bytes: &[u8]) -> Result<ParticleTable, AssetError> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let mut rows: Option<(usize, String)> = None;
    for entry in entries(bytes)? {
        let Some(name) = entry.name.strip_suffix(".npy") else {
            continue;
        };
        let place = format!("array {name}");
        let content = entry.content(bytes, &place)?;
        let array = Array::parse(&content, &place)?;
        let [count, components @ ..] = array.shape.as_slice() else {
            continue;
        };
        match &rows {
            None => rows = Some((*count, name.to_owned())),
            Some((other, first)) if other != count => {
                let message = format!("it has {count} rows, and {first} has {other}");
                return Err(malformed(&place, message));
            }
            Some(_) => {}
        }
        let names = component_names(name, components).ok_or_else(|| {
            malformed(
                &place,
                format!(
                    "{:?} is no shape of a number, vector or matrix per particle",
                    array.shape
                ),
            )
        })?;
        for (k, name) in names.into_iter().enumerate() {
            if columns.iter().any(|(own, _)| *own == name) {
                return Err(malformed(
                    &place,
                    format!("the column \"{name}\" is there twice"),
                ));
            }
            columns.push((name, array.component(k)));
        }
    }
    if columns.is_empty() {
        return Err(AssetError::Empty {
            message: "it has no array with a row per particle",
        });
    }
    Ok(ParticleTable::of_rows(columns))
}

/// Names of the columns that an array is.
fn component_names(name: &str, components: &[usize]) -> Option<Vec<String>> {
    let axes = ["x", "y", "z"];
    match *components {
        [] => Some(vec![name.to_owned()]),
        [n] if (2..=3).contains(&n) => Some(match name {
            "position" => axes[..n].iter().map(|&axis| axis.to_owned()).collect(),
            "velocity" => axes[..n].iter().map(|axis| format!("v{axis}")).collect(),
            "color" => ["red", "green", "blue"][..n]
                .iter()
                .map(|&c| c.to_owned())
                .collect(),
            _ => axes[..n]
                .iter()
                .map(|axis| format!("{name}_{axis}"))
                .collect(),
        }),
        [n, m] if n == m && (2..=3).contains(&n) => {
            let entries = (0..n * n).map(|k| format!("{name}_{}{}", axes[k / n], axes[k % n]));
            Some(entries.collect())
        }
        _ => None,
    }
}

/// A file of the archive.
struct Entry {
    name: String,
    is_deflated: bool,
    stored: u64,
    size: u64,
    offset: u64,
}

fn number<const N: usize>(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    )
}

/// The directory at the end of an archive.
fn entries(bytes: &[u8]) -> Result<Vec<Entry>, AssetError> {
    let directory = || malformed("its directory", "the archive is damaged, or not an archive");
    // The end of the directory, and up to 64 KiB of comment behind it.
    let last = bytes.len().saturating_sub(22);
    let first = last.saturating_sub(1 << 16);
    let end = (first..=last)
        .rev()
        .find(|&at| bytes[at..].starts_with(b"PK\x05\x06"));
    let end = end.ok_or_else(directory)? as u64;
    let mut count = number::<2>(bytes, end + 10).ok_or_else(directory)?;
    let mut at = number::<4>(bytes, end + 16).ok_or_else(directory)?;
    let locator = end
        .checked_sub(20)
        .filter(|at| bytes[*at as usize..].starts_with(b"PK\x06\x07"));
    if let Some(locator) = locator {
        let wide = number::<8>(bytes, locator + 8).ok_or_else(directory)?;
        count = number::<8>(bytes, wide.saturating_add(32)).ok_or_else(directory)?;
        at = number::<8>(bytes, wide.saturating_add(48)).ok_or_else(directory)?;
    }
    let mut out = Vec::new();
    for _ in 0..count {
        let field = |offset: u64| at.checked_add(offset).ok_or_else(directory);
        let read2 = |offset| number::<2>(bytes, field(offset)?).ok_or_else(directory);
        let read4 = |offset| number::<4>(bytes, field(offset)?).ok_or_else(directory);
        let head = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
        if !head.is_some_and(|head| head.starts_with(b"PK\x01\x02")) {
            return Err(directory());
        }
        let method = read2(10)?;
        let (mut stored, mut size, mut offset) = (read4(20)?, read4(24)?, read4(42)?);
        let (name, extra, comment) = (read2(28)?, read2(30)?, read2(32)?);
        let text = |from: u64, length: u64| {
            let from = usize::try_from(from).ok()?;
            bytes.get(from..from.checked_add(length as usize)?)
        };
        let name_bytes = text(at + 46, name).ok_or_else(directory)?;
        let name_text = String::from_utf8_lossy(name_bytes).into_owned();
        wide_fields(
            text(at + 46 + name, extra).ok_or_else(directory)?,
            [&mut size, &mut stored, &mut offset],
        );
        if !matches!(method, 0 | 8) {
            let message = format!("it is compressed by method {method}; use numpy.savez");
            return Err(malformed(&name_text, message));
        }
        out.push(Entry {
            name: name_text,
            is_deflated: method == 8,
            stored,
            size,
            offset,
        });
        at += 46 + name + extra + comment;
    }
    Ok(out)
}

/// Replaces numbers that are told in 64 bits in the extra field of an entry.
fn wide_fields(mut extra: &[u8], numbers: [&mut u64; 3]) {
    while let (Some(id), Some(length)) = (number::<2>(extra, 0), number::<2>(extra, 2)) {
        let Some(mut fields) = extra.get(4..4 + length as usize) else {
            return;
        };
        if id == 1 {
            for own in numbers {
                if *own == u64::from(u32::MAX)
                    && let Some(wide) = number::<8>(fields, 0)
                {
                    *own = wide;
                    fields = &fields[8..];
                }
            }
            return;
        }
        extra = &extra[4 + length as usize..];
    }
}

impl Entry {
    /// Its bytes, as they were before compression.
    fn content(&self, bytes: &[u8], place: &str) -> Result<Vec<u8>, AssetError> {
        let damaged = || malformed(place, "the archive ends within it");
        let most = self
            .stored
            .saturating_add(64)
            .saturating_mul(MOST_EXPANSION);
        if self.size > MOST_BYTES.min(most) {
            return Err(malformed(
                place,
                format!("it announces {} bytes", self.size),
            ));
        }
        let name = number::<2>(bytes, self.offset.saturating_add(26)).ok_or_else(damaged)?;
        let extra = number::<2>(bytes, self.offset.saturating_add(28)).ok_or_else(damaged)?;
        let start = usize::try_from(self.offset + 30 + name + extra).map_err(|_| damaged())?;
        let stored = usize::try_from(self.stored).map_err(|_| damaged())?;
        let end = start.checked_add(stored).ok_or_else(damaged)?;
        let stored = bytes.get(start..end).ok_or_else(damaged)?;
        if !self.is_deflated {
            return Ok(stored.to_vec());
        }
        let mut out = Vec::new();
        let mut decoder = DeflateDecoder::new(stored).take(self.size + 1);
        decoder
            .read_to_end(&mut out)
            .map_err(|error| malformed(place, format!("it cannot be decompressed: {error}")))?;
        if out.len() as u64 != self.size {
            return Err(malformed(place, "it is longer or shorter than announced"));
        }
        Ok(out)
    }
}

/// An array: numbers of one type.
struct Array<'a> {
    kind: Kind,
    order: ByteOrder,
    shape: Vec<usize>,
    is_by_columns: bool,
    numbers: &'a [u8],
}

/// A type of number of NumPy.
#[derive(Clone, Copy)]
enum Kind {
    Small(PlyNumber),
    I64,
    U64,
}

impl Kind {
    fn width(self) -> usize {
        match self {
            Self::Small(number) => number.width(),
            Self::I64 | Self::U64 => 8,
        }
    }
    fn read(self, bytes: &[u8], order: ByteOrder) -> f64 {
        let wide = || {
            let mut own = [0; 8];
            own.copy_from_slice(&bytes[..8]);
            if order == ByteOrder::BigEndian {
                own.reverse();
            }
            u64::from_le_bytes(own)
        };
        match self {
            Self::Small(number) => number.read(bytes, order),
            Self::I64 => wide() as i64 as f64,
            Self::U64 => wide() as f64,
        }
    }
}

impl<'a> Array<'a> {
    /// Reads a file of NumPy's format, versions 1 to 3.
    fn parse(bytes: &'a [u8], place: &str) -> Result<Self, AssetError> {
        let damaged = || malformed(place, "it is no array of NumPy");
        let version = bytes.get(6).filter(|_| bytes.starts_with(b"\x93NUMPY"));
        let (length, first) = match version.ok_or_else(damaged)? {
            1 => (number::<2>(bytes, 8), 10),
            2 | 3 => (number::<4>(bytes, 8), 12),
            other => return Err(malformed(place, format!("it is of version {other}"))),
        };
        let start = first + length.ok_or_else(damaged)? as usize;
        let header = bytes.get(first..start).ok_or_else(damaged)?;
        let header = String::from_utf8_lossy(header);
        let value = |key: &str| {
            let (_, rest) = header.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let kind = value("descr").and_then(|rest| rest.strip_prefix('\''));
        let kind = kind.and_then(|rest| rest.split('\'').next());
        let Some(kind) = kind else {
            return Err(malformed(place, "its numbers are not of one type"));
        };
        let (order, word) = match kind.split_at_checked(1) {
            Some((">", word)) => (ByteOrder::BigEndian, word),
            Some(("<" | "|" | "=", word)) => (ByteOrder::LittleEndian, word),
            _ => (ByteOrder::LittleEndian, kind),
        };
        let kind = match word {
            "f4" => Kind::Small(PlyNumber::F32),
            "f8" => Kind::Small(PlyNumber::F64),
            "i1" => Kind::Small(PlyNumber::I8),
            "u1" | "b1" => Kind::Small(PlyNumber::U8),
            "i2" => Kind::Small(PlyNumber::I16),
            "u2" => Kind::Small(PlyNumber::U16),
            "i4" => Kind::Small(PlyNumber::I32),
            "u4" => Kind::Small(PlyNumber::U32),
            "i8" => Kind::I64,
            "u8" => Kind::U64,
            other => {
                let other: String = other.chars().take(20).collect();
                let message = format!("its numbers are of type \"{other}\"; use float64");
                return Err(malformed(place, message));
            }
        };
        let is_by_columns = value("fortran_order").is_some_and(|rest| rest.starts_with("True"));
        let shape = value("shape").and_then(|rest| rest.strip_prefix('('));
        let shape = shape
            .and_then(|rest| rest.split(')').next())
            .ok_or_else(damaged)?;
        let lengths = shape
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let shape = lengths.map(|word| word.parse::<usize>().ok());
        let shape: Vec<usize> = shape.collect::<Option<_>>().ok_or_else(damaged)?;
        let count = shape
            .iter()
            .try_fold(1usize, |count, n| count.checked_mul(*n));
        let needed = count.and_then(|count| count.checked_mul(kind.width()));
        let numbers = &bytes[start..];
        if needed != Some(numbers.len()) {
            let found = numbers.len();
            let message =
                format!("it has {found} bytes of numbers, not those of the shape {shape:?}");
            return Err(malformed(place, message));
        }
        Ok(Self {
            kind,
            order,
            shape,
            is_by_columns,
            numbers,
        })
    }

    /// Component `k` of every row, components in the order of rows.
    fn component(&self, k: usize) -> Vec<f64> {
        let rows = self.shape[0];
        let components: usize = self.shape[1..].iter().product();
        // Columns first: entry (p, i, j) stands at p + rows (i + n j).
        let transposed = match self.shape[1..] {
            [n, m] => k / m + (k % m) * n,
            _ => k,
        };
        let at = |row: usize| match self.is_by_columns {
            true => transposed * rows + row,
            false => row * components + k,
        };
        let width = self.kind.width();
        let value = |row| self.kind.read(&self.numbers[at(row) * width..], self.order);
        (0..rows).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::frame::{Column, ColumnShape, Frame, Values};
    use crate::output::npz::{Zip64, write_with};

    fn archive(zip64: Zip64) -> Vec<u8> {
        let column = |name: &'static str, shape, values| Column {
            name: name.into(),
            unit: "".into(),
            shape,
            values,
        };
        let numbers = |n: usize| Values::Real((0..n).map(|k| k as f32).collect());
        let frame = Frame::<f32> {
            number: 0,
            time: 0.5,
            cells: thixo::lagrangian::Cells::default(),
            particles: 2,
            columns: vec![
                column("position", ColumnShape::Vector(["x", "y", "z"]), numbers(6)),
                column("stress", ColumnShape::Matrix(2), numbers(8)),
                column("object", ColumnShape::Scalar, Values::Integer(vec![-1, 3])),
            ],
        };
        let mut bytes = Vec::new();
        write_with(&mut bytes, &frame, zip64).unwrap();
        bytes
    }

    #[test]
    fn frames_are_read_with_and_without_wide_fields() {
        for zip64 in [Zip64::WhereNeeded, Zip64::Everywhere] {
            let table = parse(&archive(zip64)).unwrap();
            assert_eq!(table.rows(), 2);
            assert_eq!(table.column("y"), Some(&[1.0, 4.0][..]));
            assert_eq!(table.column("stress_yx"), Some(&[2.0, 6.0][..]));
            assert_eq!(table.column("object"), Some(&[-1.0, 3.0][..]));
            assert_eq!(table.column("time"), None);
        }
    }

    #[test]
    fn no_change_of_an_archive_makes_the_reader_panic() {
        let good = archive(Zip64::Everywhere);
        let mut state = 1u64;
        let mut chance = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..1 + chance(3) {
                let at = chance(bytes.len());
                match chance(4) {
                    0 | 1 => bytes[at] = chance(256) as u8,
                    2 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at + 1),
                }
            }
            refused += usize::from(parse(&bytes).is_err());
        }
        assert!(refused > 5000, "{refused}");
        assert!(parse(b"").is_err() && parse(b"PK\x05\x06").is_err());
    }
}
