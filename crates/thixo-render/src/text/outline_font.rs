//! The outline font: widths and outlines of texts.

use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::Weight;
use super::superscript::{RAISED_BY, RAISED_SIZE, Span, spans};

const REGULAR: &[u8] = include_bytes!("../../fonts/Roboto-Regular.ttf");
const MEDIUM: &[u8] = include_bytes!("../../fonts/Roboto-Medium.ttf");

/// A font that is part of the program.
pub struct OutlineFont {
    face: Option<Face<'static>>,
}

impl OutlineFont {
    /// The font of a strength.
    pub fn new(weight: Weight) -> Self {
        let bytes = match weight {
            Weight::Regular => REGULAR,
            Weight::Medium => MEDIUM,
        };
        Self {
            face: Face::parse(bytes, 0).ok(),
        }
    }

    /// Width of a text in letters of a size.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        let of_span = |span: Span<'_>| {
            let size = if span.is_raised {
                RAISED_SIZE * size
            } else {
                size
            };
            span.text
                .chars()
                .map(|letter| self.advance(letter) * size)
                .sum::<f64>()
        };
        spans(text).into_iter().map(of_span).sum()
    }

    /// From a letter to the next, of the size.
    fn advance(&self, letter: char) -> f64 {
        let Some(face) = &self.face else {
            return 0.0;
        };
        let glyph = face.glyph_index(letter).unwrap_or_default();
        let advance = face.glyph_hor_advance(glyph).unwrap_or_default();
        f64::from(advance) / f64::from(face.units_per_em())
    }

    /// The outlines of a text that starts at 0 on its line; none where there is nothing to be seen.
    pub fn outline(&self, text: &str, size: f64) -> Option<Path> {
        let face = self.face.as_ref()?;
        let mut all = PathBuilder::new();
        let mut x = 0.0;
        for span in spans(text) {
            let (size, y) = if span.is_raised {
                (RAISED_SIZE * size, -RAISED_BY * size)
            } else {
                (size, 0.0)
            };
            let scale = size as f32 / f32::from(face.units_per_em());
            for letter in span.text.chars() {
                let glyph = face.glyph_index(letter).unwrap_or_default();
                let mut outline = Outline(PathBuilder::new());
                face.outline_glyph(glyph, &mut outline);
                let to_place = Transform::from_row(scale, 0.0, 0.0, -scale, x as f32, y as f32);
                if let Some(path) = outline.0.finish().and_then(|path| path.transform(to_place)) {
                    all.push_path(&path);
                }
                x += self.advance(letter) * size;
            }
        }
        all.finish()
    }
}

struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_as_wide_as_they_are_said_to_be() {
        for weight in [Weight::Regular, Weight::Medium] {
            let font = OutlineFont::new(weight);
            let width = font.width("energy [10^{−3} kg m²/s]", 20.0);
            let path = font.outline("energy [10^{−3} kg m²/s]", 20.0).unwrap();
            let bounds = path.bounds();
            assert!(bounds.left() >= 0.0 && f64::from(bounds.right()) <= width);
            assert!(
                f64::from(bounds.right()) > 0.95 * width,
                "{bounds:?} {width}"
            );
            assert!(bounds.top() > -22.0 && bounds.bottom() < 7.0, "{bounds:?}");
        }
    }

    #[test]
    fn every_letter_of_labels_is_in_the_font() {
        let face = Face::parse(REGULAR, 0).unwrap();
        for letter in "0123456789−.×[]()/ ²³µabcxyzABCXYZäöüßéαβγ…–".chars() {
            assert!(face.glyph_index(letter).is_some(), "{letter}");
        }
        assert!(
            OutlineFont::new(Weight::Regular)
                .outline("", 10.0)
                .is_none()
        );
    }
}
