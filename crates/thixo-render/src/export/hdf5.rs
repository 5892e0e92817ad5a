//! HDF5 files with groups, attributes and contiguous datasets, by the format's specification,
//! version 3 (superblock 2, object headers 2).
//!
//! The sizes of datasets are said when the file is begun; their numbers are put at their places in
//! any order after that, so that a file may be larger than memory. What describes them comes last.

use std::io::{self, Seek, SeekFrom, Write};

/// Type of the numbers of a dataset, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
}

impl Number {
    /// Bytes of one.
    pub fn width(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }

    /// The datatype message.
    fn message(self) -> Vec<u8> {
        let size = (self.width() as u32).to_le_bytes();
        let bits = 8 * self.width() as u8;
        // Class with version, three bytes of flags, size.
        let head = |class: u8, flags: [u8; 3]| [&[0x10 | class][..], &flags, &size].concat();
        let float = |exponent: [u8; 2], mantissa: u8, bias: u32| {
            let places = [0, 0, bits, 0, exponent[0], exponent[1], 0, mantissa];
            [
                &head(1, [0x20, bits - 1, 0])[..],
                &places,
                &bias.to_le_bytes(),
            ]
            .concat()
        };
        let whole = |signed: u8| [&head(0, [signed, 0, 0])[..], &[0, 0, bits, 0]].concat();
        match self {
            Self::F32 => float([23, 8], 23, 127),
            Self::F64 => float([52, 11], 52, 1023),
            Self::I32 | Self::I64 => whole(0x08),
            Self::U8 => whole(0),
        }
    }
}

/// A value beside groups and datasets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// A whole number.
    Integer(i64),
    /// A list of whole numbers.
    Integers(Vec<i64>),
    /// Text.
    Text(String),
}

impl Attribute {
    /// The attribute message.
    fn message(&self, name: &str) -> Vec<u8> {
        let (datatype, dataspace, data) = match self {
            Self::Integer(value) => (
                Number::I64.message(),
                dataspace(&[]),
                value.to_le_bytes().to_vec(),
            ),
            Self::Integers(values) => (
                Number::I64.message(),
                dataspace(&[values.len() as u64]),
                values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect(),
            ),
            Self::Text(text) => (text_type(text), dataspace(&[]), text.as_bytes().to_vec()),
        };
        let mut message = vec![3, 0];
        for length in [name.len() + 1, datatype.len(), dataspace.len()] {
            message.extend((length as u16).to_le_bytes());
        }
        message.push(0);
        message.extend(name.as_bytes());
        message.push(0);
        [message, datatype, dataspace, data].concat()
    }
}

/// A string of as many bytes as the text has; an encoding is said only where ASCII does not do.
fn text_type(text: &str) -> Vec<u8> {
    let encoding = if text.is_ascii() { 0x01 } else { 0x11 };
    [
        &[0x13, encoding, 0, 0][..],
        &(text.len().max(1) as u32).to_le_bytes(),
    ]
    .concat()
}

/// The dataspace message: a single value without extents.
fn dataspace(extents: &[u64]) -> Vec<u8> {
    let mut message = vec![2, extents.len() as u8, 0, u8::from(!extents.is_empty())];
    message.extend(extents.iter().flat_map(|extent| extent.to_le_bytes()));
    message
}

/// An address that is none.
const UNDEFINED: u64 = u64::MAX;
/// Bytes of the superblock.
const SUPERBLOCK: u64 = 48;

/// A group that a file will have, with all below it.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Values beside it, by name.
    pub attributes: Vec<(String, Attribute)>,
    /// Groups in it, by name.
    pub groups: Vec<(String, Group)>,
    /// Datasets in it, by name.
    pub datasets: Vec<(String, Dataset)>,
}

/// The place of a dataset in a file.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Number of rows, then numbers in a row where there may be more than one.
    extents: Vec<u64>,
    number: Number,
    address: u64,
    /// Values beside it, by name.
    pub attributes: Vec<(String, Attribute)>,
}

impl Dataset {
    fn bytes(&self) -> u64 {
        self.extents.iter().product::<u64>() * self.number.width()
    }
}

/// A file that is being written.
#[derive(Debug)]
pub struct Hdf5File<W> {
    out: W,
    end: u64,
}

impl<W: Write + Seek> Hdf5File<W> {
    /// Begins a file.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0; SUPERBLOCK as usize])?;
        Ok(Self {
            out,
            end: SUPERBLOCK,
        })
    }

    /// Keeps a place for a dataset of some rows; its numbers follow with [`put`](Self::put).
    pub fn dataset(&mut self, extents: &[u64], number: Number) -> Dataset {
        let dataset = Dataset {
            extents: extents.to_vec(),
            number,
            address: self.end,
            attributes: Vec::new(),
        };
        self.end = (self.end + dataset.bytes()).next_multiple_of(8);
        dataset
    }

    /// Writes bytes of a dataset from a byte of it on.
    pub fn put(&mut self, dataset: &Dataset, from: u64, bytes: &[u8]) -> io::Result<()> {
        if from + bytes.len() as u64 > dataset.bytes() {
            return Err(io::Error::other("more numbers than a dataset has room for"));
        }
        self.out.seek(SeekFrom::Start(dataset.address + from))?;
        self.out.write_all(bytes)
    }

    /// A dataset with its numbers.
    pub fn written(
        &mut self,
        extents: &[u64],
        number: Number,
        bytes: &[u8],
    ) -> io::Result<Dataset> {
        let dataset = self.dataset(extents, number);
        self.put(&dataset, 0, bytes)?;
        Ok(dataset)
    }

    /// Writes what describes everything, and returns the file.
    pub fn finish(mut self, root: &Group) -> io::Result<W> {
        let root = self.group(root)?;
        let mut superblock = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
        for address in [0, UNDEFINED, self.end, root] {
            superblock.extend(address.to_le_bytes());
        }
        superblock.extend(lookup3(&superblock).to_le_bytes());
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&superblock)?;
        Ok(self.out)
    }

    /// Writes a group and all below it; returns where it is.
    fn group(&mut self, group: &Group) -> io::Result<u64> {
        let mut links = Vec::new();
        for (name, inner) in &group.groups {
            links.push((name, self.group(inner)?));
        }
        for (name, dataset) in &group.datasets {
            links.push((name, self.description(dataset)?));
        }
        let mut link_info = vec![0, 0];
        link_info.extend(
            [UNDEFINED; 2]
                .iter()
                .flat_map(|address| address.to_le_bytes()),
        );
        let mut messages = vec![(0x02, link_info), (0x0a, vec![0, 0])];
        for (name, address) in links {
            let mut link = vec![1, 0, name.len() as u8];
            link.extend(name.as_bytes());
            link.extend(address.to_le_bytes());
            messages.push((0x06, link));
        }
        self.header(messages, &group.attributes)
    }

    fn description(&mut self, dataset: &Dataset) -> io::Result<u64> {
        let bytes = dataset.bytes();
        let mut layout = vec![3, 1];
        let address = if bytes == 0 {
            UNDEFINED
        } else {
            dataset.address
        };
        layout.extend(address.to_le_bytes());
        layout.extend(bytes.to_le_bytes());
        let messages = vec![
            (0x01, dataspace(&dataset.extents)),
            (0x03, dataset.number.message()),
            (0x05, vec![3, 0x0a]),
            (0x08, layout),
        ];
        self.header(messages, &dataset.attributes)
    }

    /// Writes an object header; returns where it is.
    fn header(
        &mut self,
        mut messages: Vec<(u8, Vec<u8>)>,
        attributes: &[(String, Attribute)],
    ) -> io::Result<u64> {
        let of_attribute = |(name, value): &(String, Attribute)| (0x0c, value.message(name));
        messages.extend(attributes.iter().map(of_attribute));
        let mut body = Vec::new();
        for (kind, message) in messages {
            body.push(kind);
            body.extend((message.len() as u16).to_le_bytes());
            body.push(0);
            body.extend(message);
        }
        let mut header = b"OHDR\x02\x02".to_vec();
        header.extend((body.len() as u32).to_le_bytes());
        header.extend(body);
        header.extend(lookup3(&header).to_le_bytes());
        let address = self.end;
        self.out.seek(SeekFrom::Start(address))?;
        self.out.write_all(&header)?;
        self.end += header.len() as u64;
        Ok(address)
    }
}

/// Jenkins' hash of bytes, the sum that the format checks.
fn lookup3(bytes: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let [mut a, mut b, mut c] = [start; 3];
    let word = |chunk: &[u8], from: usize| {
        let mut word = [0; 4];
        for (to, byte) in word.iter_mut().zip(chunk.iter().skip(from)) {
            *to = *byte;
        }
        u32::from_le_bytes(word)
    };
    let mut rest = bytes;
    while rest.len() > 12 {
        a = a.wrapping_add(word(rest, 0));
        b = b.wrapping_add(word(rest, 4));
        c = c.wrapping_add(word(rest, 8));
        for turn in [4, 6, 8, 16, 19, 4] {
            // (a, b, c) in turn: a loses c, mixes with its bits, and c gains b.
            a = a.wrapping_sub(c) ^ c.rotate_left(turn);
            c = c.wrapping_add(b);
            (a, b, c) = (b, c, a);
        }
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return c;
    }
    a = a.wrapping_add(word(rest, 0));
    b = b.wrapping_add(word(rest, 4));
    c = c.wrapping_add(word(rest, 8));
    for turn in [14, 11, 25, 16, 4, 14, 24] {
        // c takes b, then a takes c, then b takes a, and again.
        c = (c ^ b).wrapping_sub(b.rotate_left(turn));
        (a, b, c) = (b, c, a);
    }
    // Seven turns leave the last one written in b.
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_its_author() {
        // hashlittle of lookup3.c with a start of 0.
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }
}
