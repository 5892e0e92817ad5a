//! Lines of mesh files that are text: words, numbers, and messages that name the line.

use crate::shape::AssetError;

/// A line of a file, with its number.
pub(super) struct TextLine<'a> {
    format: &'static str,
    number: usize,
    text: &'a [u8],
}

/// The lines of a file of a format.
pub(super) fn lines<'a>(
    format: &'static str,
    text: &'a [u8],
) -> impl Iterator<Item = TextLine<'a>> {
    let lines = text.split(|&byte| byte == b'\n').zip(1..);
    lines.map(move |(text, number)| TextLine {
        format,
        number,
        text,
    })
}

impl<'a> TextLine<'a> {
    /// Its words.
    pub fn words(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let words = self.text.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty())
    }

    /// The error that it is not as it should be.
    pub fn malformed(&self, message: impl Into<String>) -> AssetError {
        AssetError::Malformed {
            format: self.format,
            place: format!("line {}", self.number),
            message: message.into(),
        }
    }

    /// The three coordinates that the next words are.
    pub fn point(&self, mut words: impl Iterator<Item = &'a [u8]>) -> Result<[f64; 3], AssetError> {
        let mut point = [0.0; 3];
        for x in &mut point {
            let word = words.next().unwrap_or_default();
            let wrong = || self.malformed(format!("\"{}\" is not a coordinate", shown(word)));
            *x = number_of(word).ok_or_else(wrong)?;
        }
        Ok(point)
    }
}

/// A number as all the formats write it.
pub(super) fn number_of(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word as messages show it.
pub(super) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned()
}
