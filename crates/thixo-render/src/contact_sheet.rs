//! Contact sheet: several times of a run side by side in one picture.

use thixo_math::Vector;

use crate::picture::Picture;
use crate::text::bitmap_font;
use crate::vector::Vec3;

const PAPER: Vec3 = Vector([0.95, 0.95, 0.95]);
const INK: Vec3 = Vector([0.03, 0.03, 0.04]);

/// Indices of the frames, of `count`, that a sheet of at most `wanted` pictures shows: the first,
/// the last, and those at equal distances between.
pub fn choice(count: usize, wanted: usize) -> Vec<usize> {
    match (count, wanted.min(count)) {
        (_, 0) => Vec::new(),
        (_, 1) => vec![count - 1],
        (_, wanted) => (0..wanted)
            .map(|k| (k * (count - 1) + (wanted - 1) / 2) / (wanted - 1))
            .collect(),
    }
}

/// A sheet that is being filled. Only the sheet is kept, not the pictures.
#[derive(Clone, Debug)]
pub struct ContactSheet {
    sheet: Picture,
    columns: usize,
    /// Width and height of a picture on the sheet \[pixels\].
    cell: [usize; 2],
    gap: usize,
    /// Size of a dot of the letters \[pixels\].
    dot: usize,
    placed: usize,
}

impl ContactSheet {
    /// An empty sheet of a width for so many pictures of a size, in rows, each with a line of text
    /// below.
    pub fn new(pictures: usize, size: [usize; 2], width: usize) -> Self {
        let columns = ((pictures as f64).sqrt().ceil() as usize).max(1);
        let rows = pictures.div_ceil(columns);
        let gap = (width / 160).max(2);
        let wide = (width.saturating_sub(gap * (columns + 1)) / columns).max(1);
        let tall = (wide * size[1] / size[0].max(1)).max(1);
        let mut empty = Self {
            sheet: Picture::filled(1, 1, PAPER),
            columns,
            cell: [wide, tall],
            gap,
            dot: (wide / 300).max(1),
            placed: 0,
        };
        empty.sheet = Picture::filled(width.max(1), rows * empty.step() + gap, PAPER);
        empty
    }

    /// Puts the next picture into its place.
    pub fn add(&mut self, picture: &Picture, text: &str) {
        let [wide, tall] = self.cell;
        let x = self.gap + (self.placed % self.columns) * (wide + self.gap);
        let y = self.gap + (self.placed / self.columns) * self.step();
        self.sheet.paste(&picture.resized(wide, tall), [x, y]);
        let below = [x, y + tall + self.dot];
        bitmap_font::write(&mut self.sheet, text, below, self.dot, INK);
        self.placed += 1;
    }

    /// The sheet as it is.
    pub fn picture(&self) -> &Picture {
        &self.sheet
    }

    /// From a row to the next \[pixels\].
    fn step(&self) -> usize {
        self.cell[1] + self.gap + self.dot * bitmap_font::LINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_begins_with_the_first_frame_and_ends_with_the_last() {
        assert_eq!(choice(49, 4), [0, 16, 32, 48]);
        assert_eq!(choice(3, 9), [0, 1, 2]);
        assert_eq!(choice(7, 1), [6]);
        assert_eq!(choice(0, 4), [0; 0]);
        assert_eq!(choice(5, 0), [0; 0]);
    }

    #[test]
    fn every_picture_is_in_its_place() {
        let colors = [0.1, 0.2, 0.3, 0.4, 0.5];
        let mut sheet = ContactSheet::new(5, [160, 90], 640);
        for c in colors {
            sheet.add(&Picture::filled(160, 90, Vector([c; 3])), "t");
        }
        let sheet = sheet.picture();
        let seen = |x, y| sheet.pixel(x, y)[0];
        assert!((seen(100, 50) - 0.1).abs() < 1e-6);
        assert!((seen(320, 50) - 0.2).abs() < 1e-6);
        assert!((seen(100, sheet.height() * 3 / 4) - 0.4).abs() < 1e-6);
        assert_eq!(sheet.width(), 640);
    }
}
