//! Lines and letters on a sheet, before anything is drawn.

use super::Ink;

/// Point of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// Something on a sheet. Lengths are in units of the sheet, from its upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through points.
    Line {
        /// Name of the series; empty for lines of axes and the like.
        name: String,
        /// The points.
        points: Vec<[f64; 2]>,
        /// Its colour.
        ink: Ink,
        /// Its width.
        width: f64,
        /// Lengths of dashes and gaps; empty for a line without gaps.
        dashes: Vec<f64>,
    },
    /// A point that is on no line.
    Dot {
        /// Name of the series.
        name: String,
        /// Position.
        at: [f64; 2],
        /// Its colour.
        ink: Ink,
        /// Its radius.
        radius: f64,
    },
    /// A text in one line. What is between `^{` and `}` is smaller and raised.
    Text {
        /// The text.
        text: String,
        /// Position.
        at: [f64; 2],
        /// Point of the text at that position.
        anchor: Anchor,
        /// Height of the letters.
        size: f64,
        /// Its colour.
        ink: Ink,
        /// Stronger letters, for headings.
        weight: Weight,
        /// Writing direction.
        direction: TextDirection,
    },
}

/// Strength of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As in running text.
    Regular,
    /// As in headings.
    Medium,
}

/// Writing direction of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextDirection {
    /// From left to right.
    Right,
    /// From below upwards.
    Up,
}

/// White paper with marks on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Width and height.
    pub size: [f64; 2],
    /// Marks, from the bottom up.
    pub marks: Vec<Mark>,
}

/// Size of raised letters, of that of others.
pub const RAISED_SIZE: f64 = 0.72;
/// Rise of superscripts, as a share of the size of the others.
pub const RAISED_BY: f64 = 0.36;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// Its letters.
    pub text: &'a str,
    /// True for a superscript.
    pub is_raised: bool,
}

/// A text in parts that are raised and parts that are not.
pub fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some((before, raised, after)) = rest.split_once("^{").and_then(|(before, rest)| {
        let (raised, after) = rest.split_once('}')?;
        Some((before, raised, after))
    }) {
        spans.extend([(before, false), (raised, true)]);
        rest = after;
    }
    spans.push((rest, false));
    let span = |(text, is_raised)| Span { text, is_raised };
    let spans = spans.into_iter().filter(|(text, _)| !text.is_empty());
    spans.map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_raised() {
        let parts = |text| {
            let spans = spans(text).into_iter();
            spans.map(|s| (s.text, s.is_raised)).collect::<Vec<_>>()
        };
        assert_eq!(
            parts("energy [10^{3} J]"),
            [("energy [10", false), ("3", true), (" J]", false)]
        );
        assert_eq!(parts("a^{b"), [("a^{b", false)]);
        assert_eq!(parts("^{−2}"), [("−2", true)]);
        assert_eq!(parts(""), []);
    }
}
