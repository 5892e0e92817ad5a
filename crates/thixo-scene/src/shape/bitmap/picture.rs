//! Images in memory.

use std::io::Cursor;
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Limits, Transformations};

use super::{Mask, Threshold};
use crate::shape::asset::read_bytes;
use crate::shape::{AssetError, Checksum};

/// The most pixels of an image.
const MOST_PIXELS: u64 = 1 << 26;

/// Pixels of an image, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub width: usize,
    pub height: usize,
    /// Red, green, blue and opacity, as the file has them.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Reads a PNG file, and says what it was like.
    pub fn read(path: &Path) -> Result<(Self, Checksum), AssetError> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        if ending.to_lowercase() != "png" {
            return Err(AssetError::UnknownFormat { known: ".png" });
        }
        let bytes = read_bytes(path)?;
        Ok((Self::parse(&bytes)?, Checksum::of(&bytes)))
    }

    /// Reads the bytes of a PNG file of any kind of colour.
    pub fn parse(bytes: &[u8]) -> Result<Self, AssetError> {
        let malformed = |message: String| AssetError::Malformed {
            format: "PNG",
            place: format!("of {} bytes", bytes.len()),
            message,
        };
        let limits = Limits {
            bytes: 4 * MOST_PIXELS as usize,
        };
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|e| malformed(e.to_string()))?;
        let (width, height) = (reader.info().width, reader.info().height);
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(malformed(format!(
                "{width} × {height} pixels are more than {MOST_PIXELS}"
            )));
        }
        let Some(size) = reader.output_buffer_size() else {
            return Err(malformed("its size cannot be told".to_owned()));
        };
        let mut buffer = vec![0; size];
        let frame = reader.next_frame(&mut buffer);
        let frame = frame.map_err(|e| malformed(e.to_string()))?;
        if frame.bit_depth != BitDepth::Eight {
            return Err(malformed("its colours cannot be read".to_owned()));
        }
        let bytes_of_pixel = frame.color_type.samples();
        let pixels = buffer[..frame.buffer_size().min(size)]
            .chunks_exact(bytes_of_pixel)
            .map(|p| match frame.color_type {
                ColorType::Grayscale | ColorType::Indexed => [p[0], p[0], p[0], 255],
                ColorType::GrayscaleAlpha => [p[0], p[0], p[0], p[1]],
                ColorType::Rgb => [p[0], p[1], p[2], 255],
                ColorType::Rgba => [p[0], p[1], p[2], p[3]],
            })
            .collect::<Vec<_>>();
        let (width, height) = (width as usize, height as usize);
        if pixels.len() != width * height {
            return Err(malformed("it has fewer pixels than it says".to_owned()));
        }
        Ok(Self {
            width,
            height,
            pixels,
        })
    }

    /// True if a pixel is matter.
    pub fn is_matter(&self, column: usize, row: usize, mask: Mask) -> bool {
        let [r, g, b, a] = self.pixels[row * self.width + column].map(|x| f64::from(x) / 255.0);
        let (value, threshold) = match mask {
            // Brightness as television weighs it (ITU-R BT.709), on white paper.
            Mask::Luminance(threshold) => {
                let opaque = 0.2126 * r + 0.7152 * g + 0.0722 * b;
                (opaque * a + (1.0 - a), threshold)
            }
            Mask::Alpha(threshold) => (a, threshold),
        };
        match threshold {
            Threshold::Above(limit) => value > limit,
            Threshold::Below(limit) => value < limit,
        }
    }

    /// The colour at a place given as shares of the width from the left and of the height from the
    /// top.
    pub fn color(&self, right: f64, down: f64) -> [u8; 4] {
        // Casts of negative and of missing numbers give 0.
        let column = ((right * self.width as f64) as usize).min(self.width - 1);
        let row = ((down * self.height as f64) as usize).min(self.height - 1);
        self.pixels[row * self.width + column]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A PNG file of a kind of colour, with its samples.
    pub(crate) fn png(width: u32, height: u32, color: ColorType, samples: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(samples).unwrap();
        writer.finish().unwrap();
        file
    }

    /// A PNG file with red, green and blue.
    pub(crate) fn rgb_file(width: u32, height: u32, samples: &[u8]) -> Vec<u8> {
        png(width, height, ColorType::Rgb, samples)
    }

    #[test]
    fn all_kinds_of_colour_are_read() {
        let gray = Picture::parse(&png(2, 1, ColorType::Grayscale, &[0, 255])).unwrap();
        assert_eq!(gray.pixels, [[0, 0, 0, 255], [255, 255, 255, 255]]);
        let colors = png(1, 2, ColorType::Rgba, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let colors = Picture::parse(&colors).unwrap();
        assert_eq!(colors.pixels, [[1, 2, 3, 4], [5, 6, 7, 8]]);
        assert_eq!(colors.color(0.5, 0.2), [1, 2, 3, 4]);
        assert_eq!(colors.color(-1.0, 7.0), [5, 6, 7, 8]);
        let rgb = Picture::parse(&png(1, 1, ColorType::Rgb, &[9, 8, 7])).unwrap();
        assert_eq!(rgb.pixels, [[9, 8, 7, 255]]);
        let faint = Picture::parse(&png(1, 1, ColorType::GrayscaleAlpha, &[0, 25])).unwrap();
        assert!(!faint.is_matter(0, 0, Mask::default()));
        assert!(faint.is_matter(0, 0, Mask::Alpha(Threshold::Below(0.5))));
    }

    #[test]
    fn cut_and_garbled_files_are_refused() {
        let file = png(8, 8, ColorType::Rgb, &[77; 192]);
        for length in 0..file.len() - 12 {
            assert!(Picture::parse(&file[..length]).is_err(), "{length}");
        }
        let mut state = 5u64;
        for _ in 0..2000 {
            let mut garbled = file.clone();
            for _ in 0..3 {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let at = (state >> 33) as usize % garbled.len();
                garbled[at] = (state >> 20) as u8;
            }
            // Whatever it says, it says something.
            let _ =
                Picture::parse(&garbled).map_err(|error| assert!(!error.to_string().is_empty()));
        }
    }
}
