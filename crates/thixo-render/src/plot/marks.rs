//! Lines and letters on a sheet, before anything is drawn.

use super::Ink;
use crate::text::Weight;

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

impl Sheet {
    /// Writes a text from left to right, with its anchor at a place.
    pub(super) fn write(
        &mut self,
        text: &str,
        (at, anchor): ([f64; 2], Anchor),
        size: f64,
        (ink, weight): (Ink, Weight),
    ) {
        self.marks.push(Mark::Text {
            text: text.to_owned(),
            at,
            anchor,
            size,
            ink,
            weight,
            direction: TextDirection::Right,
        });
    }
}
