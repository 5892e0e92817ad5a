//! Several times of a run side by side in one picture.

use thixo_math::Vector;

use crate::font;
use crate::picture::Picture;
use crate::vector::Vec3;

const PAPER: Vec3 = Vector([0.95, 0.95, 0.95]);
const INK: Vec3 = Vector([0.03, 0.03, 0.04]);

/// Which of `count` frames a sheet of at most `wanted` pictures shows: the first, the last, and those at equal distances between.
pub fn choice(count: usize, wanted: usize) -> Vec<usize> {
    match (count, wanted.min(count)) {
        (_, 0) => Vec::new(),
        (_, 1) => vec![count - 1],
        (_, wanted) => (0..wanted)
            .map(|k| (k * (count - 1) + (wanted - 1) / 2) / (wanted - 1))
            .collect(),
    }
}

/// Puts pictures of the same size into rows, each with a line of text below.
pub fn sheet(pictures: &[(Picture, String)], width: usize) -> Picture {
    let Some((first, _)) = pictures.first() else {
        return Picture::filled(1, 1, PAPER);
    };
    let columns = (pictures.len() as f64).sqrt().ceil() as usize;
    let rows = pictures.len().div_ceil(columns);
    let gap = (width / 160).max(2);
    let cell = (width.saturating_sub(gap * (columns + 1)) / columns).max(1);
    let tall = (cell * first.height() / first.width().max(1)).max(1);
    let dot = (cell / 300).max(1);
    let step = tall + gap + dot * font::LINE;
    let mut sheet = Picture::filled(width.max(1), rows * step + gap, PAPER);
    for (k, (picture, text)) in pictures.iter().enumerate() {
        let x = gap + (k % columns) * (cell + gap);
        let y = gap + (k / columns) * step;
        sheet.paste(&picture.resized(cell, tall), [x, y]);
        font::write(&mut sheet, text, [x, y + tall + dot], dot, INK);
    }
    sheet
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
        let pictures: Vec<_> = colors
            .iter()
            .map(|c| (Picture::filled(160, 90, Vector([*c; 3])), "t".to_owned()))
            .collect();
        let sheet = sheet(&pictures, 640);
        let seen = |x, y| sheet.pixel(x, y)[0];
        assert!((seen(100, 50) - 0.1).abs() < 1e-6);
        assert!((seen(320, 50) - 0.2).abs() < 1e-6);
        assert!((seen(100, sheet.height() * 3 / 4) - 0.4).abs() < 1e-6);
        assert_eq!(sheet.width(), 640);
    }
}
