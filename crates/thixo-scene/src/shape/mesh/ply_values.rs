//! The values of a PLY file, one after the other.

use super::ply_header::{Encoding, Property, PropertyType};
use super::text_line::{number_of, shown};
use crate::ply_number::PlyNumber;
use crate::shape::AssetError;

/// A place among the values.
pub(crate) struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl<'a> Values<'a> {
    /// From the byte `at` on.
    pub fn new(bytes: &'a [u8], at: usize, encoding: Encoding) -> Self {
        Self {
            bytes,
            at,
            encoding,
        }
    }

    /// An error at the present place.
    pub fn malformed(&self, message: &str) -> AssetError {
        AssetError::Malformed {
            format: "PLY",
            place: format!("byte {}", self.at),
            message: message.to_owned(),
        }
    }

    /// The next number.
    pub fn next(&mut self, kind: PlyNumber) -> Result<f64, AssetError> {
        match self.encoding {
            Encoding::Text => {
                let word = self.word()?;
                number_of(word)
                    .ok_or_else(|| self.malformed(&format!("\"{}\" is not a number", shown(word))))
            }
            Encoding::Binary(order) => {
                let end = self.at + kind.width();
                let Some(bytes) = self.bytes.get(self.at..end) else {
                    return Err(self.ended());
                };
                self.at = end;
                Ok(kind.read(bytes, order))
            }
        }
    }

    /// The length of the list that follows.
    pub fn length(&mut self, kind: PlyNumber) -> Result<u64, AssetError> {
        let length = self.next(kind)?;
        // The rest of the file bounds the list, so that no length makes the reader wait.
        if !(length >= 0.0 && length <= self.bytes.len() as f64 && length.fract() == 0.0) {
            return Err(self.malformed(&format!("{length} is no length of a list in this file")));
        }
        Ok(length as u64)
    }

    /// Passes over a property.
    pub fn skip(&mut self, property: &Property) -> Result<(), AssetError> {
        match property.kind {
            PropertyType::Scalar(kind) => self.next(kind).map(drop),
            PropertyType::List { count, item } => {
                for _ in 0..self.length(count)? {
                    self.next(item)?;
                }
                Ok(())
            }
        }
    }

    /// The next word of a text.
    fn word(&mut self) -> Result<&'a [u8], AssetError> {
        let rest = self.bytes[self.at..].trim_ascii_start();
        if rest.is_empty() {
            return Err(self.ended());
        }
        let length = rest.iter().position(u8::is_ascii_whitespace);
        let length = length.unwrap_or(rest.len());
        self.at = self.bytes.len() - rest.len() + length;
        Ok(&rest[..length])
    }

    fn ended(&self) -> AssetError {
        self.malformed("the file ends before its last value")
    }
}
