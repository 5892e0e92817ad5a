//! Text in pictures and figures.
//!
//! There are two fonts. Pictures of frames have the bitmap font: letters of a few pixels in whole
//! dots, sharp where outlines would blur, with the same bits on every machine. Figures of budgets
//! have the outline font: any size, two weights, superscripts, Greek letters, and the same widths
//! in PNG and SVG.

pub mod bitmap_font;
mod outline_font;
mod superscript;

pub(crate) use outline_font::OutlineFont;
pub(crate) use superscript::{RAISED_BY, RAISED_SIZE, spans};

/// Strength of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As in running text.
    Regular,
    /// As in headings.
    Medium,
}
