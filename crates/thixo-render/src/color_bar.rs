//! Colour bar: the legend of a colour map.

use thixo_math::Vector;
use thixo_scene::ColorMap;

use crate::color_map::color;
use crate::picture::Picture;
use crate::text::bitmap_font;
use crate::vector::Vec3;

/// The quantity, range and colour map that colours stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorBar {
    /// Name and unit of the quantity.
    pub label: String,
    /// Numbers at the lower and the upper end.
    pub range: [f64; 2],
    /// The colours between.
    pub map: ColorMap,
}

const INK: Vec3 = Vector([0.03, 0.03, 0.04]);
const PAPER: Vec3 = Vector([0.93, 0.94, 0.95]);
/// Numbers along the bar.
const TICKS: usize = 5;

impl ColorBar {
    /// The colour of a number; that of a range without length is the one in the middle.
    pub fn color(&self, value: f64) -> Vec3 {
        let [low, high] = self.range;
        let share = if high > low {
            (value - low) / (high - low)
        } else if value.is_nan() {
            value
        } else {
            0.5
        };
        color(self.map, share)
    }

    /// The bar in a picture: its left upper corner and size \[pixels\].
    pub fn place(picture: &Picture) -> [[usize; 2]; 2] {
        let dot = dot(picture);
        let height = picture.height() * 5 / 10;
        let width = 9 * dot;
        let right = dot * (bitmap_font::ADVANCE * 9 + 8) + width;
        let left = picture.width().saturating_sub(right);
        [[left, (picture.height() - height) / 2], [width, height]]
    }

    /// Draws bar, numbers and label at the right of a picture.
    pub fn draw(&self, picture: &mut Picture) {
        let dot = dot(picture);
        let [[x, y], [width, height]] = Self::place(picture);
        let label_width = bitmap_font::width(&self.label, dot);
        let right = picture.width() - picture.width().min(3 * dot);
        let label_x = x.min(right.saturating_sub(label_width));
        let top = y.saturating_sub(dot * (bitmap_font::LINE + 10));
        let left = label_x.min(x).saturating_sub(4 * dot);
        let bottom = y + height + dot * 8;
        let panel = [right.saturating_sub(left) + dot, bottom.saturating_sub(top)];
        for row in top..top + panel[1] {
            for column in left..left + panel[0] {
                picture.blend(column, row, PAPER, 0.75);
            }
        }
        let label_y = y.saturating_sub(dot * (bitmap_font::LINE + 6));
        bitmap_font::write(picture, &self.label, [label_x, label_y], dot, INK);
        let frame = dot.div_ceil(2);
        let outer = [width + 2 * frame, height + 2 * frame];
        picture.fill([x.saturating_sub(frame), y - frame.min(y)], outer, INK);
        for row in 0..height {
            let share = 1.0 - (row as f64 + 0.5) / height as f64;
            picture.fill([x, y + row], [width, 1], color(self.map, share));
        }
        let [low, high] = self.range;
        for tick in 0..TICKS {
            let share = tick as f64 / (TICKS - 1) as f64;
            let value = low + (high - low) * share;
            let at = y + ((1.0 - share) * height as f64) as usize;
            picture.fill([x + width, at.min(y + height - 1)], [2 * dot, frame], INK);
            let text = readable(value, high.abs().max(low.abs()), high - low);
            let text_y = at.saturating_sub(dot * bitmap_font::HEIGHT / 2);
            bitmap_font::write(picture, &text, [x + width + 4 * dot, text_y], dot, INK);
        }
    }
}

/// Pixels of a dot of the font.
pub fn dot(picture: &Picture) -> usize {
    (picture.height() / 360).max(1)
}

/// A number with as many digits as tell the ticks of a range apart.
fn readable(value: f64, largest: f64, range: f64) -> String {
    if value == 0.0 || largest == 0.0 {
        return "0".to_owned();
    }
    let text = if (1e-3..1e5).contains(&largest) {
        let step = if range > 0.0 { range / 4.0 } else { largest };
        let digits = (1.0 - step.log10().floor()).clamp(0.0, 6.0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.2e}")
    };
    // A number that is rounded to zero has no sign.
    let is_nothing = text.chars().all(|c| "-0.".contains(c));
    if is_nothing { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_bar_are_the_ends_of_the_range() {
        let bar = ColorBar {
            label: "speed [m/s]".to_owned(),
            range: [-2.0, 6.0],
            map: ColorMap::Viridis,
        };
        let mut picture = Picture::filled(640, 360, PAPER);
        bar.draw(&mut picture);
        let [[x, y], [width, height]] = ColorBar::place(&picture);
        let close = |a: Vec3, b: Vec3| (a - b).norm() < 0.02;
        assert!(close(picture.pixel(x + width / 2, y), bar.color(6.0)));
        assert!(close(
            picture.pixel(x + width / 2, y + height - 1),
            bar.color(-2.0)
        ));
        assert!(close(
            picture.pixel(x + width / 2, y + height / 2),
            bar.color(2.0)
        ));
    }

    #[test]
    fn numbers_are_short_and_tell_ticks_apart() {
        let all = |low: f64, high: f64| {
            let ticks = (0..5).map(|k| low + (high - low) * f64::from(k) / 4.0);
            ticks
                .map(|x| readable(x, high.abs().max(low.abs()), high - low))
                .collect::<Vec<_>>()
        };
        assert_eq!(all(0.0, 8.0), ["0", "2.0", "4.0", "6.0", "8.0"]);
        assert_eq!(
            all(0.98, 1.02),
            ["0.980", "0.990", "1.000", "1.010", "1.020"]
        );
        assert_eq!(
            all(-1e6, 1e6),
            ["-1.00e6", "-5.00e5", "0", "5.00e5", "1.00e6"]
        );
        assert_eq!(readable(5.0, 5.0, 0.0), "5.0");
    }

    #[test]
    fn a_range_without_length_has_one_colour_and_small_pictures_do_not_matter() {
        let bar = ColorBar {
            label: "a label that is much longer than the picture is wide".to_owned(),
            range: [1.0, 1.0],
            map: ColorMap::Magma,
        };
        assert_eq!(bar.color(1.0), color(ColorMap::Magma, 0.5));
        bar.draw(&mut Picture::filled(16, 16, PAPER));
    }
}
