//! Pictures: linear light while they are drawn, sRGB when they are written.

use std::io;
use std::sync::OnceLock;

use thixo_math::Vector;

use crate::vector::Vec3;

/// A picture of linear light, rows from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Vec3>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, color: Vec3) -> Self {
        let pixels = vec![color; width * height];
        Self {
            width,
            height,
            pixels,
        }
    }
    /// Pixels per row.
    pub fn width(&self) -> usize {
        self.width
    }
    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }
    /// All pixels, row after row.
    pub fn pixels_mut(&mut self) -> &mut [Vec3] {
        &mut self.pixels
    }
    /// The linear light of a pixel; black outside of the picture.
    pub fn pixel(&self, x: usize, y: usize) -> Vec3 {
        if x < self.width && y < self.height {
            self.pixels[y * self.width + x]
        } else {
            Vec3::zero()
        }
    }
    /// Mixes a colour into a pixel; nothing happens outside of the picture.
    pub fn blend(&mut self, x: usize, y: usize, color: Vec3, share: f32) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            *pixel = *pixel + (color - *pixel) * share;
        }
    }
    /// Fills a rectangle, or the part of it that is in the picture.
    pub fn fill(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], color: Vec3) {
        for row in y..y.saturating_add(height).min(self.height) {
            for column in x..x.saturating_add(width).min(self.width) {
                self.pixels[row * self.width + column] = color;
            }
        }
    }
    /// Puts another picture into this one; what sticks out is left out.
    pub fn paste(&mut self, other: &Self, [x, y]: [usize; 2]) {
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let width = other.width.min(self.width.saturating_sub(x));
            let from = &other.pixels[row * other.width..][..width];
            self.pixels[(y + row) * self.width + x..][..width].copy_from_slice(from);
        }
    }
    /// A smaller picture, every pixel the mean of those it covers; a larger one repeats pixels.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let mut small = Self::filled(width, height, Vec3::zero());
        let span = |k: usize, from: usize, to: usize| {
            let first = k * from / to;
            first
                ..((k + 1) * from)
                    .div_ceil(to)
                    .max(first + 1)
                    .min(from.max(1))
        };
        for y in 0..height {
            for x in 0..width {
                let (mut sum, mut count) = (Vec3::zero(), 0.0);
                for row in span(y, self.height, height) {
                    for column in span(x, self.width, width) {
                        sum += self.pixel(column, row);
                        count += 1.0;
                    }
                }
                small.pixels[y * width + x] = sum * (1.0 / f32::max(count, 1.0));
            }
        }
        small
    }
    /// Bytes of red, green and blue in sRGB, row after row.
    pub fn to_srgb(&self) -> Vec<u8> {
        let curve = Curve::of_srgb();
        let bytes = self
            .pixels
            .iter()
            .map(|pixel| pixel.0.map(|x| curve.byte(x)));
        bytes.collect::<Vec<[u8; 3]>>().into_flattened()
    }
    /// The picture as a PNG file.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        png_file([self.width, self.height], &self.to_srgb())
    }
}

/// A PNG file of bytes of red, green and blue in sRGB, row after row.
pub(crate) fn png_file(size: [usize; 2], srgb: &[u8]) -> io::Result<Vec<u8>> {
    let side = |n: usize| u32::try_from(n).map_err(io::Error::other);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(size[0])?, side(size[1])?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(srgb)?;
    writer.finish()?;
    Ok(bytes)
}

/// Linear light to sRGB, IEC 61966-2-1.
fn encode(light: f32) -> u8 {
    let light = light.clamp(0.0, 1.0);
    let value = if light <= 0.003_130_8 {
        12.92 * light
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    (value * 255.0 + 0.5) as u8
}

/// The same as [`encode`], without its power for every pixel.
struct Curve {
    /// The byte at the lower end of equal steps of light.
    start: [u8; Self::STEPS + 1],
    /// For each byte the least light that has a larger one.
    next: [f32; 256],
}

impl Curve {
    const STEPS: usize = 4096;

    /// Made once.
    fn of_srgb() -> &'static Self {
        static CURVE: OnceLock<Curve> = OnceLock::new();
        CURVE.get_or_init(|| {
            let mut curve = Self {
                start: [0; Self::STEPS + 1],
                next: [f32::INFINITY; 256],
            };
            for (k, byte) in curve.start.iter_mut().enumerate() {
                *byte = encode(k as f32 / Self::STEPS as f32);
            }
            for byte in 0..255u8 {
                // Bits of positive numbers grow with the numbers.
                let (mut below, mut above) = (0, 1f32.to_bits());
                while above - below > 1 {
                    let middle = below + (above - below) / 2;
                    match encode(f32::from_bits(middle)) > byte {
                        true => above = middle,
                        false => below = middle,
                    }
                }
                curve.next[usize::from(byte)] = f32::from_bits(above);
            }
            curve
        })
    }

    fn byte(&self, light: f32) -> u8 {
        let light = light.clamp(0.0, 1.0);
        // NaN becomes 0 here, and is not above anything.
        let mut byte = self.start[(light * Self::STEPS as f32) as usize];
        while light >= self.next[usize::from(byte)] {
            byte += 1;
        }
        byte
    }
}

/// A colour in sRGB as linear light.
pub fn from_srgb(color: [u8; 3]) -> Vec3 {
    Vector(color.map(|byte| {
        let value = f32::from(byte) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_srgb_value_survives_linear_light() {
        for byte in 0..=255 {
            let light = from_srgb([byte; 3]);
            assert_eq!(encode(light[1]), byte);
        }
        assert_eq!(encode(f32::NAN), 0);
    }

    #[test]
    fn the_table_of_the_curve_is_the_curve() {
        let curve = Curve::of_srgb();
        let mut light = 1.2f32;
        while light > 1e-5 {
            assert_eq!(curve.byte(light), encode(light), "{light}");
            light *= 0.9999;
        }
        for byte in 0..255 {
            let edge = curve.next[byte];
            let just_below = f32::from_bits(edge.to_bits() - 1);
            assert_eq!(usize::from(curve.byte(edge)), byte + 1);
            assert_eq!(usize::from(curve.byte(just_below)), byte);
        }
        for light in [f32::NAN, -1.0, -0.0, 0.0, f32::INFINITY] {
            assert_eq!(curve.byte(light), encode(light), "{light}");
        }
    }

    #[test]
    fn a_smaller_picture_has_the_same_mean() {
        let mut picture = Picture::filled(8, 4, Vec3::zero());
        picture.fill([0, 0], [4, 4], Vector([1.0; 3]));
        let small = picture.resized(2, 1);
        assert_eq!((small.pixel(0, 0)[0], small.pixel(1, 0)[0]), (1.0, 0.0));
        assert_eq!(picture.resized(1, 1).pixel(0, 0)[0], 0.5);
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let mut picture = Picture::filled(3, 3, Vec3::zero());
        picture.paste(&Picture::filled(5, 5, Vector([1.0; 3])), [2, 2]);
        picture.blend(9, 9, Vector([1.0; 3]), 1.0);
        picture.fill([7, 7], [usize::MAX, 1], Vector([1.0; 3]));
        let lit = picture.pixels.iter().filter(|p| p[0] > 0.0).count();
        assert_eq!(lit, 1);
    }
}
