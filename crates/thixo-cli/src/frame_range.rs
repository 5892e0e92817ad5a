//! `--frames A..B`: which frames.

use std::fmt;
use std::str::FromStr;

/// Frames from one to another, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRange {
    first: u32,
    last: Option<u32>,
}

impl FrameRange {
    /// True if a frame is in it.
    pub fn contains(self, number: u32) -> bool {
        self.first <= number && self.last.is_none_or(|last| number <= last)
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let parsed = text.parse::<u32>();
            parsed.map_err(|_| format!("\"{text}\" is no frame; write 10..20, 10.., ..20 or 7"))
        };
        let Some((first, last)) = text.split_once("..") else {
            let only = number(text)?;
            return Ok(Self {
                first: only,
                last: Some(only),
            });
        };
        let first = if first.is_empty() { 0 } else { number(first)? };
        let last = if last.is_empty() {
            None
        } else {
            Some(number(last)?)
        };
        match last {
            Some(last) if last < first => Err(format!("frame {last} comes before frame {first}")),
            _ => Ok(Self { first, last }),
        }
    }
}

impl fmt::Display for FrameRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) => write!(f, "{}..{last}", self.first),
            None => write!(f, "{}..", self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_a_range_and_may_be_left_out() {
        let of = |text: &str| -> Vec<u32> {
            let range: FrameRange = text.parse().unwrap();
            (0..6).filter(|k| range.contains(*k)).collect()
        };
        assert_eq!(of("2..4"), [2, 3, 4]);
        assert_eq!(of("4.."), [4, 5]);
        assert_eq!(of("..1"), [0, 1]);
        assert_eq!(of("3"), [3]);
        assert!("4..2".parse::<FrameRange>().is_err());
        assert!("a..2".parse::<FrameRange>().unwrap_err().contains("\"a\""));
    }
}
