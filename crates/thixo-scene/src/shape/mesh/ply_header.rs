//! The header of a PLY file: what the values after it mean.

use super::text_line::shown;
use crate::ply_number::{ByteOrder, PlyNumber};
use crate::shape::AssetError;

/// The encoding of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Text,
    Binary(ByteOrder),
}

/// One number, or a list with its length before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PropertyType {
    Scalar(PlyNumber),
    List { count: PlyNumber, item: PlyNumber },
}

/// A column of an element.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub name: String,
    pub kind: PropertyType,
}

/// A table of the file.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// The column of a single number.
    pub fn scalar(&self, name: &str) -> Option<usize> {
        let is_it = |p: &Property| p.name == name && matches!(p.kind, PropertyType::Scalar(_));
        self.properties.iter().position(is_it)
    }
}

/// Everything before the values.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
}

impl Header {
    /// Reads the header; with it comes the first byte behind it.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), AssetError> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut start = 0;
        for number in 1.. {
            let malformed = |message: String| AssetError::Malformed {
                format: "PLY",
                place: format!("line {number}"),
                message,
            };
            let Some(length) = bytes[start..].iter().position(|&byte| byte == b'\n') else {
                return Err(malformed("the file ends within its header".to_owned()));
            };
            let line = bytes[start..start + length].trim_ascii();
            start += length + 1;
            let words: Vec<&[u8]> = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
                .collect();
            let number_type = |name: &[u8]| {
                PlyNumber::from_name(name)
                    .ok_or_else(|| malformed(format!("\"{}\" is no type of number", shown(name))))
            };
            match words.as_slice() {
                [b"ply"] if number == 1 => {}
                _ if number == 1 => {
                    return Err(malformed("the file does not begin with \"ply\"".to_owned()));
                }
                [b"format", b"ascii", _] => encoding = Some(Encoding::Text),
                [b"format", b"binary_little_endian", _] => {
                    encoding = Some(Encoding::Binary(ByteOrder::LittleEndian))
                }
                [b"format", b"binary_big_endian", _] => {
                    encoding = Some(Encoding::Binary(ByteOrder::BigEndian))
                }
                [b"format", ..] => {
                    return Err(malformed(format!(
                        "\"{}\" is no format; it must be ascii, binary_little_endian or binary_big_endian",
                        shown(line)
                    )));
                }
                [b"element", name, count] => {
                    let parsed = std::str::from_utf8(count).ok().and_then(|n| n.parse().ok());
                    let count = parsed.ok_or_else(|| {
                        malformed(format!("\"{}\" is no number of elements", shown(count)))
                    })?;
                    elements.push(Element {
                        name: shown(name),
                        count,
                        properties: Vec::new(),
                    });
                }
                [b"property", rest @ ..] => {
                    let (name, kind) = match rest {
                        [b"list", count, item, name] => {
                            let (count, item) = (number_type(count)?, number_type(item)?);
                            (name, PropertyType::List { count, item })
                        }
                        [kind, name] => (name, PropertyType::Scalar(number_type(kind)?)),
                        _ => {
                            return Err(malformed(format!("\"{}\" is no property", shown(line))));
                        }
                    };
                    let Some(element) = elements.last_mut() else {
                        return Err(malformed("a property stands before any element".to_owned()));
                    };
                    element.properties.push(Property {
                        name: shown(name),
                        kind,
                    });
                }
                [b"end_header"] => break,
                [b"comment" | b"obj_info", ..] | [] => {}
                _ => {
                    let line = shown(line);
                    return Err(malformed(format!("\"{line}\" is no line of a header")));
                }
            }
        }
        let Some(encoding) = encoding else {
            return Err(AssetError::Malformed {
                format: "PLY",
                place: "its header".to_owned(),
                message: "there is no line \"format\"".to_owned(),
            });
        };
        Ok((Self { encoding, elements }, start))
    }
}
