//! The values of a PLY file, one after the other.

use super::obj::{number_of, shown};
use super::ply_header::{Encoding, Kind, Number, Property};
use crate::shape::AssetError;

/// A place among the values.
pub(super) struct Values<'a> {
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
    pub fn next(&mut self, kind: Number) -> Result<f64, AssetError> {
        if self.encoding == Encoding::Text {
            let word = self.word()?;
            return number_of(word)
                .ok_or_else(|| self.malformed(&format!("\"{}\" is not a number", shown(word))));
        }
        Ok(match kind {
            Number::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Number::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Number::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Number::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Number::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Number::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Number::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Number::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    /// The length of the list that follows.
    pub fn length(&mut self, kind: Number) -> Result<u64, AssetError> {
        let length = self.next(kind)?;
        // What is left of the file bounds the list, so that no length makes the reader wait.
        if !(length >= 0.0 && length <= self.bytes.len() as f64 && length.fract() == 0.0) {
            return Err(self.malformed(&format!("{length} is no length of a list in this file")));
        }
        Ok(length as u64)
    }

    /// Passes over a property.
    pub fn skip(&mut self, property: &Property) -> Result<(), AssetError> {
        match property.kind {
            Kind::Scalar(kind) => self.next(kind).map(drop),
            Kind::List { count, item } => {
                for _ in 0..self.length(count)? {
                    self.next(item)?;
                }
                Ok(())
            }
        }
    }

    /// The bytes of a number, the least significant first.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], AssetError> {
        let Some(bytes) = self.bytes.get(self.at..self.at + N) else {
            return Err(self.ended());
        };
        self.at += N;
        let mut own = [0; N];
        own.copy_from_slice(bytes);
        if self.encoding == Encoding::BigEndian {
            own.reverse();
        }
        Ok(own)
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
