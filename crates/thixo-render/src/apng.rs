//! Pictures one after the other as an animated PNG: for places that show pictures and no videos.
//! Every pixel is as it was drawn, so that files are large; pictures are made smaller for them.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use thixo_scene::AtomicFile;

use crate::error::RenderError;
use crate::picture::Picture;
use crate::timeline::TICKS_PER_SECOND;

/// The longer side of an animation at most \[pixels\].
pub const LONGEST: usize = 640;

/// An animation that is being made.
pub struct Animation {
    file: AtomicFile,
    writer: png::Writer<BufWriter<File>>,
    /// The picture before.
    shown: Vec<u8>,
    size: [usize; 2],
}

impl Animation {
    /// Begins an animation of so many pictures of a size. Larger ones are made smaller: see
    /// [`Animation::size`].
    pub fn create(path: &Path, size: [usize; 2], pictures: usize) -> Result<Self, RenderError> {
        let size = fitted(size);
        let file = AtomicFile::create(path).map_err(|cause| RenderError::write(path, cause))?;
        let begin = || {
            let out = BufWriter::with_capacity(1 << 18, file.handle()?);
            let mut encoder = png::Encoder::new(out, size[0] as u32, size[1] as u32);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            // Played again without end.
            encoder.set_animated(u32::try_from(pictures).unwrap_or(u32::MAX), 0)?;
            encoder.validate_sequence(true);
            encoder.write_header()
        };
        let writer = begin().map_err(|error| RenderError::write(path, error.into()))?;
        Ok(Self {
            file,
            writer,
            shown: Vec::new(),
            size,
        })
    }

    /// Width and height \[pixels\].
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Adds a picture that is shown for a time \[ticks\]. `srgb` are its bytes.
    pub fn add(&mut self, picture: &Picture, srgb: &[u8], ticks: u32) -> Result<(), RenderError> {
        let [width, height] = self.size;
        let pixels = match [picture.width(), picture.height()] == self.size {
            true => srgb.to_vec(),
            false => picture.resized(width, height).to_srgb(),
        };
        let Patch { at, size } = Patch::between(&self.shown, &pixels, self.size);
        let row = |y: usize| &pixels[3 * ((at[1] + y) * width + at[0])..][..3 * size[0]];
        let part: Vec<u8> = (0..size[1]).flat_map(row).copied().collect();
        let (numerator, denominator) = delay(ticks);
        let mut write = || {
            self.writer.set_frame_delay(numerator, denominator)?;
            // A patch that sticks out while only its size is set would be refused.
            self.writer.reset_frame_position()?;
            self.writer
                .set_frame_dimension(size[0] as u32, size[1] as u32)?;
            self.writer.set_frame_position(at[0] as u32, at[1] as u32)?;
            self.writer.write_image_data(&part)
        };
        write().map_err(|error| RenderError::write(self.file.path(), error.into()))?;
        self.shown = pixels;
        Ok(())
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), RenderError> {
        let path = self.file.path().to_owned();
        let finished = self.writer.finish().map_err(io::Error::from);
        let finished = finished.and_then(|()| self.file.finish());
        finished.map_err(|cause| RenderError::write(&path, cause))
    }
}

/// The rectangle in which two pictures differ.
#[derive(Debug, PartialEq, Eq)]
struct Patch {
    at: [usize; 2],
    size: [usize; 2],
}

impl Patch {
    /// At least one pixel, and everything if there is no picture before.
    fn between(before: &[u8], now: &[u8], [width, height]: [usize; 2]) -> Self {
        if before.len() != now.len() {
            let size = [width, height];
            return Self { at: [0, 0], size };
        }
        let [before, now] = [before, now].map(|pixels| pixels.chunks_exact(3 * width));
        let mut changed = [width, height, 0, 0];
        for (y, (old, new)) in before.zip(now).enumerate() {
            let differs = |(a, b): (&u8, &u8)| a != b;
            let Some(first) = old.iter().zip(new).position(differs) else {
                continue;
            };
            let last = old.iter().zip(new).rposition(differs).unwrap_or(first);
            changed = [
                changed[0].min(first / 3),
                changed[1].min(y),
                changed[2].max(last / 3 + 1),
                y + 1,
            ];
        }
        let [left, top, right, bottom] = changed;
        match left < right {
            true => Self {
                at: [left, top],
                size: [right - left, bottom - top],
            },
            false => Self {
                at: [0, 0],
                size: [1, 1],
            },
        }
    }
}

/// The size of pictures, or a smaller one of the same shape.
fn fitted(size: [usize; 2]) -> [usize; 2] {
    let share = (LONGEST as f64 / size[0].max(size[1]) as f64).min(1.0);
    size.map(|n| ((n as f64 * share).round() as usize).max(1))
}

/// A time as the fraction of a second that the format stores: exact where both numbers can be, as
/// for all usual rates.
fn delay(ticks: u32) -> (u16, u16) {
    let divisor = gcd(ticks.max(1), TICKS_PER_SECOND);
    let (numerator, denominator) = (ticks / divisor, TICKS_PER_SECOND / divisor);
    match (u16::try_from(numerator), u16::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => (numerator, denominator),
        // To a ten-thousandth of a second, or to a tenth if it takes long.
        _ => {
            let seconds = f64::from(ticks) / f64::from(TICKS_PER_SECOND);
            let denominator: u16 = if seconds < 6.5 { 10_000 } else { 10 };
            let numerator = (seconds * f64::from(denominator)).round();
            (numerator.min(f64::from(u16::MAX)) as u16, denominator)
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_fractions_of_a_second() {
        assert_eq!(delay(3750), (1, 24));
        assert_eq!(delay(1500), (1, 60));
        assert_eq!(delay(1530), (17, 1000));
        assert_eq!(delay(90_000), (1, 1));
        assert_eq!(delay(3751), (417, 10_000));
        assert_eq!(delay(u32::MAX), (u16::MAX, 10));
    }

    #[test]
    fn a_patch_holds_all_that_changed_and_no_more() {
        let before = vec![7; 3 * 5 * 4];
        let patch = |changes: &[usize]| {
            let mut now = before.clone();
            for k in changes {
                now[*k] = 8;
            }
            Patch::between(&before, &now, [5, 4])
        };
        let at = |x: usize, y: usize| 3 * (y * 5 + x) + 1;
        let expected = |at, size| Patch { at, size };
        assert_eq!(patch(&[]), expected([0, 0], [1, 1]));
        assert_eq!(patch(&[at(4, 3)]), expected([4, 3], [1, 1]));
        assert_eq!(patch(&[at(3, 1), at(1, 2)]), expected([1, 1], [3, 2]));
        let whole = Patch::between(&[], &before, [5, 4]);
        assert_eq!(whole, expected([0, 0], [5, 4]));
    }

    #[test]
    fn large_pictures_are_made_smaller() {
        assert_eq!(fitted([1280, 720]), [640, 360]);
        assert_eq!(fitted([641, 359]), [640, 358]);
        assert_eq!(fitted([320, 200]), [320, 200]);
        assert_eq!(fitted([16, 16384]), [1, 640]);
    }
}
