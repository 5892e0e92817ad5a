//! Pictures one after the other: an MP4 file with H.264, which browsers and players show.
//!
//! Encoded pictures wait in a file beside the video until the last one is there, because the index
//! that comes before them must know all: memory does not grow with the length of the video, and a
//! video that nobody finished does not exist.

mod h264;
mod mp4;
mod yuv;

use std::io::{self, Write};
use std::path::Path;

use thixo_scene::AtomicFile;

use self::h264::{H264, LONGEST, OTHER, SHORTEST};
use self::mp4::{Sample, Track};
use self::yuv::Yuv;
use crate::error::RenderError;
use crate::picture::Picture;

pub use self::h264::Quality;

/// A video that is being made.
pub struct Video {
    /// The encoded pictures.
    stream: AtomicFile,
    file: AtomicFile,
    encoder: H264,
    planes: Yuv,
    track: Track,
    size: [usize; 2],
}

impl Video {
    /// Begins a video of pictures of a size, about so many per second. Those that are larger than
    /// the encoder takes are made smaller: see [`Video::size`].
    pub fn create(
        path: &Path,
        size: [usize; 2],
        quality: Quality,
        rate: f64,
    ) -> Result<Self, RenderError> {
        let size = fitted(size);
        let planes = Yuv::new(size);
        let even = size.map(|n| n.next_multiple_of(2));
        let encoder = H264::new(quality, even, rate);
        let create = |path: &Path| {
            let file = AtomicFile::create(path);
            file.map_err(|cause| RenderError::write(path, cause))
        };
        Ok(Self {
            stream: create(&path.with_added_extension("stream"))?,
            file: create(path)?,
            encoder: encoder.map_err(|error| RenderError::encoder(path, &error))?,
            planes,
            track: Track {
                size: even.map(|n| n as u16),
                ..Track::default()
            },
            size,
        })
    }

    /// Width and height of the video \[pixels\]: both even, at most 3840 × 2160 or 2160 × 3840.
    pub fn size(&self) -> [usize; 2] {
        self.track.size.map(usize::from)
    }

    /// Adds a picture that is shown for a time \[ticks\]. `srgb` are its bytes.
    pub fn add(&mut self, picture: &Picture, srgb: &[u8], ticks: u32) -> Result<(), RenderError> {
        let [width, height] = self.size;
        if [picture.width(), picture.height()] == self.size {
            self.planes.fill(srgb, self.size);
        } else {
            let fitted = picture.resized(width, height);
            self.planes.fill(&fitted.to_srgb(), self.size);
        }
        let coded = self.encoder.encode(&self.planes);
        let coded = coded.map_err(|error| RenderError::encoder(self.file.path(), &error))?;
        self.track.sequence = coded
            .sequence
            .unwrap_or(std::mem::take(&mut self.track.sequence));
        self.track.picture = coded
            .picture
            .unwrap_or(std::mem::take(&mut self.track.picture));
        match self.track.samples.last_mut() {
            // Nothing new: the picture before is shown the longer.
            Some(last) if coded.sample.is_empty() => last.ticks = last.ticks.saturating_add(ticks),
            _ => {
                self.track.samples.push(Sample {
                    bytes: coded.sample.len() as u32,
                    ticks,
                    is_key: coded.is_key,
                });
                let written = self.stream.write_all(&coded.sample);
                written.map_err(|cause| RenderError::write(self.file.path(), cause))?;
            }
        }
        Ok(())
    }

    /// Puts the index before the pictures, and gives the file its name.
    pub fn finish(mut self) -> Result<(), RenderError> {
        let path = self.file.path().to_owned();
        let finish = || {
            self.file.write_all(&self.track.header())?;
            io::copy(self.stream.written()?, &mut self.file)?;
            self.file.finish()
        };
        finish().map_err(|cause| RenderError::write(&path, cause))
    }
}

/// The size of pictures, or a smaller one of about the same shape that the encoder takes.
fn fitted(size: [usize; 2]) -> [usize; 2] {
    let [long, short] = [size[0].max(size[1]), size[0].min(size[1])];
    if long <= LONGEST && (SHORTEST..=OTHER).contains(&short) {
        return size;
    }
    let share = (LONGEST as f64 / long as f64)
        .min(OTHER as f64 / short as f64)
        .min(1.0);
    size.map(|n| ((n as f64 * share / 2.0).round() as usize * 2).max(SHORTEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_are_too_large_keep_their_shape() {
        assert_eq!(fitted([1280, 720]), [1280, 720]);
        assert_eq!(fitted([641, 359]), [641, 359]);
        assert_eq!(fitted([7680, 4320]), [3840, 2160]);
        assert_eq!(fitted([4000, 4000]), [2160, 2160]);
        assert_eq!(fitted([2000, 5000]), [1536, 3840]);
        assert_eq!(fitted([16384, 16]), [3840, 16]);
    }
}
