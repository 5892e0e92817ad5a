//! A sheet as a picture.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

use super::Ink;
use super::marks::{Anchor, Mark, Sheet, TextDirection};
use crate::text::{OutlineFont, Weight};

impl Sheet {
    /// The sheet as the bytes of a PNG file, with so many pixels per unit; none if it would have no
    /// pixels or more than can be held.
    pub fn to_png(&self, scale: f64) -> Option<Vec<u8>> {
        let [width, height] = self.size.map(|length| (length * scale).round() as u32);
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(Color::WHITE);
        let scale = Transform::from_scale(scale as f32, scale as f32);
        let [regular, medium] = [Weight::Regular, Weight::Medium].map(OutlineFont::new);
        for mark in &self.marks {
            match mark {
                Mark::Line {
                    points,
                    ink,
                    width,
                    dashes,
                    ..
                } => {
                    let mut path = PathBuilder::new();
                    for (k, [x, y]) in points.iter().enumerate() {
                        match k {
                            0 => path.move_to(*x as f32, *y as f32),
                            _ => path.line_to(*x as f32, *y as f32),
                        }
                    }
                    let dashes = dashes.iter().map(|length| *length as f32).collect();
                    let stroke = Stroke {
                        width: *width as f32,
                        line_cap: LineCap::Butt,
                        line_join: LineJoin::Round,
                        dash: StrokeDash::new(dashes, 0.0),
                        ..Stroke::default()
                    };
                    if let Some(path) = path.finish() {
                        pixels.stroke_path(&path, &paint(*ink), &stroke, scale, None);
                    }
                }
                Mark::Dot {
                    at: [x, y],
                    ink,
                    radius,
                    ..
                } => {
                    let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                    if let Some(path) = circle {
                        pixels.fill_path(&path, &paint(*ink), FillRule::Winding, scale, None);
                    }
                }
                Mark::Text {
                    text,
                    at: [x, y],
                    anchor,
                    size,
                    ink,
                    weight,
                    direction,
                } => {
                    let font = match weight {
                        Weight::Regular => &regular,
                        Weight::Medium => &medium,
                    };
                    let share = match anchor {
                        Anchor::Start => 0.0,
                        Anchor::Middle => 0.5,
                        Anchor::End => 1.0,
                    };
                    let start = -share * font.width(text, *size);
                    let turned = match direction {
                        TextDirection::Right => Transform::identity(),
                        TextDirection::Up => Transform::from_rotate(-90.0),
                    };
                    let place = scale
                        .pre_translate(*x as f32, *y as f32)
                        .pre_concat(turned)
                        .pre_translate(start as f32, 0.0);
                    if let Some(path) = font.outline(text, *size) {
                        pixels.fill_path(&path, &paint(*ink), FillRule::Winding, place, None);
                    }
                }
            }
        }
        pixels.encode_png().ok()
    }
}

fn paint([r, g, b]: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint.anti_alias = true;
    paint
}
